/* fleet_spans.h - samples of a fleet that are of one span of time, added up. */
#ifndef FLEET_SPANS_H
#define FLEET_SPANS_H

#include "base/hash.h"
#include "fleet/fleet_rows.h"

/* Samples that differ in their weights alone. */
struct fleet_sum {
	struct fleet_row of;          /* ->weight: of all */
	uint64_t count;
	size_t number;                /* among those that were met since there were none */
};

/* All zero is empty. */
struct fleet_spans {
	struct fleet_sum *sums;
	size_t n, room;
	struct pp_numbers index;      /* 1 + which of them */
};

/* Adds a sample, whose time is that of its span.  0, or -1 and *error: memory. */
int pp_fleet_spans_add(struct fleet_spans *, const struct fleet_row *, struct pp_error *);
/* So many wait that they are to be written. */
bool pp_fleet_spans_full(const struct fleet_spans *);
/* Puts them into the order of their times, before they are taken; and then there are none. */
void pp_fleet_spans_sort(struct fleet_spans *);
void pp_fleet_spans_clear(struct fleet_spans *);
void pp_fleet_spans_close(struct fleet_spans *);

#endif
