/*
 * compressed_records.c - expands COMPRESSED and COMPRESSED2 records, and hands on what they hold in their
 * place; how large one is was found where it was framed.
 */
#include "read/compressed_records.h"
#include "base/byte_order.h"
#include "input/zstd_error.h"
#include "format/format.h"

#include <stdlib.h>
#include <zstd.h>

struct pp_expand {
	ZSTD_DStream *zstd;
	ZSTD_inBuffer in;
	size_t hint;                  /* bytes that zstd asks for next, as it says */
	size_t failed;                /* its code, reported after all before it */
	bool full;                    /* the last call filled its room: there may be more */
	bool lost;                    /* until a frame begins */
};

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
 * How much zstd is given next: what is left of a block, or a header.  If a call fails, what it had
 * made already is unknown, so no call may make anything before it can fail.
 */
static size_t next_zstd_step(const struct pp_expand *x)
{
	enum { FRAME_LEAST = 5, BLOCK_HEADER = 3 };
	const size_t left = x->in.size - x->in.pos;
	/* before a block's end it counts the next block's header as well */
	const size_t wanted = !x->hint ? FRAME_LEAST :
			      x->hint > BLOCK_HEADER ? x->hint - BLOCK_HEADER : x->hint;

	return wanted < left ? wanted : left;
}

static int fail_expanding(struct pp_expand *x, struct pp_error *error)
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
		return fail_expanding(x, error);
	do {
		ZSTD_inBuffer in = { x->in.src, x->in.pos + next_zstd_step(x), x->in.pos };

		before = x->in.pos + o.pos;
		x->hint = ZSTD_decompressStream(x->zstd, &o, &in);
		if (ZSTD_isError(x->hint)) {
			x->failed = x->hint;
			ZSTD_DCtx_reset(x->zstd, ZSTD_reset_session_only);
			x->in.size = x->in.pos = x->hint = 0;
			x->full = false;
			x->lost = true;
			return o.pos ? (ssize_t)o.pos : fail_expanding(x, error);
		}
		x->in.pos = in.pos;
	} while (o.pos < o.size && x->in.pos < x->in.size && x->in.pos + o.pos != before);
	x->full = o.pos == o.size;
	if (!o.pos)
		x->in.pos = x->in.size;
	return (ssize_t)o.pos;
}

/* ---- The step ---- */

enum { OUT_LEAST = 1 << 18 };         /* room that zstd should have */

void pp_step_decompress_close(struct pp_step_decompress *x)
{
	pp_expand_free(x->zstd);
	free(x->window.buf);
}

static int no_memory(struct pp_error *error)
{
	pp_fail(error, PP_E_NOMEM, NULL);
	return pp_error_fatal(error, true);
}

/* Has more of the carrier expanded: 1, 0 where it is used up, -1. */
static int more(struct pp_step_decompress *x, struct pp_error *error)
{
	struct pp_window *w = &x->window;
	ssize_t n;

	if (!pp_expand_pending(x->zstd))
		return 0;
	if (pp_window_room(w) < OUT_LEAST) {
		if (pp_ties_flush(x->ties, error))
			return -1;
		pp_window_move(w);
	}
	n = pp_expand_more(x->zstd, w->end, pp_window_room(w), error);
	if (n < 0) {
		w->at = w->limit = w->end;
		return pp_damaged(error, &x->carrier, false);
	}
	w->end += n;
	x->stream->expanded_bytes += (uint64_t)n;
	return 1;
}

/* The size of the record that begins in the window, or 0: its header is not there. */
static size_t size_inside(const struct pp_step_decompress *x)
{
	const struct pp_window *w = &x->window;

	return pp_window_have(w) < PP_HEADER_SIZE ? 0 : pp_in_order16(w->at + 6, x->stream->foreign);
}

static int cut_inside(const struct pp_step_decompress *x, struct pp_error *error, enum pp_code code,
		      const char *detail, size_t need, size_t have)
{
	pp_fail(error, code, "%s", detail);
	pp_error_room(error, NULL, need, have);
	return pp_damaged(error, &x->carrier, true);
}

/* The next record out of the carrier: 1, 0 where it is used up, -1. */
static int next_inside(struct pp_step_decompress *x, struct pp_record *rec, struct pp_error *error)
{
	const bool foreign = x->stream->foreign;
	struct pp_window *w = &x->window;
	size_t size;
	int got = 1;

	while ((size = size_inside(x)) < PP_HEADER_SIZE || size > pp_window_have(w)) {
		if (pp_window_have(w) >= PP_HEADER_SIZE && size < PP_HEADER_SIZE)
			return cut_inside(x, error, PP_E_SIZE, "", PP_HEADER_SIZE, size);
		got = more(x, error);
		if (got <= 0)
			return got;
	}
	pp_window_record(rec, w->at, pp_in_order32(w->at, foreign), pp_in_order16(w->at + 4, foreign),
			 size, x->stream->attrs);
	rec->offset = x->carrier.offset;
	rec->index = x->carrier.index;
	w->at += size;
	w->limit = w->end;
	if (pp_has_tail(rec->type) || pp_type_is(rec->type, PP_CARRIES)) {
		pp_fail(error, PP_E_VALUE, "a record of this type cannot be in a compressed one");
		return pp_damaged(error, rec, false);
	}
	return 1;
}

/* A record of which only the place is kept. */
static struct pp_record place_of(const struct pp_record *rec)
{
	return (struct pp_record){ .offset = rec->offset, .index = rec->index, .type = rec->type,
				   .size = rec->size };
}

/* A whole COMPRESSED or COMPRESSED2 record: what it holds comes next.  0 or -1. */
static int open_carrier(struct pp_step_decompress *x, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_stream *s = x->stream;
	size_t at = PP_HEADER_SIZE, length = rec->size - PP_HEADER_SIZE;

	if (rec->type == PP_REC_COMPRESSED2) {
		if (x->sized->damaged || rec->size < PP_CARRIER_HEAD) {
			pp_fail(error, PP_E_VALUE, "more compressed bytes than the record has");
			return pp_damaged(error, rec, false);
		}
		at = x->sized->at;
		length = x->sized->length;
	}
	if (!x->window.buf && pp_window_open(&x->window))
		return no_memory(error);
	if (!x->zstd && !(x->zstd = pp_expand_new()))
		return no_memory(error);
	if (!s->promise.size && !s->unpromised.size)
		s->unpromised = place_of(rec);
	pp_expand_feed(x->zstd, rec->data + at, length);
	s->compressed_bytes += length;
	x->carrier = *rec;
	x->inside = true;
	return 0;
}

/* The feature COMPRESSED is not true of what is handed on. */
static bool is_promise(const struct pp_step_decompress *x, const struct pp_record *rec)
{
	return rec->type == PP_REC_HEADER_FEATURE && pp_fits(PP_HEADER_SIZE + 8, rec->size) &&
	       pp_in_order64(rec->data + PP_HEADER_SIZE, x->stream->foreign) == PP_FEAT_COMPRESSED;
}

/* What it says is kept, for those who show how the recording is stored. */
static void note_promise(const struct pp_step_decompress *x, const struct pp_record *rec)
{
	enum { TYPE_AT = PP_HEADER_SIZE + 8 + 4, LEVEL_AT = TYPE_AT + 4, RATIO_AT = LEVEL_AT + 4 };
	struct pp_stream *const s = x->stream;

	if (s->promise.size)
		return;
	s->promise = place_of(rec);
	if (pp_fits(RATIO_AT + 4, rec->size))
		s->compression = (struct pp_compression){
			.type = pp_in_order32(rec->data + TYPE_AT, s->foreign),
			.level = pp_in_order32(rec->data + LEVEL_AT, s->foreign),
			.ratio = pp_in_order32(rec->data + RATIO_AT, s->foreign),
		};
}

static int end_expanding(const struct pp_step_decompress *x, struct pp_error *error)
{
	const size_t have = x->window.buf ? pp_window_have(&x->window) : 0;
	const size_t size = have ? size_inside(x) : 0;

	return !have ? 0 : cut_inside(x, error, PP_E_CUT, "its contents end too early",
				      have < PP_HEADER_SIZE ? PP_HEADER_SIZE : size, have);
}

int pp_step_decompress_next(struct pp_step_decompress *x, struct pp_record *rec, struct pp_error *error)
{
	int got;

	for (;;) {
		if (x->inside) {
			got = next_inside(x, rec, error);
			if (got)
				return got;
			x->inside = false;
		}
		got = pp_step_dialect_next(x->from, rec, error);
		if (got < 0 || x->raw || (got && rec->type < PP_USER_TYPES))
			return got;
		if (!got)
			return end_expanding(x, error);
		if (pp_type_is(rec->type, PP_CARRIES)) {
			if (open_carrier(x, rec, error))
				return -1;
		} else if (!is_promise(x, rec)) {
			return 1;
		} else {
			note_promise(x, rec);
		}
	}
}
