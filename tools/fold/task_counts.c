/* task_counts.c - what events had counted of a task when it ended: the values of READ records. */
#include "fold/task_counts.h"

/* The times of a group come before its values, each of which may have the id of its event after it; without
 * that the first is of the record's own. */
void task_counts_each(struct pp_attrs *attrs, const struct pp_record *rec,
		      void (*fn)(void *arg, const struct task_value *), void *arg)
{
	struct task_value read = { .attr = NULL };
	bool first = true, open = false;
	struct pp_cursor c;

	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token == PP_CLOSE && open) {
			if (read.attr)
				fn(arg, &read);
			open = false;
		}
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_COUNT) {
			read.value = c.value;
			read.attr = first ? rec->attr : NULL;
			open = true;
			first = false;
		} else if (c.field->is == PP_IS_ENABLED) {
			read.enabled = c.value;
		} else if (c.field->is == PP_IS_RUNNING) {
			read.running = c.value;
		} else if (c.field->is == PP_IS_EVENT_ID && open) {
			read.attr = pp_attrs_by_id(attrs, c.value);
		}
	}
}
