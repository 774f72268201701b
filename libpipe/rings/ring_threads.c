/*
 * ring_threads.c - threads that empty the kernel's buffers while the stream is compressed and written by
 * another: the one that the rest of this room is run by, which is called the writer here.
 *
 * Each thread copies what is in its rings to copies of the same size, and gives the room back to the
 * kernel at once.  The writer reads the copies as if they were the rings.  Each of its passes begins
 * with a copy of all that there is, so that rounds mean what they mean without threads; where a copy
 * has no room for all, the pass ends no round.  Copies do not grow: when both are full, the kernel
 * counts what it drops.  Where no threads run, the writer does it all.
 *
 * A thread holds its lock while it reads, and the writer those of all while it changes rings.
 */
#include "rings/rings.h"

#include "base/quiet_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* Positions are those of the ring. */
struct pp_copy {
	uint8_t *data;
	uint64_t head, tail;          /* of what the writer has not read; it sets the tail */
	uint64_t until;               /* where copying ends, if there is room */
	bool is_short;                /* there was no room for all */
};

struct ring_reader {
	struct pp_ring_threads *all;
	pthread_t thread;
	pthread_mutex_t lock;
	struct pollfd *polls;         /* its own, and its bell */
	size_t *polls_of;             /* which they are in pp_rings */
	size_t n_polls;
	uint64_t changes;             /* as of when these were set */
	int bell;                     /* wakes it */
	struct pp_poll_interval pace;
	bool runs, quits;
};

struct pp_ring_threads {
	struct pp_rings *rings;
	struct ring_reader *items;
	size_t n;
	struct pp_cpu_sets places;      /* that they stay at */
	uint32_t *of_poll;            /* whose each descriptor is */
	uint64_t changes;             /* of rings */
	int news;                     /* wakes the writer */
	bool running;
};

/* ---- one ring ---- */

int pp_copy_open(struct pp_ring *ring)
{
	struct pp_copy *const c = calloc(1, sizeof(*c));
	void *const data = c ? mmap(NULL, ring->size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;

	if (data == MAP_FAILED) {
		free(c);
		return -1;
	}
	*c = (struct pp_copy){ .data = data, .head = ring->tail, .tail = ring->tail };
	ring->data = data;
	ring->copy = c;
	return 0;
}

/* Nothing is in it any more that was not read: the ring is read where it is. */
void pp_copy_close(struct pp_ring *ring)
{
	if (!ring->copy)
		return;
	(void)munmap(ring->copy->data, ring->size);
	free(ring->copy);
	ring->copy = NULL;
	ring->data = ring->bytes;
}

uint64_t pp_copy_head(const struct pp_copy *c)
{
	return __atomic_load_n(&c->head, __ATOMIC_ACQUIRE);
}

void pp_copy_release(struct pp_copy *c, uint64_t tail)
{
	__atomic_store_n(&c->tail, tail, __ATOMIC_RELEASE);
}

/* The end of the last record from `at` on that fits into `room`. */
static uint64_t whole_until(const struct pp_ring *ring, uint64_t at, uint64_t head, uint64_t room)
{
	const uint64_t begun = at;

	while (at < head) {
		const uint16_t size = pp_load16(ring->bytes + (at & (ring->size - 1)) + 6);

		if (size < PP_HEADER_SIZE || at + size - begun > room)
			break;
		at += size;
	}
	return at;
}

static void copy_ring(struct pp_ring *ring)
{
	struct pp_copy *const c = ring->copy;
	const uint64_t head = c->until, from = c->head, at = from & (ring->size - 1);
	const uint64_t room = ring->size - (from - __atomic_load_n(&c->tail, __ATOMIC_ACQUIRE));
	const uint64_t end = head - from <= room ? head : whole_until(ring, from, head, room);
	const uint64_t size = end - from, first = size < ring->size - at ? size : ring->size - at;

	c->is_short = end != head;
	if (!size)
		return;
	memcpy(c->data + at, ring->bytes + at, first);
	memcpy(c->data, ring->bytes, size - first);
	__atomic_store_n(&c->head, end, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->page->data_tail, end, __ATOMIC_RELEASE);
}

/* Whether it is to be read after the rest of a smaller ring, which it took the place of. */
static bool is_next(const struct pp_rings *r, const struct pp_ring *ring)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct pp_ring *const other = &r->items[i];

		if ((other->leaving || other->move) && other->first == ring->first && other != ring &&
		    other->copy->is_short)
			return !ring->leaving && !ring->move;
	}
	return false;
}

/* All of one thread; whether there is much in the copies now.  Ends are found in the order of ring.c. */
static bool copy_rings(struct pp_rings *r, struct ring_reader *me, struct pp_cpu_sets *places)
{
	bool much = false;

	for (size_t i = r->n; i-- > 0;) {
		struct pp_ring *const ring = &r->items[i];

		if (!ring->copy || &r->drains->items[ring->reader] != me)
			continue;
		ring->copy->until = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		pp_pace_look(&me->pace, ring, ring->copy->until - ring->copy->head);
	}
	pp_pace_looked(&me->pace);
	for (size_t i = 0; i < r->n; i++) {
		struct pp_ring *const ring = &r->items[i];

		if (!ring->copy || &r->drains->items[ring->reader] != me)
			continue;
		if (places)
			pp_places_go(places, ring->place);
		if (is_next(r, ring))
			ring->copy->is_short = true;
		else
			copy_ring(ring);
		much |= ring->copy->head - __atomic_load_n(&ring->copy->tail, __ATOMIC_ACQUIRE) >=
			ring->size / 4;
	}
	return much;
}

/* ---- a thread ---- */

static void ring_bell(int bell)
{
	/* It cannot fail but where it has been rung very often. */
	(void)eventfd_write(bell, 1);
}

static void hear_bell(int bell)
{
	eventfd_t n;

	(void)eventfd_read(bell, &n);
}

static void choose_polls(struct ring_reader *me)
{
	const struct pp_ring_threads *const all = me->all;

	if (me->n_polls && me->changes == all->changes)
		return;
	me->changes = all->changes;
	me->n_polls = 0;
	for (size_t i = 0; i < all->rings->n_polls; i++) {
		if (&all->items[all->of_poll[i]] != me || all->rings->polls[i].fd < 0)
			continue;
		me->polls_of[me->n_polls] = i;
		me->polls[me->n_polls++] = all->rings->polls[i];
	}
	me->polls[me->n_polls++] = (struct pollfd){ me->bell, POLLIN, 0 };
}

/* Whose thread or command has ended is waited for no more; whether there was one. */
static bool note_ends(struct ring_reader *me)
{
	struct pp_rings *const r = me->all->rings;
	bool any = false;

	for (size_t i = 0; i < me->n_polls - 1; i++) {
		if (me->polls[i].fd < 0 || !(me->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL)))
			continue;
		me->polls[i].fd = r->polls[me->polls_of[i]].fd = -1;
		__atomic_sub_fetch(&r->n_alive, 1, __ATOMIC_RELAXED);
		any = true;
	}
	return any;
}

static void *read_in_thread(void *arg)
{
	struct ring_reader *const me = arg;
	struct pp_ring_threads *const all = me->all;
	/* Several threads cannot follow the rings. */
	struct pp_cpu_sets *const places = all->n == 1 ? &all->rings->affinity : NULL;
	struct timespec timeout;
	bool quits = false, news;

	pp_places_stay(&all->places, (uint32_t)(me - all->items));
	while (!quits) {
		(void)pthread_mutex_lock(&me->lock);
		choose_polls(me);
		news = copy_rings(all->rings, me, places);
		(void)pthread_mutex_unlock(&me->lock);
		if (news)
			ring_bell(all->news);
		timeout = pp_rings_wait(all->rings, &me->pace, PP_FOREVER);
		(void)ppoll(me->polls, me->n_polls, &timeout, NULL);
		(void)pthread_mutex_lock(&me->lock);
		if (me->polls[me->n_polls - 1].revents)
			hear_bell(me->bell);
		if (note_ends(me))
			ring_bell(all->news);
		quits = me->quits;
		(void)pthread_mutex_unlock(&me->lock);
	}
	return NULL;
}

/* ---- all of them ---- */

void pp_ring_threads_lock(struct pp_rings *r)
{
	for (size_t i = 0; r->drains && i < r->drains->n; i++)
		(void)pthread_mutex_lock(&r->drains->items[i].lock);
}

void pp_ring_threads_unlock(struct pp_rings *r)
{
	for (size_t i = 0; r->drains && i < r->drains->n; i++)
		(void)pthread_mutex_unlock(&r->drains->items[i].lock);
}

void pp_ring_threads_changed(struct pp_rings *r)
{
	if (!r->drains)
		return;
	r->drains->changes++;
	for (size_t i = 0; i < r->drains->n; i++)
		ring_bell(r->drains->items[i].bell);
}

bool pp_ring_threads_run(const struct pp_rings *r)
{
	return r->drains && r->drains->running;
}

bool pp_ring_threads_copy(struct pp_rings *r)
{
	bool all = true;

	for (size_t i = 0; r->drains && i < r->drains->n; i++) {
		(void)pthread_mutex_lock(&r->drains->items[i].lock);
		(void)copy_rings(r, &r->drains->items[i], NULL);
		for (size_t k = 0; k < r->n; k++)
			all &= !r->items[k].copy || r->items[k].reader != i ||
			       !r->items[k].copy->is_short;
		(void)pthread_mutex_unlock(&r->drains->items[i].lock);
	}
	return all;
}

int pp_ring_threads_news(const struct pp_rings *r)
{
	return r->drains->news;
}

void pp_ring_threads_heard(const struct pp_rings *r)
{
	hear_bell(r->drains->news);
}

static int open_reader(struct pp_ring_threads *all, size_t i, struct pp_error *error)
{
	struct ring_reader *const me = &all->items[i];

	me->all = all;
	me->bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (me->bell < 0)
		return pp_fail_os(error, "cannot make an eventfd for a thread");
	me->polls = calloc(all->rings->n_polls + 1, sizeof(*me->polls));
	me->polls_of = calloc(all->rings->n_polls + 1, sizeof(*me->polls_of));
	if (!me->polls || !me->polls_of || pthread_mutex_init(&me->lock, NULL))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

/* Which thread has the rings of the i-th CPU, or the i-th ring where these are of threads. */
static uint32_t reader_of(const struct pp_ring_threads *all, size_t i, size_t of)
{
	return all->places.items ? pp_places_of(&all->places, i) : (uint32_t)(i * all->n / of);
}

static int share_out(struct pp_ring_threads *all, struct pp_error *error)
{
	struct pp_rings *const r = all->rings;
	const struct pp_target *const t = r->counters->target;
	const bool any_cpu = pp_target_any_cpu(t);

	all->of_poll = calloc(r->n_polls, sizeof(*all->of_poll));
	if (!all->of_poll)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < r->n; i++) {
		struct pp_ring *const ring = &r->items[i];

		ring->reader = any_cpu ? reader_of(all, i, r->n) :
					 reader_of(all, ring->first / t->n_threads, t->n_cpus);
		/* of a ring are those from its own to that of the next */
		for (size_t k = ring->poll; k < r->n_polls; k++)
			all->of_poll[k] = ring->reader;
	}
	return 0;
}

static size_t how_many(const struct pp_ring_threads *all, const struct pp_capture_options *o)
{
	const struct pp_rings *const r = all->rings;
	const size_t most = pp_target_any_cpu(r->counters->target) ? r->n : r->counters->target->n_cpus;
	const size_t wanted = all->places.items ? all->places.n : o->readers_at ? 1 : o->readers;

	return wanted < most ? wanted : most;
}

int pp_ring_threads_open(struct pp_rings *r, const struct pp_capture_options *o, struct pp_error *error)
{
	const struct pp_target *const t = r->counters->target;
	struct pp_ring_threads *all;

	if (!o->readers && !o->readers_at && !o->readers_masks)
		return 0;
	all = r->drains = calloc(1, sizeof(*all));
	if (!all)
		return pp_fail(error, PP_E_NOMEM, NULL);
	all->rings = r;
	all->news = -1;
	if (o->readers_masks ? pp_places_give(&all->places, o->readers_masks, t, error) :
			       pp_places_open(&all->places, o->readers_at, t, error))
		return -1;
	all->n = how_many(all, o);
	all->items = calloc(all->n, sizeof(*all->items));
	if (!all->items) {
		all->n = 0;
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t i = 0; i < all->n; i++)
		all->items[i].bell = -1;
	all->news = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (all->news < 0)
		return pp_fail_os(error, "cannot make an eventfd for threads");
	for (size_t i = 0; i < all->n; i++)
		if (open_reader(all, i, error))
			return -1;
	for (size_t i = 0; i < r->n; i++)
		if (!r->items[i].backward && pp_copy_open(&r->items[i]))
			return pp_fail(error, PP_E_NOMEM, NULL);
	return share_out(all, error);
}

/* What a signal interrupts is the writer's wait. */
int pp_ring_threads_start(struct pp_rings *r, struct pp_error *error)
{
	struct pp_ring_threads *const all = r->drains;
	int os = 0;

	if (!all)
		return 0;
	for (size_t i = 0; i < all->n && !os; i++) {
		all->items[i].quits = false;
		os = pp_quiet_thread(&all->items[i].thread, NULL, read_in_thread, &all->items[i]);
		all->items[i].runs = !os;
	}
	all->running = true;
	if (!os)
		return 0;
	errno = os;
	return pp_fail_os(error, "cannot start a thread");
}

void pp_ring_threads_stop(struct pp_rings *r)
{
	struct pp_ring_threads *const all = r->drains;

	for (size_t i = 0; all && i < all->n; i++) {
		struct ring_reader *const me = &all->items[i];

		if (!me->runs)
			continue;
		(void)pthread_mutex_lock(&me->lock);
		me->quits = true;
		(void)pthread_mutex_unlock(&me->lock);
		ring_bell(me->bell);
		(void)pthread_join(me->thread, NULL);
		me->runs = false;
	}
	if (all)
		all->running = false;
}

void pp_ring_threads_close(struct pp_rings *r)
{
	struct pp_ring_threads *const all = r->drains;

	if (!all)
		return;
	pp_ring_threads_stop(r);
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].bell >= 0)
			(void)close(all->items[i].bell);
		free(all->items[i].polls);
		free(all->items[i].polls_of);
	}
	if (all->news >= 0)
		(void)close(all->news);
	pp_places_close(&all->places);
	free(all->of_poll);
	free(all->items);
	free(all);
	r->drains = NULL;
}
