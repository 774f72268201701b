/*
 * tree_trim.c - a profile becomes less: weights, as time goes on; the lightest stacks; outermost frames, of
 * which two become one or that go.
 */
#include "profile/call_tree.h"

#include <stdlib.h>

void pp_profile_scale(struct pp_profile *p, uint32_t times, uint32_t over)
{
	for (size_t i = 0; i < p->n_weights; i++)
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
			uint64_t *const self = &p->weights[i].self[side];
			const uint64_t whole = *self / over, rest = *self % over;

			*self = times && whole > UINT64_MAX / times - 1 ? UINT64_MAX :
				whole * times + rest * times / over;
		}
}

uint64_t pp_profile_size(const struct pp_profile *p)
{
	return sizeof(*p) + pp_strings_size(&p->frames) + p->n_nodes * sizeof(*p->nodes) +
	       p->n_weights * sizeof(*p->weights) + (p->in_order ? p->n_nodes * sizeof(*p->last) : 0) +
	       pp_numbers_size(&p->by_call) + pp_numbers_size(&p->by_node);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Nodes that weigh more than this stay: at most `nodes` of them. */
static int find_least(const uint64_t *totals, size_t n, uint32_t nodes, uint64_t *least,
		      struct pp_error *error)
{
	uint64_t *const sorted = malloc(n * sizeof(*sorted));

	if (!sorted)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < n; i++)
		sorted[i] = totals[i];
	qsort(sorted, n, sizeof(*sorted), by_size);
	*least = nodes < n ? sorted[nodes] : 0;
	free(sorted);
	return 0;
}

/* What calls a node weighs no less, so it is there. */
static int keep(struct pp_profile *to, const struct pp_profile *from, const uint64_t *totals, uint64_t least,
		uint32_t *place, struct pp_error *error)
{
	for (size_t i = 1; i < from->n_nodes; i++) {
		const struct node *const n = &from->nodes[i];
		const struct pp_text *const f = pp_tree_text(from, (uint32_t)i);
		uint32_t frame = n->frame;

		if (totals[i] <= least)
			continue;
		if ((!(frame & PP_LATE) &&
		     pp_profile_frame(to, f->text, f->length, f->kind, &frame, error)) ||
		    pp_profile_call(to, place[n->parent], frame, &place[i], error))
			return -1;
	}
	for (size_t i = 0; i < from->n_weights; i++) {
		const struct weighed_calls *const w = &from->weights[i];

		if ((!w->node || totals[w->node] > least) &&
		    pp_tree_weigh_again(to, place[w->node], w, error))
			return -1;
	}
	return 0;
}

/* What each node weighs with all that goes on from there, on one side or on both. */
static uint64_t *total_weights(const struct pp_profile *p, bool both)
{
	uint64_t *const totals = calloc(p->n_nodes, sizeof(*totals));

	for (size_t i = 0; totals && i < p->n_weights; i++)
		totals[p->weights[i].node] = pp_tree_sum(p->weights[i].self[PP_PROFILE_FIRST],
							 both ? p->weights[i].self[PP_PROFILE_SECOND] : 0);
	for (size_t i = p->n_nodes; totals && i-- > 1;)
		totals[p->nodes[i].parent] = pp_tree_sum(totals[p->nodes[i].parent], totals[i]);
	return totals;
}

static uint64_t weigh(const struct pp_profile *p, bool both)
{
	return pp_tree_sum(pp_profile_total(p, PP_PROFILE_FIRST),
			   both ? pp_profile_total(p, PP_PROFILE_SECOND) : 0);
}

int pp_tree_lighten(struct pp_profile *p, bool both, uint32_t nodes, uint32_t *places, uint64_t *left_out,
		    struct pp_error *error)
{
	uint64_t *const totals = total_weights(p, both);
	struct pp_profile *const lighter = pp_profile_new();
	uint64_t least = 0;
	int status = totals && lighter ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	if (!status && p->in_order)
		pp_profile_keep_order(lighter);
	if (!status)
		status = find_least(totals, p->n_nodes, nodes, &least, error) ||
			 keep(lighter, p, totals, least, places, error) ? -1 : 0;
	*left_out = status ? 0 : weigh(p, both) - weigh(lighter, both);
	if (!status)
		pp_tree_swap(p, lighter);
	pp_profile_free(lighter);
	free(totals);
	return status;
}

int pp_profile_lighten(struct pp_profile *p, uint32_t nodes, uint64_t *left_out, struct pp_error *error)
{
	uint32_t *const places = calloc(p->n_nodes, sizeof(*places));
	const int status = places ? pp_tree_lighten(p, false, nodes, places, left_out, error) :
				    pp_fail(error, PP_E_NOMEM, NULL);

	free(places);
	return status;
}

/* ---- outermost frames ---- */

int pp_profile_roots(const struct pp_profile *p, struct pp_profile_root **roots, size_t *n,
		     struct pp_error *error)
{
	uint32_t *const of = calloc(p->n_nodes, sizeof(*of));
	struct pp_profile_root *all;

	*n = 0;
	for (size_t i = 1; i < p->n_nodes && of; i++) {
		const bool outermost = p->nodes[i].parent == PP_PROFILE_ROOT;

		of[i] = outermost ? (uint32_t)*n : of[p->nodes[i].parent];
		*n += outermost;
	}
	*roots = NULL;
	all = calloc(*n + 1, sizeof(*all));
	if (!all || !of) {
		free(all);
		free(of);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct pp_text *const f = pp_tree_text(p, (uint32_t)i);

		if (p->nodes[i].parent == PP_PROFILE_ROOT)
			all[of[i]] = (struct pp_profile_root){ p->nodes[i].frame, f->text, f->length, f->kind,
							       { 0 } };
	}
	for (size_t i = 0; i < p->n_weights; i++)
		for (unsigned side = 0; side < PP_PROFILE_SIDES && p->weights[i].node; side++) {
			uint64_t *const total = &all[of[p->weights[i].node]].total[side];

			*total = pp_tree_sum(*total, p->weights[i].self[side]);
		}
	free(of);
	*roots = all;
	return 0;
}

/* Calls all that `was` has; places[i] is the new number of what was node i. */
static int call_again(struct pp_profile *p, const struct pp_profile *was, const uint32_t *frames,
		      uint32_t *places, struct pp_error *error)
{
	size_t root = 0;

	for (uint32_t i = 1; i < was->n_nodes; i++) {
		const struct node node = was->nodes[i];
		const uint32_t frame = node.parent == PP_PROFILE_ROOT ? frames[root++] : node.frame;

		places[i] = places[node.parent];
		if (frame != PP_PROFILE_END && pp_profile_call(p, places[i], frame, &places[i], error))
			return -1;
	}
	for (size_t i = 0; i < was->n_weights; i++)
		if (pp_tree_weigh_again(p, places[was->weights[i].node], &was->weights[i], error))
			return -1;
	return 0;
}

int pp_profile_begin_with(struct pp_profile *p, const uint32_t *frames, uint32_t *places,
			  struct pp_error *error)
{
	struct pp_profile was;
	int status;

	places[PP_PROFILE_ROOT] = PP_PROFILE_ROOT;
	status = pp_tree_begin(p, &was, error) || call_again(p, &was, frames, places, error) ? -1 : 0;
	pp_tree_close(&was);
	return status;
}
