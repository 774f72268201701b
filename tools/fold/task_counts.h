/* task_counts.h - what events had counted of a task when it ended: the values of READ records. */
#ifndef FOLD_TASK_COUNTS_H
#define FOLD_TASK_COUNTS_H

#include <perfpipe/perfpipe.h>

/* What an event counted; the ns for which it was enabled and ran, or 0: not said. */
struct task_value {
	const struct pp_attr *attr;
	uint64_t value, enabled, running;
};

/* Calls `fn` with each value of a READ record whose event is known. */
void task_counts_each(struct pp_attrs *, const struct pp_record *,
		      void (*fn)(void *arg, const struct task_value *), void *arg);

#endif
