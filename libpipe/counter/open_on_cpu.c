/*
 * open_on_cpu.c - opens the counters of many threads where these ran last.
 *
 * To open the counter of a thread the kernel interrupts the CPU that thread was on last, also if it sleeps:
 * from that CPU itself it takes a fifth of the time.  To ask for that CPU takes longer than is saved; but
 * threads that were started one after another are mostly on one CPU, so that few have to be asked for.
 */
#include "counter/counter.h"

#include <sched.h>
#include <stdlib.h>

enum { FEW = 16, BETWEEN = 64, MOST_CPUS = 4096 };

struct cpu_place {
	struct pp_target_thread thread;
	uint32_t cpu;
	size_t at;                    /* among the threads as they were found */
};

struct pp_open_on_cpu {
	uint32_t *cpus;               /* of each thread */
	uint32_t here;                /* where the caller runs, once it was moved */
	size_t size;
	cpu_set_t *before, *there;    /* where it may run; and the one */
};

static uint32_t ask_for_cpu(const struct cpu_place *p)
{
	struct pp_task_stat stat;

	return pp_task_stat(p->thread.pid, p->thread.tid, &stat) ? stat.cpu : 0;
}

/* The CPUs of the threads between these two: of a few each is taken to be where the nearer one is. */
static void find_between(struct cpu_place *first, struct cpu_place *last)
{
	struct cpu_place *const middle = first + (last - first) / 2;

	if (last - first > (first->cpu == last->cpu ? BETWEEN : FEW)) {
		middle->cpu = ask_for_cpu(middle);
		find_between(first, middle);
		find_between(middle, last);
		return;
	}
	for (struct cpu_place *p = first + 1; p < last; p++)
		p->cpu = p < middle ? first->cpu : last->cpu;
}

static int by_cpu(const void *left, const void *right)
{
	const struct cpu_place *const a = left, *const b = right;

	return a->cpu != b->cpu ? (a->cpu > b->cpu) - (a->cpu < b->cpu) : (a->at > b->at) - (a->at < b->at);
}

/* Puts the threads of one CPU next to each other. */
static bool arrange(struct pp_open_on_cpu *near, struct pp_target *t)
{
	struct cpu_place *const places = calloc(t->n_threads, sizeof(*places));

	if (!places)
		return false;
	for (size_t i = 0; i < t->n_threads; i++)
		places[i] = (struct cpu_place){ .thread = t->threads[i], .at = i };
	places[0].cpu = ask_for_cpu(&places[0]);
	places[t->n_threads - 1].cpu = ask_for_cpu(&places[t->n_threads - 1]);
	find_between(places, places + t->n_threads - 1);
	qsort(places, t->n_threads, sizeof(*places), by_cpu);
	for (size_t i = 0; i < t->n_threads; i++) {
		t->threads[i] = places[i].thread;
		near->cpus[i] = places[i].cpu;
	}
	free(places);
	return true;
}

struct pp_open_on_cpu *pp_open_on_cpu_begin(struct pp_target *t)
{
	struct pp_open_on_cpu *const near = pp_target_is_crowd(t) ? calloc(1, sizeof(*near)) : NULL;

	if (!near)
		return NULL;
	near->here = UINT32_MAX;
	near->size = CPU_ALLOC_SIZE(MOST_CPUS);
	near->cpus = calloc(t->n_threads, sizeof(*near->cpus));
	near->before = CPU_ALLOC(MOST_CPUS);
	near->there = CPU_ALLOC(MOST_CPUS);
	if (near->cpus && near->before && near->there &&
	    !sched_getaffinity(0, near->size, near->before) && arrange(near, t))
		return near;
	pp_open_on_cpu_end(near);
	return NULL;
}

void pp_open_on_cpu_go(struct pp_open_on_cpu *near, size_t thread)
{
	const uint32_t cpu = near ? near->cpus[thread] : 0;

	if (!near || near->here == cpu || cpu >= MOST_CPUS)
		return;
	near->here = cpu;
	CPU_ZERO_S(near->size, near->there);
	CPU_SET_S(cpu, near->size, near->there);
	/* where it may not run, it stays away */
	(void)sched_setaffinity(0, near->size, near->there);
}

void pp_open_on_cpu_end(struct pp_open_on_cpu *near)
{
	if (!near)
		return;
	if (near->here != UINT32_MAX)
		(void)sched_setaffinity(0, near->size, near->before);
	CPU_FREE(near->before);
	CPU_FREE(near->there);
	free(near->cpus);
	free(near);
}
