/* parquet_thrift.h - the compact protocol of Thrift, in which Parquet has its headers and its footer. */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include "base/array.h"

#include <stdbool.h>

/* Types, as the protocol numbers them. */
enum thrift_type {
	THRIFT_TRUE   = 1,
	THRIFT_BOOL   = 2,            /* a field's type is its value: true, or this */
	THRIFT_I16    = 4,
	THRIFT_I32    = 5,
	THRIFT_I64    = 6,
	THRIFT_BYTES  = 8,
	THRIFT_LIST   = 9,
	THRIFT_STRUCT = 12,
};

/* Fields: their number and their type. */
enum parquet_field {
	THRIFT_ITEM,                  /* none: what is put is an item of a list, or the outermost struct */
#define FIELD(of, name, number, type) PARQUET_##of##_##name = (number) << 4 | THRIFT_##type,
#include "parquet/parquet.def"
#undef FIELD
};

/* Numbers of parquet.thrift's enums, those that are written. */
enum { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_BYTE_ARRAY = 6 };                  /* Type */
enum { PARQUET_UTF8 = 0, PARQUET_LIST = 3 };                                            /* ConvertedType */
enum { PARQUET_REQUIRED, PARQUET_OPTIONAL, PARQUET_REPEATED };                          /* repetition */
enum { PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_DELTA_BINARY_PACKED = 5, PARQUET_RLE_DICTIONARY = 8 };
enum { PARQUET_ZSTD = 6 };                                                              /* codec */
enum { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2 };                            /* PageType */

/* Where values are put: { .to = bytes } begins.  Fields of a struct come in the order of their numbers. */
struct thrift_pen {
	struct pp_buffer *to;
	bool failed;                  /* memory was lacking: what is in `to` is not whole */
	unsigned depth;
	unsigned last[8];             /* the field before, in each of the structs that are open */
};

void pp_thrift_number(struct thrift_pen *, enum parquet_field, int64_t);
void pp_thrift_bool(struct thrift_pen *, enum parquet_field, bool);
void pp_thrift_bytes(struct thrift_pen *, enum parquet_field, const void *, size_t size);
void pp_thrift_text(struct thrift_pen *, enum parquet_field, const char *);
/* A list of so many; its items follow, each as THRIFT_ITEM. */
void pp_thrift_list(struct thrift_pen *, enum parquet_field, enum thrift_type of, size_t count);
void pp_thrift_struct(struct thrift_pen *, enum parquet_field);
void pp_thrift_end(struct thrift_pen *);          /* of the struct that was opened last */
/* Items, or whatever else, that were put elsewhere. */
void pp_thrift_made(struct thrift_pen *, const struct pp_buffer *);

#endif
