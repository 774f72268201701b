/*
 * counts.c - the counts of a stream as they are now, each found by its id, CPU and thread; what the
 * stream says around them is left to said.c, sums to add_up.c.
 */
#include "count/count.h"

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

static bool is_of(const struct pp_count_slot *slot, const struct stat *s)
{
	return slot->id == s->id && slot->cpu == s->cpu && slot->thread == s->thread;
}

/* Whether the stream has such a CPU and thread: otherwise it belongs nowhere. */
static bool is_possible(const struct pp_counts *c, const struct stat *s)
{
	const size_t threads = c->n_threads ? c->n_threads : PP_COUNT_THREADS;

	return s->cpu >= -1 && s->cpu < PP_COUNT_CPUS && s->thread < threads;
}

/* An id alone does not find it: a hostile stream has one for all. */
static uint64_t hash(uint64_t id, int32_t cpu, uint32_t thread)
{
	const uint64_t place = (uint64_t)(uint32_t)cpu << 32 | thread;

	return pp_hash_number(id ^ (place + 1) * UINT64_C(0xff51afd7ed558ccd));
}

static uint64_t hash_slot(const void *slots, uint64_t place)
{
	const struct pp_count_slot *const slot = (const struct pp_count_slot *)slots + (place - 1);

	return hash(slot->id, slot->cpu, slot->thread);
}

/* Where a slot is in the index, or would be; there is room. */
static size_t find_at(const struct pp_counts *c, const struct stat *s)
{
	size_t at = pp_index_first(&c->by_place, hash(s->id, s->cpu, s->thread));

	while (c->by_place.places[at] && !is_of(&c->slots[c->by_place.places[at] - 1], s))
		at = pp_index_next(&c->by_place, at);
	return at;
}

static int add_slot(struct pp_counts *c, const struct stat *s, uint32_t event, struct pp_error *error)
{
	if (c->n_slots >= UINT32_MAX - 1 ||
	    PP_TAKE_GROW(c->budget, &c->slots, &c->slots_room, c->n_slots + 1) ||
	    pp_index_reserve(&c->by_place, c->n_slots + 1, hash_slot, c->slots))
		return pp_budget_fail(c->budget, error);
	c->slots[c->n_slots] = (struct pp_count_slot){
		.id = s->id, .cpu = s->cpu, .thread = s->thread, .event = event,
	};
	c->by_place.places[find_at(c, s)] = c->n_slots + 1;
	c->n_slots++;
	c->plan.made = false;
	c->events[event].event.supported = true;
	return 0;
}

/* The slot of a count, made if need be: its index, or -1 and *error; -2: it belongs nowhere. */
static int64_t find_slot(struct pp_counts *c, const struct stat *s, struct pp_error *error)
{
	const uint64_t place = c->n_slots ? c->by_place.places[find_at(c, s)] : 0;
	const struct pp_attr *attr;

	if (place)
		return (int64_t)(place - 1);
	attr = s->id ? pp_attrs_by_id(c->attrs, s->id) : NULL;
	if (!attr || !is_possible(c, s))
		return -2;
	if (pp_counts_sync(c, error) || add_slot(c, s, attr->index, error))
		return -1;
	return (int64_t)c->n_slots - 1;
}

static int note_count(struct pp_counts *c, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_count_slot *slot;
	struct stat s;
	int64_t at;

	if (rec->size < STAT_SIZE) {
		(void)pp_fail(error, PP_E_FIELD, NULL);
		(void)pp_error_room(error, NULL, STAT_SIZE, rec->size);
		return pp_error_at(error, rec->offset, rec->index, rec->type);
	}
	s = load(rec->data);
	/* In each round they come in the same order. */
	at = (int64_t)(c->guess < c->n_slots ? c->guess : 0);
	if (!c->n_slots || !is_of(&c->slots[at], &s))
		at = find_slot(c, &s, error);
	if (at == -1)
		return -1;
	c->about.counts++;
	if (at < 0) {
		c->about.unknown++;
		return 0;
	}
	slot = &c->slots[at];
	c->guess = (size_t)at + 1;
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

	switch (rec->type) {
	case PP_REC_STAT:
		failed = note_count(c, rec, error);
		break;
	case PP_REC_STAT_ROUND:
		return note_round(c, rec);
	case PP_REC_FINISHED_ROUND:
		failed = pp_is_note(rec) ? pp_counts_notes(c, rec, error) : 0;
		break;
	default:
		failed = rec->type < PP_USER_TYPES ? 0 : pp_counts_said(c, rec, error);
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
