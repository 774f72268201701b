/*
 * counter_threads.c - threads that each read some counters: of the CPU they run on, or of a part of a crowd.
 *
 * To read a counter of another CPU the kernel interrupts that one, and again for each: where there are
 * several on each of several CPUs, it costs less to wake a thread there.  Those of hundreds of threads take
 * long to read, and can be read at the same time.
 *
 * Where a CPU's are read again and again after a short while, even one interruption takes long, as it
 * waits until that CPU is awake: each thread wakes by its own clock then, and keeps what it reads
 * until it is asked for.  That is done only by threads that run at once, also where others keep their
 * CPU busy: what is read is to be of the same moment on all.  Where something of a higher priority
 * never leaves a CPU, its reader goes elsewhere in the end.
 */
#include "base/clock.h"
#include "base/quiet_thread.h"
#include "count/counting.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	FEW_READS = 4,                /* are done read from elsewhere */
	MOST_CPUS = 4096,
	MOST_READERS = 8,             /* of a crowd */
	STACK = 256 * 1024,
	TICKS = 128,                  /* that a reader keeps; those that come then are left out */
	PATIENCE_NS = 100000000,      /* for one that does not get its CPU */
};

/* What a reader has read by itself. */
struct tick {
	uint64_t number;              /* of the interval that ended then */
	uint64_t time;                /* when it was read, by pp_now_ns() */
};

struct count_reader {
	struct pp_readers *all;
	pthread_t thread;
	bool runs;
	sem_t go;
	size_t first, last;           /* places: from this one to before that */
	bool pinned;
	atomic_bool asked;            /* and has not answered */
	atomic_bool failed;
	struct pp_error error;        /* then */
	bool ticks;                   /* it reads by itself */
	struct pp_count *kept;        /* [TICKS][events] of its CPU; NULL: it cannot do that */
	struct tick *of;              /* [TICKS] */
	atomic_size_t read, taken;    /* ticks */
};

enum request { READ, TICK, BE_STILL, GO };

struct pp_readers {
	const struct pp_counters *counters;
	bool faster;                  /* when all are read at once, not only interval after interval */
	enum request request;
	struct pp_count *counts;      /* for READ */
	uint64_t start, interval;     /* for TICK */
	sem_t done;
	size_t n;
	struct count_reader items[];
};

static void await(sem_t *sem)
{
	while (sem_wait(sem))
		continue;
}

/* False: its time has come before. */
static bool await_until(sem_t *sem, uint64_t due)
{
	const struct timespec when = { (time_t)(due / 1000000000), (long)(due % 1000000000) };
	int status;

	do
		status = sem_clockwait(sem, CLOCK_MONOTONIC, &when);
	while (status && errno == EINTR);
	return !status;
}

static void read_own(struct count_reader *r)
{
	struct pp_readers *const all = r->all;
	int status = 0;

	for (size_t place = r->first; place < r->last && !status; place++)
		status = pp_counters_read_place(all->counters, place, all->counts + place,
						all->counters->each, &r->error);
	atomic_store(&r->failed, status != 0);
}

/* Reads as of the interval that has ended last: what was missed before is a part of it. */
static void tick(struct count_reader *r, uint64_t number)
{
	const size_t read = atomic_load_explicit(&r->read, memory_order_relaxed), i = read % TICKS;
	struct pp_count *const to = r->kept + i * r->all->counters->events->n;

	if (read - atomic_load_explicit(&r->taken, memory_order_acquire) == TICKS)
		return;
	if (pp_counters_read_place(r->all->counters, r->first, to, 1, &r->error)) {
		r->ticks = false;
		atomic_store(&r->failed, true);
		return;
	}
	r->of[i] = (struct tick){ number, pp_now_ns() };
	atomic_store_explicit(&r->read, read + 1, memory_order_release);
}

/* How many intervals are one for a reader that takes so long to read them.  It rests as long as it reads, for
 * others want the CPU, too; by powers of two, so that those of all readers have ends in common. */
static uint64_t step_of(uint64_t took, uint64_t interval)
{
	uint64_t step = 1;

	while (step * interval < 2 * took)
		step *= 2;
	return step;
}

/* Until something is asked of it. */
static void tick_on(struct count_reader *r)
{
	const uint64_t start = r->all->start, interval = r->all->interval;
	const uint64_t had = pp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t number = (pp_now_ns() - start) / interval, step = 1, ticks = 0;

	while (!await_until(&r->go, start + (number / step + 1) * step * interval)) {
		const uint64_t woke = pp_now_ns();
		uint64_t now;

		tick(r, (woke - start) / interval / step * step);
		if (!r->ticks) {
			await(&r->go);
			return;
		}
		now = pp_now_ns();
		ticks++;
		/* where that was long, the CPU may have been taken from it meanwhile: what it has had itself
		 * is looked at only then, as to ask for that takes time, too */
		step = 2 * (now - woke) <= interval ? 1 :
		       step_of((pp_clock_ns(CLOCK_THREAD_CPUTIME_ID) - had) / ticks, interval);
		number = (now - start) / interval;
	}
}

static void *serve(void *arg)
{
	struct count_reader *const r = arg;
	struct pp_readers *const all = r->all;

	for (;;) {
		if (r->ticks)
			tick_on(r);
		else
			await(&r->go);
		if (all->request == GO)
			return NULL;
		if (all->request == READ)
			read_own(r);
		else
			r->ticks = all->request == TICK;
		atomic_store(&r->asked, false);
		(void)sem_post(&all->done);
	}
}

/* Where it may not run, it runs elsewhere, and reads from there. */
static void pin(pthread_attr_t *attr, uint32_t cpu)
{
	cpu_set_t *const set = CPU_ALLOC(MOST_CPUS);
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	(void)pthread_attr_setaffinity_np(attr, size, set);
	CPU_FREE(set);
}

/* One that waits in vain for its CPU runs elsewhere at once: otherwise it could not even be killed. */
static void unpin(struct count_reader *r)
{
	const size_t size = CPU_ALLOC_SIZE(MOST_CPUS);
	cpu_set_t *const set = r->pinned && r->runs ? CPU_ALLOC(MOST_CPUS) : NULL;

	if (!set)
		return;
	memset(set, 0xff, size);
	(void)pthread_setaffinity_np(r->thread, size, set);
	r->pinned = false;
	CPU_FREE(set);
}

/* `at_once`: it runs before all others that want the CPU. */
static int start(struct count_reader *r, uint32_t cpu, bool at_once)
{
	const struct sched_param first = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };
	pthread_attr_t attr;
	int status = pthread_attr_init(&attr);

	if (status)
		return status;
	(void)pthread_attr_setstacksize(&attr, STACK);
	if (cpu != PP_ANY_CPU)
		pin(&attr, cpu);
	if (at_once) {
		(void)pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		(void)pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		(void)pthread_attr_setschedparam(&attr, &first);
	}
	status = pp_quiet_thread(&r->thread, &attr, serve, r);
	(void)pthread_attr_destroy(&attr);
	r->runs = !status;
	r->pinned = cpu != PP_ANY_CPU;
	return status;
}

/* How many times a place is read. */
static size_t reads_of(const struct pp_counters *c)
{
	size_t reads = 0;

	for (size_t i = 0; i < c->events->n; i++)
		reads += c->events->items[i].leader == i;
	return reads;
}

static bool are_faster(const struct pp_counters *c)
{
	return !c->target->system_wide || reads_of(c) > FEW_READS;
}

/* How many are worth it: 0, or one for each CPU, which is a place. */
static size_t readers_of(const struct pp_counters *c, bool often)
{
	const struct pp_target *const t = c->target;
	cpu_set_t may_run;
	size_t cpus;

	if (t->system_wide)
		return t->n_cpus > 1 && t->n_cpus <= MOST_CPUS && (often || are_faster(c)) ? t->n_cpus : 0;
	if (!pp_target_is_crowd(t) || sched_getaffinity(0, sizeof(may_run), &may_run))
		return 0;
	cpus = (size_t)CPU_COUNT(&may_run);
	return cpus < 2 ? 0 : cpus < MOST_READERS ? cpus : MOST_READERS;
}

static void forget_ticks(struct count_reader *r)
{
	free(r->kept);
	free(r->of);
	r->kept = NULL;
	r->of = NULL;
}

/* Whether it could be started so that it can read by itself. */
static bool start_ticking(struct count_reader *r, uint32_t cpu)
{
	r->kept = calloc(TICKS * (r->all->counters->events->n + 1), sizeof(*r->kept));
	r->of = calloc(TICKS, sizeof(*r->of));
	if (r->kept && r->of && !start(r, cpu, true))
		return true;
	forget_ticks(r);
	return false;
}

static int open_reader(struct count_reader *r, bool often)
{
	const struct pp_target *const t = r->all->counters->target;
	const uint32_t cpu = t->system_wide ? t->cpus[r->first] : PP_ANY_CPU;

	(void)sem_init(&r->go, 0, 0);
	return often && t->system_wide && start_ticking(r, cpu) ? 0 : start(r, cpu, false);
}

int pp_readers_open(struct pp_readers **readers, const struct pp_counters *c, bool often,
		    struct pp_error *error)
{
	const size_t n = readers_of(c, often);
	struct pp_readers *const all = n ? calloc(1, sizeof(*all) + n * sizeof(all->items[0])) : NULL;
	int status = 0;

	*readers = all;
	if (!all)
		return n ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	all->counters = c;
	all->faster = are_faster(c);
	(void)sem_init(&all->done, 0, 0);
	for (; all->n < n && !status; all->n++) {
		struct count_reader *const r = &all->items[all->n];

		r->all = all;
		r->first = all->n * c->each / n;
		r->last = (all->n + 1) * c->each / n;
		status = open_reader(r, often);
	}
	/* Without threads, or not where they should be, it is done as ever. */
	if (status) {
		pp_readers_close(all);
		*readers = NULL;
	}
	return 0;
}

static void ask(struct pp_readers *all, enum request request)
{
	all->request = request;
	for (size_t i = 0; i < all->n; i++) {
		atomic_store(&all->items[i].asked, true);
		if (all->items[i].runs)
			(void)sem_post(&all->items[i].go);
	}
}

static void ask_and_wait(struct pp_readers *all, enum request request)
{
	const uint64_t patience = pp_now_ns() + PATIENCE_NS;

	ask(all, request);
	for (size_t i = 0; i < all->n; i++) {
		if (await_until(&all->done, patience))
			continue;
		for (size_t k = 0; k < all->n; k++)
			if (atomic_load(&all->items[k].asked))
				unpin(&all->items[k]);
		await(&all->done);
	}
}

static int check(const struct pp_readers *all, struct pp_error *error)
{
	for (size_t i = 0; i < all->n; i++)
		if (atomic_load(&all->items[i].failed)) {
			if (error)
				*error = all->items[i].error;
			return -1;
		}
	return 0;
}

int pp_readers_read(struct pp_readers *all, struct pp_count *counts, struct pp_error *error)
{
	if (!all->faster)
		return pp_counters_read_all(all->counters, counts, all->counters->events->n *
					    all->counters->each, error);
	all->counts = counts;
	ask_and_wait(all, READ);
	return check(all, error);
}

/* ---- what they read by themselves ---- */

uint64_t pp_readers_tick(struct pp_readers *all, uint64_t from, uint64_t interval)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (!all->items[i].kept)
			return 0;
	if (!all)
		return 0;
	for (size_t i = 0; i < all->n; i++) {
		atomic_store(&all->items[i].failed, false);
		atomic_store(&all->items[i].read, 0);
		atomic_store(&all->items[i].taken, 0);
	}
	all->start = from;
	all->interval = interval;
	ask_and_wait(all, TICK);
	/* the rest is for who is late */
	return TICKS * 3 / 4 * interval;
}

void pp_readers_be_still(struct pp_readers *all)
{
	ask_and_wait(all, BE_STILL);
}

/* What this one has read next, or NULL. */
static const struct tick *next_of(const struct count_reader *r)
{
	const size_t taken = atomic_load_explicit(&r->taken, memory_order_relaxed);

	return taken == atomic_load_explicit(&r->read, memory_order_acquire) ? NULL : &r->of[taken % TICKS];
}

static void take(struct count_reader *r)
{
	(void)atomic_fetch_add_explicit(&r->taken, 1, memory_order_release);
}

/* Whether there is an interval that all have read, which is the next of each then: those that only some have
 * are passed over, as what they counted is in the next. */
static bool find_common(struct pp_readers *all)
{
	uint64_t number = 0, before;

	do {
		before = number;
		for (size_t i = 0; i < all->n; i++) {
			const struct tick *t;

			while ((t = next_of(&all->items[i])) && t->number < number)
				take(&all->items[i]);
			if (!t)
				return false;
			number = t->number;
		}
	} while (number != before);
	return true;
}

static size_t untaken(const struct count_reader *r)
{
	return atomic_load_explicit(&r->read, memory_order_acquire) -
	       atomic_load_explicit(&r->taken, memory_order_relaxed);
}

/* Where one has many, and not all have, others do not get their CPU.  What those read next is newer than all
 * there is. */
static void unpin_late(struct pp_readers *all)
{
	const size_t in_time = PATIENCE_NS / all->interval, many = in_time < TICKS / 2 ? in_time : TICKS / 2;
	bool late = false;

	for (size_t i = 0; i < all->n; i++)
		late |= untaken(&all->items[i]) >= many;
	for (size_t i = 0; late && i < all->n; i++) {
		if (!untaken(&all->items[i]))
			unpin(&all->items[i]);
		while (next_of(&all->items[i]))
			take(&all->items[i]);
	}
}

int pp_readers_next(struct pp_readers *all, struct pp_count *counts, uint64_t *time, struct pp_error *error)
{
	const size_t events = all->counters->events->n, each = all->counters->each;

	if (!find_common(all)) {
		unpin_late(all);
		return check(all, error);
	}
	*time = 0;
	for (size_t i = 0; i < all->n; i++) {
		struct count_reader *const r = &all->items[i];
		const struct tick *const t = next_of(r);
		const struct pp_count *const kept = r->kept + (size_t)(t - r->of) * events;

		for (size_t event = 0; event < events; event++)
			counts[event * each + r->first] = kept[event];
		if (t->time > *time)
			*time = t->time;
		take(r);
	}
	return 1;
}

void pp_readers_close(struct pp_readers *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		unpin(&all->items[i]);
	ask(all, GO);
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].runs)
			(void)pthread_join(all->items[i].thread, NULL);
		(void)sem_destroy(&all->items[i].go);
		forget_ticks(&all->items[i]);
	}
	(void)sem_destroy(&all->done);
	free(all);
}
