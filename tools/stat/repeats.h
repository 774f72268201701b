/* repeats.h - the same counts over several runs of a command: their means, and how they spread. */
#ifndef STAT_REPEATS_H
#define STAT_REPEATS_H

#include <perfpipe/perfpipe.h>

/* All zero at first. */
struct repeats {
	size_t runs;                  /* added so far */
	size_t count;                 /* rows of a table */
	struct pp_spread *values;        /* of each row, before its event's scale */
	struct pp_spread *enabled, *running;
	struct pp_count_row *rows;    /* for repeats_mean() */
	struct pp_spread elapsed, user, sys;     /* ns */
};

/* Adds the table of one run.  A run that has other rows than those before begins anew.  0, or -1 and
 * *error. */
int repeats_add(struct repeats *, const struct pp_count_table *, const struct pp_count_run *,
		struct pp_error *);
/* Puts the means in the place of the table's rows, until the next call of any of these. */
void repeats_mean(struct repeats *, struct pp_count_table *);
void repeats_free(struct repeats *);

#endif
