/* hierarchy.h - a report's entries as a tree, its rows in the order in which they are printed. */
#ifndef REPORT_HIERARCHY_H
#define REPORT_HIERARCHY_H

#include "report/table.h"

/* Of which event, which columns it has, and how many events share it. */
struct hierarchy_of {
	struct pp_report *report;
	size_t event, members;
	const size_t *weights, *keys; /* numbers of columns of the report */
	size_t n_weights, n_keys;
};
struct hierarchy_row {
	size_t entry;                 /* one that has its values */
	size_t depth;
	bool leaf;                    /* it is that entry */
	uint64_t weight;              /* in the first column of weights */
};
struct hierarchy {
	struct hierarchy_row *rows;
	size_t n;
	uint64_t *sums;               /* of each row, column of weights and event */
};
void hierarchy_make(struct hierarchy *, const struct hierarchy_of *);
void hierarchy_free(struct hierarchy *);

#endif
