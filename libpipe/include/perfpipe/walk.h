/*
 * walk.h - a record field by field, as its rows describe it; checking and byte order.
 *
 * A walk never leaves the record: every number that it finds there is held against the bytes that are
 * left.  It borrows the record and needs no memory of its own.
 *
 *	#include <perfpipe/reader.h>
 *	#include <perfpipe/walk.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_record record;
 *		struct pp_cursor c;
 *		int token, status;
 *
 *		while (in && pp_reader_next(in, &record, &error) == PP_MORE) {
 *			pp_walk(&c, &record);
 *			while ((token = pp_walk_next(&c)) > PP_END)
 *				if (token == PP_VALUE)
 *					printf("%s %" PRIu32 " %" PRIu64 "\n", c.field->name, c.count, c.value);
 *		}
 *		status = in ? pp_reader_status(in) : pp_error_status(&error);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_WALK_H
#define PERFPIPE_WALK_H

#include <perfpipe/api.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a step of a walk; or PP_END, at the end of the record, or PP_FAILED. */
enum pp_token {
	PP_VALUE = 1, /* a scalar, an array of scalars, text or bytes */
	PP_OPEN,      /* a struct begins: a ONE, or the next element of a LIST */
	PP_CLOSE,
	PP_LIST_OPEN, /* `count` structs (LIST) or texts (STRS: VALUEs) follow, until ... */
	PP_LIST_CLOSE,
};

enum pp_order { PP_HOST, PP_TO_HOST, PP_FROM_HOST };

/* Maximum depth of nested structures. */
#define PP_DEPTH 10

/* Private to the walker: where it is, and in which structures.  A cursor is a value on the caller's
 * stack rather than opaque, since a walk of each record must not allocate; its size is part of the ABI. */
struct pp_walk_state {
	const struct pp_record *rec;
	enum pp_order order;
	uint8_t *at;
	uint64_t reg[PP_R_COUNT];
	int depth;
	uint8_t stage;
	struct pp_walk_frame {
		const struct pp_field *row, *rows, *owner;
		uint8_t *start, *end;
		uint32_t left;            /* elements still to come, this one included */
		bool spans;               /* ends where the struct said it does */
		bool list;
	} frame[PP_DEPTH];
};

/*
 * Steps through a record field by field.  After PP_VALUE: `field` its row, `data` its bytes
 * (bounds checked), `count` elements of `width` bytes each (text and bytes: count bytes,
 * width 1), `value` the number where there is exactly one.  Bytes that no row covers come
 * as a BYTES field named "rest".
 */
struct pp_cursor {
	const struct pp_field *field;
	uint8_t *data;
	uint64_t value;
	uint32_t count;
	uint8_t width;
	bool array;                   /* count comes from the row: an array, even of 1 */
	struct pp_error error;
	struct pp_walk_state own;
};

/* Starts at the first field after the header. */
PP_API void pp_walk(struct pp_cursor *, const struct pp_record *);
/* The next pp_token, PP_END, or PP_FAILED and ->error (located at the record). */
PP_API PP_MUST_CHECK int pp_walk_next(struct pp_cursor *);
/* Continues to the next PP_VALUE of this name at any depth: PP_MORE, PP_END, PP_FAILED. */
PP_API PP_MUST_CHECK enum pp_status pp_walk_to(struct pp_cursor *, const char *name);
/* The same, by what the field means. */
PP_API PP_MUST_CHECK enum pp_status pp_walk_find(struct pp_cursor *, enum pp_meaning);
/* Element i of an array of scalars, widened, in host order.  i < count. */
PP_API uint64_t pp_walk_u64(const struct pp_cursor *, uint32_t i);
/* The text of the token: bytes up to the first NUL; *length gets their number.  Not terminated if
 * it fills its width. */
PP_API const char *pp_walk_text(const struct pp_cursor *, size_t *length);

/* Walks the whole record to check it.  0, or -1 and *error. */
PP_API int pp_check(const struct pp_record *, struct pp_error *);
/* Converts the bytes of a whole record (not of its tail) between host order and the other,
 * in place; rec->data must be in the order that `order` starts from, rec->attr known for
 * kernel types.  Header included.  0, or -1 and *error (PP_E_ENDIAN for unknown types). */
PP_API PP_MUST_CHECK int pp_convert(const struct pp_record *, enum pp_order, struct pp_error *);

/* True, the clock, and the ns to add to its times to get those of the wall clock: a CLOCK_DATA
 * feature. */
PP_API bool pp_clock_data(const struct pp_record *, uint64_t *clockid, int64_t *to_wall_clock);

/*
 * The first field with this meaning, at any depth and in the trailer too; false (NULL): the record
 * has none, or is damaged before it.  A field that only fixed ones precede costs no walk.
 */
PP_API bool pp_find_u64(const struct pp_record *, enum pp_meaning, uint64_t *value);
/* Borrowed from the record, and not terminated. */
PP_API bool pp_find_text(const struct pp_record *, enum pp_meaning, const char **text,
			 size_t *length);
/* All bytes of the field, borrowed: may be changed if the record may. */
PP_API uint8_t *pp_find_bytes(const struct pp_record *, enum pp_meaning, size_t *size);
/* The number of a HEADER_FEATURE; false for other records. */
PP_API bool pp_find_feature(const struct pp_record *, uint64_t *number);

/* The first value of that name, for fields that have no meaning of their own; false: as above. */
PP_API bool pp_get_u64(const struct pp_record *, const char *name, uint64_t *value);
PP_API bool pp_get_text(const struct pp_record *, const char *name, const char **text,
			size_t *length);
/* The same, copied and terminated; false: there is none, or no room, and `to` stays as it was. */
PP_API bool pp_copy_text(const struct pp_record *, const char *name, char *to, size_t room);

#ifdef __cplusplus
}
#endif

#endif
