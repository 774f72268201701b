/*
 * record_from_json.c - a line of JSON back to the record that it shows: what is around the fields, to
 * which event it belongs, and what a line written by hand may leave out.  fields_from_json.c does the
 * fields.
 */
#include <stdlib.h>
#include <stdio.h>
#include <strings.h>

#include "text/record_from_json.h"

/* ---- The record around its fields ---------------------------------------------------------- */

/* What a line says beside the fields. */
struct envelope {
	struct json *type, *misc, *size, *event, *feature, *fields, *raw;
	uint64_t misc_value, size_value;
	bool damaged;
};

static const struct pp_type *find_type(struct pp_parse *p, const struct json *node)
{
	const struct pp_type *type = NULL;
	char name[24];
	unsigned slot;

	if (!node->length || node->length >= sizeof(name))
		return NULL;
	slot = (node->length * 7u + (unsigned char)node->text[0] +
		(unsigned char)node->text[node->length - 1]) % PP_PARSE_MEMORY;
	if (p->memory[slot].length == node->length &&
	    !memcmp(p->memory[slot].name, node->text, node->length))
		return p->memory[slot].type;
	memcpy(name, node->text, node->length);
	name[node->length] = '\0';
	type = pp_type_named(name);
	if (type) {
		memcpy(p->memory[slot].name, name, sizeof(name));
		p->memory[slot].length = node->length;
		p->memory[slot].type = type;
	}
	return type;
}

/* "SAMPLE", "UNKNOWN_113", or 113. */
static int type_number(struct pp_parse *p, const struct json *node, uint32_t *number)
{
	struct json digits = *node;
	uint64_t v = node->value;
	bool negative = node->negative, whole = node->whole;

	p->type = node->kind == JSON_TEXT ? find_type(p, node) : NULL;
	if (p->type) {
		*number = p->type->number;
		return 0;
	}
	if (node->kind == JSON_TEXT) {
		if (node->length < 8 || strncasecmp(node->text, "UNKNOWN_", 8))
			return pp_parse_fail(p, "type", "need the name of a type, have %.*s",
				    (int)(node->length < 40 ? node->length : 40), node->text);
		digits.text += 8;
		digits.length -= 8;
		whole = pp_parse_dec(&digits, &v, &negative);
	} else if (node->kind != JSON_NUMBER) {
		return pp_parse_need(p, "type", "a text", node);
	}
	if (!whole || negative || v > UINT32_MAX)
		return pp_parse_fail(p, "type", "need a number of 32 bits");
	*number = (uint32_t)v;
	p->type = pp_type(*number);
	return 0;
}

static int take_envelope(struct pp_parse *p, struct members *m, struct envelope *e)
{
	static const struct pp_field misc = { .kind = PP_U16, .name = "misc" };
	static const struct pp_field size = { .kind = PP_U16, .name = "size" };
	struct json *damaged;

	p->depth = 0;
	p->type = NULL;
	p->attr = NULL;
	(void)pp_parse_take(p, m, "offset", "");
	(void)pp_parse_take(p, m, "index", "");
	(void)pp_parse_take(p, m, "trace", "");   /* says again what "raw" among the fields says */
	*e = (struct envelope){ .type = pp_parse_take(p, m, "type", "") };
	e->misc = pp_parse_take(p, m, "misc", "");
	e->size = pp_parse_take(p, m, "size", "");
	e->feature = pp_parse_take(p, m, "feature", "");
	e->event = pp_parse_take(p, m, "event", "");
	e->fields = pp_parse_take(p, m, "fields", "");
	damaged = pp_parse_take(p, m, "damaged", "");
	e->raw = pp_parse_take(p, m, "raw", "");
	e->damaged = damaged && damaged->kind == JSON_TRUE;
	if ((e->misc && pp_parse_number(p, &misc, e->misc, &e->misc_value)) ||
	    (e->size && pp_parse_number(p, &size, e->size, &e->size_value)))
		return -1;
	if (e->event && e->event->kind != JSON_TEXT && e->event->kind != JSON_NULL)
		return pp_parse_need(p, "event", "a text", e->event);
	if (e->feature && e->feature->kind != JSON_TEXT)
		return pp_parse_need(p, "feature", "a text", e->feature);
	if (e->size && e->size_value < PP_HEADER_SIZE && !e->damaged)
		return pp_parse_fail(p, "size", "need at least %d, have %llu", PP_HEADER_SIZE,
			    (unsigned long long)e->size_value);
	if (e->fields && e->fields->kind != JSON_OBJECT)
		return pp_parse_need(p, "fields", "an object", e->fields);
	if (e->fields && e->raw)
		return pp_parse_fail(p, "raw", "need either this or fields, have both");
	return pp_parse_used(p, m, "a line");
}

/* ---- Which event a record is of ------------------------------------------------------------ */

static bool is_generic(const struct json *event, uint32_t *type, uint64_t *config)
{
	char name[64];

	if (!event || event->kind != JSON_TEXT || event->length >= sizeof(name))
		return false;
	memcpy(name, event->text, event->length);
	name[event->length] = '\0';
	return !pp_event_named(name, type, config);
}

static const struct pp_attr *named(struct pp_parse *p, const struct json *event)
{
	const size_t n = pp_attrs_count(p->attrs);
	uint32_t type;
	uint64_t config;

	for (size_t i = 0; i < n; i++)
		if (is_text(event, pp_attrs_at(p->attrs, i)->name))
			return pp_attrs_at(p->attrs, i);
	if (!is_generic(event, &type, &config))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct pp_attr *const a = pp_attrs_at(p->attrs, i);

		if (a->type == type && a->config == config)
			return a;
	}
	return NULL;
}

/* The id by which readers find a record's event, at the place that the first event gives. */
static struct json *id_node(struct pp_parse *p, const struct envelope *e,
			    const struct pp_attr *first)
{
	const bool sample = p->type->number == PP_REC_SAMPLE;
	struct members m = members_of(e->fields);

	if (!sample) {
		struct json *const trailer = pp_parse_peek(p, &m, pp_field_sample_id.name, "");

		if (!trailer || trailer->kind != JSON_OBJECT)
			return NULL;
		m = members_of(trailer);
	}
	if (!(sample ? first->plan.id : first->plan.t_id))
		return NULL;
	return pp_parse_peek(p, &m, first->sample_type & PP_SAMPLE_IDENTIFIER ? "identifier" : "id",
			     "");
}

/* 0 and p->attr, which may be NULL, or -1. */
static int find_attr(struct pp_parse *p, const struct envelope *e)
{
	const size_t n = pp_attrs_count(p->attrs);
	const struct pp_attr *const first = n ? pp_attrs_at(p->attrs, 0) : NULL;
	struct json *node;
	uint64_t id;

	p->attr = first;
	if (n < 2)
		return 0;
	node = id_node(p, e, first);
	if (node) {
		const char *const name = node->key_length == 2 ? "id" : "identifier";

		if (pp_parse_number(p, &(row_t){ .kind = PP_U64, .name = name }, node, &id))
			return -1;
		p->attr = id ? pp_attrs_by_id(p->attrs, id) : first;
		return p->attr ? 0 : pp_parse_fail(p, name, "need the id of an earlier event");
	}
	if (e->event && e->event->kind == JSON_TEXT) {
		p->attr = named(p, e->event);
		if (!p->attr)
			return pp_parse_fail(p, "event",
					     "need the name of an earlier event");
	} else if (e->size && !e->event) {
		p->attr = NULL;       /* pp-dump found none either */
	}
	return 0;
}

static void set_registers(struct pp_parse *p, const struct envelope *e)
{
	const struct pp_attr *const a = p->attr;

	memset(p->reg, 0, sizeof(p->reg));
	p->reg[PP_R_MISC] = e->misc_value;
	p->reg[PP_R_CPUS] = pp_attrs_cpus(p->attrs);
	p->reg[PP_R_ONLINE] = pp_attrs_online(p->attrs);
	if (a)
		pp_event_registers(p->reg, a);
}

/* ---- What a line that was written by hand may leave out ------------------------------------ */

/* misc, where fields are given that are there only under a bit of it. */
static void guess_misc(struct pp_parse *p, struct envelope *e)
{
	struct members m = members_of(e->fields);

	for (row_t *row = p->type->fields; row->name; row++) {
		if (row->kind != PP_LOOK || row->when.reg != PP_R_MISC || row->when.test != PP_ANY)
			continue;
		for (row_t *r = row + 1; r->name; r++) {
			uint64_t v, reg[PP_R_COUNT] = { 0 };
			struct json *const node =
				r->when.reg == row->set ? pp_parse_peek(p, &m, r->name, "") : NULL;

			if (!node || r->kind > PP_PARTS || pp_holds(&r->when, reg) ||
			    pp_parse_number(p, r, node, &v))
				continue;
			reg[row->set] = v;
			if (pp_holds(&r->when, reg))
				e->misc_value |= row->when.value;
		}
	}
}

static int guess_feature(struct pp_parse *p, const struct envelope *e)
{
	const struct pp_type *feature;

	for (size_t i = 0; (feature = pp_feature_at(i)); i++) {
		if (!is_text(e->feature, feature->name))
			continue;
		p->reg[PP_R_FEATURE] = feature->number;
		return 0;
	}
	return pp_parse_fail(p, "feature", "need the name of a feature");
}

/* An id that no event has yet. */
static uint64_t new_id(struct pp_parse *p)
{
	do
		p->last_id++;
	while (pp_attrs_by_id(p->attrs, p->last_id));
	return p->last_id;
}

/* "event" of a HEADER_ATTR is what its attribute is about. */
static int guess_attr(struct pp_parse *p, const struct envelope *e)
{
	if (!e->size)
		p->new_id = new_id(p);
	p->is_named = is_generic(e->event, &p->named_type, &p->named_config);
	return p->is_named || !e->event ? 0 :
		pp_parse_fail(p, "event", "need the name of a generic event, such as cycles");
}

static int guess_id(struct pp_parse *p, const struct envelope *e)
{
	const struct pp_attr *a = p->attr;

	if (!(p->type->words & PP_OF_KERNEL)) {
		const bool told = e->event && e->event->kind == JSON_TEXT;

		a = told ? named(p, e->event) : NULL;
		if (told && !a)
			return pp_parse_fail(p, "event",
					     "need the name of an earlier event");
	}
	p->default_id = a && a->n_ids ? a->ids[0] : 0;
	return 0;
}

static int guess(struct pp_parse *p, struct envelope *e)
{
	p->default_id = p->new_id = 0;
	p->is_named = false;
	if (!e->misc)
		guess_misc(p, e);
	p->reg[PP_R_MISC] = e->misc_value;
	if (p->type->number == PP_REC_HEADER_FEATURE && e->feature && guess_feature(p, e))
		return -1;
	return p->type->number == PP_REC_HEADER_ATTR ? guess_attr(p, e) : guess_id(p, e);
}

/* ---- Making the record --------------------------------------------------------------------- */

/* The event whose trailer the record ends in, or NULL. */
static const struct pp_attr *trailer_event(struct pp_parse *p, const struct envelope *e)
{
	const struct pp_attr *a = p->attr;

	if (p->type->words & PP_TRAILS) {
		struct members m = members_of(e->fields);

		if (!pp_attrs_count(p->attrs) || !pp_parse_peek(p, &m, pp_field_sample_id.name, ""))
			return NULL;
		a = pp_attrs_at(p->attrs, 0);
	} else if (!(p->type->words & PP_OF_KERNEL) || p->type->number == PP_REC_SAMPLE) {
		return NULL;
	}
	return a && a->plan.trailer ? a : NULL;
}

static int put_trailer(struct pp_parse *p, const struct pp_attr *a, struct members *m)
{
	struct json *const object = pp_parse_take(p, m, pp_field_sample_id.name, "");
	struct members trailer = members_of(object);
	int status = 0;

	if (object && object->kind != JSON_OBJECT)
		return pp_parse_need(p, pp_field_sample_id.name, "an object", object);
	p->body = m;
	p->reg[PP_R_SAMPLE_TYPE] = a->sample_type;
	enter(p, pp_field_sample_id.name, UINT32_MAX);
	for (row_t *row = a->trailer_fields; row->name && !status; row++)
		if (pp_is_there(row, p->reg))
			status = pp_parse_put_number(p, row, &trailer);
	if (!status)
		status = pp_parse_used(p, &trailer, p->type->name);
	if (!status)
		p->depth--;
	p->body = NULL;
	return status;
}

/* The fields up to the trailer's place, and what pads them. */
static int put_body(struct pp_parse *p, struct members *m)
{
	const bool settled = p->type->number == PP_REC_SAMPLE && p->attr && p->attr->sample_fields;
	row_t *const rows = settled ? p->attr->sample_fields : p->type->fields;

	if (pp_parse_put_rows(p, rows, m, false) || pp_parse_put_rest(p, m))
		return -1;
	if (p->known)
		return pp_parse_zeros(p, "size", p->limit - p->at);
	if (p->open_ended || p->type->number == PP_REC_HEADER_FEATURE)
		return 0;
	return pp_parse_zeros(p, NULL, pp_align8(p->at) - p->at);
}

static int put_record(struct pp_parse *p, struct envelope *e)
{
	const size_t full = e->size ? (size_t)e->size_value : PP_RECORD_MAX;
	struct members m = members_of(e->fields);
	const struct pp_attr *trailer;

	if (p->type->words & PP_OF_KERNEL && find_attr(p, e))
		return -1;
	set_registers(p, e);
	if (guess(p, e))
		return -1;
	trailer = trailer_event(p, e);
	if (trailer && !pp_fits(trailer->plan.trailer, full - PP_HEADER_SIZE))
		return pp_parse_fail(p, "size", "need at least %d",
				     PP_HEADER_SIZE + trailer->plan.trailer);
	p->at = PP_HEADER_SIZE;
	p->limit = full - (trailer ? trailer->plan.trailer : 0);
	p->known = e->size != NULL;
	if (put_body(p, &m))
		return -1;
	p->limit = full;
	if (trailer && put_trailer(p, trailer, &m))
		return -1;
	return pp_parse_used(p, &m, p->type->name);
}

/* The bytes after the header as they are. */
static int put_raw(struct pp_parse *p, const struct envelope *e)
{
	const int64_t bytes = pp_parse_hex(p, "raw", e->raw);

	if (bytes < 0)
		return -1;
	p->at = PP_HEADER_SIZE;
	p->limit = PP_RECORD_MAX;
	p->known = false;
	if (pp_parse_put_hex(p, "raw", e->raw, (uint64_t)bytes))
		return -1;
	/* the header of a damaged record may say what it likes */
	if (e->size && !e->damaged && e->size_value != p->at)
		return pp_parse_fail(p, "size", "need %zu, as raw has it, have %llu", p->at,
			    (unsigned long long)e->size_value);
	return 0;
}

static void put_header(struct pp_parse *p, const struct envelope *e, uint32_t type)
{
	const uint16_t misc = (uint16_t)e->misc_value;
	const uint16_t size = (uint16_t)(e->size ? e->size_value : p->at);
	const bool turned = p->foreign && e->raw;

	pp_store_order32(p->buf, type, turned);
	pp_store_order16(p->buf + 4, misc, turned);
	pp_store_order16(p->buf + 6, size, turned);
}

/* Readers have to understand it in the same way; a given length was read before. */
static int check_reading(struct pp_parse *p, const struct pp_record *rec, bool told)
{
	struct pp_error error = { .code = PP_OK };

	if (p->attr && p->type->words & PP_OF_KERNEL &&
	    pp_attrs_find(p->attrs, p->buf, rec->type, rec->size) != p->attr)
		return pp_parse_fail(p, "event",
				     "records of this event cannot be distinguished from others: "
				     "need an id where the first event has it");
	if (told || !pp_check(rec, &error))
		return 0;
	return pp_parse_fail(p, error.field, "readers would need %llu bytes, and have %llu",
		    (unsigned long long)error.need, (unsigned long long)error.have);
}

/* Others' words for what is wrong with the record. */
static int refused(struct pp_parse *p, const struct pp_error *error)
{
	struct pp_error bare = *error;
	char text[200];

	if (error->code == PP_E_NOMEM)
		return pp_fail(p->error, PP_E_NOMEM, NULL);
	bare.located = false;
	pp_error_text(&bare, text, sizeof(text));
	return pp_parse_fail(p, NULL, "%s", text);
}

/* What the record says about events is kept; then it is put in the stream's byte order. */
static int finish(struct pp_parse *p, struct pp_record *rec, bool told)
{
	struct pp_error error = { .code = PP_OK };

	if (check_reading(p, rec, told))
		return -1;
	if (pp_attrs_note(p->attrs, rec, &error))
		return refused(p, &error);
	rec->foreign = p->foreign;
	return p->foreign && pp_convert(rec, PP_FROM_HOST, &error) ? refused(p, &error) : 0;
}

static int parse_record(struct pp_parse *p, struct members *m, struct pp_line *line)
{
	struct pp_record *const rec = &line->record;
	struct envelope e;
	uint32_t type = 0;

	if (take_envelope(p, m, &e) || type_number(p, e.type, &type))
		return -1;
	if (!p->type && !e.raw)
		return pp_parse_fail(p, "raw", "need the bytes of a record whose type has no name");
	p->open_ended = false;
	p->tail_unsaid = 0;
	p->reg[PP_R_TAIL] = 0;
	if (e.raw ? put_raw(p, &e) : put_record(p, &e))
		return -1;
	put_header(p, &e, type);
	*rec = (struct pp_record){
		.data = p->buf, .type = type, .misc = (uint16_t)e.misc_value,
		.size = (uint16_t)p->at, .attrs = p->attrs, .attr = p->attr,
	};
	line->kind = PP_LINE_RECORD;
	if (e.raw) {
		rec->foreign = p->foreign;
		return 0;
	}
	rec->tail = p->reg[PP_R_TAIL];
	line->tail_unsaid = p->tail_unsaid;
	return finish(p, rec, e.size != NULL);
}

/* ---- Lines --------------------------------------------------------------------------------- */

static int parse_header(struct pp_parse *p, struct members *m, struct pp_line *line)
{
	static const uint16_t one = 1;
	const bool host_is_big = !*(const uint8_t *)&one;
	const struct json *const schema = pp_parse_take(p, m, "schema", "");
	const struct json *const magic = pp_parse_take(p, m, "magic", "");
	const struct json *const order = pp_parse_take(p, m, "byte_order", "");

	if (p->begun)
		return pp_parse_fail(p, "schema", "need it in the first line only");
	if (!is_text(schema, "perfpipe.records/1"))
		return pp_parse_fail(p, "schema", "need perfpipe.records/1");
	if (magic && !is_text(magic, "PERFILE2") && !is_text(magic, "PERFFILE"))
		return pp_parse_fail(p, "magic", "need PERFILE2, or PERFFILE for version 1");
	if (order && !is_text(order, "little") && !is_text(order, "big"))
		return pp_parse_fail(p, "byte_order", "need little or big");
	if (pp_parse_used(p, m, "the first line"))
		return -1;
	line->kind = PP_LINE_HEADER;
	line->version_1 = magic && is_text(magic, "PERFFILE");
	line->foreign = p->foreign = order && is_text(order, "big") != host_is_big;
	return 0;
}

/* The bytes take the place of their digits. */
static int parse_tail(struct pp_parse *p, struct members *m, char *text, struct pp_line *line)
{
	const struct json *const node = pp_parse_take(p, m, "tail", "");
	const int64_t bytes = pp_parse_hex(p, "tail", node);

	if (bytes < 0 || pp_parse_used(p, m, "a tail"))
		return -1;
	if (!pp_parse_unhex((uint8_t *)text, node->text, (size_t)bytes))
		return pp_parse_fail(p, "tail", "need hex digits");
	line->kind = PP_LINE_TAIL;
	line->tail = (const uint8_t *)text;
	line->tail_size = (size_t)bytes;
	return 0;
}

static int parse_end(struct pp_parse *p, struct members *m, struct pp_line *line)
{
	const struct json *const node = pp_parse_take(p, m, "end", "");

	if (!is_text(node, "damaged"))
		return pp_parse_fail(p, "end", "need damaged");
	line->kind = PP_LINE_END;
	return pp_parse_used(p, m, "the last line");
}

int pp_parse_line(struct pp_parse *p, char *text, size_t length, struct pp_line *line,
		  struct pp_error *error)
{
	struct members m;
	int status;

	*line = (struct pp_line){ .kind = PP_LINE_BLANK };
	*error = (struct pp_error){ .code = PP_OK };
	p->error = error;
	p->depth = 0;
	p->type = NULL;
	p->attr = NULL;
	p->body = NULL;
	text[length] = '\0';
	if (strspn(text, " \t\r") == length)
		return 0;
	if (pp_json_parse(&p->doc, text, length))
		return p->doc.no_memory
			       ? pp_fail(error, PP_E_NOMEM, NULL)
			       : pp_parse_fail(p, NULL, "not JSON: need %s at byte %zu of the line",
					       p->doc.wrong, p->doc.at);
	if (p->doc.nodes->kind != JSON_OBJECT)
		return pp_parse_need(p, NULL, "an object", p->doc.nodes);
	m = members_of(p->doc.nodes);
	if (pp_parse_peek(p, &m, "type", ""))
		status = parse_record(p, &m, line);
	else if (pp_parse_peek(p, &m, "tail", ""))
		status = parse_tail(p, &m, text, line);
	else if (pp_parse_peek(p, &m, "end", ""))
		status = parse_end(p, &m, line);
	else if (pp_parse_peek(p, &m, "schema", ""))
		return parse_header(p, &m, line);
	else
		status = pp_parse_fail(p, "type", "need the type of a record");
	p->begun = true;
	if (status)
		pp_error_type(error, p->type ? p->type->number : 0);
	else
		error->code = PP_OK;  /* what was tried on the way */
	return status;
}

void pp_parse_tail(struct pp_record *rec, size_t unsaid, uint64_t size)
{
	const struct pp_type *const type = pp_type(rec->type);
	unsigned width = 0;

	for (row_t *row = type ? type->fields : NULL; row && row->name; row++)
		if (row->set == PP_R_TAIL)
			width = pp_kind_width[row->kind];
	rec->tail = size;
	if (rec->foreign)
		size = pp_swap_width(size, width);
	if (width)
		store(rec->data + unsaid, width, size);
}

struct pp_parse *pp_parse_new(void)
{
	struct pp_parse *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->attrs = pp_attrs_new();
	p->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!p->attrs || !p->c) {
		pp_parse_free(p);
		return NULL;
	}
	return p;
}

void pp_parse_free(struct pp_parse *p)
{
	if (!p)
		return;
	pp_json_free(&p->doc);
	pp_attrs_free(p->attrs);
	if (p->c)
		freelocale(p->c);
	free(p);
}
