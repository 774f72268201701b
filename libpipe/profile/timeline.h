/* timeline.h - when each thread had which stacks, as a page needs it. */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include <perfpipe/flame.h>

/* The weight that a thread's stacks which end in a node have in a span of time. */
struct pp_timeline_cell {
	uint64_t tick;                /* number of the span: its begin over the length of all spans */
	uint32_t thread, node;
	uint64_t weight;
};

/* Puts all cells in the order of tick, thread and node, each triple once: by what these have become,
 * nodes[i] for node i, threads[i] for thread i, spans being at least so long as with pp_timeline_widen(). */
void pp_timeline_settle(struct pp_timeline *, const uint32_t *nodes, const uint32_t *threads, uint64_t tick);
/* They live until something is added. */
const struct pp_timeline_cell *pp_timeline_all(const struct pp_timeline *, size_t *n);
/* How long a span is, in ns. */
uint64_t pp_timeline_tick(const struct pp_timeline *);
/* Makes spans at least so long: a multiple of what they are.  Settled cells stay settled. */
void pp_timeline_widen(struct pp_timeline *, uint64_t tick);

#endif
