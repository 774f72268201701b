/*
 * gate.h - what became slower between two sides of recordings, and how sure that is.
 *
 * A side is several runs of one program.  What they cost differs from run to run though nothing changed, so
 * a change counts only beside how far runs of one side are apart.  Five runs of each side, of which the
 * second spends a tenth more in one of two functions:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/gate.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		static const double costs[] = {
 *			500, 501, 499, 502, 500,   551, 549, 550, 552, 548,
 *			300, 303, 298, 301, 299,   300, 299, 302, 301, 300,
 *		};
 *		struct pp_gate_options how = { sizeof(how), .before = 5, .after = 5, .unit = 1 };
 *		struct pp_gate_unit units[2], total;
 *
 *		if (pp_gate_judge(&how, costs, 2, units, &total, NULL))
 *			return 4;
 *		for (int i = 0; i < 2; i++)
 *			printf("%s %+.1f %%\n", pp_gate_verdict_name(units[i].verdict), 100 * units[i].change);
 *		return 0;
 *	}
 *
 * prints "worse +10.0 %" and "same +0.1 %".
 */
#ifndef PERFPIPE_GATE_H
#define PERFPIPE_GATE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/gate.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_gate_options {
	size_t size;                  /* of this struct: what a caller sets first */
	size_t before, after;         /* runs of each side: two of one at least */
	/* Run i of one side was made beside run i of the other, so that both met the same machine; then there
	 * are as many of both. */
	bool paired;
	bool parts;                   /* they are parts of one run each, which may have nothing of a unit */
	bool shares;                  /* compare each unit with what all cost: runs of unlike length */
	double unit;                  /* what one sample costs */
	double margin;                /* changes up to this are passed over: 0.01 is 1 %; 0: that */
	double limit;                 /* a change that matters; 0: 0.03 */
	double floor;                 /* the share of either side that a unit has to have; 0: 0.005 */
	double alarms;                /* of what is found, the part that may be wrong; 0: 0.05 */
	const double *totals;         /* what each run cost as a whole; NULL: what its units did */
};

enum pp_gate_verdict {
	PP_GATE_UNKNOWN,           /* the runs are too few, or too far apart */
	PP_GATE_SAME,              /* it changed by less than the limit */
	PP_GATE_BETTER, PP_GATE_WORSE,  /* it changed by more than the margin */
	PP_GATE_LIGHT,             /* below the floor, and not judged */
};
struct pp_gate_unit {
	enum pp_gate_verdict verdict;
	double before, after;         /* means of each side */
	double change;                /* of the second side in terms of the first: 0.1 is 10 % more */
	double low, high;             /* the interval that has the true change: of what is found, with the
				       * other units in mind; else with 95 % */
	double chance;                /* that such a change, or a larger one, is seen where there is none */
	uint64_t runs;                /* unknown: so many of each side would tell a change of the limit */
};

/*
 * Judges n units, whose costs in each run follow one another in `costs`: those of the first side, then those
 * of the second, 0 where there was nothing.  Costs are compared by their logarithms; the variance of each
 * unit is moderated by that of all (Smyth 2004), a change is judged against the margin (McCarthy and Smyth
 * 2009), and of those found no more than the part `alarms` is expected to be wrong (Benjamini and Hochberg
 * 1995).
 * The total of each run is judged by itself, into *total, unless that is NULL.  0, or -1 and *error: PP_E_USE
 * where so few runs have no spread, or memory.
 */
PP_API PP_MUST_CHECK int pp_gate_judge(const struct pp_gate_options *, const double *costs, size_t n,
				     struct pp_gate_unit *units, struct pp_gate_unit *total,
				     struct pp_error *);

/* What calls a unit on one side, where that is no unit: it is in no stack of that side; stacks begin with it;
 * it has many callers, of which none has most of it. */
#define PP_GATE_NOWHERE UINT32_MAX
#define PP_GATE_OUTERMOST (UINT32_MAX - 1)
#define PP_GATE_ANYWHERE (UINT32_MAX - 2)
struct pp_gate_callers { uint32_t of[2]; };   /* which unit, or one of these: before, after */
/*
 * Judges as pp_gate_judge() does, but units whose code only moved together, as one that costs what all of
 * them do.  Code moved where losses and gains of units below one caller, or of a unit and of what calls it,
 * are the same to a quarter; the test of their sum decides: it has to be PP_GATE_SAME.  What is in no stack
 * of one side has another name now, or became a part of its caller, or was one: its sum is judged, whatever
 * it became.
 * together[i]: the unit that unit i was judged with, which is i for most; units[] has the verdict of the sum
 * in the place of that one, and of the others what they were alone.  `callers`: of each unit.  0, or -1 and
 * *error, as pp_gate_judge().
 */
PP_API PP_MUST_CHECK int pp_gate_judge_moved(const struct pp_gate_options *, const double *costs, size_t n,
					     const struct pp_gate_callers *callers,
					     struct pp_gate_unit *units, uint32_t *together,
					     struct pp_gate_unit *total, struct pp_error *);
/* "worse", "better", "same", "not known" or "light". */
PP_API const char *pp_gate_verdict_name(enum pp_gate_verdict);

#ifdef __cplusplus
}
#endif

#endif
