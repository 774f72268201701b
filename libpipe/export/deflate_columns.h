/* deflate_columns.h - columns of numbers as one stream of raw deflate. */
#ifndef PP_DEFLATE_COLUMNS_H
#define PP_DEFLATE_COLUMNS_H

#include "base/array.h"

/* Makes *to one stream of n columns, one after the other; it ends early, and is of no use, once it has more
 * than `most` bytes.  Apart: a thread deflates half of many meanwhile.  0, or -1 and *error: memory. */
int pp_deflate_columns(const struct pp_buffer *columns, size_t n, size_t most, bool apart,
		       struct pp_buffer *to, struct pp_error *);

#endif
