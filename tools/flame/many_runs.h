/* many_runs.h - several recordings of each side that are drawn as one difference, and what they let judge. */
#ifndef FLAME_MANY_RUNS_H
#define FLAME_MANY_RUNS_H

#include <perfpipe/flame.h>

#include "shared/run.h"

/*
 * Of the operands of --diff, the first of which is its value: the first `n_before` are one side, and those
 * after a -- the other; 0: there is no --, and sides are by notes.  Exits where they are no
 * recordings, or of one side alone.
 */
void many_runs_take(const char *const *files, size_t n, size_t n_before);
size_t many_runs_count(void);
/* In the order in which they are read. */
const char *many_runs_path(size_t i);

/* Begins a recording, and ends it: what its nodes weigh is kept, and on no side of the profile by then.
 * 0, or -1 and run->error. */
int many_runs_begin(struct run *);
int many_runs_end(struct run *);
/* Nodes of the profile have other numbers. */
void many_runs_renumber(const uint32_t *places);
/* After the last: all weigh on their sides.  Exits where notes name no two sides.  0, or -1 and *error:
 * memory. */
int many_runs_settle(struct pp_error *);
/* Fills what a picture says of them: ->runs, ->durations, and ->judged where there are two of each side at
 * least; all live until many_runs_free().  0, or -1 and *error: memory. */
int many_runs_judge(struct pp_profile *, struct pp_flame_options *, struct pp_error *);
void many_runs_free(void);

/* What each run weighed, for judge_runs.c. */
struct many_run {
	struct many_weight {
		uint32_t node;
		uint64_t weight;
	} *weights;
	size_t n, room;
	uint64_t duration, samples;   /* ns from the first sample to the last */
};
struct many_runs {
	const struct many_run **items;        /* the first side, then the second */
	size_t n, n_before;
	bool paired;
};
/* Judges nodes, and functions; where `roots`, stacks begin with programs, which are no functions.  What came
 * of it, to be given to judge_runs_free(); NULL and *error: memory. */
struct pp_flame_judged *judge_runs(struct pp_profile *, const struct many_runs *, enum pp_flame_by,
				   bool roots, struct pp_error *);
void judge_runs_free(struct pp_flame_judged *);        /* NULL is fine */

#endif
