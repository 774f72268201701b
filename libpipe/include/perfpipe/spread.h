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
 * 5 % in all; `freedom` is 1 or more, and need not be whole. */
PP_API double pp_student_95(double freedom);
/* With which probability it exceeds t, to that side alone; `freedom` may be INFINITY. */
PP_API double pp_student_tail(double t, double freedom);
/* Which value it exceeds, to that side alone, with the probability `tail`; INFINITY of 0. */
PP_API double pp_student_beyond(double tail, double freedom);

/* Where measurements lie when they are put in order. */
struct pp_quartiles {
	double first, median, third;          /* between two of them in proportion: R's type 7 */
	double low, high;                     /* what is outside is an outlier: 1.5 of third - first away */
};
/* Puts the values in order; NAN for all of none. */
PP_API struct pp_quartiles pp_quartiles(double *values, size_t n);

/* How far the mean of `after` is from that of `before`, and how sure that is. */
struct pp_difference {
	double value;
	double half;                  /* of the interval that has the true one with 95 %; may be INFINITY */
	double freedom;               /* degrees, of Student's distribution */
};
/* By Welch's method: the two may have other numbers of measurements, and spread in other ways. */
PP_API struct pp_difference pp_spread_welch(const struct pp_spread *before, const struct pp_spread *after);
/* The same where measurements belong together two and two: `pairs` are after minus before. */
PP_API struct pp_difference pp_spread_paired(const struct pp_spread *pairs);

/* The standard error of the mean, which perf shows after "+-"; 0 of a single value. */
PP_API double pp_spread_error(const struct pp_spread *);
/* How many digits after the point the mean deserves in units of `unit`: as many as its error leaves
 * any meaning, and two more. */
PP_API int pp_spread_digits(const struct pp_spread *, double unit);

#ifdef __cplusplus
}
#endif

#endif
