/* plan.h - the places and rows of an event's records, for attrs.c. */
#ifndef PLAN_H
#define PLAN_H

#include <perfpipe/perfpipe.h>

/* Fills a->plan, which a name may change: perf's own off-CPU samples have what they say in their raw data. */
void pp_plan_make(struct pp_attr *a);

/* Rows that events of one sample_type, read_format and branch_type share, without the conditions that
 * these settle.  All zero is empty. */
struct pp_shapes {
	struct pp_shape {
		uint64_t sample_type, read_format, branch_type;
		struct pp_field *rows;
		const struct pp_field *sample_fields, *trailer_fields;
	} *items;
	size_t count, room;
};
/* Gives an event its rows: shared with those like it, or past a limit the table's own.  0, or -1: out
 * of memory. */
int pp_shape_take(struct pp_shapes *, struct pp_attr *);
void pp_shapes_close(struct pp_shapes *);

#endif
