/*
 * print.c - one record as text or as a line of JSON, by walking it.  What a record holds is known
 * to the tables alone; how single numbers and texts look, to number.h and out.c.
 */
#include "format/format.h"
#include "base/number.h"
#include "text/print.h"

enum {
	STEP      = 2048,             /* room for all that one token writes, texts and lists apart */
	PAGE      = 256 * 1024,       /* room made before a record: the most that may be asked for */
	SMALL     = 2048,             /* a record of this size never fills a page, whatever it holds */
	PIECE     = 8192,             /* elements or bytes that are written for one look at the room */
	ABRIDGED  = 512,              /* longer bytes are abridged where a record is a line */
	SHOWN     = 32,               /* to this many */
};

static const uint64_t exact_in_double = (UINT64_C(1) << 53) - 1;

/* Where the next character goes: a window on pp_out's buffer. */
struct pen {
	struct pp_out *out;
	char *p, *end;
};

static void pen_take(struct pen *w, struct pp_out *out, size_t room)
{
	w->out = out;
	w->p = pp_out_room(out, room);
	w->end = out->buf + out->room;
}

/* Hands what was written to pp_out, before its functions are called and at the end. */
static void pen_give(struct pen *w)
{
	w->out->at = (size_t)(w->p - w->out->buf);
}

static void turn_page(struct pen *w, size_t room)
{
	pen_give(w);
	pen_take(w, w->out, room);
}

static inline void need(struct pen *w, size_t room)
{
	if ((size_t)(w->end - w->p) < room)
		turn_page(w, room);
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

/* Separators are written behind every item; the last one is taken back. */
static inline void take_back(struct pen *w, char separator)
{
	if (w->p[-1] == separator)
		w->p--;
}

static void put_bytes(struct pen *w, const uint8_t *data, size_t size)
{
	while (size) {
		size_t n = size < PIECE ? size : PIECE;

		need(w, 2 * n + STEP);
		w->p = pp_put_hex_bytes(w->p, data, n);
		data += n;
		size -= n;
	}
}

static bool all_zero(const uint8_t *data, size_t size)
{
	return !size || (!data[0] && !memcmp(data, data + 1, size - 1));
}

/* The length of a list that follows, which tells it; or padding that pads. */
static inline bool is_silent(const struct pp_cursor *c)
{
	return c->field->counts ||
	       (c->field->quiet && all_zero(c->data, (size_t)c->count * c->width));
}

static inline bool is_text(const struct pp_field *f)
{
	return f->kind >= PP_CHARS && f->kind <= PP_LSTR;
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
static int in_host_order(struct pp_record *host, const struct pp_record *rec, uint8_t *copy,
			 struct pp_error *error)
{
	*host = *rec;
	if (!rec->foreign || !pp_type(rec->type))
		return 0;
	memcpy(copy, rec->data, rec->size);
	host->data = copy;
	host->foreign = false;
	return pp_convert(host, PP_TO_HOST, error);
}

/* ---- JSON ---- */

static inline void json_name(struct pen *w, const struct pp_field *f)
{
	put(w, '"');
	put_text(w, f->name);
	PUT(w, "\":");
}

static inline void json_dec(struct pen *w, uint64_t v)
{
	if (v <= exact_in_double) {
		put_dec(w, v);
		return;
	}
	put(w, '"');
	put_dec(w, v);
	put(w, '"');
}

static void json_signed(struct pen *w, uint64_t v)
{
	const bool quoted = v >> 63 && -v > exact_in_double;

	if (!(v >> 63)) {
		json_dec(w, v);
		return;
	}
	if (quoted)
		put(w, '"');
	put_signed(w, v);
	if (quoted)
		put(w, '"');
}

static inline void json_hex(struct pen *w, uint64_t v)
{
	put(w, '"');
	put_hex(w, v);
	put(w, '"');
}

/* Numbers that JSON has no word for stand as their bits. */
static void json_double(struct pen *w, uint64_t bits)
{
	const uint64_t exponent = bits >> 52 & 0x7ff;
	double v;

	if (exponent == 0x7ff) {
		json_hex(w, bits);
		return;
	}
	memcpy(&v, &bits, sizeof(v));
	pen_give(w);
	pp_out_double(w->out, v);
	pen_take(w, w->out, STEP);
}

static inline void json_number(struct pen *w, const struct pp_field *f, uint64_t v)
{
	if (f->show == PP_HEX || f->show == PP_ID)
		json_hex(w, v);
	else if (is_signed(f))
		json_signed(w, v);
	else if (f->kind == PP_F64)
		json_double(w, v);
	else
		json_dec(w, v);
}

static void json_parts(struct pen *w, const struct pp_part *part, uint64_t v)
{
	uint64_t left = v;

	put(w, '{');
	for (; left && part->width; part++) {
		const uint64_t mask = part_mask(part) << part->bit;

		if (!(left & mask))
			continue;
		put(w, '"');
		put_text(w, part->name);
		PUT(w, "\":");
		put_dec(w, (left & mask) >> part->bit);
		put(w, ',');
		left &= ~mask;
	}
	if (left) {
		PUT(w, "\"raw\":");
		json_hex(w, v);
	}
	take_back(w, ',');
	put(w, '}');
}

/* One element of what is no text, no bytes and no structure. */
static inline void json_scalar(struct pen *w, const struct pp_field *f, uint64_t v)
{
	if ((f->kind == PP_BITS || f->kind == PP_PARTS) && f->parts)
		json_parts(w, f->parts, v);
	else
		json_number(w, f, v);
}

static void json_array(struct pen *w, const struct pp_cursor *c)
{
	put(w, '[');
	for (uint32_t i = 0; i < c->count; i++) {
		need(w, STEP);
		json_scalar(w, c->field, element(c, i));
		put(w, ',');
	}
	take_back(w, ',');
	put(w, ']');
}

/* perf rounds the width of a text that has its length before it up to this. */
static bool is_odd_width(const struct pp_cursor *c, size_t length)
{
	const size_t unit = 64;

	return (c->field->kind == PP_LSTR || c->field->kind == PP_STRS) &&
	       c->count != (length / unit + 1) * unit;
}

static void json_width(struct pen *w, const struct pp_cursor *c, bool named)
{
	PUT(w, ",\"");
	if (named) {
		put_text(w, c->field->name);
		put(w, '_');
	}
	PUT(w, "size\":");
	put_dec(w, c->count);
	if (!named)
		put(w, '}');
}

/* Text goes as text only if the bytes can be told from it: with its width, where that is odd. */
static void json_text(struct pen *w, const struct pp_cursor *c, bool named)
{
	size_t length;
	const char *text = pp_walk_text(c, &length);
	const bool exact = all_zero(c->data + length, c->count - length);
	const bool plain = exact && length < STEP / 2 && pp_is_plain(text, length);
	const bool odd = exact && is_odd_width(c, length);

	if (plain || (exact && pp_is_utf8(text, length))) {
		if (named)
			json_name(w, c->field);
		else if (odd)
			PUT(w, "{\"text\":");
		if (plain) {
			put(w, '"');
			memcpy(w->p, text, length);
			w->p += length;
			put(w, '"');
		} else {
			pen_give(w);
			(void)pp_out_json_string(w->out, text, length);
			pen_take(w, w->out, STEP);
		}
		if (odd)
			json_width(w, c, named);
	} else {
		put(w, named ? '"' : '{');
		put_text(w, named ? c->field->name : "\"");
		put_text(w, named ? "_hex\":\"" : "hex\":\"");
		put_bytes(w, c->data, c->count);
		put(w, '"');
		if (!named)
			put(w, '}');
	}
}

static void json_value(struct pen *w, const struct pp_cursor *c, bool named)
{
	const struct pp_field *f = c->field;

	if (is_silent(c))
		return;
	if (is_text(f) || f->kind == PP_STRS) {
		json_text(w, c, named);
		put(w, ',');
		return;
	}
	if (named)
		json_name(w, f);
	if (f->kind == PP_BYTES) {
		put(w, '"');
		put_bytes(w, c->data, c->count);
		put(w, '"');
	} else if (c->array || c->count != 1) {
		json_array(w, c);
	} else {
		json_scalar(w, f, c->value);
	}
	put(w, ',');
}

/* A length, until what has it is shown. */
struct json_count {
	const struct pp_field *field;
	uint64_t value;
};

/* The length of a list is told by the list; where there is none after all, it is a field. */
static void json_lone_count(struct pen *w, struct json_count *count, bool lone)
{
	if (count->field && lone) {
		json_name(w, count->field);
		json_dec(w, count->value);
		put(w, ',');
	}
	count->field = NULL;
}

/* The fields that follow, up to the end of the structure that they stand in, which is that of
 * the record where the walk has just begun; 0, or -1 and c->error. */
static int json_fields(struct pen *w, struct pp_cursor *c)
{
	struct json_count count = { .field = NULL };
	uint32_t lists = 0;           /* a bit for each level: is it a list? */
	int depth = 0, token;

	while ((token = pp_walk_next(c)) > PP_END) {
		const bool named = !(lists & 1);

		need(w, STEP);
		if (count.field && (token == PP_CLOSE || c->field->by == count.field->set))
			json_lone_count(w, &count, token == PP_CLOSE);
		switch (token) {
		case PP_VALUE:
			if (c->field->counts && c->value) {
				count.field = c->field;
				count.value = c->value;
			}
			json_value(w, c, named);
			break;
		case PP_OPEN:
		case PP_LIST_OPEN:
			if (named)
				json_name(w, c->field);
			put(w, token == PP_OPEN ? '{' : '[');
			lists = lists << 1 | (token == PP_LIST_OPEN);
			depth++;
			break;
		default:
			take_back(w, ',');
			if (!depth--)
				return 0;
			put(w, token == PP_CLOSE ? '}' : ']');
			put(w, ',');
			lists >>= 1;
		}
	}
	json_lone_count(w, &count, true);
	take_back(w, ',');
	return token;
}

static const char *feature_name(const struct pp_record *rec)
{
	const struct pp_type *feature;
	uint64_t number;

	if (rec->type != PP_REC_HEADER_FEATURE || rec->size <= PP_HEADER_SIZE + sizeof(number) ||
	    !pp_find_feature(rec, &number) || number > UINT32_MAX)
		return NULL;
	feature = pp_feature((uint32_t)number);
	return feature ? feature->name : NULL;
}

static void json_envelope(struct pen *w, const struct pp_record *rec)
{
	const char *feature = feature_name(rec);
	char name[24];

	PUT(w, "{\"offset\":");
	json_dec(w, rec->offset);
	PUT(w, ",\"index\":");
	json_dec(w, rec->index);
	PUT(w, ",\"type\":\"");
	put_text(w, pp_type_name(rec->type, name));
	PUT(w, "\",\"misc\":");
	put_dec(w, rec->misc);
	PUT(w, ",\"size\":");
	put_dec(w, rec->size);
	if (feature) {
		PUT(w, ",\"feature\":\"");
		put_text(w, feature);
		put(w, '"');
	}
	if (rec->attr) {
		const char *event = rec->attr->name;
		const size_t length = strlen(event);

		PUT(w, ",\"event\":");
		if (length < 256 && pp_is_plain(event, length)) {
			put(w, '"');
			memcpy(w->p, event, length);
			w->p += length;
			put(w, '"');
		} else {
			pen_give(w);
			if (!pp_out_json_string(w->out, event, length))
				pp_out_text(w->out, "null");
			pen_take(w, w->out, STEP);
		}
	}
}

static void json_raw(struct pen *w, const struct pp_record *rec)
{
	PUT(w, ",\"raw\":\"");
	put_bytes(w, rec->data + PP_HEADER_SIZE, (size_t)rec->size - PP_HEADER_SIZE);
	PUT(w, "\"}\n");
}

static int print_json(struct pp_out *out, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_cursor c;
	struct pen w;
	int damaged;
	size_t fields;

	pen_take(&w, out, PAGE);
	json_envelope(&w, rec);
	need(&w, PAGE);               /* an event's name can be long */
	if (!pp_type(rec->type)) {
		json_raw(&w, rec);
		pen_give(&w);
		return 0;
	}
	/* A damaged record has no fields: those of a small one are taken back, while a large
	 * one, whose first ones may have been written out by then, is looked through before. */
	damaged = rec->size > SMALL ? pp_check(rec, &c.error) : 0;
	fields = (size_t)(w.p - out->buf);
	if (!damaged) {
		PUT(&w, ",\"fields\":{");
		pp_walk(&c, rec);
		damaged = json_fields(&w, &c);
		PUT(&w, "}}\n");
	}
	if (damaged) {
		w.p = out->buf + fields;
		PUT(&w, ",\"damaged\":true");
		json_raw(&w, rec);
		if (error)
			*error = c.error;
	}
	pen_give(&w);
	return damaged ? -1 : 0;
}

/* The same for a record in the other byte order. */
static int print_json_foreign(struct pp_out *out, const struct pp_record *rec,
			      struct pp_error *error)
{
	uint8_t copy[PP_RECORD_MAX];
	struct pp_record host;
	struct pen w;

	if (!in_host_order(&host, rec, copy, error))
		return print_json(out, &host, error);
	host = *rec;
	host.attr = NULL;
	pen_take(&w, out, PAGE);
	json_envelope(&w, &host);
	PUT(&w, ",\"damaged\":true");
	json_raw(&w, rec);
	pen_give(&w);
	return -1;
}

int pp_print_json(struct pp_out *out, const struct pp_record *rec, struct pp_error *error)
{
	return rec->foreign ? print_json_foreign(out, rec, error) : print_json(out, rec, error);
}

int pp_print_json_struct(struct pp_out *out, const struct pp_record *rec, const char *name)
{
	struct pp_cursor c;
	struct pen w;
	int token = pp_check(rec, NULL);

	pen_take(&w, out, STEP);
	put(&w, '{');
	if (!token) {
		pp_walk(&c, rec);
		while ((token = pp_walk_next(&c)) > PP_END)
			if (token == PP_OPEN && !strcmp(c.field->name, name))
				break;
		if (token > PP_END)
			token = json_fields(&w, &c);
	}
	put(&w, '}');
	pen_give(&w);
	return token;
}

void pp_print_json_start(struct pp_out *out, const char *schema)
{
	static const uint16_t one = 1;
	uint8_t first;

	memcpy(&first, &one, 1);
	pp_out_text(out, "{\"schema\":\"");
	pp_out_text(out, schema);
	pp_out_text(out, "\",\"magic\":\"PERFILE2\",\"byte_order\":\"");
	pp_out_text(out, first ? "little" : "big");
	pp_out_text(out, "\"}\n");
}

void pp_print_json_tail(struct pp_out *out, const void *data, size_t size)
{
	const size_t most = 65536;
	const uint8_t *p = data;

	while (size) {
		const size_t n = size < most ? size : most;

		pp_out_text(out, "{\"tail\":\"");
		pp_out_hex_bytes(out, p, n);
		pp_out_text(out, "\"}\n");
		p += n;
		size -= n;
	}
}

/* ---- text ---- */

/* In quotes, everything printable; \xNN for the rest, and for quotes and backslashes. */
static void text_string(struct pen *w, const char *text, size_t length)
{
	put(w, '"');
	while (length) {
		size_t n = length < STEP / 2 ? length : STEP / 2;

		need(w, STEP);
		if (pp_is_plain(text, n)) {
			memcpy(w->p, text, n);
			w->p += n;
		} else if (*text == '"' || *text == '\\') {
			n = 1;
			PUT(w, "\\x");
			w->p = pp_put_hex_bytes(w->p, (const uint8_t *)text, 1);
		} else {
			n = pp_utf8(text, length);
			n = n ? n : 1;
			pen_give(w);
			pp_out_printable(w->out, text, n);
			pen_take(w, w->out, STEP);
		}
		text += n;
		length -= n;
	}
	put(w, '"');
}

static inline void text_number(struct pen *w, const struct pp_field *f, uint64_t v)
{
	if (f->show == PP_HEX) {
		put_hex(w, v);
	} else if (f->show == PP_TIME) {
		w->p = pp_put_time(w->p, v);
	} else if (is_signed(f)) {
		put_signed(w, v);
	} else if (f->kind == PP_F64) {
		double d;

		memcpy(&d, &v, sizeof(d));
		pen_give(w);
		pp_out_double(w->out, d);
		pen_take(w, w->out, STEP);
	} else {
		put_dec(w, v);
	}
}

/* Bits by name, wider parts as name=value, what has no name as hex. */
static void text_parts(struct pen *w, const struct pp_part *part, uint64_t v)
{
	uint64_t left = v;

	put(w, '{');
	for (; left && part->width; part++) {
		const uint64_t mask = part_mask(part) << part->bit;

		if (!(left & mask))
			continue;
		put_text(w, part->name);
		if (part->width > 1) {
			put(w, '=');
			put_dec(w, (left & mask) >> part->bit);
		}
		put(w, ' ');
		left &= ~mask;
	}
	if (left)
		put_hex(w, left);
	take_back(w, ' ');
	put(w, '}');
}

static inline void text_scalar(struct pen *w, const struct pp_field *f, uint64_t v)
{
	if (!f->parts) {
		text_number(w, f, v);
	} else {
		if (f->kind != PP_BITS && f->kind != PP_PARTS)
			text_number(w, f, v);
		text_parts(w, f->parts, v);
	}
}

static void text_array(struct pen *w, const struct pp_cursor *c)
{
	put(w, '[');
	for (uint32_t i = 0; i < c->count; i++) {
		need(w, STEP);
		text_scalar(w, c->field, element(c, i));
		put(w, ' ');
	}
	take_back(w, ' ');
	put(w, ']');
}

static void text_value(struct pen *w, const struct pp_cursor *c, bool abridge)
{
	const struct pp_field *f = c->field;

	if (is_text(f) || f->kind == PP_STRS) {
		size_t length;
		const char *text = pp_walk_text(c, &length);

		text_string(w, text, length);
	} else if (f->kind == PP_BYTES) {
		const bool cut = abridge && c->count > ABRIDGED;

		put_bytes(w, c->data, cut ? SHOWN : c->count);
		if (cut) {
			PUT(w, "...(");
			put_dec(w, c->count);
			PUT(w, "_bytes)");
		}
	} else if (c->array || c->count != 1) {
		text_array(w, c);
	} else {
		text_scalar(w, f, c->value);
	}
}

/* How the fields of a record are laid out. */
struct layout {
	bool lines;                   /* a field a line; elements of lists are a line each */
	uint64_t time;                /* said already; 0 for none */
	uint32_t lists;               /* a bit for each level: is it a list? */
	unsigned depth, element;      /* levels that are open; the one of the element, or 0 */
};

static void indent(struct pen *w, const struct layout *l)
{
	const size_t n = 2 * (size_t)(l->depth + 1);

	memset(w->p, ' ', n);
	w->p += n;
}

/* "name=" or, at the start of a line, "name   "; nothing in a list. */
static inline void text_name(struct pen *w, const struct layout *l, const struct pp_field *f)
{
	const bool named = !(l->lists & 1);
	const char *start;

	if (!l->lines || l->element) {
		if (named) {
			put_text(w, f->name);
			put(w, '=');
		}
		return;
	}
	indent(w, l);
	if (!named)
		return;
	start = w->p;
	put_text(w, f->name);
	do
		put(w, ' ');
	while (w->p - start < 18);
}

static inline void text_separator(struct pen *w, const struct layout *l)
{
	put(w, l->lines && !l->element ? '\n' : ' ');
}

static void text_open(struct pen *w, struct layout *l, const struct pp_field *f, bool list)
{
	text_name(w, l, f);
	if (!l->lines || l->element) {
		put(w, list ? '[' : '{');
	} else if (!(l->lists & 1)) {
		while (w->p[-1] == ' ')
			w->p--;
		put(w, '\n');
	}
	l->depth++;
	if (l->lists & 1 && !l->element)
		l->element = l->depth;
	l->lists = l->lists << 1 | list;
}

static void text_close(struct pen *w, struct layout *l, bool list)
{
	l->lists >>= 1;
	if (l->lines && !l->element) {
		l->depth--;
		return;
	}
	take_back(w, ' ');
	if (l->element == l->depth--) {
		l->element = 0;
		if (l->lines) {
			put(w, '\n');
			return;
		}
	}
	put(w, list ? ']' : '}');
	put(w, ' ');
}

static int text_fields(struct pen *w, struct pp_cursor *c, struct layout *l)
{
	int token;

	while ((token = pp_walk_next(c)) > PP_END) {
		need(w, STEP);
		switch (token) {
		case PP_VALUE:
			if (is_silent(c) || (l->time && c->field->show == PP_TIME && c->value == l->time))
				break;
			text_name(w, l, c->field);
			text_value(w, c, !l->lines);
			text_separator(w, l);
			break;
		case PP_OPEN:
		case PP_LIST_OPEN:
			text_open(w, l, c->field, token == PP_LIST_OPEN);
			break;
		default:
			text_close(w, l, token == PP_LIST_CLOSE);
		}
	}
	return token;
}

/* The next column: at least `width` characters since `start`, and a blank. */
static void fill(struct pen *w, const char *start, size_t width)
{
	do
		put(w, ' ');
	while ((size_t)(w->p - start) <= width);
}

static void text_event(struct pen *w, const char *name)
{
	const size_t length = strlen(name);

	if (length < STEP / 4 && pp_is_plain(name, length) && !strchr(name, ' '))
		put_text(w, name);
	else
		text_string(w, name, length);
}

/* Offset, type, time, event or feature: four columns, "-" where there is nothing to say. */
static void text_columns(struct pen *w, const struct pp_record *rec, uint64_t time)
{
	const char *event = rec->attr ? rec->attr->name : feature_name(rec);
	const char *start = w->p;
	char name[24], number[PP_TIME_MAX] = "-";
	size_t n = 1;

	put_hex(w, rec->offset);
	fill(w, start, 10);
	start = w->p;
	put_text(w, pp_type_name(rec->type, name));
	if (time)
		n = (size_t)(pp_put_time(number, time) - number);
	/* right-aligned, also behind a long name where there is room */
	fill(w, start, 30 - n);
	memcpy(w->p, number, n);
	w->p += n;
	put(w, ' ');
	start = w->p;
	text_event(w, event ? event : "-");
	if (w->p - start <= 12)
		fill(w, start, 12);
	else
		put(w, ' ');
}

static void text_misc(struct pen *w, const struct pp_record *rec, bool lines)
{
	if (lines) {
		PUT(w, "index=");
		put_dec(w, rec->index);
		put(w, ' ');
	}
	PUT(w, "misc=");
	put_hex(w, rec->misc);
	PUT(w, " size=");
	put_dec(w, rec->size);
	if (rec->tail) {
		PUT(w, " tail=");
		put_dec(w, rec->tail);
	}
	put(w, lines ? '\n' : ' ');
}

/* What is wrong, without the place, which stands at the start of the line. */
static void text_damage(struct pen *w, const struct pp_error *error, bool lines)
{
	struct pp_error bare = *error;
	char text[300];

	bare.located = false;
	(void)pp_error_text(&bare, text, sizeof(text));
	need(w, STEP);
	PUT(w, "  ");
	w->p -= lines ? 0 : 2;
	PUT(w, "DAMAGED=");
	text_string(w, text, strlen(text));
	put(w, ' ');
}

/* "  0010  00 01 ...  |..|": offsets within the record. */
static void text_hexdump(struct pen *w, const uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size; at += 16) {
		const size_t n = size - at < 16 ? size - at : 16;
		const uint8_t place[2] = { (uint8_t)(at >> 8), (uint8_t)at };

		need(w, STEP);
		PUT(w, "  ");
		w->p = pp_put_hex_bytes(w->p, place, 2);
		put(w, ' ');
		memset(w->p, ' ', 51);
		for (size_t i = 0; i < n; i++)
			(void)pp_put_hex_bytes(w->p + 1 + 3 * i + (i >= 8), data + at + i, 1);
		w->p += 51;
		put(w, '|');
		for (size_t i = 0; i < n; i++)
			put(w, data[at + i] < ' ' || data[at + i] > '~' ? '.' : (char)data[at + i]);
		PUT(w, "|\n");
	}
}

/* The fields of a record in our order, or `damage` where it could not be put in it. */
static int print_text(struct pp_out *out, const struct pp_record *rec, unsigned how,
		      const struct pp_error *damage, struct pp_error *error)
{
	struct layout l = { .lines = how & PP_PRINT_LONG };
	struct pp_cursor c;
	struct pen w;
	uint64_t time;
	int damaged = 0;

	pen_take(&w, out, PAGE);
	if (rec->foreign || !pp_time(rec, &time))
		time = 0;
	text_columns(&w, rec, time);
	text_misc(&w, rec, l.lines);
	if (!l.lines)
		l.time = time;
	if (damage) {
		c.error = *damage;
		damaged = -1;
	} else if (pp_type(rec->type)) {
		pp_walk(&c, rec);
		damaged = text_fields(&w, &c, &l);
	} else {
		PUT(&w, "raw=");
		put_bytes(&w, rec->data + PP_HEADER_SIZE, (size_t)rec->size - PP_HEADER_SIZE);
	}
	if (damaged) {
		text_damage(&w, &c.error, l.lines);
		if (error)
			*error = c.error;
	}
	take_back(&w, ' ');
	if (w.p[-1] != '\n')
		put(&w, '\n');
	pen_give(&w);
	return damaged ? -1 : 0;
}

static int print_text_foreign(struct pp_out *out, const struct pp_record *rec, unsigned how,
			      struct pp_error *error)
{
	uint8_t copy[PP_RECORD_MAX];
	struct pp_error damage = { .code = PP_OK };
	struct pp_record host;

	if (!in_host_order(&host, rec, copy, &damage))
		return print_text(out, &host, how, NULL, error);
	return print_text(out, rec, how, &damage, error);
}

int pp_print_text(struct pp_out *out, const struct pp_record *rec, unsigned how,
		  struct pp_error *error)
{
	const int damaged = rec->foreign ? print_text_foreign(out, rec, how, error) :
					   print_text(out, rec, how, NULL, error);

	if (how & PP_PRINT_BYTES) {
		struct pen w;

		pen_take(&w, out, STEP);
		text_hexdump(&w, rec->data, rec->size);
		pen_give(&w);
	}
	return damaged;
}
