/* student.c - Student's distribution: how much of it is beyond a value, and the value for a part. */
#include <perfpipe/spread.h>

#include <math.h>

/*
 * The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method as Thompson and
 * Barnett (1986) have it: it takes few steps where x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	enum { MOST = 100000 };
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), sum;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	sum = d;
	for (int m = 1; m < MOST; m++) {
		for (int odd = 0; odd < 2; odd++) {
			const double at = a + 2 * m;
			const double step = odd ? -(a + m) * (a + b + m) * x / (at * (at + 1)) :
						  m * (b - m) * x / ((at - 1) * at);

			d = 1 + step * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + step / c;
			c = fabs(c) < tiny ? tiny : c;
			sum *= c * d;
		}
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return sum;
}

/* The share of a beta distribution that is below x; `rest` is 1 - x, which may be small. */
static double beta_below(double x, double rest, double a, double b)
{
	if (x <= 0 || rest <= 0)
		return x > 0;
	if (x > (a + 1) / (a + b + 2))
		return 1 - beta_below(rest, x, b, a);
	return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) *
	       beta_fraction(x, a, b) / a;
}

double pp_student_tail(double t, double freedom)
{
	/* beyond that it is the normal one, to more digits than lgamma() leaves */
	const double normal = 1e8;
	double both;

	if (!(freedom > 0))
		return t > 0 ? 0.5 : NAN;
	if (t < 0)
		return 1 - pp_student_tail(-t, freedom);
	if (freedom > normal)
		return erfc(t / M_SQRT2) / 2;
	both = beta_below(freedom / (freedom + t * t), t * t / (freedom + t * t), freedom / 2, 0.5);
	return both / 2;
}

double pp_student_beyond(double tail, double freedom)
{
	enum { STEPS = 200 };
	double low = 0, high = 1;

	if (!(tail > 0 && freedom > 0))
		return INFINITY;
	if (tail >= 0.5)
		return tail > 0.5 ? -pp_student_beyond(1 - tail, freedom) : 0;
	while (pp_student_tail(high, freedom) > tail && high < 1e300)
		high *= 2;
	for (int i = 0; i < STEPS && high - low > 1e-13 * high; i++) {
		const double middle = (low + high) / 2;

		if (pp_student_tail(middle, freedom) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double pp_student_95(double freedom)
{
	return freedom >= 1 ? pp_student_beyond(0.025, freedom) : INFINITY;
}
