/* parquet_footer.h - what Parquet says of a file and its row groups, in the footer. */
#ifndef PARQUET_FOOTER_H
#define PARQUET_FOOTER_H

#include "parquet/column_chunk.h"

/* A row group that was written from there on. */
struct parquet_group {
	uint64_t start, rows;
	unsigned ordinal;
};
/* The file: lists that are made already, and how many items they have. */
struct parquet_footer {
	struct pp_buffer groups, metadata;
	size_t group_count, metadata_count;
	uint64_t rows;
};

/* Adds a row group, whose chunks are finished.  All give 0, or -1 and *error: out of memory. */
int pp_footer_group(struct parquet_footer *, const struct parquet_group *,
		    const struct parquet_chunk *chunks, size_t count, struct pp_error *);
int pp_footer_metadata(struct parquet_footer *, const struct pp_buffer *key,
		       const struct pp_buffer *value, struct pp_error *);
/* Adds the whole footer, with its length and the magic at its end. */
int pp_footer_make(const struct parquet_footer *, const struct parquet_chunk *chunks, size_t count,
		   struct pp_buffer *to, struct pp_error *);
void pp_footer_close(struct parquet_footer *);

#define PARQUET_MAGIC "PAR1"

#endif
