/*
 * tasks.c - threads through time: their names as perf script shows them, their address spaces, parents
 * and namespaces.  task_table.c has the set of threads; this file interprets records as perf does,
 * where other tables differ: a number belongs to the thread that had it last, whatever process a
 * record names, and an exec keeps the maps.
 */
#include "model/mapped_files.h"
#include "model/task_places.h"
#include "model/task_table.h"

#include <inttypes.h>
#include <stdio.h>

enum { ENDED = 1 << 14 };             /* threads that are remembered after their end */

struct pp_tasks {
	unsigned with;                /* PP_TASKS_ */
	struct pp_budget *budget;
	struct pp_task_table table;
	struct pp_files *files;       /* NULL: without maps */
	struct pp_space *kernel;
	struct pp_groups *groups;     /* NULL: without */
	char unnamed[16];
	struct {                      /* what was asked for last, until something changes */
		bool known;
		uint32_t pid;
		const struct pp_space *space, *piece;
	} place;
};

/* ---- Threads --------------------------------------------------------------------------------- */

static struct pp_thread *find(const struct pp_tasks *tasks, uint32_t tid)
{
	return pp_task_table_thread(&tasks->table, tid);
}

/* A thread of this process lives, or lives no more. */
static void count_other(struct pp_tasks *tasks, const struct pp_thread *t, bool lives)
{
	struct pp_thread *const leader = t->pid == t->link.key || !tasks->files ?
					 NULL : find(tasks, t->pid);

	if (leader)
		pp_task_table_other(&tasks->table, leader, lives);
}

static void take_out(struct pp_tasks *tasks, struct pp_thread *t)
{
	if (!t->ended)
		count_other(tasks, t, false);
	pp_task_table_remove(&tasks->table, t);
}

/* With maps comes the leader, who has those of the process. */
static struct pp_thread *add_task(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct pp_thread *t;

	if (tasks->files && pid != tid && pid != UINT32_MAX && !find(tasks, pid) &&
	    !pp_task_table_add(&tasks->table, pid, pid))
		return NULL;
	t = pp_task_table_add(&tasks->table, pid, tid);
	if (t)
		count_other(tasks, t, true);
	return t;
}

/* As machine__findnew_thread(): the thread of this number, of whichever process it is. */
static struct pp_thread *find_or_add(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct pp_thread *const t = find(tasks, tid);

	if (!t)
		return add_task(tasks, pid, tid);
	if (t->ended) {
		t->ended = 0;
		count_other(tasks, t, true);
	} else if (t->pid == UINT32_MAX) {
		t->pid = pid;
	}
	return t;
}

const char *pp_tasks_comm(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	const struct pp_thread *const t = find(tasks, tid);

	(void)pid;                    /* perf goes by the thread alone */
	if (t && t->has_name)
		return pp_thread_name(t);
	snprintf(tasks->unnamed, sizeof(tasks->unnamed), ":%" PRId32, (int32_t)tid);
	return tasks->unnamed;
}

/* ---- Records --------------------------------------------------------------------------------- */

static int note_comm(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_field_query w[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID }, { .is = PP_IS_COMM } };
	struct pp_thread *t;

	pp_lookup_fields(rec, w, 3);
	if (!w[2].bytes)
		return 0;
	t = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[1].value);
	/* As in perf, an exec leaves the maps: while it is at work call chains still show the old
	 * program, and the new one's maps take the place of those that they overlap. */
	return t ? pp_task_table_name(&tasks->table, t, w[2].bytes, w[2].length) : -1;
}

/* The parent as machine__process_fork_event() finds it: one of another process does not count. */
static struct pp_thread *parent_of_fork(struct pp_tasks *tasks, uint32_t ppid, uint32_t ptid)
{
	struct pp_thread *const parent = find_or_add(tasks, ppid, ptid);

	if (!parent || parent->pid == ppid)
		return parent;
	take_out(tasks, parent);
	return find_or_add(tasks, ppid, ptid);
}

/* The place of a process among its ancestors.  One whose child was recorded before it, as may
 * happen among records that perf made itself, keeps the place that it got then. */
static int find_descent(struct pp_tasks *tasks, const struct pp_record *rec, uint32_t pid,
			uint32_t ppid, struct pp_descent **descent)
{
	struct pp_thread *const parent = find_or_add(tasks, ppid, ppid);
	const struct pp_thread *const child = find(tasks, pid);
	struct pp_descent *of;

	if (!parent || (!parent->value.descent &&
			!(parent->value.descent = pp_descent_new(tasks->budget, ppid, NULL))))
		return -1;
	of = parent->value.descent;
	*descent = child && rec->misc & PP_MISC_FORK_EXEC ?
		   pp_descent_adopt(child->value.descent, of) : NULL;
	if (!*descent)
		*descent = pp_descent_new(tasks->budget, pid, of);
	return *descent ? 0 : -1;
}

/* What a new thread has of its parent; `descent` is its own. */
static int inherit_values(struct pp_tasks *tasks, struct pp_thread *child, const struct pp_thread *parent,
			  const struct pp_record *rec, struct pp_descent *descent)
{
	const char *const name = pp_thread_name(parent);
	const struct pp_thread *leader;

	child->value.namespaces = pp_namespaces_share(parent->value.namespaces);
	if (child->pid != child->link.key) {
		pp_descent_drop(tasks->budget, descent);
	} else {
		child->value.descent = descent;
		/* perf makes up a FORK for each task that is there already; its maps come one by one */
		leader = rec->misc & PP_MISC_FORK_EXEC || parent->pid == child->pid ?
			 NULL : find(tasks, parent->pid);
		child->value.space = leader ? pp_space_share(leader->value.space) : NULL;
	}
	return name ? pp_task_table_name(&tasks->table, child, name, strlen(name)) : 0;
}

static int note_fork(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_field_query w[] = { { .is = PP_IS_PID }, { .is = PP_IS_PPID }, { .is = PP_IS_TID },
			       { .is = PP_IS_PTID } };
	struct pp_descent *descent = NULL;
	struct pp_thread *child, *parent, *old;
	uint32_t pid, ppid, tid;
	int status;

	pp_lookup_fields(rec, w, 4);
	if (!w[3].there)
		return 0;
	pid = (uint32_t)w[0].value;
	ppid = (uint32_t)w[1].value;
	tid = (uint32_t)w[2].value;
	parent = parent_of_fork(tasks, ppid, (uint32_t)w[3].value);
	if (!parent || (pid != ppid && tasks->with & PP_TASKS_KIN &&
			find_descent(tasks, rec, pid, ppid, &descent)))
		return -1;
	/* the old one goes last: it may be the parent, or have the process's leader */
	old = find(tasks, tid);
	child = add_task(tasks, pid, tid);
	if (!child) {
		pp_descent_drop(tasks->budget, descent);
		return -1;
	}
	status = inherit_values(tasks, child, parent, rec, descent);
	if (old)
		take_out(tasks, old);
	return status;
}

/* The name stays: what is sampled on the way out, and after, still has it. */
static int note_exit(struct pp_tasks *tasks, const struct pp_record *rec)
{
	uint64_t tid;
	struct pp_thread *const t = pp_find_u64(rec, PP_IS_TID, &tid) ? find(tasks, (uint32_t)tid) : NULL;

	if (!t || t->ended)
		return 0;
	count_other(tasks, t, false);
	return pp_task_table_end(&tasks->table, t);
}

/* MMAP and MMAP2. */
static int note_map(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_field_query w[] = {
		{ .is = PP_IS_PID }, { .is = PP_IS_TID }, { .is = PP_IS_START }, { .is = PP_IS_LENGTH },
		{ .is = PP_IS_OFFSET }, { .is = PP_IS_PATH }, { .is = PP_IS_MAJOR }, { .is = PP_IS_MINOR },
		{ .is = PP_IS_INODE }, { .is = PP_IS_BUILD_ID_SIZE }, { .is = PP_IS_BUILD_ID },
		{ .is = PP_IS_PROT }, { .is = PP_IS_FLAGS }, { .is = PP_IS_GENERATION },
	};
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	struct pp_map map = { .kernel = mode == PP_MISC_KERNEL };
	struct pp_space **space = &tasks->kernel;
	struct pp_thread *leader;

	if (!tasks->files || mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER)
		return 0;
	pp_lookup_fields(rec, w, sizeof(w) / sizeof(*w));
	if (!w[5].bytes)
		return 0;
	map.start = w[2].value;
	map.end = pp_end_of(map.start, w[3].value);
	/* Without the right to see addresses perf writes a kernel of no length. */
	if (map.kernel && !w[3].value)
		map.end = UINT64_MAX;
	map.pgoff = w[4].value;
	map.maj = (uint32_t)w[6].value;
	map.min = (uint32_t)w[7].value;
	map.ino = w[8].value;
	map.prot = (uint32_t)w[11].value;
	map.flags = (uint32_t)w[12].value;
	map.ino_generation = w[13].value;
	if (w[10].there && w[10].length == sizeof(map.build_id)) {
		map.has_build_id = true;
		map.build_id_size = (uint8_t)(w[9].value <= 20 ? w[9].value : 20);
		memcpy(map.build_id, w[10].bytes, map.build_id_size);
	}
	if (!map.kernel) {
		leader = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[0].value);
		if (!leader)
			return -1;
		space = &leader->value.space;
	}
	return pp_files_map(tasks->files, space, &map, w[5].bytes, w[5].length);
}

static int note_namespaces(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_field_query w[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID } };
	struct pp_namespaces *namespaces;
	struct pp_thread *thread;

	if (!(tasks->with & PP_TASKS_NAMESPACES))
		return 0;
	pp_lookup_fields(rec, w, 2);
	if (!w[1].there)
		return 0;
	thread = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[1].value);
	namespaces = thread ? pp_namespaces_of(tasks->budget, rec, thread->value.namespaces) : NULL;
	if (!namespaces)
		return -1;
	pp_namespaces_drop(tasks->budget, thread->value.namespaces);
	thread->value.namespaces = namespaces;
	return 0;
}

static int note_cgroup(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_field_query w[] = { { .is = PP_IS_CGROUP }, { .is = PP_IS_PATH } };

	if (!tasks->groups)
		return 0;
	pp_lookup_fields(rec, w, 2);
	return w[1].bytes ? pp_groups_add(tasks->groups, w[0].value, w[1].bytes, w[1].length) : 0;
}

static int take_given(void *tasks, const struct pp_given_id *given)
{
	return pp_files_identify(((struct pp_tasks *)tasks)->files, given);
}

static int note_build_ids(struct pp_tasks *tasks, const struct pp_record *rec)
{
	return tasks->files && tasks->with & PP_TASKS_BUILD_IDS ? pp_given_each(rec, take_given, tasks) : 0;
}

int pp_tasks_note(struct pp_tasks *tasks, const struct pp_record *rec, struct pp_error *error)
{
	static const struct {
		uint32_t type;
		int (*note)(struct pp_tasks *, const struct pp_record *);
	} notes[] = {
		{ PP_REC_COMM, note_comm }, { PP_REC_FORK, note_fork }, { PP_REC_EXIT, note_exit },
		{ PP_REC_MMAP2, note_map }, { PP_REC_MMAP, note_map },
		{ PP_REC_NAMESPACES, note_namespaces }, { PP_REC_CGROUP, note_cgroup },
		{ PP_REC_HEADER_BUILD_ID, note_build_ids },
		{ PP_REC_HEADER_FEATURE, note_build_ids },
	};

	tasks->place.known = false;
	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].type == rec->type && notes[i].note(tasks, rec))
			return pp_budget_fail(tasks->budget, error);
	return 0;
}

const struct pp_map *pp_tasks_map(struct pp_tasks *tasks, uint32_t pid, unsigned cpumode,
				  uint64_t ip)
{
	const struct pp_thread *leader;

	if (!tasks->files)
		return NULL;
	if (cpumode == PP_MISC_KERNEL)
		return pp_files_find(tasks->files, tasks->kernel, ip);
	leader = cpumode == PP_MISC_USER ? find(tasks, pid) : NULL;
	return leader ? pp_files_find(tasks->files, leader->value.space, ip) : NULL;
}

enum pp_placed pp_tasks_place(struct pp_tasks *tasks, uint32_t pid, uint64_t address,
			      struct pp_file_place *place)
{
	const struct pp_space *piece = tasks->place.piece;
	const struct pp_thread *leader;

	if (!tasks->place.known || tasks->place.pid != pid) {
		leader = tasks->files ? find(tasks, pid) : NULL;
		tasks->place.space = leader ? leader->value.space : NULL;
		tasks->place.pid = pid;
		tasks->place.known = true;
		piece = NULL;
	}
	if (!piece || address < piece->start || address >= piece->end)
		tasks->place.piece = piece = pp_space_at(tasks->place.space, address);
	if (!piece)
		return PP_PLACED_NOWHERE;
	if (pp_files_of_process(tasks->files, piece))
		return PP_PLACED_IN_PROCESS;
	*place = (struct pp_file_place){ piece->file, address - piece->from + piece->pgoff };
	return PP_PLACED_IN_FILE;
}

bool pp_tasks_descends(struct pp_tasks *tasks, uint32_t pid, uint32_t from)
{
	const struct pp_thread *const leader = find(tasks, pid);

	return pid == from || (leader && pp_descent_has(leader->value.descent, from));
}

bool pp_tasks_namespace_of(struct pp_tasks *tasks, uint32_t pid, uint32_t tid, unsigned kind,
			   struct pp_namespace *of)
{
	const struct pp_thread *thread = find(tasks, tid);

	if (!thread || !thread->value.namespaces)
		thread = find(tasks, pid);
	return thread && pp_namespaces_get(thread->value.namespaces, kind, of);
}

bool pp_tasks_namespace(struct pp_tasks *tasks, uint32_t pid, uint32_t tid, unsigned kind,
			uint64_t *inode)
{
	struct pp_namespace of;

	if (!pp_tasks_namespace_of(tasks, pid, tid, kind, &of))
		return false;
	*inode = of.inode;
	return true;
}

const char *pp_tasks_cgroup(struct pp_tasks *tasks, uint64_t id)
{
	return tasks->groups ? pp_groups_path(tasks->groups, id) : NULL;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct pp_tasks *pp_tasks_new(unsigned with, struct pp_budget *budget)
{
	struct pp_tasks *const tasks = pp_take(budget, sizeof(*tasks));
	struct pp_thread *idle;

	if (!tasks)
		return NULL;
	tasks->with = with;
	tasks->budget = budget;
	pp_task_table_open(&tasks->table, budget, NULL, ENDED);
	if ((with & PP_TASKS_MAPS && !(tasks->files = pp_files_new(&tasks->table.spaces))) ||
	    (with & PP_TASKS_CGROUPS && !(tasks->groups = pp_groups_new(budget))) ||
	    !(idle = add_task(tasks, 0, 0)) ||
	    pp_task_table_name(&tasks->table, idle, "swapper", strlen("swapper"))) {
		pp_tasks_free(tasks);
		return NULL;
	}
	return tasks;
}

void pp_tasks_free(struct pp_tasks *tasks)
{
	if (!tasks)
		return;
	pp_space_drop(&tasks->table.spaces, tasks->kernel);
	pp_task_table_close(&tasks->table);
	pp_files_free(tasks->files);
	pp_groups_free(tasks->groups);
	pp_give_back(tasks->budget, tasks, sizeof(*tasks));
}
