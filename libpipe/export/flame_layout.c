/* flame_layout.c - which frames of a profile a picture shows, and where. */
#include "export/flame_layout.h"

#include <perfpipe/fold.h>

#include "base/array.h"
#include "base/format_number.h"
#include "profile/call_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double as_share(uint64_t part, double whole)
{
	return whole > 0 ? (double)part / whole : 0;
}

/* What of each side counts as much as what of the other, and as 1. */
static void compare_sides(const struct pp_flame_options *how, const uint64_t total[PP_PROFILE_SIDES],
			  double per[PP_PROFILE_SIDES])
{
	double of[PP_PROFILE_SIDES], most = 0;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const double runs = how->runs[side] ? (double)how->runs[side] : 1;

		of[side] = how->by == PP_FLAME_BY_TIME ? (double)how->durations[side] * runs :
			   how->by == PP_FLAME_BY_COUNT ? runs : (double)total[side];
		if (of[side] > 0 && (double)total[side] / of[side] > most)
			most = (double)total[side] / of[side];
	}
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		per[side] = of[side] * most;
}

double pp_layout_share(const struct pp_layout *l, const struct pp_box *b, unsigned side)
{
	return as_share(b->total[side], l->per[side]);
}

uint64_t pp_per_run(const struct pp_flame_options *how, unsigned side, uint64_t weight)
{
	return how->runs[side] ? weight / how->runs[side] : weight;
}

static int by_number(const void *key, const void *item)
{
	const uint32_t number = *(const uint32_t *)key;
	const struct pp_flame_judgement *const j = item;

	return (number > j->number) - (number < j->number);
}

const struct pp_flame_judgement *pp_judged_of(const struct pp_flame_judged *judged,
					      enum pp_flame_family family, uint32_t number)
{
	const struct pp_flame_judgements *const of = judged ? &judged->of[family] : NULL;

	return of && of->n ? bsearch(&number, of->items, of->n, sizeof(*of->items), by_number) : NULL;
}

/* Weights that are counts of samples spread by about their root: of their difference, that of their sum. */
bool pp_layout_same(const struct pp_layout *l, const struct pp_box *b)
{
	const uint64_t *const whole = l->total;
	const double most = (double)(whole[0] > whole[1] ? whole[0] : whole[1]), grain = (double)l->grain;
	const double samples = ((double)b->total[0] + (double)b->total[1]) / grain;
	const double change = pp_layout_share(l, b, 1) - pp_layout_share(l, b, 0);

	return fabs(change) * most < 2 * sqrt(samples > 1 ? samples : 1) * grain;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* ---- which are shown ---- */

/* Of two sides a frame is as wide as its own parts where they were more, and what it calls. */
static void set_widths(struct pp_layout *l, const struct pp_calls *calls)
{
	const struct pp_profile *const p = l->profile;
	double sum;

	for (size_t i = 0; i < p->n_weights; i++) {
		const struct weighed_calls *const w = &p->weights[i];

		if (w->node)
			l->width[w->node] = larger(as_share(w->self[0], l->per[0]),
						   as_share(w->self[1], l->per[1]));
	}
	for (size_t i = p->n_nodes; i-- > 0;) {
		double called = 0;

		for (uint32_t k = calls->first[i + 1]; k-- > calls->first[i];)
			called += l->width[calls->items[k]];
		l->width[i] = called + l->width[i];
	}
	sum = larger(l->width[0], 1e-300);
	for (size_t i = 0; i < p->n_nodes; i++)
		l->width[i] /= sum;
}

/* What weighs nothing on either side has no width. */
static bool is_shown(const struct pp_layout *l, uint32_t node)
{
	const unsigned kind = pp_tree_text(l->profile, node)->kind;

	return l->width[node] > 0 && !(l->width[node] < l->least) && kind != PP_PROFILE_END;
}

static void count_left_out(struct pp_layout *l)
{
	const struct pp_profile *const p = l->profile;

	for (uint32_t i = 1; i < p->n_nodes; i++)
		l->left_out += l->width[i] > 0 && !is_shown(l, i) &&
			       pp_tree_text(p, i)->kind != PP_PROFILE_END;
}

static int add_box(struct pp_layout *l, uint32_t node, uint32_t depth, struct pp_error *error)
{
	if (PP_GROW(&l->nodes, &l->room, (size_t)l->n + 1, error))
		return -1;
	if (l->deepest < depth)
		l->deepest = depth;
	l->nodes[l->n++] = node;
	return 0;
}

/* What it calls is no wider. */
static int collect(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct pp_layout *const l = arg;

	if (!is_shown(l, node->node))
		return 1;
	return add_box(l, node->node, node->depth, error) ? -1 : 0;
}

/* Where order is kept, gaps stay where they are. */
static int collect_with_gaps(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct pp_layout *const l = arg;
	double *const next = &l->way[node->depth - 1].next;
	const double left = *next;

	*next += l->width[node->node];
	l->way[node->depth].next = left;
	if (!is_shown(l, node->node))
		return 1;
	if (add_box(l, node->node, node->depth, error) || PP_GROW(&l->left, &l->left_room, l->n, error))
		return -1;
	l->left[l->n - 1] = left;
	return 0;
}

uint64_t pp_grain_of(const struct pp_profile *p, uint64_t given)
{
	uint64_t grain = given;

	for (size_t i = 0; !given && i < p->n_weights && grain != 1; i++)
		for (unsigned side = 0; side < PP_PROFILE_SIDES && p->weights[i].node; side++)
			grain = pp_common_part(grain, p->weights[i].self[side]);
	return grain ? grain : 1;
}

/* The boxes on the way to the one at hand are those that have not ended. */
static void find_ends(struct pp_layout *l)
{
	const struct node *const nodes = l->profile->nodes;
	uint32_t depth = 0;

	l->way[0].end = 0;
	for (uint32_t i = 1; i < l->n; i++) {
		while (l->nodes[l->way[depth].end] != nodes[l->nodes[i]].parent)
			l->ends[l->way[depth--].end] = i;
		l->way[++depth].end = i;
	}
	for (depth++; depth-- > 0;)
		l->ends[l->way[depth].end] = l->n;
}

static int choose(struct pp_layout *l, struct pp_profile *p, bool as_made, struct pp_error *error)
{
	const enum pp_profile_order order = as_made ? PP_PROFILE_AS_MADE : PP_PROFILE_BY_NAME;
	struct pp_calls calls = { 0 };
	int status = pp_calls_open(p, order, &calls, error);

	if (!status) {
		set_widths(l, &calls);
		status = add_box(l, PP_PROFILE_ROOT, 0, error) ||
			 (as_made && PP_GROW_ZEROED(&l->left, &l->left_room, 1, error)) ||
			 pp_calls_each(p, &calls, order, as_made ? collect_with_gaps : collect, l, error) ?
			 -1 : 0;
	}
	pp_calls_close(&calls);
	return status;
}

int pp_layout_open(struct pp_layout *l, struct pp_profile *p, const struct pp_flame_options *how,
		   struct pp_error *error)
{
	const double width = how->width > 0 ? how->width : 1200;

	*l = (struct pp_layout){
		.profile = p, .fold = how->fold, .judged = how->judged,
		.total = { pp_profile_total(p, PP_PROFILE_FIRST), pp_profile_total(p, PP_PROFILE_SECOND) },
		.least = (how->least > 0 ? how->least : 0.1) / width,
	};
	l->both = l->total[1] > 0;
	compare_sides(how, l->total, l->per);
	l->width = calloc(p->n_nodes, sizeof(*l->width));
	l->way = calloc((size_t)p->deepest + 2, sizeof(*l->way));
	if (!l->width || !l->way)
		pp_fail(error, PP_E_NOMEM, NULL);
	else if (!choose(l, p, how->as_made, error) && !pp_tree_totals(p, l->node_total, error) &&
		 !(l->ends = calloc(l->n, sizeof(*l->ends))))
		pp_fail(error, PP_E_NOMEM, NULL);
	if (!l->ends) {
		pp_layout_close(l);
		return -1;
	}
	count_left_out(l);
	l->grain = pp_grain_of(p, how->grain);
	find_ends(l);
	return 0;
}

void pp_layout_close(struct pp_layout *l)
{
	free(l->nodes);
	free(l->ends);
	free(l->left);
	free(l->width);
	free(l->way);
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		free(l->node_total[side]);
	*l = (struct pp_layout){ 0 };
}

/* ---- one after the other ---- */

/* Of those that are shown. */
static uint64_t own(const struct pp_layout *l, uint32_t number, const uint64_t *total)
{
	uint64_t self = total[l->nodes[number]];

	for (uint32_t i = number + 1; i < l->ends[number]; i = l->ends[i])
		self -= total[l->nodes[i]];
	return self;
}

const char *pp_frame_file(const struct pp_fold *fold, const struct pp_text *f, unsigned *kind)
{
	static const char unknown[] = "[unknown]";

	if (fold)
		return pp_fold_object(fold, f->kind, kind);
	*kind = f->length == sizeof(unknown) - 1 && !memcmp(f->text, unknown, f->length) ? PP_FLAME_UNKNOWN :
		f->kind < PP_FLAME_KINDS ? f->kind : PP_FLAME_PROGRAM;
	return NULL;
}

static void describe(const struct pp_layout *l, struct pp_box *b)
{
	const uint32_t node = l->nodes[b->number];
	const struct pp_text *const f = b->number ? pp_tree_text(l->profile, node) : NULL;

	b->frame = f ? l->profile->nodes[node].frame : 0;
	b->name = f ? f->text : "all";
	b->length = f ? f->length : 3;
	b->kind = PP_FLAME_GROUP;
	if (f)
		(void)pp_frame_file(l->fold, f, &b->kind);
	b->width = l->width[node];
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const uint64_t *const total = l->node_total[side];

		b->total[side] = total ? total[node] : 0;
		b->self[side] = total ? own(l, b->number, total) : 0;
	}
}

bool pp_layout_first(const struct pp_layout *l, struct pp_box *b)
{
	*b = (struct pp_box){ .number = 0 };
	l->way[0] = (struct pp_box_way){ 0, l->n };
	describe(l, b);
	return true;
}

bool pp_layout_next(const struct pp_layout *l, struct pp_box *b)
{
	struct pp_box_way *caller;

	if (++b->number >= l->n)
		return false;
	while (l->way[b->depth].end <= b->number)
		b->depth--;
	caller = &l->way[b->depth++];
	describe(l, b);
	b->left = l->left ? l->left[b->number] : caller->next;
	caller->next += b->width;
	l->way[b->depth] = (struct pp_box_way){ b->left, l->ends[b->number] };
	return true;
}
