/*
 * crowd.c - the processes and threads that there are, with the records that tell of them: births,
 * names, namespaces, maps; which of them are written when is left to others.
 */
#include "model/model.h"

struct pp_process *pp_crowd_process(const struct pp_crowd *c, uint32_t pid)
{
	return (struct pp_process *)pp_table_find(&c->processes, pid);
}

struct pp_thread *pp_crowd_thread(const struct pp_crowd *c, uint32_t tid)
{
	return (struct pp_thread *)pp_table_find(&c->threads, tid);
}

void pp_crowd_begin(struct pp_crowd *c, struct pp_process *process, const struct pp_kept *fork)
{
	pp_space_drop(&c->spaces, process->maps.space);
	process->maps = (struct pp_maps){
		.owner = ++c->owners, .owned = true, .pid = (uint32_t)process->link.key,
		.time = fork ? fork->time : 0, .seq = fork ? fork->seq : 0,
	};
	process->exec_time = process->exec_seq = 0;
	c->changes++;
}

static void leave_process(struct pp_crowd *c, struct pp_process *process)
{
	if (--process->threads)
		return;
	pp_table_remove(&c->processes, &process->link);
	pp_space_drop(&c->spaces, process->maps.space);
	pp_give_back(c->keep->budget, process, sizeof(*process));
}

void pp_crowd_remove(struct pp_crowd *c, struct pp_thread *t)
{
	pp_table_remove(&c->threads, &t->link);
	leave_process(c, t->process);
	pp_kept_drop(c->keep, t->fork);
	pp_kept_drop(c->keep, t->names);
	pp_kept_drop(c->keep, t->comm);
	pp_kept_drop(c->keep, t->told);
	pp_kept_drop(c->keep, t->exit);
	pp_give_back(c->keep->budget, t, sizeof(*t));
}

/* The process of this number, or a new one without threads. */
static struct pp_process *process_of(struct pp_crowd *c, uint32_t pid)
{
	struct pp_process *process = pp_crowd_process(c, pid);

	if (process)
		return process;
	process = pp_take(c->keep->budget, sizeof(*process));
	if (!process)
		return NULL;
	process->link.key = pid;
	pp_crowd_begin(c, process, NULL);
	if (!pp_table_add(c->keep->budget, &c->processes, &process->link))
		return process;
	pp_give_back(c->keep->budget, process, sizeof(*process));
	return NULL;
}

struct pp_thread *pp_crowd_add(struct pp_crowd *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = pp_take(c->keep->budget, sizeof(*t));
	struct pp_process *const process = t ? process_of(c, pid) : NULL;

	if (!process) {
		pp_give_back(c->keep->budget, t, sizeof(*t));
		return NULL;
	}
	process->threads++;
	t->process = process;
	t->link.key = tid;
	if (!pp_table_add(c->keep->budget, &c->threads, &t->link))
		return t;
	leave_process(c, process);
	pp_give_back(c->keep->budget, t, sizeof(*t));
	return NULL;
}

struct pp_thread *pp_crowd_thread_of(struct pp_crowd *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = pp_crowd_thread(c, tid);

	if (t && t->process->link.key == pid)
		return t;
	if (t)
		pp_crowd_remove(c, t);
	return pp_crowd_add(c, pid, tid);
}

int pp_crowd_map(struct pp_crowd *c, struct pp_maps *maps, struct pp_kept *kept, uint64_t start,
		 uint64_t end)
{
	const struct pp_space piece = { .start = start, .end = end, .from = start, .to = end,
					.kept = kept };

	maps->whole = false;
	c->changes++;
	c->spaces.owner = maps->owner;
	return pp_space_put(&c->spaces, &maps->space, &piece);
}

void pp_crowd_open(struct pp_crowd *c, struct pp_keep *keep)
{
	*c = (struct pp_crowd){ .keep = keep, .spaces = { .budget = keep->budget, .keep = keep } };
}

void pp_crowd_close(struct pp_crowd *c)
{
	for (size_t i = 0; i < c->threads.room; i++)
		while (c->threads.buckets[i])
			pp_crowd_remove(c, (struct pp_thread *)c->threads.buckets[i]);
	pp_table_close(c->keep->budget, &c->threads);
	pp_table_close(c->keep->budget, &c->processes);
	pp_spaces_close(&c->spaces);
}
