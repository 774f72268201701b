/* zstd_error.c - what zstd says when it fails, as an error of ours. */
#include "input/zstd_error.h"

#include <zstd.h>
#include <zstd_errors.h>

int pp_fail_zstd(struct pp_error *error, size_t result, enum pp_code code, const char *what)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_fail(error, code, "%s%s%s", what ? what : "", what ? ": " : "",
		       ZSTD_getErrorName(result));
}
