/* places.h - places in code by number, as they are met. */
#ifndef SYMBOL_PLACES_H
#define SYMBOL_PLACES_H

#include <perfpipe/symbol.h>

/* An address, at the time of what was noted last. */
struct pp_place_met {
	uint32_t pid;
	unsigned cpumode;
	uint64_t address;
	/* The caller's kind of what is in a file, NULL where nothing is mapped, in a cpumode. */
	unsigned (*kind_of)(const char *dso, unsigned cpumode);
	bool no_inline;               /* what is inlined there is left out */
};

/* The number of its place, the same for the same; names are asked for only of one that was not met before.
 * 0, or -1 and *error. */
int pp_places_look_up(struct pp_places *, struct pp_symbols *, struct pp_tasks *,
		      const struct pp_place_met *, uint32_t *number, struct pp_error *);
/* Makes *number that of the first place of the same function, source and file that was asked about: a place
 * whose function is not known, or that has others inlined, stands for itself.  0, or -1 and *error:
 * memory. */
int pp_places_first(struct pp_places *, uint32_t *number, struct pp_error *);
/* Once all were met: files that were found to be one are, with the build-id that was learnt late, and places
 * that had no name have what is known now.  It may be called again.  0, or -1 and *error: memory. */
int pp_places_settle(struct pp_places *, struct pp_symbols *, bool no_inline, struct pp_error *);
/* Whether its addresses are those of each process: as pp_places_new() was asked. */
bool pp_places_own(const struct pp_places *);
/* Whether the function of a place is known. */
bool pp_places_named(const struct pp_places *, uint32_t number);

#endif
