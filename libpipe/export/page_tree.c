/*
 * page_tree.c - the calls of a profile as a page has them: without tasks, the heaviest first, and no more
 * than anybody can look at.
 */
#include "export/page.h"

#include "profile/call_tree.h"

#include <stdlib.h>

/* Nodes while they are put together: callers come before what they call.  They are small, since there are
 * as many as all distinct stacks have frames. */
struct joined {
	uint32_t n;
	struct joined_node {
		uint32_t parent, frame;
	} *nodes;                     /* there is room for as many as the profile has */
	struct pp_numbers by_call;    /* nodes but the root, which is never looked for */
	uint64_t *total[PP_PROFILE_SIDES];    /* of each node; NULL: nothing weighs on that side */
};

static uint64_t hash_call(uint32_t parent, uint32_t frame)
{
	return pp_hash_more(0, (uint64_t)frame << 32 | parent);
}

static uint64_t hash_joined(const void *things, uint64_t place)
{
	const struct joined_node *const node = &((const struct joined_node *)things)[place];

	return hash_call(node->parent, node->frame);
}

static uint32_t add_joined(struct joined *j, uint32_t parent, uint32_t frame)
{
	j->nodes[j->n] = (struct joined_node){ parent, frame };
	return j->n++;
}

static int find_joined(struct joined *j, uint32_t parent, uint32_t frame, uint32_t *place,
		       struct pp_error *error)
{
	size_t at;

	if (pp_numbers_reserve(&j->by_call, j->n, hash_joined, j->nodes))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&j->by_call, hash_call(parent, frame));
	while (j->by_call.places[at]) {
		const struct joined_node *const node = &j->nodes[j->by_call.places[at]];

		if (node->parent == parent && node->frame == frame) {
			*place = j->by_call.places[at];
			return 0;
		}
		at = pp_numbers_next(&j->by_call, at);
	}
	j->by_call.places[at] = *place = add_joined(j, parent, frame);
	return 0;
}

/* The calls of all tasks become those of one. */
static int join(struct joined *j, const struct pp_profile *p, bool tasks, uint32_t *places,
		struct pp_error *error)
{
	j->nodes = calloc(p->n_nodes, sizeof(*j->nodes));
	if (!j->nodes)
		return pp_fail(error, PP_E_NOMEM, NULL);
	add_joined(j, PP_PROFILE_ROOT, 0);
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		const struct node node = p->nodes[i];

		if (tasks && node.parent == PP_PROFILE_ROOT)
			places[i] = PP_PROFILE_ROOT;
		else if (!tasks)
			places[i] = add_joined(j, node.parent, node.frame);
		else if (find_joined(j, places[node.parent], node.frame, &places[i], error))
			return -1;
	}
	pp_numbers_close(&j->by_call);
	return 0;
}

static int weigh(struct joined *j, const struct pp_profile *p, const uint32_t *places, struct pp_error *error)
{
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const bool weighs = !side || pp_profile_total(p, side);
		uint64_t *const total = weighs ? calloc(j->n, sizeof(*total)) : NULL;

		j->total[side] = total;
		if (!total && weighs)
			return pp_fail(error, PP_E_NOMEM, NULL);
		for (size_t i = 0; total && i < p->n_weights; i++)
			total[places[p->weights[i].node]] = pp_tree_sum(total[places[p->weights[i].node]],
									p->weights[i].self[side]);
		for (uint32_t i = j->n; total && i-- > 1;)
			total[j->nodes[i].parent] = pp_tree_sum(total[j->nodes[i].parent], total[i]);
	}
	return 0;
}

static void close_joined(struct joined *j)
{
	free(j->nodes);
	pp_numbers_close(&j->by_call);
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		free(j->total[side]);
}

/* ---- which are kept ---- */

/* A node's share of a side's whole, of that where it is larger. */
static double share_of(const struct joined *j, uint32_t node)
{
	double most = 0;

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		const uint64_t *const total = j->total[side];
		const double share = total && *total ? (double)total[node] / (double)*total : 0;

		most = share > most ? share : most;
	}
	return most;
}

/* The share that nodes need to be kept, if they may not be more than PP_PAGE_NODES. */
static double least_share(const struct joined *j)
{
	double least = 0;

	for (double next = 1e-7; ; next *= 3) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < j->n; i++)
			n += share_of(j, i) > least || !i;
		if (n <= PP_PAGE_NODES)
			return least;
		least = next;
	}
}

/* The numbers of nodes by their callers, the heaviest of each first; first[i] is where those of node i
 * begin. */
struct page_order {
	uint32_t *first, *items;
};

static int heaviest_first(const void *a, const void *b, void *arg)
{
	const struct joined *const j = arg;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const double of_x = share_of(j, x), of_y = share_of(j, y);

	return of_x != of_y ? (of_x < of_y ? 1 : -1) : (x > y) - (x < y);
}

static int open_order(struct page_order *o, struct joined *j, double least, struct pp_error *error)
{
	o->first = calloc((size_t)j->n + 2, sizeof(*o->first));
	o->items = calloc((size_t)j->n + 1, sizeof(*o->items));
	if (!o->first || !o->items)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; i < j->n; i++)
		o->first[j->nodes[i].parent + 2] += share_of(j, i) > least;
	for (uint32_t i = 2; i < j->n + 2; i++)
		o->first[i] += o->first[i - 1];
	for (uint32_t i = 1; i < j->n; i++)
		if (share_of(j, i) > least)
			o->items[o->first[j->nodes[i].parent + 1]++] = i;
	for (uint32_t i = 0; i < j->n; i++)
		if (o->first[i + 1] - o->first[i] > 1)
			qsort_r(&o->items[o->first[i]], o->first[i + 1] - o->first[i], sizeof(*o->items),
				heaviest_first, j);
	return 0;
}

static void close_order(struct page_order *o)
{
	free(o->first);
	free(o->items);
}

/* ---- in their order ---- */

static uint32_t number_function(struct pp_page_tree *t, uint32_t frame, uint32_t *numbers)
{
	if (!numbers[frame]) {
		t->frames[t->functions++] = frame;
		numbers[frame] = t->functions;
	}
	return numbers[frame] - 1;
}

/* Numbers what is kept: `way` has, of each node from the whole to the one at hand, the next that it calls.
 *  */
static void put_in_order(struct pp_page_tree *t, const struct joined *j, const struct page_order *o,
			 uint32_t *way, uint32_t *numbers, uint32_t *kept_at)
{
	uint32_t depth = 0, *const on_way = kept_at + j->n;

	t->nodes[0] = (struct pp_page_node){ .depth = 0 };
	t->n = 1;
	way[0] = o->first[0];
	on_way[0] = 0;
	for (;;) {
		const uint32_t at = on_way[depth];
		uint32_t node;

		if (way[depth] == o->first[at + 1]) {
			if (!depth--)
				return;
			continue;
		}
		node = o->items[way[depth]++];
		kept_at[node] = t->n;
		t->nodes[t->n++] = (struct pp_page_node){
			.depth = ++depth, .function = number_function(t, j->nodes[node].frame, numbers),
		};
		way[depth] = o->first[node];
		on_way[depth] = node;
	}
}

/* What is not kept is part of its caller. */
static void add_up(struct pp_page_tree *t, const struct joined *j, const struct pp_profile *p,
		   uint32_t *kept_at)
{
	for (uint32_t i = 1; i < j->n; i++)
		if (!kept_at[i]) {
			kept_at[i] = kept_at[j->nodes[i].parent];
			t->left_out += share_of(j, i) > 0;
		}
	for (uint32_t i = 1; i < p->n_nodes; i++)
		t->places[i] = kept_at[t->places[i]];
}

/* What each node weighs itself. */
static int weigh_itself(struct pp_page_tree *t, const struct pp_profile *p, struct pp_error *error)
{
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		if (side && !t->total[side])
			continue;
		t->self[side] = calloc(t->n, sizeof(*t->self[side]));
		if (!t->self[side])
			return pp_fail(error, PP_E_NOMEM, NULL);
		for (size_t i = 0; i < p->n_weights; i++) {
			uint64_t *const self = &t->self[side][t->places[p->weights[i].node]];

			*self = pp_tree_sum(*self, p->weights[i].self[side]);
		}
	}
	return 0;
}

static int keep_heaviest(struct pp_page_tree *t, struct joined *j, const struct pp_profile *p,
		  struct pp_error *error)
{
	struct page_order order = { 0 };
	uint32_t *const way = calloc((size_t)p->deepest + 2, sizeof(*way));
	uint32_t *const numbers = calloc(p->frames.n + 1, sizeof(*numbers));
	/* where each node is kept, followed by those on the way */
	uint32_t *const kept_at = calloc((size_t)j->n + p->deepest + 2, sizeof(*kept_at));
	int status = -1;

	t->nodes = calloc(j->n > PP_PAGE_NODES ? PP_PAGE_NODES + 1 : j->n, sizeof(*t->nodes));
	t->frames = calloc(p->frames.n + 1, sizeof(*t->frames));
	if (!way || !numbers || !kept_at || !t->nodes || !t->frames) {
		pp_fail(error, PP_E_NOMEM, NULL);
	} else if (!open_order(&order, j, least_share(j), error)) {
		put_in_order(t, j, &order, way, numbers, kept_at);
		add_up(t, j, p, kept_at);
		status = 0;
	}
	close_order(&order);
	free(way);
	free(numbers);
	free(kept_at);
	return status;
}

int pp_page_tree_open(struct pp_page_tree *t, struct pp_profile *p, bool tasks, struct pp_error *error)
{
	struct joined joined = { 0 };
	int status = -1;

	pp_tree_rest(p);
	*t = (struct pp_page_tree){ .places = calloc(p->n_nodes, sizeof(*t->places)) };
	if (!t->places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!join(&joined, p, tasks, t->places, error) && !weigh(&joined, p, t->places, error)) {
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
			t->total[side] = joined.total[side] ? *joined.total[side] : 0;
		status = keep_heaviest(t, &joined, p, error);
	}
	close_joined(&joined);
	if (status || weigh_itself(t, p, error)) {
		pp_page_tree_close(t);
		return -1;
	}
	return 0;
}

void pp_page_tree_close(struct pp_page_tree *t)
{
	free(t->nodes);
	free(t->frames);
	free(t->places);
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		free(t->self[side]);
	*t = (struct pp_page_tree){ 0 };
}
