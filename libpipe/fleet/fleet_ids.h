/* fleet_ids.h - numbers of frames and stacks that are the same in all recordings. */
#ifndef FLEET_IDS_H
#define FLEET_IDS_H

#include <perfpipe/export.h>

#include "base/array.h"
#include "base/hash.h"

/* Ids in use, in the order in which they were given, each with a second hash of its frame or stack, by which
 * a collision is found. */
struct fleet_ids {
	struct fleet_id { uint64_t id, other; } *items;
	size_t n, room;
	struct pp_idmap given;        /* which of them */
	struct pp_buffer text;
};

/* *number: which of the ids a physical place has, of a host, which may be NULL.  1: it is new, 0: it is
 * known, -1 and *error: memory, or another place has it. */
int pp_fleet_frame_id(struct fleet_ids *, const struct pp_places *, const struct pp_code_place *,
		      const char *host, uint32_t *number, struct pp_error *);
/* The same of a stack, whose frames have n of these ids, the outermost first. */
int pp_fleet_stack_id(struct fleet_ids *, const struct fleet_ids *frames, const uint32_t *numbers, size_t n,
		      uint32_t *number, struct pp_error *);
void pp_fleet_ids_close(struct fleet_ids *);

#endif
