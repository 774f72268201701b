/*
 * near.c - the CPU where most of many threads ran last.
 *
 * To open or to start the counter of a thread the kernel interrupts the CPU that thread was on last, also
 * if it sleeps: from that CPU itself it takes a third of the time.
 */
#include "counter/counter.h"

#include <sched.h>
#include <stdlib.h>

enum { ASKED = 64, MOST_CPUS = 4096 };

struct pp_near {
	size_t size;
	cpu_set_t *before;            /* where the caller may run */
};

/* Where at least half of some of them were; false: nowhere. */
static bool find_cpu(const struct pp_target *t, uint32_t *cpu)
{
	uint32_t cpus[ASKED];
	size_t n = 0, most = 0;

	for (size_t i = 0; i < ASKED; i++) {
		const struct pp_thread *const thread = &t->threads[i * t->n_threads / ASKED];
		struct pp_task_stat stat;

		if (pp_task_stat(thread->pid, thread->tid, &stat))
			cpus[n++] = stat.cpu;
	}
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;

		for (size_t k = 0; k < n; k++)
			same += cpus[k] == cpus[i];
		if (same > most)
			*cpu = cpus[i];
		most = same > most ? same : most;
	}
	return n && most >= n - most && *cpu < MOST_CPUS;
}

static bool run_there(struct pp_near *near, uint32_t cpu)
{
	cpu_set_t *const there = CPU_ALLOC(MOST_CPUS);
	bool done;

	if (!there)
		return false;
	CPU_ZERO_S(near->size, there);
	CPU_SET_S(cpu, near->size, there);
	done = !sched_getaffinity(0, near->size, near->before) &&
	       !sched_setaffinity(0, near->size, there);
	CPU_FREE(there);
	return done;
}

struct pp_near *pp_near_begin(const struct pp_target *t)
{
	struct pp_near *near;
	uint32_t cpu = 0;

	if (!pp_target_is_crowd(t) || !find_cpu(t, &cpu))
		return NULL;
	near = calloc(1, sizeof(*near));
	if (!near)
		return NULL;
	near->size = CPU_ALLOC_SIZE(MOST_CPUS);
	near->before = CPU_ALLOC(MOST_CPUS);
	if (near->before && run_there(near, cpu))
		return near;
	if (near->before)
		CPU_FREE(near->before);
	free(near);
	return NULL;
}

void pp_near_end(struct pp_near *near)
{
	if (!near)
		return;
	(void)sched_setaffinity(0, near->size, near->before);
	CPU_FREE(near->before);
	free(near);
}
