/* places.h - places in code by number, as they are met. */
#ifndef SYMBOL_PLACES_H
#define SYMBOL_PLACES_H

#include <perfpipe/symbol.h>

/* An address that was looked up. */
struct pp_place_met {
	uint32_t pid;
	unsigned cpumode;
	uint64_t address;
	const struct pp_location *is; /* what pp_symbols_at() said of it just now */
	/* The caller's kind of what is in a file, NULL where nothing is mapped, in a cpumode. */
	unsigned (*kind_of)(const char *dso, unsigned cpumode);
	bool no_inline;               /* what is inlined there is left out */
};

/* The number of the place of an address, whose names are asked for only where it was not met before; ->is is
 * not looked at.  0, or -1 and *error. */
int pp_places_look_up(struct pp_places *, struct pp_symbols *, struct pp_tasks *,
		      const struct pp_place_met *, uint32_t *number, struct pp_error *);
/* The number of a place that was met before, by what pp_symbols_where() said; 0: pp_places_meet() tells. */
uint32_t pp_places_find(const struct pp_places *, uint32_t file, unsigned cpumode, uint64_t offset);
/* The number of its place, the same for the same.  0, or -1 and *error: memory. */
int pp_places_meet(struct pp_places *, struct pp_symbols *, struct pp_tasks *, const struct pp_place_met *,
		   uint32_t *number, struct pp_error *);
/* Names places that had none when they were met, by what is known now.  0, or -1 and *error: memory. */
int pp_places_settle(struct pp_places *, struct pp_symbols *, bool no_inline, struct pp_error *);
/* Whether its addresses are those of each process: as pp_places_new() was asked. */
bool pp_places_own(const struct pp_places *);
/* Whether the function of a place is known. */
bool pp_places_named(const struct pp_places *, uint32_t number);

#endif
