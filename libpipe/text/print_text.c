/*
 * print_text.c - one record as text, by walking it.  What a record holds is known to the tables
 * alone; how single numbers and texts look, to format_number.h and text_output.c.
 */
#include "text/fast_output.h"

enum {
	ABRIDGED = 512,               /* longer bytes are abridged where a record is a line */
	SHOWN    = 32,                /* to this many */
};

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

	if (pp_is_text(f) || f->kind == PP_STRS) {
		size_t length;
		const char *text = pp_walk_text(c, &length);

		text_string(w, text, length);
	} else if (f->kind == PP_BYTES) {
		const bool cut = abridge && c->count > ABRIDGED;

		pp_pen_bytes(w, c->data, cut ? SHOWN : c->count);
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
struct text_layout {
	bool lines;                   /* a field a line; elements of lists are a line each */
	uint64_t time;                /* said already; 0 for none */
	uint32_t lists;               /* a bit for each level: is it a list? */
	unsigned depth, element;      /* levels that are open; the one of the element, or 0 */
};

static void indent(struct pen *w, const struct text_layout *l)
{
	const size_t n = 2 * (size_t)(l->depth + 1);

	memset(w->p, ' ', n);
	w->p += n;
}

/* "name=" or, at the start of a line, "name   "; nothing in a list. */
static inline void text_name(struct pen *w, const struct text_layout *l, const struct pp_field *f)
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

static inline void text_separator(struct pen *w, const struct text_layout *l)
{
	put(w, l->lines && !l->element ? '\n' : ' ');
}

static void text_open(struct pen *w, struct text_layout *l, const struct pp_field *f, bool list)
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

static void text_close(struct pen *w, struct text_layout *l, bool list)
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

static int text_fields(struct pen *w, struct pp_cursor *c, struct text_layout *l)
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
	const char *event = rec->attr ? rec->attr->name : pp_pen_feature(rec);
	const char *start = w->p;
	char name[24], number[PP_TIME_MAX] = "-";
	size_t n = 1;

	put_hex(w, rec->offset);
	fill(w, start, 10);
	start = w->p;
	put_text(w, pp_type_name(rec->type, name));
	if (time)
		n = (size_t)(pp_put_time(number, time) - number);
	/* right-aligned, also after a long name if there is room */
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

/* What is wrong, without the place, which is at the start of the line. */
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

/* Those of its notes that are no longer than what is shown of bytes, besides their bytes. */
static void text_notes(struct pen *w, const struct pp_record *rec, bool lines)
{
	struct pp_note note;
	size_t at = 0;

	while (pp_note_next(rec, &at, &note)) {
		if (!note.key_length || note.key_length + note.value_length > ABRIDGED)
			continue;
		need(w, STEP);
		if (lines)
			PUT(w, "  note              ");
		else
			PUT(w, "note=");
		text_string(w, note.key, note.key_length);
		put(w, ':');
		text_string(w, note.value, note.value_length);
		put(w, lines ? '\n' : ' ');
	}
}

/* Names in a file: one line in all, or one for each address. */
static void text_names_of(struct pen *w, const struct pp_named_file *names, bool lines)
{
	struct pp_named named;
	struct pp_named_frame frame;

	need(w, STEP);
	PUT(w, "names=");
	put_dec(w, names->count);
	PUT(w, " of ");
	text_string(w, names->path, strlen(names->path));
	put(w, lines ? '\n' : ' ');
	for (uint32_t i = 0; lines && i < names->count; i++) {
		pp_names_at(names, i, &named);
		for (uint32_t n = 0; n < named.count; n++) {
			pp_names_frame(names, named.frame + n, &frame);
			need(w, STEP);
			PUT(w, "  name              ");
			put_hex(w, named.offset);
			put(w, ' ');
			text_string(w, frame.symbol, strnlen(frame.symbol, ABRIDGED));
			if (frame.inlined)
				PUT(w, " (inlined)");
			if (*frame.file) {
				put(w, ' ');
				text_string(w, frame.file, strnlen(frame.file, ABRIDGED));
				put(w, ':');
				put_dec(w, frame.line);
			}
			put(w, '\n');
		}
	}
}

static void text_names(struct pen *w, const struct pp_record *rec, bool lines)
{
	struct pp_named_file names;

	if (pp_names_open(&names, rec, NULL))
		return;
	do
		text_names_of(w, &names, lines);
	while (pp_names_next(&names, NULL) > 0);
}

/* What a part of an index, or its root, says. */
static void text_index(struct pen *w, const struct pp_record *rec, bool lines)
{
	const char *const label = lines ? "  index             " : "index=";
	const char end = lines ? '\n' : ' ';
	struct pp_index_root root;
	uint32_t number, bytes;

	need(w, STEP);
	if (pp_index_part_of(rec, &number, &bytes)) {
		put_text(w, label);
		PUT(w, "part:");
		put_dec(w, number);
		PUT(w, ",bytes:");
		put_dec(w, bytes);
		put(w, end);
	} else if (pp_index_root_of(rec, &root)) {
		const struct { const char *name; uint64_t value; } said[] = {
			{ "section:", root.section }, { ",seal:", root.seal }, { ",head:", root.head },
			{ ",first:", root.first }, { ",last:", root.last }, { ",samples:", root.samples },
			{ ",lost:", root.lost }, { ",version:", root.version }, { ",flags:", root.flags },
			{ ",blocks:", root.blocks }, { ",states:", root.states },
			{ ",body:", root.body }, { ",states_at:", root.states_at },
		};

		put_text(w, label);
		for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
			need(w, STEP);
			put_text(w, said[i].name);
			put_dec(w, said[i].value);
		}
		put(w, end);
	}
}

/* The fields of a record in our order, or `damage` where it could not be put in it. */
static int print_text(struct pp_out *out, const struct pp_record *rec, unsigned how,
		      const struct pp_error *damage, struct pp_error *error)
{
	struct text_layout l = { .lines = how & PP_PRINT_LONG };
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
		if (pp_is_note(rec))
			text_notes(&w, rec, l.lines);
		else if (pp_is_names(rec))
			text_names(&w, rec, l.lines);
		else if (pp_is_index(rec))
			text_index(&w, rec, l.lines);
	} else {
		PUT(&w, "raw=");
		pp_pen_bytes(&w, rec->data + PP_HEADER_SIZE, (size_t)rec->size - PP_HEADER_SIZE);
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

	if (!pp_pen_host_order(&host, rec, copy, &damage))
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
