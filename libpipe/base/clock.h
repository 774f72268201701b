/* clock.h - the time, for what waits. */
#ifndef PP_CLOCK_H
#define PP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* In ns; 0: there is no such clock. */
static inline uint64_t pp_clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* In ns, of a clock that is never set. */
static inline uint64_t pp_now_ns(void)
{
	return pp_clock_ns(CLOCK_MONOTONIC);
}

#endif
