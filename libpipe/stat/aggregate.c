/*
 * aggregate.c - sums of counts by event and place, of what was counted since the start, since the last
 * time, or in a run.  aggregation_plan.c decides where each count goes.
 */
#include "stat/count.h"

#include <string.h>

#include "base/sized_options.h"

/* ---- one count ---- */

static uint64_t minus(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct pp_count_value since(const struct pp_count_slot *s, enum pp_count_since from)
{
	static const struct pp_count_value none;
	const struct pp_count_value *const before = from == PP_COUNT_SINCE_SHOWN ? &s->shown :
						    from == PP_COUNT_SINCE_RUN ? &s->run :
						    from == PP_COUNT_SINCE_ROUND ? &s->round : &none;

	return (struct pp_count_value){
		minus(s->now.val, before->val), minus(s->now.ena, before->ena),
		minus(s->now.run, before->run),
	};
}

/* What it would have been, had the event run all the time that it was enabled; perf cuts this off
 * to a whole number: perf_counts_values__scale(). */
static double scaled(uint64_t value, uint64_t enabled, uint64_t running)
{
	double whole = (double)value;

	if (!running || running >= enabled)
		return whole;
	whole = whole * (double)enabled / (double)running;
	return whole < 0x1p64 ? (double)(uint64_t)whole : whole;
}

/* ---- rows ---- */

/* Sums of CPUs are complete or not shown: perf makes all bad where one is, in aggr_cb(). */
static bool is_joint(enum pp_count_by by)
{
	return by != PP_COUNT_GLOBAL && by != PP_COUNT_THREAD && by != PP_COUNT_CPU;
}

static void add_count_values(struct pp_count_row *row, const struct pp_count_value *v, double value)
{
	row->value += value;
	row->raw += v->val;
	row->enabled += v->ena;
	row->running += v->run;
}

/* Adds what stands in another row. */
static void add_row(struct pp_count_row *row, const struct pp_count_row *other)
{
	row->value += other->value;
	row->raw += other->raw;
	row->enabled += other->enabled;
	row->running += other->running;
	row->samples += other->samples;
	row->counted |= other->counted;
}

static void add_up(struct pp_counts *c, const struct pp_counts_options *as)
{
	struct pp_count_plan *const plan = &c->plan;
	const struct pp_count_entry *last = NULL;
	const bool joint = is_joint(plan->by) && !c->samples, scale = !as->no_scale;

	for (size_t i = 0; i < plan->n; last = &plan->entries[i++]) {
		const struct pp_count_entry *const e = &plan->entries[i];
		struct pp_count_row *const row = &plan->rows[e->place * c->n_events + e->event];
		struct pp_count_value v = { 0 };

		row->shown = true;
		if (joint && !row->counted && row->cpus)
			continue;               /* one was bad */
		row->cpus += !last || last->event != e->event || last->cpu != e->cpu;
		if (e->slot != PP_COUNT_NO_SLOT)
			v = since(&c->slots[e->slot], as->since);
		if (c->samples)
			row->samples += c->slots[e->slot].samples;
		row->counted = v.ena && v.run;
		if (joint && !row->counted) {
			row->enabled = row->running = 0;
			continue;
		}
		add_count_values(row, &v, plan->by == PP_COUNT_GLOBAL || !scale ? (double)v.val :
				 scaled(v.val, v.ena, v.run));
	}
}

static void finish_rows(struct pp_counts *c, const struct pp_counts_options *as)
{
	struct pp_count_plan *const plan = &c->plan;
	const size_t n = plan->n_places * c->n_events;

	for (size_t i = 0; i < n; i++) {
		struct pp_count_row *const row = &plan->rows[i];

		row->counted = row->enabled && row->running;
		if (plan->by == PP_COUNT_GLOBAL && !as->no_scale)
			row->value = scaled(row->raw, row->enabled, row->running);
		if (plan->by != PP_COUNT_CPU)
			row->shown = true;
		if (c->samples)
			pp_count_samples_finish(c, row, plan->by == PP_COUNT_GLOBAL);
	}
}

/* Adds the rows of events that are shown as one to those of the first of them. */
static void merge_rows(struct pp_counts *c)
{
	struct pp_count_plan *const plan = &c->plan;

	for (size_t p = 0; p < plan->n_places; p++) {
		struct pp_count_row *const rows = &plan->rows[p * c->n_events];

		for (size_t i = 0; i < c->n_events; i++) {
			const uint32_t into = plan->merged_into[i];
			struct pp_count_row *const row = into < c->n_events ? &rows[into] : NULL;

			if (into == i)
				continue;
			if (row && rows[i].shown) {
				add_row(row, &rows[i]);
				row->shown = true;
			}
			rows[i].shown = false;
		}
	}
}

/* ---- percore ---- */

static bool same_core(const struct pp_count_place *a, const struct pp_count_place *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core;
}

/* The sum of a core's CPUs: at the first of them, or at each. */
static void join_cores(struct pp_counts *c, uint32_t event, bool each)
{
	struct pp_count_plan *const plan = &c->plan;

	for (size_t p = 0; p < plan->n_places; p++) {
		struct pp_count_row *const row = &plan->rows[p * c->n_events + event];

		if (!row->shown || plan->places[p].core < 0)
			continue;
		for (size_t q = p + 1; q < plan->n_places; q++) {
			struct pp_count_row *const other = &plan->rows[q * c->n_events + event];

			if (!other->shown || !same_core(&plan->places[p], &plan->places[q]))
				continue;
			add_row(row, other);
			row->cpus++;
			other->shown = false;
		}
	}
	for (size_t p = 0; each && p < plan->n_places; p++) {
		const struct pp_count_row *const row = &plan->rows[p * c->n_events + event];

		for (size_t q = p + 1; row->shown && q < plan->n_places; q++) {
			struct pp_count_row *const other = &plan->rows[q * c->n_events + event];
			const struct pp_count_place *const place = other->place;

			if (other->shown || !same_core(&plan->places[p], &plan->places[q]))
				continue;
			*other = *row;
			other->place = place;
		}
	}
}

/* ---- the table ---- */

static int clear_rows(struct pp_counts *c, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	const size_t n = plan->n_places * c->n_events;

	if (PP_TAKE_GROW(c->budget, &plan->rows, &plan->rows_room, n))
		return pp_budget_fail(c->budget, error);
	for (size_t p = 0, at = 0; p < plan->n_places; p++)
		for (size_t i = 0; i < c->n_events; i++)
			plan->rows[at++] = (struct pp_count_row){
				.event = &c->events[i].event, .place = &plan->places[p],
			};
	return 0;
}

int pp_counts_table(struct pp_counts *c, const struct pp_counts_options *options,
		    struct pp_count_table *table, struct pp_error *error)
{
	const struct pp_count_plan *const plan = &c->plan;
	struct pp_counts_options as;

	if (pp_options_take(&as, sizeof(as), options, error) || pp_count_plan(c, &as, error) ||
	    clear_rows(c, error))
		return -1;
	pp_count_samples_name(c);
	add_up(c, &as);
	finish_rows(c, &as);
	merge_rows(c);
	for (uint32_t i = 0; plan->by == PP_COUNT_CPU && i < c->n_events; i++)
		if (c->events[i].event.percore)
			join_cores(c, i, as.percore_threads);
	*table = (struct pp_count_table){
		.by = plan->by, .rows = plan->rows, .place_list = plan->places,
		.places = plan->n_places, .events = c->n_events, .tasks = plan->tasks,
		.cgroups = plan->cgroups, .clocks = plan->clocks, .clocks_end = plan->clocks_end,
		.from = as.since == PP_COUNT_SINCE_SHOWN ? c->shown_time :
			as.since == PP_COUNT_SINCE_RUN ? c->run_time :
			as.since == PP_COUNT_SINCE_ROUND ? c->round_time : 0,
		.to = c->about.time,
	};
	return 0;
}
