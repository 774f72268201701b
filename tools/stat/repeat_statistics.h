/* repeat_statistics.h - the same counts over several runs of a command: their means, and how they spread. */
#ifndef PP_REPEAT_STATISTICS_H
#define PP_REPEAT_STATISTICS_H

#include <perfpipe/perfpipe.h>

/* All zero at first. */
struct repeats {
	size_t runs;                  /* added so far */
	size_t count;                 /* rows of a table */
	struct pp_spread *values;        /* of each row, before its event's scale */
	struct pp_spread *enabled, *running;
	uint64_t *raw;                /* sums */
	double *all;                  /* [run * (count + 1) + row], then the elapsed time; NULL: too many */
	double *sorted;               /* for repeats_values() */
	size_t room;                  /* runs that `all` has room for */
	struct pp_count_row *rows;    /* for repeats_mean() */
	struct pp_spread elapsed, user, sys;     /* ns */
};

/* Adds the table of one run.  A run that has other rows than those before begins anew.  0, or -1 and
 * *error. */
int repeats_add(struct repeats *, const struct pp_count_table *, const struct pp_count_run *,
		struct pp_error *);
/* The values of a row in each run, and where they lie; `row` == count: the elapsed times.  Valid until the
 * next call.  NULL: there are too few, or they were too many to be kept. */
const double *repeats_values(struct repeats *, size_t row, struct pp_quartiles *);
/* The numbers of the runs whose values lie outside, from 1: "3 17"; as many as have room.  Returns how
 * many there are. */
size_t repeats_outliers(const struct repeats *, const double *values, const struct pp_quartiles *,
			char *text, size_t size);
/* Puts the means in the place of the table's rows, until the next call of any of these. */
void repeats_mean(struct repeats *, struct pp_count_table *);
void repeats_free(struct repeats *);

#endif
