/* late.h - frames whose names a stream may still tell, by number. */
#ifndef LATE_H
#define LATE_H

#include <perfpipe/error.h>

#include "base/table.h"

/* In a profile, the kind of a frame that waits for its name: with its number. */
#define PP_LATE UINT32_C(0x80000000)

struct pp_late_frame {
	uint32_t file;                /* of pp_symbols_later() */
	unsigned kind;
	uint64_t offset, address;
	const char *dso;              /* its own */
};

/* All zero is empty. */
struct pp_late {
	struct pp_late_frame *items;
	size_t count, room;
	struct pp_index by_place;
};

/* The number of a frame: the same for the same.  0, or -1 and *error: memory. */
int pp_late_number(struct pp_late *, const struct pp_late_frame *, const char *dso, uint32_t *number,
		   struct pp_error *);
void pp_late_close(struct pp_late *);

#endif
