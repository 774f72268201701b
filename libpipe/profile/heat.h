/* heat.h - when there were which stacks, as a picture needs it. */
#ifndef HEAT_H
#define HEAT_H

#include <perfpipe/flame.h>

struct pp_heat_cell {
	uint32_t bin, node;
	uint64_t weight;
};

/* All cells by bin and node, in memory of the caller's (free()), and how many there are; NULL where
 * there are none, or with *error. */
struct pp_heat_cell *pp_heat_cells(const struct pp_heat *, size_t *n, struct pp_error *);
unsigned pp_heat_rows(const struct pp_heat *);
uint64_t pp_heat_origin(const struct pp_heat *);      /* the time of the first bin, ns */

#endif
