/*
 * check_fields.c - whether a record is as the tables describe it: field by field, or for a sample by its
 * size, where that is proof enough.
 */
#include "check/check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "format/format.h"

/* ---- One record, field by field ---- */

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static void check_text(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	size_t length;

	pp_walk_text(w, &length);
	if (length == w->count && w->field->kind != PP_CHARS)
		pp_check_remark(c, rec, "padding", w->field->name, "text without a NUL");
	else if (!is_zero(w->data + length, w->count - length))
		pp_check_remark(c, rec, "padding", w->field->name, "bytes after the text are not zero");
}

/* An id that a record names beside the one in its trailer. */
static void check_id(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const uint64_t id = pp_walk_u64(w, i);

		if (id && !pp_attrs_by_id(c->stream->attrs, id))
			pp_check_remark(c, rec, "id", w->field->name, "%" PRIu64 " is an id that belongs to "
			       "no event attribute", id);
	}
}

bool pp_check_is_feature(uint64_t id)
{
	return id <= UINT32_MAX && pp_feature((uint32_t)id);
}

/* Bytes after the known fields.  Of an unknown feature they are the whole payload. */
static void check_rest(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	if (rec->type != PP_REC_HEADER_FEATURE || !pp_fits(PP_HEADER_SIZE + 8, rec->size) ||
	    pp_check_is_feature(pp_load64(rec->data + PP_HEADER_SIZE)))
		pp_check_remark(c, rec, "rest", NULL, "%" PRIu32 " bytes that no field covers", w->count);
}

static void check_value(struct pp_checker *c, const struct pp_record *rec,
			const struct pp_cursor *w, bool trailer)
{
	const struct pp_field *field = w->field;

	if (field == &pp_field_rest)
		check_rest(c, rec, w);
	else if (field->quiet)
		pp_check_remark(c, rec, "reserved", field->name, "it is reserved, and not zero");
	else if ((field->kind >= PP_CHARS && field->kind <= PP_LSTR) || field->kind == PP_STRS)
		check_text(c, rec, w);
	else if (field->is == PP_IS_EVENT_ID && !trailer && rec->type != PP_REC_SAMPLE &&
		 rec->type != PP_REC_HEADER_ATTR && rec->type != PP_REC_HEADER_FEATURE)
		check_id(c, rec, w);
}

/* Walks all of a record. */
void pp_check_look(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_cursor w;
	bool trailer = false;
	int token;

	pp_walk(&w, rec);
	while ((token = pp_walk_next(&w)) > PP_END) {
		if (token == PP_OPEN && w.field == &pp_field_sample_id)
			trailer = true;
		else if (token == PP_VALUE)
			check_value(c, rec, &w, trailer);
	}
	if (token < 0)
		pp_checker_error(c, &w.error);
}

/* ---- Samples, proven by their size ---- */

struct measure {
	uint64_t *reg;
	const uint8_t *at, *end;
};

static bool take_rows(struct measure *m, const struct pp_field *row);

/* Bytes of a struct that is equally long wherever it is, or 0. */
static uint64_t element_size(const struct pp_field *row)
{
	uint64_t size = 0;

	for (; row->name; row++) {
		if (pp_is_conditional(row) || row->set || row->quiet || !pp_row_width(row))
			return 0;
		size += pp_row_width(row);
	}
	return size;
}

static bool skip(struct measure *m, uint64_t n, uint64_t width)
{
	if (!width || !pp_fits_n(n, width, (uint64_t)(m->end - m->at)))
		return false;
	m->at += n * width;
	return true;
}

/* True where the row is sound without a doubt. */
static bool take_row(struct measure *m, const struct pp_field *row)
{
	const uint8_t *const at = m->at;
	uint64_t n = row->by ? m->reg[row->by] : row->n ? row->n : 1;

	if (row->rest || row->spans || row->feature || row->per > 1)
		return false;
	if (row->kind == PP_ONE)
		return !row->by && take_rows(m, row->of);
	if (row->kind == PP_LIST)
		return skip(m, n, element_size(row->of));
	if (row->kind > PP_PARTS && row->kind != PP_BYTES)
		return false;
	if (!skip(m, n, pp_kind_width[row->kind]))
		return false;
	if (row->set)
		m->reg[row->set] = row->kind == PP_U64 ? pp_load64(at) :
				   row->kind == PP_U32 ? pp_load32(at) : UINT64_MAX;
	return !row->quiet || is_zero(at, (size_t)(m->at - at));
}

static bool take_rows(struct measure *m, const struct pp_field *row)
{
	for (; row->name; row++) {
		if (pp_is_conditional(row)) {
			m->reg[PP_R_LEFT] = (uint64_t)(m->end - m->at);
			if (!pp_is_there(row, m->reg))
				continue;
		}
		if (!take_row(m, row))
			return false;
	}
	return true;
}

/* The first row of which more than the width matters. */
static const struct pp_field *rows_behind(const struct pp_attr *a, size_t *at)
{
	const struct pp_field *row = a->sample_fields;
	const size_t cpu = a->plan.cpu;

	for (*at = PP_HEADER_SIZE; row->name; row++) {
		if (pp_is_conditional(row) || row->set || !pp_row_width(row) ||
		    (row->quiet && *at != cpu + sizeof(uint32_t)))
			break;
		*at += pp_row_width(row);
	}
	return row;
}

/* Bytes of each element of these rows that come one after the other; 0: that takes a closer look. */
static unsigned counted_width(const struct pp_field *row)
{
	if (pp_is_conditional(row) || row->rest || row->spans || row->feature || row->per > 1 || row->quiet ||
	    (row->kind > PP_PARTS && row->kind != PP_BYTES))
		return 0;
	return pp_kind_width[row->kind];
}

/* The rows as spans: whether they can be said so. */
static bool make_spans(struct shape *s)
{
	struct counted_span span = { 0 };
	const struct pp_field *row;

	for (row = s->rows; row->name; row++) {
		const unsigned width = counted_width(row);

		if (!width || row->by || s->n_spans == SPANS_MOST - 1)
			return false;
		if (!row->set) {
			span.before += width * (row->n ? row->n : 1U);
			continue;
		}
		if ((width != sizeof(uint32_t) && width != sizeof(uint64_t)) || row[1].by != row->set ||
		    row[1].set || !counted_width(&row[1]))
			return false;
		span.count = (uint8_t)width;
		span.element = (uint8_t)counted_width(++row);
		s->spans[s->n_spans++] = span;
		span = (struct counted_span){ 0 };
	}
	if (span.before)
		s->spans[s->n_spans++] = span;
	return true;
}

/* Whether a sample has a time and a task, and these, its id and its CPU are where all samples have them. */
static bool is_planned(const struct shape *s, const struct pp_plan *plan)
{
	return plan->time && plan->tid && pp_fits(plan->time + sizeof(uint64_t), s->at) &&
	       pp_fits(plan->tid + sizeof(uint64_t), s->at) && pp_fits(plan->id + sizeof(uint64_t), s->at) &&
	       pp_fits(plan->cpu + sizeof(uint64_t), s->at);
}

struct shape *pp_check_shape(struct pp_checker *c, const struct pp_attr *a)
{
	struct shape *s;

	if (PP_GROW_ZEROED(&c->shapes, &c->n_shapes, (size_t)a->index + 1, NULL))
		return NULL;
	s = &c->shapes[a->index];
	if (!s->rows) {
		s->rows = rows_behind(a, &s->at);
		pp_event_registers(s->reg, a);
		s->plain = is_planned(s, &a->plan) && make_spans(s);
	}
	return s;
}

/* Steps over all rows of a sample; false where that takes a walk.  The rest follows them. */
static bool measure(struct pp_checker *c, const struct pp_record *rec, struct measure *m)
{
	const struct pp_attr *a = rec->attr;
	struct shape *s = pp_check_shape(c, a);

	if (!s || !pp_fits(s->at, rec->size))
		return false;
	if (a->plan.cpu && pp_load32(rec->data + a->plan.cpu + 4))
		return false;         /* a reserved field */
	*m = (struct measure){ s->reg, rec->data + s->at, rec->data + rec->size };
	return take_rows(m, s->rows);
}

/* A sample in which a walk could find nothing is not walked.  One that is longer than its
 * fields shows by its size alone if the rest is zero. */
void pp_check_fields(struct pp_checker *c, const struct pp_record *rec)
{
	struct measure m;
	size_t left;

	if (!measure(c, rec, &m)) {
		pp_check_look(c, rec);
		return;
	}
	left = (size_t)(m.end - m.at);
	if (left)
		pp_check_remark(c, rec, "rest", NULL, "%zu bytes that no field covers", left);
}
