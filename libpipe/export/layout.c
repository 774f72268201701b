/* layout.c - which frames of a profile a picture shows, and where; drawing them is left to others. */
#include "export/layout.h"

#include "base/grow.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Collects all nodes, in order. */
static int collect(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct pp_layout *const l = arg;

	/* what weighs nothing on either side has no width; the root is always there */
	if (l->n && !node->total[0] && !node->total[1])
		return 0;
	if (PP_GROW(&l->boxes, &l->room, l->n + 1, error))
		return -1;
	for (unsigned side = 0; side < PP_PROFILE_SIDES && l->grain != 1; side++)
		l->grain = pp_common_part(l->grain, node->self[side]);
	l->box_of[node->node] = (uint32_t)l->n;
	l->boxes[l->n++] = (struct pp_box){
		.node = *node, .parent = l->box_of[node->parent],
		.self = { node->self[0], node->self[1] }, .total = { node->total[0], node->total[1] },
	};
	return 0;
}

static double as_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double pp_layout_share(const struct pp_layout *l, const struct pp_box *b, unsigned side)
{
	return as_share(b->total[side], l->boxes[0].total[side]);
}

/* Weights that are counts of samples spread by about their root: of their difference, that of their sum. */
bool pp_layout_same(const struct pp_layout *l, const struct pp_box *b)
{
	const uint64_t *const whole = l->boxes[0].total;
	const double most = (double)(whole[0] > whole[1] ? whole[0] : whole[1]), grain = (double)l->grain;
	const double samples = ((double)b->total[0] + (double)b->total[1]) / grain;
	const double change = pp_layout_share(l, b, 1) - pp_layout_share(l, b, 0);

	return fabs(change) * most < 2 * sqrt(samples > 1 ? samples : 1) * grain;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Of two sides a frame is as wide as its own parts where they were more, and what it calls. */
static void set_widths(struct pp_layout *l)
{
	const struct pp_box *const whole = l->boxes;
	double sum;

	for (size_t i = l->n; i-- > 0;) {
		struct pp_box *const b = &l->boxes[i];

		b->width += larger(as_share(b->self[0], whole->total[0]),
				   as_share(b->self[1], whole->total[1]));
		if (i)
			l->boxes[b->parent].width += b->width;
	}
	sum = larger(whole->width, 1e-300);
	for (size_t i = 0; i < l->n; i++)
		l->boxes[i].width /= sum;
}

/* Takes out what is too narrow: what it weighs is its caller's.  What it calls is no wider. */
static int prune(struct pp_layout *l, uint32_t n_nodes, struct pp_error *error)
{
	uint32_t *const owner = calloc(l->n, sizeof(*owner));
	size_t n = 0;

	if (!owner)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < l->n; i++) {
		struct pp_box *const b = &l->boxes[i];
		const uint32_t caller = owner[b->parent];

		owner[i] = caller;
		if (i && (b->width < l->least || b->node.kind == PP_PROFILE_END)) {
			l->left_out += b->node.kind != PP_PROFILE_END;
			continue;
		}
		owner[i] = (uint32_t)n;
		b->parent = caller;
		l->boxes[n++] = *b;
	}
	l->n = n;
	for (uint32_t node = 0; node < n_nodes; node++)
		l->box_of[node] = owner[l->box_of[node]];
	free(owner);
	return 0;
}

static void place(struct pp_layout *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct pp_box *const b = &l->boxes[i], *const caller = &l->boxes[b->parent];

		b->left = b->next = i ? caller->next : 0;
		if (i)
			caller->next += b->width;
	}
}

/* Of those that are shown. */
static void count_own(struct pp_layout *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct pp_box *const b = &l->boxes[i], *const caller = &l->boxes[b->parent];

		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
			b->self[side] = b->total[side];
			if (i)
				caller->self[side] -= b->total[side];
		}
		if (b->node.depth > l->deepest)
			l->deepest = b->node.depth;
	}
}

int pp_layout_open(struct pp_layout *l, struct pp_profile *p, const struct pp_flame_options *how,
		   struct pp_error *error)
{
	const double width = how->width > 0 ? how->width : 1200;
	struct pp_profile_node whole = {
		.name = "all", .length = 3, .kind = PP_FLAME_OTHER,
		.total = { pp_profile_total(p, PP_PROFILE_FIRST), pp_profile_total(p, PP_PROFILE_SECOND) },
	};

	*l = (struct pp_layout){
		.box_of = calloc(pp_profile_nodes(p), sizeof(uint32_t)),
		.both = whole.total[1] > 0,
		.least = (how->least > 0 ? how->least : 0.1) / width,
	};
	if (!l->box_of)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (collect(l, &whole, error) ||
	    pp_profile_each(p, how->as_made ? PP_PROFILE_AS_MADE : PP_PROFILE_BY_NAME, collect, l, error)) {
		pp_layout_close(l);
		return -1;
	}
	if (how->grain || !l->grain)
		l->grain = how->grain ? how->grain : 1;
	set_widths(l);
	/* where order is kept, gaps stay where they are */
	if (how->as_made)
		place(l);
	if (prune(l, pp_profile_nodes(p), error)) {
		pp_layout_close(l);
		return -1;
	}
	if (!how->as_made)
		place(l);
	count_own(l);
	return 0;
}

void pp_layout_close(struct pp_layout *l)
{
	free(l->boxes);
	free(l->box_of);
	*l = (struct pp_layout){ 0 };
}
