/* tracepoint_values.c - what samples of tracepoints carry: their raw data, the values of fields in it,
 * and these as text and as JSON. */
#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"
#include "base/format_number.h"

/* ---- Where they are ---- */

/* Where nothing of varying length but a call chain comes before the raw data, which then have
 * a place that can be computed: that place, or 0. */
static size_t place_of_raw(const struct pp_record *rec)
{
	static const uint64_t plain = PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME | PP_SAMPLE_ADDR |
				      PP_SAMPLE_ID | PP_SAMPLE_STREAM_ID | PP_SAMPLE_CPU |
				      PP_SAMPLE_PERIOD | PP_SAMPLE_CALLCHAIN | PP_SAMPLE_RAW |
				      PP_SAMPLE_IDENTIFIER;
	const struct pp_attr *const a = rec->attr;
	const uint8_t *ips;
	uint64_t n;

	/* what follows the raw data does not matter */
	if (a->plan.raw || a->sample_type & (PP_SAMPLE_RAW - 1) & ~plain)
		return a->plan.raw;
	return a->sample_type & PP_SAMPLE_CALLCHAIN && pp_callchain(rec, &ips, &n) ?
	       (size_t)(ips - rec->data) + n * sizeof(uint64_t) : 0;
}

bool pp_tracepoint_raw(const struct pp_record *rec, const void **raw, size_t *size)
{
	struct pp_cursor c;
	size_t at;

	if (rec->type != PP_REC_SAMPLE || rec->foreign || !rec->attr ||
	    !(rec->attr->sample_type & PP_SAMPLE_RAW))
		return false;
	at = place_of_raw(rec);
	if (at && pp_fits(at + sizeof(uint32_t), rec->size)) {
		*raw = rec->data + at + sizeof(uint32_t);
		*size = pp_load32(rec->data + at);
		return pp_fits(*size, rec->size - at - sizeof(uint32_t));
	}
	pp_walk(&c, rec);
	if (pp_walk_find(&c, PP_IS_RAW) <= 0)
		return false;
	*raw = c.data;
	*size = c.count;
	return true;
}

/* ---- Values ---- */

bool pp_tracepoint_bytes(const struct pp_tracepoint_field *f, const void *raw, size_t size,
			 const uint8_t **data, size_t *length)
{
	const uint8_t *const bytes = raw;
	uint64_t at = f->offset, n = f->size;
	uint32_t told;

	if (!pp_fits(at, size) || !pp_fits(n, size - at))
		return false;
	if (f->dynamic) {
		told = pp_in_order32(bytes + at, f->foreign);
		at = (told & 0xffff) + (f->relative ? at + n : 0);
		n = told >> 16;
		if (!pp_fits(at, size) || !pp_fits(n, size - at))
			return false;
	} else if (!n && f->array) {
		n = size - at;        /* char buf[]: all that is left */
	}
	*data = bytes + at;
	*length = (size_t)n;
	return true;
}

bool pp_tracepoint_u64(const struct pp_tracepoint_field *f, const void *raw, size_t size, size_t i,
		       uint64_t *value)
{
	const uint64_t width = f->element;
	const uint8_t *data;
	uint64_t v;
	size_t length;

	if (f->kind > PP_TRACE_SIGNED || !pp_tracepoint_bytes(f, raw, size, &data, &length) ||
	    !pp_fits(width, length) || !pp_fits_n(i, width, length - width))
		return false;
	data += i * width;
	v = pp_load_width(data, width);
	if (f->foreign)
		v = pp_swap_width(v, width);
	if (f->kind == PP_TRACE_SIGNED && width < 8 && v >> (8 * width - 1))
		v |= UINT64_MAX << 8 * width;
	*value = v;
	return true;
}

bool pp_tracepoint_text(const struct pp_tracepoint_field *f, const void *raw, size_t size,
			const char **text, size_t *length)
{
	const uint8_t *data, *nul;
	size_t n;

	if (f->kind != PP_TRACE_TEXT || !pp_tracepoint_bytes(f, raw, size, &data, &n))
		return false;
	nul = n ? memchr(data, 0, n) : NULL;
	*text = (const char *)data;
	*length = nul ? (size_t)(nul - data) : n;
	return true;
}

/* ---- Text ---- */

static void text_number(struct pp_out *out, const struct pp_tracepoint_field *f, uint64_t v)
{
	if (f->pointer)
		pp_out_hex(out, v);
	else if (f->kind == PP_TRACE_SIGNED)
		pp_out_int(out, (int64_t)v);
	else
		pp_out_dec(out, v);
}

/* As in all our text: \xNN for what cannot be printed, quotes and backslashes. */
static void text_string(struct pp_out *out, const char *text, size_t length)
{
	pp_out_char(out, '"');
	while (length) {
		const char *p = text;

		while (length && *p != '"' && *p != '\\') {
			p++;
			length--;
		}
		pp_out_printable(out, text, (size_t)(p - text));
		if (!length)
			break;
		pp_out_text(out, "\\x");
		pp_out_hex_bytes(out, p, 1);
		text = p + 1;
		length--;
	}
	pp_out_char(out, '"');
}

static void text_value(struct pp_out *out, const struct pp_tracepoint_field *f, const void *raw,
		       size_t size)
{
	const uint8_t *data;
	const char *text;
	uint64_t v;
	size_t n;

	if (f->kind == PP_TRACE_TEXT && pp_tracepoint_text(f, raw, size, &text, &n)) {
		text_string(out, text, n);
	} else if (f->kind == PP_TRACE_BYTES && pp_tracepoint_bytes(f, raw, size, &data, &n)) {
		pp_out_hex_bytes(out, data, n);
	} else if (!f->array && pp_tracepoint_u64(f, raw, size, 0, &v)) {
		text_number(out, f, v);
	} else {
		pp_out_char(out, '[');
		for (size_t i = 0; pp_tracepoint_u64(f, raw, size, i, &v); i++) {
			if (i)
				pp_out_char(out, ' ');
			text_number(out, f, v);
		}
		pp_out_char(out, ']');
	}
}

void pp_tracepoint_print(struct pp_out *out, const struct pp_tracepoint *p, const void *raw,
			 size_t size)
{
	const uint8_t *data;
	bool first = true;
	size_t n;

	for (size_t i = 0; i < p->n_fields; i++) {
		const struct pp_tracepoint_field *const f = &p->fields[i];

		if (f->common || !pp_tracepoint_bytes(f, raw, size, &data, &n))
			continue;
		if (!first)
			pp_out_char(out, ' ');
		first = false;
		pp_out_bytes(out, f->name, f->name_length);
		pp_out_char(out, '=');
		text_value(out, f, raw, size);
	}
}

/* ---- JSON ---- */

static void json_number(struct pp_json *j, const char *name, const struct pp_tracepoint_field *f,
			uint64_t v)
{
	if (f->pointer)
		pp_json_hex(j, name, v);
	else if (f->kind == PP_TRACE_SIGNED)
		pp_json_int(j, name, (int64_t)v);
	else
		pp_json_number(j, name, v);
}

/* A text that is not UTF-8, as its bytes. */
static void json_not_text(struct pp_json *j, const char *name, const uint8_t *data, size_t n)
{
	pp_json_key(j, NULL);
	pp_out_char(j->out, '"');
	pp_out_text(j->out, name);
	pp_out_text(j->out, "_hex\":\"");
	pp_out_hex_bytes(j->out, data, n);
	pp_out_char(j->out, '"');
}

/* `data` are the field's bytes. */
static void json_field(struct pp_json *j, const struct pp_tracepoint_field *f, const void *raw,
		       size_t size, const uint8_t *data, size_t n)
{
	const char *text;
	uint64_t v = 0;
	size_t length;

	if (f->kind == PP_TRACE_BYTES) {
		pp_json_bytes(j, f->name, data, n);
	} else if (f->kind == PP_TRACE_TEXT) {
		if (!pp_tracepoint_text(f, raw, size, &text, &length) ||
		    !pp_json_text(j, f->name, text, length))
			json_not_text(j, f->name, data, n);
	} else if (!f->array) {
		(void)pp_tracepoint_u64(f, raw, size, 0, &v);
		json_number(j, f->name, f, v);
	} else {
		pp_json_open(j, f->name, '[');
		for (size_t i = 0; pp_tracepoint_u64(f, raw, size, i, &v); i++)
			json_number(j, NULL, f, v);
		pp_json_close(j, ']');
	}
}

void pp_tracepoint_json(struct pp_out *out, const struct pp_tracepoint *p, const void *raw,
			size_t size)
{
	struct pp_json j = { .out = out };
	const uint8_t *data;
	size_t n;

	pp_json_open(&j, NULL, '{');
	for (size_t i = 0; i < p->n_fields; i++)
		if (pp_tracepoint_bytes(&p->fields[i], raw, size, &data, &n))
			json_field(&j, &p->fields[i], raw, size, data, n);
	pp_json_close(&j, '}');
}
