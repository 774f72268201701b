/*
 * inlineloop.c - a loop in a function that is inlined into another, which is inlined into a third: perf's
 * test of inlined functions, addr2line_inlines.sh, wants the code of the first two on lines 20 to 29, and of
 * the third on lines 30 to 39.
 */
#include "workload.h"

static unsigned long turns;

#line 20
static inline __attribute__((always_inline)) void turn(volatile unsigned long *n)
{
	*n = *n * 3 + 1;
}

#line 25
static inline __attribute__((always_inline)) void turn_often(volatile unsigned long *n)
{
	for (int i = 0; i < 99; i++)
		turn(n);
}

#line 32
static __attribute__((noinline)) void turn_to_the_end(volatile unsigned long *n)
{
	while (!timer_ended) {
		turn_often(n);
		turns++;
	}
}

int inlineloop(void)
{
	volatile unsigned long n = 0;

	turn_to_the_end(&n);
	return turns == 0;
}
