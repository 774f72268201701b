/* parquet_page.h - pages: a header, and what is compressed after it. */
#ifndef PARQUET_PAGE_H
#define PARQUET_PAGE_H

#include "base/array.h"

#include <zstd.h>

/* What pages are made with, one after the other. */
struct page_press {
	ZSTD_CCtx *zstd;
	struct pp_buffer raw;         /* a page before it is compressed: the caller fills it */
	struct pp_buffer packed;
};

struct parquet_page {
	int type;                     /* PARQUET_DATA_PAGE or PARQUET_DICTIONARY_PAGE */
	int encoding;                 /* of the values */
	size_t entries;               /* values, and what has none */
};

int pp_press_open(struct page_press *, struct pp_error *);      /* 0, or -1 and *error */
void pp_press_close(struct page_press *);
/* Adds a page of what is in press->raw, and to *uncompressed what it would take without compression.  0, or
 * -1 and *error: out of memory, or a page that is too large. */
int pp_press_page(struct page_press *, const struct parquet_page *, struct pp_buffer *to,
		  uint64_t *uncompressed, struct pp_error *);

#endif
