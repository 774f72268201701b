/*
 * poll_interval.c - how soon the reader of buffers looks at them again by itself, where they fill so fast
 * that being woken is too late.
 *
 * The kernel wakes the reader when a quarter of a ring is full (enlarge_rings.c).  If another task has the
 * CPU then, what is left of the ring is all there is for the time that this takes.  A ring that is found
 * half full tells that it came to that; from then on the rings are looked at before the kernel says so,
 * and are nearly empty when it happens again.  Slow rings never do, and cost nothing.
 *
 * Either tells that a larger ring is wanted before this one loses anything: that it was half full, or that it
 * would be full as soon as another task's slice ends.
 */
#include "base/clock.h"
#include "rings/rings.h"

enum {
	LATE = 2,                     /* so many times what was found is the whole ring, or more */
	PART = 10,                    /* of a ring may fill until it is looked at again */
	SOONEST = 500 * 1000,         /* ns: to look more often costs more than it saves */
	CALM = 2 * 1000 * 1000,       /* ns: where the part takes longer, the kernel wakes in time */
	SLICE = 8 * 1000 * 1000,      /* ns: two ticks of the slowest usual clock */
	LASTS = 100 * 1000 * 1000,    /* ns: so long it must be calm */
	MOVING = 1000 * 1000,         /* ns */
	SECOND = 1000 * 1000 * 1000,
};

void pp_pace_look(struct pp_poll_interval *p, struct pp_ring *ring, uint64_t filled)
{
	/* less than what wakes the reader is a burst, which says nothing of what is to come */
	if (filled >= ring->size / 4)
		ring->pressed |= filled * LATE >= ring->size ||
				 (pp_now_ns() - p->looked) * (ring->size / 4) < (filled / 4) * SLICE;
	/* of several sizes the one that will be full first */
	if (!p->filled || filled * p->size > p->filled * ring->size) {
		p->filled = filled;
		p->size = ring->size;
	}
}

void pp_pace_looked(struct pp_poll_interval *p)
{
	const uint64_t now = pp_now_ns(), elapsed = now - p->looked;
	const bool late = p->filled * LATE >= p->size;
	uint64_t wait = CALM;

	/* longer than that no ring that fills fast is left alone */
	if (p->filled && elapsed < LASTS)
		wait = elapsed * (p->size / PART) / p->filled;
	if (wait < CALM && (late || p->wait))
		p->until = now + LASTS;
	p->wait = now >= p->until ? 0 : wait > CALM ? CALM : wait > SOONEST ? wait : SOONEST;
	p->looked = now;
	p->filled = 0;
}

struct timespec pp_rings_wait(const struct pp_rings *r, const struct pp_poll_interval *p, uint64_t ns)
{
	if (p->wait && p->wait < ns)
		ns = p->wait;
	if (__atomic_load_n(&r->moves, __ATOMIC_RELAXED) && ns > MOVING)
		ns = MOVING;
	return (struct timespec){ (time_t)(ns / SECOND), (long)(ns % SECOND) };
}
