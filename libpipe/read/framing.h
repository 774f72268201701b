/* framing.h - the first step of reading: bytes become records, each as it is in the input. */
#ifndef PP_FRAMING_H
#define PP_FRAMING_H

#include "input/input.h"
#include "input/buffer_window.h"

/*
 * perf 6.16 to 7.1 wrote what did not fit in one COMPRESSED2 record as a chain of them and then
 * overwrote the first header's size, cut to 16 bits, and data_size by those of the chain.
 * `chain` is how many bytes of one are still to come.
 */
struct pp_carrier {
	uint64_t chain;
	size_t size;                  /* of the whole record, as it really is */
	size_t at, length;            /* its piece of the zstd stream */
	bool damaged;                 /* data_size cannot be */
};

enum { PP_CARRIER_HEAD = 16 };        /* bytes of a COMPRESSED2 up to its size */

/* Sizes up a COMPRESSED2 record of which PP_CARRIER_HEAD bytes are there. */
void pp_carrier_size2(struct pp_carrier *, const uint8_t *data, bool foreign);

struct pp_step_frame {
	struct pp_window window;
	uint64_t base;                /* stream offset of window.buf */
	uint64_t index;               /* of the next record */
	bool eof;
	bool long_sizes;              /* simpleperf's own records have half of their size in misc */
	uint64_t skip, skip_left;     /* a record that no stream can hold, and what is left of it */
	struct pp_record skipped;
	struct pp_carrier carrier;    /* where the last COMPRESSED2 has its bytes */
	struct pp_input source;
	const struct pp_piece *piece; /* the next record begins it, which does not follow the last; or NULL */
	const struct pp_ties *ties;
	struct pp_stream *stream;     /* notes bytes, left_out */
};

/* The stream offset of the next byte. */
static inline uint64_t pp_step_frame_place(const struct pp_step_frame *f)
{
	return f->base + (uint64_t)(f->window.at - f->window.buf);
}

int pp_step_frame_open(struct pp_step_frame *);         /* 0, or -1: out of memory */
void pp_step_frame_close(struct pp_step_frame *);
int pp_step_frame_read(struct pp_step_frame *, size_t need, struct pp_error *);
/* Makes sure of `need` bytes in the window: 1, 0 where the input ends before, -1 and *error.
 * Where bytes are to be read all ties are flushed first, and the window moves. */
static inline int pp_step_frame_fill(struct pp_step_frame *f, size_t need, struct pp_error *error)
{
	return pp_window_have(&f->window) >= need ? 1 : pp_step_frame_read(f, need, error);
}
/* Goes back to offset 0, where the source now gives other bytes. */
void pp_step_frame_restart(struct pp_step_frame *);
/* Whether there is another record: 1, 0, -1 and *error.  Its place goes to *rec, with type 0. */
int pp_step_frame_ahead(struct pp_step_frame *, struct pp_record *rec, struct pp_error *);
/* All steps are called like this: 1 and a record, which lies in place until the next call; 0 at the
 * end, with its place in *rec; -1 and *error. */
int pp_step_frame_next(struct pp_step_frame *, struct pp_record *rec, struct pp_error *);
/* Up to `most` bytes that follow the last record and are none: as pp_reader_tail(). */
int pp_step_frame_bytes(struct pp_step_frame *, uint64_t most, const void **piece, size_t *size,
			struct pp_error *);

/* Whether the steps of reading let all records of a type pass as they are: kernel records, and counts, of
 * which a stream of counts has as many.  In a dialect their number may mean another record. */
static inline bool pp_needs_no_step(const struct pp_stream *s, uint32_t type)
{
	return type < PP_USER_TYPES || (type == PP_REC_STAT && !s->dialect);
}

#endif
