/* recorded.h - the time of day at which a stream was recorded, as far as it was read. */
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
 * In ns since 1970; 0: not known.  If the stream does not relate its clock to the time of day, this is when
 * its input file was changed last.  A copy of a recording is newer than that: the time may be too late,
 * and is never too early.
 */
uint64_t pp_recorded_by(const struct pp_recorded *);

#endif
