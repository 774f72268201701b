/* gzip.c - an output that is compressed on its way into another. */
#include "exchange/gzip.h"

#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 1, WINDOW_AND_GZIP = 15 + 16, MEMORY = 8, PIECE = 1 << 16, PART = 1 << 30 };

int pp_gzip_open(struct pp_gzip *gz, struct pp_out *to, struct pp_error *error)
{
	z_stream *const z = calloc(1, sizeof(*z));

	*gz = (struct pp_gzip){ .to = to, .z = z };
	if (!z)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (deflateInit2(z, LEVEL, Z_DEFLATED, WINDOW_AND_GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
		return 0;
	free(z);
	gz->z = NULL;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

/* Bytes as they are, and with Z_FINISH the end. */
static void deflate_on(struct pp_gzip *gz, const void *bytes, size_t n, int how)
{
	z_stream *const z = gz->z;
	int status;

	z->next_in = (Bytef *)(uintptr_t)bytes;
	z->avail_in = (uInt)n;
	do {
		z->next_out = (Bytef *)pp_out_room(gz->to, PIECE);
		z->avail_out = PIECE;
		status = deflate(z, how);
		gz->to->at += PIECE - z->avail_out;
	} while (!gz->to->os && status == Z_OK && (!z->avail_out || how == Z_FINISH));
}

void pp_gzip_write(struct pp_gzip *gz, const void *bytes, size_t n)
{
	const char *at = bytes;

	for (size_t part; n; n -= part, at += part) {
		part = n < PART ? n : PART;
		deflate_on(gz, at, part, Z_NO_FLUSH);
	}
}

void pp_gzip_end(struct pp_gzip *gz)
{
	deflate_on(gz, "", 0, Z_FINISH);
}

void pp_gzip_close(struct pp_gzip *gz)
{
	if (gz->z)
		(void)deflateEnd(gz->z);
	free(gz->z);
	gz->z = NULL;
}
