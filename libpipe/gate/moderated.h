/* moderated.h - variances of few measurements each, which are better known together than one by one. */
#ifndef GATE_MODERATED_H
#define GATE_MODERATED_H

#include <perfpipe/error.h>

#include <stddef.h>

/* What is expected of a variance before it was measured, as if it had been measured with `freedom` degrees,
 * which may be 0 (nothing is expected) or INFINITY (all are as expected). */
struct pp_expected {
	double freedom;
	double line[3];               /* ln of a variance, by 1, 1 / size and ln size, both less `middle` */
	double middle[3];
};

/*
 * What n variances, each measured with `freedom` degrees, let expect of one, by how large what was measured
 * is: Smyth (2004), with the trend of limma's fitFDist(): larger functions vary less.  0, or -1 and *error:
 * memory.
 */
int pp_expect_variances(struct pp_expected *, const double *variances, const double *sizes, size_t n,
			double freedom, struct pp_error *);
/* A variance that was measured with `freedom` degrees, together with what is expected; *all: its degrees. */
double pp_moderate_variance(const struct pp_expected *, double variance, double size, double freedom,
			    double *all);

#endif
