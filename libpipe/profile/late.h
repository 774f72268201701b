/* late.h - frames whose names a stream may still tell, by number. */
#ifndef LATE_H
#define LATE_H

#include <perfpipe/error.h>

#include "base/table.h"
#include "profile/texts.h"

/* In a profile, the kind of a frame that waits for its name: with its number. */
#define PP_LATE UINT32_C(0x80000000)

struct pp_late_frame {
	uint32_t file;                /* of pp_symbols_later() */
	unsigned kind;
	uint64_t offset, address;
	uint32_t dso;                 /* 1 + which of pp_late.dsos; 0: none */
};

/* All zero is empty. */
struct pp_late {
	struct pp_late_frame *items;
	size_t count, room;
	struct pp_numbers by_place;
	struct pp_texts dsos;
};

/* The number of a frame: the same for the same.  0, or -1 and *error: memory. */
int pp_late_number(struct pp_late *, const struct pp_late_frame *, const char *dso, uint32_t *number,
		   struct pp_error *);
/* The name of its file, or NULL. */
const char *pp_late_dso(const struct pp_late *, const struct pp_late_frame *);
/* Bytes that it holds. */
uint64_t pp_late_size(const struct pp_late *);
void pp_late_close(struct pp_late *);

#endif
