/* unit.h - what programs here have in common: cases that are made of random numbers, each from a seed of its
 * own, and a check that names the case. */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The case that is tried: it is made of its number alone, whatever came before it. */
static struct {
	const char *what;
	unsigned number;
	uint64_t state;
} unit;

static inline uint64_t any_number(void)
{
	unit.state ^= unit.state << 13;
	unit.state ^= unit.state >> 7;
	return unit.state ^= unit.state << 17;
}

static inline unsigned below(unsigned n)
{
	return (unsigned)((any_number() >> 32) * n >> 32);
}

static inline bool one_in(unsigned n)
{
	return !below(n);
}

static inline void begin_case(const char *what, unsigned number)
{
	unit.what = what;
	unit.number = number;
	unit.state = (number + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < 4; i++)
		(void)any_number();
}

__attribute__((noreturn, cold)) static inline void fail(const char *file, int line, const char *that)
{
	printf("%s:%d: %s, case and seed %u: not so: %s\n", file, line, unit.what, unit.number, that);
	exit(1);
}
#define CHECK(that) ((that) ? (void)0 : fail(__FILE__, __LINE__, #that))

#endif
