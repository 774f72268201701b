/*
 * tree.c - the tree of calls: frames by name, nodes by their caller and frame, weights.  Where stacks
 * come from, and how they are written, is left to others.
 */
#include "profile/tree.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct pp_profile *pp_profile_new(void)
{
	struct pp_profile *const p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (PP_GROW_ZEROED(&p->nodes, &p->nodes_room, 1, NULL)) {
		pp_profile_free(p);
		return NULL;
	}
	p->n_nodes = 1;
	return p;
}

void pp_tree_close(struct pp_profile *p)
{
	pp_texts_close(&p->frames);
	free(p->nodes);
	pp_index_close(&p->by_call);
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
	const size_t before = p->frames.n;

	if (pp_texts_number(&p->frames, name, length, kind, frame, error))
		return -1;
	if (p->frames.n > before)
		p->bytes += length;
	return 0;
}

/* ---- nodes ---- */

static uint64_t hash_call(uint32_t from, uint32_t frame)
{
	const uint64_t key = (uint64_t)from << 32 | frame;

	return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
}

static uint64_t hash_node(const void *things, uint64_t place)
{
	const struct node *const n = &((const struct node *)things)[place];

	return hash_call(n->parent, n->frame);
}

static int add_node(struct pp_profile *p, uint32_t from, uint32_t frame, struct pp_error *error)
{
	const uint32_t depth = p->nodes[from].depth + 1;

	if (p->n_nodes >= UINT32_MAX || PP_GROW(&p->nodes, &p->nodes_room, p->n_nodes + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	p->nodes[from].last = (uint32_t)p->n_nodes;
	p->nodes[p->n_nodes++] = (struct node){ .parent = from, .frame = frame, .depth = depth };
	if (p->deepest < depth)
		p->deepest = depth;
	return 0;
}

static int call_in_order(struct pp_profile *p, uint32_t from, uint32_t frame, uint32_t *node,
			 struct pp_error *error)
{
	const uint32_t last = p->nodes[from].last;

	if ((!last || p->nodes[last].frame != frame) && add_node(p, from, frame, error))
		return -1;
	*node = p->nodes[from].last;
	return 0;
}

int pp_profile_call(struct pp_profile *p, uint32_t from, uint32_t frame, uint32_t *node,
		    struct pp_error *error)
{
	size_t at;

	if (p->in_order && from != PP_PROFILE_ROOT)
		return call_in_order(p, from, frame, node, error);
	/* Nodes are places as they are: the root, which has 0, is never looked for. */
	if (pp_index_reserve(&p->by_call, p->n_called + 1, hash_node, p->nodes))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&p->by_call, hash_call(from, frame));
	for (; p->by_call.places[at]; at = pp_index_next(&p->by_call, at)) {
		const struct node *const n = &p->nodes[p->by_call.places[at]];

		if (n->parent == from && n->frame == frame)
			break;
	}
	if (!p->by_call.places[at]) {
		if (add_node(p, from, frame, error))
			return -1;
		p->by_call.places[at] = p->n_nodes - 1;
		p->n_called++;
	}
	*node = (uint32_t)p->by_call.places[at];
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

void pp_profile_weigh(struct pp_profile *p, uint32_t node, enum pp_profile_side side, uint64_t weight)
{
	uint64_t *const self = &p->nodes[node].self[side];

	*self = pp_tree_sum(*self, weight);
}

void pp_profile_clear(struct pp_profile *p, enum pp_profile_side side)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		p->nodes[i].self[side] = 0;
}

int pp_profile_add(struct pp_profile *p, const uint32_t *frames, size_t n, enum pp_profile_side side,
		   uint64_t weight, struct pp_error *error)
{
	uint32_t node = PP_PROFILE_ROOT;

	for (size_t i = 0; i < n && i < PP_PROFILE_DEEPEST; i++)
		if (pp_profile_call(p, node, frames[i], &node, error))
			return -1;
	if (pp_tree_end(p, &node, error))
		return -1;
	pp_profile_weigh(p, node, side, weight);
	return 0;
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

	for (size_t i = 0; i < p->n_nodes; i++)
		total = pp_tree_sum(total, p->nodes[i].self[side]);
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

/* ---- through all of it ---- */

/* What stands below a node, in order: the line of a stack that ends in one that it calls, or all
 * below that one. */
enum { ENDS, GOES_ON };
struct item {
	uint32_t node;
	uint32_t what;
};

/* Those below node i begin at first[i] and end where those of the next begin. */
struct calls {
	uint64_t (*total)[PP_PROFILE_SIDES];
	size_t *first;
	struct item *items;
};

/* What follows a name of `length` bytes in a line, or before others where they differ. */
static int next_byte(const struct pp_text *f, const struct item *i, uint32_t at)
{
	if (at < f->length)
		return (unsigned char)f->text[at];
	return i->what == GOES_ON ? ';' : -1;
}

static int by_line(const void *a, const void *b, void *arg)
{
	const struct pp_profile *const p = arg;
	const struct item *const i = a, *const j = b;
	const struct pp_text *const x = &p->frames.items[p->nodes[i->node].frame];
	const struct pp_text *const y = &p->frames.items[p->nodes[j->node].frame];
	const uint32_t shorter = x->length < y->length ? x->length : y->length;
	const int d = memcmp(x->text, y->text, shorter);

	if (d)
		return d;
	if (next_byte(x, i, shorter) != next_byte(y, j, shorter))
		return next_byte(x, i, shorter) - next_byte(y, j, shorter);
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* What the order of weights needs to know. */
struct weighed {
	const struct pp_profile *p;
	const struct calls *c;
};

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct weighed *const w = arg;
	const uint32_t i = ((const struct item *)a)->node, j = ((const struct item *)b)->node;
	const uint64_t x = w->c->total[i][PP_PROFILE_FIRST], y = w->c->total[j][PP_PROFILE_FIRST];
	const unsigned k = w->p->frames.items[w->p->nodes[i].frame].kind;
	const unsigned l = w->p->frames.items[w->p->nodes[j].frame].kind;

	if (x != y)
		return x < y ? 1 : -1;
	return (k < l) - (k > l);
}

static void add_up(const struct pp_profile *p, struct calls *c)
{
	for (size_t i = p->n_nodes; i-- > 1;)
		for (unsigned side = 0; side < PP_PROFILE_SIDES; side++) {
			uint64_t *const callers = &c->total[p->nodes[i].parent][side];

			c->total[i][side] = pp_tree_sum(c->total[i][side], p->nodes[i].self[side]);
			*callers = pp_tree_sum(*callers, c->total[i][side]);
		}
}

static void close_calls(struct calls *c)
{
	free(c->total);
	free(c->first);
	free(c->items);
}

/* Two items a node where lines are wanted, else one. */
static void fill(const struct pp_profile *p, enum pp_profile_order order, struct calls *c)
{
	const unsigned each = order == PP_PROFILE_LINES ? 2 : 1;

	for (size_t i = 1; i < p->n_nodes; i++)
		c->first[p->nodes[i].parent + 2] += each;
	for (size_t i = 2; i < p->n_nodes + 2; i++)
		c->first[i] += c->first[i - 1];
	/* first[i + 1] is where the next of i goes, and where those of i end once all are there. */
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		size_t *const at = &c->first[p->nodes[i].parent + 1];

		if (order == PP_PROFILE_LINES)
			c->items[(*at)++] = (struct item){ i, ENDS };
		c->items[(*at)++] = (struct item){ i, GOES_ON };
	}
}

static int open_calls(struct pp_profile *p, enum pp_profile_order order, struct calls *c,
		      struct pp_error *error)
{
	struct weighed weighed = { p, c };

	*c = (struct calls){
		calloc(p->n_nodes, sizeof(*c->total)),
		calloc(p->n_nodes + 2, sizeof(*c->first)),
		calloc(p->n_nodes, 2 * sizeof(*c->items)),
	};
	if (!c->total || !c->first || !c->items) {
		close_calls(c);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	add_up(p, c);
	fill(p, order, c);
	for (size_t i = 0; order != PP_PROFILE_AS_MADE && i < p->n_nodes; i++)
		qsort_r(c->items + c->first[i], c->first[i + 1] - c->first[i], sizeof(*c->items),
			order == PP_PROFILE_BY_WEIGHT ? by_weight : by_line,
			order == PP_PROFILE_BY_WEIGHT ? (void *)&weighed : p);
	return 0;
}

static struct pp_profile_node describe(const struct pp_profile *p, const struct calls *c, uint32_t i)
{
	const struct node *const n = &p->nodes[i];
	const struct pp_text *const f = &p->frames.items[n->frame];

	return (struct pp_profile_node){
		.node = i, .parent = n->parent, .frame = n->frame, .depth = n->depth,
		.name = f->text, .length = f->length, .kind = f->kind,
		.self = { n->self[0], n->self[1] }, .total = { c->total[i][0], c->total[i][1] },
	};
}

/* Whom it concerns, and whether to go on below: 1, 0, or -1 and *error. */
static int visit(const struct pp_profile *p, const struct calls *c, enum pp_profile_order order,
		 const struct item *item, pp_profile_fn *fn, void *arg, struct pp_error *error)
{
	const struct pp_profile_node node = describe(p, c, item->node);
	int answer;

	if (order == PP_PROFILE_LINES && item->what == GOES_ON)
		return 1;
	if (order == PP_PROFILE_LINES && !node.self[0] && !node.self[1])
		return 0;
	answer = fn(arg, &node, error);
	return answer < 0 ? -1 : !answer && item->what == GOES_ON;
}

static int walk(const struct pp_profile *p, const struct calls *c, enum pp_profile_order order,
		size_t *next, pp_profile_fn *fn, void *arg, struct pp_error *error)
{
	uint32_t at = PP_PROFILE_ROOT;

	/* next[depth]: which item below the node of that depth on our way is due. */
	for (next[0] = c->first[0];;) {
		const uint32_t depth = p->nodes[at].depth;

		if (next[depth] < c->first[at + 1]) {
			const struct item *const item = &c->items[next[depth]++];
			const int below = visit(p, c, order, item, fn, arg, error);

			if (below < 0)
				return -1;
			if (below) {
				next[depth + 1] = c->first[item->node];
				at = item->node;
			}
		} else if (at == PP_PROFILE_ROOT) {
			return 0;
		} else {
			at = p->nodes[at].parent;
		}
	}
}

int pp_profile_each(struct pp_profile *p, enum pp_profile_order order, pp_profile_fn *fn, void *arg,
		    struct pp_error *error)
{
	size_t *const next = calloc((size_t)p->deepest + 1, sizeof(*next));
	struct calls calls;
	int status;

	if (!next)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (open_calls(p, order, &calls, error)) {
		free(next);
		return -1;
	}
	status = walk(p, &calls, order, next, fn, arg, error);
	close_calls(&calls);
	free(next);
	return status;
}

size_t pp_profile_stack(const struct pp_profile *p, uint32_t node, uint32_t *nodes, size_t room)
{
	const size_t depth = p->nodes[node].depth;

	for (size_t i = depth; i-- > 0; node = p->nodes[node].parent)
		if (i < room)
			nodes[i] = node;
	return depth;
}

const char *pp_profile_name(const struct pp_profile *p, uint32_t node, size_t *length)
{
	const struct pp_text *const f = node ? &p->frames.items[p->nodes[node].frame] : NULL;

	*length = f ? f->length : 0;
	return f ? f->text : "";
}
