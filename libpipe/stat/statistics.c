/*
 * statistics.c - mean and deviation of repeated measurements (Welford), and how two of such differ.
 */
#include <perfpipe/spread.h>

#include <math.h>
#include <stdlib.h>

void pp_spread_add(struct pp_spread *s, double value)
{
	const double away = value - s->mean;

	s->n++;
	s->mean += away / (double)s->n;
	s->squares += away * (value - s->mean);
}

double pp_spread_deviation(const struct pp_spread *s)
{
	return s->n < 2 ? 0 : sqrt(s->squares / (double)(s->n - 1));
}

double pp_spread_error(const struct pp_spread *s)
{
	return s->n < 2 ? 0 : pp_spread_deviation(s) / sqrt((double)s->n);
}

int pp_spread_digits(const struct pp_spread *s, double unit)
{
	enum { MORE = 2, MOST = 15 };
	const double error = pp_spread_error(s) / unit;

	if (error > 1 || !(error > 0))
		return error > 1 ? MORE : 9;
	return error < 1e-13 ? MOST : (int)lround(ceil(-log10(error))) + MORE;
}

double pp_spread_half(const struct pp_spread *s)
{
	if (s->n < 2)
		return INFINITY;
	return pp_student_95((double)(s->n - 1)) * pp_spread_deviation(s) / sqrt((double)s->n);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double at_share(const double *sorted, size_t n, double share)
{
	const double at = (double)(n - 1) * share;
	const size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

struct pp_quartiles pp_quartiles(double *values, size_t n)
{
	struct pp_quartiles q = { NAN, NAN, NAN, NAN, NAN };

	if (!n)
		return q;
	qsort(values, n, sizeof(*values), compare);
	q.first = at_share(values, n, 0.25);
	q.median = at_share(values, n, 0.5);
	q.third = at_share(values, n, 0.75);
	q.low = q.first - 1.5 * (q.third - q.first);
	q.high = q.third + 1.5 * (q.third - q.first);
	return q;
}

struct pp_difference pp_spread_welch(const struct pp_spread *before, const struct pp_spread *after)
{
	struct pp_difference d = { .value = after->mean - before->mean, .half = INFINITY };

	if (before->n < 2 || after->n < 2)
		return d;
	const double more_b = (double)(before->n - 1), more_a = (double)(after->n - 1);
	const double b = before->squares / more_b / (double)before->n;
	const double a = after->squares / more_a / (double)after->n;
	const double both = a + b;

	/* Satterthwaite's; of measurements that are all the same, as if they were alike */
	d.freedom = both > 0 ? both * both / (b * b / more_b + a * a / more_a) : more_b + more_a;
	d.half = pp_student_95(d.freedom) * sqrt(both);
	return d;
}

struct pp_difference pp_spread_paired(const struct pp_spread *pairs)
{
	return (struct pp_difference){
		pairs->mean, pp_spread_half(pairs), pairs->n > 1 ? (double)(pairs->n - 1) : 0,
	};
}
