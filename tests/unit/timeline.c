/* timeline.c - cells of any samples, in whatever order they come, are what adding these up makes. */
#include "profile/timeline.h"
#include "unit.h"

#include <string.h>

enum { MOST = 20000, NODES = 50, THREADS = 40 };

/* What was added, and what cells are to be made of it. */
struct seen {
	uint64_t time;                /* then a tick */
	uint32_t thread, node;
	uint64_t weight;
};
static struct seen all[MOST];
static size_t n;

static int by_place(const void *a, const void *b)
{
	const struct seen *const x = a, *const y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* A time of day, and how far samples go on from it, each from the one before. */
static void add_some(struct pp_timeline *c)
{
	static const uint64_t steps[] = {
		1, 3000, 20000, 700000, UINT64_C(100000000), UINT64_C(70000000000),
	};
	const uint64_t step = steps[below(sizeof(steps) / sizeof(*steps))];
	const unsigned some = below(one_in(3) ? MOST / 4 : 40), late = one_in(2) ? 0 : 2 + below(100);
	const unsigned threads = 1 + below(one_in(2) ? 2 : THREADS), nodes = 2 + below(NODES - 1);
	const bool alike = one_in(2);
	uint64_t time = UINT64_C(86400000000000) + any_number() % step;
	struct pp_error error;

	for (unsigned i = 0; i < some && n < MOST; i++) {
		struct seen *const s = &all[n];

		time += any_number() % (2 * step);
		*s = (struct seen){ time, below(threads), 1 + below(nodes - 1), alike ? 7 : below(4) };
		if (late && one_in(late))
			s->time -= any_number() % (50 * step + 1) % time;
		CHECK(!pp_timeline_add(c, s->time, s->thread, s->node, s->weight, &error));
		n += s->weight > 0;
	}
}

/* Some nodes are others now, and some are left out. */
static void renumber(struct pp_timeline *c)
{
	uint32_t places[NODES + 1];
	const unsigned left_out = one_in(2) ? 0 : 2 + below(20);
	size_t kept = 0;

	for (uint32_t i = 0; i <= NODES; i++)
		places[i] = i && !(left_out && one_in(left_out)) ? 1 + below(NODES) : 0;
	pp_timeline_renumber(c, places);
	for (size_t i = 0; i < n; i++) {
		all[i].node = places[all[i].node];
		if (all[i].node)
			all[kept++] = all[i];
	}
	n = kept;
}

static void check_threads(const struct pp_timeline *c)
{
	uint64_t weights[THREADS] = { 0 }, first, last;

	for (size_t i = 0; i < n; i++)
		weights[all[i].thread] += all[i].weight;
	for (uint32_t i = 0; i < THREADS; i++)
		CHECK(pp_timeline_of_thread(c, i) == weights[i]);
	CHECK(!pp_timeline_of_thread(c, UINT32_MAX));
	CHECK(pp_timeline_ends(c, &first, &last) == (n > 0));
	for (size_t i = 0; i < n; i++) {
		CHECK(all[i].time / pp_timeline_tick(c) >= first);
		CHECK(all[i].time / pp_timeline_tick(c) <= last);
	}
}

static void check_cells(const struct pp_timeline *c)
{
	const struct pp_timeline_cells cells = pp_timeline_all(c);
	const uint64_t each = pp_timeline_each(c);
	size_t at = 0;

	for (size_t i = 0; i < cells.n; i++, at++) {
		const struct pp_timeline_cell *const cell = &cells.items[i];
		uint64_t weight;

		CHECK(at < n);
		weight = all[at].weight;
		for (; at + 1 < n && !by_place(&all[at], &all[at + 1]); at++)
			weight += all[at + 1].weight;
		CHECK(cells.from + cell->tick == all[at].time);
		CHECK(cell->thread == all[at].thread && cell->node == all[at].node);
		CHECK(pp_timeline_weight(cell) == weight);
		CHECK(!each || each == weight);
	}
	CHECK(at == n);
}

static void settle(struct pp_timeline *c)
{
	uint32_t nodes[NODES + 1], threads[THREADS];
	const unsigned turned = below(THREADS);

	for (uint32_t i = 0; i <= NODES; i++)
		nodes[i] = below(NODES);
	for (uint32_t i = 0; i < THREADS; i++)
		threads[i] = (i + turned) % THREADS;
	pp_timeline_settle(c, nodes, threads, one_in(2) ? 0 : UINT64_C(1) << below(40));
	if (one_in(3))
		pp_timeline_widen(c, UINT64_C(1) << below(45));
	for (size_t i = 0; i < n; i++)
		all[i] = (struct seen){ all[i].time / pp_timeline_tick(c), threads[all[i].thread],
					nodes[all[i].node], all[i].weight };
	qsort(all, n, sizeof(*all), by_place);
}

int main(void)
{
	for (unsigned i = 0; i < 300; i++) {
		struct pp_timeline *const c = pp_timeline_new();

		begin_case("cells", i);
		CHECK(c);
		for (n = 0; !n || one_in(2);) {
			add_some(c);
			if (one_in(4))
				renumber(c);
			if (!one_in(20))
				continue;
			pp_timeline_clear(c);
			n = 0;
		}
		check_threads(c);
		settle(c);
		check_cells(c);
		pp_timeline_free(c);
	}
	return 0;
}
