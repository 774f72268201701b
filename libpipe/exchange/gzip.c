/* gzip.c - an output that is compressed on its way into another. */
#include "exchange/gzip.h"
#include "export/deflater.h"

enum { PIECE = 1 << 16, PART = 1 << 30 };

int pp_gzip_open(struct pp_gzip *gz, struct pp_out *to, struct pp_error *error)
{
	*gz = (struct pp_gzip){ .to = to, .deflater = pp_deflater_new(PP_DEFLATE_GZIP) };
	return gz->deflater ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

static void deflate_on(struct pp_gzip *gz, const void *bytes, size_t n, enum pp_deflate_until until)
{
	struct pp_deflating some = { .in = bytes, .n = n };
	bool more;

	do {
		some.out = (uint8_t *)pp_out_room(gz->to, PIECE);
		some.room = PIECE;
		more = pp_deflate(gz->deflater, &some, until);
		gz->to->at += PIECE - some.room;
	} while (more && !gz->to->os);
}

void pp_gzip_write(struct pp_gzip *gz, const void *bytes, size_t n)
{
	const char *at = bytes;

	for (size_t part; n; n -= part, at += part) {
		part = n < PART ? n : PART;
		deflate_on(gz, at, part, PP_DEFLATE_TAKEN);
	}
}

void pp_gzip_end(struct pp_gzip *gz)
{
	deflate_on(gz, "", 0, PP_DEFLATE_END);
}

void pp_gzip_close(struct pp_gzip *gz)
{
	pp_deflater_free(gz->deflater);
	gz->deflater = NULL;
}
