/* polygamma.c - derivatives of the logarithm of the gamma function: recurrence, then asymptotic series. */
#include "gate/polygamma.h"

#include <math.h>

/* From there on the series (DLMF 5.11.2, 5.15.8) are right to 15 digits. */
enum { LARGE = 16 };

double pp_digamma(double x)
{
	double sum = 0, r;

	for (; x < LARGE; x++)
		sum -= 1 / x;
	r = 1 / (x * x);
	return sum + log(x) - 1 / (2 * x) -
	       r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r / 132))));
}

double pp_trigamma(double x)
{
	double sum = 0, r;

	for (; x < LARGE; x++)
		sum += 1 / (x * x);
	r = 1 / (x * x);
	return sum + 1 / x + r / 2 +
	       r / x * (1. / 6 - r * (1. / 30 - r * (1. / 42 - r * (1. / 30 - r * 5 / 66))));
}

static double tetragamma(double x)
{
	double sum = 0, r;

	for (; x < LARGE; x++)
		sum -= 2 / (x * x * x);
	r = 1 / (x * x);
	return sum - r - r / x - r * r * (1. / 2 - r * (1. / 6 - r * (1. / 6 - r * 3 / 10)));
}

/* By Newton's method for 1 / trigamma, which is convex and nearly a line (Smyth 2004, appendix). */
double pp_trigamma_inverse(double y)
{
	enum { STEPS = 50 };
	double x = 0.5 + 1 / y;

	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	for (int i = 0; i < STEPS; i++) {
		const double at = pp_trigamma(x), step = at * (1 - at / y) / tetragamma(x);

		x += step;
		if (fabs(step) < 1e-12 * x)
			break;
	}
	return x;
}
