/*
 * counts.c - the counts of a stream as they are now, each found by its id, CPU and thread.
 * stat_records.c reads what the stream says around them, count_index.c finds them, aggregate.c adds
 * them up.
 */
#include "stat/count.h"

#include <stdlib.h>

struct pp_counts *pp_counts_new(struct pp_attrs *attrs, struct pp_budget *budget)
{
	struct pp_counts *const c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->attrs = attrs;
	c->budget = budget ? budget : &c->own_budget;
	c->by_place.budget = c->budget;
	c->about.scale = true;
	return c;
}

void pp_counts_free(struct pp_counts *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_events; i++)
		pp_count_known_free(&c->events[i]);
	free(c->events);
	pp_give_back(c->budget, c->slots, c->slots_room * sizeof(*c->slots));
	pp_index_close(&c->by_place);
	pp_count_samples_free(c);
	free(c->cpus.items);
	free(c->threads);
	free(c->topology.cpus);
	free(c->runs);
	pp_buffer_free(&c->note_key);
	pp_buffer_free(&c->note_value);
	pp_buffer_free(&c->about_note);
	pp_buffer_free(&c->events_note);
	free(c->title);
	for (size_t i = 0; i < PP_COUNT_SIDES; i++)
		free(c->sides[i]);
	free(c->metrics);
	pp_give_back(c->budget, c->plan.entries, c->plan.room * sizeof(*c->plan.entries));
	pp_give_back(c->budget, c->plan.places, c->plan.places_room * sizeof(*c->plan.places));
	free(c->plan.merged_into);
	pp_give_back(c->budget, c->plan.rows, c->plan.rows_room * sizeof(*c->plan.rows));
	free(c);
}

/* ---- one count ---- */

/* As it is in the record: perf_record_stat. */
struct stat { uint64_t id; int32_t cpu; uint32_t thread; struct pp_count_value value; };
enum { STAT_SIZE = 48 };

static struct stat load(const uint8_t *data)
{
	return (struct stat){
		.id = pp_load64(data + 8), .cpu = (int32_t)pp_load32(data + 16),
		.thread = pp_load32(data + 20),
		.value = { pp_load64(data + 24), pp_load64(data + 32), pp_load64(data + 40) },
	};
}

/* Whether the stream has such a CPU and thread: otherwise it belongs nowhere. */
static bool is_possible(const struct pp_counts *c, const struct stat *s)
{
	const uint64_t said = c->threads_said;
	const uint64_t threads = said && said < PP_COUNT_THREADS ? said : PP_COUNT_THREADS;

	return s->cpu >= -1 && s->cpu < PP_COUNT_CPUS && s->thread < threads;
}

/*
 * Whether the stream has an event without an id: what perf 7.3 counts by itself, such as duration_time, has
 * none, and its counts have id 0.
 */
static bool has_nameless_event(struct pp_counts *c)
{
	const size_t n = pp_attrs_count(c->attrs);

	while (c->attrs_with_ids < n && pp_attrs_at(c->attrs, c->attrs_with_ids)->n_ids)
		c->attrs_with_ids++;
	return c->attrs_with_ids < n;
}

/* The slot of a count, made if need be: NULL and *error; or *known false: it belongs nowhere. */
static struct pp_count_slot *find_slot(struct pp_counts *c, const struct stat *s, bool *known,
				       struct pp_error *error)
{
	struct pp_count_slot *const slot = pp_count_slot_find(c, s->id, s->cpu, s->thread);
	const struct pp_attr *attr;

	*known = true;
	if (slot)
		return slot;
	attr = s->id ? pp_attrs_by_id(c->attrs, s->id) : NULL;
	*known = attr && is_possible(c, s);
	if (!*known || pp_counts_sync(c, error))
		return NULL;
	return pp_count_slot_add(c, s->id, s->cpu, s->thread, attr->index, error);
}

static int note_count(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_count_slot *slot;
	bool known = true;
	struct stat s;

	if (rec->size < STAT_SIZE) {
		(void)pp_fail(error, PP_E_FIELD, NULL);
		(void)pp_error_room(error, NULL, STAT_SIZE, rec->size);
		return pp_error_at(error, rec->offset, rec->index, rec->type);
	}
	s = load(rec->data);
	/* In each round they come in the same order. */
	slot = c->n_slots ? &c->slots[c->guess < c->n_slots ? c->guess : 0] : NULL;
	if (!slot || !pp_count_slot_is(slot, s.id, s.cpu, s.thread))
		slot = find_slot(c, &s, &known, error);
	if (!slot && known)
		return -1;
	c->about.counts++;
	if (!known) {
		if (!s.id && is_possible(c, &s) && has_nameless_event(c))
			c->about.nameless++;
		else
			c->about.unknown++;
		return 0;
	}
	c->guess = (size_t)(slot - c->slots) + 1;
	c->about.pending = true;
	if (s.value.val < slot->now.val && s.value.run && slot->now.run)
		c->about.backwards++;
	c->about.multiplexed |= s.value.run < s.value.ena && s.value.run;
	slot->now = s.value;
	return 0;
}

/* ---- any record ---- */

static enum pp_status note_round(struct pp_counts *c, const struct pp_record *rec)
{
	uint64_t type = 0, time = 0;

	(void)pp_get_u64(rec, "type", &type);
	(void)pp_find_u64(rec, PP_IS_TIME, &time);
	c->about.rounds++;
	c->about.final |= type == 1;
	c->about.time = time;
	c->about.pending = false;
	return PP_MORE;
}

enum pp_status pp_counts_note(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	int failed;

	if (pp_is_note(rec)) {
		failed = pp_counts_notes(c, rec, error);
	} else if (c->samples) {
		failed = pp_counts_sample(c, rec, error);
	} else if (rec->type == PP_REC_STAT) {
		failed = note_count(c, rec, error);
	} else if (rec->type == PP_REC_STAT_ROUND) {
		return note_round(c, rec);
	} else {
		c->about.samples += rec->type == PP_REC_SAMPLE;
		failed = pp_counts_said(c, rec, error);
	}
	return failed ? PP_FAILED : PP_END;
}

void pp_counts_about(const struct pp_counts *c, struct pp_counts_about *about)
{
	*about = c->about;
	about->note = c->about_note.size ? (const char *)c->about_note.data : NULL;
	about->note_length = c->about_note.size;
	about->title = c->title ? c->title : "'pipe'";
	about->metrics = c->metrics;
	about->topology = c->topology.said;
}

void pp_counts_shown(struct pp_counts *c, enum pp_count_since since)
{
	for (size_t i = 0; i < c->n_slots; i++) {
		struct pp_count_slot *const s = &c->slots[i];

		if (since == PP_COUNT_SINCE_RUN)
			s->run = s->now;
		else if (since == PP_COUNT_SINCE_ROUND)
			s->round = s->now;
		else
			s->shown = s->now;
	}
	*(since == PP_COUNT_SINCE_RUN ? &c->run_time :
	  since == PP_COUNT_SINCE_ROUND ? &c->round_time : &c->shown_time) = c->about.time;
}

bool pp_counts_thread(const struct pp_counts *c, int32_t thread, int32_t *pid, const char **comm)
{
	if (thread < 0 || (size_t)thread >= c->n_threads)
		return false;
	*pid = c->threads[thread].pid;
	*comm = c->threads[thread].comm;
	return true;
}

const char *pp_counts_side(const struct pp_counts *c, int32_t side)
{
	return side >= 0 && side < PP_COUNT_SIDES && c->sides[PP_COUNT_SIDES - 1] ? c->sides[side] : NULL;
}

const struct pp_count_run *pp_counts_run(const struct pp_counts *c, size_t i)
{
	return i < c->about.runs ? &c->runs[i] : NULL;
}
