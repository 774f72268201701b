/*
 * sideband.c - what has to be at the head of a stream that begins here: what was said of the whole,
 * and what lives.  sideband_head.c writes it.
 *
 * All is kept as records.  A process that is forked shares the maps of its parent until one of
 * them changes its own, and the name of a thread passes to the threads that it makes.
 */
#include "sideband/sideband.h"
#include "format/payload.h"

#include <stdlib.h>
#include <xxhash.h>

enum {
	ENDED      = 1024,            /* threads that are remembered after their end, at most */
	THINGS_MAX = 1 << 16,         /* of a list that may grow without end */
	IN_MEMORY  = 64 << 10,        /* of a tail */
};

static const uint64_t GRACE = 2000000000;     /* ns for which what ended is remembered, at most */

/* ---- what is said once, or of a thing that has a key ---- */

/* Where records of a type go, and what replaces one of them; by type, 0 where there is no rule. */
#define RULE(name, ...) [PP_REC_##name] = { PP_REC_##name, __VA_ARGS__ }
static const struct sideband_rule {
	uint32_t type;
	enum list list;
	enum { BY_BYTES, BY_TYPE, BY_FIELDS, BY_IDS } by;
	enum pp_meaning field[2];
	enum pp_meaning gone;         /* field that marks the thing's end ... */
	uint64_t gone_value;          /* ... by this value */
	bool first;                   /* is kept, not the last */
} rules[] = {
	RULE(HEADER_ATTR, WHOLE, BY_IDS, { 0 }, 0, 0, false),
	RULE(HEADER_EVENT_TYPE, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(HEADER_TRACING_DATA, WHOLE, BY_TYPE, { 0 }, 0, 0, true),
	RULE(HEADER_BUILD_ID, FILES, BY_BYTES, { 0 }, 0, 0, false),
	RULE(ID_INDEX, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(AUXTRACE_INFO, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(THREAD_MAP, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(CPU_MAP, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(STAT_CONFIG, WHOLE, BY_BYTES, { 0 }, 0, 0, false),
	RULE(EVENT_UPDATE, WHOLE, BY_FIELDS, { PP_IS_KIND, PP_IS_EVENT_ID }, 0, 0, false),
	RULE(TIME_CONV, WHOLE, BY_TYPE, { 0 }, 0, 0, false),
	RULE(HEADER_FEATURE, WHOLE, BY_FIELDS, { PP_IS_FEATURE }, 0, 0, false),
	RULE(BPF_METADATA, FILES, BY_BYTES, { 0 }, 0, 0, false),
	RULE(FINISHED_INIT, LAST, BY_TYPE, { 0 }, 0, 0, false),
	RULE(KSYMBOL, LIVE, BY_FIELDS, { PP_IS_START }, PP_IS_FLAGS, 1, false),
	RULE(BPF_EVENT, LIVE, BY_FIELDS, { PP_IS_PROGRAM }, PP_IS_KIND, 2, false),
	RULE(CGROUP, LIVE, BY_FIELDS, { PP_IS_CGROUP }, 0, 0, false),
	RULE(TEXT_POKE, LIVE, BY_FIELDS, { PP_IS_START }, 0, 0, false),
};
#undef RULE
/* Maps of the kernel and of guests, notes and names: found by more than their type. */
static const struct sideband_rule map_rule = { 0, LIVE, BY_FIELDS, { PP_IS_START, PP_IS_PID }, 0, 0, false };
static const struct sideband_rule note_rule = { PP_REC_FINISHED_ROUND, NOTES, BY_BYTES, { 0 }, 0, 0, false };

/* ---- things ---- */

/* What distinguishes things of a type. */
struct key_fields {
	uint64_t type;                /* and the cpumode, in the upper half */
	int64_t host;                 /* -1: of all, or there is but one */
	uint64_t value[2];
};

static int64_t host_of(const struct pp_sideband *s, const struct pp_record *rec)
{
	return s->n_hosts ? pp_host_of(s->hosts, s->n_hosts, rec) : -1;
}

static uint64_t key_of(const struct pp_sideband *s, const struct sideband_rule *rule,
		       const struct pp_record *rec)
{
	struct key_fields key = { .type = rec->type | (uint64_t)(rec->misc & PP_MISC_CPUMODE) << 32,
				  .host = host_of(s, rec) };

	/* Events without ids are distinguished by their places, however similar they are. */
	if (rule->by == BY_IDS && !pp_find_u64(rec, PP_IS_EVENT_ID, &key.value[0]))
		key.value[1] = s->count[rule->list] + 1;
	else if (rule->by == BY_BYTES || rule->by == BY_IDS)
		return XXH3_64bits(rec->data, rec->size);
	for (size_t i = 0; rule->by == BY_FIELDS && i < 2; i++)
		if (rule->field[i] && !pp_find_u64(rec, rule->field[i], &key.value[i]))
			key.value[i] = 0;
	return XXH3_64bits(&key, sizeof(key));
}

static void close_tail(struct pp_sideband *s, struct thing *t)
{
	if (!t->tail)
		return;
	pp_spool_close(t->tail);
	pp_give_back(s->keep.budget, t->tail, sizeof(*t->tail));
}

static void remove_thing(struct pp_sideband *s, struct thing *t)
{
	pp_table_remove(&s->things, &t->link);
	*(t->before ? &t->before->after : &s->first[t->list]) = t->after;
	*(t->after ? &t->after->before : &s->last[t->list]) = t->before;
	s->count[t->list]--;
	pp_stored_drop(&s->keep, t->kept);
	close_tail(s, t);
	pp_give_back(s->keep.budget, t, sizeof(*t));
}

static struct thing *find_thing(const struct pp_sideband *s, uint64_t key, enum list list)
{
	struct pp_link *link = pp_table_find(&s->things, key);

	while (link && ((struct thing *)link)->list != list)
		link = pp_table_same(link->next, key);
	return (struct thing *)link;
}

static struct thing *new_thing(struct pp_sideband *s, const struct sideband_rule *rule, uint64_t key,
			       const struct pp_record *rec)
{
	struct thing *const t = pp_take(s->keep.budget, sizeof(*t));

	if (!t)
		return NULL;
	t->list = rule->list;
	t->link.key = key;
	if (rec->tail) {
		t->tail = pp_take(s->keep.budget, sizeof(*t->tail));
		if (!t->tail || pp_spool_open(t->tail, IN_MEMORY))
			goto failed;
	}
	t->kept = pp_stored_new(&s->keep, rec, s->error);
	if (t->kept && !pp_table_add(s->keep.budget, &s->things, &t->link))
		return t;
failed:
	pp_stored_drop(&s->keep, t->kept);
	close_tail(s, t);
	pp_give_back(s->keep.budget, t, sizeof(*t));
	return NULL;
}

static int add_thing(struct pp_sideband *s, const struct sideband_rule *rule, uint64_t key,
		     const struct pp_record *rec)
{
	struct thing *const t = new_thing(s, rule, key, rec);

	if (!t)
		return -1;
	t->before = s->last[t->list];
	*(t->before ? &t->before->after : &s->first[t->list]) = t;
	s->last[t->list] = t;
	s->taking = t->tail ? t : NULL;
	if (++s->count[t->list] > THINGS_MAX && (t->list == FILES || t->list == LIVE))
		remove_thing(s, s->first[t->list]);
	return 0;
}

static int note_thing(struct pp_sideband *s, const struct sideband_rule *rule, const struct pp_record *rec)
{
	const uint64_t key = key_of(s, rule, rec);
	struct thing *const old = find_thing(s, key, rule->list);
	uint64_t gone;

	if (rule->gone && pp_find_u64(rec, rule->gone, &gone) && gone == rule->gone_value) {
		if (old)
			remove_thing(s, old);
		return 0;
	}
	/* of what was said in the same words the first is as good as the last */
	if (old && (rule->first || rule->by == BY_BYTES || rule->by == BY_IDS))
		return 0;
	if (old)
		return pp_stored_replace(&s->keep, &old->kept, rec, s->error);
	return add_thing(s, rule, key, rec);
}

/* ---- processes and threads ---- */

/*
 * The old program's maps went with it.  But what is sampled until the new one runs still comes
 * from the old, by its call chain: so they are kept for a while, those of the one before it not.
 */
static int note_exec(struct pp_sideband *s, struct pp_process *p)
{
	if (pp_space_forget(&s->table.spaces, &p->maps.space, p->exec_seq))
		return -1;
	p->exec_seq = s->keep.seq;
	p->exec_time = s->table.now;
	return 0;
}

static int note_comm(struct pp_sideband *s, const struct pp_record *rec)
{
	struct pp_thread *t;
	const int noted = pp_task_table_note_fact(&s->table, rec, &t, s->error);

	return noted > 0 && rec->misc & PP_MISC_COMM_EXEC ? note_exec(s, t->process) : noted;
}

static int note_namespaces(struct pp_sideband *s, const struct pp_record *rec)
{
	struct pp_thread *t;

	return pp_task_table_note_fact(&s->table, rec, &t, s->error);
}

static int note_map(struct pp_sideband *s, const struct pp_record *rec)
{
	struct pp_field_query said[] = { { .is = PP_IS_PID }, { .is = PP_IS_START }, { .is = PP_IS_LENGTH } };
	struct pp_maps *maps;

	pp_lookup_fields(rec, said, 3);
	if (!said[0].there)
		return 0;
	if (!pp_is_process_map(rec, (uint32_t)said[0].value))
		return note_thing(s, &map_rule, rec);
	maps = pp_task_table_maps(&s->table, (uint32_t)said[0].value);
	if (!maps)
		return -1;
	return !said[1].there || !said[2].there ? 0 :
	       pp_task_table_note_map(&s->table, maps, rec, said[1].value,
				      pp_end_of(said[1].value, said[2].value), s->error);
}

static int note_fork(struct pp_sideband *s, const struct pp_record *rec)
{
	return pp_task_table_note_fork(&s->table, rec, s->error);
}

/* Lets go of the maps of programs that others took the place of long ago. */
static int forget_programs(struct pp_sideband *s)
{
	const struct pp_table *const processes = &s->table.processes;

	for (size_t i = 0; i < processes->room; i++) {
		for (struct pp_link *l = processes->buckets[i]; l; l = l->next) {
			struct pp_process *const p = (struct pp_process *)l;

			if (s->table.now - p->exec_time > GRACE &&
			    pp_space_forget(&s->table.spaces, &p->maps.space, p->exec_seq))
				return -1;
		}
	}
	return 0;
}

int pp_sideband_forget(struct pp_sideband *s)
{
	pp_task_table_forget(&s->table);
	return forget_programs(s);
}

/* What is sampled on the way out, and a little after, still needs it. */
static int note_exit(struct pp_sideband *s, const struct pp_record *rec)
{
	uint64_t tid;
	struct pp_thread *const t = pp_find_u64(rec, PP_IS_TID, &tid) ?
				    pp_task_table_thread(&s->table, (uint32_t)tid) : NULL;

	return !t || t->ended ? 0 : pp_task_table_end(&s->table, t);
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

static const struct sideband_rule *rule_of(uint32_t type)
{
	return type < N_RULES && rules[type].type ? &rules[type] : NULL;
}

bool pp_sideband_keeps(uint32_t type)
{
	return type != PP_REC_SAMPLE && (task_note(type) || rule_of(type));
}

bool pp_sideband_pid(const struct pp_record *rec, uint32_t *pid)
{
	note_fn *const note = task_note(rec->type);
	uint64_t value;

	if (!note || !pp_find_u64(rec, PP_IS_PID, &value))
		return false;
	*pid = (uint32_t)value;
	return *pid != UINT32_MAX && (note != note_map || pp_is_process_map(rec, *pid));
}

bool pp_sideband_process(const struct pp_sideband *s, uint32_t tid, uint32_t *pid)
{
	const struct pp_thread *const t = pp_task_table_thread(&s->table, tid);

	if (t)
		*pid = t->pid;
	return t;
}

void pp_sideband_hosts(struct pp_sideband *s, const struct pp_host *hosts, size_t n)
{
	s->hosts = hosts;
	s->n_hosts = n;
}

bool pp_sideband_cgroup(struct pp_sideband *s, const struct pp_record *sample, const char **path,
			size_t *length)
{
	struct key_fields key = { .type = PP_REC_CGROUP, .host = host_of(s, sample) };
	const struct thing *thing;
	struct pp_record rec;

	if (!pp_find_u64(sample, PP_IS_CGROUP, &key.value[0]))
		return false;
	thing = find_thing(s, XXH3_64bits(&key, sizeof(key)), LIVE);
	if (!thing || pp_stored_read(&s->keep, thing->kept, s->group, &rec, NULL))
		return false;
	return pp_find_text(&rec, PP_IS_PATH, path, length);
}

void pp_sideband_now(struct pp_sideband *s, uint64_t time)
{
	if (time > s->table.now)
		s->table.now = time;
}

int pp_sideband_note(struct pp_sideband *s, const struct pp_record *rec, struct pp_error *error)
{
	note_fn *const note = task_note(rec->type);
	const struct sideband_rule *const rule = rule_of(rec->type);
	const struct pp_payload *const payload = pp_payload_of(rec);
	struct pp_error why;
	int result = 0;
	uint64_t time;

	if (pp_time(rec, &time))
		pp_sideband_now(s, time);
	if (rec->type == PP_REC_SAMPLE)
		return 0;
	s->taking = NULL;
	s->error = error ? error : &why;
	s->error->code = PP_OK;
	if (note)
		result = note(s, rec);
	else if (rule)
		result = note_thing(s, rule, rec);
	else if (payload && payload->describes)
		result = note_thing(s, &note_rule, rec);
	if (result >= 0)
		return 0;
	return s->error->code ? -1 : pp_budget_fail(s->keep.budget, error);
}

int pp_sideband_tail(struct pp_sideband *s, const void *piece, size_t size, struct pp_error *error)
{
	return s->taking ? pp_spool_write(s->taking->tail, piece, size, error) : 0;
}

/* ---- all of it ---- */

struct pp_sideband *pp_sideband_new(struct pp_budget *budget)
{
	struct pp_sideband *const s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->keep.budget = budget;
	pp_task_table_open(&s->table, budget, &s->keep, ENDED);
	s->table.grace = GRACE;
	s->table.no_own_children = true;
	return s;
}

void pp_sideband_free(struct pp_sideband *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < LISTS; i++)
		while (s->first[i])
			remove_thing(s, s->first[i]);
	pp_table_close(s->keep.budget, &s->things);
	pp_task_table_close(&s->table);
	pp_record_store_close(&s->keep);
	free(s);
}
