/*
 * tasks.c - threads through time: their names as perf script shows them, and whose address
 * space, parent and namespaces are whose; the spaces themselves are maps.c's, the rest
 * belongs.c's.
 */
#include "model/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HERE = 16,                    /* a name of the kernel's, with its NUL */
	ENDED = 1 << 14,              /* threads that are remembered after their end */
};

/*
 * What is known of a thread.  The leader of a process (its tid is its pid) has the maps and
 * counts the threads beside it that live.
 */
struct thread {
	struct pp_link link;          /* by tid */
	uint32_t pid;
	uint32_t others;
	bool named, away, ended;
	union {
		char here[HERE];
		char *away;           /* longer than the kernel's */
	} name;
	struct pp_space *space;
	struct pp_descent *descent;   /* of a leader */
	struct pp_namespaces *namespaces;
};

struct pp_tasks {
	unsigned with;                /* PP_TASKS_ */
	struct pp_budget *budget;
	struct pp_table threads;
	uint32_t *ended;              /* tids in the order of their end, a ring of ENDED */
	size_t n_ended;
	struct pp_files *files;       /* NULL: without maps */
	struct pp_space *kernel;
	struct pp_groups *groups;     /* NULL: without */
	char unnamed[16];
};

/* ---- The table ------------------------------------------------------------------------------- */

static struct thread *find(const struct pp_tasks *tasks, uint32_t tid)
{
	return (struct thread *)pp_table_find(&tasks->threads, tid);
}

static void forget_name(const struct pp_tasks *tasks, struct thread *thread)
{
	if (thread->away)
		pp_give_back(tasks->budget, thread->name.away, strlen(thread->name.away) + 1);
	thread->named = thread->away = false;
}

/* A thread of this process lives, or lives no more. */
static void count_other(const struct pp_tasks *tasks, const struct thread *thread, bool lives)
{
	struct thread *const leader = thread->pid == thread->link.key || !tasks->files ?
				      NULL : find(tasks, thread->pid);

	if (leader && lives)
		leader->others++;
	else if (leader && leader->others)
		leader->others--;
}

static void take_out(struct pp_tasks *tasks, struct thread *thread)
{
	if (!thread->ended)
		count_other(tasks, thread, false);
	forget_name(tasks, thread);
	pp_files_drop(tasks->files, thread->space);
	pp_descent_drop(tasks->budget, thread->descent);
	pp_namespaces_drop(tasks->budget, thread->namespaces);
	pp_table_remove(&tasks->threads, &thread->link);
	pp_give_back(tasks->budget, thread, sizeof(*thread));
}

static struct thread *add(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct thread *const thread = pp_take(tasks->budget, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->link.key = tid;
	thread->pid = pid;
	if (!pp_table_add(tasks->budget, &tasks->threads, &thread->link))
		return thread;
	pp_give_back(tasks->budget, thread, sizeof(*thread));
	return NULL;
}

/* As machine__findnew_thread(): the thread of this number, of whichever process it is. */
static struct thread *find_or_add(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct thread *thread = find(tasks, tid);

	if (thread && !thread->ended) {
		if (thread->pid == UINT32_MAX)
			thread->pid = pid;
		return thread;
	}
	if (thread) {
		thread->ended = false;
	} else {
		if (tasks->files && pid != tid && pid != UINT32_MAX && !find(tasks, pid) &&
		    !add(tasks, pid, pid))
			return NULL;
		thread = add(tasks, pid, tid);
		if (!thread)
			return NULL;
	}
	count_other(tasks, thread, true);
	return thread;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const char *name_of(const struct thread *thread)
{
	return thread->away ? thread->name.away : thread->name.here;
}

static int set_name(const struct pp_tasks *tasks, struct thread *thread, const char *name, size_t length)
{
	char *away = NULL;

	if (length >= HERE && !(away = pp_take(tasks->budget, length + 1)))
		return -1;
	forget_name(tasks, thread);
	if (away) {
		memcpy(away, name, length);
		thread->name.away = away;
	} else {
		memcpy(thread->name.here, name, length);
		thread->name.here[length] = '\0';
	}
	thread->away = away != NULL;
	thread->named = true;
	return 0;
}

const char *pp_tasks_comm(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	const struct thread *const thread = find(tasks, tid);

	(void)pid;                    /* perf goes by the thread alone */
	if (thread && thread->named)
		return name_of(thread);
	snprintf(tasks->unnamed, sizeof(tasks->unnamed), ":%" PRId32, (int32_t)tid);
	return tasks->unnamed;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* A field that is asked for; the first that means this counts, so the body before the trailer. */
struct wanted {
	enum pp_meaning is;
	uint64_t value;
	const char *bytes;            /* of text and bytes, borrowed from the record */
	size_t length;
	bool there;
};

/* Fills in what the record has; damage only ends the search. */
static void take(const struct pp_record *rec, struct wanted *wanted, size_t n)
{
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		for (size_t i = 0; token == PP_VALUE && i < n; i++) {
			struct wanted *const w = &wanted[i];

			if (w->there || w->is != c.field->is)
				continue;
			w->there = true;
			w->value = c.value;
			if (c.field->kind == PP_BYTES) {
				w->bytes = (const char *)c.data;
				w->length = c.count;
			} else if (c.field->kind == PP_STR) {
				w->bytes = pp_walk_text(&c, &w->length);
			}
			break;
		}
	}
}

static int note_comm(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID }, { .is = PP_IS_COMM } };
	struct thread *thread;

	take(rec, w, 3);
	if (!w[2].bytes)
		return 0;
	thread = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[1].value);
	/* As in perf, an exec leaves the maps: while it is at work call chains still show the old
	 * program, and the new one's maps take the place of those that they overlap. */
	return thread && !set_name(tasks, thread, w[2].bytes, w[2].length) ? 0 : -1;
}

/* The parent as machine__process_fork_event() finds it: one of another process is none. */
static struct thread *parent_of_fork(struct pp_tasks *tasks, uint32_t ppid, uint32_t ptid)
{
	struct thread *parent = find_or_add(tasks, ppid, ptid);

	if (!parent || parent->pid == ppid)
		return parent;
	take_out(tasks, parent);
	return find_or_add(tasks, ppid, ptid);
}

/* What a new thread has of others. */
struct heritage {
	struct pp_space *space;
	struct pp_descent *descent;
	struct pp_namespaces *namespaces;
	char *name;
};

static void drop_heritage(const struct pp_tasks *tasks, struct heritage *h)
{
	pp_files_drop(tasks->files, h->space);
	pp_descent_drop(tasks->budget, h->descent);
	pp_namespaces_drop(tasks->budget, h->namespaces);
	free(h->name);
}

/* The place of a process among its ancestors.  One whose child was told of before it was itself,
 * as may be among those that perf made up, keeps the place that it got then. */
static int find_descent(struct pp_tasks *tasks, const struct pp_record *rec, uint32_t pid,
			uint32_t ppid, struct pp_descent **descent)
{
	struct thread *const parent = find_or_add(tasks, ppid, ppid);
	const struct thread *const child = find(tasks, pid);

	if (!parent || (!parent->descent && !(parent->descent = pp_descent_new(tasks->budget, ppid, NULL))))
		return -1;
	*descent = child && rec->misc & PP_MISC_FORK_EXEC ?
		   pp_descent_adopt(child->descent, parent->descent) : NULL;
	if (!*descent)
		*descent = pp_descent_new(tasks->budget, pid, parent->descent);
	return *descent ? 0 : -1;
}

static int find_heritage(struct pp_tasks *tasks, const struct pp_record *rec,
			 const struct wanted *w, struct heritage *h)
{
	const uint32_t pid = (uint32_t)w[0].value, ppid = (uint32_t)w[1].value;
	const struct thread *parent = parent_of_fork(tasks, ppid, (uint32_t)w[3].value);

	if (!parent || (parent->named && !(h->name = strdup(name_of(parent)))))
		return -1;
	h->namespaces = pp_namespaces_share(parent->namespaces);
	if (pid == ppid)
		return 0;
	/* perf makes up a FORK for each task that is there already; its maps come one by one. */
	parent = rec->misc & PP_MISC_FORK_EXEC ? NULL : find(tasks, ppid);
	h->space = parent ? pp_space_share(parent->space) : NULL;
	return tasks->with & PP_TASKS_KIN ? find_descent(tasks, rec, pid, ppid, &h->descent) : 0;
}

static int note_fork(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .is = PP_IS_PID }, { .is = PP_IS_PPID }, { .is = PP_IS_TID },
			      { .is = PP_IS_PTID } };
	struct heritage h = { .name = NULL };
	struct thread *child;
	uint32_t pid, tid;
	int status = -1;

	take(rec, w, 4);
	if (!w[3].there)
		return 0;
	pid = (uint32_t)w[0].value;
	tid = (uint32_t)w[2].value;
	if (find_heritage(tasks, rec, w, &h))
		goto out;
	child = find(tasks, tid);
	if (child)
		take_out(tasks, child);
	child = find_or_add(tasks, pid, tid);
	if (child && !(h.name && set_name(tasks, child, h.name, strlen(h.name)))) {
		status = 0;
		child->namespaces = h.namespaces;
		h.namespaces = NULL;
		if (pid == tid) {
			child->space = h.space;
			child->descent = h.descent;
			h.space = NULL;
			h.descent = NULL;
		}
	}
out:
	drop_heritage(tasks, &h);
	return status;
}

/* Lets go of the thread that ended ENDED threads ago, and takes this one's number down. */
static int remember_end(struct pp_tasks *tasks, uint32_t tid)
{
	uint32_t *place;
	struct thread *old;

	if (!tasks->ended && !(tasks->ended = pp_take(tasks->budget, ENDED * sizeof(*tasks->ended))))
		return -1;
	place = &tasks->ended[tasks->n_ended % ENDED];
	old = tasks->n_ended++ >= ENDED ? find(tasks, *place) : NULL;
	if (old && old->ended && old->others) {
		/* A leader that left its threads behind: they still need its maps. */
		return 0;
	}
	if (old && old->ended)
		take_out(tasks, old);
	*place = tid;
	return 0;
}

/* The name stays: what is sampled on the way out, and after, still has it. */
static int note_exit(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .is = PP_IS_TID } };
	struct thread *thread;

	take(rec, w, 1);
	thread = w[0].there ? find(tasks, (uint32_t)w[0].value) : NULL;
	if (!thread || thread->ended)
		return 0;
	thread->ended = true;
	count_other(tasks, thread, false);
	return remember_end(tasks, (uint32_t)thread->link.key);
}

/* MMAP and MMAP2. */
static int note_map(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = {
		{ .is = PP_IS_PID }, { .is = PP_IS_TID }, { .is = PP_IS_START }, { .is = PP_IS_LENGTH },
		{ .is = PP_IS_OFFSET }, { .is = PP_IS_PATH }, { .is = PP_IS_MAJOR }, { .is = PP_IS_MINOR },
		{ .is = PP_IS_INODE }, { .is = PP_IS_BUILD_ID_SIZE }, { .is = PP_IS_BUILD_ID },
	};
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	struct pp_map map = { .kernel = mode == PP_MISC_KERNEL };
	struct pp_space **space = &tasks->kernel;
	struct thread *leader;

	if (!tasks->files || mode == PP_MISC_GUEST_KERNEL || mode == PP_MISC_GUEST_USER)
		return 0;
	take(rec, w, sizeof(w) / sizeof(*w));
	if (!w[5].bytes)
		return 0;
	map.start = w[2].value;
	map.end = w[3].value <= UINT64_MAX - map.start ? map.start + w[3].value : UINT64_MAX;
	/* Without the right to see addresses perf writes a kernel of no length. */
	if (map.kernel && !w[3].value)
		map.end = UINT64_MAX;
	map.pgoff = w[4].value;
	map.maj = (uint32_t)w[6].value;
	map.min = (uint32_t)w[7].value;
	map.ino = w[8].value;
	if (w[10].there && w[10].length == sizeof(map.build_id)) {
		map.has_build_id = true;
		map.build_id_size = (uint8_t)(w[9].value <= 20 ? w[9].value : 20);
		memcpy(map.build_id, w[10].bytes, map.build_id_size);
	}
	if (!map.kernel) {
		leader = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[0].value);
		if (!leader)
			return -1;
		space = &leader->space;
	}
	return pp_files_map(tasks->files, space, &map, w[5].bytes, w[5].length);
}

static int note_namespaces(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .is = PP_IS_PID }, { .is = PP_IS_TID } };
	struct pp_namespaces *namespaces;
	struct thread *thread;

	if (!(tasks->with & PP_TASKS_NAMESPACES))
		return 0;
	take(rec, w, 2);
	if (!w[1].there)
		return 0;
	thread = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[1].value);
	namespaces = thread ? pp_namespaces_of(tasks->budget, rec, thread->namespaces) : NULL;
	if (!namespaces)
		return -1;
	pp_namespaces_drop(tasks->budget, thread->namespaces);
	thread->namespaces = namespaces;
	return 0;
}

static int note_cgroup(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .is = PP_IS_CGROUP }, { .is = PP_IS_PATH } };

	if (!tasks->groups)
		return 0;
	take(rec, w, 2);
	return w[1].bytes ? pp_groups_add(tasks->groups, w[0].value, w[1].bytes, w[1].length) : 0;
}

/* Build-ids that are told of files: records of their own, or a feature with one after the other. */
static int note_build_ids(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct pp_cursor c;
	const uint8_t *id = NULL;
	uint64_t feature = PP_FEAT_BUILD_ID;
	uint8_t size = 0;
	size_t length;

	if (!tasks->files || !(tasks->with & PP_TASKS_BUILD_IDS) ||
	    (rec->type == PP_REC_HEADER_FEATURE && !pp_find_feature(rec, &feature)) ||
	    feature != PP_FEAT_BUILD_ID)
		return 0;
	pp_walk(&c, rec);
	for (int token; (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_BUILD_ID) {
			id = c.count == 20 ? c.data : NULL;
			size = 20;
		} else if (c.field->is == PP_IS_BUILD_ID_SIZE && c.value && c.value < 20) {
			size = (uint8_t)c.value;
		} else if (c.field->is == PP_IS_PATH && id) {
			const char *const name = pp_walk_text(&c, &length);

			if (pp_files_identify(tasks->files, name, length, id, size))
				return -1;
		}
	}
	return 0;
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

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].type == rec->type && notes[i].note(tasks, rec))
			return pp_budget_fail(tasks->budget, error);
	return 0;
}

const struct pp_map *pp_tasks_map(struct pp_tasks *tasks, uint32_t pid, unsigned cpumode,
				  uint64_t ip)
{
	const struct thread *leader;

	if (!tasks->files)
		return NULL;
	if (cpumode == PP_MISC_KERNEL)
		return pp_files_find(tasks->files, tasks->kernel, ip);
	leader = cpumode == PP_MISC_USER ? find(tasks, pid) : NULL;
	return leader ? pp_files_find(tasks->files, leader->space, ip) : NULL;
}

bool pp_tasks_descends(struct pp_tasks *tasks, uint32_t pid, uint32_t from)
{
	const struct thread *const leader = find(tasks, pid);

	return pid == from || (leader && pp_descent_has(leader->descent, from));
}

bool pp_tasks_namespace(struct pp_tasks *tasks, uint32_t pid, uint32_t tid, unsigned kind,
			uint64_t *inode)
{
	const struct thread *thread = find(tasks, tid);

	if (!thread || !thread->namespaces)
		thread = find(tasks, pid);
	return thread && pp_namespaces_get(thread->namespaces, kind, inode);
}

const char *pp_tasks_cgroup(struct pp_tasks *tasks, uint64_t id)
{
	return tasks->groups ? pp_groups_path(tasks->groups, id) : NULL;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct pp_tasks *pp_tasks_new(unsigned with, struct pp_budget *budget)
{
	struct pp_tasks *const tasks = pp_take(budget, sizeof(*tasks));
	struct thread *idle;

	if (!tasks)
		return NULL;
	tasks->with = with;
	tasks->budget = budget;
	if ((with & PP_TASKS_MAPS && !(tasks->files = pp_files_new(budget))) ||
	    (with & PP_TASKS_CGROUPS && !(tasks->groups = pp_groups_new(budget))) ||
	    !(idle = add(tasks, 0, 0)) || set_name(tasks, idle, "swapper", strlen("swapper"))) {
		pp_tasks_free(tasks);
		return NULL;
	}
	return tasks;
}

void pp_tasks_free(struct pp_tasks *tasks)
{
	struct pp_budget *const b = tasks ? tasks->budget : NULL;

	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->threads.room; i++)
		while (tasks->threads.buckets[i])
			take_out(tasks, (struct thread *)tasks->threads.buckets[i]);
	pp_table_close(b, &tasks->threads);
	pp_files_drop(tasks->files, tasks->kernel);
	pp_files_free(tasks->files);
	pp_groups_free(tasks->groups);
	pp_give_back(b, tasks->ended, ENDED * sizeof(*tasks->ended));
	pp_give_back(b, tasks, sizeof(*tasks));
}
