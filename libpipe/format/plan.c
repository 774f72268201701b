/* plan.c - where things are in an event's records, as far as its attribute settles that. */
#include "format/plan.h"
#include "base/array.h"
#include "format/event_ids.h"
#include "format/format.h"

#include <stdlib.h>

enum { SHAPES_MAX = 256 };            /* that a hostile stream may make us keep */

/* ---- The plan: from the rows of the tables -------------------------------------------------- */

static enum pp_answer ask_row(const struct pp_field *row, const struct pp_attr *a)
{
	const enum pp_answer when = pp_settled(&row->when, a), also = pp_settled(&row->also, a);

	if (when == PP_NO || also == PP_NO)
		return PP_NO;
	return when == PP_YES && also == PP_YES ? PP_YES : PP_DEPENDS;
}

static bool asks_for(const struct pp_field *row, uint64_t bit)
{
	return (row->when.reg == PP_R_SAMPLE_TYPE && row->when.value == bit) ||
	       (row->also.reg == PP_R_SAMPLE_TYPE && row->also.value == bit);
}

/*
 * The place, counted from the first row, of the field that is there for this bit of sample_type;
 * with bit 0 that of the first field that varies in width.  UINT32_MAX: not at a fixed place.
 */
static uint32_t place(const struct pp_field *rows, const struct pp_attr *a, uint64_t bit)
{
	uint32_t at = 0;

	for (; rows->name; rows++) {
		const enum pp_answer there = ask_row(rows, a);
		const uint32_t width = pp_row_width(rows);

		if (there == PP_NO)
			continue;
		if (there == PP_DEPENDS || !width)
			return bit ? UINT32_MAX : at;
		if (bit && asks_for(rows, bit))
			return at;
		at += width;
	}
	return bit ? UINT32_MAX : at;
}

static uint8_t sample_place(const struct pp_field *rows, const struct pp_attr *a, uint64_t bit)
{
	uint32_t at = a->sample_type & bit ? place(rows, a, bit) : UINT32_MAX;

	return at < UINT8_MAX - PP_HEADER_SIZE ? (uint8_t)(PP_HEADER_SIZE + at) : 0;
}

static uint8_t trailer_place(const struct pp_attr *a, uint64_t bit)
{
	uint32_t at = a->sample_type & bit ? place(pp_sample_id_fields, a, bit) : UINT32_MAX;

	return at < a->plan.trailer ? (uint8_t)(a->plan.trailer - at) : 0;
}

/*
 * What perf knows of a thread off the CPU, since 6.16, is in the raw data of a sample of BPF output, whose
 * own task, address and period are of no use: tgid and pid, ns, a count, a chain that begins with its mark,
 * and a control group (util/bpf_off_cpu.c, __set_offcpu_sample() of util/evsel.c).  That is laid out as in a
 * sample, so nothing has to be unpacked: the places are in the raw data.
 */
static void plan_off_cpu(struct pp_attr *a)
{
	enum { BPF_OUTPUT = 10, SIZE = 4, INNERMOST = SIZE + 32 };
	const uint8_t raw = a->plan.raw;

	if (!raw || raw > UINT8_MAX - INNERMOST || a->type != PP_TYPE_SOFTWARE || a->config != BPF_OUTPUT ||
	    a->sample_type & PP_SAMPLE_CALLCHAIN || !a->name || strcmp(a->name, "offcpu-time") != 0)
		return;
	a->plan.tid = raw + SIZE;
	a->plan.period = raw + SIZE + 8;
	a->plan.callchain = raw + SIZE + 16;
	a->plan.ip = raw + INNERMOST;
}

void pp_plan_make(struct pp_attr *a)
{
	const struct pp_field *rows = pp_type(PP_REC_SAMPLE)->fields;
	struct pp_plan *p = &a->plan;
	uint32_t fixed;

	p->ip = sample_place(rows, a, PP_SAMPLE_IP);
	p->tid = sample_place(rows, a, PP_SAMPLE_TID);
	p->time = sample_place(rows, a, PP_SAMPLE_TIME);
	p->addr = sample_place(rows, a, PP_SAMPLE_ADDR);
	p->stream_id = sample_place(rows, a, PP_SAMPLE_STREAM_ID);
	p->cpu = sample_place(rows, a, PP_SAMPLE_CPU);
	p->period = sample_place(rows, a, PP_SAMPLE_PERIOD);
	p->callchain = sample_place(rows, a, PP_SAMPLE_CALLCHAIN);
	p->id = sample_place(rows, a, PP_SAMPLE_IDENTIFIER);
	if (!p->id)
		p->id = sample_place(rows, a, PP_SAMPLE_ID);
	p->raw = sample_place(rows, a, PP_SAMPLE_RAW);
	plan_off_cpu(a);
	fixed = PP_HEADER_SIZE + place(rows, a, 0);
	p->fixed = fixed < UINT8_MAX ? (uint8_t)fixed : UINT8_MAX;
	if (!pp_attr_flag(a, PP_FLAG_sample_id_all))
		return;
	p->trailer = (uint8_t)place(pp_sample_id_fields, a, 0);
	p->t_tid = trailer_place(a, PP_SAMPLE_TID);
	p->t_time = trailer_place(a, PP_SAMPLE_TIME);
	p->t_cpu = trailer_place(a, PP_SAMPLE_CPU);
	p->t_id = trailer_place(a, PP_SAMPLE_IDENTIFIER);
	if (!p->t_id)
		p->t_id = trailer_place(a, PP_SAMPLE_ID);
}

/* ---- Rows without the conditions that an event settles --------------------------------------- */

/* Rows to be kept at this level and below, ends included. */
static size_t count_rows(const struct pp_field *rows, const struct pp_attr *a)
{
	size_t n = 1;

	for (; rows->name; rows++) {
		if (ask_row(rows, a) == PP_NO)
			continue;
		n += 1 + (rows->of ? count_rows(rows->of, a) : 0);
	}
	return n;
}

static const struct pp_field *settle_rows(const struct pp_field *rows, const struct pp_attr *a,
					  struct pp_field **room)
{
	static const struct pp_when always = { PP_R_NONE, PP_ALWAYS, 0 };
	struct pp_field *first = *room, *to = first;
	const struct pp_field *row;

	for (row = rows; row->name; row++)
		*room += ask_row(row, a) != PP_NO;
	++*room;
	for (row = rows; row->name; row++) {
		if (ask_row(row, a) == PP_NO)
			continue;
		*to = *row;
		if (pp_settled(&row->when, a) == PP_YES)
			to->when = always;
		if (pp_settled(&row->also, a) == PP_YES)
			to->also = always;
		if (row->of)
			to->of = settle_rows(row->of, a, room);
		to++;
	}
	return first;
}

int pp_shape_take(struct pp_shapes *shapes, struct pp_attr *a)
{
	static const struct pp_field none[1];
	const struct pp_field *rows = pp_type(PP_REC_SAMPLE)->fields;
	struct pp_field *room;
	struct pp_shape *s = NULL;
	size_t i;

	for (i = 0; i < shapes->count; i++) {
		s = &shapes->items[i];
		if (s->sample_type == a->sample_type && s->read_format == a->read_format &&
		    s->branch_type == a->branch_type)
			break;
	}
	if (i == SHAPES_MAX) {
		a->sample_fields = rows;
		a->trailer_fields = a->plan.trailer ? pp_sample_id_fields : none;
		return 0;
	}
	if (i == shapes->count) {
		if (PP_GROW(&shapes->items, &shapes->room, shapes->count + 1, NULL))
			return -1;
		room = calloc(count_rows(rows, a) + count_rows(pp_sample_id_fields, a),
			      sizeof(*room));
		if (!room)
			return -1;
		s = &shapes->items[shapes->count++];
		*s = (struct pp_shape){ a->sample_type, a->read_format, a->branch_type,
					room, NULL, NULL };
		s->sample_fields = settle_rows(rows, a, &room);
		s->trailer_fields = settle_rows(pp_sample_id_fields, a, &room);
	}
	a->sample_fields = s->sample_fields;
	a->trailer_fields = a->plan.trailer ? s->trailer_fields : none;
	return 0;
}

void pp_shapes_close(struct pp_shapes *shapes)
{
	for (size_t i = 0; i < shapes->count; i++)
		free(shapes->items[i].rows);
	free(shapes->items);
}
