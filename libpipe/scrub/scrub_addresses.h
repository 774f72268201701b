/* scrub_addresses.h - where things were loaded: the maps of each process are put one after the other. */
#ifndef PP_SCRUB_ADDRESSES_H
#define PP_SCRUB_ADDRESSES_H

#include <perfpipe/tasks.h>

#include "base/hash.h"
#include "scrub/pseudonym.h"

/* All zero leaves addresses as they are. */
struct pp_scrub_addresses {
	struct pp_budget budget;
	struct pp_tasks *tasks;
	struct pp_idmap moved;        /* by number of a map: what is added to its addresses */
	struct pp_idmap next;         /* by process: where its next map goes */
	struct pp_pseudonyms *names;  /* for addresses in no map */
};

/* 0, or -1 and *error: memory. */
int pp_scrub_addresses_open(struct pp_scrub_addresses *, struct pp_pseudonyms *, struct pp_error *);
void pp_scrub_addresses_close(struct pp_scrub_addresses *);
/* Takes a record, in the order of times, and changes addresses in it.  0, or -1 and *error. */
int pp_scrub_addresses_change(struct pp_scrub_addresses *, struct pp_record *, struct pp_error *);

#endif
