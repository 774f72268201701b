/* lean_sample.h - samples without some of their parts, and attributes that say so. */
#ifndef LEAN_SAMPLE_H
#define LEAN_SAMPLE_H

#include <perfpipe/thin.h>

/* What is left out of all samples. */
struct lean_rule {
	uint32_t drop;                /* bits of pp_thin_part */
	uint32_t max_stack;           /* 0: all */
	bool period;                  /* samples have a period */
};
/* Whether a sample changes. */
bool pp_lean_changes(const struct lean_rule *, const struct pp_record *);
/* Makes a sample anew in `to`, which has room for PP_RECORD_MAX + 1 bytes, and adds up what that saves.  Its
 * size; 0 and error->code 0: it has no room for a period; 0 and *error: it is damaged. */
uint16_t pp_lean_make(const struct lean_rule *, const struct pp_record *, uint64_t period, uint8_t *to,
		      struct pp_thin_stats *, struct pp_error *);
/* Rewrites the attributes of a record. */
void pp_lean_attrs(const struct lean_rule *, struct pp_record *);

#endif
