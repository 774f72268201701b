/* functions.h - the functions that the places of a recording are in, for formats that tell frames apart by
 * them. */
#ifndef EXCHANGE_FUNCTIONS_H
#define EXCHANGE_FUNCTIONS_H

#include <perfpipe/export.h>

#include "base/array.h"

/* Functions that have the same name, source and file are one; a place without a name is one for itself. */
struct pp_export_functions {
	const struct pp_export *all;
	uint32_t *of_place;           /* by the numbers of places */
	struct pp_export_function {
		uint32_t place;       /* the first in it */
		uint32_t line;        /* the first of it that is known; 0: none is */
	} *items;
	size_t n, room;
};
/* 0, or -1 and *error: memory.  It may be closed in any case. */
int pp_export_functions_open(struct pp_export_functions *, const struct pp_export *, struct pp_error *);
void pp_export_functions_close(struct pp_export_functions *);

/* Its name as clean text, in place of what is in `to`; where none is known "libc.so.6+0x1f", or with `bare`
 * "0x1f".  0, or -1 and *error: memory. */
int pp_export_function_name(const struct pp_export_functions *, size_t function, bool bare,
			    struct pp_buffer *to, struct pp_error *);

#endif
