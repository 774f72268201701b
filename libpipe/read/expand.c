/* expand.c - the zstd stream inside COMPRESSED and COMPRESSED2 records, piece by piece; where
 * the pieces are and what records come out of them is the reader's to know. */
#include "read/expand.h"
#include "base/byte_order.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { FIRST_OF_CHAIN = 65535 };        /* perf fills a record before it begins another */

void pp_carrier_size2(struct pp_carrier *c, const uint8_t *data, bool foreign)
{
	uint16_t size = pp_in_order16(data + 6, foreign);
	uint64_t length = pp_in_order64(data + 8, foreign);

	c->at = PP_CARRIER_HEAD;
	c->size = size;
	c->damaged = false;
	if (c->chain) {
		if (size >= PP_CARRIER_HEAD && pp_fits(size, c->chain)) {
			c->chain -= size;
			c->length = size - PP_CARRIER_HEAD;
			return;
		}
		c->chain = 0;
	}
	c->length = length;
	if (size >= PP_CARRIER_HEAD && pp_fits(length, size - PP_CARRIER_HEAD))
		return;
	if (!pp_fits(length, UINT32_MAX) ||
	    (uint16_t)pp_align8(length + PP_CARRIER_HEAD) != size) {
		c->damaged = true;
		c->length = 0;
	} else if (pp_fits(length, FIRST_OF_CHAIN - PP_CARRIER_HEAD)) {
		c->size = length + PP_CARRIER_HEAD;
	} else {
		c->size = FIRST_OF_CHAIN;
		c->length = FIRST_OF_CHAIN - PP_CARRIER_HEAD;
		c->chain = length - c->length;
	}
}

struct pp_expand {
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	size_t hint;                  /* bytes that zstd asks for next, as it says */
	size_t failed;                /* its code, which is told when all before it was handed out */
	bool full;                    /* the last call filled its room: there may be more */
	bool lost;                    /* until a frame begins */
};

int pp_fail_zstd(struct pp_error *error, size_t result, enum pp_code code, const char *what)
{
	if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_fail(error, code, "%s%s%s", what ? what : "", what ? ": " : "",
		       ZSTD_getErrorName(result));
}

struct pp_expand *pp_expand_new(void)
{
	struct pp_expand *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->zstd = ZSTD_createDStream();
	if (!x->zstd) {
		free(x);
		return NULL;
	}
	return x;
}

void pp_expand_free(struct pp_expand *x)
{
	if (!x)
		return;
	ZSTD_freeDStream(x->zstd);
	free(x);
}

static bool begins_frame(const uint8_t *data, size_t size)
{
	static const uint8_t magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return pp_fits(sizeof(magic), size) && !memcmp(data, magic, sizeof(magic));
}

void pp_expand_feed(struct pp_expand *x, const uint8_t *data, size_t size)
{
	if (x->lost && begins_frame(data, size))
		x->lost = false;
	x->in = (ZSTD_inBuffer){ data, x->lost ? 0 : size, 0 };
	x->full = false;
}

bool pp_expand_pending(const struct pp_expand *x)
{
	return x->failed || x->full || x->in.pos < x->in.size;
}

/*
 * How much zstd is given next: what is left of a block, or a header.  Where a call fails nobody learns
 * what it had made already, so that no call may make anything before it can fail.
 */
static size_t step(const struct pp_expand *x)
{
	enum { FRAME_LEAST = 5, BLOCK_HEADER = 3 };
	const size_t left = x->in.size - x->in.pos;
	/* in front of a block's end it counts the next block's header as well */
	const size_t wanted = !x->hint ? FRAME_LEAST :
			      x->hint > BLOCK_HEADER ? x->hint - BLOCK_HEADER : x->hint;

	return wanted < left ? wanted : left;
}

static int failed(struct pp_expand *x, struct pp_error *error)
{
	const size_t result = x->failed;

	x->failed = 0;
	return pp_fail_zstd(error, result, PP_E_ZSTD, NULL);
}

ssize_t pp_expand_more(struct pp_expand *x, uint8_t *out, size_t room, struct pp_error *error)
{
	ZSTD_outBuffer o = { out, room, 0 };
	size_t before;

	if (x->failed)
		return failed(x, error);
	do {
		ZSTD_inBuffer in = { x->in.src, x->in.pos + step(x), x->in.pos };

		before = x->in.pos + o.pos;
		x->hint = ZSTD_decompressStream(x->zstd, &o, &in);
		if (ZSTD_isError(x->hint)) {
			x->failed = x->hint;
			ZSTD_DCtx_reset(x->zstd, ZSTD_reset_session_only);
			x->in.size = x->in.pos = x->hint = 0;
			x->full = false;
			x->lost = true;
			return o.pos ? (ssize_t)o.pos : failed(x, error);
		}
		x->in.pos = in.pos;
	} while (o.pos < o.size && x->in.pos < x->in.size && x->in.pos + o.pos != before);
	x->full = o.pos == o.size;
	if (!o.pos)
		x->in.pos = x->in.size;
	return (ssize_t)o.pos;
}
