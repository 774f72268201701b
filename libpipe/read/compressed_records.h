/* compressed_records.h - a step of reading: the records that compressed ones hold take their place. */
#ifndef PP_COMPRESSED_RECORDS_H
#define PP_COMPRESSED_RECORDS_H

#include "read/dialect.h"

#include <sys/types.h>

/* ---- The zstd stream, piece by piece ---- */

struct pp_expand;
struct pp_expand *pp_expand_new(void);          /* NULL: out of memory */
void pp_expand_free(struct pp_expand *);        /* NULL is fine */
/* The next piece of the zstd stream; it must stay in place until it is used up. */
void pp_expand_feed(struct pp_expand *, const uint8_t *data, size_t size);
/* Whether bytes may still come out of what was fed. */
bool pp_expand_pending(const struct pp_expand *);
/*
 * Expands as much as fits in `room` bytes (more than 0): how many came, or -1 and *error; then
 * the rest of this piece is dropped, and what is fed after it until a zstd frame begins.
 */
ssize_t pp_expand_more(struct pp_expand *, uint8_t *out, size_t room, struct pp_error *error);

/* ---- The step ---- */

struct pp_step_decompress {
	struct pp_step_dialect *from;
	bool raw;                     /* all passes as it is */
	bool inside;                  /* records come out of `window`, and of `carrier` */
	struct pp_window window;      /* has a buffer once it is needed */
	struct pp_record carrier;     /* the compressed record that is being expanded, or was last */
	const struct pp_carrier *sized;       /* what was found of it where it was framed */
	struct pp_expand *zstd;
	const struct pp_ties *ties;
	struct pp_stream *stream;     /* notes compressed_bytes, expanded_bytes, promise, unpromised */
};

void pp_step_decompress_close(struct pp_step_decompress *);
int pp_step_decompress_next(struct pp_step_decompress *, struct pp_record *rec, struct pp_error *);

#endif
