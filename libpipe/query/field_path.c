/* field_path.c - the values that a path of names leads to in one record, by walking its rows, or at the
 * place that they give it; and whether a record has its own. */
#include "format/format.h"
#include "query/query.h"

void pp_query_seek(struct pp_query_seek *s, const struct pp_query_path *path,
		   const struct pp_record *r, bool number)
{
	pp_walk(&s->cursor, r);
	s->path = path;
	s->number = number && path->number;
	s->row = NULL;
	s->i = s->end = s->skip = 0;
	s->level = 0;
	memset(s->list, 0, sizeof(s->list));
}

static const struct pp_query_step *step_of(const struct pp_query_seek *s)
{
	return s->level < s->path->n ? &s->path->steps[s->level] : NULL;
}

/* Is it the path's own last name? */
static bool is_end(const struct pp_query_seek *s)
{
	return s->level + 1 == s->path->n;
}

/* A structure or a list begins; true where it is what the path leads to. */
static bool enter(struct pp_query_seek *s, bool list)
{
	const struct pp_query_step *const step = step_of(s);

	if (s->skip || !step) {
		s->skip++;
		return false;
	}
	if (s->list[s->level] && !list) {
		const bool wanted = !step->indexed || s->element[s->level] == step->index;

		s->element[s->level]++;
		if (!wanted) {
			s->skip = 1;
			return false;
		}
	} else if (strcmp(s->cursor.field->name, step->name) != 0) {
		s->skip = 1;
		return false;
	} else if (list) {
		s->list[s->level] = true;
		s->element[s->level] = 0;
		return is_end(s) && !step->indexed;
	}
	s->level++;
	s->list[s->level] = false;
	return s->level == s->path->n;
}

static void leave(struct pp_query_seek *s, bool list)
{
	if (s->skip)
		s->skip--;
	else if (list)
		s->list[s->level] = false;
	else
		s->level--;
}

/* The row may be a part short: a weight that is one number has no var2_w. */
static bool has_part(const struct pp_query_path *path, const struct pp_field *row)
{
	const struct pp_part *p = row->parts;

	while (path->part && p && p->name && strcmp(p->name, path->part) != 0)
		p++;
	return !path->part || (p && p->name);
}

/* Opens the row of values that the cursor is at, if the path leads there. */
static void open_row(struct pp_query_seek *s)
{
	const struct pp_query_step *const step = step_of(s);

	if (s->skip || !step || !is_end(s) || strcmp(s->cursor.field->name, step->name) != 0 ||
	    !has_part(s->path, s->cursor.field))
		return;
	s->row = s->cursor.field;
	s->i = 0;
	s->end = s->number ? s->cursor.count : 1;
	if (step->indexed) {
		s->i = step->index < s->end ? step->index : s->end;
		s->end = s->i < s->end ? s->i + 1 : s->end;
	}
}

static uint64_t element(struct pp_query_seek *s)
{
	const uint64_t value = s->number ? pp_walk_u64(&s->cursor, s->i) : 1;

	s->i++;
	for (const struct pp_part *p = s->path->part ? s->row->parts : NULL; p && p->name; p++)
		if (!strcmp(p->name, s->path->part))
			return value >> p->bit &
			       (p->width == 64 ? UINT64_MAX : (UINT64_C(1) << p->width) - 1);
	return value;
}

bool pp_query_seek_next(struct pp_query_seek *s, uint64_t *value)
{
	int token;

	for (;;) {
		if (s->i < s->end) {
			*value = element(s);
			return true;
		}
		token = pp_walk_next(&s->cursor);
		if (token <= PP_END)
			return false;
		if (token == PP_VALUE) {
			open_row(s);
		} else if (token == PP_OPEN || token == PP_LIST_OPEN) {
			if (enter(s, token == PP_LIST_OPEN)) {
				*value = 1;
				return true;
			}
		} else {
			leave(s, token == PP_LIST_CLOSE);
		}
	}
}

/* ---- One value ------------------------------------------------------------------------------- */

enum { SPOT_WALKED, SPOT_NOWHERE, SPOT_FIXED };

static uint8_t fixed_width(const struct pp_field *row)
{
	return pp_is_conditional(row) ? 0 : (uint8_t)pp_row_width(row);
}

static bool is_simple(const struct pp_query_path *path, const struct pp_field *row)
{
	return path->n == 1 && !path->steps[0].indexed && path->number && !pp_is_array(row) &&
	       (fixed_width(row) == 8 || row->kind == PP_U32) && row->kind != PP_F64;
}

/* Where samples with these rows have the field: one after fields of fixed width that every sample
 * has needs no walk. */
static void find_spot(struct pp_query_path *path, const struct pp_field *rows)
{
	struct pp_query_spot *const s = &path->spot;
	uint16_t at = PP_HEADER_SIZE;
	bool fixed = true;

	*s = (struct pp_query_spot){ .rows = rows, .how = SPOT_NOWHERE };
	for (const struct pp_field *row = rows; row->name; row++) {
		if (!strcmp(row->name, path->steps[0].name) &&
		    (path->n > 1 || has_part(path, row))) {
			s->how = fixed && is_simple(path, row) ? SPOT_FIXED : SPOT_WALKED;
			s->at = at;
			s->width = fixed_width(row);
			for (s->part = path->part ? row->parts : NULL;
			     s->part && strcmp(s->part->name, path->part) != 0; s->part++)
				;
			return;
		}
		fixed = fixed && fixed_width(row);
		at = (uint16_t)(at + fixed_width(row));
	}
}

bool pp_query_load_walked(const struct pp_record *r, struct pp_query_path *path, bool number,
			  uint64_t *value)
{
	const struct pp_query_spot *const s = &path->spot;
	struct pp_query_seek seek;

	if (r->type == PP_REC_SAMPLE && r->attr && r->attr->sample_fields) {
		if (s->rows != r->attr->sample_fields)
			find_spot(path, r->attr->sample_fields);
		if (s->how == SPOT_NOWHERE)
			return false;
		if (s->how == SPOT_FIXED) {
			if (!pp_fits((uint64_t)s->at + s->width, r->size))
				return false;
			*value = pp_load_width(r->data + s->at, s->width);
			if (s->part && s->part->width < 64)
				*value = *value >> s->part->bit &
					 ((UINT64_C(1) << s->part->width) - 1);
			return true;
		}
	}
	pp_query_seek(&seek, path, r, number);
	return pp_query_seek_next(&seek, value);
}

bool pp_query_has_own(const struct pp_record *r, const struct pp_query_path *path)
{
	return r->type < PP_USER_TYPES && path && path->own[r->type].how;
}

/* The process and thread that a record is about: its own words count before its trailer's. */
bool pp_query_task(const struct pp_record *r, uint32_t *pid, uint32_t *tid)
{
	uint64_t p, t;

	if (r->type == PP_REC_SAMPLE)
		return pp_task(r, pid, tid);
	if (!pp_find_u64(r, PP_IS_PID, &p) || !pp_find_u64(r, PP_IS_TID, &t))
		return false;
	*pid = (uint32_t)p;
	*tid = (uint32_t)t;
	return true;
}
