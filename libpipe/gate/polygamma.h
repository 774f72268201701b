/* polygamma.h - derivatives of the logarithm of the gamma function, for x > 0. */
#ifndef GATE_POLYGAMMA_H
#define GATE_POLYGAMMA_H

double pp_digamma(double x);
double pp_trigamma(double x);
/* The x of which pp_trigamma() is y > 0. */
double pp_trigamma_inverse(double y);

#endif
