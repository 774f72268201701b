/*
 * framing.c - finds where records begin and end among the bytes of a source; what is in them is the
 * business of the steps after it.
 */
#include "read/framing.h"
#include "base/byte_order.h"
#include "input/detect_format.h"
#include "read/dialect.h"

int pp_step_frame_open(struct pp_step_frame *f)
{
	f->source.fd = -1;
	return pp_window_open(&f->window);
}

void pp_step_frame_close(struct pp_step_frame *f)
{
	pp_input_close(&f->source);
	free(f->window.buf);
}

/* Where what is read next does not follow in the stream, it is known from where that is.  False: a record is
 * not whole before that. */
static bool begin_piece(struct pp_step_frame *f)
{
	const struct pp_piece *const piece = pp_composed_input_begins(&f->source.pieces);

	if (!piece)
		return true;
	if (pp_window_have(&f->window))
		return false;
	f->base = piece->place;
	f->piece = piece;
	return true;
}

int pp_step_frame_read(struct pp_step_frame *f, size_t need, struct pp_error *error)
{
	struct pp_window *w = &f->window;

	while (pp_window_have(w) < need) {
		enum pp_input_got got;
		size_t n;

		if (f->eof)
			return 0;
		f->stream->bytes = pp_step_frame_place(f);
		if (pp_ties_flush(f->ties, error))
			return -1;
		f->base = pp_step_frame_place(f);
		pp_window_move(w);
		if (f->source.pieces.count && !begin_piece(f))
			return 0;
		got = pp_input_read(&f->source, w->end, pp_window_read_room(w), &n, error);
		if (got == PP_SOURCE_FAILED)
			return pp_error_fatal(error, true);
		if (got == PP_SOURCE_NOT_YET)
			return pp_fail(error, PP_E_AGAIN, NULL);
		f->eof = got == PP_SOURCE_END;
		w->end += n;
	}
	return 1;
}

void pp_step_frame_restart(struct pp_step_frame *f)
{
	f->window.at = f->window.limit = f->window.end = f->window.buf;
	f->base = 0;
	f->eof = false;
}

/* Ends reading: need and have say what is missing. */
static int cut(struct pp_error *error, const struct pp_record *rec, enum pp_code code, uint64_t need,
	       uint64_t have)
{
	pp_fail(error, code, NULL);
	pp_error_room(error, NULL, need, have);
	return pp_damaged(error, rec, true);
}

/* ---- Where the next one begins ---- */

static int end_framing(struct pp_step_frame *f, const struct pp_record *here, struct pp_error *error)
{
	f->stream->bytes = here->offset;
	if (f->index)
		return 0;
	pp_fail(error, PP_E_CUT_END, "there is no record after its header");
	return pp_damaged(error, here, true);
}

/* Passes over the rest of a record that is too long for a stream: 1 or -1. */
static int skip(struct pp_step_frame *f, struct pp_error *error)
{
	while (f->skip_left) {
		const void *piece;
		size_t size;
		const int got = pp_step_frame_bytes(f, f->skip_left, &piece, &size, error);

		if (!got)
			return cut(error, &f->skipped, PP_E_CUT_TAIL, f->skip, f->skip - f->skip_left);
		if (got < 0)
			return -1;
		f->skip_left -= size;
	}
	return 1;
}

int pp_step_frame_ahead(struct pp_step_frame *f, struct pp_record *rec, struct pp_error *error)
{
	struct pp_window *w = &f->window;
	int got;

	if (f->skip_left && skip(f, error) < 0)
		return -1;
	got = pp_step_frame_fill(f, PP_HEADER_SIZE, error);
	pp_window_record(rec, w->at, 0, 0, 0, f->stream->attrs);
	rec->offset = pp_step_frame_place(f);
	rec->index = f->index;
	if (got < 0)
		return -1;
	if (!got && !pp_window_have(w))
		return end_framing(f, rec, error);
	if (!got)
		return cut(error, rec, PP_E_CUT, PP_HEADER_SIZE, pp_window_have(w));
	if (!pp_is_stream_magic(w->at))
		return 1;
	pp_fail(error, PP_E_VALUE, "another stream begins here, which is not read");
	pp_error_hint(error, PP_HINT_MERGE);
	return pp_damaged(error, rec, true);
}

/* ---- Sizes ---- */

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

/* The size of a COMPRESSED2 record, of which that in its header may be a part: 1; -1 and *error. */
static int size_carrier(struct pp_step_frame *f, struct pp_carrier *c, size_t *size, struct pp_error *error)
{
	const int got = pp_step_frame_fill(f, PP_CARRIER_HEAD, error);

	if (got <= 0)
		return got < 0 ? -1 : 1;
	pp_carrier_size2(c, f->window.at, f->stream->foreign);
	*size = c->size;
	return 1;
}

static int end_chain(struct pp_step_frame *f, const struct pp_record *rec, struct pp_error *error)
{
	f->carrier.chain = 0;
	pp_fail(error, PP_E_VALUE, "a COMPRESSED2 record should follow");
	return pp_damaged(error, rec, false);
}

/* A record of simpleperf's own that is too long for a stream. */
static bool is_too_long(struct pp_step_frame *f, const struct pp_record *rec)
{
	size_t size, whole;

	if (!f->long_sizes)
		return false;
	size = pp_in_order16(rec->data + 6, f->stream->foreign);
	whole = pp_simpleperf_size(rec->type, rec->misc, size);
	if (whole == size)
		return false;
	f->skipped = *rec;
	f->skip = f->skip_left = whole;
	f->index++;
	f->stream->left_out++;
	return true;
}

/* ---- Records ---- */

int pp_step_frame_next(struct pp_step_frame *f, struct pp_record *rec, struct pp_error *error)
{
	const bool foreign = f->stream->foreign;
	struct pp_window *w = &f->window;
	struct pp_carrier carrier;
	size_t size;
	int got;

	do {
		got = pp_step_frame_ahead(f, rec, error);
		if (got <= 0)
			return got;
		rec->type = pp_in_order32(w->at, foreign);
		rec->misc = pp_in_order16(w->at + 4, foreign);
	} while (is_too_long(f, rec));
	size = pp_in_order16(w->at + 6, foreign);
	if (rec->type == PP_REC_COMPRESSED2) {
		carrier = f->carrier;
		if (size_carrier(f, &carrier, &size, error) < 0)
			return -1;
	} else if (f->carrier.chain) {
		return end_chain(f, rec, error);
	}
	if (size < PP_HEADER_SIZE)
		return cut(error, rec, PP_E_SIZE, PP_HEADER_SIZE, size);
	got = pp_step_frame_fill(f, size, error);
	if (got < 0)
		return -1;
	if (!got)
		return cut(error, rec, PP_E_CUT, size, pp_window_have(w));
	/* only now: it is sized up once more where the rest has yet to come */
	if (rec->type == PP_REC_COMPRESSED2)
		f->carrier = carrier;
	rec->data = w->at;
	rec->size = (uint16_t)size;
	w->at += size;
	w->limit = f->carrier.chain ? w->at : w->end;
	f->index++;
	return 1;
}

int pp_step_frame_bytes(struct pp_step_frame *f, uint64_t most, const void **piece, size_t *size,
			struct pp_error *error)
{
	struct pp_window *w = &f->window;
	const int got = pp_step_frame_fill(f, 1, error);

	if (got <= 0)
		return got;
	*size = pp_window_have(w);
	if (*size > most)
		*size = (size_t)most;
	*piece = w->at;
	w->at += *size;
	w->limit = w->at;
	return 1;
}
