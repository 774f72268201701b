/* group_deltas.h - samples that carry the values of a group of counters: perf takes one for a sample of
 * each event of which something was counted since the one before. */
#ifndef PP_GROUP_DELTAS_H
#define PP_GROUP_DELTAS_H

#include <perfpipe/attrs.h>
#include <perfpipe/record.h>

#include "base/hash.h"
#include "format/read_values.h"

/* The last values.  All zero is empty. */
struct pp_group_deltas {
	struct pp_idmap numbers;      /* of ids */
	struct pp_idmap values;       /* by number and thread */
	uint64_t count;
	bool together;                /* values are of all threads, as in perf 6.1 */
};

struct pp_group_deltas_walk {
	struct pp_group_deltas *since;
	const struct pp_record *rec;  /* borrowed */
	struct pp_read_values_walk values;
	const struct pp_attr *attr;   /* what was found: the event, */
	uint64_t period;              /* and what was counted of it, which is not zero */
};

/* Whether an event's samples are such. */
bool pp_group_deltas_is_for(const struct pp_attr *);
void pp_group_deltas_open(struct pp_group_deltas_walk *, struct pp_group_deltas *, const struct pp_record *);
/* Finds the next event: 1; 0: there are no more; -1 and *error: memory. */
int pp_group_deltas_next(struct pp_group_deltas_walk *, struct pp_error *);
void pp_group_deltas_close(struct pp_group_deltas *);

#endif
