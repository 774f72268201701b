/* byte_swap.h - a step of reading: records of the other byte order are turned around. */
#ifndef PP_BYTE_SWAP_H
#define PP_BYTE_SWAP_H

#include "read/compressed_records.h"

struct pp_step_swap {
	struct pp_step_decompress *from;
	bool raw;                     /* they stay as they are, and are marked `foreign` */
	uint8_t *scratch;             /* room for a copy, once it is needed */
	struct pp_stream *stream;     /* notes dropped, orphans */
};

void pp_step_swap_close(struct pp_step_swap *);
/* A record of the other byte order has its attribute, if it is of an event. */
int pp_step_swap_next(struct pp_step_swap *, struct pp_record *rec, struct pp_error *);
/* A record that was handed on, in host order whatever its own is: itself, or a copy that is valid
 * until the next call.  0; -1 and *error, fatal only where there is no memory. */
int pp_step_swap_copy(struct pp_step_swap *, const struct pp_record *rec,
		      struct pp_record *copy, struct pp_error *);

#endif
