/*
 * parquet.h - tables as Parquet files, which DuckDB, ClickHouse and others read.
 *
 * Columns are given once, then values row by row, in any order of the columns:
 *
 *     static const struct pp_parquet_column columns[] = {
 *             { "time", PP_PARQUET_INT64, .sorted = true },
 *             { "comm", PP_PARQUET_TEXT },
 *     };
 *     struct pp_parquet *const w = pp_parquet_open(&out, columns, 2, NULL, &error);
 *
 *     while (more) {
 *             pp_parquet_int(w, 0, time);
 *             pp_parquet_text(w, 1, comm, strlen(comm));
 *             if (pp_parquet_row(w, &error))
 *                     break;
 *     }
 *     failed = pp_parquet_finish(w, &error);
 *     pp_parquet_free(w);
 *
 * Rows go out in groups.  A group is held until it is full, as pages that are compressed already: so memory
 * is that of one row group, however long the file is.  The same rows make the same bytes.
 *
 * Each column of a group (a chunk) begins with a dictionary; once that does not pay any more, or is large,
 * values follow as they are.  Pages are compressed by zstd, and have their CRC; the statistics of a chunk are
 * the least value, the greatest, and how many rows or items have none.
 */
#ifndef PARQUET_H
#define PARQUET_H

#include <perfpipe/error.h>
#include <perfpipe/output.h>

enum pp_parquet_kind {
	PP_PARQUET_INT64,
	PP_PARQUET_INT32,
	PP_PARQUET_TEXT,              /* UTF-8: of what is not, each byte becomes \xNN */
	PP_PARQUET_LIST,              /* of INT64 */
};

struct pp_parquet_column {
	const char *name;             /* UTF-8, the caller's until the writer is freed */
	enum pp_parquet_kind kind;
	bool optional;                /* a row may have no value there, which readers show as NULL */
	bool sorted;                  /* INT64: most are a little above the one before, as times are */
	bool unique;                  /* hardly any value comes again: there is no dictionary */
	bool apart;                   /* INT64, LIST: rows choose all values by number, and no two of these
				       * are the same */
};

/* When a row group is full; of 0: 1,048,576 rows, 64 MiB before compression.  Only a row that is longer
 * alone makes it larger. */
struct pp_parquet_limits {
	size_t rows, bytes;
};

struct pp_parquet;

/* Begins a file at the place where `out` is; both it and the columns stay the caller's.  Limits: NULL for
 * those above.  NULL and *error: out of memory. */
struct pp_parquet *pp_parquet_open(struct pp_out *out, const struct pp_parquet_column *columns, size_t count,
				   const struct pp_parquet_limits *, struct pp_error *);

/* Gives the current row its value of a column, which must be of that kind.  What fails, fails in
 * pp_parquet_row(): memory, a second value, a number that an INT32 cannot have, 256 MiB of text. */
void pp_parquet_int(struct pp_parquet *, size_t column, int64_t value);
void pp_parquet_text(struct pp_parquet *, size_t column, const char *text, size_t size);
/* Adds an item to the current row's list. */
void pp_parquet_item(struct pp_parquet *, size_t column, int64_t value);
/* A list without items; needed only where a list is optional, and would be none. */
void pp_parquet_empty(struct pp_parquet *, size_t column);

/*
 * Many rows at once, column by column, take a fraction of the time; pp_parquet_rows_end() ends them.  Rows
 * have n values, or, where the same ones come again and again, choose them by number.  Those were added to
 * the column before, each by a call, and are kept for the whole file.  Each column counts its own from 0, so
 * that columns about one thing can be given the same numbers.
 */
void pp_parquet_ints(struct pp_parquet *, size_t column, const int64_t *values, size_t n);
void pp_parquet_picks(struct pp_parquet *, size_t column, const uint32_t *numbers, size_t n);
/* The whole list of one row. */
void pp_parquet_items(struct pp_parquet *, size_t column, const uint32_t *numbers, size_t n);
/* Add a value, which is an item in a column of lists, or none, to an optional column.  Return its number. */
uint32_t pp_parquet_add_int(struct pp_parquet *, size_t column, int64_t value);
uint32_t pp_parquet_add_text(struct pp_parquet *, size_t column, const char *text, size_t size);
uint32_t pp_parquet_add_none(struct pp_parquet *, size_t column);

/* Ends n rows, of which each column has n values or none.  Pages and row groups end only between such calls:
 * with 1,024 rows each they have the sizes that are wanted.  As pp_parquet_row(). */
PP_MUST_CHECK int pp_parquet_rows_end(struct pp_parquet *, size_t n, struct pp_error *);

/* Ends the row.  An optional column without a value is NULL there, and another list an empty one.  0, or -1
 * and *error: out of memory, an output that cannot be written, wrong use; what follows fails likewise. */
PP_MUST_CHECK int pp_parquet_row(struct pp_parquet *, struct pp_error *);

/* Adds an entry to the key-value metadata of the file, any time before the end; copies both, as UTF-8.  0, or
 * -1 and *error: out of memory. */
PP_MUST_CHECK int pp_parquet_metadata(struct pp_parquet *, const char *key, const char *value, size_t size,
				      struct pp_error *);

/* Rows so far, and bytes that were written of the file. */
uint64_t pp_parquet_rows(const struct pp_parquet *);
uint64_t pp_parquet_size(const struct pp_parquet *);

/* Writes what is left and the footer, and flushes the output.  Nothing may follow but pp_parquet_free().
 * 0, or -1 and *error: then the file is not complete. */
PP_MUST_CHECK int pp_parquet_finish(struct pp_parquet *, struct pp_error *);
/* Frees it, finished or not; NULL is fine. */
void pp_parquet_free(struct pp_parquet *);

#endif
