/*
 * readers.c - threads that each read some counters: of the CPU they run on, or of a part of a crowd.
 *
 * To read a counter of another CPU the kernel interrupts that one, and again for each: where there are
 * several on each of several CPUs, it costs less to wake a thread there.  Those of hundreds of threads take
 * long to read, and can be read at the same time.  What one reads is left to the counters.
 */
#include "count/counting.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

enum {
	FEW_READS = 4,                /* are done read from elsewhere */
	MOST_CPUS = 4096,
	MOST_READERS = 8,             /* of a crowd */
	STACK = 256 * 1024,
};

struct reader {
	struct pp_readers *all;
	pthread_t thread;
	bool runs;
	sem_t go;
	size_t first, last;           /* places: from this one to before that */
	int status;
	struct pp_error error;
};

struct pp_readers {
	const struct pp_counters *counters;
	struct pp_count *counts;      /* NULL: it is time to go */
	sem_t done;
	size_t n;
	struct reader items[];
};

static void await(sem_t *sem)
{
	while (sem_wait(sem))
		continue;
}

static void *read_own(void *arg)
{
	struct reader *const r = arg;
	struct pp_readers *const all = r->all;

	for (await(&r->go); all->counts; await(&r->go)) {
		r->status = 0;
		for (size_t place = r->first; place < r->last && !r->status; place++)
			r->status = pp_counters_read_place(all->counters, place, all->counts + place,
							   &r->error);
		(void)sem_post(&all->done);
	}
	return NULL;
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

static int start(struct reader *r, uint32_t cpu)
{
	pthread_attr_t attr;
	int status = pthread_attr_init(&attr);

	if (status)
		return status;
	(void)pthread_attr_setstacksize(&attr, STACK);
	if (cpu != PP_ANY_CPU)
		pin(&attr, cpu);
	status = pthread_create(&r->thread, &attr, read_own, r);
	(void)pthread_attr_destroy(&attr);
	r->runs = !status;
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

/* How many are worth it: 0, or one for each CPU, which is a place. */
static size_t readers_of(const struct pp_counters *c)
{
	const struct pp_target *const t = c->target;
	cpu_set_t may_run;
	size_t cpus;

	if (t->system_wide)
		return t->n_cpus > 1 && t->n_cpus <= MOST_CPUS && reads_of(c) > FEW_READS ? t->n_cpus : 0;
	if (!pp_target_is_crowd(t) || sched_getaffinity(0, sizeof(may_run), &may_run))
		return 0;
	cpus = (size_t)CPU_COUNT(&may_run);
	return cpus < 2 ? 0 : cpus < MOST_READERS ? cpus : MOST_READERS;
}

int pp_readers_open(struct pp_readers **readers, const struct pp_counters *c, struct pp_error *error)
{
	const size_t n = readers_of(c);
	struct pp_readers *const all = n ? calloc(1, sizeof(*all) + n * sizeof(all->items[0])) : NULL;
	sigset_t every, was;
	int status = 0;

	*readers = all;
	if (!all)
		return n ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	all->counters = c;
	(void)sem_init(&all->done, 0, 0);
	/* signals are for the thread that waits for them */
	(void)sigfillset(&every);
	(void)pthread_sigmask(SIG_SETMASK, &every, &was);
	for (; all->n < n && !status; all->n++) {
		struct reader *const r = &all->items[all->n];

		*r = (struct reader){
			.all = all, .first = all->n * c->each / n, .last = (all->n + 1) * c->each / n,
		};
		(void)sem_init(&r->go, 0, 0);
		status = start(r, c->target->system_wide ? c->target->cpus[all->n] : PP_ANY_CPU);
	}
	(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
	/* Without threads, or not where they should be, it is done as ever. */
	if (status) {
		pp_readers_close(all);
		*readers = NULL;
	}
	return 0;
}

int pp_readers_read(struct pp_readers *all, struct pp_count *counts, struct pp_error *error)
{
	int status = 0;

	all->counts = counts;
	for (size_t i = 0; i < all->n; i++)
		(void)sem_post(&all->items[i].go);
	for (size_t i = 0; i < all->n; i++)
		await(&all->done);
	for (size_t i = 0; i < all->n && !status; i++) {
		status = all->items[i].status;
		if (status)
			*error = all->items[i].error;
	}
	return status;
}

void pp_readers_close(struct pp_readers *all)
{
	if (!all)
		return;
	all->counts = NULL;
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].runs)
			(void)sem_post(&all->items[i].go);
	for (size_t i = 0; i < all->n; i++) {
		if (all->items[i].runs)
			(void)pthread_join(all->items[i].thread, NULL);
		(void)sem_destroy(&all->items[i].go);
	}
	(void)sem_destroy(&all->done);
	free(all);
}
