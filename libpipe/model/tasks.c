/*
 * tasks.c - threads through time: their names as perf script shows them, and whose address
 * space is whose; the spaces themselves are maps.c's.
 */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HERE = 16,                    /* a name of the kernel's, with its NUL */
	FIRST_SLOTS = 1024,
	ENDED = 1 << 14,              /* threads that are remembered after their end */
};

/*
 * What is known of a thread.  The leader of a process (its tid is its pid) has the maps and
 * counts the threads beside it that live.
 */
struct thread {
	uint32_t tid, pid;
	uint32_t others;
	bool used, named, away, ended;
	union {
		char here[HERE];
		char *away;           /* longer than the kernel's */
	} name;
	struct pp_space *space;
};

struct pp_tasks {
	struct thread *slots;         /* by tid, in the next free place behind their hash */
	size_t n_slots, count;
	unsigned shift;
	uint32_t *ended;              /* tids in the order of their end, a ring of ENDED */
	size_t n_ended;
	struct pp_files *files;       /* NULL: without maps */
	struct pp_space *kernel;
	char unnamed[16];
};

/* ---- The table ------------------------------------------------------------------------------- */

static size_t home(const struct pp_tasks *tasks, uint32_t tid)
{
	return (uint32_t)(tid * UINT32_C(2654435769)) >> tasks->shift;
}

static size_t slot_of(const struct pp_tasks *tasks, uint32_t tid)
{
	size_t at = home(tasks, tid);

	while (tasks->slots[at].used && tasks->slots[at].tid != tid)
		at = (at + 1) & (tasks->n_slots - 1);
	return at;
}

static struct thread *find(const struct pp_tasks *tasks, uint32_t tid)
{
	struct thread *const thread = &tasks->slots[slot_of(tasks, tid)];

	return thread->used ? thread : NULL;
}

static int grow(struct pp_tasks *tasks)
{
	struct thread *const old = tasks->slots;
	const size_t n = tasks->n_slots;
	struct thread *slots = calloc(n ? n * 2 : FIRST_SLOTS, sizeof(*slots));

	if (!slots)
		return -1;
	tasks->slots = slots;
	tasks->n_slots = n ? n * 2 : FIRST_SLOTS;
	tasks->shift = 32 - (unsigned)__builtin_ctzll(tasks->n_slots);
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			slots[slot_of(tasks, old[i].tid)] = old[i];
	free(old);
	return 0;
}

static void forget_name(struct thread *thread)
{
	if (thread->away)
		free(thread->name.away);
	thread->named = thread->away = false;
}

/* A thread of this process lives, or lives no more. */
static void count_other(const struct pp_tasks *tasks, const struct thread *thread, bool lives)
{
	struct thread *const leader = thread->pid == thread->tid || !tasks->files ?
				      NULL : find(tasks, thread->pid);

	if (leader && lives)
		leader->others++;
	else if (leader && leader->others)
		leader->others--;
}

/* Takes a thread out and closes the gap, so that a search may stop at a free place. */
static void take_out(struct pp_tasks *tasks, struct thread *thread)
{
	size_t gap = (size_t)(thread - tasks->slots), at = gap;

	if (!thread->ended)
		count_other(tasks, thread, false);
	forget_name(thread);
	pp_space_drop(thread->space);
	for (;;) {
		at = (at + 1) & (tasks->n_slots - 1);
		if (!tasks->slots[at].used)
			break;
		/* It may move into the gap unless its home lies behind the gap. */
		if (((at - home(tasks, tasks->slots[at].tid)) & (tasks->n_slots - 1)) >=
		    ((at - gap) & (tasks->n_slots - 1))) {
			tasks->slots[gap] = tasks->slots[at];
			gap = at;
		}
	}
	tasks->slots[gap] = (struct thread){ .used = false };
	tasks->count--;
}

static struct thread *add(struct pp_tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct thread *thread;

	if ((tasks->count + 1) > tasks->n_slots / 4 * 3 && grow(tasks))
		return NULL;
	thread = &tasks->slots[slot_of(tasks, tid)];
	*thread = (struct thread){ .tid = tid, .pid = pid, .used = true };
	tasks->count++;
	return thread;
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

static int set_name(struct thread *thread, const char *name, size_t length)
{
	char *away = NULL;

	if (length >= HERE && !(away = strndup(name, length)))
		return -1;
	forget_name(thread);
	if (away) {
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

/* A field that is asked for; the first of its name counts, so the body before the trailer. */
struct wanted {
	const char *name;
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

			if (w->there || strcmp(w->name, c.field->name) != 0)
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
	struct wanted w[] = { { .name = "pid" }, { .name = "tid" }, { .name = "comm" } };
	struct thread *thread;

	take(rec, w, 3);
	if (!w[2].bytes)
		return 0;
	thread = find_or_add(tasks, (uint32_t)w[0].value, (uint32_t)w[1].value);
	/* As in perf, an exec leaves the maps: while it is at work call chains still show the old
	 * program, and the new one's maps take the place of those that they overlap. */
	return thread && !set_name(thread, w[2].bytes, w[2].length) ? 0 : -1;
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

static int note_fork(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = { { .name = "pid" }, { .name = "ppid" }, { .name = "tid" },
			      { .name = "ptid" } };
	struct pp_space *space = NULL;
	struct thread *parent, *child;
	uint32_t pid, ppid, tid;
	char *name = NULL;
	int status = -1;

	take(rec, w, 4);
	if (!w[3].there)
		return 0;
	pid = (uint32_t)w[0].value;
	ppid = (uint32_t)w[1].value;
	tid = (uint32_t)w[2].value;
	parent = parent_of_fork(tasks, ppid, (uint32_t)w[3].value);
	if (!parent || (parent->named && !(name = strdup(name_of(parent)))))
		return -1;
	/* perf makes up a FORK for each task that is there already; its maps come one by one. */
	if (pid != ppid && !(rec->misc & PP_MISC_FORK_EXEC) && (parent = find(tasks, ppid)))
		space = pp_space_share(parent->space);
	child = find(tasks, tid);
	if (child)
		take_out(tasks, child);
	child = find_or_add(tasks, pid, tid);
	if (child && !(name && set_name(child, name, strlen(name)))) {
		status = 0;
		if (space && pid == tid) {
			child->space = space;
			space = NULL;
		}
	}
	pp_space_drop(space);
	free(name);
	return status;
}

/* Lets go of the thread that ended ENDED threads ago, and takes this one's number down. */
static int remember_end(struct pp_tasks *tasks, uint32_t tid)
{
	uint32_t *place;
	struct thread *old;

	if (!tasks->ended && !(tasks->ended = calloc(ENDED, sizeof(*tasks->ended))))
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
	struct wanted w[] = { { .name = "tid" } };
	struct thread *thread;

	take(rec, w, 1);
	thread = w[0].there ? find(tasks, (uint32_t)w[0].value) : NULL;
	if (!thread || thread->ended)
		return 0;
	thread->ended = true;
	count_other(tasks, thread, false);
	return remember_end(tasks, thread->tid);
}

/* MMAP and MMAP2. */
static int note_map(struct pp_tasks *tasks, const struct pp_record *rec)
{
	struct wanted w[] = {
		{ .name = "pid" }, { .name = "tid" }, { .name = "start" }, { .name = "len" },
		{ .name = "pgoff" }, { .name = "filename" }, { .name = "maj" }, { .name = "min" },
		{ .name = "ino" }, { .name = "build_id_size" }, { .name = "build_id" },
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
	return pp_space_add(space, tasks->files, &map, w[5].bytes, w[5].length);
}

int pp_tasks_note(struct pp_tasks *tasks, const struct pp_record *rec, struct pp_error *error)
{
	static const struct {
		uint32_t type;
		int (*note)(struct pp_tasks *, const struct pp_record *);
	} notes[] = {
		{ PP_REC_COMM, note_comm }, { PP_REC_FORK, note_fork }, { PP_REC_EXIT, note_exit },
		{ PP_REC_MMAP2, note_map }, { PP_REC_MMAP, note_map },
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].type == rec->type && notes[i].note(tasks, rec))
			return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

const struct pp_map *pp_tasks_map(struct pp_tasks *tasks, uint32_t pid, unsigned cpumode,
				  uint64_t ip)
{
	const struct thread *leader;

	if (!tasks->files)
		return NULL;
	if (cpumode == PP_MISC_KERNEL)
		return pp_space_find(tasks->kernel, tasks->files, ip);
	leader = cpumode == PP_MISC_USER ? find(tasks, pid) : NULL;
	return leader ? pp_space_find(leader->space, tasks->files, ip) : NULL;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

struct pp_tasks *pp_tasks_new(bool with_maps)
{
	struct pp_tasks *tasks = calloc(1, sizeof(*tasks));
	struct thread *idle;

	if (!tasks)
		return NULL;
	if ((with_maps && !(tasks->files = pp_files_new())) || grow(tasks) ||
	    !(idle = add(tasks, 0, 0)) || set_name(idle, "swapper", strlen("swapper"))) {
		pp_tasks_free(tasks);
		return NULL;
	}
	return tasks;
}

void pp_tasks_free(struct pp_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; tasks->slots && i < tasks->n_slots; i++) {
		forget_name(&tasks->slots[i]);
		pp_space_drop(tasks->slots[i].space);
	}
	pp_space_drop(tasks->kernel);
	pp_files_free(tasks->files);
	free(tasks->slots);
	free(tasks->ended);
	free(tasks);
}
