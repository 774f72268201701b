/*
 * sideband.c - what must stand at the head of a stream that begins here: what was said of the
 * whole, and what lives.  sideband_head.c writes it; where streams begin is left to others.
 *
 * All is kept as records.  A process that is forked shares the maps of its parent until one of
 * them changes its own, and the name of a thread passes to the threads that it makes.
 */
#include "sideband.h"

#include <stdlib.h>
#include <xxhash.h>

enum {
	MAPS_MAX  = 1 << 16,          /* of a space; Linux allows 65530 by default */
	THINGS_MAX = 1 << 16,         /* of a list that may grow for ever */
};

static const uint64_t GRACE = 2000000000;     /* ns for which what ended is remembered, at most */

/* ---- what is said once, or of a thing that has a key ---- */

/* Where records of a type go, and what replaces one of them; by type, 0 where there is no rule. */
#define RULE(name, ...) [PP_REC_##name] = { PP_REC_##name, __VA_ARGS__ }
static const struct rule {
	uint32_t type;
	enum list list;
	enum { BY_BYTES, BY_TYPE, BY_FIELDS, BY_IDS } by;
	const char *field[2];
	const char *gone;             /* field that tells of the thing's end ... */
	uint64_t gone_value;          /* ... by this value */
	bool first;                   /* is kept, not the last */
} rules[] = {
	RULE(HEADER_ATTR, WHOLE, BY_IDS, { NULL }, NULL, 0, false),
	RULE(HEADER_EVENT_TYPE, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(HEADER_TRACING_DATA, WHOLE, BY_TYPE, { NULL }, NULL, 0, true),
	RULE(HEADER_BUILD_ID, FILES, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(ID_INDEX, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(AUXTRACE_INFO, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(THREAD_MAP, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(CPU_MAP, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(STAT_CONFIG, WHOLE, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(EVENT_UPDATE, WHOLE, BY_FIELDS, { "type", "id" }, NULL, 0, false),
	RULE(TIME_CONV, WHOLE, BY_TYPE, { NULL }, NULL, 0, false),
	RULE(HEADER_FEATURE, WHOLE, BY_FIELDS, { "feat_id", NULL }, NULL, 0, false),
	RULE(BPF_METADATA, FILES, BY_BYTES, { NULL }, NULL, 0, false),
	RULE(FINISHED_INIT, LAST, BY_TYPE, { NULL }, NULL, 0, false),
	RULE(KSYMBOL, LIVE, BY_FIELDS, { "addr", NULL }, "flags", 1, false),
	RULE(BPF_EVENT, LIVE, BY_FIELDS, { "id", NULL }, "type", 2, false),
	RULE(CGROUP, LIVE, BY_FIELDS, { "id", NULL }, NULL, 0, false),
	RULE(TEXT_POKE, LIVE, BY_FIELDS, { "addr", NULL }, NULL, 0, false),
};
#undef RULE
/* Maps of the kernel and of guests, and notes: found by more than their type. */
static const struct rule map_rule = { 0, LIVE, BY_FIELDS, { "start", "pid" }, NULL, 0, false };
static const struct rule note_rule = { PP_REC_FINISHED_ROUND, NOTES, BY_BYTES, { NULL }, NULL, 0, false };

/* Puts a new one in the place of an old one; false: out of memory. */
static bool replace(struct pp_sideband *s, struct pp_kept **place, struct pp_kept *k)
{
	if (!k)
		return false;
	pp_kept_drop(&s->keep, *place);
	*place = k;
	return true;
}

/* ---- things ---- */

/* What tells things of a type apart. */
struct key_fields {
	uint64_t type;                /* and the cpumode, in the upper half */
	int64_t host;                 /* -1: of all, or there is but one */
	uint64_t value[2];
};

static int64_t host_of(const struct pp_sideband *s, const struct pp_record *rec)
{
	return s->n_hosts ? pp_host_of(s->hosts, s->n_hosts, rec) : -1;
}

static uint64_t key_of(const struct pp_sideband *s, const struct rule *rule,
		       const struct pp_record *rec)
{
	struct key_fields key = { .type = rec->type | (uint64_t)(rec->misc & PP_MISC_CPUMODE) << 32,
				  .host = host_of(s, rec) };

	/* Events without ids are told apart by their places, however alike they are. */
	if (rule->by == BY_IDS && !pp_get_u64(rec, "id", &key.value[0]))
		key.value[1] = s->count[rule->list] + 1;
	else if (rule->by == BY_BYTES || rule->by == BY_IDS)
		return XXH3_64bits(rec->data, rec->size);
	for (size_t i = 0; rule->by == BY_FIELDS && i < 2; i++)
		if (rule->field[i] && !pp_get_u64(rec, rule->field[i], &key.value[i]))
			key.value[i] = 0;
	return XXH3_64bits(&key, sizeof(key));
}

static void remove_thing(struct pp_sideband *s, struct thing *t)
{
	struct thing **at = &s->things[t->key & (BUCKETS - 1)];

	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	*(t->before ? &t->before->after : &s->first[t->list]) = t->after;
	*(t->after ? &t->after->before : &s->last[t->list]) = t->before;
	s->count[t->list]--;
	pp_kept_drop(&s->keep, t->kept);
	free(t->tail);
	free(t);
}

static struct thing *find_thing(const struct pp_sideband *s, uint64_t key, enum list list)
{
	struct thing *t = s->things[key & (BUCKETS - 1)];

	while (t && (t->key != key || t->list != list))
		t = t->chain;
	return t;
}

static int add_thing(struct pp_sideband *s, const struct rule *rule, uint64_t key,
		     const struct pp_record *rec, const void *tail)
{
	struct thing *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	t->kept = pp_kept_new(&s->keep, rec, NULL);
	t->tail = tail ? malloc(rec->tail) : NULL;
	if (!t->kept || (tail && !t->tail)) {
		free(t->tail);
		pp_kept_drop(&s->keep, t->kept);
		free(t);
		return -1;
	}
	if (tail) {
		memcpy(t->tail, tail, rec->tail);
		t->tail_size = rec->tail;
	}
	t->list = rule->list;
	t->key = key;
	t->chain = s->things[key & (BUCKETS - 1)];
	s->things[key & (BUCKETS - 1)] = t;
	t->before = s->last[t->list];
	*(t->before ? &t->before->after : &s->first[t->list]) = t;
	s->last[t->list] = t;
	if (++s->count[t->list] > THINGS_MAX && (t->list == FILES || t->list == LIVE))
		remove_thing(s, s->first[t->list]);
	return 0;
}

static int note_thing(struct pp_sideband *s, const struct rule *rule, const struct pp_record *rec,
		      const void *tail)
{
	const uint64_t key = key_of(s, rule, rec);
	struct thing *const old = find_thing(s, key, rule->list);
	uint64_t gone;

	if (rule->gone && pp_get_u64(rec, rule->gone, &gone) && gone == rule->gone_value) {
		if (old)
			remove_thing(s, old);
		return 0;
	}
	/* of what was said in the same words the first is as good as the last */
	if (old && (rule->first || rule->by == BY_BYTES || rule->by == BY_IDS))
		return 0;
	if (old)
		return replace(s, &old->kept, pp_kept_new(&s->keep, rec, NULL)) ? 0 : -1;
	return add_thing(s, rule, key, rec, tail);
}

/* ---- spaces ---- */

static void drop_space(struct pp_sideband *s, struct space *space)
{
	if (!space || --space->users)
		return;
	for (uint32_t i = 0; i < space->count; i++)
		pp_kept_drop(&s->keep, space->maps[i].kept);
	free(space);
}

/* A space of one user with room for one more map: this one, or a copy. */
static struct space *own(struct space *space)
{
	const uint32_t count = space ? space->count : 0;
	const uint32_t room = space && count < space->room ? space->room : count + count / 2 + 8;
	const size_t size = sizeof(*space) + room * sizeof(space->maps[0]);
	struct space *mine;

	if (space && space->users == 1) {
		mine = room == space->room ? space : realloc(space, size);
	} else {
		mine = malloc(size);
		for (uint32_t i = 0; mine && i < count; i++) {
			mine->maps[i] = space->maps[i];
			pp_kept_share(mine->maps[i].kept);
		}
		if (mine && space)
			space->users--;
	}
	if (!mine)
		return NULL;
	mine->users = 1;
	mine->count = count;
	mine->room = room;
	return mine;
}

/* Adds a map; those that it covers are no more. */
static int add_map(struct pp_sideband *s, struct space **space, const struct pp_record *rec)
{
	struct map new = { .kept = NULL };
	struct space *mine;
	uint64_t length;
	uint32_t left = 0;

	if (!pp_get_u64(rec, "start", &new.start) || !pp_get_u64(rec, "len", &length))
		return 0;
	new.end = length <= UINT64_MAX - new.start ? new.start + length : UINT64_MAX;
	mine = own(*space);
	if (!mine)
		return -1;
	*space = mine;
	new.kept = pp_kept_new(&s->keep, rec, NULL);
	if (!new.kept)
		return -1;
	for (uint32_t i = 0; i < mine->count; i++) {
		const struct map *const m = &mine->maps[i];

		if ((m->start >= new.start && m->end <= new.end) ||
		    (!i && mine->count >= MAPS_MAX))
			pp_kept_drop(&s->keep, m->kept);
		else
			mine->maps[left++] = *m;
	}
	mine->maps[left++] = new;
	mine->count = left;
	return 0;
}

/* Maps that came before this ordinal are no more. */
static int forget_maps(struct pp_sideband *s, struct space **space, uint64_t before)
{
	struct space *mine = *space;
	uint32_t left = 0;

	/* those that are older stand before the newer ones */
	if (!mine || !mine->count || mine->maps[0].kept->seq >= before)
		return 0;
	mine = own(mine);
	if (!mine)
		return -1;
	*space = mine;
	for (uint32_t i = 0; i < mine->count; i++) {
		if (mine->maps[i].kept->seq < before)
			pp_kept_drop(&s->keep, mine->maps[i].kept);
		else
			mine->maps[left++] = mine->maps[i];
	}
	mine->count = left;
	return 0;
}

/* ---- processes and threads ---- */

static size_t bucket(uint32_t number)
{
	return (number * UINT32_C(2654435769)) >> 18 & (BUCKETS - 1);
}

static struct process *find_process(const struct pp_sideband *s, uint32_t pid)
{
	struct process *p = s->processes[bucket(pid)];

	while (p && p->pid != pid)
		p = p->chain;
	return p;
}

static struct thread *find_thread(const struct pp_sideband *s, uint32_t tid)
{
	struct thread *t = s->threads[bucket(tid)];

	while (t && t->tid != tid)
		t = t->chain;
	return t;
}

static void leave_process(struct pp_sideband *s, struct process *p)
{
	struct process **at = &s->processes[bucket(p->pid)];

	if (--p->threads)
		return;
	while (*at != p)
		at = &(*at)->chain;
	*at = p->chain;
	drop_space(s, p->space);
	free(p);
}

static void remove_thread(struct pp_sideband *s, struct thread *t)
{
	struct thread **at = &s->threads[bucket(t->tid)];

	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	leave_process(s, t->process);
	pp_kept_drop(&s->keep, t->fork);
	pp_kept_drop(&s->keep, t->names);
	pp_kept_drop(&s->keep, t->comm);
	free(t);
}

static struct thread *add_thread(struct pp_sideband *s, uint32_t pid, uint32_t tid)
{
	struct thread *t = calloc(1, sizeof(*t));
	struct process *p = find_process(s, pid);

	if (t && !p && (p = calloc(1, sizeof(*p)))) {
		p->pid = pid;
		p->chain = s->processes[bucket(pid)];
		s->processes[bucket(pid)] = p;
	}
	if (!t || !p) {
		free(t);
		return NULL;
	}
	p->threads++;
	t->process = p;
	t->tid = tid;
	t->chain = s->threads[bucket(tid)];
	s->threads[bucket(tid)] = t;
	return t;
}

/* The thread of this number and process: a number that another process had is a new thread's. */
static struct thread *thread_of(struct pp_sideband *s, uint32_t pid, uint32_t tid)
{
	struct thread *const t = find_thread(s, tid);

	if (t && t->process->pid == pid) {
		t->ended = 0;
		return t;
	}
	if (t)
		remove_thread(s, t);
	return add_thread(s, pid, tid);
}

/* Fields that are u32 in the body of a record: false where one is missing. */
static bool numbers(const struct pp_record *rec, const char *const *names, uint32_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value;

		if (!pp_get_u64(rec, names[i], &value))
			return false;
		values[i] = (uint32_t)value;
	}
	return true;
}

/*
 * The old program's maps went with it.  But what is sampled until the new one runs still comes
 * from the old, by its call chain: so they are kept for a while, those of the one before it not.
 */
static int note_exec(struct pp_sideband *s, struct process *p)
{
	if (forget_maps(s, &p->space, p->exec_seq) < 0)
		return -1;
	p->exec_seq = s->keep.seq;
	p->exec_time = s->now;
	return 0;
}

static int note_comm(struct pp_sideband *s, const struct pp_record *rec)
{
	static const char *const names[] = { "pid", "tid" };
	uint32_t id[2];
	struct thread *t;

	if (!numbers(rec, names, id, 2))
		return 0;
	t = thread_of(s, id[0], id[1]);
	if (!t || !replace(s, &t->comm, pp_kept_new(&s->keep, rec, NULL)))
		return -1;
	return rec->misc & PP_MISC_COMM_EXEC ? note_exec(s, t->process) : 0;
}

static int note_namespaces(struct pp_sideband *s, const struct pp_record *rec)
{
	static const char *const names[] = { "pid", "tid" };
	uint32_t id[2];
	struct thread *t;

	if (!numbers(rec, names, id, 2))
		return 0;
	t = thread_of(s, id[0], id[1]);
	return t && replace(s, &t->names, pp_kept_new(&s->keep, rec, NULL)) ? 0 : -1;
}

/* Whether a map is that of a process, not of the kernel or of a guest. */
static bool is_process_map(const struct pp_record *rec, uint32_t pid)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;

	return pid != UINT32_MAX && mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL &&
	       mode != PP_MISC_GUEST_USER;
}

static int note_map(struct pp_sideband *s, const struct pp_record *rec)
{
	static const char *const names[] = { "pid" };
	uint32_t pid;
	struct process *p;

	if (!numbers(rec, names, &pid, 1))
		return 0;
	if (!is_process_map(rec, pid))
		return note_thing(s, &map_rule, rec, NULL);
	p = find_process(s, pid);
	if (!p) {
		const struct thread *const t = thread_of(s, pid, pid);

		if (!t)
			return -1;
		p = t->process;
	}
	return add_map(s, &p->space, rec);
}

static int note_fork(struct pp_sideband *s, const struct pp_record *rec)
{
	static const char *const names[] = { "pid", "tid", "ppid", "ptid" };
	enum { PID, TID, PPID, PTID };
	uint32_t id[4];
	struct thread *child, *parent;
	struct process *from;

	if (!numbers(rec, names, id, 4) || (id[TID] == id[PTID] && id[PID] == id[PPID]))
		return 0;
	child = find_thread(s, id[TID]);
	if (child)
		remove_thread(s, child);
	child = add_thread(s, id[PID], id[TID]);
	if (!child || !replace(s, &child->fork, pp_kept_new(&s->keep, rec, NULL)))
		return -1;
	parent = find_thread(s, id[PTID]);
	if (parent && parent->process->pid == id[PPID])
		child->comm = pp_kept_share(parent->comm);
	if (id[PID] != id[TID])
		return 0;
	drop_space(s, child->process->space);
	child->process->space = NULL;
	child->process->exec_seq = child->process->exec_time = 0;
	child->process->time = child->fork->time;
	child->process->seq = child->fork->seq;
	/* of a task that is there already perf tells the maps one by one */
	from = rec->misc & PP_MISC_FORK_EXEC ? NULL : find_process(s, id[PPID]);
	if (from && from != child->process && from->space) {
		child->process->space = from->space;
		from->space->users++;
		child->process->exec_seq = from->exec_seq;
		child->process->exec_time = from->exec_time;
	}
	return 0;
}

/* Lets go of threads that ended long ago, or so many threads ago that there is no place. */
static void forget_ended(struct pp_sideband *s)
{
	for (; s->n_forgotten < s->n_ended; s->n_forgotten++) {
		const size_t at = s->n_forgotten % ENDED;
		struct thread *t;

		if (s->n_ended - s->n_forgotten < ENDED &&
		    (s->now < s->ended[at].time || s->now - s->ended[at].time <= GRACE))
			return;
		t = find_thread(s, s->ended[at].tid);
		if (t && t->ended == s->n_forgotten + 1)
			remove_thread(s, t);
	}
}

/* Lets go of the maps of programs that others took the place of long ago. */
static int forget_programs(struct pp_sideband *s)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct process *p = s->processes[i]; p; p = p->chain)
			if (s->now - p->exec_time > GRACE && forget_maps(s, &p->space, p->exec_seq) < 0)
				return -1;
	return 0;
}

int pp_sideband_forget(struct pp_sideband *s)
{
	forget_ended(s);
	return forget_programs(s);
}

/* What is sampled on the way out, and a little after, still needs it. */
static int note_exit(struct pp_sideband *s, const struct pp_record *rec)
{
	static const char *const names[] = { "tid" };
	struct thread *t;
	uint32_t tid;
	size_t at;

	if (!numbers(rec, names, &tid, 1))
		return 0;
	t = find_thread(s, tid);
	if (!t || t->ended)
		return 0;
	forget_ended(s);
	at = s->n_ended % ENDED;
	s->ended[at].tid = tid;
	s->ended[at].time = s->now;
	t->ended = ++s->n_ended;
	return 0;
}

typedef int note_fn(struct pp_sideband *, const struct pp_record *);

static note_fn *const tasks[] = {
	[PP_REC_COMM] = note_comm, [PP_REC_MMAP2] = note_map, [PP_REC_MMAP] = note_map,
	[PP_REC_FORK] = note_fork, [PP_REC_EXIT] = note_exit, [PP_REC_NAMESPACES] = note_namespaces,
};

enum { N_TASKS = sizeof(tasks) / sizeof(*tasks), N_RULES = sizeof(rules) / sizeof(*rules) };

static note_fn *task_note(uint32_t type)
{
	return type < N_TASKS ? tasks[type] : NULL;
}

static const struct rule *rule_of(uint32_t type)
{
	return type < N_RULES && rules[type].type ? &rules[type] : NULL;
}

bool pp_sideband_keeps(uint32_t type)
{
	return type != PP_REC_SAMPLE && (task_note(type) || rule_of(type));
}

bool pp_sideband_pid(const struct pp_record *rec, uint32_t *pid)
{
	static const char *const names[] = { "pid" };
	note_fn *const note = task_note(rec->type);

	return note && numbers(rec, names, pid, 1) && *pid != UINT32_MAX &&
	       (note != note_map || is_process_map(rec, *pid));
}

bool pp_sideband_process(const struct pp_sideband *s, uint32_t tid, uint32_t *pid)
{
	const struct thread *const t = find_thread(s, tid);

	if (t)
		*pid = t->process->pid;
	return t;
}

void pp_sideband_hosts(struct pp_sideband *s, const struct pp_host *hosts, size_t n)
{
	s->hosts = hosts;
	s->n_hosts = n;
}

bool pp_sideband_cgroup(const struct pp_sideband *s, const struct pp_record *sample, const char **path,
			size_t *length)
{
	struct key_fields key = { .type = PP_REC_CGROUP, .host = host_of(s, sample) };
	const struct thing *thing;
	struct pp_record rec;

	if (!pp_get_u64(sample, "cgroup", &key.value[0]))
		return false;
	thing = find_thing(s, XXH3_64bits(&key, sizeof(key)), LIVE);
	if (!thing)
		return false;
	rec = pp_kept_record(thing->kept, thing->kept->data);
	return pp_get_text(&rec, "path", path, length);
}

void pp_sideband_now(struct pp_sideband *s, uint64_t time)
{
	if (time > s->now)
		s->now = time;
}

int pp_sideband_note(struct pp_sideband *s, const struct pp_record *rec, const void *tail,
		     struct pp_error *error)
{
	note_fn *const note = task_note(rec->type);
	const struct rule *const rule = rule_of(rec->type);
	int result = 0;
	uint64_t time;

	if (pp_time(rec, &time))
		pp_sideband_now(s, time);
	if (rec->type == PP_REC_SAMPLE)
		return 0;
	if (note)
		result = note(s, rec);
	else if (rule)
		result = note_thing(s, rule, rec, tail);
	else if (rec->type == PP_REC_FINISHED_ROUND && pp_is_note(rec))
		result = note_thing(s, &note_rule, rec, NULL);
	return result ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* ---- all of it ---- */

struct pp_sideband *pp_sideband_new(void)
{
	return calloc(1, sizeof(struct pp_sideband));
}

void pp_sideband_free(struct pp_sideband *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < LISTS; i++)
		while (s->first[i])
			remove_thing(s, s->first[i]);
	for (size_t i = 0; i < BUCKETS; i++)
		while (s->threads[i])
			remove_thread(s, s->threads[i]);
	free(s);
}
