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
	SMALL = 4096,                 /* less than this is gathered before zstd is called */
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
	size_t taken;                 /* since the last flush */
	size_t in_block;              /* of these, in a block that has not ended */
	size_t gathered;              /* of these, not yet with zstd */
	size_t made;                  /* bytes in the carrier, after its head */
	uint64_t in_frame;
	uint8_t few[SMALL];
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

/* Has zstd take bytes of the block, and compress what is due.  The carrier is written where it is full,
 * or `whole`. */
static int run_zstd(struct pp_compressor *c, ZSTD_inBuffer in, ZSTD_EndDirective how, bool whole,
		    struct pp_error *error)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { c->carrier + c->head, c->payload_max, c->made };

		left = ZSTD_compressStream2(c->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return pp_fail_zstd(error, left, PP_E_USE, "cannot compress");
		c->made = out.pos;
		if (out.pos == out.size || (whole && !left)) {
			c->made = 0;
			if (out.pos && write_carrier(c, out.pos, error))
				return -1;
		}
	} while (in.pos < in.size || (left && how != ZSTD_e_continue));
	return 0;
}

static int end_block(struct pp_compressor *c, ZSTD_EndDirective how, bool whole, struct pp_error *error)
{
	const ZSTD_inBuffer in = { c->few, c->gathered, 0 };

	c->gathered = c->in_block = 0;
	return run_zstd(c, in, how, whole, error);
}

int pp_compressor_flush(struct pp_compressor *c, struct pp_error *error)
{
	ZSTD_EndDirective how = ZSTD_e_flush;

	if (!c->taken)
		return 0;
	c->in_frame += c->taken;
	c->taken = 0;
	if (c->in_frame >= (c->level > LEVEL_QUICK ? FRAME : FRAME_QUICK)) {
		how = ZSTD_e_end;
		c->in_frame = 0;
	}
	return end_block(c, how, true, error);
}

/* Takes bytes of one block. */
static int take(struct pp_compressor *c, const void *data, size_t size, struct pp_error *error)
{
	c->taken += size;
	c->in_block += size;
	if (size > SMALL - c->gathered) {
		const ZSTD_inBuffer gathered = { c->few, c->gathered, 0 };

		c->gathered = 0;
		if (run_zstd(c, gathered, ZSTD_e_continue, false, error))
			return -1;
	}
	if (size > SMALL)
		return run_zstd(c, (ZSTD_inBuffer){ data, size, 0 }, ZSTD_e_continue, false, error);
	memcpy(c->few + c->gathered, data, size);
	c->gathered += size;
	return 0;
}

int pp_compressor_put(struct pp_compressor *c, const void *data, size_t size,
		      struct pp_error *error)
{
	const uint8_t *from = data;

	while (size) {
		size_t n;

		/* only now: a frame ends with the last block of it */
		if (c->in_block == BLOCK && end_block(c, ZSTD_e_flush, false, error))
			return -1;
		n = BLOCK - c->in_block < size ? BLOCK - c->in_block : size;
		if (take(c, from, n, error))
			return -1;
		from += n;
		size -= n;
		if (c->taken == ROOM && pp_compressor_flush(c, error))
			return -1;
	}
	return 0;
}
