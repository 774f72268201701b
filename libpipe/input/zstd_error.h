/* zstd_error.h - what zstd says when it fails, as an error of ours. */
#ifndef PP_ZSTD_ERROR_H
#define PP_ZSTD_ERROR_H

#include <perfpipe/error.h>

#include <stddef.h>

/* The result of a call that failed: no memory, or else this code and "WHAT: why".  Returns -1. */
int pp_fail_zstd(struct pp_error *, size_t result, enum pp_code, const char *what);

#endif
