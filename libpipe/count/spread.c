/* spread.c - mean and deviation of repeated measurements (Welford), and Student's distribution. */
#include <perfpipe/spread.h>

#include <math.h>

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

/* The density at t. */
static double density(double t, double freedom)
{
	const double scale = lgamma((freedom + 1) / 2) - lgamma(freedom / 2);

	return exp(scale - (freedom + 1) / 2 * log1p(t * t / freedom)) / sqrt(freedom * M_PI);
}

/* How much lies between 0 and t: Simpson's rule, over the angle, where the density is smooth. */
static double between(double t, double freedom)
{
	enum { STEPS = 400 };
	const double most = atan(t / sqrt(freedom)), step = most / STEPS;
	double sum = 0;

	for (int i = 0; i <= STEPS; i++) {
		const double angle = i * step, tangent = tan(angle);
		const double weight = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;

		sum += weight * density(tangent * sqrt(freedom), freedom) * (1 + tangent * tangent);
	}
	return sum * step / 3 * sqrt(freedom);
}

double pp_student_95(double freedom)
{
	enum { MOST = 13 };           /* with one degree it is 12.7 */
	double low = 0, high = MOST;

	if (!(freedom >= 1))
		return INFINITY;
	if (freedom > 1e7)
		freedom = 1e7;
	for (int i = 0; i < 80; i++) {
		const double middle = (low + high) / 2;

		if (between(middle, freedom) < 0.475)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
