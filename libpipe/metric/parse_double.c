/* parse_double.c - decimal numbers in text to doubles, whatever the locale says of points. */
#include "metric/metric.h"

#include <math.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 10 to the power of `e`: exact up to 22. */
static long double power_of_ten(unsigned e)
{
	long double power = 1, base = 10;

	for (; e; e >>= 1, base *= base)
		if (e & 1)
			power *= base;
	return power;
}

/* What follows the "e", if that is an exponent. */
static const char *take_exponent(const char *p, long *exponent)
{
	const char *q = p + 1;
	bool minus;
	long e = 0;

	if ((*p | 0x20) != 'e')
		return p;
	minus = *q == '-';
	q += *q == '-' || *q == '+';
	if (!is_digit(*q))
		return p;
	for (; is_digit(*q); q++)
		if (e < 10000)
			e = e * 10 + (*q - '0');
	*exponent += minus ? -e : e;
	return q;
}

const char *pp_metric_number(const char *text, double *number)
{
	const char *p = text;
	long double mantissa = 0;
	long exponent = 0;
	bool digits = false;

	for (; is_digit(*p); p++, digits = true)
		mantissa = mantissa * 10 + (*p - '0');
	if (*p == '.')
		for (p++; is_digit(*p); p++, digits = true, exponent--)
			mantissa = mantissa * 10 + (*p - '0');
	if (!digits)
		return NULL;
	p = take_exponent(p, &exponent);
	if (exponent < -5000 || mantissa == 0)
		*number = 0;
	else if (exponent > 5000)
		*number = HUGE_VAL;
	else if (exponent < 0)
		*number = (double)(mantissa / power_of_ten((unsigned)-exponent));
	else
		*number = (double)(mantissa * power_of_ten((unsigned)exponent));
	return p;
}
