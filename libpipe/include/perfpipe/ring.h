/* ring.h - the last minutes of a stream, kept until somebody wants them. */
#ifndef PERFPIPE_RING_H
#define PERFPIPE_RING_H

#ifndef PP_UNSTABLE
#error "<perfpipe/ring.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/reader.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Records that arrive in the order of their times are packed into segments.  The oldest segment goes when it
 * is older than what is to be kept, or when all segments together are too large: then the side-band in it
 * becomes part of one state, which is the head of whatever is let out.
 */
struct pp_ring_store;

struct pp_ring_store_options {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t keep;                /* ns before the newest time; more than 0 */
	uint64_t packed;              /* bytes of packed segments, at most; more than 0 */
	int level;                    /* of zstd; 0: 1 */
	struct pp_budget *budget;     /* of the state; outlives the ring */
};

/* What there is now. */
struct pp_ring_store_kept {
	uint64_t first, last;         /* times; first > last: no record had one */
	uint64_t samples;
	uint64_t plain, packed;       /* bytes */
	uint64_t segments;
	uint64_t left_out;            /* so far: pieces of AUX trace, and others with data after them */
	uint64_t forgotten;           /* segments that went, so far */
	uint64_t lacking;             /* newest time of what went because of `packed`; 0: nothing did */
};

/* NULL and *error. */
PP_API PP_MUST_CHECK struct pp_ring_store *pp_ring_store_open(const struct pp_ring_store_options *,
							       struct pp_error *);
PP_API void pp_ring_store_close(struct pp_ring_store *);           /* NULL is fine */
/* Takes the next record, in time order.  0, or -1 and *error: memory, or the limit of the budget. */
PP_API PP_MUST_CHECK int pp_ring_store_put(struct pp_ring_store *, const struct pp_record *,
					       struct pp_error *);
/* Takes the next piece of that record's tail.  0, or -1 and *error (a file). */
PP_API PP_MUST_CHECK int pp_ring_store_tail(struct pp_ring_store *, const void *piece, size_t size,
						struct pp_error *);
PP_API void pp_ring_store_kept(const struct pp_ring_store *, struct pp_ring_store_kept *);
/*
 * Begins to let out what there is now, to a writer that has its header, and maybe notes: the head is written
 * at once.  The ring goes on taking records.  One at a time.  0, or -1 and *error, unless the writer failed.
 */
PP_API PP_MUST_CHECK int pp_ring_store_let_out(struct pp_ring_store *, struct pp_writer *, struct pp_error *);
/* Writes some more, about 256 KiB: 1, 0 when all is written (the END is the caller's), or -1 and *error,
 * unless the writer failed. */
PP_API PP_MUST_CHECK int pp_ring_store_write_some(struct pp_ring_store *, struct pp_error *);
/* Whether no more fits until some of what is being let out is written. */
PP_API bool pp_ring_store_waits(const struct pp_ring_store *);

#ifdef __cplusplus
}
#endif

#endif
