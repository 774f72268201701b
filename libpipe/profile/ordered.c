/*
 * ordered.c - goes through a tree of calls in an order: what a node calls, by name, by weight, or as lines of
 * folded stacks are.  The caller decides what is done with each.
 */
#include "profile/call_tree.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* What stands below a node, in order: the line of a stack that ends in one that it calls, or all
 * below that one. */
static uint32_t node_of(uint32_t item)
{
	return item & ~PP_CALLS_END;
}

/* The byte of a line there: of the name, or what follows it. */
static int byte_at(const struct pp_text *f, uint32_t item, uint32_t at)
{
	if (at < f->length)
		return (unsigned char)pp_folded_byte(f->text[at]);
	return item & PP_CALLS_END ? -1 : ';';
}

/* Where the two differ, from a byte on, or the shorter ends. */
static uint32_t first_difference(const struct pp_text *x, const struct pp_text *y, uint32_t at)
{
	const uint32_t shorter = x->length < y->length ? x->length : y->length;

	while (at + 8 <= shorter && !memcmp(x->text + at, y->text + at, 8))
		at += 8;
	while (at < shorter && x->text[at] == y->text[at])
		at++;
	return at;
}

static int by_line(const void *a, const void *b, void *arg)
{
	const struct pp_profile *const p = arg;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct pp_text *const x = pp_tree_text(p, node_of(i));
	const struct pp_text *const y = pp_tree_text(p, node_of(j));

	for (uint32_t at = 0;; at++) {
		at = first_difference(x, y, at);
		if (byte_at(x, i, at) != byte_at(y, j, at))
			return byte_at(x, i, at) - byte_at(y, j, at);
		/* what is one byte in a line may be two in names: "a;b" and "a:b" */
		if (at >= x->length || at >= y->length)
			break;
	}
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (i > j) - (i < j);
}

/* What the order of weights needs to know. */
struct sorting {
	const struct pp_profile *p;
	const struct pp_calls *c;
};

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct sorting *const s = arg;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const uint64_t *const total = s->c->total[PP_PROFILE_FIRST];
	const unsigned k = pp_tree_text(s->p, i)->kind;
	const unsigned l = pp_tree_text(s->p, j)->kind;

	if (total && total[i] != total[j])
		return total[i] < total[j] ? 1 : -1;
	if (k != l)
		return k > l ? -1 : 1;
	return (i > j) - (i < j);
}

static bool ends_in(const struct pp_calls *c, uint32_t node)
{
	return c->ends[node / 64] >> node % 64 & 1;
}

/* What ends in each node, and goes on from there. */
static void add_weights(const struct pp_profile *p, unsigned side, uint64_t *total)
{
	for (size_t i = 0; i < p->n_weights; i++)
		total[p->weights[i].node] = p->weights[i].self[side];
	for (size_t i = p->n_nodes; i-- > 1;)
		total[p->nodes[i].parent] = pp_tree_sum(total[p->nodes[i].parent], total[i]);
}

static bool weighs(const struct pp_profile *p, unsigned side)
{
	for (size_t i = 0; i < p->n_weights; i++)
		if (p->weights[i].self[side])
			return true;
	return false;
}

int pp_tree_totals(const struct pp_profile *p, uint64_t *total[PP_PROFILE_SIDES], struct pp_error *error)
{
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		if (!weighs(p, side))
			continue;
		total[side] = calloc(p->n_nodes, sizeof(**total));
		if (!total[side])
			return pp_fail(error, PP_E_NOMEM, NULL);
		add_weights(p, side, total[side]);
	}
	return 0;
}

/* Whether a node is among the items, and where lines are wanted, which of these are there: one that ends a
 * stack, and one for what it calls. */
static unsigned items_of(const struct pp_calls *c, const uint64_t *calls, uint32_t node)
{
	return !calls ? 1 : ends_in(c, node) + (calls[node / 64] >> node % 64 & 1);
}

static void fill(const struct pp_profile *p, const uint64_t *calls, struct pp_calls *c)
{
	for (uint32_t i = 1; i < p->n_nodes; i++)
		c->first[p->nodes[i].parent + 2] += items_of(c, calls, i);
	for (size_t i = 2; i < p->n_nodes + 2; i++)
		c->first[i] += c->first[i - 1];
	/* first[i + 1] is where the next of i goes, and where those of i end once all are there. */
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		uint32_t *const at = &c->first[p->nodes[i].parent + 1];

		if (calls && ends_in(c, i))
			c->items[(*at)++] = i | PP_CALLS_END;
		if (!calls || calls[i / 64] >> i % 64 & 1)
			c->items[(*at)++] = i;
	}
}

/* Of each node a bit: whether it calls any. */
static uint64_t *find_nodes_that_call(const struct pp_profile *p)
{
	uint64_t *const calls = calloc(p->n_nodes / 64 + 1, sizeof(*calls));

	for (size_t i = 1; calls && i < p->n_nodes; i++)
		calls[p->nodes[i].parent / 64] |= UINT64_C(1) << p->nodes[i].parent % 64;
	return calls;
}

static int make_items(struct pp_profile *p, enum pp_profile_order order, struct pp_calls *c)
{
	uint64_t *const calls = order == PP_PROFILE_LINES ? find_nodes_that_call(p) : NULL;
	size_t n = 1;

	if (order == PP_PROFILE_LINES && !calls)
		return -1;
	for (uint32_t i = 1; i < p->n_nodes; i++)
		n += items_of(c, calls, i);
	/* as many as nodes, or twice as many where all end a stack */
	c->items = n <= UINT32_MAX ? malloc(n * sizeof(*c->items)) : NULL;
	c->first = calloc(p->n_nodes + 2, sizeof(*c->first));
	if (c->items && c->first)
		fill(p, calls, c);
	free(calls);
	return c->items && c->first ? 0 : -1;
}

int pp_calls_open(struct pp_profile *p, enum pp_profile_order order, struct pp_calls *c,
		  struct pp_error *error)
{
	struct sorting sorting = { p, c };

	c->ends = calloc(p->n_nodes / 64 + 1, sizeof(*c->ends));
	/* what finds nodes makes room for this, where it is large */
	if (p->n_nodes > 1 << 18)
		pp_tree_rest(p);
	for (size_t i = 0; c->ends && i < p->n_weights; i++) {
		const struct weighed_calls *const w = &p->weights[i];

		if (w->self[0] || w->self[1])
			c->ends[w->node / 64] |= UINT64_C(1) << w->node % 64;
	}
	if (!c->ends || make_items(p, order, c))
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; order != PP_PROFILE_AS_MADE && i < p->n_nodes; i++)
		if (c->first[i + 1] - c->first[i] > 1)
			qsort_r(c->items + c->first[i], c->first[i + 1] - c->first[i], sizeof(*c->items),
				order == PP_PROFILE_BY_WEIGHT ? by_weight : by_line,
				order == PP_PROFILE_BY_WEIGHT ? (void *)&sorting : p);
	return 0;
}

void pp_calls_close(struct pp_calls *c)
{
	free(c->first);
	free(c->items);
	free(c->ends);
	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++)
		free(c->total[side]);
	*c = (struct pp_calls){ 0 };
}

static struct pp_profile_node describe(const struct pp_profile *p, const struct pp_calls *c, uint32_t i,
				       uint32_t depth)
{
	const struct node *const n = &p->nodes[i];
	const struct pp_text *const f = pp_tree_text(p, i);
	const struct weighed_calls *const weights = ends_in(c, i) ? pp_tree_weights(p, i) : NULL;
	struct pp_profile_node node = {
		.node = i, .parent = n->parent, .frame = n->frame, .depth = depth,
		.name = f->text, .length = f->length, .kind = f->kind,
	};

	for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
		node.self[side] = weights ? weights->self[side] : 0;
		node.total[side] = c->total[side] ? c->total[side][i] : 0;
	}
	return node;
}

/* Whom it concerns, and whether to go on below: 1, 0, or -1 and *error. */
static int visit(const struct pp_profile *p, const struct pp_calls *c, enum pp_profile_order order,
		 uint32_t item, uint32_t depth, pp_profile_fn *fn, void *arg, struct pp_error *error)
{
	struct pp_profile_node node;
	int answer;

	if (order == PP_PROFILE_LINES && !(item & PP_CALLS_END))
		return 1;
	node = describe(p, c, node_of(item), depth);
	answer = fn(arg, &node, error);
	return answer < 0 ? -1 : !answer && !(item & PP_CALLS_END);
}

int pp_calls_each(struct pp_profile *p, const struct pp_calls *c, enum pp_profile_order order,
		  pp_profile_fn *fn, void *arg, struct pp_error *error)
{
	uint32_t *const next = calloc((size_t)p->deepest + 1, sizeof(*next)), at = PP_PROFILE_ROOT;
	size_t depth = 0;
	int status = next ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	/* next[depth]: which item below the node of that depth on our way is due. */
	while (!status) {
		if (next[depth] < c->first[at + 1]) {
			const uint32_t item = c->items[next[depth]++];
			const int below = visit(p, c, order, item, (uint32_t)depth + 1, fn, arg, error);

			status = below < 0 ? -1 : 0;
			if (below > 0) {
				at = item;
				next[++depth] = c->first[at];
			}
		} else if (at == PP_PROFILE_ROOT) {
			break;
		} else {
			at = p->nodes[at].parent;
			depth--;
		}
	}
	free(next);
	return status;
}

int pp_profile_each(struct pp_profile *p, enum pp_profile_order order, pp_profile_fn *fn, void *arg,
		    struct pp_error *error)
{
	struct pp_calls calls = { 0 };
	const int status = pp_tree_totals(p, calls.total, error) || pp_calls_open(p, order, &calls, error) ?
			   -1 : pp_calls_each(p, &calls, order, fn, arg, error);

	pp_calls_close(&calls);
	return status;
}
