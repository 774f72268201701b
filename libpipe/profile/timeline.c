/*
 * timeline.c - when each thread had which stacks: weights by short spans of time, threads and nodes of a
 * profile.
 *
 * A cell is made for each sample, unless its thread had the same stack in the same span just before.  When
 * there are too many, cells that are the same are added up, and if they still are too many, spans become
 * longer:
 *
 *	10 us:  [1 t a] [2 t a] [3 u b] [9 t a] [12 t a]
 *	100 us: [0 t a: 3] [0 u b] [1 t a]
 */
#include "profile/timeline.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22, NEAR = 1 << 14 };

/* Each is a multiple of the one before. */
static const uint64_t ticks[] = {
	UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000), UINT64_C(20000000), UINT64_C(200000000),
	UINT64_C(2000000000), UINT64_C(20000000000), UINT64_C(200000000000), UINT64_C(2000000000000),
	UINT64_C(2000000000000000), UINT64_C(2000000000000000000),
};

struct pp_timeline {
	uint64_t tick;
	struct pp_timeline_cell *cells;        /* as they came: mostly in the order of time */
	size_t n, room, most;         /* most: when there are so many, the same ones become one */
	uint32_t near[NEAR];          /* 1 + the last cell, mostly, by the hash of its thread and node */
};

struct pp_timeline *pp_timeline_new(void)
{
	struct pp_timeline *const c = calloc(1, sizeof(*c));

	if (c) {
		c->tick = ticks[0];
		c->most = MOST;
	}
	return c;
}

void pp_timeline_free(struct pp_timeline *c)
{
	if (c)
		free(c->cells);
	free(c);
}

static void forget_near(struct pp_timeline *c)
{
	memset(c->near, 0, sizeof(c->near));
}

void pp_timeline_clear(struct pp_timeline *c)
{
	c->n = 0;
	c->tick = ticks[0];
	forget_near(c);
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* ---- the same ones become one ---- */

static int by_place(const void *a, const void *b)
{
	const struct pp_timeline_cell *const x = a, *const y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Cells mostly came in the order of time: then those of one tick are sorted alone. */
static void sort_runs(struct pp_timeline_cell *cells, size_t n)
{
	size_t begin = 0;
	uint64_t newest = 0;
	bool disordered = false;

	for (size_t i = 0; i < n && !disordered; i++) {
		disordered = cells[i].tick < newest;
		newest = cells[i].tick;
	}
	if (disordered) {
		qsort(cells, n, sizeof(*cells), by_place);
		return;
	}
	for (size_t i = 1; i <= n; i++) {
		if (i < n && cells[i].tick == cells[begin].tick)
			continue;
		if (i - begin > 1)
			qsort(&cells[begin], i - begin, sizeof(*cells), by_place);
		begin = i;
	}
}

static void merge_same(struct pp_timeline *c)
{
	size_t kept = 0;

	sort_runs(c->cells, c->n);
	for (size_t i = 0; i < c->n; i++)
		if (kept && !by_place(&c->cells[kept - 1], &c->cells[i]))
			c->cells[kept - 1].weight = add_bounded(c->cells[kept - 1].weight,
								c->cells[i].weight);
		else
			c->cells[kept++] = c->cells[i];
	c->n = kept;
	forget_near(c);
}

void pp_timeline_widen(struct pp_timeline *c, uint64_t tick)
{
	const uint64_t was = c->tick;

	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks) && c->tick < tick; i++)
		c->tick = ticks[i];
	if (c->tick == was)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->cells[i].tick /= c->tick / was;
	merge_same(c);
}

/* Once there are as many as there may be; what no longer span makes fewer has to have its room. */
static void make_room(struct pp_timeline *c)
{
	merge_same(c);
	while (c->n > MOST / 4 * 3 && c->tick < ticks[sizeof(ticks) / sizeof(*ticks) - 1])
		pp_timeline_widen(c, c->tick + 1);
	c->most = c->n > MOST / 4 * 3 ? 2 * c->n : MOST;
}

/* ---- what is added ---- */

int pp_timeline_add(struct pp_timeline *c, uint64_t time, uint32_t thread, uint32_t node, uint64_t weight,
		 struct pp_error *error)
{
	const uint64_t tick = time / c->tick;
	uint32_t *const near = &c->near[pp_hash_more(node, thread) % NEAR];
	struct pp_timeline_cell *const last = *near ? &c->cells[*near - 1] : NULL;

	/* a thread all of whose stacks weigh nothing is in no page */
	if (!weight)
		return 0;
	if (last && last->tick == tick && last->thread == thread && last->node == node) {
		last->weight = add_bounded(last->weight, weight);
		return 0;
	}
	if (c->n >= c->most) {
		make_room(c);
		return pp_timeline_add(c, time, thread, node, weight, error);
	}
	if (PP_GROW(&c->cells, &c->room, c->n + 1, error))
		return -1;
	c->cells[c->n++] = (struct pp_timeline_cell){ tick, thread, node, weight };
	*near = (uint32_t)c->n;
	return 0;
}

void pp_timeline_renumber(struct pp_timeline *c, const uint32_t *places)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct pp_timeline_cell cell = c->cells[i];
		const uint32_t place = places[cell.node];

		/* what was left out is at the root now, which no sample has */
		if (!place && cell.node)
			continue;
		cell.node = place;
		c->cells[kept++] = cell;
	}
	c->n = kept;
	forget_near(c);
}

/* ---- what there is ---- */

void pp_timeline_settle(struct pp_timeline *c, const uint32_t *nodes, const uint32_t *threads)
{
	for (size_t i = 0; i < c->n; i++) {
		c->cells[i].node = nodes[c->cells[i].node];
		c->cells[i].thread = threads[c->cells[i].thread];
	}
	merge_same(c);
}

const struct pp_timeline_cell *pp_timeline_all(const struct pp_timeline *c, size_t *n)
{
	*n = c->n;
	return c->cells;
}

uint64_t pp_timeline_tick(const struct pp_timeline *c)
{
	return c->tick;
}
