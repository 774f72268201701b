/*
 * spread.h - how far apart repeated measurements are: mean, deviation, confidence interval.
 *
 *	#include <perfpipe/spread.h>
 *	#include <stdio.h>
 *
 *	int main(void)
 *	{
 *		struct pp_spread s = { .n = 0 };
 *
 *		for (int i = 0; i < 5; i++)
 *			pp_spread_add(&s, 10 + i);
 *		printf("%g +- %g\n", s.mean, pp_spread_half(&s));
 *		return 0;
 *	}
 */
#ifndef PERFPIPE_SPREAD_H
#define PERFPIPE_SPREAD_H

#include <perfpipe/api.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Measurements; all 0 is empty. */
struct pp_spread {
	uint64_t n;
	double mean;
	double squares;               /* sum of the squares of what each is away from the mean */
};
PP_API void pp_spread_add(struct pp_spread *, double value);
/* The standard deviation of one measurement, as estimated from all; 0 of fewer than two. */
PP_API double pp_spread_deviation(const struct pp_spread *);
/* Half the width of the interval around the mean that has the true mean with a probability of 95 %, by
 * Student's distribution; infinite of fewer than two. */
PP_API double pp_spread_half(const struct pp_spread *);
/* Which value Student's distribution with `freedom` degrees exceeds, to either side, with a probability of
 * 5 % in all; `freedom` is 1 or more, and need not be whole.  Right to 5 digits. */
PP_API double pp_student_95(double freedom);

/* The standard error of the mean, which perf shows after "+-"; 0 of a single value. */
PP_API double pp_spread_error(const struct pp_spread *);
/* How many digits after the point the mean deserves in units of `unit`: as many as its error leaves
 * any meaning, and two more. */
PP_API int pp_spread_digits(const struct pp_spread *, double unit);

#ifdef __cplusplus
}
#endif

#endif
