/* moderated.c - variances of few measurements each, which are better known together than one by one. */
#include "gate/moderated.h"

#include "gate/polygamma.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 3 };

static void put_terms(double terms[TERMS], double size)
{
	terms[0] = 1;
	terms[1] = 1 / size;
	terms[2] = log(size);
}

/* Those of a size, so that each but the first has a mean of 0. */
static void put_centred(const struct pp_expected *e, double terms[TERMS], double size)
{
	put_terms(terms, size);
	for (unsigned i = 0; i < TERMS; i++)
		terms[i] -= e->middle[i];
}

static void find_middle(struct pp_expected *e, const double *sizes, size_t n)
{
	memset(e->middle, 0, sizeof(e->middle));
	for (size_t i = 0; i < n; i++) {
		double terms[TERMS];

		put_terms(terms, sizes[i]);
		for (unsigned t = 1; t < TERMS; t++)
			e->middle[t] += terms[t] / (double)n;
	}
}

/*
 * Least squares by the orthogonal parts of the columns (Gram and Schmidt): a column of which nothing is left,
 * because it depends on those before it, has no part in the line.  Returns how many have.
 */
static unsigned fit_line(struct pp_expected *e, const double *values, const double *sizes, double *columns,
			 size_t n)
{
	double own[TERMS], of[TERMS][TERMS] = { 0 };
	unsigned used = 0;

	for (size_t i = 0; i < n; i++) {
		double terms[TERMS];

		put_centred(e, terms, sizes[i]);
		for (unsigned t = 0; t < TERMS; t++)
			columns[t * n + i] = terms[t];
	}
	for (unsigned t = 0; t < TERMS; t++) {
		double *const column = columns + t * n;
		double before = 0, after = 0, with = 0;

		for (size_t i = 0; i < n; i++)
			before += column[i] * column[i];
		for (unsigned k = 0; k < t; k++) {
			for (size_t i = 0; i < n && own[k] > 0; i++)
				of[t][k] += column[i] * columns[k * n + i] / own[k];
			for (size_t i = 0; i < n; i++)
				column[i] -= of[t][k] * columns[k * n + i];
		}
		for (size_t i = 0; i < n; i++) {
			after += column[i] * column[i];
			with += column[i] * values[i];
		}
		own[t] = after > 1e-12 * before ? after : 0;
		e->line[t] = own[t] > 0 ? with / own[t] : 0;
		used += own[t] > 0;
	}
	for (unsigned t = TERMS - 1; t-- > 0;)
		for (unsigned later = t + 1; later < TERMS; later++)
			e->line[t] -= of[later][t] * e->line[later];
	return used;
}

static double on_line(const struct pp_expected *e, double size)
{
	double terms[TERMS], sum = 0;

	put_centred(e, terms, size);
	for (unsigned t = 0; t < TERMS; t++)
		sum += e->line[t] * terms[t];
	return sum;
}

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* A variance of 0 is one that was not seen, and counts as a small part of what others have. */
static double least_variance(const double *variances, size_t n, double *sorted)
{
	double least;

	memcpy(sorted, variances, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_numbers);
	least = 1e-5 * sorted[n / 2];
	return least > 1e-12 ? least : 1e-12;
}

int pp_expect_variances(struct pp_expected *e, const double *variances, const double *sizes, size_t n,
			double freedom, struct pp_error *error)
{
	const double expected = pp_digamma(freedom / 2) - log(freedom / 2);
	double *room, *values, least, left = 0, more;
	unsigned used;

	*e = (struct pp_expected){ .freedom = 0 };
	/* fewer have no line, and no spread around it */
	if (n < TERMS + 2 || !(freedom > 0))
		return 0;
	room = calloc(n, (TERMS + 1) * sizeof(*room));
	if (!room)
		return pp_fail(error, PP_E_NOMEM, NULL);
	values = room + TERMS * n;
	least = least_variance(variances, n, room);
	for (size_t i = 0; i < n; i++)
		values[i] = log(fmax(variances[i], least)) - expected;
	find_middle(e, sizes, n);
	used = fit_line(e, values, sizes, room, n);
	for (size_t i = 0; i < n; i++)
		left += pow(values[i] - on_line(e, sizes[i]), 2);
	free(room);
	more = left / (double)(n - used) - pp_trigamma(freedom / 2);
	if (more > 0) {
		e->freedom = 2 * pp_trigamma_inverse(more);
		e->line[0] += pp_digamma(e->freedom / 2) - log(e->freedom / 2);
	} else {
		e->freedom = INFINITY;
	}
	return 0;
}

double pp_moderate_variance(const struct pp_expected *e, double variance, double size, double freedom,
			    double *all)
{
	const double expected = e->freedom > 0 ? exp(on_line(e, size)) : 0;

	*all = e->freedom + freedom;
	if (isinf(e->freedom))
		return expected;
	return *all > 0 ? (e->freedom * expected + freedom * variance) / *all : 0;
}
