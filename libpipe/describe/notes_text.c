/* notes_text.c - the notes of a stream as text and as JSON. */
#include "describe/describe.h"

/* How notes are written: as lines of text, or as objects in a list. */
struct style {
	void (*key)(struct pp_json *, const struct pp_note *);      /* NULL: not written */
	void (*value)(struct pp_json *, const struct pp_note *);
	void (*end)(struct pp_json *);
};

/* Notes on their way out. */
struct notes {
	struct pp_json *j;
	const struct style *style;
	const char *key;              /* those with this key only; NULL: all */
	bool continued, written;      /* the last one: its value continues; it was written */
	size_t count;                 /* of those that were written */
};

static bool is_wanted(const struct notes *notes, const struct pp_note *note)
{
	return !notes->key || (strlen(notes->key) == note->key_length &&
			       !memcmp(notes->key, note->key, note->key_length));
}

static void write_note(struct notes *notes, const struct pp_note *note)
{
	if (!notes->continued) {
		notes->written = is_wanted(notes, note);
		if (notes->written && notes->style->key)
			notes->style->key(notes->j, note);
		notes->count += notes->written;
	}
	notes->continued = note->continues;
	if (notes->written)
		notes->style->value(notes->j, note);
	if (notes->written && !note->continues)
		notes->style->end(notes->j);
}

/* How many were written. */
static size_t write_notes(const struct pp_features *f, struct pp_json *j, const struct style *style,
			  const char *key)
{
	struct notes notes = { .j = j, .style = style, .key = key };

	for (size_t i = 0; i < f->notes.count; i++) {
		struct pp_record rec;
		struct pp_note note;
		size_t at = 0;

		pp_head_record(&rec, &f->notes.items[i], NULL);
		while (pp_note_next(&rec, &at, &note))
			write_note(&notes, &note);
	}
	if (notes.continued && notes.written) /* a value that is not continued ends here */
		style->end(j);
	return notes.count;
}

/* ---- as text ---- */

static void text_key(struct pp_json *j, const struct pp_note *note)
{
	pp_out_text(j->out, "# note : ");
	pp_out_printable(j->out, note->key, note->key_length);
	pp_out_text(j->out, " = ");
}

static void text_value(struct pp_json *j, const struct pp_note *note)
{
	pp_out_printable(j->out, note->value, note->value_length);
}

static void text_end(struct pp_json *j)
{
	pp_out_char(j->out, '\n');
}

size_t pp_head_notes_text(const struct pp_features *f, const char *key, struct pp_out *out)
{
	const struct style style = { key ? NULL : text_key, text_value, text_end };
	struct pp_json j = { .out = out };

	return write_notes(f, &j, &style, key);
}

bool pp_features_values(const struct pp_features *f, const char *key, struct pp_out *out)
{
	return pp_head_notes_text(f, key, out) > 0;
}

/* ---- as JSON ---- */

void pp_head_json_text(struct pp_json *j, const char *name, const char *text, size_t length)
{
	if (pp_json_text(j, name, text, length))
		return;
	pp_json_open(j, name, '{');
	pp_json_bytes(j, "hex", text, length);
	pp_json_close(j, '}');
}

static void json_key(struct pp_json *j, const struct pp_note *note)
{
	pp_json_open(j, NULL, '{');
	pp_head_json_text(j, "key", note->key, note->key_length);
	pp_json_open(j, "value", '[');
}

/* A value that spans records is a list of pieces: each is UTF-8, or not, for itself. */
static void json_value(struct pp_json *j, const struct pp_note *note)
{
	pp_head_json_text(j, NULL, note->value, note->value_length);
}

static void json_end(struct pp_json *j)
{
	pp_json_close(j, ']');
	pp_json_close(j, '}');
}

void pp_head_notes_json(const struct pp_features *f, struct pp_json *j)
{
	static const struct style style = { json_key, json_value, json_end };

	pp_json_open(j, "notes", '[');
	(void)write_notes(f, j, &style, NULL);
	pp_json_close(j, ']');
}
