/*
 * print_json.c - one record as a line of JSON, by walking it.  What a record holds is known to the
 * tables alone; how single numbers and texts look, to format_number.h and text_output.c.  Members
 * go through the pen, not through json_writer.c, which asks for room for each piece: printing is nothing
 * else.
 */
#include "text/fast_output.h"
#include "text/print_internal.h"

static inline void json_name(struct pen *w, const struct pp_field *f)
{
	put(w, '"');
	put_text(w, f->name);
	PUT(w, "\":");
}

static inline void json_dec(struct pen *w, uint64_t v)
{
	if (pp_is_exact(v)) {
		put_dec(w, v);
		return;
	}
	put(w, '"');
	put_dec(w, v);
	put(w, '"');
}

static void json_signed(struct pen *w, uint64_t v)
{
	const bool quoted = v >> 63 && !pp_is_exact(-v);

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

/* Numbers that JSON has no word for are written as their bits. */
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

/* Text is shown as text only if the bytes follow from it: with its width, if that is unusual. */
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
		pp_pen_bytes(w, c->data, c->count);
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
	if (pp_is_text(f) || f->kind == PP_STRS) {
		json_text(w, c, named);
		put(w, ',');
		return;
	}
	if (named)
		json_name(w, f);
	if (f->kind == PP_BYTES) {
		put(w, '"');
		pp_pen_bytes(w, c->data, c->count);
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

/* The list shows its length; if there is no list, the length is a field. */
static void json_lone_count(struct pen *w, struct json_count *count, bool lone)
{
	if (count->field && lone) {
		json_name(w, count->field);
		json_dec(w, count->value);
		put(w, ',');
	}
	count->field = NULL;
}

/* The fields that follow, up to the end of the structure that they are in, which is that of
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

static void json_envelope(struct pen *w, const struct pp_record *rec)
{
	const char *feature = pp_pen_feature(rec);
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
	pp_pen_bytes(w, rec->data + PP_HEADER_SIZE, (size_t)rec->size - PP_HEADER_SIZE);
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

	if (!pp_pen_host_order(&host, rec, copy, error))
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

void pp_print_json_start(struct pp_out *out, const char *schema, const struct pp_stream *raw)
{
	struct pp_json j = { .out = out };
	const char *const order = (raw ? raw->big_endian : PP_HOST_BIG) ? "big" : "little";

	pp_json_open(&j, NULL, '{');
	(void)pp_json_text(&j, "schema", schema, strlen(schema));
	(void)pp_json_text(&j, "magic", raw && raw->version_1 ? "PERFFILE" : "PERFILE2", 8);
	(void)pp_json_text(&j, "byte_order", order, strlen(order));
	pp_json_close(&j, '}');
	pp_out_char(out, '\n');
}

void pp_print_json_tail(struct pp_out *out, const void *data, size_t size)
{
	const size_t most = 65536;
	const uint8_t *p = data;

	while (size) {
		const size_t n = size < most ? size : most;
		struct pp_json j = { .out = out };

		pp_json_open(&j, NULL, '{');
		pp_json_bytes(&j, "tail", p, n);
		pp_json_close(&j, '}');
		pp_out_char(out, '\n');
		p += n;
		size -= n;
	}
}
