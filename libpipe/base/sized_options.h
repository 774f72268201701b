/* sized_options.h - options that begin with their own size, so that they can grow. */
#ifndef PP_SIZED_OPTIONS_H
#define PP_SIZED_OPTIONS_H

#include <perfpipe/error.h>

/*
 * Takes the options that a caller gave, NULL for none, into `taken` of `size` bytes.  Those of an
 * older caller, which are shorter, are filled up with zeros; those of a newer one may be longer as
 * long as what this library does not know of is 0.  0, or -1 and *error.
 */
int pp_options_take(void *taken, size_t size, const void *given, struct pp_error *error);

#endif
