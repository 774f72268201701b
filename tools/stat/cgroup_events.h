/* cgroup_events.h - the control groups that the events of a table were counted in. */
#ifndef STAT_CGROUP_EVENTS_H
#define STAT_CGROUP_EVENTS_H

#include <perfpipe/perfpipe.h>

/* A control group, and its events: order[from] to order[from + n - 1], which are indexes of the table's. */
struct cgroup {
	const char *name;             /* "": none, which is a group like any other here */
	size_t from, n;
	size_t like;                  /* the first group that has the same events */
};

/* All zero at first. */
struct cgroups {
	struct cgroup *items;         /* in the order in which the events name them */
	size_t n, room;
	size_t *order, order_room;
	bool alike;                   /* all groups have the same events */
};

/* Sorts the events of a table by their groups. */
void cgroups_find(struct cgroups *, const struct pp_count_table *);
void cgroups_free(struct cgroups *);

/* The first row of a group that is shown in this place; NULL: none is. */
const struct pp_count_row *cgroup_row(const struct cgroups *, size_t group, const struct pp_count_table *,
				      size_t place);

#endif
