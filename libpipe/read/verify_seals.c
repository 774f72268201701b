/*
 * verify_seals.c - compares the seals of a stream with the records before them, and passes all on as they
 * are.  Made here, with the help of format/seal.c: the verdict on a seal; a missing last seal is
 * reported at the end of the stream.
 */
#include "input/detect_format.h"
#include "read/verify_seals.h"

int pp_step_verify_open(struct pp_step_verify *v)
{
	return v->verify ? pp_sum_open(&v->sum) : 0;
}

void pp_step_verify_close(struct pp_step_verify *v)
{
	pp_sum_close(&v->sum);
}

/* ---- What a seal says of the bytes before it ---- */

static int was_changed(const struct pp_seal *seal, struct pp_error *error)
{
	return pp_fail(error, PP_E_SEAL, "seal %llu itself was changed",
		       (unsigned long long)seal->number);
}

/* Notes in the stream whether it is sealed or was rewritten.  0, or -1 and *error without a place. */
static int judge(struct pp_step_verify *v, const struct pp_record *rec, const struct pp_seal *seal,
		 struct pp_error *error)
{
	struct pp_sum *sum = &v->sum;
	struct pp_stream *stream = v->stream;
	const uint64_t distance = rec->offset - sum->from;
	const bool first = rec->offset == PP_PIPE_HEADER;

	if (!stream->sealed && pp_seal_is_lone(seal)) {
		pp_sum_start(sum, 0, 0, rec->offset);
		return pp_sum_seal(sum, rec->data) == seal->xxh3 ? 0 : was_changed(seal, error);
	}
	/* who rewrites a stream and does not know seals leaves out none of them */
	if (seal->number != sum->number) {
		stream->sealed = true;
		return pp_fail(error, PP_E_SEAL, "seal %llu is missing, or was changed",
			       (unsigned long long)sum->number);
	}
	if (seal->bytes != distance || (!stream->sealed && !first)) {
		if (pp_sum_covers(sum, rec->data, distance, stream->foreign))
			return was_changed(seal, error);
		stream->rewritten = true;
		stream->sealed = false;
		return 0;
	}
	stream->sealed = true;
	if (pp_sum_seal(sum, rec->data) == seal->xxh3)
		return 0;
	(void)pp_fail(error, PP_E_SEAL, "seal %llu does not match the bytes before it",
		      (unsigned long long)seal->number);
	return pp_error_hint(error, PP_HINT_NO_VERIFY);
}

/* ---- The records between ---- */

/* The stream header, which seal 0 covers, is no longer in the window. */
static void sum_header(struct pp_step_verify *v)
{
	uint8_t header[PP_PIPE_HEADER];

	pp_stream_header(header, v->stream->foreign);
	pp_sum_start(&v->sum, 0, 0, 0);
	pp_sum_add(&v->sum, header, sizeof(header));
}

/* A seal that is not right is reported once, and handed on as the round that it is by the next call. */
static int meet_seal(struct pp_step_verify *v, const struct pp_record *rec, const struct pp_seal *seal,
		     struct pp_error *error)
{
	struct pp_stream *stream = v->stream;

	if (!stream->rewritten) {
		if (rec->offset == PP_PIPE_HEADER)
			sum_header(v);
		v->held = judge(v, rec, seal, error) < 0;
		pp_sum_start(&v->sum, seal->xxh3, seal->number + 1, rec->offset + rec->size);
	}
	v->right = stream->sealed && !v->held;
	v->summed = rec->offset + rec->size;
	stream->flags |= seal->flags;
	if (seal->flags & PP_SEAL_END) {
		stream->ended = true;
		v->after_end = !stream->rewritten;
	}
	if (!v->held)
		return 1;
	v->seal = *rec;
	return pp_damaged(error, rec, false);
}

/* The bytes of whole records that follow and need no step, up to a sample if those are taken otherwise:
 * they can be hashed in one go, and be walked without looking. */
static size_t plain_span(const struct pp_stream *s, const struct pp_window *w, bool samples)
{
	const uint8_t *p = w->at;

	while (w->end - p >= PP_HEADER_SIZE) {
		const size_t size = pp_load16(p + 6);
		const uint32_t type = pp_load32(p);

		if (size < PP_HEADER_SIZE || size > (size_t)(w->end - p) || !pp_needs_no_step(s, type) ||
		    (type == PP_REC_SAMPLE && !samples))
			break;
		p += size;
	}
	return (size_t)(p - w->at);
}

static void sum(struct pp_step_verify *v, const struct pp_record *rec)
{
	struct pp_window *w = &v->frames->window;
	size_t span = 0;

	if (pp_needs_no_step(v->stream, rec->type) && !v->stream->foreign && !v->each)
		span = plain_span(v->stream, w, !v->asked);
	v->asked = false;
	pp_sum_add(&v->sum, rec->data, rec->size + span);
	v->summed = rec->offset + rec->size + span;
	w->limit = w->at + span;
}

void pp_step_verify_take(struct pp_step_verify *v, size_t size)
{
	struct pp_window *w = &v->frames->window;

	pp_sum_add(&v->sum, w->at, size);
	v->summed = pp_step_frame_place(v->frames) + size;
	w->limit = w->at + size;
}

/* This record does not follow on the last one. */
static void begin_sum_of_piece(struct pp_step_verify *v)
{
	const struct pp_piece *const piece = v->frames->piece;

	v->frames->piece = NULL;
	pp_sum_start(&v->sum, piece->xxh3, piece->seal + 1, piece->place);
}

static int bytes_after_end(struct pp_step_verify *v, struct pp_record *rec, struct pp_error *error)
{
	const int got = pp_step_frame_ahead(v->frames, rec, error);

	if (got <= 0)
		return got;
	v->after_end = false;
	pp_fail(error, PP_E_SEAL, "bytes follow the last seal");
	return pp_damaged(error, rec, false);
}

int pp_step_verify_next(struct pp_step_verify *v, struct pp_record *rec, struct pp_error *error)
{
	struct pp_window *w = &v->frames->window;
	struct pp_seal seal;
	int got;

	if (!v->verify)
		return pp_step_frame_next(v->frames, rec, error);
	if (v->held) {
		v->held = false;
		*rec = v->seal;
		return 1;
	}
	if (v->after_end)
		return bytes_after_end(v, rec, error);
	got = pp_step_frame_next(v->frames, rec, error);
	if (got <= 0)
		return got;
	if (v->frames->piece)
		begin_sum_of_piece(v);
	if (rec->type == PP_REC_FINISHED_ROUND &&
	    pp_seal_load(&seal, rec->data, rec->size, v->stream->foreign)) {
		got = meet_seal(v, rec, &seal, error);
		if (v->stream->sealed || v->after_end)
			w->limit = w->at;
	} else if (v->stream->sealed) {
		sum(v, rec);
	}
	return got;
}

int pp_step_verify_bytes(struct pp_step_verify *v, uint64_t most, const void **piece, size_t *size,
			 struct pp_error *error)
{
	const int got = pp_step_frame_bytes(v->frames, most, piece, size, error);

	if (got > 0 && v->stream->sealed) {
		pp_sum_add(&v->sum, *piece, *size);
		v->summed = pp_step_frame_place(v->frames);
	}
	return got;
}
