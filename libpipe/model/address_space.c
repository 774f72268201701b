/*
 * address_space.c - an address space: what is mapped where, as a balanced tree that is shared, and
 * copied only along the path to what changes.
 *
 * The nodes are pieces of maps, ascending and apart; of a map that others lie over in part several
 * may be left.  A function that is given a tree takes the caller's share of it, unless it is const,
 * and hands back one that is the caller's.  When memory runs out, the tree that is handed back
 * lacks what could not be held, and spaces->failed says so: the caller's run ends then.
 */
#include "model/address_space.h"

#include <stdlib.h>

enum { BLOCK = 64 };                  /* nodes that are got at once */

struct pp_space_block {
	struct pp_space_block *next;
	struct pp_space nodes[BLOCK];
};

/* ---- Nodes ----------------------------------------------------------------------------------- */

static struct pp_space *new_node(struct pp_spaces *s)
{
	struct pp_space *node = s->unused;
	struct pp_space_block *block;

	if (!node) {
		block = pp_take(s->budget, sizeof(*block));
		if (!block) {
			s->failed = true;
			return NULL;
		}
		block->next = s->blocks;
		s->blocks = block;
		for (size_t i = 0; i < BLOCK; i++) {
			block->nodes[i].left = node;
			node = &block->nodes[i];
		}
	}
	s->unused = node->left;
	return node;
}

struct pp_space *pp_space_share(struct pp_space *space)
{
	if (space)
		space->users++;
	return space;
}

void pp_space_drop(struct pp_spaces *s, struct pp_space *space)
{
	if (!space || --space->users)
		return;
	pp_space_drop(s, space->left);
	pp_space_drop(s, space->right);
	if (s->keep)
		pp_stored_drop(s->keep, space->kept);
	space->left = s->unused;
	s->unused = space;
}

struct pp_space *pp_space_own(struct pp_spaces *s, struct pp_space *node)
{
	struct pp_space *mine;

	if (!node || node->users == 1)
		return node;
	mine = new_node(s);
	if (!mine) {
		pp_space_drop(s, node);
		return NULL;
	}
	*mine = *node;
	mine->users = 1;
	pp_space_share(mine->left);
	pp_space_share(mine->right);
	if (s->keep)
		pp_stored_share(mine->kept);
	node->users--;
	return mine;
}

/* A node of its own for another piece of what a node is of. */
static struct pp_space *another(struct pp_spaces *s, const struct pp_space *of)
{
	struct pp_space *const node = new_node(s);

	if (!node)
		return NULL;
	*node = *of;
	node->users = 1;
	node->left = node->right = NULL;
	if (s->keep)
		pp_stored_share(node->kept);
	return node;
}

static uint32_t height(const struct pp_space *space)
{
	return space ? space->height : 0;
}

void pp_space_sum(const struct pp_spaces *s, struct pp_space *node)
{
	const struct pp_space *const below[] = { node->left, node->right };
	const uint32_t left = height(node->left), right = height(node->right);

	node->height = (left > right ? left : right) + 1;
	if (!s->keep)
		return;
	node->lowest = node->from;
	node->highest = node->to;
	node->teller = s->owner;
	node->oldest = s->owner && node->told == s->owner ? UINT64_MAX : node->kept->seq;
	for (size_t i = 0; i < 2; i++) {
		const struct pp_space *const sub = below[i];

		if (!sub)
			continue;
		if (sub->lowest < node->lowest)
			node->lowest = sub->lowest;
		if (sub->highest > node->highest)
			node->highest = sub->highest;
		if (pp_space_oldest(s, sub) < node->oldest)
			node->oldest = pp_space_oldest(s, sub);
	}
}

/* ---- Balance --------------------------------------------------------------------------------- */

static struct pp_space *turn_left(struct pp_spaces *s, struct pp_space *node)
{
	struct pp_space *const up = node->right;

	node->right = up->left;
	pp_space_sum(s, node);
	up->left = node;
	return up;
}

static struct pp_space *turn_right(struct pp_spaces *s, struct pp_space *node)
{
	struct pp_space *const up = node->left;

	node->left = up->right;
	pp_space_sum(s, node);
	up->right = node;
	return up;
}

/* Makes a node whole whose branches differ in height by two at most. */
static struct pp_space *balanced(struct pp_spaces *s, struct pp_space *node)
{
	const uint32_t left = height(node->left), right = height(node->right);

	if (right > left + 1) {
		node->right = pp_space_own(s, node->right);
		if (node->right && height(node->right->left) > height(node->right->right)) {
			node->right->left = pp_space_own(s, node->right->left);
			if (node->right->left)
				node->right = turn_right(s, node->right);
			pp_space_sum(s, node->right);
		}
		if (node->right)
			node = turn_left(s, node);
	} else if (left > right + 1) {
		node->left = pp_space_own(s, node->left);
		if (node->left && height(node->left->right) > height(node->left->left)) {
			node->left->right = pp_space_own(s, node->left->right);
			if (node->left->right)
				node->left = turn_left(s, node->left);
			pp_space_sum(s, node->left);
		}
		if (node->left)
			node = turn_right(s, node);
	}
	pp_space_sum(s, node);
	return node;
}

/* One tree of what is left of a node, the node, which must not be shared, and what is right of
 * it. */
static struct pp_space *joined(struct pp_spaces *s, struct pp_space *left, struct pp_space *node,
			       struct pp_space *right)
{
	struct pp_space *top;

	if (node && height(left) > height(right) + 1) {
		top = pp_space_own(s, left);
		if (top) {
			top->right = joined(s, top->right, node, right);
			return balanced(s, top);
		}
		left = NULL;
	} else if (node && height(right) > height(left) + 1) {
		top = pp_space_own(s, right);
		if (top) {
			top->left = joined(s, left, node, top->left);
			return balanced(s, top);
		}
		right = NULL;
	} else if (node) {
		node->left = left;
		node->right = right;
		pp_space_sum(s, node);
		return node;
	}
	/* memory ended */
	pp_space_drop(s, left);
	pp_space_drop(s, right);
	pp_space_drop(s, node);
	return NULL;
}

/* Takes the last piece out. */
static struct pp_space *without_last(struct pp_spaces *s, struct pp_space *space,
				     struct pp_space **last)
{
	struct pp_space *const top = pp_space_own(s, space);

	*last = top;
	if (!top)
		return NULL;
	if (!top->right) {
		struct pp_space *const rest = top->left;

		top->left = NULL;
		return rest;
	}
	top->right = without_last(s, top->right, last);
	return balanced(s, top);
}

static struct pp_space *joined_bare(struct pp_spaces *s, struct pp_space *left, struct pp_space *right)
{
	struct pp_space *last;

	if (!left)
		return right;
	left = without_last(s, left, &last);
	return joined(s, left, last, right);
}

/* Divides into what begins before an address, and the rest. */
static void divide(struct pp_spaces *s, struct pp_space *space, uint64_t at, struct pp_space **before,
		   struct pp_space **rest)
{
	struct pp_space *const top = pp_space_own(s, space);
	struct pp_space *left, *right, *middle;

	*before = *rest = NULL;
	if (!top)
		return;
	left = top->left;
	right = top->right;
	top->left = top->right = NULL;
	if (top->start < at) {
		divide(s, right, at, &middle, rest);
		*before = joined(s, left, top, middle);
	} else {
		divide(s, left, at, before, &middle);
		*rest = joined(s, middle, top, right);
	}
}

/* ---- What others need ------------------------------------------------------------------------ */

const struct pp_space *pp_space_at(const struct pp_space *space, uint64_t address)
{
	while (space && (address < space->start || address >= space->end))
		space = address < space->start ? space->left : space->right;
	return space;
}

static const struct pp_space *last_of(const struct pp_space *space)
{
	while (space && space->right)
		space = space->right;
	return space;
}

/* Ends the last piece at an address. */
static struct pp_space *shortened(struct pp_spaces *s, struct pp_space *space, uint64_t end)
{
	struct pp_space *const top = pp_space_own(s, space);

	if (top && top->right)
		top->right = shortened(s, top->right, end);
	else if (top)
		top->end = end;
	return top;
}

/* What the last piece of a tree has beyond an address, or NULL. */
static struct pp_space *beyond(struct pp_spaces *s, const struct pp_space *space, uint64_t end)
{
	const struct pp_space *const last = last_of(space);
	struct pp_space *rest;

	if (!last || last->end <= end)
		return NULL;
	rest = another(s, last);
	if (!rest)
		return NULL;
	rest->start = end;
	pp_space_sum(s, rest);
	return rest;
}

int pp_space_put(struct pp_spaces *s, struct pp_space **space, const struct pp_space *piece)
{
	struct pp_space *node, *left, *covered, *right, *rest;

	if (piece->start >= piece->end)
		return 0;
	node = another(s, piece);
	if (!node)
		return -1;
	divide(s, *space, piece->start, &left, &right);
	divide(s, right, piece->end, &covered, &right);
	rest = beyond(s, covered ? covered : left, piece->end);
	pp_space_drop(s, covered);
	if (last_of(left) && last_of(left)->end > piece->start)
		left = shortened(s, left, piece->start);
	if (rest)
		right = joined(s, NULL, rest, right);
	*space = joined(s, left, node, right);
	return s->failed ? -1 : 0;
}

int pp_space_cut_out(struct pp_spaces *s, struct pp_space **space, uint64_t start)
{
	struct pp_space *left, *piece, *right;

	divide(s, *space, start, &left, &right);
	divide(s, right, start + 1, &piece, &right);
	pp_space_drop(s, piece);
	*space = joined_bare(s, left, right);
	return s->failed ? -1 : 0;
}

static struct pp_space *without_older(struct pp_spaces *s, struct pp_space *space, uint64_t seq)
{
	struct pp_space *top, *left, *right;

	if (!space || space->oldest >= seq)
		return space;
	top = pp_space_own(s, space);
	if (!top)
		return NULL;
	left = without_older(s, top->left, seq);
	right = without_older(s, top->right, seq);
	top->left = top->right = NULL;
	if (top->kept->seq >= seq)
		return joined(s, left, top, right);
	pp_space_drop(s, top);
	return joined_bare(s, left, right);
}

int pp_space_forget(struct pp_spaces *s, struct pp_space **space, uint64_t before)
{
	*space = without_older(s, *space, before);
	return s->failed ? -1 : 0;
}

void pp_spaces_close(struct pp_spaces *s)
{
	while (s->blocks) {
		struct pp_space_block *const block = s->blocks;

		s->blocks = block->next;
		pp_give_back(s->budget, block, sizeof(*block));
	}
	s->unused = NULL;
}
