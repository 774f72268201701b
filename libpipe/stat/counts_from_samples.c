/*
 * counts_from_samples.c - counts that samples make: the periods that they stand for, or, where samples
 * carry values of counters, what these grew by; by event, CPU and task.
 */
#include "stat/count.h"
#include "format/read_values.h"

#include <perfpipe/tasks.h>

#include <stdio.h>
#include <stdlib.h>

enum { SOFTWARE = 1, CPU_CLOCK = 0, TASK_CLOCK = 1, DUMMY = 9 };        /* enum perf_sw_ids */

/* A counter of which samples carry values.  An inherited one has a value of its own in each thread. */
struct counter {
	uint64_t id;
	uint32_t tid;                 /* 0: of all */
	struct pp_count_value last;
};

struct pp_count_samples {
	struct pp_tasks *tasks;       /* how they are called */
	struct pp_idmap threads;      /* process and thread to index */
	uint64_t *keys;               /* the same the other way */
	size_t keys_room;
	struct counter *counters;
	size_t n, room;
	struct pp_index by_id;        /* 1 + index of a counter */
	uint64_t first;               /* time of the earliest; 0: none had one */
};

int pp_counts_from_samples(struct pp_counts *c, struct pp_error *error)
{
	struct pp_count_samples *const s = calloc(1, sizeof(*s));

	if (!s)
		return pp_fail(error, PP_E_NOMEM, NULL);
	s->tasks = pp_tasks_new(0, c->budget);
	if (!s->tasks) {
		free(s);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	s->threads.budget = s->by_id.budget = c->budget;
	c->samples = s;
	c->about.sampled = true;
	return 0;
}

void pp_count_samples_free(struct pp_counts *c)
{
	struct pp_count_samples *const s = c->samples;

	if (!s)
		return;
	pp_tasks_free(s->tasks);
	pp_idmap_close(&s->threads);
	pp_index_close(&s->by_id);
	pp_give_back(c->budget, s->keys, s->keys_room * sizeof(*s->keys));
	pp_give_back(c->budget, s->counters, s->room * sizeof(*s->counters));
	free(s);
}

/* ---- tasks ---- */

/* The number of a task among the threads, made if need be: -1 and *error; -2: there are too many. */
static int64_t find_thread(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_count_samples *const s = c->samples;
	uint32_t pid = 0, tid = 0;
	const uint64_t *known;
	uint64_t key;

	(void)pp_task(rec, &pid, &tid);
	key = (uint64_t)pid << 32 | tid;
	if (key == UINT64_MAX)
		key--;                        /* a task that is gone; the other has no number */
	known = pp_idmap_find(&s->threads, key);
	if (known)
		return (int64_t)*known;
	if (c->n_threads >= PP_COUNT_THREADS)
		return -2;
	if (PP_TAKE_GROW(c->budget, &s->keys, &s->keys_room, c->n_threads + 1) ||
	    pp_idmap_set(&s->threads, key, c->n_threads))
		return pp_budget_fail(c->budget, error);
	if (PP_GROW_ZEROED(&c->threads, &c->threads_room, c->n_threads + 1, error))
		return -1;
	s->keys[c->n_threads] = key;
	c->threads[c->n_threads] = (struct pp_count_thread){ .pid = (int32_t)tid };
	return (int64_t)c->n_threads++;
}

void pp_count_samples_name(struct pp_counts *c)
{
	for (size_t i = 0; c->samples && i < c->n_threads; i++) {
		const uint64_t key = c->samples->keys[i];
		const char *const comm = pp_tasks_comm(c->samples->tasks, (uint32_t)(key >> 32),
						       (uint32_t)key);

		snprintf(c->threads[i].comm, sizeof(c->threads[i].comm), "%s", comm);
	}
}

/* ---- values of counters ---- */

static uint64_t hash_counter(const void *counters, uint64_t place)
{
	const struct counter *const one = (const struct counter *)counters + (place - 1);

	return pp_hash_number(one->id ^ (uint64_t)one->tid << 40);
}

static struct counter *find_counter(struct pp_counts *c, uint64_t id, uint32_t tid, struct pp_error *error)
{
	struct pp_count_samples *const s = c->samples;
	const struct counter wanted = { .id = id, .tid = tid };
	size_t at;

	if (PP_TAKE_GROW(c->budget, &s->counters, &s->room, s->n + 1) ||
	    pp_index_reserve(&s->by_id, s->n + 1, hash_counter, s->counters)) {
		(void)pp_budget_fail(c->budget, error);
		return NULL;
	}
	at = pp_index_first(&s->by_id, hash_counter(&wanted, 1));
	for (; s->by_id.places[at]; at = pp_index_next(&s->by_id, at)) {
		struct counter *const one = &s->counters[s->by_id.places[at] - 1];

		if (one->id == id && one->tid == tid)
			return one;
	}
	s->counters[s->n] = wanted;
	s->by_id.places[at] = ++s->n;
	return &s->counters[s->n - 1];
}

static uint64_t grown(uint64_t *last, uint64_t now)
{
	const uint64_t more = now > *last ? now - *last : 0;

	*last += more;
	return more;
}

/* Where a sample was taken. */
struct where {
	int32_t cpu;
	uint32_t thread;
};

static int add(struct pp_counts *c, const struct pp_attr *attr, const struct where *where,
	       const struct pp_count_value *more, struct pp_error *error)
{
	const uint64_t id = attr->index + 1ull;
	struct pp_count_slot *slot = pp_count_slot_find(c, id, where->cpu, where->thread);

	if (!slot)
		slot = pp_count_slot_add(c, id, where->cpu, where->thread, attr->index, error);
	if (!slot)
		return -1;
	slot->now.val += more->val;
	slot->now.ena += more->ena;
	slot->now.run += more->run;
	slot->samples++;
	c->about.multiplexed |= slot->now.run < slot->now.ena;
	return 0;
}

/* One value of the group that a sample carries: what came since the last that was seen is its own. */
static int add_value(struct pp_counts *c, const struct pp_record *rec, const struct where *where,
		     const struct pp_read_values *now, struct pp_error *error)
{
	const struct pp_attr *const attr = now->has_id ? pp_attrs_by_id(c->attrs, now->id) : rec->attr;
	const bool inherited = attr && pp_attr_flag(attr, PP_FLAG_inherit);
	struct pp_count_value more;
	struct counter *counter;
	uint64_t id = now->id;
	uint32_t pid, tid = 0;

	if (!attr) {
		c->about.unknown++;
		return 0;
	}
	if (inherited)
		(void)pp_task(rec, &pid, &tid);
	if (!now->has_id && !pp_id(rec, &id))  /* it has no name but where it was */
		id = UINT64_C(1) << 63 | (uint64_t)attr->index << 32 | (uint32_t)where->cpu;
	counter = find_counter(c, id, tid, error);
	if (!counter)
		return -1;
	if (now->value < counter->last.val)
		c->about.backwards++;
	more.val = grown(&counter->last.val, now->value);
	more.ena = grown(&counter->last.ena, now->enabled);
	more.run = grown(&counter->last.run, now->running);
	return add(c, attr, where, &more, error);
}

static int add_sample_values(struct pp_counts *c, const struct pp_record *rec, const struct where *where,
			     struct pp_error *error)
{
	const bool group = rec->attr->read_format & PP_READ_GROUP;
	struct pp_read_values_walk values;
	int got;

	pp_read_values_open(&values, rec);
	while ((got = pp_read_values_next(&values)) > 0)
		if (group && !values.next.has_id)
			c->about.unknown++;
		else if (add_value(c, rec, where, &values.next, error))
			return -1;
	if (got)
		*error = values.cursor.error;
	return got;
}

/* ---- samples ---- */

static void take_time(struct pp_counts *c, const struct pp_record *rec)
{
	struct pp_count_samples *const s = c->samples;
	uint64_t time;

	if (!pp_time(rec, &time))
		return;
	if (!s->first || time < s->first) {
		c->about.time += s->first ? s->first - time : 0;
		s->first = time;
	}
	if (time - s->first > c->about.time)
		c->about.time = time - s->first;
}

/* Clocks are shown in milliseconds, also where the stream does not say so. */
static void name_unit(struct pp_count_event *e, const struct pp_attr *attr)
{
	if (*e->unit || e->scale != 1 || attr->type != SOFTWARE ||
	    (attr->config != CPU_CLOCK && attr->config != TASK_CLOCK))
		return;
	e->unit = "msec";
	e->scale = 1e-6;
}

static int note_sample(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	const struct pp_attr *const attr = rec->attr;
	struct pp_count_value more = { 0 };
	struct where where = { .cpu = -1 };
	int64_t thread;
	uint32_t cpu;

	c->about.samples++;
	if (pp_cpu(rec, &cpu) && cpu != UINT32_MAX)
		where.cpu = cpu < PP_COUNT_CPUS ? (int32_t)cpu : -2;
	if (!attr || where.cpu < -1) {
		c->about.unknown++;
		return 0;
	}
	if (pp_counts_sync(c, error))
		return -1;
	take_time(c, rec);
	c->events[attr->index].event.supported = true;
	name_unit(&c->events[attr->index].event, attr);
	thread = find_thread(c, rec, error);
	if (thread == -1)
		return -1;
	if (thread < 0) {
		c->about.unknown++;
		return 0;
	}
	where.thread = (uint32_t)thread;
	c->about.counts++;
	if (attr->sample_type & PP_SAMPLE_READ)
		return add_sample_values(c, rec, &where, error);
	if (pp_sample_period(rec, &more.val))
		return add(c, attr, &where, &more, error);
	c->events[attr->index].periodless = true;
	return 0;
}

int pp_counts_sample(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t lost;

	if (rec->type == PP_REC_SAMPLE)
		return note_sample(c, rec, error);
	if (pp_type_is(rec->type, PP_LOSES) && pp_find_u64(rec, PP_IS_LOST, &lost))
		c->about.lost += lost;
	if (rec->type < PP_USER_TYPES)
		return pp_tasks_note(c->samples->tasks, rec, error);
	/* what samples say themselves; a THREAD_MAP has those who were asked for, which need not be all */
	return rec->type == PP_REC_THREAD_MAP || rec->type == PP_REC_STAT_CONFIG ? 0 :
	       pp_counts_said(c, rec, error);
}

/* ---- rows ---- */

void pp_count_samples_finish(const struct pp_counts *c, struct pp_count_row *row, bool all)
{
	const struct pp_attr *const attr = row->event->attr;
	const bool side_band = attr->type == SOFTWARE && attr->config == DUMMY;

	/* none is a count, too, if each would have said how many it stands for */
	row->counted = row->samples || !c->events[row->event->index].periodless;
	row->shown = row->samples || (all && !side_band);
}
