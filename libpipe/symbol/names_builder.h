/* names_builder.h - answers as names records, one after the other: as many as fit into each. */
#ifndef PP_NAMES_BUILDER_H
#define PP_NAMES_BUILDER_H

#include <perfpipe/symbol.h>

#include "format/names_record.h"

/* All zero but what is set is empty. */
struct pp_packing {
	struct pp_named_file of;      /* to be set for each file; its flags are set here */
	pp_symbols_put_fn *put;          /* to be set: gets the records */
	void *arg;
	struct pp_names_build build;
};
/* Adds an answer.  What fills a record alone is cut to the function itself, or left out.  0, or -1 and
 * *error: memory, or what `put` says. */
int pp_packing_add(struct pp_packing *, const struct pp_named *, const struct pp_named_frame *,
		   uint32_t flags, struct pp_error *);
/* Hands over what was added: 0, or -1 and *error. */
int pp_packing_flush(struct pp_packing *, struct pp_error *);
void pp_packing_free(struct pp_packing *);

#endif
