/*
 * unit_costs.h - what each function, file or stack cost in each of several recordings.
 *
 * Profiles are added one after the other, each as a run; pp_gate_judge() (<perfpipe/gate.h>) takes what
 * comes of it.  Units of one name are one, so that a function is the same in a program that was built anew,
 * and has another path.  The costs of two functions in two runs:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/profile.h>
 *	#include <perfpipe/unit_costs.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		static const char *const stacks[] = { "bench;main;parse 30", "bench;main;work 12" };
 *		struct pp_unit_costs *costs = pp_unit_costs_new(PP_UNIT_FUNCTION, false);
 *		struct pp_profile *profile = pp_profile_new();
 *
 *		for (int run = 0; run < 2; run++)
 *			for (int i = 0; i <= run; i++)
 *				if (pp_profile_read_folded(profile, stacks[i], 19 - i, PP_PROFILE_FIRST,
 *							   false, NULL) < 0 ||
 *				    (i == run && pp_unit_costs_add(costs, profile, NULL, NULL)))
 *					return 4;
 *		for (size_t i = 0; i < pp_unit_costs_count(costs); i++)
 *			printf("%s %g %g\n", pp_unit_costs_name(costs, i), pp_unit_cost(costs, i, 0),
 *			       pp_unit_cost(costs, i, 1));
 *		pp_unit_costs_free(costs);
 *		pp_profile_free(profile);
 *		return 0;
 *	}
 *
 * prints "parse 30 60" and "work 0 12".
 */
#ifndef PERFPIPE_UNIT_COSTS_H
#define PERFPIPE_UNIT_COSTS_H

#ifndef PP_UNSTABLE
#error "<perfpipe/unit_costs.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_profile;
struct pp_fold;
struct pp_unit_costs;

enum pp_unit {
	PP_UNIT_FUNCTION,
	PP_UNIT_DSO,                  /* the file that a function is of; what has none: "[unknown]" */
	PP_UNIT_STACK,                /* a line of folded stacks, without its program */
	PP_UNIT_COMM,                 /* what stacks begin with */
};
/* `inclusive`: what a function calls is a part of its cost, once however often it is in a stack; of whole
 * stacks there is no such cost.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_unit_costs *pp_unit_costs_new(enum pp_unit, bool inclusive);
PP_API void pp_unit_costs_free(struct pp_unit_costs *);      /* NULL is fine */
/* Adds the first side of a profile as the next run.  `fold`: which made it, with `objects`, for PP_UNIT_DSO;
 * else NULL.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_unit_costs_add(struct pp_unit_costs *, struct pp_profile *,
					   const struct pp_fold *fold, struct pp_error *);
/* After the last run: units are one whose names become the same.  `name` is given each, and returns what it
 * is from then on, which has to live until its next call.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_unit_costs_rename(struct pp_unit_costs *,
					      const char *(*name)(void *arg, const char *), void *arg,
					      struct pp_error *);
/* How many units there are, and the name of each, which lives until another run is added. */
PP_API size_t pp_unit_costs_count(const struct pp_unit_costs *);
PP_API const char *pp_unit_costs_name(const struct pp_unit_costs *, size_t unit);
/* What a unit cost in a run, from 0 in the order in which they were added. */
PP_API double pp_unit_cost(const struct pp_unit_costs *, size_t unit, size_t run);
/* The part of that which was in frames of inlined functions, as far as frames have their kinds.  0 but for
 * PP_UNIT_FUNCTION. */
PP_API double pp_unit_cost_inlined(const struct pp_unit_costs *, size_t unit, size_t run);
/* What calls a unit in most of these runs, and has more than half of it there, for pp_gate_judge_moved(): the
 * number of a unit, PP_GATE_NOWHERE, _OUTERMOST or _ANYWHERE (<perfpipe/gate.h>).  PP_GATE_NOWHERE but for
 * PP_UNIT_FUNCTION. */
PP_API uint32_t pp_unit_costs_caller(const struct pp_unit_costs *, size_t unit, const size_t *runs,
				     size_t n);
/* What all stacks of a run cost. */
PP_API double pp_unit_costs_total(const struct pp_unit_costs *, size_t run);

#ifdef __cplusplus
}
#endif

#endif
