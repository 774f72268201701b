/* compare.h - the same counts of two streams, or of two commands in one: how they differ, how surely. */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include "stat/table_form.h"

/* One event in one place, or a time: what was measured of it on either side, in its unit. */
struct compared {
	char *place, *event, *cgroup, *unit;  /* owned; place and cgroup "" where there is none */
	unsigned copy;                /* of an event that was asked for twice, from 0 */
	bool is_time;
	struct pp_spread runs[2];     /* each run's */
	struct pp_spread rates[2];    /* a second's, of each interval */
	double total[2];              /* of all of it; NAN: it was not counted */
	struct pp_spread pairs;       /* of a run of one side and its neighbour of the other */
	double waiting[2];            /* for their neighbours; NAN: none is */
};

enum basis { BASIS_TOTALS, BASIS_INTERVALS, BASIS_RUNS, BASIS_PAIRS };
enum verdict { VERDICT_UNKNOWN, VERDICT_WORSE, VERDICT_BETTER };
/* What comes of it.  Of all that is counted, less is better. */
struct difference {
	enum basis basis;
	double before, after;         /* means; NAN: not counted there */
	struct pp_difference is;
	enum verdict verdict;
};

/* All zero at first. */
struct comparison {
	struct compared *items;
	size_t n, room;
	size_t *of_row;               /* of the rows of the stream that is read, with `times` at the end */
	size_t rows;
	bool pairs;                   /* runs of both sides take turns */
	char *titles[2];              /* owned */
};

/* Another stream comes, whose rows are to be found anew. */
void compare_stream(struct comparison *, unsigned side, const char *title);
/* Takes the view's table, of one run, of one interval, or of all. */
void compare_run(struct comparison *, unsigned side, const struct view *, const struct pp_count_run *);
void compare_interval(struct comparison *, unsigned side, const struct view *);
void compare_total(struct comparison *, unsigned side, const struct view *);
struct difference compare_result(const struct comparison *, const struct compared *);
/* Whether anything is surely more than so many per cent worse. */
bool compare_is_worse(const struct comparison *, double percent);
void compare_free(struct comparison *);

/* "pairs", "worse": as all forms name them. */
const char *compare_basis_name(enum basis);
const char *compare_verdict_name(enum verdict);

/* compare_text.c: as text.  stat_csv_json.c has it for programs. */
void difference_text(const struct view *, const struct comparison *);

#endif
