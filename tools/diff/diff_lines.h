/* diff_lines.h - what was judged as lines: units, and those whose code moved together as one. */
#ifndef DIFF_LINES_H
#define DIFF_LINES_H

#include <perfpipe/perfpipe.h>

#include "diff/diff_table.h"

/* What is known of units, and what became of it. */
struct diff_units {
	const char *kind;
	const struct pp_unit_costs *costs;
	const double *values;         /* of each unit in each run, those of the first side first */
	const size_t *columns;        /* which run of `costs` each of these is */
	size_t n, runs, runs_before;
	double sample;                /* what one costs, in `costs` */
	const struct pp_gate_callers *callers;
	const uint32_t *together;     /* see pp_gate_judge_moved() */
	const struct pp_gate_unit *found;
};

/* What calls each unit on each side, for pp_gate_judge_moved(). */
void diff_find_callers(const struct diff_units *, struct pp_gate_callers *);
/* A line of each unit that was judged by itself, and of those that were judged together, into lines[], which
 * has room for all units.  How many there are; they live as long as `units`' arrays and costs. */
size_t diff_make_lines(const struct diff_units *, struct diff_line *lines);
void diff_free_lines(struct diff_line *lines, size_t n);

#endif
