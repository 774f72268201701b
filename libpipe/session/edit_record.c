/* edit_record.c - a text or a number of a record is replaced by another, as the tables say that it lies. */
#include <perfpipe/edit.h>

#include "format/format.h"

enum { NAME_ALIGN = 64 };       /* perf rounds the texts in features up to this */

/* ---- the field ---- */

static bool is_wanted(const struct pp_field *row, enum pp_meaning is, const char *name)
{
	return name ? !strcmp(row->name, name) : row->is == is;
}

/* The first text, or the first number, by its name or its meaning: 1, 0, or -1 and *error. */
static int find_edited(struct pp_cursor *c, const struct pp_record *rec, enum pp_meaning is, const char *name,
		       bool text, struct pp_error *error)
{
	int token;

	pp_walk(c, rec);
	while ((token = pp_walk_next(c)) > PP_END)
		if (token == PP_VALUE && is_wanted(c->field, is, name) &&
		    (text ? pp_is_text(c->field) : c->field->kind <= PP_PARTS && !c->array))
			return 1;
	if (token == PP_FAILED && error)
		*error = c->error;
	return token;
}

static int fail_at(const struct pp_record *rec, enum pp_code code, const char *detail, struct pp_error *error)
{
	(void)pp_fail(error, code, detail ? "%s" : NULL, detail);
	return pp_error_at(error, rec->offset, rec->index, rec->type);
}

/* ---- texts ---- */

/* Whether a structure around the field says how large it is. */
static bool is_in_sized(const struct pp_cursor *c)
{
	bool sized = false;

	for (int i = 0; i < c->own.depth; i++)
		sized |= c->own.frame[i].spans;
	return sized;
}

/* The bytes that a text takes in place of what is there; 0: it has to fit into these, and does not. */
static uint64_t width_of_text(const struct pp_cursor *c, const struct pp_record *rec, uint64_t length)
{
	const uint64_t at = (uint64_t)(c->data - rec->data);

	if (c->field->kind == PP_CHARS || is_in_sized(c))
		return pp_fits(length + 1, c->count) ? c->count : 0;
	if (c->field->kind == PP_LSTR)
		return (length + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
	return pp_align8(at + length + 1) - at;
}

static void replace_text(struct pp_record *rec, const struct pp_cursor *c, const char *text, size_t length,
			 size_t width, uint8_t *room)
{
	const size_t at = (size_t)(c->data - rec->data), after = at + c->count;

	if (rec->data != room)
		memcpy(room, rec->data, rec->size);
	memmove(room + at + width, room + after, rec->size - after);
	memcpy(room + at, text, length);
	memset(room + at + length, 0, width - length);
	if (c->field->kind == PP_LSTR)
		pp_store32(room + at - sizeof(uint32_t), (uint32_t)width);
	rec->data = room;
	rec->size = (uint16_t)(rec->size - c->count + width);
	pp_store16(room + 6, rec->size);
}

static int edit_text(struct pp_record *rec, enum pp_meaning is, const char *name, const char *text,
		     size_t most, uint8_t *room, struct pp_error *error)
{
	const size_t length = strnlen(text, most);
	struct pp_cursor c;
	uint64_t width;
	const int got = find_edited(&c, rec, is, name, true, error);

	if (got <= 0)
		return got;
	if (rec->beyond)
		return fail_at(rec, PP_E_USE, "it is longer than a record can be", error);
	if (pp_fits(length, PP_RECORD_MAX)) {
		width = width_of_text(&c, rec, length);
		if (!width) {
			(void)fail_at(rec, PP_E_FULL, NULL, error);
			return pp_error_room(error, c.field->name, length + 1, c.count);
		}
		if (pp_fits(rec->size - c.count + width, PP_RECORD_MAX)) {
			replace_text(rec, &c, text, length, width, room);
			return 1;
		}
	}
	(void)fail_at(rec, PP_E_FULL, NULL, error);
	return pp_error_room(error, c.field->name, length + 1, PP_RECORD_MAX - (rec->size - c.count));
}

int pp_edit_text(struct pp_record *rec, enum pp_meaning is, const char *text, size_t length,
		 uint8_t room[PP_RECORD_MAX + 1], struct pp_error *error)
{
	return edit_text(rec, is, NULL, text, length, room, error);
}

int pp_edit_named_text(struct pp_record *rec, const char *name, const char *text, size_t length,
		       uint8_t room[PP_RECORD_MAX + 1], struct pp_error *error)
{
	return edit_text(rec, PP_IS_NOTHING, name, text, length, room, error);
}

/* ---- numbers ---- */

static bool is_in_range(const struct pp_field *row, unsigned width, uint64_t value)
{
	uint8_t stored[sizeof(value)];

	pp_store_width(stored, width, value);
	return pp_kind_value(row->kind, stored) == value;
}

int pp_edit_number(struct pp_record *rec, enum pp_meaning is, uint64_t value, struct pp_error *error)
{
	struct pp_cursor c, again;
	const int got = find_edited(&c, rec, is, NULL, false, error);

	if (got <= 0)
		return got;
	if (!is_in_range(c.field, c.width, value))
		return fail_at(rec, PP_E_VALUE, c.field->name, error);
	if (c.field->set || c.field->spans)
		return fail_at(rec, PP_E_USE, "what follows hangs on this number", error);
	pp_store_width(c.data, c.width, value);
	if (find_edited(&again, rec, is, NULL, false, NULL) == 1 && again.data == c.data)
		return 1;
	pp_store_width(c.data, c.width, c.value);
	return fail_at(rec, PP_E_USE, "with this number the record would have another form", error);
}
