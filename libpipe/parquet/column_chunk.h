/* column_chunk.h - the values of one column in one row group: complete pages, and the one that grows. */
#ifndef COLUMN_CHUNK_H
#define COLUMN_CHUNK_H

#include "parquet/column_values.h"
#include "parquet/dictionary.h"
#include "parquet/pack.h"
#include "parquet/parquet.h"
#include "parquet/parquet_page.h"

enum chunk_way { CHUNK_DICTIONARY, CHUNK_PLAIN, CHUNK_DELTA, CHUNK_WAYS };

/* The least and the greatest value, if there is any. */
struct chunk_bounds {
	bool any;
	int64_t least, most;          /* of integers */
	struct pp_buffer least_text, most_text;
};

/* What is less often looked at than the page that grows. */
struct chunk_pages {
	struct pp_buffer first;       /* the page of the dictionary, or nothing */
	struct pp_buffer data;        /* those of values */
	uint64_t uncompressed;        /* what both would take without compression */
	uint64_t entries, nulls;
	unsigned count[CHUNK_WAYS];
	struct chunk_bounds bounds;
};

struct parquet_chunk {
	struct pp_parquet_column column;
	unsigned most_definition;     /* the level of an entry that has a value */
	enum chunk_way way;           /* of the page that grows */
	uint64_t rows;                /* of the file, with one that has begun */
	/* the page that grows: entries are values and, in columns that may lack some, what has none */
	size_t entries, values;
	struct pack_list definitions, repetitions;      /* levels */
	struct pack_list indexes;     /* CHUNK_DICTIONARY */
	struct pp_buffer plain;       /* CHUNK_PLAIN; CHUNK_DELTA: int64_t of the host */
	size_t plain_size;            /* how many bytes it would take as CHUNK_PLAIN */
	size_t known;                 /* the size of the dictionary where the page began */
	struct parquet_dictionary dictionary;
	struct column_values by_number;         /* values of the whole file */
	struct chunk_pages pages;
};

/* The bytes of an integer. */
static inline size_t pp_chunk_width(const struct parquet_chunk *c)
{
	return c->column.kind == PP_PARQUET_INT32 ? 4 : 8;
}

void pp_chunk_open(struct parquet_chunk *, const struct pp_parquet_column *);
void pp_chunk_close(struct parquet_chunk *);

/* Adds an entry, whose level is that of a value (most_definition): the value follows; or less: there is none.
 * It is repeated after the first of a list.  All these give 0, or -1 and *error: out of memory. */
int pp_chunk_entry(struct parquet_chunk *, unsigned definition, bool repeated, struct pp_error *);
int pp_chunk_number(struct parquet_chunk *, int64_t, struct pp_error *);
int pp_chunk_text(struct parquet_chunk *, const char *text, size_t size, struct pp_error *);
/* The same of n rows that all have a value; of n that have values by their numbers; and of the n items of a
 * list, at least one, by theirs. */
int pp_chunk_numbers(struct parquet_chunk *, const int64_t *, size_t n, struct pp_error *);
int pp_chunk_picks(struct parquet_chunk *, const uint32_t *numbers, size_t n, struct pp_error *);
int pp_chunk_items(struct parquet_chunk *, const uint32_t *numbers, size_t n, struct pp_error *);
/* n rows that have no value. */
int pp_chunk_nothing(struct parquet_chunk *, size_t n, struct pp_error *);

/* Whether the page that grows is large enough; and its end, if there is anything in it. */
bool pp_chunk_full(const struct parquet_chunk *);
int pp_chunk_end_page(struct parquet_chunk *, struct page_press *, struct pp_error *);
/* Bytes that the chunk would take without compression, but for the page that grows. */
uint64_t pp_chunk_size(const struct parquet_chunk *);
/* Ends the last page and makes that of the dictionary: ->pages has all.  And begins the next chunk. */
int pp_chunk_finish(struct parquet_chunk *, struct page_press *, struct pp_error *);
void pp_chunk_next(struct parquet_chunk *);

#endif
