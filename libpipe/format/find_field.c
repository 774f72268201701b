/*
 * find_field.c - the first field of a record with the wanted meaning: from row to row while each has a
 * fixed width, and by a walk where the width depends on the record.
 */
#include "format/field_query.h"
#include "format/format.h"

/* Where the rows led: to the field, past the last of them, or to where only a walk knows more. */
enum find_step { FOUND, THROUGH, WALK };

struct field_place {
	const struct pp_field *row;
	uint8_t *at;
	uint64_t width;
};

/* A record on the way from row to row. */
struct find_way {
	const struct pp_record *rec;
	uint8_t *at, *end;            /* of the body, then of the trailer */
	bool begun;                   /* reg is filled in: most records need none of it */
	uint64_t reg[PP_R_COUNT];
};

static uint64_t *registers(struct find_way *w)
{
	if (!w->begun) {
		memset(w->reg, 0, sizeof(w->reg));
		w->reg[PP_R_MISC] = w->rec->misc;
		if (w->rec->attr)
			pp_event_registers(w->reg, w->rec->attr);
		w->begun = true;
	}
	return w->reg;
}

static bool is_row_there(struct find_way *w, const struct pp_field *row)
{
	uint64_t *reg;

	if (!pp_is_conditional(row))
		return true;
	reg = registers(w);
	reg[PP_R_LEFT] = (uint64_t)(w->end - w->at);
	return pp_is_there(row, reg);
}

/* The bytes of a row; 0 where there are too few, or they say themselves how many they are. */
static uint64_t width_of(const struct find_way *w, const struct pp_field *row)
{
	const uint64_t left = (uint64_t)(w->end - w->at);
	const uint64_t width = row->kind == PP_STR ? left : pp_row_width(row);

	if (row->kind == PP_STR && left && !memchr(w->at, 0, left))
		return 0;
	return pp_fits(width, left) ? width : 0;
}

static enum find_step take_rows(struct find_way *w, const struct pp_field *row, enum pp_meaning is,
				struct field_place *place)
{
	for (; row->name; row++) {
		uint64_t width;

		if (!is_row_there(w, row))
			continue;
		if (row->kind == PP_LOOK) {
			registers(w)[row->set] = pp_look(w->at, (uint64_t)(w->end - w->at));
			continue;
		}
		width = width_of(w, row);
		if (!width)
			return WALK;
		if (row->is == is) {
			*place = (struct field_place){ row, w->at, width };
			return FOUND;
		}
		if (row->set)
			registers(w)[row->set] = pp_kind_value(row->kind, w->at);
		w->at += width;
	}
	return THROUGH;
}

static enum find_step take_record(const struct pp_record *rec, enum pp_meaning is, struct field_place *place)
{
	const struct pp_type *const type = pp_type(rec->type);
	const struct pp_attr *const attr = rec->attr;
	const bool sample = rec->type == PP_REC_SAMPLE;
	const bool ends = attr && !sample && rec->type < PP_USER_TYPES;
	const unsigned trailer = ends ? attr->plan.trailer : 0;
	const struct pp_field *rows;
	struct find_way w = { .rec = rec, .begun = false };
	enum find_step step;

	if (!type || !pp_fits(trailer, rec->size - PP_HEADER_SIZE))
		return WALK;
	w.at = rec->data + PP_HEADER_SIZE;
	w.end = rec->data + rec->size - trailer;
	rows = sample && attr && attr->sample_fields ? attr->sample_fields : type->fields;
	step = take_rows(&w, rows, is, place);
	if (step != THROUGH || type->words & PP_TRAILS)
		return step == THROUGH ? WALK : step;
	w.at = w.end;
	w.end += trailer;
	return trailer ? take_rows(&w, attr->trailer_fields, is, place) : THROUGH;
}

static bool find_place(const struct pp_record *rec, enum pp_meaning is, struct field_place *place)
{
	const enum find_step step = take_record(rec, is, place);
	struct pp_cursor c;

	if (step != WALK)
		return step == FOUND;
	pp_walk(&c, rec);
	if (pp_walk_find(&c, is) != 1)
		return false;
	*place = (struct field_place){ c.field, c.data, (uint64_t)c.count * c.width };
	return true;
}

uint16_t pp_fixed_place(uint32_t number, enum pp_meaning is)
{
	const struct pp_type *const type = pp_type(number);
	unsigned at = PP_HEADER_SIZE;

	for (const struct pp_field *row = type ? type->fields : NULL; row && row->name; row++) {
		const unsigned width = pp_row_width(row);

		if (!width || pp_is_conditional(row))
			break;
		if (row->is == is)
			return (uint16_t)at;
		at += width;
	}
	return 0;
}

/* perf's own samples of threads off the CPU have their group after the chain in the raw data. */
static bool find_off_cpu_group(const struct pp_record *rec, uint64_t *value)
{
	const uint8_t *ips;
	uint64_t n, room;

	if (rec->type != PP_REC_SAMPLE || !rec->attr || !pp_attr_is_off_cpu(rec->attr) ||
	    !pp_callchain(rec, &ips, &n))
		return false;
	room = (uint64_t)(rec->data + rec->size - ips) - n * sizeof(uint64_t);
	if (!pp_fits(sizeof(uint64_t), room))
		return false;
	*value = pp_load64(ips + n * sizeof(uint64_t));
	return true;
}

/* Most samples cannot: without this the search would go on beyond their call chains. */
static bool can_have_group(const struct pp_record *rec)
{
	return rec->type != PP_REC_SAMPLE || !rec->attr || rec->attr->sample_type & PP_SAMPLE_CGROUP;
}

bool pp_find_u64(const struct pp_record *rec, enum pp_meaning is, uint64_t *value)
{
	struct field_place place;

	if (is == PP_IS_CGROUP && find_off_cpu_group(rec, value))
		return true;
	if (is == PP_IS_CGROUP && !can_have_group(rec))
		return false;
	if (!find_place(rec, is, &place) || !place.width)
		return false;
	*value = pp_kind_value(place.row->kind, place.at);
	return true;
}

bool pp_find_text(const struct pp_record *rec, enum pp_meaning is, const char **text, size_t *length)
{
	struct field_place place;

	if (!find_place(rec, is, &place))
		return false;
	*text = (const char *)place.at;
	*length = strnlen(*text, place.width);
	return true;
}

uint8_t *pp_find_bytes(const struct pp_record *rec, enum pp_meaning is, size_t *size)
{
	struct field_place place;

	if (!find_place(rec, is, &place))
		return NULL;
	*size = place.width;
	return place.at;
}

void pp_lookup_fields(const struct pp_record *rec, struct pp_field_query *said, size_t n)
{
	struct pp_cursor c;
	size_t left = n;
	int token;

	pp_walk(&c, rec);
	while (left && (token = pp_walk_next(&c)) > PP_END) {
		for (size_t i = 0; token == PP_VALUE && i < n; i++) {
			struct pp_field_query *const s = &said[i];

			if (s->there || s->is != c.field->is)
				continue;
			s->there = true;
			s->value = c.value;
			if (c.field->kind == PP_BYTES) {
				s->bytes = (const char *)c.data;
				s->length = c.count;
			} else if (c.field->kind == PP_STR) {
				s->bytes = pp_walk_text(&c, &s->length);
			}
			left--;
			break;
		}
	}
}

bool pp_find_feature(const struct pp_record *rec, uint64_t *number)
{
	return rec->type == PP_REC_HEADER_FEATURE && pp_find_u64(rec, PP_IS_FEATURE, number);
}

bool pp_clock_data(const struct pp_record *rec, uint64_t *clockid, int64_t *to_wall_clock)
{
	uint64_t feature, wall, time;

	if (!pp_find_feature(rec, &feature) || feature != PP_FEAT_CLOCK_DATA ||
	    !pp_get_u64(rec, "clockid", clockid) || !pp_get_u64(rec, "wall_clock_ns", &wall) ||
	    !pp_get_u64(rec, "clockid_time_ns", &time))
		return false;
	*to_wall_clock = (int64_t)(wall - time);
	return true;
}
