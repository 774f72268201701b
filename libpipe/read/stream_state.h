/* stream_state.h - the last step of reading: what records say of their stream is known when they are handed
 * out. */
#ifndef PP_STREAM_STATE_H
#define PP_STREAM_STATE_H

#include "read/byte_swap.h"

struct pp_step_track {
	struct pp_step_swap *from;
	struct pp_step_dialect *tails;  /* the step that has the bytes of tails */
	bool indexed;                 /* the records of an index are handed out, too */
	bool raw;                     /* damage in a record is found by walking it */
	struct pp_record last;        /* whose tail follows: its place and type */
	uint64_t tail, tail_left;     /* bytes of that tail, and those not yet handed out */
	struct pp_stream *stream;     /* notes records, orphans, rounds, first_time, last_time, attrs */
};

static inline void pp_note_time(struct pp_stream *s, const struct pp_record *rec)
{
	uint64_t ns;

	if (!pp_time(rec, &ns))
		return;
	if (ns > s->last_time)
		s->last_time = ns;
	if (ns < s->first_time || !s->first_time)
		s->first_time = ns;
}

/* Notes a kernel record in host order, as it is found in a window. */
static inline void pp_note_kernel(struct pp_stream *s, struct pp_record *rec)
{
	rec->attr = pp_attrs_find(s->attrs, rec->data, rec->type, rec->size);
	if (rec->attr)
		pp_note_time(s, rec);
	else if (rec->type == PP_REC_SAMPLE && pp_attrs_count(s->attrs))
		s->orphans++;
	s->records++;
}

int pp_step_track_next(struct pp_step_track *, struct pp_record *rec, struct pp_error *);
/* As pp_reader_tail(). */
int pp_step_track_tail(struct pp_step_track *, const void **piece, size_t *size, struct pp_error *);

#endif
