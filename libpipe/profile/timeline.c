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
#include <sys/mman.h>

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
	uint64_t newest;              /* the tick of what was added last */
	bool disordered;              /* they came in another order */
	/* The last cell, mostly, by the hash of its thread and node: 1 + which, and what its tick ends
	 * with, as cells that are long past are far away in memory. */
	struct near_cell {
		uint32_t cell, tick;
	} near[NEAR];
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
	c->newest = 0;
	c->disordered = false;
	forget_near(c);
}

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* ---- in their order ---- */

static uint64_t task_and_node(const struct pp_timeline_cell *cell)
{
	return (uint64_t)cell->thread << 32 | cell->node;
}

static int by_place(const void *a, const void *b)
{
	const struct pp_timeline_cell *const x = a, *const y = b;
	const uint64_t of_x = task_and_node(x), of_y = task_and_node(y);

	return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : (of_x > of_y) - (of_x < of_y);
}

static void sort_few(struct pp_timeline_cell *cells, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct pp_timeline_cell cell = cells[i];
		size_t to = i;

		for (; to && by_place(&cells[to - 1], &cell) > 0; to--)
			cells[to] = cells[to - 1];
		cells[to] = cell;
	}
}

static uint64_t sort_key(const struct pp_timeline_cell *cell, bool tick)
{
	return tick ? cell->tick : task_and_node(cell);
}

/* Moves cells to where they belong by one byte of their key, else as they are. */
static void distribute(const struct pp_timeline_cell *from, size_t n, struct pp_timeline_cell *to, bool tick,
		       unsigned shift)
{
	size_t begin[257] = { 0 };

	for (size_t i = 0; i < n; i++)
		begin[(sort_key(&from[i], tick) >> shift & 255) + 1]++;
	for (unsigned i = 1; i < 256; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < n; i++)
		to[begin[sort_key(&from[i], tick) >> shift & 255]++] = from[i];
}

/* By all bytes in which they differ, the last first.  `other` has as much room. */
static void sort_many(struct pp_timeline_cell *cells, size_t n, struct pp_timeline_cell *other)
{
	struct pp_timeline_cell *from = cells, *to = other;

	for (unsigned tick = 0; tick < 2; tick++) {
		uint64_t differ = 0;

		for (size_t i = 1; i < n; i++)
			differ |= sort_key(&from[i], tick) ^ sort_key(from, tick);
		for (unsigned shift = 0; shift < 64; shift += 8) {
			struct pp_timeline_cell *const was = from;

			if (!(differ >> shift & 255))
				continue;
			distribute(from, n, to, tick, shift);
			from = to;
			to = was;
		}
	}
	if (from != cells)
		memcpy(cells, from, n * sizeof(*cells));
}

/* Room for as many others as are sorted at once. */
struct sort_room {
	struct pp_timeline_cell *cells;
	size_t room;
};

static void sort_cells(struct pp_timeline_cell *cells, size_t n, struct sort_room *other)
{
	enum { FEW = 40 };

	if (n <= FEW)
		sort_few(cells, n);
	else if (!PP_GROW(&other->cells, &other->room, n, NULL))
		sort_many(cells, n, other->cells);
	else
		qsort(cells, n, sizeof(*cells), by_place);
}

/* ---- the same ones become one ---- */

/* Sorts those of one tick, or all, and adds them to the ones that are kept. */
static void keep_run(struct pp_timeline *c, size_t *kept, size_t begin, size_t end, struct sort_room *other)
{
	struct pp_timeline_cell *const cells = c->cells;
	const size_t first = *kept;

	if (end - begin == 1) {
		cells[(*kept)++] = cells[begin];
		return;
	}
	sort_cells(&cells[begin], end - begin, other);
	for (size_t i = begin; i < end; i++)
		if (*kept > first && !by_place(&cells[*kept - 1], &cells[i]))
			cells[*kept - 1].weight = add_bounded(cells[*kept - 1].weight, cells[i].weight);
		else
			cells[(*kept)++] = cells[i];
}

/* Cells mostly came in the order of time: then those of one tick are sorted alone. */
static void merge_same(struct pp_timeline *c)
{
	struct sort_room other = { 0 };
	size_t kept = 0, begin = 0;

	for (size_t i = 1; i <= c->n; i++) {
		if (i < c->n && (c->disordered || c->cells[i].tick == c->cells[begin].tick))
			continue;
		keep_run(c, &kept, begin, i, &other);
		begin = i;
	}
	free(other.cells);
	c->n = kept;
	c->newest = kept ? c->cells[kept - 1].tick : 0;
	c->disordered = false;
	forget_near(c);
}

/* Makes ticks at least so long: how many times as long as they were. */
static uint64_t lengthen_ticks(struct pp_timeline *c, uint64_t tick)
{
	const uint64_t was = c->tick;

	for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks) && c->tick < tick; i++)
		c->tick = ticks[i];
	return c->tick / was;
}

void pp_timeline_widen(struct pp_timeline *c, uint64_t tick)
{
	const uint64_t times = lengthen_ticks(c, tick);

	if (times == 1)
		return;
	for (size_t i = 0; i < c->n; i++)
		c->cells[i].tick /= times;
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

/* Of tens of MB, pages of the usual size would have to be asked for by the thousand, which takes longer than
 * to fill them: there they are huge, if there are such.  All that may come is asked for at once, as what is
 * copied needs new ones; those that nothing is put into are not there. */
static int grow_cells(struct pp_timeline *c, struct pp_error *error)
{
	enum { HUGE_PAGE = 1 << 21 };
	const size_t room = c->room >= MOST ? 2 * c->room : MOST;
	const size_t size = room * sizeof(*c->cells);
	void *larger;

	if (c->room * sizeof(*c->cells) < HUGE_PAGE / 2)
		return PP_GROW(&c->cells, &c->room, c->n + 1, error);
	if (posix_memalign(&larger, HUGE_PAGE, size))
		return pp_fail(error, PP_E_NOMEM, NULL);
	(void)madvise(larger, size, MADV_HUGEPAGE);
	memcpy(larger, c->cells, c->n * sizeof(*c->cells));
	free(c->cells);
	c->cells = larger;
	c->room = room;
	return 0;
}

int pp_timeline_add(struct pp_timeline *c, uint64_t time, uint32_t thread, uint32_t node, uint64_t weight,
		 struct pp_error *error)
{
	const uint64_t tick = time / c->tick;
	struct near_cell *const near = &c->near[pp_hash_more(node, thread) % NEAR];

	/* a thread all of whose stacks weigh nothing is in no page */
	if (!weight)
		return 0;
	if (near->cell && near->tick == (uint32_t)tick) {
		struct pp_timeline_cell *const last = &c->cells[near->cell - 1];

		if (last->tick == tick && last->thread == thread && last->node == node) {
			last->weight = add_bounded(last->weight, weight);
			return 0;
		}
	}
	if (c->n >= c->most) {
		make_room(c);
		return pp_timeline_add(c, time, thread, node, weight, error);
	}
	if (c->n == c->room && grow_cells(c, error))
		return -1;
	c->disordered |= tick < c->newest;
	c->newest = tick;
	c->cells[c->n++] = (struct pp_timeline_cell){ tick, thread, node, weight };
	*near = (struct near_cell){ (uint32_t)c->n, (uint32_t)tick };
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

void pp_timeline_settle(struct pp_timeline *c, const uint32_t *nodes, const uint32_t *threads, uint64_t tick)
{
	const uint64_t times = lengthen_ticks(c, tick);

	for (size_t i = 0; i < c->n; i++) {
		struct pp_timeline_cell *const cell = &c->cells[i];

		cell->node = nodes[cell->node];
		cell->thread = threads[cell->thread];
		cell->tick = times == 1 ? cell->tick : cell->tick / times;
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
