/* promise.h - what a FINISHED_ROUND promises of the times that follow it, and how far off a time is evidence
 * of damage: a recorder on a busy machine breaks the promise by microseconds. */
#ifndef PROMISE_H
#define PROMISE_H

#include <stdbool.h>
#include <stdint.h>

enum { PP_TIME_FAR = 1000000000 };      /* ns; what is no further off may be late, but is sound */

/* ->newest is the largest time so far.  The next round releases records up to ->next, which was the largest
 * time at the last round; the last round released those up to ->released. */
struct pp_promise { uint64_t newest, next, released; };

static inline void pp_promise_round(struct pp_promise *p)
{
	p->released = p->next;
	p->next = p->newest;
}

static inline void pp_promise_time(struct pp_promise *p, uint64_t time)
{
	if (time > p->newest)
		p->newest = time;
}

/* By how many ns a record of this time breaks the promise; 0: it does not. */
static inline uint64_t pp_promise_late(const struct pp_promise *p, uint64_t time)
{
	return time < p->released ? p->released - time : 0;
}

/* Any time before this one is far from keeping it. */
static inline uint64_t pp_promise_oldest(const struct pp_promise *p)
{
	return p->released > PP_TIME_FAR ? p->released - PP_TIME_FAR : 0;
}

#endif
