/*
 * walk.c - steps through a record field by field as the tables say: the one place that turns numbers
 * found in the input into places, and that changes byte order.
 */
#include <limits.h>

#include "format/format.h"

enum { FIELDS, TRAILER, DONE };       /* stages of a walk */

/* ---- byte order ---- */

/* C bit-fields fill a word from its low end on one kind of producer and from its high end on
 * the other: each part keeps its value and moves to the mirrored place. */
static uint64_t mirror(uint64_t word, const struct pp_part *part, bool to_host)
{
	uint64_t out = 0;

	for (; part && part->name; part++) {
		const uint64_t mask = part->width == 64 ? UINT64_MAX : (UINT64_C(1) << part->width) - 1;
		const unsigned here = part->bit, there = 64 - part->bit - part->width;

		out |= (word >> (to_host ? there : here) & mask) << (to_host ? here : there);
	}
	return out;
}

/* Changes the order of one element in place; returns its value in host order. */
static uint64_t reorder(uint8_t *p, unsigned width, const struct pp_field *row, enum pp_order order)
{
	const uint64_t found = pp_load_width(p, width);
	const bool bits = row->kind == PP_BITS;

	if (order == PP_TO_HOST) {
		uint64_t v = pp_swap_width(found, width);

		if (bits)
			v = mirror(v, row->parts, true);
		pp_store_width(p, width, v);
		return v;
	}
	pp_store_width(p, width, pp_swap_width(bits ? mirror(found, row->parts, false) : found, width));
	return found;
}

/* ---- failing ---- */

static int fail(struct pp_cursor *c, const struct pp_field *row, enum pp_code code,
		uint64_t need, uint64_t have)
{
	pp_fail(&c->error, code, NULL);
	pp_error_at(&c->error, c->own.rec->offset, c->own.rec->index, c->own.rec->type);
	pp_error_room(&c->error, row->name, need, have);
	c->own.depth = 0;
	c->own.stage = DONE;
	return -1;
}

static uint64_t times(uint64_t n, uint64_t width)
{
	return width && n > UINT64_MAX / width ? UINT64_MAX : n * width;
}

/* ---- frames ---- */

static int push_frame(struct pp_cursor *c, const struct pp_field *owner, const struct pp_field *rows,
		      uint64_t elements, bool list, uint8_t *end)
{
	struct pp_walk_frame *f;

	if (c->own.depth == PP_DEPTH)
		return fail(c, owner, PP_E_VALUE, 0, 0);
	f = &c->own.frame[c->own.depth++];
	f->owner = owner;
	f->row = f->rows = rows;
	f->start = c->own.at;
	f->end = end;
	f->left = elements > UINT32_MAX ? UINT32_MAX : (uint32_t)elements;
	f->list = list;
	f->spans = false;
	return 0;
}

static inline uint64_t left_in(const struct pp_cursor *c, const struct pp_walk_frame *f)
{
	return (uint64_t)(f->end - c->own.at);
}

/* How many elements a row has, or bytes where it is opaque. */
static uint64_t elements_to_walk(const struct pp_cursor *c, const struct pp_walk_frame *f,
				 const struct pp_field *row, unsigned width)
{
	return pp_row_count(row, c->own.reg, left_in(c, f) / (width ? width : 1));
}

/* ---- values ---- */

static int value(struct pp_cursor *c, const struct pp_field *row, uint64_t count, uint8_t width)
{
	c->field = row;
	c->data = c->own.at;
	c->count = (uint32_t)count;
	c->width = width;
	c->own.at += count * width;
	return PP_VALUE;
}

static int text(struct pp_cursor *c, const struct pp_walk_frame *f, const struct pp_field *row)
{
	const uint64_t left = left_in(c, f);
	uint64_t width = left;

	c->array = false;
	if (row->kind == PP_LSTR) {
		uint64_t length;

		if (!pp_fits(4, left))
			return fail(c, row, PP_E_FIELD, 4, left);
		length = c->own.order == PP_HOST ? pp_load32(c->own.at)
			: reorder(c->own.at, 4, &(struct pp_field){ .kind = PP_U32 }, c->own.order);
		c->own.at += 4;
		if (!pp_fits(length, left - 4))
			return fail(c, row, PP_E_FIELD, length, left - 4);
		return value(c, row, length, 1);
	}
	if (row->kind == PP_CHARS) {
		width = elements_to_walk(c, f, row, 1);
		if (!pp_fits(width, left))
			return fail(c, row, PP_E_FIELD, width, left);
		return value(c, row, width, 1);
	}
	{
		const uint8_t *nul = left ? memchr(c->own.at, 0, left) : NULL;

		if (!nul)
			return fail(c, row, PP_E_FIELD, left + 1, left);
		if (row->kind == PP_STR8) {
			width = pp_align8((uint64_t)(nul + 1 - c->own.rec->data)) -
				(uint64_t)(c->own.at - c->own.rec->data);
			if (!pp_fits(width, left))
				width = left;
		}
	}
	return value(c, row, width, 1);
}

/* The value of a SPANS field is the size of the structure around it. */
static int span(struct pp_cursor *c, struct pp_walk_frame *f, const struct pp_field *row)
{
	const uint64_t size = c->value ? c->value : 64;
	const uint64_t taken = (uint64_t)(c->own.at - f->start), room = (uint64_t)(f->end - f->start);

	if (f->spans)
		return 0;
	if (size < taken)
		return fail(c, row, PP_E_VALUE, taken, size);
	if (!pp_fits(size, room))
		return fail(c, row, PP_E_FIELD, size, room);
	f->end = f->start + size;
	f->spans = true;
	return 0;
}

static bool all_zero(const uint8_t *p, uint64_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* Scalars.  Returns PP_VALUE, -1, or 0 where there is nothing to show. */
static int scalar(struct pp_cursor *c, struct pp_walk_frame *f, const struct pp_field *row)
{
	const unsigned width = pp_kind_width[row->kind];
	const uint64_t n = elements_to_walk(c, f, row, width), left = left_in(c, f);

	if (!pp_fits_n(n, width, left))
		return fail(c, row, PP_E_FIELD, times(n, width), left);
	c->array = pp_is_array(row);
	c->value = 0;
	if (c->own.order != PP_HOST && n) {
		c->value = reorder(c->own.at, width, row, c->own.order);
		for (uint64_t i = 1; i < n; i++)
			reorder(c->own.at + i * width, width, row, c->own.order);
	} else if (n) {
		c->value = pp_load_width(c->own.at, width);
	}
	if (row->kind == PP_S32)
		c->value = (uint64_t)(int32_t)c->value;
	value(c, row, n, (uint8_t)width);
	if (row->set)
		c->own.reg[row->set] = c->value;
	if (row->spans && span(c, f, row) < 0)
		return -1;
	return row->quiet && all_zero(c->data, n * width) ? 0 : PP_VALUE;
}

/* A row whose condition holds: a token, -1, or 0 where there is nothing to show. */
static int take(struct pp_cursor *c, struct pp_walk_frame *f, const struct pp_field *row)
{
	uint64_t n;

	switch (row->kind) {
	case PP_CHARS: case PP_STR: case PP_STR8: case PP_LSTR:
		return text(c, f, row);
	case PP_BYTES:
		n = elements_to_walk(c, f, row, 1);
		if (!pp_fits(n, left_in(c, f)))
			return fail(c, row, PP_E_FIELD, n, left_in(c, f));
		c->array = false;
		return value(c, row, n, 1) && (n || !row->rest) ? PP_VALUE : 0;
	case PP_LOOK:
		c->own.reg[row->set] = pp_look(c->own.at, left_in(c, f));
		return 0;
	case PP_ONE: {
		const uint64_t number = c->own.reg[PP_R_FEATURE];
		const struct pp_type *feature = row->feature ? pp_feature((uint32_t)number) : NULL;
		uint8_t *end = f->end;

		if (row->feature && (!feature || number > UINT32_MAX))
			return 0;
		if (row->by) {
			n = c->own.reg[row->by];
			if (!pp_fits(n, left_in(c, f)))
				return fail(c, row, PP_E_FIELD, n, left_in(c, f));
			end = c->own.at + n;
		}
		if (push_frame(c, row, feature ? feature->fields : row->of, 1, false, end) < 0)
			return -1;
		c->own.frame[c->own.depth - 1].spans = row->by != 0;
		c->field = row;
		return PP_OPEN;
	}
	case PP_LIST: case PP_STRS:
		n = row->rest ? UINT32_MAX : elements_to_walk(c, f, row, 0);
		/* each element has a byte at least, so that a loop is bounded by the record */
		if (!row->rest && !pp_fits(n, left_in(c, f)))
			return fail(c, row, PP_E_FIELD, n, left_in(c, f));
		if (push_frame(c, row, row->of, n, true, f->end) < 0)
			return -1;
		c->field = row;
		c->count = row->rest ? 0 : (uint32_t)n;
		return PP_LIST_OPEN;
	default:
		return scalar(c, f, row);
	}
}

/* The next element of a list, or its end. */
static int list_next(struct pp_cursor *c, struct pp_walk_frame *f)
{
	if (!f->left || (f->owner->rest && c->own.at == f->end)) {
		c->own.depth--;
		c->field = f->owner;
		return PP_LIST_CLOSE;
	}
	f->left--;
	c->field = f->owner;
	if (f->owner->kind == PP_STRS)
		return text(c, f, &(struct pp_field){ .kind = PP_LSTR, .name = f->owner->name }) < 0 ? -1 :
			(c->field = f->owner, PP_VALUE);
	if (push_frame(c, f->owner, f->owner->of, 1, false, f->end) < 0)
		return -1;
	return PP_OPEN;
}

/* Bytes up to the frame's end that no row covered: shown unless they are zero. */
static int rest(struct pp_cursor *c, struct pp_walk_frame *f)
{
	const uint64_t left = left_in(c, f);

	if (!left || all_zero(c->own.at, left)) {
		c->own.at = f->end;
		return 0;
	}
	c->array = false;
	return value(c, &pp_field_rest, left, 1);
}

static uint8_t trailer_of(const struct pp_record *rec)
{
	const struct pp_attr *first;

	if (rec->attr && rec->type != PP_REC_SAMPLE && rec->type < PP_USER_TYPES)
		return rec->attr->plan.trailer;
	if (rec->type < PP_USER_TYPES || !rec->attrs || !pp_attrs_count(rec->attrs))
		return 0;
	first = pp_attrs_at(rec->attrs, 0);
	return first ? first->plan.trailer : 0;
}

/* The rows of the outermost frame are through: what was not covered, then the trailer. */
static int outermost(struct pp_cursor *c, struct pp_walk_frame *f)
{
	const struct pp_type *type = pp_type(c->own.rec->type);
	const uint8_t trailer = trailer_of(c->own.rec);
	uint8_t *const end = c->own.rec->data + c->own.rec->size + c->own.rec->beyond;
	const struct pp_attr *attr = c->own.rec->attr;
	const struct pp_field *rows = attr && attr->trailer_fields ? attr->trailer_fields
								   : pp_sample_id_fields;

	if (type && type->words & PP_TRAILS && trailer && left_in(c, f) == trailer) {
		attr = pp_attrs_at(c->own.rec->attrs, 0);
		rows = attr->trailer_fields ? attr->trailer_fields : rows;
		c->own.reg[PP_R_SAMPLE_TYPE] = attr->sample_type;
		f->end = c->own.at;
	} else if (rest(c, f) == PP_VALUE) {
		return PP_VALUE;
	}
	c->own.depth--;
	if (f->end == end) {
		c->own.stage = DONE;
		return PP_END;
	}
	c->own.stage = TRAILER;
	c->own.at = f->end;
	if (push_frame(c, &pp_field_sample_id, rows, 1, false, end) < 0)
		return -1;
	c->field = &pp_field_sample_id;
	return PP_OPEN;
}

void pp_walk(struct pp_cursor *c, const struct pp_record *rec)
{
	static const struct pp_field none[] = { { 0 } };
	const struct pp_type *type = pp_type(rec->type);
	const struct pp_attr *attr = rec->attr;
	const struct pp_field *rows = type ? type->fields : none;
	uint64_t body = (uint64_t)rec->size + rec->beyond - PP_HEADER_SIZE;

	memset(c->own.reg, 0, sizeof(c->own.reg));
	c->error.code = PP_OK;
	c->own.rec = rec;
	c->own.order = PP_HOST;
	c->own.depth = 0;
	c->own.stage = FIELDS;
	c->own.at = rec->data + PP_HEADER_SIZE;
	c->array = false;
	c->own.reg[PP_R_MISC] = rec->misc;
	if (attr) {
		pp_event_registers(c->own.reg, attr);
		if (rec->type == PP_REC_SAMPLE && attr->sample_fields)
			rows = attr->sample_fields;
	}
	if (rec->type == PP_REC_HEADER_FEATURE && rec->attrs) {
		c->own.reg[PP_R_CPUS] = pp_attrs_cpus(rec->attrs);
		c->own.reg[PP_R_ONLINE] = pp_attrs_online(rec->attrs);
	}
	push_frame(c, NULL, rows, 1, false, rec->data + rec->size + rec->beyond);
	if (type && type->words & PP_OF_KERNEL) {
		const uint64_t trailer = trailer_of(rec);

		if (!pp_fits(trailer, body))
			fail(c, &pp_field_sample_id, PP_E_FIELD, trailer, body);
		else
			c->own.frame[0].end -= trailer;
	}
}

int pp_walk_next(struct pp_cursor *c)
{
	if (c->own.stage == DONE)
		return c->error.code ? -1 : PP_END;
	for (;;) {
		struct pp_walk_frame *f = &c->own.frame[c->own.depth - 1];
		const struct pp_field *row = f->row;
		int token;

		if (f->list)
			return list_next(c, f);
		if (!row->name || (f->spans && left_in(c, f) < pp_kind_width[row->kind])) {
			if (c->own.depth == 1 && c->own.stage == FIELDS)
				return outermost(c, f);
			if ((f->spans || c->own.depth == 1) && rest(c, f) == PP_VALUE)
				return PP_VALUE;
			if (c->own.depth == 1)
				c->own.stage = DONE;
			c->own.depth--;
			c->field = f->owner;
			return PP_CLOSE;
		}
		f->row++;
		if (pp_is_conditional(row)) {
			c->own.reg[PP_R_LEFT] = left_in(c, f);
			if (!pp_is_there(row, c->own.reg))
				continue;
		}
		token = take(c, f, row);
		if (token)
			return token;
	}
}

enum pp_status pp_walk_to(struct pp_cursor *c, const char *name)
{
	int token;

	while ((token = pp_walk_next(c)) > 0)
		if (token == PP_VALUE && !strcmp(c->field->name, name))
			return 1;
	return token;
}

enum pp_status pp_walk_find(struct pp_cursor *c, enum pp_meaning is)
{
	int token;

	while ((token = pp_walk_next(c)) > 0)
		if (token == PP_VALUE && c->field->is == is)
			return 1;
	return token;
}

uint64_t pp_walk_u64(const struct pp_cursor *c, uint32_t i)
{
	const uint8_t *p = c->data + (size_t)i * c->width;
	uint64_t v = pp_load_width(p, c->width);

	/* converted to the other order already: back, for callers here */
	if (c->own.order == PP_FROM_HOST) {
		v = pp_swap_width(v, c->width);
		if (c->field->kind == PP_BITS)
			v = mirror(v, c->field->parts, true);
	}
	return c->field->kind == PP_S32 ? (uint64_t)(int32_t)v : v;
}

const char *pp_walk_text(const struct pp_cursor *c, size_t *length)
{
	const uint8_t *nul = c->count ? memchr(c->data, 0, c->count) : NULL;

	*length = nul ? (size_t)(nul - c->data) : c->count;
	return (const char *)c->data;
}

static int walk_all(struct pp_cursor *c, struct pp_error *error)
{
	int token;

	while ((token = pp_walk_next(c)) > 0)
		;
	if (token < 0 && error)
		*error = c->error;
	return token;
}

int pp_check(const struct pp_record *rec, struct pp_error *error)
{
	struct pp_cursor c;

	pp_walk(&c, rec);
	return walk_all(&c, error);
}

int pp_convert(const struct pp_record *rec, enum pp_order order, struct pp_error *error)
{
	struct pp_cursor c;
	const bool from = order == PP_FROM_HOST;

	pp_walk(&c, rec);
	c.own.order = order;
	if (!pp_type(rec->type) || (rec->type == PP_REC_SAMPLE && !rec->attr)) {
		pp_fail(error, pp_type(rec->type) ? PP_E_ATTR : PP_E_ENDIAN, NULL);
		return pp_error_at(error, rec->offset, rec->index, rec->type);
	}
	if (walk_all(&c, error) < 0)
		return -1;
	pp_store32(rec->data, (uint32_t)(from ? pp_swap_width(rec->type, 4) : rec->type));
	pp_store16(rec->data + 4, (uint16_t)(from ? pp_swap_width(rec->misc, 2) : rec->misc));
	pp_store16(rec->data + 6, (uint16_t)(from ? pp_swap_width(rec->size, 2) : rec->size));
	return 0;
}

bool pp_get_u64(const struct pp_record *rec, const char *name, uint64_t *v)
{
	struct pp_cursor c;

	pp_walk(&c, rec);
	if (pp_walk_to(&c, name) != 1 || !c.count || c.width > 8)
		return false;
	*v = c.value;
	return true;
}

bool pp_get_text(const struct pp_record *rec, const char *name, const char **text_out, size_t *length)
{
	struct pp_cursor c;

	pp_walk(&c, rec);
	if (pp_walk_to(&c, name) != 1)
		return false;
	*text_out = pp_walk_text(&c, length);
	return true;
}

bool pp_copy_text(const struct pp_record *rec, const char *name, char *to, size_t room)
{
	const char *text;
	size_t length;

	if (!pp_get_text(rec, name, &text, &length) || length >= room)
		return false;
	memcpy(to, text, length);
	to[length] = 0;
	return true;
}

int pp_record_at(struct pp_record *rec, uint8_t *data, uint64_t have, struct pp_error *error)
{
	memset(rec, 0, sizeof(*rec));
	rec->data = data;
	if (!pp_fits(PP_HEADER_SIZE, have)) {
		pp_fail(error, PP_E_CUT, NULL);
		return pp_error_room(error, NULL, PP_HEADER_SIZE, have);
	}
	rec->type = pp_load32(data);
	rec->misc = pp_load16(data + 4);
	rec->size = pp_load16(data + 6);
	if (rec->size < PP_HEADER_SIZE || !pp_fits(rec->size, have)) {
		const bool small = rec->size < PP_HEADER_SIZE;

		pp_fail(error, small ? PP_E_SIZE : PP_E_CUT, NULL);
		pp_error_type(error, rec->type);
		return pp_error_room(error, NULL, small ? PP_HEADER_SIZE : rec->size,
				     small ? rec->size : have);
	}
	return 0;
}
