/* scrub_times.c - times are moved by one distance, which the key gives, the wall clock by another. */
#include "scrub/scrub_state.h"

#include "format/format.h"

#include <string.h>

/* Distances are up to 2 and 18 years: few machines are up for longer than the one, and the other leaves years
 * of 4 digits. */
enum { CLOCK_BITS = 56, WALL_BITS = 59 };

static bool is_named(const struct pp_field *field, const char *name)
{
	return !strcmp(field->name, name);
}

void pp_scrub_find_times(struct pp_scrub *s)
{
	s->moved = (pp_pseudonym_constant(&s->names, 0) & (((uint64_t)1 << CLOCK_BITS) - 1)) | 1;
	s->wall_moved = (pp_pseudonym_constant(&s->names, 1) & (((uint64_t)1 << WALL_BITS) - 1)) | 1;
}

/*
 * Of STAT_ROUND the time is that since the recorder began.  Times of one clock and of another are moved by
 * different distances: their difference is when the machine was started.
 */
uint64_t pp_scrub_moved(const struct pp_scrub *s, const struct pp_record *rec, const struct pp_field *field,
			uint64_t value)
{
	if (!value || value >> 63)
		return value;
	if (is_named(field, "wall_clock_ns"))
		return value + s->wall_moved;
	if ((field->show == PP_TIME && rec->type != PP_REC_STAT_ROUND) ||
	    is_named(field, "clockid_time_ns") || is_named(field, "timestamp"))
		return value + s->moved;
	return value;
}
