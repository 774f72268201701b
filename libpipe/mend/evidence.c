/*
 * evidence.c - whether bytes are a record of this stream, as their type, size, fields, event and time
 * show.
 */
#include "format/payload.h"
#include "mend/evidence.h"

#include "format/format.h"

#include <stdlib.h>

enum {
	TYPES_MOST = 1 << 17,         /* there are some above 32768 */
	GOOGLE_FIRST = 69, GOOGLE_LAST = 80,
	CPUS_MOST = 1 << 16,
	ATTR_LEAST = 64,
};

static const uint64_t day = UINT64_C(86400) * 1000000000;

int pp_evidence_open(struct pp_evidence *e)
{
	*e = (struct pp_evidence){ .attrs = pp_attrs_new(), .scratch = malloc(PP_RECORD_MAX + 1) };
	if (e->attrs && e->scratch)
		return 0;
	pp_evidence_close(e);
	return -1;
}

void pp_evidence_close(struct pp_evidence *e)
{
	pp_attrs_free(e->attrs);
	free(e->scratch);
	*e = (struct pp_evidence){ .attrs = NULL };
}

/* ---- Headers ---- */

bool pp_evidence_header(const struct pp_evidence *e, const uint8_t *data)
{
	const uint32_t type = pp_in_order32(data, e->foreign);

	return type && type < TYPES_MOST &&
	       (pp_in_order16(data + 6, e->foreign) >= PP_HEADER_SIZE || type == PP_REC_COMPRESSED2);
}

bool pp_evidence_strict_header(const struct pp_evidence *e, const uint8_t *data)
{
	const uint32_t type = pp_in_order32(data, e->foreign);
	const uint16_t misc = pp_in_order16(data + 4, e->foreign);
	const uint16_t size = pp_in_order16(data + 6, e->foreign);

	if (!pp_type(type))
		return false;
	if (size < PP_HEADER_SIZE || (size % 8 && !pp_type_is(type, PP_ODD)))
		return false;
	return (misc & PP_MISC_CPUMODE) <= PP_MISC_GUEST_USER && !(misc & 0xff8);
}

/* ---- One record ---- */

static void fails(struct pp_judged *j, const char *why)
{
	j->sound = false;
	j->why = why;
}

/* Walks all of it. */
static void walk(struct pp_judged *j)
{
	struct pp_cursor c;
	int token;

	pp_walk(&c, &j->host);
	while ((token = pp_walk_next(&c)) > PP_END)
		j->doubtful |= token == PP_VALUE && c.field == &pp_field_rest;
	j->tail = c.own.reg[PP_R_TAIL];
	if (token < 0)
		fails(j, "its fields run past it");
}

/* Most samples are proven by their size alone. */
static void judge_sample(struct pp_judged *j)
{
	if (!pp_evidence_plain(&j->host))
		walk(j);
}

static void judge_kernel(struct pp_evidence *e, struct pp_judged *j)
{
	struct pp_record *rec = &j->host;

	if (!rec->attr && e->blind)
		return;
	if (!rec->attr && (rec->type == PP_REC_SAMPLE || pp_attrs_count(e->attrs))) {
		fails(j, pp_attrs_count(e->attrs) ? "its id belongs to no event attribute" :
						   "no event attribute comes before it");
		return;
	}
	j->timed = pp_time(rec, &j->time);
	if (rec->type == PP_REC_SAMPLE)
		judge_sample(j);
	else
		walk(j);
}

static void judge_user(struct pp_evidence *e, struct pp_judged *j)
{
	const struct pp_record *rec = &j->host;

	if (rec->type == PP_REC_FINISHED_ROUND) {
		const struct pp_payload *payload = pp_payload_of(rec);

		j->doubtful = rec->size != PP_HEADER_SIZE && !(payload && payload->fits(rec));
		return;
	}
	walk(j);
	if (rec->type == PP_REC_HEADER_FEATURE && pp_fits(16, rec->size)) {
		const uint64_t id = pp_load64(rec->data + PP_HEADER_SIZE);

		if (!id)
			fails(j, "there is no feature 0");
		if (id > UINT32_MAX || !pp_feature((uint32_t)id))
			j->doubtful = false;  /* its fields are unknown */
	}
	if ((rec->type == PP_REC_HEADER_TRACING_DATA || rec->type == PP_REC_AUXTRACE) &&
	    !pp_attrs_count(e->attrs) && !e->blind)
		fails(j, "no event attribute comes before it");
}

/* Turns a copy round, where that is needed; false: it cannot be. */
static bool in_host_order(struct pp_evidence *e, struct pp_judged *j, uint8_t *data)
{
	struct pp_record *rec = &j->host;

	if (!e->foreign)
		return true;
	memcpy(e->scratch, data, rec->size);
	rec->data = e->scratch;
	if (pp_convert(rec, PP_TO_HOST, NULL))
		return false;
	if (rec->type == PP_REC_FINISHED_ROUND)
		pp_payload_swap(rec->data, rec->size, true);
	return true;
}

void pp_evidence_judge(struct pp_evidence *e, uint8_t *data, size_t size, struct pp_judged *j)
{
	struct pp_record *rec = &j->host;

	j->sound = true;
	j->doubtful = j->timed = false;
	j->why = NULL;
	j->time = j->tail = 0;
	rec->data = data;
	rec->type = pp_in_order32(data, e->foreign);
	rec->misc = pp_in_order16(data + 4, e->foreign);
	rec->size = (uint16_t)size;
	rec->beyond = 0;
	rec->foreign = false;
	rec->attrs = e->attrs;
	rec->beyond = 0;
	rec->attr = rec->type < PP_USER_TYPES ? pp_attrs_find_in_order(e->attrs, rec, e->foreign) : NULL;
	j->google = false;
	if (!pp_type(rec->type)) {
		j->doubtful = true;
		return;
	}
	j->google = e->google || (!e->begun && pp_is_google(data, rec->type, size, e->foreign));
	if (j->google && !pp_attrs_count(e->attrs) && rec->type >= GOOGLE_FIRST &&
	    rec->type <= GOOGLE_LAST)
		return;
	if (rec->type == PP_REC_SAMPLE && !rec->attr)
		judge_kernel(e, j);
	else if (!in_host_order(e, j, data))
		fails(j, "its fields run past it");
	else if (rec->type < PP_USER_TYPES)
		judge_kernel(e, j);
	else
		judge_user(e, j);
}

/* ---- Proof ---- */

static bool likely_time(const struct pp_evidence *e, uint64_t time)
{
	return !pp_evidence_late(e, time) && (!e->times.newest || time <= e->times.newest + day);
}

static bool likely_cpu(const struct pp_judged *j)
{
	const struct pp_attr *a = j->host.attr;
	uint64_t cpu;

	if (j->host.type != PP_REC_SAMPLE || !a->plan.cpu)
		return true;
	cpu = pp_load64(j->host.data + a->plan.cpu);
	return PP_HOST_BIG ? cpu >> 32 < CPUS_MOST && !(uint32_t)cpu : cpu < CPUS_MOST;
}

unsigned pp_evidence_weight(const struct pp_evidence *e, const struct pp_judged *j)
{
	const struct pp_record *rec = &j->host;

	if (!j->sound || j->doubtful)
		return 0;
	if (rec->type >= PP_USER_TYPES)
		return pp_payload_of(rec) ? PP_EVIDENCE_ENOUGH :
		       rec->type == PP_REC_HEADER_ATTR ? 4 : 2;
	if (!rec->attr)
		return 1;
	if (!j->timed)
		return rec->type == PP_REC_SAMPLE && rec->attr->plan.time ? 0 :
		       rec->type == PP_REC_SAMPLE && likely_cpu(j) ? 2 : 1;
	return likely_time(e, j->time) && likely_cpu(j) ? 3 : 0;
}

/* ---- What is known then ---- */

int pp_evidence_take(struct pp_evidence *e, const struct pp_judged *j, struct pp_error *error)
{
	const struct pp_record *rec = &j->host;

	e->google |= j->google;
	e->begun = true;
	if (rec->type < PP_USER_TYPES || (j->google && !pp_attrs_count(e->attrs) &&
					  rec->type >= GOOGLE_FIRST && rec->type <= GOOGLE_LAST))
		return 0;
	if (rec->type == PP_REC_HEADER_ATTR) {
		const uint32_t size = pp_fits(16, rec->size) ? pp_load32(rec->data + 12) : 1;

		if (size && size < ATTR_LEAST)
			return pp_fail(error, PP_E_VALUE, "its size");
	}
	if (pp_attrs_note(e->attrs, rec, error))
		return -1;
	if (rec->type == PP_REC_HEADER_ATTR) {
		const struct pp_attr *a = pp_attrs_at(e->attrs, pp_attrs_count(e->attrs) - 1);

		e->backwards |= pp_attr_flag(a, PP_FLAG_write_backward);
	}
	return 0;
}
