/* unresolved.h - frames whose names a stream may still tell, by number. */
#ifndef PP_UNRESOLVED_H
#define PP_UNRESOLVED_H

#include <perfpipe/error.h>

#include "base/hash.h"
#include "profile/hash_set.h"

/* In a node of a profile, a frame that waits for its name: with its number. */
#define PP_LATE UINT32_C(0x80000000)

/* In the kind of such a frame: what is inlined there is called the other way round. */
#define PP_LATE_TURNED 0x40000000u

struct pp_unresolved_frame {
	uint32_t file;                /* of pp_symbols_later() */
	unsigned kind;
	uint64_t offset, address;
	const char *dso;              /* the name of its file, which outlives the table; or NULL */
};

/* All zero is empty. */
struct pp_unresolved {
	struct pp_unresolved_item *items;   /* there may be one for each address of a stream */
	size_t count, room;
	struct pp_numbers by_place;
	struct pp_unresolved_map *maps;     /* what is the same for many */
	size_t n_maps, maps_room;
	struct pp_hash_set by_map;
};

/* The number of a frame: the same for the same.  0, or -1 and *error: memory. */
int pp_unresolved_number(struct pp_unresolved *, const struct pp_unresolved_frame *, uint32_t *number,
			 struct pp_error *);
/* The frame of a number. */
struct pp_unresolved_frame pp_unresolved_at(const struct pp_unresolved *, size_t number);
/* Bytes that it holds. */
uint64_t pp_unresolved_size(const struct pp_unresolved *);
void pp_unresolved_close(struct pp_unresolved *);

#endif
