/* recordings.h - the recordings that pp-diff compares: what each is of, and which side it is on. */
#ifndef DIFF_RECORDINGS_H
#define DIFF_RECORDINGS_H

#include <perfpipe/flame.h>
#include <perfpipe/perfpipe.h>

#include "diff/counted_total.h"
#include "shared/advice.h"

struct diff_recording {
	const char *path;
	bool after;                   /* on the second side */
	uint64_t run;                 /* which pair it is of, from 0 */
	char *label;                  /* of the note side; NULL: there is none */
	double noted_run;             /* of the note run, */
	bool numbered;                /* where it has one */
	uint64_t start;               /* ns since 1970; 0: not known */
	uint64_t samples, rate;
	struct advice_facts facts;    /* by which it is judged by itself */
	double total, divisor;        /* what its samples weigh; what costs are divided by */
	double counted;               /* what counters say in the place of samples, */
	enum counted_by counted_by;   /* where it has any */
	char *event, *host, *system, *cpu, *governor; /* NULL: not known */
	bool times;                   /* its samples weigh ns */
	bool steady;                  /* they count what no other load of the machine changes */
	size_t place;                 /* among those that were named */
	size_t column, n_windows;     /* which runs of the costs are its own: the first of them, how many */
};

/* A number that a note has, and nothing else; false: there is none. */
bool recordings_noted(const struct pp_flame_facts *, const char *key, double *number);
/* Fills what sides are made by: ->start, ->label, which is the caller's to free, and the noted run. */
void recordings_note_side(struct diff_recording *, const struct pp_flame_facts *);
/* Sides by a `--` between operands, which make `n_before` the first ones; or, where that is 0, by their
 * notes: the side that was recorded first is the first.  Sorts them: the first side, then the second, each by
 * its runs.  *n_before: how many are on the first.  NULL; or what is wrong. */
const char *recordings_take_sides(struct diff_recording *, size_t n, size_t *n_before);
/* Whether each run of one side was recorded beside one of the other: A B, or B A, and so on. */
bool recordings_alternate(const struct diff_recording *, size_t n, size_t n_before);
/* Warns of what was wrong with each by itself, and of each reason why they are not to be compared.  How many
 * of the latter there are. */
size_t recordings_compare(const struct diff_recording *, size_t n);

#endif
