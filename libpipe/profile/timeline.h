/* timeline.h - when each thread had which stacks, as a page needs it. */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include <perfpipe/flame.h>

#include <string.h>

/* The weight that a thread's stacks which end in a node have in a span of time.  There are millions: 32 bits
 * of the span's number, and no hole before the weight. */
struct pp_timeline_cell {
	uint32_t tick;                /* number of the span, less `from` of all */
	uint32_t thread, node;
	uint32_t weight_halves[2];
};

static inline uint64_t pp_timeline_weight(const struct pp_timeline_cell *cell)
{
	uint64_t weight;

	memcpy(&weight, cell->weight_halves, sizeof(weight));
	return weight;
}

struct pp_timeline_cells {
	const struct pp_timeline_cell *items;
	size_t n;
	uint64_t from;
};

/* Puts all cells in the order of tick, thread and node, each triple once: by what these have become,
 * nodes[i] for node i, threads[i] for thread i, spans being at least so long as with pp_timeline_widen(). */
void pp_timeline_settle(struct pp_timeline *, const uint32_t *nodes, const uint32_t *threads, uint64_t tick);
/* They live until something is added. */
struct pp_timeline_cells pp_timeline_all(const struct pp_timeline *);
/* What each of them weighs; 0: they differ, or there is none. */
uint64_t pp_timeline_each(const struct pp_timeline *);
/* What all that was added of a thread weighs, by the number that it was added with. */
uint64_t pp_timeline_of_thread(const struct pp_timeline *, uint32_t thread);
/* The number of the first span that has cells, and of the last.  False: there are none. */
bool pp_timeline_ends(const struct pp_timeline *, uint64_t *first, uint64_t *last);
/* How long a span is, in ns: its number is its begin over that. */
uint64_t pp_timeline_tick(const struct pp_timeline *);
/* Makes spans at least so long: a multiple of what they are.  Settled cells stay settled. */
void pp_timeline_widen(struct pp_timeline *, uint64_t tick);

#endif
