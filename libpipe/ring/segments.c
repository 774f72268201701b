/*
 * segments.c - the last minutes of a stream, packed.
 *
 *	state <- | segment | segment | segment | open segment | <- records
 *	   |          what falls out is expanded once more: its side-band goes into the state
 *	   +-> the head of what is let out, followed by all segments
 *
 * So there is one state only, at the old end, and no snapshot for each segment.
 */
#include "base/sized_options.h"
#include "format/format.h"
#include "format/payload.h"
#include "input/zstd_error.h"

#include <perfpipe/attrs.h>
#include <perfpipe/ring.h>
#include <perfpipe/sideband.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	FRAME   = 256 << 10,          /* plain bytes, about */
	PARTS   = 32,                 /* a segment is this part of what is kept, at most */
	LARGEST = 8 << 20,            /* plain bytes of a segment */
};

static const uint64_t LONGEST = UINT64_C(60000000000);        /* ns of a segment */

/* Whole records, one frame of zstd. */
struct ring_frame {
	struct ring_frame *next;
	uint32_t plain, packed;
	uint8_t data[];
};

struct ring_segment {
	struct ring_segment *next;
	struct ring_frame *first, **end;
	uint64_t from, to;            /* times; from > to: none */
	uint64_t samples, plain, packed;
};

struct pp_ring_store {
	struct pp_ring_store_options options;
	struct pp_sideband *state;    /* as of the start of the first segment */
	struct pp_attrs *attrs;       /* of the stream, as far as it has come */
	ZSTD_CCtx *pack;
	ZSTD_DCtx *unpack;
	uint8_t *open, *expanded;     /* FRAME bytes: what is not packed yet, and one frame that was */
	size_t used;                  /* of `open` */
	struct ring_segment *first, *last;      /* the last one is open; NULL: none */
	struct pp_ring_store_kept kept;     /* but for the times */
	uint64_t newest;              /* time; 0: none */
	bool tailed;                  /* the state has the last record, whose tail may follow */
	struct {
		struct pp_writer *out;          /* NULL: nothing is being let out */
		struct ring_segment *at, *end;  /* `end` is not part of it */
		struct ring_frame *frame;
	} leaving;
};

/* ---- packing ---- */

static struct ring_segment *open_segment(struct pp_ring_store *r, struct pp_error *error)
{
	struct ring_segment *const s = calloc(1, sizeof(*s));

	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	s->end = &s->first;
	s->from = UINT64_MAX;
	*(r->last ? &r->last->next : &r->first) = s;
	r->last = s;
	r->kept.segments++;
	return s;
}

/* Packs what is not yet. */
static int end_frame(struct pp_ring_store *r, struct pp_error *error)
{
	const size_t room = ZSTD_compressBound(r->used);
	struct ring_frame *frame, *smaller;
	size_t size;

	if (!r->used)
		return 0;
	frame = malloc(sizeof(*frame) + room);
	if (!frame)
		return pp_fail(error, PP_E_NOMEM, NULL);
	size = ZSTD_compress2(r->pack, frame->data, room, r->open, r->used);
	if (ZSTD_isError(size)) {
		free(frame);
		return pp_fail_zstd(error, size, PP_E_USE, "cannot compress");
	}
	smaller = realloc(frame, sizeof(*frame) + size);
	if (smaller)
		frame = smaller;
	frame->next = NULL;
	frame->plain = (uint32_t)r->used;
	frame->packed = (uint32_t)size;
	*r->last->end = frame;
	r->last->end = &frame->next;
	r->last->packed += size;
	r->kept.packed += size;
	r->used = 0;
	return 0;
}

static int expand_frame(struct pp_ring_store *r, const struct ring_frame *frame, struct pp_error *error)
{
	const size_t size = ZSTD_decompressDCtx(r->unpack, r->expanded, FRAME, frame->data, frame->packed);

	return ZSTD_isError(size) ? pp_fail_zstd(error, size, PP_E_USE, "cannot expand") : 0;
}

/* ---- what falls out ---- */

static int remember_frame(struct pp_ring_store *r, const struct ring_frame *frame, struct pp_error *error)
{
	struct pp_record rec;

	if (expand_frame(r, frame, error))
		return -1;
	for (size_t at = 0; at < frame->plain; at += rec.size) {
		if (pp_record_at(&rec, r->expanded + at, frame->plain - at, error))
			return -1;
		if (!pp_sideband_keeps(rec.type))
			continue;
		rec.attrs = r->attrs;
		rec.attr = pp_attrs_find(r->attrs, rec.data, rec.type, rec.size);
		if (pp_sideband_note(r->state, &rec, error))
			return -1;
	}
	return 0;
}

static void free_segment(struct ring_segment *s)
{
	for (struct ring_frame *f = s->first, *next; f; f = next) {
		next = f->next;
		free(f);
	}
	free(s);
}

static int drop_first(struct pp_ring_store *r, struct pp_error *error)
{
	struct ring_segment *const s = r->first;

	for (const struct ring_frame *f = s->first; f; f = f->next)
		if (remember_frame(r, f, error))
			return -1;
	if (s->from <= s->to)
		pp_sideband_now(r->state, s->to);
	r->first = s->next;
	r->kept.segments--;
	r->kept.forgotten++;
	r->kept.samples -= s->samples;
	r->kept.plain -= s->plain;
	r->kept.packed -= s->packed;
	free_segment(s);
	return 0;
}

/* Neither the open segment goes, nor what has yet to be written. */
static bool can_drop(const struct pp_ring_store *r)
{
	return r->first != r->last && !(r->leaving.out && r->leaving.at == r->first);
}

static bool is_old(const struct pp_ring_store *r, const struct ring_segment *s)
{
	return r->newest > r->options.keep && (s->from > s->to || s->to < r->newest - r->options.keep);
}

/* It goes before its time. */
static void note_lacking(struct pp_ring_store *r, const struct ring_segment *s)
{
	const uint64_t time = s->from <= s->to ? s->to : r->newest;

	if (time > r->kept.lacking)
		r->kept.lacking = time;
}

static int drop_what_is_due(struct pp_ring_store *r, struct pp_error *error)
{
	while (can_drop(r)) {
		const bool old = is_old(r, r->first);

		if (!old && r->kept.packed <= r->options.packed)
			return 0;
		if (!old)
			note_lacking(r, r->first);
		if (drop_first(r, error))
			return -1;
	}
	return 0;
}

bool pp_ring_store_waits(const struct pp_ring_store *r)
{
	return r->leaving.out && r->leaving.at == r->first && r->kept.packed > r->options.packed;
}

/* ---- records ---- */

static bool is_complete(const struct pp_ring_store *r, const struct ring_segment *s, uint64_t time)
{
	const uint64_t part = r->options.keep / PARTS, longest = part < LONGEST ? part : LONGEST;

	return s->plain >= LARGEST || s->packed >= r->options.packed / PARTS ||
	       (s->from <= s->to && time > s->from && time - s->from >= longest);
}

static int end_segment(struct pp_ring_store *r, struct pp_error *error)
{
	if (!r->last || !r->last->plain)
		return 0;
	return end_frame(r, error) || !open_segment(r, error) ? -1 : 0;
}

/* Makes room for the record in the open segment. */
static int prepare(struct pp_ring_store *r, uint64_t time, size_t size, struct pp_error *error)
{
	if (!r->last && !open_segment(r, error))
		return -1;
	if (size > FRAME - r->used && end_frame(r, error))
		return -1;
	if (is_complete(r, r->last, time) && end_segment(r, error))
		return -1;
	return drop_what_is_due(r, error);
}

static int store_record(struct pp_ring_store *r, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time = 0;
	const bool timed = pp_time(rec, &time);
	struct ring_segment *s;

	if (timed && time > r->newest)
		r->newest = time;
	if (prepare(r, time, rec->size, error))
		return -1;
	s = r->last;
	memcpy(r->open + r->used, rec->data, rec->size);
	r->used += rec->size;
	s->plain += rec->size;
	r->kept.plain += rec->size;
	s->samples += rec->type == PP_REC_SAMPLE;
	r->kept.samples += rec->type == PP_REC_SAMPLE;
	if (timed && time < s->from)
		s->from = time;
	if (timed && time > s->to)
		s->to = time;
	return 0;
}

/* Whether it belongs at the head, whenever it comes: it is about the whole stream. */
static bool is_of_whole(const struct pp_record *rec)
{
	return rec->type >= PP_USER_TYPES && pp_sideband_keeps(rec->type);
}

int pp_ring_store_put(struct pp_ring_store *r, const struct pp_record *rec, struct pp_error *error)
{
	r->tailed = false;
	if (rec->type == PP_REC_HEADER_ATTR && pp_attrs_note(r->attrs, rec, error))
		return -1;
	/* of rounds only what is in them is of use here: notes and names */
	if (is_of_whole(rec) || rec->type == PP_REC_FINISHED_ROUND) {
		r->tailed = rec->tail;
		return pp_sideband_note(r->state, rec, error);
	}
	if (!rec->tail)
		return store_record(r, rec, error);
	r->kept.left_out++;
	return 0;
}

int pp_ring_store_tail(struct pp_ring_store *r, const void *piece, size_t size, struct pp_error *error)
{
	return r->tailed ? pp_sideband_tail(r->state, piece, size, error) : 0;
}

void pp_ring_store_kept(const struct pp_ring_store *r, struct pp_ring_store_kept *kept)
{
	*kept = r->kept;
	kept->first = UINT64_MAX;
	kept->last = 0;
	for (const struct ring_segment *s = r->first; s; s = s->next) {
		if (s->from < kept->first)
			kept->first = s->from;
		if (s->from <= s->to && s->to > kept->last)
			kept->last = s->to;
	}
}

/* ---- letting out ---- */

int pp_ring_store_let_out(struct pp_ring_store *r, struct pp_writer *out, struct pp_error *error)
{
	if (end_segment(r, error) || pp_sideband_write(r->state, NULL, NULL, NULL, out, error))
		return -1;
	r->leaving.out = out;
	r->leaving.at = r->first;
	r->leaving.end = r->last;
	r->leaving.frame = r->first ? r->first->first : NULL;
	return 0;
}

int pp_ring_store_write_some(struct pp_ring_store *r, struct pp_error *error)
{
	struct pp_writer *const out = r->leaving.out;
	const struct ring_frame *const frame = r->leaving.frame;

	if (!out || r->leaving.at == r->leaving.end) {
		r->leaving.out = NULL;
		return 0;
	}
	if (frame) {
		if (expand_frame(r, frame, error) || pp_writer_put(out, r->expanded, frame->plain, error))
			return -1;
		r->leaving.frame = frame->next;
	}
	if (!r->leaving.frame) {
		r->leaving.at = r->leaving.at->next;
		r->leaving.frame = r->leaving.at->first;
		if (pp_writer_round(out, error))
			return -1;
	}
	return pp_writer_flush(out, error) ? -1 : 1;
}

/* ---- all of it ---- */

struct pp_ring_store *pp_ring_store_open(const struct pp_ring_store_options *given, struct pp_error *error)
{
	struct pp_ring_store *const r = calloc(1, sizeof(*r));

	if (!r || pp_options_take(&r->options, sizeof(r->options), given, error)) {
		if (!r)
			(void)pp_fail(error, PP_E_NOMEM, NULL);
		free(r);
		return NULL;
	}
	r->state = pp_sideband_new(r->options.budget);
	r->attrs = pp_attrs_new();
	r->pack = ZSTD_createCCtx();
	r->unpack = ZSTD_createDCtx();
	r->open = malloc(FRAME);
	r->expanded = malloc(FRAME);
	if (r->state && r->attrs && r->pack && r->unpack && r->open && r->expanded &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(r->pack, ZSTD_c_compressionLevel,
						 r->options.level ? r->options.level : 1)))
		return r;
	pp_ring_store_close(r);
	(void)pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

void pp_ring_store_close(struct pp_ring_store *r)
{
	if (!r)
		return;
	for (struct ring_segment *s = r->first, *next; s; s = next) {
		next = s->next;
		free_segment(s);
	}
	pp_sideband_free(r->state);
	pp_attrs_free(r->attrs);
	ZSTD_freeCCtx(r->pack);
	ZSTD_freeDCtx(r->unpack);
	free(r->open);
	free(r->expanded);
	free(r);
}
