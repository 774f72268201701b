/* tree.h - what a tree of calls is made of: for tree.c, and for lighten.c, which makes it smaller. */
#ifndef TREE_H
#define TREE_H

#include <perfpipe/profile.h>

#include "base/table.h"
#include "profile/texts.h"

struct node {
	uint32_t parent, frame;
	uint32_t depth;
	uint32_t last;                /* of those that it calls, where order is kept; 0: none */
	uint64_t self[PP_PROFILE_SIDES];
};

struct pp_profile {
	struct pp_texts frames;
	struct node *nodes;           /* the first is the root; callers come before what they call */
	size_t n_nodes, nodes_room;
	struct pp_index by_call;
	size_t n_called;              /* in by_call */
	uint32_t deepest;
	bool in_order;                /* only calls of the root are in by_call */
	uint64_t bytes;               /* of names */
	uint64_t cut, fractions;      /* stacks, and weights of text, that are not whole */
};

/* Weights of hostile streams end at the largest number. */
static inline uint64_t pp_tree_sum(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
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

/* Where order is kept, ends a stack.  0, or -1 and *error: memory. */
int pp_tree_end(struct pp_profile *, uint32_t *node, struct pp_error *);
/* Frees what it is made of. */
void pp_tree_close(struct pp_profile *);

#endif
