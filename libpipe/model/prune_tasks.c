/*
 * prune_tasks.c - the processes and threads whose samples may stay, and what waits for that: the
 * births, names and spaces of those that live and of the last that ended; what becomes due of
 * it is prune.c's.
 */
#include "prune.h"

#include <stdlib.h>

enum {
	BUCKETS = PP_CROWD_BUCKETS,
	ENDED = 1024,                 /* threads that are remembered after their end */
};

static size_t bucket(uint32_t number)
{
	return (number * UINT32_C(2654435769)) >> 18 & (BUCKETS - 1);
}

struct pp_process *pp_crowd_process(const struct pp_crowd *c, uint32_t pid)
{
	struct pp_process *process = c->processes[bucket(pid)];

	while (process && process->pid != pid)
		process = process->chain;
	return process;
}

struct pp_thread *pp_crowd_thread(const struct pp_crowd *c, uint32_t tid)
{
	struct pp_thread *t = c->threads[bucket(tid)];

	while (t && t->tid != tid)
		t = t->chain;
	return t;
}

static void leave_process(struct pp_crowd *c, struct pp_process *process)
{
	struct pp_process **at = &c->processes[bucket(process->pid)];

	if (--process->threads)
		return;
	while (*at != process)
		at = &(*at)->chain;
	*at = process->chain;
	pp_ground_drop(process->space.ground, c->keep);
	free(process);
}

void pp_crowd_remove(struct pp_crowd *c, struct pp_thread *t)
{
	struct pp_thread **at = &c->threads[bucket(t->tid)];

	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	leave_process(c, t->process);
	pp_kept_drop(c->keep, t->fork);
	pp_kept_drop(c->keep, t->names);
	pp_kept_drop(c->keep, t->comm);
	pp_kept_drop(c->keep, t->told);
	free(t);
}

struct pp_space_told pp_crowd_space(struct pp_crowd *c, uint32_t pid, const struct pp_kept *fork)
{
	c->changes++;
	return (struct pp_space_told){
		.owner = ++c->owners,
		.due = { .time = fork ? fork->time : 0, .seq = fork ? fork->seq : 0, .owned = true,
			 .pid = pid, .tid = pid },
	};
}

struct pp_thread *pp_crowd_add(struct pp_crowd *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *t = calloc(1, sizeof(*t));
	struct pp_process *process = pp_crowd_process(c, pid);

	if (t && !process && (process = calloc(1, sizeof(*process)))) {
		process->pid = pid;
		process->space = pp_crowd_space(c, pid, NULL);
		process->chain = c->processes[bucket(pid)];
		c->processes[bucket(pid)] = process;
	}
	if (!t || !process) {
		free(t);
		return NULL;
	}
	process->threads++;
	t->process = process;
	t->tid = tid;
	t->chain = c->threads[bucket(tid)];
	c->threads[bucket(tid)] = t;
	return t;
}

/* The thread of this number and process: a number that another process had is a new thread's. */
struct pp_thread *pp_crowd_thread_of(struct pp_crowd *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = pp_crowd_thread(c, tid);

	if (t && t->process->pid == pid)
		return t;
	if (t)
		pp_crowd_remove(c, t);
	return pp_crowd_add(c, pid, tid);
}

/* Lets go of the thread that ended ENDED threads ago, and takes this one's number down. */
int pp_crowd_end(struct pp_crowd *c, uint32_t tid)
{
	uint32_t *place;
	struct pp_thread *old;

	if (!c->ended && !(c->ended = calloc(ENDED, sizeof(*c->ended))))
		return -1;
	place = &c->ended[c->n_ended % ENDED];
	old = c->n_ended++ >= ENDED ? pp_crowd_thread(c, *place) : NULL;
	if (old && old->ended)
		pp_crowd_remove(c, old);
	*place = tid;
	return 0;
}

struct pp_crowd *pp_crowd_new(struct pp_keep *keep)
{
	struct pp_crowd *const c = calloc(1, sizeof(*c));

	if (c)
		c->keep = keep;
	return c;
}

void pp_crowd_free(struct pp_crowd *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (c->threads[i])
			pp_crowd_remove(c, c->threads[i]);
	free(c->ended);
	free(c);
}
