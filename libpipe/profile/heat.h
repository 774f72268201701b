/* heat.h - when there were which stacks, as a picture needs it. */
#ifndef HEAT_H
#define HEAT_H

#include <perfpipe/flame.h>

struct pp_heat_cell {
	uint32_t bin, node;
	uint64_t weight;
};

/* All cells by bin and by what their nodes have become (places[i] is that of node i), each pair once,
 * and how many there are.  They live as long as the map; nothing is added to it any more. */
const struct pp_heat_cell *pp_heat_cells(struct pp_heat *, const uint32_t *places, size_t *n);
unsigned pp_heat_rows(const struct pp_heat *);
uint64_t pp_heat_origin(const struct pp_heat *);      /* the time of the first bin, ns */

#endif
