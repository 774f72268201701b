/* nameless_stacks.c - counts the stacks of a report that mostly have functions without a name. */
#include "report/hist.h"

#include <stdlib.h>

static bool is_unnamed(const struct pp_report *r, uint32_t place)
{
	return !pp_frame_table_kind(&r->places, r->names.now[place])->name;
}

/* Many stacks have the same callers. */
static uint32_t *count_in_callers(const struct pp_report *r)
{
	const struct pp_hist_chains *const c = &r->chains;
	uint32_t *const unnamed = calloc(c->n_callers + 1, sizeof(*unnamed));

	for (size_t i = 0; i < c->n_callers && unnamed; i++)
		for (uint32_t k = 0; k < c->callers[i].count; k++)
			unnamed[i] += is_unnamed(r, c->frames[c->callers[i].first + k]);
	return unnamed;
}

/* One without a chain is its own function. */
static bool is_nameless(const struct pp_report *r, const struct pp_hist_stack *s, const uint32_t *in_callers)
{
	uint64_t unnamed;

	if (!s->count)
		return is_unnamed(r, s->place);
	unnamed = (uint64_t)in_callers[s->callers] + is_unnamed(r, s->innermost);
	for (uint32_t i = 0; s->inlined && i < r->chains.inlined[s->inlined]; i++)
		unnamed += is_unnamed(r, r->chains.inlined[s->inlined + 1 + i]);
	return 2 * unnamed > s->count;
}

int pp_report_nameless(const struct pp_report *r, uint64_t *stacks, uint64_t *nameless,
		       struct pp_error *error)
{
	uint32_t *in_callers;

	*stacks = *nameless = 0;
	if (r->mode == PP_REPORT_BRANCHES)
		return 0;
	in_callers = count_in_callers(r);
	if (!in_callers)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < r->groups.n; i++) {
		const struct pp_hist_group *const g = &r->groups.items[i];

		if (g->left_out)
			continue;
		*stacks += g->samples;
		*nameless += is_nameless(r, &r->chains.stacks[g->stack], in_callers) ? g->samples : 0;
	}
	free(in_callers);
	return 0;
}
