/*
 * fast_output.h - what print_text.c and print_json.c share: a pen that writes into pp_out's buffer without
 * asking it for every character, and what they ask of a field.
 */
#ifndef PP_FAST_OUTPUT_H
#define PP_FAST_OUTPUT_H

#include <string.h>

#include "base/format_number.h"
#include "format/format.h"

enum {
	STEP      = 2048,             /* room for all that one token writes, texts and lists apart */
	PAGE      = 256 * 1024,       /* room made before a record: the most that may be asked for */
	SMALL     = 2048,             /* a record of this size never fills a page, whatever it holds */
	PIECE     = 8192,             /* elements or bytes that are written for one look at the room */
};

/* Where the next character goes: a window on pp_out's buffer. */
struct pen {
	struct pp_out *out;
	char *p, *end;
};

static inline void pen_take(struct pen *w, struct pp_out *out, size_t room)
{
	w->out = out;
	w->p = pp_out_room(out, room);
	w->end = out->buf + out->room;
}

/* Hands what was written to pp_out, before its functions are called and at the end. */
static inline void pen_give(struct pen *w)
{
	w->out->at = (size_t)(w->p - w->out->buf);
}

/* Makes room where a page is full. */
void pp_pen_turn(struct pen *, size_t room);
/* Bytes as hexadecimal digits, however many. */
void pp_pen_bytes(struct pen *, const uint8_t *data, size_t size);

static inline void need(struct pen *w, size_t room)
{
	if ((size_t)(w->end - w->p) < room)
		pp_pen_turn(w, room);
}

/* The pieces that follow write without asking for room: STEP covers them. */

static inline void put(struct pen *w, char c)
{
	*w->p++ = c;
}

static inline void put_text(struct pen *w, const char *text)
{
	size_t n = strlen(text);

	memcpy(w->p, text, n);
	w->p += n;
}

#define PUT(w, literal) \
	(memcpy((w)->p, literal, sizeof(literal) - 1), (void)((w)->p += sizeof(literal) - 1))

static inline void put_dec(struct pen *w, uint64_t v)
{
	w->p = pp_put_dec(w->p, v);
}

static inline void put_hex(struct pen *w, uint64_t v)
{
	w->p = pp_put_hex(w->p, v);
}

static inline void put_signed(struct pen *w, uint64_t v)
{
	if (v >> 63) {
		put(w, '-');
		v = -v;
	}
	put_dec(w, v);
}

/* Separators are written after every item; the last one is taken back. */
static inline void take_back(struct pen *w, char separator)
{
	if (w->p[-1] == separator)
		w->p--;
}

/* ---- Fields ---- */

static inline bool all_zero(const uint8_t *data, size_t size)
{
	return !size || (!data[0] && !memcmp(data, data + 1, size - 1));
}

/* The length of a list that follows, which shows it; or plain padding. */
static inline bool is_silent(const struct pp_cursor *c)
{
	return c->field->counts ||
	       (c->field->quiet && all_zero(c->data, (size_t)c->count * c->width));
}

static inline bool is_signed(const struct pp_field *f)
{
	return f->kind == PP_S32 || f->kind == PP_S64;
}

/* Element i of an array, widened. */
static inline uint64_t element(const struct pp_cursor *c, uint32_t i)
{
	return c->width == 8 ? pp_load64(c->data + 8 * (size_t)i) : pp_walk_u64(c, i);
}

static inline uint64_t part_mask(const struct pp_part *part)
{
	return part->width < 64 ? (UINT64_C(1) << part->width) - 1 : UINT64_MAX;
}

/*
 * A record as raw readers hand it out may be in the other byte order: walked is a copy of it in
 * ours.  0, or -1 and *error; `copy` has room for any record.
 */
int pp_pen_host_order(struct pp_record *host, const struct pp_record *rec, uint8_t *copy,
		      struct pp_error *);

/* The name of the feature that a record is, or NULL. */
const char *pp_pen_feature(const struct pp_record *);

#endif
