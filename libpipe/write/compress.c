/*
 * compress.c - kernel records to COMPRESSED or COMPRESSED2 carriers.
 *
 * As perf record -z does, the carriers hold one zstd stream that continues from one to the next and
 * is flushed where they end, so that also small rounds compress well.  A new frame begins now and
 * then, where reading can resume after damage.  A carrier never expands to more than the feature
 * COMPRESSED promises, and never holds the end of one frame and the beginning of another: perf 6.1
 * cannot read that.  And in each a block of zstd ends: every perf gives up at a carrier of which
 * nothing comes.
 */
#include "base/byte_order.h"
#include "format/format.h"
#include "input/zstd_error.h"
#include "write/writer_internal.h"

#include <stdlib.h>
#include <zstd.h>

enum {
	/* Bytes in a block, at most: even if they do not compress, with the heads of the block and of a
	 * frame they are no more than a carrier, so that a block ends in any that is full. */
	BLOCK = (1 << 16) - 128,
	ROOM = 4 * BLOCK,             /* bytes taken before they are let out */
	/* Bytes in a frame, about: what damage costs.  At the quick levels less than 0.1 % of a large
	 * stream, for some 5 % of its size; above them it would be 20 %, and who asks for these wants
	 * it small. */
	FRAME_QUICK = ROOM,
	LEVEL_QUICK = 5,
	FRAME_LOG = 22,
	FRAME = 1 << FRAME_LOG,
	LEVEL_WIDE = 16,              /* levels above would remember more than there is */
	/* As perf has it: a ring buffer's size and its control page, the most that a carrier
	 * expands to.  perf 7.2 wants a multiple of 4096. */
	PROMISED = 528384,
	TYPE_ZSTD = 1,
};

struct pp_compressor {
	struct pp_writer *writer;
	ZSTD_CCtx *zstd;
	uint32_t type;
	bool foreign;
	size_t head, payload_max;
	int level;
	size_t taken;
	uint64_t in_frame;
	uint8_t in[ROOM];
	uint8_t carrier[PP_RECORD_MAX + 1];
};

struct pp_compressor *pp_compressor_open(int format, int level, struct pp_writer *writer)
{
	struct pp_compressor *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->writer = writer;
	c->level = level;
	c->type = format == 2 ? PP_REC_COMPRESSED2 : PP_REC_COMPRESSED;
	c->head = format == 2 ? PP_HEADER_SIZE + 8 : PP_HEADER_SIZE;
	/* a COMPRESSED2 is padded to a multiple of 8, so 65528 bytes is its most */
	c->payload_max = (format == 2 ? PP_RECORD_MAX - 7 : PP_RECORD_MAX) - c->head;
	c->zstd = ZSTD_createCCtx();
	if (!c->zstd || level < 1 || level > ZSTD_maxCLevel() ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_compressionLevel, level)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_contentSizeFlag, 0)) ||
	    (level > LEVEL_WIDE &&
	     ZSTD_isError(ZSTD_CCtx_setParameter(c->zstd, ZSTD_c_windowLog, FRAME_LOG)))) {
		pp_compressor_close(c);
		return NULL;
	}
	return c;
}

void pp_compressor_close(struct pp_compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->zstd);
	free(c);
}

void pp_compressor_foreign(struct pp_compressor *c)
{
	c->foreign = true;
}

size_t pp_compressor_announce(const struct pp_compressor *c, uint32_t ratio,
			      uint8_t buf[PP_COMPRESSOR_FEATURE])
{
	struct pp_build b;

	pp_build_feature(&b, buf, PP_COMPRESSOR_FEATURE, PP_FEAT_COMPRESSED);
	pp_build_u64(&b, "version", 0);
	pp_build_u64(&b, "type", TYPE_ZSTD);
	pp_build_u64(&b, "level", (uint64_t)c->level);
	pp_build_u64(&b, "ratio", ratio);
	pp_build_u64(&b, "mmap_len", PROMISED);
	return pp_build_end(&b);
}

int pp_compressor_feature(struct pp_compressor *c, struct pp_error *error)
{
	uint8_t buf[PP_COMPRESSOR_FEATURE];
	/* the ratio is 0 as in every pipe: not known yet */
	const size_t size = pp_compressor_announce(c, 0, buf);
	struct pp_record rec;

	if (!size || pp_record_at(&rec, buf, size, NULL) ||
	    (c->foreign && pp_convert(&rec, PP_FROM_HOST, NULL)))
		return pp_fail(error, PP_E_FULL, "the feature COMPRESSED");
	return pp_writer_copy(c->writer, buf, size, error);
}

static int write_carrier(struct pp_compressor *c, size_t payload, struct pp_error *error)
{
	const bool foreign = c->foreign;
	size_t size = c->head + payload;
	uint64_t length = payload;
	uint16_t size16;

	if (c->type == PP_REC_COMPRESSED2) {
		size_t padded = pp_align8(size);

		pp_store64(c->carrier + PP_HEADER_SIZE, pp_in_order64(&length, foreign));
		memset(c->carrier + size, 0, padded - size);
		size = padded;
	}
	size16 = (uint16_t)size;
	pp_store32(c->carrier, pp_in_order32(&c->type, foreign));
	pp_store16(c->carrier + 4, 0);
	pp_store16(c->carrier + 6, pp_in_order16(&size16, foreign));
	return pp_writer_copy(c->writer, c->carrier, size, error);
}

int pp_compressor_flush(struct pp_compressor *c, struct pp_error *error)
{
	ZSTD_EndDirective how = ZSTD_e_flush;
	ZSTD_outBuffer out = { c->carrier + c->head, c->payload_max, 0 };
	ZSTD_inBuffer in = { c->in, 0, 0 };
	size_t left;

	if (!c->taken)
		return 0;
	c->in_frame += c->taken;
	if (c->in_frame >= (c->level > LEVEL_QUICK ? FRAME : FRAME_QUICK)) {
		how = ZSTD_e_end;
		c->in_frame = 0;
	}
	do {
		if (in.pos == in.size)
			in.size = c->taken - in.pos > BLOCK ? in.pos + BLOCK : c->taken;
		left = ZSTD_compressStream2(c->zstd, &out, &in, in.size < c->taken ? ZSTD_e_flush : how);
		if (ZSTD_isError(left))
			return pp_fail_zstd(error, left, PP_E_USE, "cannot compress");
		if (out.pos == out.size || (!left && in.pos == c->taken)) {
			if (out.pos && write_carrier(c, out.pos, error))
				return -1;
			out.pos = 0;
		}
	} while (left || in.pos < c->taken);
	c->taken = 0;
	return 0;
}

int pp_compressor_put(struct pp_compressor *c, const void *data, size_t size,
		      struct pp_error *error)
{
	const uint8_t *from = data;

	while (size) {
		size_t n = ROOM - c->taken < size ? ROOM - c->taken : size;

		memcpy(c->in + c->taken, from, n);
		c->taken += n;
		from += n;
		size -= n;
		if (c->taken == ROOM && pp_compressor_flush(c, error))
			return -1;
	}
	return 0;
}
