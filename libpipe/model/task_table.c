/*
 * task_table.c - the existing processes and threads, and what records say about them: births, names,
 * namespaces, maps, ends.
 *
 * There are two kinds of table.  One keeps records, to write them again: sideband.c and prune.c.
 * The other keeps values, to look them up: tasks.c, which assigns numbers as perf does, and where
 * the leader of a process represents it, so that a process takes no more memory than its threads.
 */
#include "model/task_table.h"

#include <stddef.h>

uint64_t pp_end_of(uint64_t start, uint64_t length)
{
	return length <= UINT64_MAX - start ? start + length : UINT64_MAX;
}

/* ---- Processes: of a table that keeps records ------------------------------------------------ */

static struct pp_process *find_process(const struct pp_task_table *c, uint32_t pid)
{
	return (struct pp_process *)pp_table_find(&c->processes, pid);
}

/* The process was created by `fork` (NULL: unknown): it has no maps yet. */
static void begin_process(struct pp_task_table *c, struct pp_process *process, const struct pp_stored *fork)
{
	pp_space_drop(&c->spaces, process->maps.space);
	process->maps = (struct pp_maps){
		.owner = ++c->owners, .owned = true, .pid = (uint32_t)process->link.key,
		.time = fork ? fork->time : 0, .seq = fork ? fork->seq : 0,
	};
	process->exec_time = process->exec_seq = 0;
	c->changes++;
}

/* A thread joins the process of its number, or a new one. */
static int join(struct pp_task_table *c, struct pp_thread *t)
{
	struct pp_process *process = find_process(c, t->pid);

	if (!process) {
		process = pp_take(c->budget, sizeof(*process));
		if (!process)
			return -1;
		process->link.key = t->pid;
		begin_process(c, process, NULL);
		if (pp_table_add(c->budget, &c->processes, &process->link)) {
			pp_give_back(c->budget, process, sizeof(*process));
			return -1;
		}
	}
	process->threads++;
	t->process = process;
	return 0;
}

static void leave(struct pp_task_table *c, struct pp_process *process)
{
	if (--process->threads)
		return;
	pp_table_remove(&c->processes, &process->link);
	pp_space_drop(&c->spaces, process->maps.space);
	pp_give_back(c->budget, process, sizeof(*process));
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct pp_thread *pp_task_table_thread(const struct pp_task_table *c, uint32_t tid)
{
	return (struct pp_thread *)pp_table_find(&c->threads, tid);
}

static size_t size_of_thread(const struct pp_task_table *c)
{
	return c->keep ? sizeof(struct pp_thread) :
			 offsetof(struct pp_thread, value) + sizeof(struct pp_values);
}

static void forget_name(struct pp_task_table *c, struct pp_thread *t)
{
	if (t->away)
		pp_give_back(c->budget, t->value.name.away, strlen(t->value.name.away) + 1);
	t->has_name = t->away = false;
}

void pp_task_table_remove(struct pp_task_table *c, struct pp_thread *t)
{
	pp_table_remove(&c->threads, &t->link);
	if (c->keep) {
		leave(c, t->process);
		pp_stored_drop(c->keep, t->fork);
		pp_stored_drop(c->keep, t->names);
		pp_stored_drop(c->keep, t->comm);
		pp_stored_drop(c->keep, t->told);
		pp_stored_drop(c->keep, t->exit);
	} else {
		forget_name(c, t);
		pp_space_drop(&c->spaces, t->value.space);
		pp_descent_drop(c->budget, t->value.descent);
		pp_namespaces_drop(c->budget, t->value.namespaces);
	}
	pp_give_back(c->budget, t, size_of_thread(c));
}

struct pp_thread *pp_task_table_add(struct pp_task_table *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = pp_take(c->budget, size_of_thread(c));

	if (!t)
		return NULL;
	t->link.key = tid;
	t->pid = pid;
	if (c->keep && join(c, t)) {
		pp_give_back(c->budget, t, size_of_thread(c));
		return NULL;
	}
	if (!pp_table_add(c->budget, &c->threads, &t->link))
		return t;
	if (c->keep)
		leave(c, t->process);
	pp_give_back(c->budget, t, size_of_thread(c));
	return NULL;
}

struct pp_thread *pp_task_table_thread_of(struct pp_task_table *c, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = pp_task_table_thread(c, tid);

	if (t && t->pid == pid)
		return t;
	if (t)
		pp_task_table_remove(c, t);
	return pp_task_table_add(c, pid, tid);
}

/* Instead of its number, of a leader that ended before its threads: they still need its maps, so that it
 * counts as ended when the last of them has. */
static const uint64_t WAITS = UINT64_MAX;

void pp_task_table_forget(struct pp_task_table *c)
{
	for (; c->n_forgotten < c->n_ended; c->n_forgotten++) {
		struct pp_thread *const t = pp_task_table_thread(c, c->ended[c->n_forgotten % c->ended_most]);

		if (!t || t->ended != c->n_forgotten + 1)
			continue;
		if (t->others) {
			t->ended = WAITS;
			continue;
		}
		if (c->n_ended - c->n_forgotten < c->ended_most &&
		    (!c->grace || c->now - t->ended_at <= c->grace))
			return;
		pp_task_table_remove(c, t);
	}
}

static void end(struct pp_task_table *c, struct pp_thread *t)
{
	pp_task_table_forget(c);
	c->ended[c->n_ended % c->ended_most] = (uint32_t)t->link.key;
	t->ended = ++c->n_ended;
	if (c->grace)
		t->ended_at = c->now;
}

int pp_task_table_end(struct pp_task_table *c, struct pp_thread *t)
{
	if (!c->ended && !(c->ended = pp_take(c->budget, c->ended_most * sizeof(*c->ended))))
		return -1;
	if (t->others)
		t->ended = WAITS;
	else
		end(c, t);
	return 0;
}

void pp_task_table_other(struct pp_task_table *c, struct pp_thread *leader, bool lives)
{
	if (lives)
		leader->others++;
	else if (leader->others && !--leader->others && leader->ended == WAITS)
		end(c, leader);
}

/* ---- Names that are values ------------------------------------------------------------------- */

const char *pp_thread_name(const struct pp_thread *t)
{
	return !t->has_name ? NULL : t->away ? t->value.name.away : t->value.name.here;
}

int pp_task_table_name(struct pp_task_table *c, struct pp_thread *t, const char *name, size_t length)
{
	char *away = NULL;

	if (length >= sizeof(t->value.name.here) && !(away = pp_take(c->budget, length + 1)))
		return -1;
	forget_name(c, t);
	if (away)
		t->value.name.away = away;
	memcpy(away ? away : t->value.name.here, name, length);
	(away ? away : t->value.name.here)[length] = '\0';
	t->away = away != NULL;
	t->has_name = true;
	return 0;
}

/* ---- Records that are kept ------------------------------------------------------------------- */

int pp_task_table_note_fact(struct pp_task_table *c, const struct pp_record *rec, struct pp_thread **t,
			    struct pp_error *error)
{
	struct pp_field_query said[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID } };

	pp_lookup_fields(rec, said, 2);
	if (!said[0].there || !said[1].there)
		return 0;
	*t = pp_task_table_thread_of(c, (uint32_t)said[0].value, (uint32_t)said[1].value);
	if (!*t)
		return pp_budget_fail(c->budget, error);
	(*t)->ended = 0;
	(*t)->fresh = false;
	pp_stored_drop(c->keep, (*t)->exit);
	(*t)->exit = NULL;
	if (rec->type == PP_REC_NAMESPACES)
		(*t)->namesaid = false;
	return pp_stored_replace(c->keep, rec->type == PP_REC_COMM ? &(*t)->comm : &(*t)->names, rec,
				 error) ? -1 : 1;
}

/* What the child of a FORK has from its parent. */
static void inherit_records(struct pp_task_table *c, struct pp_thread *child, uint32_t ppid, uint32_t ptid,
			    bool with_maps)
{
	const struct pp_thread *const parent = pp_task_table_thread(c, ptid);
	const struct pp_process *from;

	if (parent && parent->pid == ppid)
		child->comm = pp_stored_share(parent->comm);
	if (child->pid != child->link.key)
		return;
	begin_process(c, child->process, child->fork);
	from = with_maps ? find_process(c, ppid) : NULL;
	if (!from || from == child->process)
		return;
	child->process->maps.space = pp_space_share(from->maps.space);
	child->process->exec_seq = from->exec_seq;
	child->process->exec_time = from->exec_time;
}

int pp_task_table_note_fork(struct pp_task_table *c, const struct pp_record *rec, struct pp_error *error)
{
	enum { PID, TID, PPID, PTID };
	struct pp_field_query said[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID }, { .is = PP_IS_PPID },
				  { .is = PP_IS_PTID } };
	struct pp_thread *child;
	uint32_t id[4];
	bool own;

	pp_lookup_fields(rec, said, 4);
	for (size_t i = 0; i < 4; i++) {
		if (!said[i].there)
			return 0;
		id[i] = (uint32_t)said[i].value;
	}
	/* of the first thread that there is perf says that it is its own child */
	own = id[TID] == id[PTID] && id[PID] == id[PPID];
	if (own && c->no_own_children)
		return 1;
	child = own ? NULL : pp_task_table_thread(c, id[TID]);
	if (child)
		pp_task_table_remove(c, child);
	child = own ? pp_task_table_thread_of(c, id[PID], id[TID]) : pp_task_table_add(c, id[PID], id[TID]);
	if (!child)
		return pp_budget_fail(c->budget, error);
	if (pp_stored_replace(c->keep, &child->fork, rec, error))
		return -1;
	/* perf lists the maps of an existing task one by one */
	if (!own)
		inherit_records(c, child, id[PPID], id[PTID], !(rec->misc & PP_MISC_FORK_EXEC));
	return 1;
}

bool pp_is_process_map(const struct pp_record *rec, uint32_t pid)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;

	return pid != UINT32_MAX && mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL &&
	       mode != PP_MISC_GUEST_USER;
}

struct pp_maps *pp_task_table_maps(struct pp_task_table *c, uint32_t pid)
{
	struct pp_process *const process = find_process(c, pid);
	struct pp_thread *const leader = process ? NULL : pp_task_table_thread_of(c, pid, pid);

	return process ? &process->maps : leader ? &leader->process->maps : NULL;
}

int pp_task_table_note_map(struct pp_task_table *c, struct pp_maps *maps, const struct pp_record *rec,
			   uint64_t start, uint64_t end, struct pp_error *error)
{
	struct pp_stored *const kept = pp_stored_new(c->keep, rec, error);
	const struct pp_space piece = { .start = start, .end = end, .from = start, .to = end,
					.kept = kept };
	int status;

	if (!kept)
		return -1;
	maps->whole = false;
	c->changes++;
	c->spaces.owner = maps->owner;
	status = pp_space_put(&c->spaces, &maps->space, &piece);
	pp_stored_drop(c->keep, kept);
	return status ? pp_budget_fail(c->budget, error) : 0;
}

/* ---- All of them ----------------------------------------------------------------------------- */

void pp_task_table_open(struct pp_task_table *c, struct pp_budget *budget, struct pp_record_store *keep,
			uint32_t ended_most)
{
	*c = (struct pp_task_table){ .budget = budget, .keep = keep, .ended_most = ended_most,
				.spaces = { .budget = budget, .keep = keep } };
}

void pp_task_table_close(struct pp_task_table *c)
{
	for (size_t i = 0; i < c->threads.room; i++)
		while (c->threads.buckets[i])
			pp_task_table_remove(c, (struct pp_thread *)c->threads.buckets[i]);
	pp_table_close(c->budget, &c->threads);
	pp_table_close(c->budget, &c->processes);
	pp_give_back(c->budget, c->ended, c->ended_most * sizeof(*c->ended));
	pp_spaces_close(&c->spaces);
}
