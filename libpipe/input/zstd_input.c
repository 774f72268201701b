/* zstd_input.c - an input that is zstd as a whole: what its frames hold, one after the other. */
#include "input/input.h"
#include "input/zstd_error.h"

#include <stdlib.h>
#include <zstd.h>

struct pp_zstd_input {
	ZSTD_DStream *zstd;
	uint8_t *buf;
	size_t room;
	ZSTD_inBuffer in;
	bool inside;                  /* a frame has begun and not ended */
};

struct pp_zstd_input *pp_zstd_input_new(const void *head, size_t size)
{
	struct pp_zstd_input *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->room = ZSTD_DStreamInSize();
	if (u->room < size)
		u->room = size;
	u->buf = malloc(u->room);
	u->zstd = ZSTD_createDStream();
	if (!u->buf || !u->zstd) {
		pp_zstd_input_free(u);
		return NULL;
	}
	memcpy(u->buf, head, size);
	u->in = (ZSTD_inBuffer){ .src = u->buf, .size = size };
	return u;
}

void pp_zstd_input_free(struct pp_zstd_input *u)
{
	if (!u)
		return;
	ZSTD_freeDStream(u->zstd);
	free(u->buf);
	free(u);
}

enum pp_input_got pp_zstd_input_read(struct pp_zstd_input *u, void *buf, size_t size, size_t *got,
				     pp_input_plain_fn *plain, struct pp_input *source,
				     struct pp_error *error)
{
	ZSTD_outBuffer out = { .dst = buf, .size = size };
	enum pp_input_got before;

	for (*got = 0; !out.pos; *got = out.pos) {
		size_t hint;

		if (u->in.pos == u->in.size) {
			u->in = (ZSTD_inBuffer){ .src = u->buf };
			before = plain(source, u->buf, u->room, &u->in.size, error);
			if (before == PP_SOURCE_END && u->inside) {
				pp_fail(error, PP_E_CUT, "the zstd frame around it does not end");
				return PP_SOURCE_FAILED;
			}
			if (before != PP_SOURCE_BYTES)
				return before;
		}
		hint = ZSTD_decompressStream(u->zstd, &out, &u->in);
		if (ZSTD_isError(hint)) {
			pp_fail_zstd(error, hint, PP_E_ZSTD, "the zstd frame around it");
			return PP_SOURCE_FAILED;
		}
		u->inside = hint != 0;
	}
	return PP_SOURCE_BYTES;
}
