/*
 * enlarge_rings.c - larger buffers for CPUs that lose records, or fill theirs so fast that they will.  The
 * first is found by ring.c, the second by poll_interval.c.
 *
 * A ring cannot be resized, and a counter cannot leave the ring that is mapped through it.  So rings
 * are mapped through holders, counters that count nothing: all others of the CPU are sent to a
 * second holder with a larger ring, at no instant without one, and the first ring is read until
 * nothing can be written to it any more.  There are two holders for each CPU, which are
 * opened at the start, since it may not be permitted later.
 *
 * Before a counter leaves its ring the kernel waits for all CPUs (RCU), some 20 ms where they are busy.
 * A ring that loses records is full much sooner, so that another thread sends the counters, and both
 * rings are read meanwhile.
 *
 * A ring wakes its reader as the counter says that it is mapped through: the one that a holder is,
 * earlier than others do, and what is recorded need not be asked to.
 */
#include "rings/rings.h"

#include "base/quiet_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	STEP = 4,                     /* a ring becomes so many times larger */
	/* Sending a counter elsewhere takes the kernel some milliseconds, during which nothing is read. */
	MOST_COUNTERS = 32,
	/* A ring is left after so many passes that found nothing there: a CPU that was about to write
	 * a record when its counter was sent elsewhere has done so. */
	LAST_PASSES = 3,
	/* The reader is woken when so much of a ring is full.  The kernel's own way, one half, is late
	 * where the reader has to wait for a CPU until another task's slice ends. */
	WAKE_AT = 4,
};

int pp_ring_owner_open(const struct perf_event_attr *like, uint32_t cpu, uint64_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = PP_ATTR_SIZE,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
		.watermark = 1, .wakeup_watermark = (uint32_t)(bytes / WAKE_AT),
		/* rings of counters with another clock are refused */
		.use_clockid = like->use_clockid, .clockid = like->clockid,
	};

	/* One of this process: that is permitted to all who may record anything. */
	return (int)syscall(SYS_perf_event_open, &attr, 0, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

void pp_rings_permit(const struct pp_rings *r)
{
	const struct pp_counters *const c = r->counters;
	const rlim_t most = (rlim_t)(r->most * STEP * c->target->n_cpus);
	struct rlimit limit;

	if (!c->target->options.raise_limit || r->most <= r->bytes ||
	    getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur >= most)
		return;
	if (limit.rlim_max < most) {
		/* Root may, and is not root any more when it matters. */
		const struct rlimit more = { most, most };

		if (!setrlimit(RLIMIT_MEMLOCK, &more))
			return;
	}
	limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
	(void)setrlimit(RLIMIT_MEMLOCK, &limit);
}

static int counters_from(const struct pp_rings *r, size_t first)
{
	const struct pp_counters *const c = r->counters;
	int n = 0;

	for (size_t i = 0; i < c->events->n; i++)
		for (size_t k = first; k < first + r->together; k++)
			n += c->of[i].fds[k] >= 0;
	return n;
}

bool pp_rings_have_holders(const struct pp_rings *r)
{
	/* An AUX area belongs to the ring of its own counter, and that of a thread on any CPU takes
	 * no counter of another thread. */
	return !r->aux.kind && !pp_target_any_cpu(r->counters->target);
}

bool pp_rings_can_grow(const struct pp_rings *r, size_t first)
{
	return pp_rings_have_holders(r) && r->most > r->bytes &&
	       counters_from(r, first) <= MOST_COUNTERS;
}

/* Counters on their way from a ring to a larger one. */
struct pp_move {
	const struct pp_rings *rings;
	size_t first;                 /* of the counters */
	int holder;                   /* of the larger ring */
	pthread_t thread;
	bool threaded, all;           /* none of them stayed, once it is over */
	bool over;
};

static bool send(const struct pp_move *m)
{
	const struct pp_counters *const c = m->rings->counters;

	for (size_t i = 0; i < c->events->n; i++)
		for (size_t k = m->first; k < m->first + m->rings->together; k++)
			if (c->of[i].fds[k] >= 0 &&
			    ioctl(c->of[i].fds[k], PERF_EVENT_IOC_SET_OUTPUT, m->holder))
				return false;
	return true;
}

static void *run_move(void *arg)
{
	struct pp_move *const m = arg;

	m->all = send(m);
	__atomic_store_n(&m->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Sends all counters of a ring to another one.  False: there is no memory. */
static bool begin_move(struct pp_rings *r, struct pp_ring *ring, int holder)
{
	struct pp_move *const m = calloc(1, sizeof(*m));

	if (!m)
		return false;
	*m = (struct pp_move){ .rings = r, .first = ring->first, .holder = holder };
	m->threaded = !pp_quiet_thread(&m->thread, NULL, run_move, m);
	ring->move = m;
	__atomic_add_fetch(&r->moves, 1, __ATOMIC_RELAXED);
	if (!m->threaded)
		(void)run_move(m);
	return true;
}

/* Waits for its end.  Whether all counters have left. */
static bool end_move(struct pp_rings *r, struct pp_ring *ring)
{
	struct pp_move *const m = ring->move;
	bool all;

	if (m->threaded)
		(void)pthread_join(m->thread, NULL);
	all = m->all;
	free(m);
	ring->move = NULL;
	__atomic_sub_fetch(&r->moves, 1, __ATOMIC_RELAXED);
	return all;
}

void pp_rings_end_moves(struct pp_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].move)
			(void)end_move(r, &r->items[i]);
}

static void say_limit(struct pp_rings *r, const struct pp_ring *ring)
{
	const char *const why = ring->refused ? ": more memory is not permitted: raise "
		"kernel.perf_event_mlock_kb or the limit on locked memory (ulimit -l)" : "";

	if (r->said_limit)
		return;
	r->said_limit = true;
	pp_say_hint(r->counters->say, ring->refused ? PP_HINT_NONE : PP_HINT_BUFFER,
		    "records are lost, and the buffer of %s stays at %llu KiB%s",
		    pp_target_any_cpu(r->counters->target) ? "a thread" : "a CPU",
		    (unsigned long long)ring->size / 1024, why);
}

/* A larger ring for the same CPU, at the end of the list, or NULL. */
static struct pp_ring *map_larger(struct pp_rings *r, const struct pp_ring *ring)
{
	struct pp_ring *const larger = &r->items[r->n];
	uint64_t bytes = ring->size * STEP < r->most ? ring->size * STEP : r->most;

	*larger = (struct pp_ring){ .cpu = ring->cpu, .first = ring->first, .poll = ring->poll,
				    .tid = ring->tid, .holder = ring->spare, .spare = -1,
				    .reader = ring->reader, .place = ring->place };
	while (bytes > ring->size) {
		if (!pp_ring_map(larger, larger->holder, bytes)) {
			if (!ring->copy || !pp_copy_open(larger))
				return larger;
			pp_ring_unmap(larger);
			break;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
		bytes /= 2;
	}
	return NULL;
}

static void grow(struct pp_rings *r, struct pp_ring *ring, bool lost)
{
	struct pp_ring *larger;

	if (ring->leaving || ring->move)
		return;
	if (ring->refused || ring->size >= r->most || !pp_rings_can_grow(r, ring->first)) {
		if (lost)
			say_limit(r, ring);
		return;
	}
	/* The ring that it grew out of may still have the other holder. */
	if (ring->spare < 0)
		return;
	larger = map_larger(r, ring);
	if (!larger) {
		ring->refused = true;
		if (lost)
			say_limit(r, ring);
		ring->spare = -1;
		return;
	}
	if (!begin_move(r, ring, larger->holder)) {
		pp_ring_unmap(larger);
		return;
	}
	r->n++;
	r->stats.grown++;
	ring->spare = -1;
	pp_ring_threads_changed(r);
	if (larger->size > r->stats.buffer)
		r->stats.buffer = larger->size;
}

/* Its holder is free for a larger one. */
static void leave(struct pp_rings *r, size_t i)
{
	struct pp_ring *const ring = &r->items[i];

	for (size_t k = 0; k < r->n; k++)
		if (k != i && r->items[k].first == ring->first && !r->items[k].leaving)
			r->items[k].spare = ring->holder;
	pp_ring_unmap(ring);
	/* Each stays before the one that takes its place. */
	r->n--;
	memmove(ring, ring + 1, (r->n - i) * sizeof(*ring));
}

/* Where its counters have gone, the ring is waited for no more, but for the larger one. */
static void note_move(struct pp_rings *r, struct pp_ring *ring)
{
	const int holder = ring->move->holder;

	if (end_move(r, ring))
		ring->leaving = LAST_PASSES;
	/* It may have ended, with the task that it is of. */
	if (r->polls[ring->poll].fd >= 0)
		r->polls[ring->poll].fd = holder;
	pp_ring_threads_changed(r);
}

void pp_rings_note_moves(struct pp_rings *r)
{
	if (!__atomic_load_n(&r->moves, __ATOMIC_RELAXED))
		return;
	pp_ring_threads_lock(r);
	for (size_t i = 0; i < r->n; i++)
		if (r->items[i].move && __atomic_load_n(&r->items[i].move->over, __ATOMIC_ACQUIRE))
			note_move(r, &r->items[i]);
	pp_ring_threads_unlock(r);
}

/* Whether a larger ring may still take its place. */
static bool may_grow(const struct pp_rings *r, const struct pp_ring *ring)
{
	return ring->holder >= 0 && ring->spare >= 0 && ring->size < r->most && !r->stalled &&
	       !ring->excused;
}

bool pp_rings_overrun(struct pp_rings *r)
{
	bool overrun = false, leaving = false;

	for (size_t i = 0; i < r->n; i++) {
		struct pp_ring *const ring = &r->items[i];

		/* What it lost may be found after what its successor holds. */
		leaving |= ring->leaving > 0 || ring->move;
		overrun |= ring->lost && !ring->settles && !may_grow(r, ring);
		/* What was lost is said before the next record that finds room. */
		ring->settles &= !ring->gave;
	}
	return overrun && !leaving;
}

/* What was lost while a flush lasted is found after all that was there then, at the next record of
 * that CPU, whenever that is. */
void pp_rings_grow(struct pp_rings *r)
{
	const size_t n = r->n;

	pp_ring_threads_lock(r);
	for (size_t i = 0; i < n; i++) {
		struct pp_ring *const ring = &r->items[i];
		const bool lost = ring->lost;
		const bool evident = (lost || ring->pressed) && !ring->excused && !r->stalled;

		ring->excused = r->stalled || (ring->excused && !ring->lost);
		ring->lost = ring->pressed = false;
		if (evident)
			grow(r, ring, lost);
	}
	r->stalled = false;
	for (size_t i = r->n; i-- > 0;)
		if (r->items[i].leaving && !r->items[i].gave && !--r->items[i].leaving)
			leave(r, i);
	pp_ring_threads_unlock(r);
}
