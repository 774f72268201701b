/*
 * call_tree.c - the tree of calls: frames by name, nodes by their caller and frame, weights.  Others say
 * where stacks come from, show them in an order, and write them.
 *
 *	main;read;copy 3        root -- main -- read (2) -- copy (3)
 *	main;read 2                         `-- write (1)
 *	main;write 1
 *
 * A stack costs as many nodes as it has frames that no other one has so far: a node is its caller's
 * number and that of its frame, found by both.  What few nodes have, a weight, is apart.
 */
#include "profile/call_tree.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int add_root(struct pp_profile *p, struct pp_error *error)
{
	if (PP_GROW_ZEROED(&p->nodes, &p->nodes_room, 1, error) ||
	    (p->in_order && PP_GROW_ZEROED(&p->last, &p->last_room, 1, error)))
		return -1;
	p->n_nodes = 1;
	return 0;
}

struct pp_profile *pp_profile_new(void)
{
	struct pp_profile *const p = calloc(1, sizeof(*p));

	if (p && add_root(p, NULL)) {
		pp_profile_free(p);
		return NULL;
	}
	return p;
}

int pp_tree_begin(struct pp_profile *p, struct pp_profile *was, struct pp_error *error)
{
	*was = *p;
	*p = (struct pp_profile){
		.frames = p->frames, .in_order = p->in_order, .cut = p->cut, .fractions = p->fractions,
	};
	was->frames = (struct pp_strings){ 0 };
	pp_tree_rest(was);
	pp_numbers_close(&was->by_node);
	return add_root(p, error);
}

void pp_tree_close(struct pp_profile *p)
{
	pp_strings_close(&p->frames);
	free(p->nodes);
	free(p->weights);
	free(p->last);
	pp_numbers_close(&p->by_call);
	pp_numbers_close(&p->by_node);
}

void pp_profile_free(struct pp_profile *p)
{
	if (p)
		pp_tree_close(p);
	free(p);
}

/* ---- frames ---- */

int pp_profile_frame(struct pp_profile *p, const char *name, size_t length, unsigned kind,
		     uint32_t *frame, struct pp_error *error)
{
	if (p->frames.n >= PP_LATE)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_strings_number(&p->frames, name, length, kind, frame, error);
}

/* ---- nodes ---- */

static uint64_t hash_call(uint32_t from, uint32_t frame)
{
	return pp_hash_more(0, (uint64_t)frame << 32 | from);
}

static uint64_t hash_node(const void *things, uint64_t place)
{
	const struct node *const n = &((const struct node *)things)[place];

	return hash_call(n->parent, n->frame);
}

static uint32_t depth_of(const struct pp_profile *p, uint32_t node)
{
	uint32_t depth = 0;

	/* nearly always stacks are called from one end to the other */
	for (; node != p->at; node = p->nodes[node].parent, depth++)
		if (node == PP_PROFILE_ROOT)
			return depth;
	return depth + p->depth;
}

/* This one was called from that one. */
static void step(struct pp_profile *p, uint32_t from, uint32_t to)
{
	if (from != PP_PROFILE_ROOT && from != p->at)
		return;
	p->depth = from == PP_PROFILE_ROOT ? 1 : p->depth + 1;
	p->at = to;
}

static int add_node(struct pp_profile *p, uint32_t from, uint32_t frame, struct pp_error *error)
{
	const uint32_t depth = depth_of(p, from) + 1;

	if (p->n_nodes >= PP_TREE_MOST || PP_GROW(&p->nodes, &p->nodes_room, p->n_nodes + 1, error) ||
	    (p->in_order && PP_GROW_ZEROED(&p->last, &p->last_room, p->n_nodes + 1, error)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (p->in_order)
		p->last[from] = (uint32_t)p->n_nodes;
	p->nodes[p->n_nodes++] = (struct node){ .parent = from, .frame = frame };
	if (p->deepest < depth)
		p->deepest = depth;
	p->at = (uint32_t)p->n_nodes - 1;
	p->depth = depth;
	return 0;
}

static int call_in_order(struct pp_profile *p, uint32_t from, uint32_t frame, uint32_t *node,
			 struct pp_error *error)
{
	const uint32_t last = p->last[from];

	if ((!last || p->nodes[last].frame != frame) && add_node(p, from, frame, error))
		return -1;
	*node = p->last[from];
	step(p, from, *node);
	return 0;
}

/* Where a call is in the index, or would be; there is room. */
static size_t place_of_call(const struct pp_profile *p, uint32_t from, uint32_t frame)
{
	size_t at = pp_numbers_first(&p->by_call, hash_call(from, frame));

	/* the newest node calls nothing yet: the calls that are met are those of others */
	if (from + 1 == p->n_nodes) {
		while (p->by_call.places[at])
			at = pp_numbers_next(&p->by_call, at);
		return at;
	}
	for (; p->by_call.places[at]; at = pp_numbers_next(&p->by_call, at)) {
		const struct node *const n = &p->nodes[p->by_call.places[at]];

		if (n->parent == from && n->frame == frame)
			break;
	}
	return at;
}

void pp_tree_rest(struct pp_profile *p)
{
	pp_numbers_close(&p->by_call);
}

/* Makes room in the index for one more, and puts back what was there before it rested. */
static int wake(struct pp_profile *p, struct pp_error *error)
{
	const bool rested = !p->by_call.room && p->n_called;

	if (pp_numbers_reserve(&p->by_call, p->n_called + 1, hash_node, p->nodes))
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; rested && i < p->n_nodes; i++)
		if (!p->in_order || p->nodes[i].parent == PP_PROFILE_ROOT)
			p->by_call.places[place_of_call(p, p->nodes[i].parent, p->nodes[i].frame)] = i;
	return 0;
}

int pp_profile_call(struct pp_profile *p, uint32_t from, uint32_t frame, uint32_t *node,
		    struct pp_error *error)
{
	size_t at;

	if (p->in_order && from != PP_PROFILE_ROOT)
		return call_in_order(p, from, frame, node, error);
	if (wake(p, error))
		return -1;
	at = place_of_call(p, from, frame);
	if (!p->by_call.places[at]) {
		if (add_node(p, from, frame, error))
			return -1;
		p->by_call.places[at] = (uint32_t)p->n_nodes - 1;
		p->n_called++;
	}
	*node = p->by_call.places[at];
	step(p, from, *node);
	return 0;
}

int pp_tree_end(struct pp_profile *p, uint32_t *node, struct pp_error *error)
{
	uint32_t end;

	if (!p->in_order)
		return 0;
	return pp_profile_frame(p, "", 0, PP_PROFILE_END, &end, error) ||
	       pp_profile_call(p, *node, end, node, error) ? -1 : 0;
}

void pp_profile_keep_order(struct pp_profile *p)
{
	p->in_order = true;
}

/* ---- weights ---- */

static uint64_t hash_weighed(const void *things, uint64_t place)
{
	return pp_hash_number(((const struct weighed_calls *)things)[place - 1].node);
}

static inline size_t place_of_weights(const struct pp_profile *p, uint32_t node)
{
	size_t at = pp_numbers_first(&p->by_node, pp_hash_number(node));

	while (p->by_node.places[at] && p->weights[p->by_node.places[at] - 1].node != node)
		at = pp_numbers_next(&p->by_node, at);
	return at;
}

static inline struct weighed_calls *find_weights(const struct pp_profile *p, uint32_t node)
{
	const uint32_t place = p->by_node.room ? p->by_node.places[place_of_weights(p, node)] : 0;

	return place ? &p->weights[place - 1] : NULL;
}

const struct weighed_calls *pp_tree_weights(const struct pp_profile *p, uint32_t node)
{
	return find_weights(p, node);
}

/* The first of a node.  Not inlined: every call would save the registers that only this one needs. */
__attribute__((noinline))
static int add_node_weights(struct pp_profile *p, uint32_t node, struct pp_error *error)
{
	if (pp_numbers_reserve(&p->by_node, p->n_weights + 1, hash_weighed, p->weights) ||
	    PP_GROW(&p->weights, &p->weights_room, p->n_weights + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	p->weights[p->n_weights++] = (struct weighed_calls){ .node = node };
	p->by_node.places[place_of_weights(p, node)] = (uint32_t)p->n_weights;
	return 0;
}

int pp_tree_weights_at(struct pp_profile *p, uint32_t node, uint32_t *which, struct pp_error *error)
{
	const struct weighed_calls *const known = find_weights(p, node);

	*which = (uint32_t)(known ? (size_t)(known - p->weights) : p->n_weights);
	return known ? 0 : add_node_weights(p, node, error);
}

int pp_profile_weigh(struct pp_profile *p, uint32_t node, enum pp_profile_side side, uint64_t weight,
		     struct pp_error *error)
{
	uint32_t which;

	if (pp_tree_weights_at(p, node, &which, error))
		return -1;
	pp_tree_weigh_at(p, which, side, weight);
	return 0;
}

int pp_tree_weigh(struct pp_profile *p, uint32_t node, const uint64_t self[PP_PROFILE_SIDES],
		  struct pp_error *error)
{
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		if (pp_profile_weigh(p, node, side, self[side], error))
			return -1;
	return 0;
}

int pp_tree_weigh_again(struct pp_profile *p, uint32_t node, const struct weighed_calls *was,
			struct pp_error *error)
{
	struct weighed_calls *now;

	if (pp_tree_weigh(p, node, was->self, error))
		return -1;
	now = find_weights(p, node);
	/* which was weighed once more by that */
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		now->times[side] += was->times[side] - 1;
	return 0;
}

void pp_profile_clear(struct pp_profile *p, enum pp_profile_side side)
{
	for (size_t i = 0; i < p->n_weights; i++)
		p->weights[i].self[side] = p->weights[i].times[side] = 0;
}

int pp_profile_add(struct pp_profile *p, const uint32_t *frames, size_t n, enum pp_profile_side side,
		   uint64_t weight, struct pp_error *error)
{
	uint32_t node = PP_PROFILE_ROOT;

	for (size_t i = 0; i < n && i < PP_PROFILE_DEEPEST; i++)
		if (pp_profile_call(p, node, frames[i], &node, error))
			return -1;
	return pp_tree_end(p, &node, error) ? -1 : pp_profile_weigh(p, node, side, weight, error);
}

void pp_profile_losses(const struct pp_profile *p, struct pp_profile_losses *losses)
{
	*losses = (struct pp_profile_losses){ .cut = p->cut, .fractions = p->fractions };
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		losses->full |= pp_profile_total(p, side) == UINT64_MAX;
}

uint64_t pp_profile_total(const struct pp_profile *p, enum pp_profile_side side)
{
	uint64_t total = 0;

	for (size_t i = 0; i < p->n_weights; i++)
		total = pp_tree_sum(total, p->weights[i].self[side]);
	return total;
}

uint32_t pp_profile_nodes(const struct pp_profile *p)
{
	return (uint32_t)p->n_nodes;
}

uint32_t pp_profile_depth(const struct pp_profile *p)
{
	return p->deepest;
}

/* ---- what there is ---- */

size_t pp_profile_stack(const struct pp_profile *p, uint32_t node, uint32_t *nodes, size_t room)
{
	size_t depth = 0;

	for (uint32_t at = node; at != PP_PROFILE_ROOT; at = p->nodes[at].parent)
		depth++;
	for (size_t i = depth; i-- > 0; node = p->nodes[node].parent)
		if (i < room)
			nodes[i] = node;
	return depth;
}

const char *pp_profile_name(const struct pp_profile *p, uint32_t node, size_t *length)
{
	const struct pp_text *const f = node ? pp_tree_text(p, node) : NULL;

	*length = f ? f->length : 0;
	return f ? f->text : "";
}
