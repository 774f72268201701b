/* ring.c - the kernel's ring buffers: opened, read without copying, given back. */
#include "base/clock.h"
#include "rings/rings.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	FLUSH_AT = 1024 * 1024,       /* bytes lent before a pass flushes and gives rings back */
	LOST_MOST = 128,              /* bytes of a LOST record: three numbers and what every record has */
	MMAP2_MOST = 8192,            /* bytes of an MMAP2 record: PATH_MAX and little else */
	STALL = 100 * 1000 * 1000,    /* ns: who takes the stream is slow if a flush lasts as long */
};

/* ---- mapping ---- */

/* Maps it, through a holder where that can be, otherwise through the counter that is ring->fd.  Returns
 * which it was, or -1 and *error. */
static int map(struct pp_rings *r, struct pp_ring *ring, uint64_t *bytes, struct pp_error *error)
{
	const struct perf_event_attr *const attr = &r->counters->events->items[0].attr;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (;;) {
		if (!ring->backward && pp_rings_have_holders(r))
			ring->holder = pp_ring_owner_open(attr, ring->cpu, *bytes);
		if (!pp_ring_map(ring, ring->holder < 0 ? ring->fd : ring->holder, *bytes))
			break;
		(void)pp_fail_os(error, "cannot map a buffer of %llu KiB: raise "
				 "kernel.perf_event_mlock_kb or the limit on locked memory "
				 "(ulimit -l), or record fewer CPUs",
				 (unsigned long long)*bytes / 1024);
		(void)pp_error_hint(error, PP_HINT_FEWER_CPUS);
		if (ring->holder >= 0)
			(void)close(ring->holder);
		/* Locked memory is limited for users; a smaller ring does as well. */
		if ((error->os != EPERM && error->os != ENOMEM) || *bytes / 2 < page)
			return -1;
		*bytes /= 2;
	}
	*error = (struct pp_error){ .code = PP_OK };
	if (ring->holder < 0)
		return ring->fd;
	r->holders[r->n_holders++] = ring->holder;
	return ring->holder;
}

/* A ring for the counters from `first` on, of which one is `fd`.  Returns that through which it is
 * mapped, or -1 and *error. */
static int open_ring(struct pp_rings *r, const struct pp_counters *c, size_t first, int fd,
		     bool backward, struct pp_error *error)
{
	const struct pp_target *const t = c->target;
	struct pp_ring *const ring = &r->items[r->n];
	uint64_t *const bytes = backward || !r->beside ? &r->bytes : &r->beside;

	*ring = (struct pp_ring){ .cpu = t->cpus[first / t->n_threads], .first = first,
				  .tid = t->system_wide ? -1 : t->threads[first % t->n_threads].tid,
				  .poll = r->n_polls, .holder = -1, .spare = -1,
				  .place = PP_NOWHERE, .fd = fd, .backward = backward };
	fd = map(r, ring, bytes, error);
	if (fd < 0)
		return -1;
	if (pp_rings_can_grow(r, first))
		ring->spare = r->holders[r->n_holders++] =
			pp_ring_owner_open(&c->events->items[0].attr, ring->cpu, *bytes);
	r->n++;
	/* What is overwritten is nothing to wake up for. */
	r->polls[r->n_polls++] = (struct pollfd){ fd, backward ? 0 : POLLIN, 0 };
	return fd;
}

/* In each event these counters share one ring: those of a CPU, or of a thread on any.  Those that write
 * backward share another. */
static int join_ring(struct pp_rings *r, const struct pp_counters *c, size_t first,
		     struct pp_error *error)
{
	int owners[] = { -1, -1 };

	for (size_t i = 0; i < c->events->n; i++) {
		const bool backward = c->events->items[i].attr.write_backward;
		int *const owner = &owners[backward];

		for (size_t k = first; k < first + r->together; k++) {
			const int fd = c->of[i].fds[k];

			if (fd < 0)
				continue;
			if (*owner < 0) {
				*owner = open_ring(r, c, first, fd, backward, error);
				if (*owner < 0 ||
				    (r->aux.kind && i == 0 &&
				     pp_aux_map(&r->aux, &r->items[r->n - 1], fd, error)))
					return -1;
			}
			if (fd != *owner && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, *owner))
				return pp_fail_os(error, "cannot share a buffer among counters");
			/* The ring wakes for data, the first event for the end of its thread. */
			if (i == 0 && !c->target->system_wide && fd != *owner)
				r->polls[r->n_polls++] = (struct pollfd){ fd, POLLIN, 0 };
		}
	}
	return 0;
}

static int make_room_for_rings(struct pp_rings *r, const struct pp_counters *c, struct pp_error *error)
{
	const size_t rings = c->each / r->together;

	/* rings, and those that they grew out of, or that are overwritten; two holders of each; two
	 * rings', and each thread's */
	r->items = calloc(2 * rings, sizeof(*r->items));
	r->holders = calloc(2 * rings, sizeof(*r->holders));
	r->polls = calloc(2 * rings + c->each + 1, sizeof(*r->polls));
	return r->items && r->holders && r->polls ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

static void close_all(struct pp_rings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		pp_aux_unmap(&r->items[i].area);
		pp_ring_unmap(&r->items[i]);
	}
	for (size_t i = 0; i < r->n_holders; i++)
		if (r->holders[i] >= 0)
			(void)close(r->holders[i]);
	r->n = r->n_holders = r->n_polls = 0;
}

/* Where the first rings leave too little memory for the last, all are opened anew, and smaller. */
static int open_all(struct pp_rings *r, const struct pp_counters *c, struct pp_error *error)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first_size;

	for (;;) {
		size_t first = 0;

		while (first < c->each && !join_ring(r, c, first, error))
			first += r->together;
		if (first >= c->each)
			return 0;
		first_size = r->n ? r->items[0].size : 0;
		if ((error->os != EPERM && error->os != ENOMEM) || first_size <= page)
			return -1;
		close_all(r);
		r->bytes = first_size / 2;
		*error = (struct pp_error){ .code = PP_OK };
	}
}

int pp_rings_open(struct pp_rings *r, const struct pp_counters *c, struct pp_error *error)
{
	const struct pp_target *const t = c->target;
	const uint64_t asked = r->bytes;

	r->counters = c;
	/* The kernel lets nothing but counters of one CPU, or of one thread, share a ring. */
	r->together = pp_target_any_cpu(t) ? 1 : t->n_threads;
	if (make_room_for_rings(r, c, error))
		return -1;
	pp_rings_permit(r);
	if (open_all(r, c, error))
		return -1;
	r->stats.buffer = r->bytes;
	pp_map_ids_since_now(&r->ids);
	/* A holder does not end with what is recorded. */
	r->n_alive = r->n_polls;
	for (size_t i = 0; i < r->n && !t->system_wide; i++)
		r->n_alive -= r->items[i].holder >= 0;
	if (r->bytes < asked)
		pp_say(c->say,
		       "using buffers of %llu KiB for each %s: more memory is not permitted: raise "
		       "kernel.perf_event_mlock_kb or the limit on locked memory (ulimit -l), or give "
		       "CAP_IPC_LOCK", (unsigned long long)r->bytes / 1024,
		       pp_target_any_cpu(t) ? "of the threads" : "CPU");
	return 0;
}

void pp_rings_close(struct pp_rings *r)
{
	close_all(r);
	pp_map_ids_free(&r->ids);
	free(r->turned);
	free(r->items);
	free(r->holders);
	free(r->polls);
}

/* ---- reading ---- */

static int give(struct pp_rings *r, const void *records, uint64_t size, bool stays,
		struct pp_error *error)
{
	return r->limit.wanted ?
		       pp_limit_give(r, records, size, stays, error) :
		       pp_sink_give(&r->sink, r->attrs, records, size, stays, error);
}

void pp_ring_copy(const struct pp_ring *ring, uint64_t at, uint8_t *to, uint64_t size)
{
	const uint64_t from = at & (ring->span - 1);
	const uint64_t first = size < ring->span - from ? size : ring->span - from;

	memcpy(to, ring->data + from, first);
	memcpy(to + first, ring->data, size - first);
}

/* What is between the tail and `end`, where no record lies at both ends. */
static int give_until(struct pp_rings *r, struct pp_ring *ring, uint64_t end,
		      struct pp_error *error)
{
	const uint64_t at = ring->tail & (ring->span - 1), size = end - ring->tail;
	const uint64_t first = size < ring->span - at ? size : ring->span - at;

	ring->tail = end;
	return give(r, ring->data + at, first, true, error) ||
	       give(r, ring->data, size - first, true, error) ? -1 : 0;
}

/* All before the record at `at`, which lies at both ends, and that record in one piece.  There is
 * one of a ring between two flushes, since it is read once between them. */
static int give_joined(struct pp_rings *r, struct pp_ring *ring, uint64_t at, size_t size,
		       struct pp_error *error)
{
	if (give_until(r, ring, at, error))
		return -1;
	if (ring->joined_room < size) {
		free(ring->joined);
		ring->joined_room = 0;
		ring->joined = malloc(size);
		if (!ring->joined)
			return pp_fail(error, PP_E_NOMEM, NULL);
		ring->joined_room = size;
	}
	pp_ring_copy(ring, at, ring->joined, size);
	ring->tail += size;
	return give(r, ring->joined, size, true, error);
}

/*
 * Linux (6.18 is one) sets this bit in the MMAP2 records of every recorder once it has set it for
 * one that asked for build-ids: perf_event_mmap_output() does not take it back.  What would then
 * be read as a build-id is the device and inode, and perf 6.1 overruns its stack.
 */
static bool unmark(const struct pp_rings *r, uint8_t *record)
{
	const uint16_t misc = pp_load16(record + 4);

	if (r->build_ids || !(misc & PP_MISC_MMAP_BUILD_ID))
		return false;
	pp_store16(record + 4, misc & (uint16_t)~PP_MISC_MMAP_BUILD_ID);
	return true;
}

struct map_question {
	struct pp_rings *rings;
	struct pp_error *error;
	int status;
};

static void make_room_meanwhile(void *arg)
{
	struct map_question *const w = arg;

	if (w->status || !pp_rings_want_room(w->rings))
		return;
	/* what is lent stays where it is until it is flushed */
	w->status = pp_rings_release(w->rings, w->error);
	if (!w->status)
		pp_rings_set_aside(w->rings);
}

/* Puts a build-id into the record, if it is known.  1, 0 or -1. */
static int learn(struct pp_rings *r, uint8_t *record, size_t size, struct pp_error *error)
{
	struct map_question waiting = { r, error, 0 };
	struct pp_record rec;
	bool learnt;

	if (!r->learns || pp_record_at(&rec, record, size, NULL))
		return 0;
	rec.attr = pp_attrs_find(r->attrs, record, rec.type, rec.size);
	if (!r->sink_asks)
		r->ids.keeper->meanwhile = (struct pp_meanwhile){ make_room_meanwhile, &waiting };
	learnt = pp_map_ids_learn(&r->ids, &rec);
	r->ids.keeper->meanwhile = (struct pp_meanwhile){ NULL, NULL };
	return waiting.status ? -1 : learnt;
}

/* An MMAP2 record at `at`, and all before it, if it is to be changed: 1; 0: nothing; or -1. */
static int give_map(struct pp_rings *r, struct pp_ring *ring, uint64_t at, size_t size,
		    struct pp_error *error)
{
	uint8_t bytes[MMAP2_MOST + 1];
	bool changed;
	int learnt;

	if (size > MMAP2_MOST)
		return 0;
	pp_ring_copy(ring, at, bytes, size);
	bytes[size] = '\0';
	changed = unmark(r, bytes);
	learnt = learn(r, bytes, size, error);
	if (learnt < 0 || !(changed | learnt))
		return learnt;
	if (give_until(r, ring, at, error))
		return -1;
	ring->tail += size;
	return give(r, bytes, size, false, error) ? -1 : 1;
}

static void note_sample(struct pp_rings *r, const struct pp_ring *ring, uint64_t at)
{
	r->stats.samples++;
	if (r->pid_at &&
	    pp_load32(ring->data + ((at + r->pid_at) & (ring->span - 1))) == r->own_pid)
		r->stats.own_samples++;
}

static void note_lost(struct pp_rings *r, struct pp_ring *ring, uint64_t at, size_t size)
{
	uint8_t bytes[LOST_MOST];
	struct pp_record rec;
	uint64_t lost, time;

	ring->lost = true;
	if (size > sizeof(bytes))
		return;
	pp_ring_copy(ring, at, bytes, size);
	if (pp_record_at(&rec, bytes, size, NULL))
		return;
	rec.attr = pp_attrs_find(r->attrs, bytes, rec.type, rec.size);
	if (pp_find_u64(&rec, PP_IS_LOST, &lost))
		r->stats.overruns += lost;
	if (r->adapt.wanted && pp_time(&rec, &time) && time > r->adapt.time)
		r->adapt.time = time;
}

int pp_ring_read_until(struct pp_rings *r, struct pp_ring *ring, uint64_t head,
		       struct pp_error *error)
{
	struct pp_capture_stats *const stats = &r->stats;

	ring->gave = head != ring->tail;
	if (!ring->gave)
		return 0;
	r->gave = true;
	/* Hops from header to header: little else of the records is looked at. */
	for (uint64_t at = ring->tail; at < head;) {
		/* Records are multiples of 8, so neither a header nor a u64 wraps. */
		const uint8_t *const header = ring->data + (at & (ring->span - 1));
		const uint32_t type = pp_load32(header);
		const uint16_t size = pp_load16(header + 6);
		int given;

		if (size < PP_HEADER_SIZE)
			break;
		stats->records++;
		if (type == PP_REC_SAMPLE)
			note_sample(r, ring, at);
		else if (type == PP_REC_LOST)
			note_lost(r, ring, at, size);
		given = type == PP_REC_MMAP2 ? give_map(r, ring, at, size, error) : 0;
		/* it may have been set aside meanwhile */
		if (!given && (at & (ring->span - 1)) + size > ring->span && at + size <= head)
			given = give_joined(r, ring, at, size, error);
		if (given < 0)
			return -1;
		at += size;
	}
	return give_until(r, ring, head, error);
}

uint64_t pp_ring_head(const struct pp_ring *ring)
{
	if (ring->set_aside)
		return ring->set_aside;
	return ring->copy ? pp_copy_head(ring->copy) :
			    __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static int read_ring(struct pp_rings *r, struct pp_ring *ring, struct pp_error *error)
{
	if (!r->drains)
		pp_places_go(&r->affinity, ring->place);
	return ring->backward ? 0 : pp_ring_read_until(r, ring, ring->until, error);
}

/* Of two rings of a CPU the later records are in the second: its end is looked for first, so that no
 * record of it is read before one of the first that was there earlier. */
static void find_ends(struct pp_rings *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct pp_ring *const ring = &r->items[i];

		ring->until = pp_ring_head(ring);
		if (ring->set_aside)
			r->behind = true;
		else if (!ring->backward && !ring->copy)
			pp_pace_look(&r->pace, ring, ring->until - ring->tail);
	}
	pp_pace_looked(&r->pace);
}

int pp_rings_read(struct pp_rings *r, struct pp_error *error)
{
	uint64_t lent = 0;

	pp_map_ids_begin(&r->ids);
	r->behind = !pp_ring_threads_copy(r);
	find_ends(r);
	for (size_t i = 0; i < r->n; i++) {
		const uint64_t before = r->items[i].tail;

		if (read_ring(r, &r->items[i], error) ||
		    (r->items[i].area.data && !r->aux.options.snapshots && !r->aux.samples &&
		     pp_aux_read(r, &r->items[i], r->last, error)))
			return -1;
		lent += r->items[i].tail - before;
		if (lent < FLUSH_AT)
			continue;
		lent = 0;
		if (pp_rings_release(r, error))
			return -1;
	}
	if (!r->behind)
		pp_map_ids_end(&r->ids);
	return 0;
}

int pp_rings_release(struct pp_rings *r, struct pp_error *error)
{
	const uint64_t begun = pp_now_ns();

	if (r->sink.flush && r->sink.flush(r->sink.arg, error))
		return -1;
	r->stalled |= pp_now_ns() - begun >= STALL;
	for (size_t i = 0; i < r->n; i++) {
		struct pp_ring *const ring = &r->items[i];

		if (ring->told == ring->tail)
			continue;
		if (ring->copy)
			pp_copy_release(ring->copy, ring->tail);
		else if (ring->tail < ring->set_aside)
			; /* the kernel has that room already */
		else if (ring->set_aside)
			pp_ring_put_back(ring);
		else
			__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
		ring->told = ring->tail;
	}
	return 0;
}

static bool is_filling(const struct pp_ring *ring)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED);

	/* where it is copied, not all of this may be in the copy already */
	return !ring->backward && head - ring->tail >= ring->size / 4;
}

int pp_rings_relieve(struct pp_rings *r, struct pp_error *error)
{
	size_t i = 0;

	while (i < r->n && !is_filling(&r->items[i]))
		i++;
	if (i == r->n)
		return 0;
	return pp_rings_read(r, error) || pp_rings_release(r, error) ? -1 : 0;
}
