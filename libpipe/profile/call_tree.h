/* call_tree.h - what a tree of calls is made of: for call_tree.c, and for tree_trim.c, which makes it
 * smaller. */
#ifndef PP_CALL_TREE_H
#define PP_CALL_TREE_H

#include <perfpipe/profile.h>

#include "base/hash.h"
#include "profile/unresolved.h"
#include "symbol/strings.h"

/* As small as it can be: there are as many as all distinct stacks have frames. */
struct node {
	uint32_t parent;
	uint32_t frame;               /* or with PP_LATE, one that has no name yet */
};

/* What the stacks weigh that end in a node, which few do. */
struct weighed_calls {
	uint32_t node;
	uint64_t self[PP_PROFILE_SIDES];
	uint64_t times[PP_PROFILE_SIDES];     /* how often something was added */
};

struct pp_profile {
	struct pp_strings frames;
	struct node *nodes;           /* the first is the root; callers come before what they call */
	size_t n_nodes, nodes_room;
	struct pp_numbers by_call;    /* nodes as they are: the root, which has 0, is never looked for */
	size_t n_called;              /* in by_call, or that will be once it is there again */
	uint32_t at, depth;           /* the node of the last call, and how deep it is */
	uint32_t deepest;
	struct weighed_calls *weights;
	size_t n_weights, weights_room;
	struct pp_numbers by_node;    /* 1 + which of the weights */
	bool in_order;                /* only calls of the root are in by_call */
	uint32_t *last;               /* where order is kept: of those that a node calls; 0: none */
	size_t last_room;
	uint64_t cut, fractions;      /* stacks, and weights of text, that are not whole */
};

/* More than these are none, so that one bit of their numbers is free. */
#define PP_TREE_MOST (UINT32_C(1) << 31)

/* Weights of hostile streams end at the largest number. */
static inline uint64_t pp_tree_sum(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* What a node is called: nothing, while it waits for its name. */
static inline const struct pp_text *pp_tree_text(const struct pp_profile *p, uint32_t node)
{
	static const struct pp_text none = { "", 0, 0 };
	const uint32_t frame = p->nodes[node].frame;

	return frame & PP_LATE ? &none : &p->frames.items[frame];
}

/* A byte of a name in a line of folded stacks: what has a meaning there is something else. */
static inline char pp_folded_byte(char byte)
{
	return byte == ';' ? ':' : byte == '\n' || !byte ? ' ' : byte;
}

/* Each becomes what the other was; but what was lost on the way into them is lost. */
static inline void pp_tree_swap(struct pp_profile *a, struct pp_profile *b)
{
	const struct pp_profile was = *a;

	*a = *b;
	*b = was;
	a->cut += was.cut;
	a->fractions += was.fractions;
}

/* The weights of a node, where something ends in it; or NULL. */
const struct weighed_calls *pp_tree_weights(const struct pp_profile *, uint32_t node);
/* *which: the weights of a node among p->weights, where they are added first if it has none.  0, or -1 and
 * *error: memory. */
int pp_tree_weights_at(struct pp_profile *, uint32_t node, uint32_t *which, struct pp_error *);
/* Adds to those. */
static inline void pp_tree_weigh_at(struct pp_profile *p, uint32_t which, enum pp_profile_side side,
				    uint64_t weight)
{
	struct weighed_calls *const known = &p->weights[which];

	known->self[side] = pp_tree_sum(known->self[side], weight);
	known->times[side]++;
}
/* Adds to both sides at once.  0, or -1 and *error: memory. */
int pp_tree_weigh(struct pp_profile *, uint32_t node, const uint64_t self[PP_PROFILE_SIDES],
		  struct pp_error *);
/* Adds what another node weighed, as often. */
int pp_tree_weigh_again(struct pp_profile *, uint32_t node, const struct weighed_calls *, struct pp_error *);
/* Does what pp_profile_lighten() does, also by the weights of both sides.  places[i] is the new number of the
 * node that was i: the root's, where it was left out. */
int pp_tree_lighten(struct pp_profile *, bool both, uint32_t nodes, uint32_t *places, uint64_t *left_out,
		    struct pp_error *);
/* Frees what finds nodes, until one is looked for again: what goes through all of them needs memory. */
void pp_tree_rest(struct pp_profile *);
/* Where order is kept, ends a stack.  0, or -1 and *error: memory. */
int pp_tree_end(struct pp_profile *, uint32_t *node, struct pp_error *);
/* Takes out all calls and weights, which *was has then, and leaves the frames, so that what is to stay can be
 * called again.  0, or -1 and *error: memory.  pp_tree_close() frees *was in any case. */
int pp_tree_begin(struct pp_profile *, struct pp_profile *was, struct pp_error *);
/* Frees what it is made of. */
void pp_tree_close(struct pp_profile *);

/* ---- all of it in an order: ordered.c */

/* Those below node i begin at first[i] and end where those of the next begin.  There is nothing of a node
 * that calls none, where lines are wanted, but where a stack ends. */
struct pp_calls {
	uint32_t *first, *items;      /* items: nodes, some with PP_CALLS_END */
	uint64_t *ends;               /* a bit for each node in which a stack ends */
	uint64_t *total[PP_PROFILE_SIDES];            /* of pp_tree_totals(), as far as they are there */
};
/* What each node weighs with all that goes on from there, to be freed; NULL where nothing weighs on that
 * side.  0, or -1 and *error: memory. */
int pp_tree_totals(const struct pp_profile *, uint64_t *total[PP_PROFILE_SIDES], struct pp_error *);
/* This item is the line of a stack that ends in the node, not what is below it. */
#define PP_CALLS_END PP_TREE_MOST

/* All but totals, which are needed, and there before, where the order is that of weights.  0, or -1 and
 * *error: memory. */
int pp_calls_open(struct pp_profile *, enum pp_profile_order, struct pp_calls *, struct pp_error *);
/* As pp_profile_each(). */
int pp_calls_each(struct pp_profile *, const struct pp_calls *, enum pp_profile_order, pp_profile_fn *,
		  void *arg, struct pp_error *);
void pp_calls_close(struct pp_calls *);

#endif
