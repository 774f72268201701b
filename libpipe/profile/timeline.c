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
 *
 * Spans are longer, too, where the first and the last are further apart than 32 bits count: after half a day
 * no page has them as short as that anyway.
 */
#include "profile/timeline.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 1 << 22, NEAR = 1 << 14, SHORTEST = 10000 };

/* Each is a multiple of the one before. */
static const uint64_t ticks[] = {
	SHORTEST, UINT64_C(100000), UINT64_C(1000000), UINT64_C(20000000), UINT64_C(200000000),
	UINT64_C(2000000000), UINT64_C(20000000000), UINT64_C(200000000000), UINT64_C(2000000000000),
	UINT64_C(2000000000000000), UINT64_C(2000000000000000000),
};

struct pp_timeline {
	uint64_t tick;
	struct pp_timeline_cell *cells;        /* as they came: mostly in the order of time */
	size_t n, room, most;         /* most: when there are so many, the same ones become one */
	size_t quick;                 /* below so many, one of a later tick is added at once */
	/* Ticks of cells count from this one; earlier ones have wrapped around until they are in order. */
	uint64_t from;
	uint64_t first, last;         /* ticks, where there are cells */
	uint64_t newest;              /* the tick of what was added last */
	bool disordered;              /* they came in another order */
	uint64_t alike;               /* what the first weighs, */
	bool differ;                  /* and whether any weighs something else */
	uint64_t *of_threads;         /* what those of each thread weigh in all */
	size_t threads_room;
	/* A tick has many cells: they are looked for by `near`.  Otherwise only the last few are looked at:
	 * `near` would hardly find any, and its cache misses take longer than one cell too many. */
	bool crowded;
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
	if (c) {
		free(c->cells);
		free(c->of_threads);
	}
	free(c);
}

static void forget_near(struct pp_timeline *c)
{
	memset(c->near, 0, sizeof(c->near));
	c->quick = 0;
}

static void forget_threads(struct pp_timeline *c)
{
	for (size_t i = 0; i < c->threads_room; i++)
		c->of_threads[i] = 0;
}

void pp_timeline_clear(struct pp_timeline *c)
{
	c->n = 0;
	c->tick = ticks[0];
	c->disordered = c->crowded = false;
	forget_threads(c);
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

static void set_cell(struct pp_timeline_cell *cell, uint64_t weight)
{
	memcpy(cell->weight_halves, &weight, sizeof(weight));
}

static void add_to_cell(struct pp_timeline_cell *cell, uint64_t weight)
{
	set_cell(cell, add_bounded(pp_timeline_weight(cell), weight));
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

/* What cells become. */
struct becoming {
	const uint32_t *nodes, *threads;      /* by what they were; NULL: they stay */
	uint64_t times;               /* how many ticks are one, */
	uint64_t begun;               /* and how many of them were before those that cells count from */
	uint64_t part;                /* of 2^64, if that divides 33 bits exactly; or 0 */
};

__extension__ typedef unsigned __int128 wide_product;

static inline uint32_t lengthened(uint32_t tick, const struct becoming *how)
{
	const uint64_t all = how->begun + tick;

	return (uint32_t)(how->part ? (uint64_t)((wide_product)all * how->part >> 64) : all / how->times);
}

static inline void become(struct pp_timeline_cell *cell, const struct becoming *how)
{
	if (how->nodes) {
		cell->node = how->nodes[cell->node];
		cell->thread = how->threads[cell->thread];
	}
	if (how->times > 1)
		cell->tick = lengthened(cell->tick, how);
}

/* Sorts cells of one tick, or all, and makes one of those that are the same.  Returns how many are left. */
static size_t merge_run(struct pp_timeline_cell *cells, size_t n, struct sort_room *other)
{
	size_t kept = 1;

	sort_cells(cells, n, other);
	for (size_t i = 1; i < n; i++)
		if (by_place(&cells[kept - 1], &cells[i]))
			cells[kept++] = cells[i];
		else
			add_to_cell(&cells[kept - 1], pp_timeline_weight(&cells[i]));
	return kept;
}

/* All ticks count from the first. */
static void unwrap(struct pp_timeline *c)
{
	const uint32_t before = (uint32_t)(c->from - c->first);

	for (size_t i = 0; i < c->n && before; i++)
		c->cells[i].tick += before;
	c->from = c->first;
}

/* Cells mostly came in the order of time: then those of one tick are sorted alone. */
static size_t merge_ticks(struct pp_timeline_cell *cells, size_t n, const struct becoming how)
{
	const struct pp_timeline_cell *const end = cells + n;
	struct pp_timeline_cell *to = cells;
	struct sort_room other = { 0 };

	become(cells, &how);
	for (struct pp_timeline_cell *run = cells, *next; run < end; run = next) {
		size_t kept = 1;

		for (next = run + 1; next < end; next++) {
			become(next, &how);
			if (next->tick != run->tick)
				break;
		}
		/* mostly it is one, and where it belongs */
		if (next > run + 1)
			kept = merge_run(run, (size_t)(next - run), &other);
		if (to != run)
			memmove(to, run, kept * sizeof(*run));
		to += kept;
	}
	free(other.cells);
	return (size_t)(to - cells);
}

static size_t merge_all(struct pp_timeline_cell *cells, size_t n, const struct becoming *how)
{
	struct sort_room other = { 0 };
	size_t kept;

	for (size_t i = 0; i < n; i++)
		become(&cells[i], how);
	kept = merge_run(cells, n, &other);
	free(other.cells);
	return kept;
}

static void merge_same(struct pp_timeline *c, struct becoming how)
{
	size_t kept;

	if (!c->n)
		return;
	unwrap(c);
	how.begun = c->from % how.times;
	how.part = how.times > 1 && how.times < UINT32_MAX / 2 ? UINT64_MAX / how.times + 1 : 0;
	kept = c->disordered ? merge_all(c->cells, c->n, &how) : merge_ticks(c->cells, c->n, how);
	c->differ |= kept < c->n;
	c->n = kept;
	c->from = c->first = c->first / how.times;
	c->newest = c->last = c->last / how.times;
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

	if (times > 1)
		merge_same(c, (struct becoming){ .times = times });
}

/* Once there are as many as there may be; what no longer span makes fewer has to have its room. */
static void make_room(struct pp_timeline *c)
{
	merge_same(c, (struct becoming){ .times = 1 });
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

/* Whether a tick is no further from those that there are than cells can say; else ticks are longer now. */
static bool reaches(struct pp_timeline *c, uint64_t tick)
{
	const uint64_t first = c->n && c->first < tick ? c->first : tick;
	const uint64_t last = c->n && c->last > tick ? c->last : tick;

	if (last - first > UINT32_MAX) {
		pp_timeline_widen(c, c->tick + 1);
		return false;
	}
	if (!c->n)
		c->from = c->newest = tick;
	c->first = first;
	c->last = last;
	return true;
}

/* Division by a constant takes a fraction of the time. */
static inline uint64_t tick_of(const struct pp_timeline *c, uint64_t time)
{
	return c->tick == SHORTEST ? time / SHORTEST : time / c->tick;
}

static inline void put_new_cell(struct pp_timeline *c, uint64_t tick, uint32_t thread, uint32_t node,
				uint64_t weight)
{
	struct pp_timeline_cell *const cell = &c->cells[c->n++];

	c->of_threads[thread] = add_bounded(c->of_threads[thread], weight);
	c->differ |= weight != c->alike;
	c->newest = tick;
	cell->tick = (uint32_t)(tick - c->from);
	cell->thread = thread;
	cell->node = node;
	set_cell(cell, weight);
}

static struct near_cell *near_of(struct pp_timeline *c, uint32_t thread, uint32_t node)
{
	return &c->near[pp_hash_more(node, thread) % NEAR];
}

static bool is_cell(const struct pp_timeline_cell *cell, uint32_t since, uint32_t thread, uint32_t node)
{
	return cell->tick == since && cell->thread == thread && cell->node == node;
}

/* The cell of a tick that has some; NULL: there is none, or it was not found. */
static struct pp_timeline_cell *find_cell(struct pp_timeline *c, uint64_t tick, uint32_t thread,
					  uint32_t node)
{
	enum { LAST = 8 };
	const uint32_t since = (uint32_t)(tick - c->from);
	const size_t end = c->n > LAST ? c->n - LAST : 0;
	const struct near_cell *near = near_of(c, thread, node);
	size_t at = c->n;

	if (!c->crowded) {
		while (at > end && c->cells[at - 1].tick == since)
			if (is_cell(&c->cells[--at], since, thread, node))
				return &c->cells[at];
		c->crowded = c->n - at == LAST;
		return NULL;
	}
	return near->cell && near->tick == (uint32_t)tick &&
	       is_cell(&c->cells[near->cell - 1], since, thread, node) ? &c->cells[near->cell - 1] : NULL;
}

/* A sample that may have a cell already, or no room for one. */
static __attribute__((noinline))
int add_slowly(struct pp_timeline *c, uint64_t time, uint32_t thread, uint32_t node, uint64_t weight,
	       struct pp_error *error)
{
	const uint64_t tick = tick_of(c, time);
	const bool first = !c->n || tick > c->last;   /* of its tick */
	struct pp_timeline_cell *const cell = first ? NULL : find_cell(c, tick, thread, node);

	if (PP_GROW_ZEROED(&c->of_threads, &c->threads_room, (size_t)thread + 1, error))
		return -1;
	if (cell) {
		add_to_cell(cell, weight);
		c->of_threads[thread] = add_bounded(c->of_threads[thread], weight);
		c->differ = true;
		return 0;
	}
	if ((first || tick < c->first) && !reaches(c, tick))
		return add_slowly(c, time, thread, node, weight, error);
	if (c->n >= c->most) {
		make_room(c);
		return add_slowly(c, time, thread, node, weight, error);
	}
	if (c->n == c->room && grow_cells(c, error))
		return -1;
	c->disordered |= tick < c->newest;
	if (!c->n) {
		c->alike = weight;
		c->differ = false;
	}
	put_new_cell(c, tick, thread, node, weight);
	if (c->crowded)
		*near_of(c, thread, node) = (struct near_cell){ (uint32_t)c->n, (uint32_t)tick };
	c->quick = c->crowded ? 0 : c->room < c->most ? c->room : c->most;
	return 0;
}

int pp_timeline_add(struct pp_timeline *c, uint64_t time, uint32_t thread, uint32_t node, uint64_t weight,
		    struct pp_error *error)
{
	const uint64_t tick = tick_of(c, time);

	/* a thread all of whose stacks weigh nothing is in no page */
	if (!weight)
		return 0;
	/* mostly it is the first of its tick */
	if (c->n >= c->quick || thread >= c->threads_room || tick <= c->last || tick - c->first > UINT32_MAX)
		return add_slowly(c, time, thread, node, weight, error);
	c->last = tick;
	put_new_cell(c, tick, thread, node, weight);
	return 0;
}

/* Once some are gone. */
static void find_ends(struct pp_timeline *c)
{
	uint32_t first = UINT32_MAX, last = 0;

	unwrap(c);
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t tick = c->cells[i].tick;

		first = tick < first ? tick : first;
		last = tick > last ? tick : last;
	}
	c->last = c->first + last;
	c->first += first;
}

static void add_up_threads(struct pp_timeline *c)
{
	forget_threads(c);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t *const weight = &c->of_threads[c->cells[i].thread];

		*weight = add_bounded(*weight, pp_timeline_weight(&c->cells[i]));
	}
}

/* Whether the cell stays. */
static inline bool renumber_cell(struct pp_timeline_cell *cell, const uint32_t *places)
{
	const uint32_t was = cell->node;

	cell->node = places[was];
	return cell->node || !was;
}

void pp_timeline_renumber(struct pp_timeline *c, const uint32_t *places)
{
	struct pp_timeline_cell *const cells = c->cells;
	const size_t n = c->n;
	size_t at = 0, kept;

	/* what was left out is at the root now, which no sample has: mostly there is nothing */
	while (at < n && renumber_cell(&cells[at], places))
		at++;
	for (kept = at++; at < n; at++)
		if (renumber_cell(&cells[at], places))
			cells[kept++] = cells[at];
	if (kept < n) {
		c->n = kept;
		find_ends(c);
		add_up_threads(c);
	}
	forget_near(c);
}

/* ---- what there is ---- */

void pp_timeline_settle(struct pp_timeline *c, const uint32_t *nodes, const uint32_t *threads, uint64_t tick)
{
	merge_same(c, (struct becoming){
		.nodes = nodes, .threads = threads, .times = lengthen_ticks(c, tick),
	});
}

struct pp_timeline_cells pp_timeline_all(const struct pp_timeline *c)
{
	return (struct pp_timeline_cells){ c->cells, c->n, c->from };
}

uint64_t pp_timeline_each(const struct pp_timeline *c)
{
	return c->n && !c->differ ? c->alike : 0;
}

uint64_t pp_timeline_of_thread(const struct pp_timeline *c, uint32_t thread)
{
	return thread < c->threads_room ? c->of_threads[thread] : 0;
}

bool pp_timeline_ends(const struct pp_timeline *c, uint64_t *first, uint64_t *last)
{
	*first = c->first;
	*last = c->last;
	return c->n > 0;
}

uint64_t pp_timeline_tick(const struct pp_timeline *c)
{
	return c->tick;
}
