/*
 * pairs.c - spans from a sample of one event to the next of another that has the same key: a request and its
 * completion, an entry and its exit.
 *
 * A span that begins again before it has ended replaces the one before, whose end is not known.  One that has
 * not ended at the end of the stream, or during which something was lost, is of another event.
 */
#include "span/pairs.h"

#include <perfpipe/walk.h>

#include "base/array.h"
#include "base/hash.h"
#include "span/kept_chain.h"
#include "span/made_events.h"
#include "span/pair_ends.h"
#include "text/system_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_WHOLE, EVENT_PART };
/* What samples of an event may be, as bits. */
enum { SIDE_ASKED = 1, SIDE_BEGINS = 2, SIDE_ENDS = 4 };

static const struct pp_pair_preset pair_presets[] = {
	{ "syscalls", "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "tid", "id", "ret" },
	{ "block", "block:block_rq_issue", "block:block_rq_complete", "dev,sector", "sector", NULL },
	{ "irq", "irq:irq_handler_entry", "irq:irq_handler_exit", "cpu,irq", "irq", NULL },
	{ "softirq", "irq:softirq_entry", "irq:softirq_exit", "cpu,vec", "vec", NULL },
	{ "locks", "lock:contention_begin", "lock:contention_end", "tid,lock_addr", "lock_addr", NULL },
};

const struct pp_pair_preset *pp_pair_preset_at(size_t i)
{
	return i < sizeof(pair_presets) / sizeof(*pair_presets) ? &pair_presets[i] : NULL;
}

const struct pp_pair_preset *pp_pair_preset(const char *name)
{
	const struct pp_pair_preset *preset;

	for (size_t i = 0; (preset = pp_pair_preset_at(i)); i++)
		if (!strcmp(preset->name, name))
			break;
	return preset;
}

/* A span that has begun. */
struct pp_open_pair {
	struct pp_link link;          /* by its key */
	struct pp_made_sample sample; /* time: when it began */
	uint32_t losses;
	struct pp_kept_chain chain;
};

struct pp_pairs {
	struct pp_span_options how;
	struct pp_tracepoints *points;
	struct pp_query_facts facts;
	struct pp_pair_end from, to;
	const char *shown, *result;
	char names[2][64];
	struct pp_made_events made;
	struct pp_table open;
	uint8_t *sides;               /* SIDE_ bits, by the event's index */
	size_t sides_room;
	bool begun;
	uint64_t last;
	uint32_t losses;
	struct pp_span_stats stats;
};

/* ---- To begin with ---- */

static int take_description(struct pp_pairs *p, struct pp_error *error)
{
	const struct pp_pair_preset *const preset = p->how.preset ? pp_pair_preset(p->how.preset) : NULL;
	const struct pp_pair_preset given = { .from = p->how.from, .to = p->how.to, .by = p->how.by };
	const struct pp_pair_preset *const ends = preset ? preset : &given;
	const char *const name = p->how.name ? p->how.name : preset ? preset->name : "span";

	if (!ends->from || !ends->to || !ends->by)
		return pp_fail(error, PP_E_USE, "a span needs what begins it, what ends it, and its key");
	p->shown = ends->shown;
	p->result = ends->result;
	snprintf(p->names[EVENT_WHOLE], sizeof(p->names[0]), "%.50s", name);
	snprintf(p->names[EVENT_PART], sizeof(p->names[0]), "%.50s-cut", name);
	return pp_pair_end_take(&p->from, ends->from, ends->by, false, error) ||
	       pp_pair_end_take(&p->to, ends->to, ends->by, true, error) ? -1 : 0;
}

static int need_tasks(struct pp_pairs *p, struct pp_error *error)
{
	if (!pp_pair_end_needs_tasks(&p->from) && !pp_pair_end_needs_tasks(&p->to))
		return 0;
	p->facts.tasks = pp_tasks_new(pp_pair_end_tasks_with(&p->from) | pp_pair_end_tasks_with(&p->to),
				      p->how.budget);
	return p->facts.tasks ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

struct pp_pairs *pp_pairs_new(const struct pp_span_options *how, struct pp_reader *in, struct pp_error *error)
{
	struct pp_pairs *const p = calloc(1, sizeof(*p));

	if (!p) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	p->how = *how;
	p->facts.size = sizeof(p->facts);
	p->points = pp_tracepoints_new();
	if (!p->points)
		(void)pp_fail(error, PP_E_NOMEM, NULL);
	if (!p->points || take_description(p, error) || need_tasks(p, error)) {
		pp_pairs_free(p);
		return NULL;
	}
	pp_tracepoints_watch(p->points, in);
	return p;
}

static void free_pair(struct pp_pairs *p, struct pp_open_pair *pair)
{
	pp_chain_forget(p->how.budget, &pair->chain);
	pp_give_back(p->how.budget, pair, sizeof(*pair));
}

void pp_pairs_free(struct pp_pairs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->open.room; i++)
		for (struct pp_link *link = p->open.buckets[i], *next; link; link = next) {
			next = link->next;
			free_pair(p, (struct pp_open_pair *)link);
		}
	pp_table_close(p->how.budget, &p->open);
	pp_pair_end_free(&p->from);
	pp_pair_end_free(&p->to);
	pp_tasks_free(p->facts.tasks);
	pp_tracepoints_free(p->points);
	pp_made_free(&p->made);
	free(p->sides);
	free(p);
}

const struct pp_span_stats *pp_pairs_stats(const struct pp_pairs *p)
{
	return &p->stats;
}

/* ---- Events ---- */

/* Whether the event has this name, whatever modifiers come after it. */
static bool event_is(const struct pp_attr *attr, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(attr->name, name, length) && (!attr->name[length] || attr->name[length] == ':');
}

/* SIDE_ bits; 0: no memory. */
static unsigned sides_of(struct pp_pairs *p, const struct pp_attr *attr)
{
	if (PP_GROW_ZEROED(&p->sides, &p->sides_room, (size_t)attr->index + 1, NULL))
		return 0;
	if (!p->sides[attr->index])
		p->sides[attr->index] = SIDE_ASKED | (event_is(attr, p->from.event) ? SIDE_BEGINS : 0) |
					(event_is(attr, p->to.event) ? SIDE_ENDS : 0);
	return p->sides[attr->index];
}

/* Whether both ends are there: 1, 0, or -1: no memory. */
static int has_both(struct pp_pairs *p, const struct pp_attrs *attrs)
{
	unsigned sides = 0;

	for (size_t i = 0; attrs && i < pp_attrs_count(attrs); i++) {
		const unsigned of_one = sides_of(p, pp_attrs_at(attrs, i));

		if (!of_one)
			return -1;
		sides |= of_one;
	}
	return sides & SIDE_BEGINS && sides & SIDE_ENDS;
}

/* The events of spans are added to those of the stream, if there may be spans. */
static int add_pair_events(struct pp_pairs *p, struct pp_writer *out, struct pp_error *error)
{
	const int both = p->made.written ? 0 : has_both(p, p->made.attrs);

	if (both < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (both) {
		pp_made_add(&p->made, p->names[EVENT_WHOLE]);
		pp_made_add(&p->made, p->names[EVENT_PART]);
	}
	return pp_made_begin(&p->made, out, error);
}

static int begin_pairs(struct pp_pairs *p, struct pp_writer *out, struct pp_error *error)
{
	p->begun = true;
	if (add_pair_events(p, out, error))
		return -1;
	if (p->sides_room)
		memset(p->sides, 0, p->sides_room);      /* more names may have come */
	p->facts.tracepoints = p->points;
	p->stats.none = !p->made.count;
	return p->stats.none ? 0 : pp_pair_end_settle(&p->from, p->points, error) ||
				   pp_pair_end_settle(&p->to, p->points, error) ? -1 : 0;
}

/* ---- Spans ---- */

static int no_room(const struct pp_pairs *p, struct pp_error *error)
{
	return pp_budget_fail(p->how.budget, error);
}

/* A record may come late, and be of a time before. */
static uint64_t period_until(const struct pp_open_pair *pair, uint64_t time)
{
	return time > pair->sample.time ? time - pair->sample.time : 0;
}

/* The number in a field; 0 without one. */
static uint64_t number_in(const struct pp_pairs *p, const struct pp_record *rec, const char *name)
{
	const struct pp_tracepoint *const point = name ? pp_tracepoints_of(p->points, rec->attr) : NULL;
	const struct pp_tracepoint_field *const field = point ? pp_tracepoint_field(point, name) : NULL;
	uint64_t number;
	const void *raw;
	size_t size;

	return field && pp_tracepoint_raw(rec, &raw, &size) &&
	       pp_tracepoint_u64(field, raw, size, 0, &number) ? number : 0;
}

/* Task, place and stack of a sample. */
static int take_sample(struct pp_pairs *p, struct pp_open_pair *pair, const struct pp_record *rec,
		       struct pp_error *error)
{
	struct pp_made_sample *const s = &pair->sample;

	(void)pp_task(rec, &s->pid, &s->tid);
	(void)pp_ip(rec, &s->ip);
	s->misc = rec->misc & PP_MISC_CPUMODE;
	if (rec->attr->sample_type & PP_SAMPLE_CGROUP)
		(void)pp_find_u64(rec, PP_IS_CGROUP, &s->cgroup);
	return pp_chain_keep(p->how.budget, &pair->chain, rec) ? no_room(p, error) : 0;
}

static int begin_pair(struct pp_pairs *p, const struct pp_record *rec, uint64_t time, uint64_t key,
		      struct pp_error *error)
{
	struct pp_open_pair *pair = (struct pp_open_pair *)pp_table_find(&p->open, key);

	if (pair) {
		pp_span_count(&p->stats.cut, period_until(pair, time));
	} else {
		pair = pp_take(p->how.budget, sizeof(*pair));
		if (!pair)
			return no_room(p, error);
		pair->link.key = key;
		if (pp_table_add(p->how.budget, &p->open, &pair->link)) {
			pp_give_back(p->how.budget, pair, sizeof(*pair));
			return no_room(p, error);
		}
	}
	pair->sample = (struct pp_made_sample){ .time = time, .address = number_in(p, rec, p->shown) };
	pair->losses = p->losses;
	(void)pp_cpu(rec, &pair->sample.cpu);
	return take_sample(p, pair, rec, error);
}

/* Writes a span that ends now, or is known until now. */
static int write_pair(struct pp_pairs *p, struct pp_open_pair *pair, uint64_t time, bool cut,
		      struct pp_writer *out, struct pp_error *error)
{
	struct pp_made_sample *const s = &pair->sample;

	s->period = period_until(pair, time);
	s->time = time;
	s->chain = pair->chain.words;
	s->frames = pair->chain.count;
	if (s->period < p->how.least) {
		pp_span_count(&p->stats.brief, s->period);
		return 0;
	}
	pp_span_count(cut ? &p->stats.cut : &p->stats.written, s->period);
	return cut && p->how.no_cut ? 0 :
	       pp_made_write(&p->made, cut ? EVENT_PART : EVENT_WHOLE, s, out, error);
}

static int end_pair(struct pp_pairs *p, const struct pp_record *rec, uint64_t time, uint64_t key,
		    struct pp_writer *out, struct pp_error *error)
{
	struct pp_open_pair *const pair = (struct pp_open_pair *)pp_table_find(&p->open, key);
	int result = 0;

	if (!pair) {
		p->stats.unbegun++;
		return 0;
	}
	(void)pp_cpu(rec, &pair->sample.cpu);
	pair->sample.weight = number_in(p, rec, p->result);
	if (p->how.second_stack)
		result = take_sample(p, pair, rec, error);
	if (!result)
		result = write_pair(p, pair, time, pair->losses != p->losses, out, error);
	pp_table_remove(&p->open, &pair->link);
	free_pair(p, pair);
	return result;
}

static int judge_pair(struct pp_pairs *p, const struct pp_record *rec, uint64_t time, struct pp_writer *out,
		      struct pp_error *error)
{
	const unsigned sides = rec->attr && !p->stats.none ? sides_of(p, rec->attr) : SIDE_ASKED;
	bool used = false;
	uint64_t key;

	if (!sides)
		return no_room(p, error);
	if (!time || sides == SIDE_ASKED)
		return PP_KEEP;
	if (sides & SIDE_ENDS && pp_pair_end_is(&p->to, rec, &p->facts, &key)) {
		used = true;
		if (end_pair(p, rec, time, key, out, error))
			return -1;
	}
	if (sides & SIDE_BEGINS && pp_pair_end_is(&p->from, rec, &p->facts, &key)) {
		used = true;
		if (begin_pair(p, rec, time, key, error))
			return -1;
	}
	return used && !p->how.keep ? PP_DROP : PP_KEEP;
}

/* Numbers of system calls mean something on their machine only. */
static void learn_machine(struct pp_pairs *p, const struct pp_record *rec)
{
	char machine[64];
	uint64_t feature;

	if (p->result && pp_find_feature(rec, &feature) && feature == PP_FEAT_ARCH &&
	    pp_copy_text(rec, "arch", machine, sizeof(machine)))
		p->made.config1 = pp_audit_arch(machine);
}

int pp_pairs_admit(struct pp_pairs *p, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	int held;

	learn_machine(p, rec);
	held = pp_made_hold(&p->made, rec, error);
	if (held)
		return held < 0 ? -1 : PP_DROP;
	return p->made.holding && add_pair_events(p, out, error) ? -1 : PP_KEEP;
}

int pp_pairs_judge(struct pp_pairs *p, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	uint64_t time = 0;

	if (pp_time(rec, &time) && time > p->last && time < PP_OFF_CPU_NUMBERS)
		p->last = time;
	if (!p->begun && (time || rec->type == PP_REC_SAMPLE) && begin_pairs(p, out, error))
		return -1;
	if (p->facts.tasks && pp_tasks_note(p->facts.tasks, rec, error))
		return -1;
	if (rec->type == PP_REC_SAMPLE)
		return judge_pair(p, rec, time, out, error);
	p->losses += time && pp_type_is(rec->type, PP_LOSES);
	return PP_KEEP;
}

static int by_begin(const void *a, const void *b)
{
	const struct pp_open_pair *const x = *(struct pp_open_pair *const *)a;
	const struct pp_open_pair *const y = *(struct pp_open_pair *const *)b;

	return x->sample.time != y->sample.time ? (x->sample.time < y->sample.time ? -1 : 1) :
	       x->link.key < y->link.key ? -1 : x->link.key > y->link.key;
}

int pp_pairs_end(struct pp_pairs *p, struct pp_writer *out, struct pp_error *error)
{
	struct pp_open_pair **open;
	size_t n = 0;
	int result = 0;

	if (add_pair_events(p, out, error))
		return -1;
	open = malloc(p->open.count * sizeof(struct pp_open_pair *) + 1);
	if (!open)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < p->open.room; i++)
		for (struct pp_link *link = p->open.buckets[i]; link; link = link->next)
			open[n++] = (struct pp_open_pair *)link;
	qsort(open, n, sizeof(struct pp_open_pair *), by_begin);
	for (size_t i = 0; i < n && !result; i++)
		result = write_pair(p, open[i], p->last, true, out, error);
	free(open);
	return result;
}
