/* verify_seals.h - a step of reading: the records, once their seals were compared with them. */
#ifndef PP_VERIFY_SEALS_H
#define PP_VERIFY_SEALS_H

#include "format/seal.h"
#include "read/framing.h"

struct pp_step_verify {
	struct pp_step_frame *frames;
	bool verify;                  /* else nothing is looked at */
	bool after_end;               /* the last seal was met: nothing may follow */
	bool held;                    /* the next record is `seal`: what is wrong with it was said */
	bool each;                    /* all records are read by the steps: none is summed up ahead */
	bool asked;                   /* samples are wanted many at a time: they are summed up then */
	bool right;                   /* so was the last seal */
	struct pp_record seal;
	struct pp_sum sum;
	uint64_t summed;              /* how far that goes in the input */
	struct pp_stream *stream;     /* notes sealed, ended, flags, rewritten */
};

int pp_step_verify_open(struct pp_step_verify *);     /* 0, or -1: out of memory */
void pp_step_verify_close(struct pp_step_verify *);
int pp_step_verify_next(struct pp_step_verify *, struct pp_record *rec, struct pp_error *);
/* The same of samples that lie next in the window, many at a time: whether they may be taken from it, ... */
static inline bool pp_step_verify_ask(struct pp_step_verify *v)
{
	v->asked = true;
	return v->verify && v->stream->sealed && !v->after_end && !v->frames->carrier.chain;
}
/* ... and that so many bytes of them are. */
void pp_step_verify_take(struct pp_step_verify *, size_t);
int pp_step_verify_bytes(struct pp_step_verify *, uint64_t most, const void **piece, size_t *size,
			 struct pp_error *);

#endif
