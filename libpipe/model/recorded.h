/* recorded.h - when, by the clock of the wall, what a stream has said so far had been recorded. */
#ifndef PP_RECORDED_H
#define PP_RECORDED_H

#include <perfpipe/perfpipe.h>

/* All zero at first. */
struct pp_recorded {
	uint64_t now;                 /* the largest time so far, by the stream's clock; 0: none */
	uint64_t pair;                /* and that of the moment of which CLOCK_DATA gives both times */
	int64_t to_wall_clock;
	bool has_clock;
	uint64_t input_changed;       /* as pp_attrs_input_changed() */
};

/* Samples may be left out: others say before them what there was to hit. */
void pp_recorded_note(struct pp_recorded *, const struct pp_record *);
/*
 * In ns of the clock of the wall; 0: not known.  Where the stream does not relate its clock to that one, it
 * is when its input was changed last: copies are later, so that this may be too late, but not too early.
 */
uint64_t pp_recorded_by(const struct pp_recorded *);

#endif
