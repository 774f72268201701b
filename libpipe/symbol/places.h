/* places.h - places in code by number, as they are met. */
#ifndef SYMBOL_PLACES_H
#define SYMBOL_PLACES_H

#include <perfpipe/symbol.h>

/* Of a place what all have that are inlined there. */
struct pp_place_at {
	uint32_t file;                /* 0: in none */
	unsigned kind, cpumode;
	uint64_t offset, linked;
};

/* Fills in ->file, offset and linked of an address in at->cpumode, of which pp_symbols_at() said *location
 * just now.  0, or -1 and *error: memory. */
int pp_places_meet(struct pp_places *, struct pp_symbols *, struct pp_tasks *, uint32_t pid, uint64_t address,
		   const struct pp_location *location, struct pp_place_at *at, struct pp_error *);
/* The number of a place, the same for the same; `name` NULL: it has none.  `into`: the place that it is
 * inlined into, or 0.  0, or -1 and *error: memory. */
int pp_places_number(struct pp_places *, const struct pp_place_at *, const struct pp_named_frame *name,
		     uint32_t into, uint32_t *number, struct pp_error *);

#endif
