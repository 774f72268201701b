/* live.c - a report of what is going on: what was becomes less, and how much is kept. */
#include "profile/hist.h"

/* Parts of a sample: less than a thousandth is nothing. */
enum { PARTS = 1000 };

static uint64_t scaled(uint64_t what, uint64_t times, uint64_t over)
{
	return what / over * times + what % over * times / over;
}

/* What is counted in parts from now on. */
static uint64_t in_parts(const struct pp_report *r, uint64_t what, uint64_t times, uint64_t over)
{
	const uint64_t parts = r->parts > 1 ? 1 : PARTS;

	return scaled(what > UINT64_MAX / parts ? UINT64_MAX : what * parts, times, over);
}

void pp_report_scale(struct pp_report *r, uint32_t times, uint32_t over)
{
	for (size_t i = 0; i < r->n_groups; i++) {
		struct pp_hist_group *const g = &r->groups[i];

		g->samples = in_parts(r, g->samples, times, over);
		g->weight = scaled(g->weight, times, over);
	}
	for (size_t i = 0; r->sums && i < r->n_groups; i++) {
		struct pp_hist_costs *const c = &r->costs[i];

		c->latency = scaled(c->latency, times, over);
		c->cost = in_parts(r, c->cost, times, over);
		c->ins_lat = in_parts(r, c->ins_lat, times, over);
		c->retire_lat = in_parts(r, c->retire_lat, times, over);
	}
	r->parts = PARTS;
}

uint64_t pp_report_size(const struct pp_report *r)
{
	uint64_t size = sizeof(*r);

	size += r->groups_room * sizeof(*r->groups) + r->values_room * sizeof(*r->values);
	size += r->costs_room * sizeof(*r->costs);
	size += r->stacks_room * sizeof(*r->stacks) + r->frames_room * sizeof(*r->frames);
	size += r->inlined_room * sizeof(*r->inlined) + r->kept_room * sizeof(*r->kept);
	size += r->places.places_room * sizeof(*r->places.places);
	size += pp_texts_size(&r->places.texts);
	size += r->addresses.room * sizeof(*r->addresses.items);
	size += pp_stacks_size(&r->known) + pp_seen_size(&r->by_sample);
	size += r->callers_room * sizeof(*r->callers);
	size += (r->by_values.room + r->by_stack.room + r->by_callers.room + r->by_inlined.room) *
		sizeof(uint64_t);
	size += pp_numbers_size(&r->places.by_place);
	return size;
}
