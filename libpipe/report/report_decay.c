/* report_decay.c - a report of what is going on: what was becomes less, and the lightest stacks go. */
#include "report/hist.h"

#include <stdlib.h>
#include <string.h>

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
	for (size_t i = 0; i < r->groups.n; i++) {
		struct pp_hist_group *const g = &r->groups.items[i];

		g->samples = in_parts(r, g->samples, times, over);
		g->weight = scaled(g->weight, times, over);
	}
	for (size_t i = 0; r->sums && i < r->groups.n; i++) {
		struct pp_hist_costs *const c = &r->groups.costs[i];

		c->latency = scaled(c->latency, times, over);
		c->cost = in_parts(r, c->cost, times, over);
		c->ins_lat = in_parts(r, c->ins_lat, times, over);
		c->retire_lat = in_parts(r, c->retire_lat, times, over);
	}
	for (size_t i = 0; i < r->distributions.counts.room; i++)
		if (r->distributions.counts.keys[i] != UINT64_MAX)
			r->distributions.counts.values[i] =
				in_parts(r, r->distributions.counts.values[i], times, over);
	r->parts = PARTS;
}

/* What one place may become: an entry of its own, where callers have entries. */
static uint64_t size_of_place(const struct pp_report *r)
{
	const uint64_t entry = sizeof(struct pp_entry) + r->columns.n_keys * sizeof(*r->groups.values) +
			       4 * sizeof(uint32_t);

	return 2 * sizeof(*r->names.now) + (r->how.no_children ? 0 : entry);
}

uint64_t pp_report_size(const struct pp_report *r)
{
	const struct pp_hist_chains *const c = &r->chains;
	uint64_t size = sizeof(*r);

	size += r->groups.n * (sizeof(*r->groups.items) + r->columns.n_keys * sizeof(*r->groups.values));
	size += pp_hist_weights_size(r);
	size += r->sums ? r->groups.n * sizeof(*r->groups.costs) : 0;
	size += (2 * r->groups.n_parts + r->groups.n) * sizeof(uint32_t);
	size += c->n_stacks * sizeof(*c->stacks) + c->n_frames * sizeof(*c->frames);
	size += c->n_inlined * sizeof(*c->inlined) + r->kept.n * sizeof(*r->kept.items);
	size += (r->places.n_places - r->places.n_unused) * size_of_place(r);
	size += pp_frame_table_size(&r->places);
	size += pp_strings_size(&r->places.texts);
	size += r->addresses.room * sizeof(*r->addresses.items);
	size += pp_stack_cache_size(&r->known) + pp_hash_set_size(&r->by_sample);
	size += c->n_callers * sizeof(*c->callers);
	size += (r->groups.by_values.room + c->by_stack.room + c->by_callers.room + c->by_inlined.room) *
		sizeof(uint64_t);
	return size;
}

/* ---- the lightest stacks go ---- */

/* Callers, and what the stacks weigh that have them. */
struct weighed_callers {
	uint64_t weight;
	uint32_t callers;
};

static int by_weight(const void *a, const void *b)
{
	const struct weighed_callers *const x = a, *const y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->callers > y->callers) - (x->callers < y->callers);
}

/* Which callers stay: the heaviest, which have half of all frames. */
static int choose_callers(const struct pp_report *r, bool *stay, struct pp_error *error)
{
	struct weighed_callers *const sorted = calloc(r->chains.n_callers + 1, sizeof(*sorted));
	uint64_t size = 0;

	if (!sorted)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < r->chains.n_callers; i++)
		sorted[i].callers = i;
	for (size_t i = 0; i < r->groups.n; i++) {
		const struct pp_hist_stack *const s = &r->chains.stacks[r->groups.items[i].stack];

		if (s->count)
			pp_hist_add(&sorted[s->callers].weight, r->groups.items[i].weight);
	}
	qsort(sorted, r->chains.n_callers, sizeof(*sorted), by_weight);
	for (size_t i = 0; i < r->chains.n_callers; i++) {
		/* those of no frames, too, take a place */
		size += r->chains.callers[sorted[i].callers].count + UINT64_C(1);
		stay[sorted[i].callers] = size <= (r->chains.n_frames + r->chains.n_callers) / 2;
	}
	free(sorted);
	return 0;
}

/* Moves the callers that stay to the front, each to moved[] of its number. */
static int move_callers(struct pp_report *r, const bool *stay, uint32_t *moved, struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;
	const size_t n = c->n_callers;

	pp_index_close(&c->by_callers);
	c->n_callers = c->n_frames = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pp_hist_frames callers = c->callers[i];
		const uint32_t first = (uint32_t)c->n_frames;

		if (!stay[i])
			continue;
		memmove(c->frames + first, c->frames + callers.first, callers.count * sizeof(*c->frames));
		c->n_frames += callers.count;
		if (pp_hist_callers(r, first, &moved[i], error))
			return -1;
	}
	return 0;
}

/* The same of stacks, of which some have lost all but where the sample was. */
static int move_stacks(struct pp_report *r, const bool *stay, const uint32_t *callers, uint32_t *moved,
		       struct pp_error *error)
{
	const size_t n = r->chains.n_stacks;

	pp_index_close(&r->chains.by_stack);
	r->chains.n_stacks = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pp_hist_stack was = r->chains.stacks[i];
		struct pp_hist_stack s = was;

		if (was.count && stay[was.callers])
			s.callers = callers[was.callers];
		else
			s = (struct pp_hist_stack){
				.place = was.place, .mode = was.mode, .left_out = was.left_out,
			};
		if (pp_hist_number(r, &s, &moved[i], error))
			return -1;
	}
	return 0;
}

static void join_costs(struct pp_hist_costs *to, const struct pp_hist_costs *costs)
{
	pp_hist_add(&to->cost, costs->cost);
	pp_hist_add(&to->ins_lat, costs->ins_lat);
	pp_hist_add(&to->retire_lat, costs->retire_lat);
	pp_hist_add(&to->latency, costs->latency);
}

/* The same of groups: those that do not differ any more become one. */
static int move_groups(struct pp_report *r, const uint32_t *stacks, uint32_t *moved, struct pp_error *error)
{
	const size_t n = r->groups.n;
	uint64_t values[PP_COLUMNS_MOST];

	pp_index_close(&r->groups.by_values);
	r->groups.n = 0;
	r->groups.n_parts = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pp_hist_group was = r->groups.items[i];
		const struct pp_hist_costs costs = r->sums ? r->groups.costs[i] : (struct pp_hist_costs){ 0 };
		struct pp_hist_group group = was;

		group.stack = stacks[was.stack];
		group.weight = group.samples = 0;
		for (size_t k = 0; k < r->columns.n_keys; k++)
			values[k] = r->groups.values[i * r->columns.n_keys + k];
		if (pp_hist_group(r, &group, values, &moved[i], error))
			return -1;
		pp_hist_add(&r->groups.items[moved[i]].weight, was.weight);
		pp_hist_add(&r->groups.items[moved[i]].samples, was.samples);
		if (r->sums)
			join_costs(&r->groups.costs[moved[i]], &costs);
	}
	return 0;
}

/* The same with what their weights are. */
static int move_groups_and_weights(struct pp_report *r, const uint32_t *stacks, struct pp_error *error)
{
	const size_t n = r->groups.n;
	struct pp_distributions was = r->distributions;
	uint32_t *const moved = calloc(n + 1, sizeof(*moved));
	int status;

	if (!moved)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->distributions = (struct pp_distributions){ .asked = was.asked };
	status = move_groups(r, stacks, moved, error);
	if (!status && was.asked)
		status = pp_hist_move_weights(r, &was, moved, n, error);
	pp_hist_close_distributions(&was);
	free(moved);
	return status;
}

/* Lets go of the places that no stack leads to any more. */
static int keep_places(struct pp_report *r, struct pp_error *error)
{
	const struct pp_hist_chains *const c = &r->chains;
	bool *const used = calloc(r->places.n_places + 1, sizeof(*used));
	int status;

	if (!used)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->n_frames; i++)
		used[c->frames[i]] = true;
	for (size_t i = 0; i < c->n_stacks; i++)
		if (c->stacks[i].count)
			used[c->stacks[i].innermost] = true;
	/* lists of what is inlined, the first of which is empty, stay */
	for (size_t i = c->n_inlined ? 1 : 0; i < c->n_inlined; i += c->inlined[i] + (size_t)1)
		for (size_t k = 1; k <= c->inlined[i]; k++)
			used[c->inlined[i + k]] = true;
	for (uint32_t i = 0; i < r->places.n_places; i++) {
		const struct pp_code_frame *const p = pp_frame_table_kind(&r->places, i);

		if (r->places.places[i].called && !used[i])
			continue;
		used[i - p->function] = used[i - p->symbol] = true;
	}
	status = pp_frame_table_keep(&r->places, used, error);
	free(used);
	return status;
}

int pp_report_lighten(struct pp_report *r, uint64_t *left_out, struct pp_error *error)
{
	bool *const stay = calloc(r->chains.n_callers + 1, sizeof(*stay));
	uint32_t *const callers = calloc(r->chains.n_callers + 1, sizeof(*callers));
	uint32_t *const stacks = calloc(r->chains.n_stacks + 1, sizeof(*stacks));
	int status = !stay || !callers || !stacks ? pp_fail(error, PP_E_NOMEM, NULL) : 0;

	*left_out = 0;
	status = status || choose_callers(r, stay, error) ? -1 : 0;
	for (size_t i = 0; !status && i < r->groups.n; i++) {
		const struct pp_hist_stack *const s = &r->chains.stacks[r->groups.items[i].stack];

		if (s->count && !stay[s->callers])
			pp_hist_add(left_out, r->groups.items[i].weight);
	}
	/* what was there before is known by numbers that others may have now */
	pp_stack_cache_forget(&r->known);
	pp_hash_set_close(&r->by_sample);
	pp_address_cache_forget(&r->addresses);
	if (!status && (move_callers(r, stay, callers, error) ||
			move_stacks(r, stay, callers, stacks, error) ||
			move_groups_and_weights(r, stacks, error) || keep_places(r, error)))
		status = -1;
	r->halfway = status != 0;
	free(stay);
	free(callers);
	free(stacks);
	return status;
}
