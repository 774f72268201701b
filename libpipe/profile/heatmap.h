/* heatmap.h - when there were which stacks, as a picture needs it. */
#ifndef PP_HEATMAP_H
#define PP_HEATMAP_H

#include <perfpipe/flame.h>

struct pp_heat_cell {
	uint32_t bin, node;
	uint64_t weight;
};

/* All cells by bin and by what their nodes have become (places[i], which is less than `most`, is that of
 * node i), each pair once.  They live as long as the map; nothing is added to it any more.  0, or -1 and
 * *error: memory. */
int pp_heat_settle(struct pp_heat *, const uint32_t *places, uint32_t most, struct pp_error *);
const struct pp_heat_cell *pp_heat_cells(const struct pp_heat *, size_t *n);
/* How many bins there are from the first to the last that has a cell. */
uint64_t pp_heat_bins(const struct pp_heat *);
/* What the weights of all cells are multiples of. */
uint64_t pp_heat_grain(const struct pp_heat *);
unsigned pp_heat_rows(const struct pp_heat *);
uint64_t pp_heat_origin(const struct pp_heat *);      /* the time of the first bin, ns */

#endif
