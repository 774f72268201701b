/*
 * fields_from_json.c - the fields of one record from JSON to bytes, by the rows and registers that
 * walk.c reads them with.  record_from_json.c does the rest of a line.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/record_from_json.h"

enum { NAME_ALIGN = 64 };               /* perf rounds the width of an LSTR up to this */

/* ---- Failing: what was expected, and where ------------------------------------------------- */

__attribute__((format(printf, 3, 4)))
int pp_parse_fail(struct pp_parse *p, const char *name, const char *expected, ...)
{
	char to[sizeof(p->error->detail)] = "";
	const size_t size = sizeof(to);
	size_t at = 0;
	va_list args;

	for (unsigned i = 0; i < p->depth && at < size / 2; i++) {
		const struct place *const place = &p->place[i];

		at += (size_t)snprintf(to + at, size - at, "%s", place->name);
		if (place->element != UINT32_MAX && at < size)
			at += (size_t)snprintf(to + at, size - at, "[%u]", place->element);
		if (at < size && (name || i + 1 < p->depth))
			at += (size_t)snprintf(to + at, size - at, ".");
	}
	if (name && at < size)
		at += (size_t)snprintf(to + at, size - at, "%.60s", name);
	if (at && at < size)
		at += (size_t)snprintf(to + at, size - at, ": ");
	va_start(args, expected);
	if (at < size)
		(void)vsnprintf(to + at, size - at, expected, args);
	va_end(args);
	return pp_fail(p->error, PP_E_VALUE, "%s", to);
}

int pp_parse_need(struct pp_parse *p, const char *name, const char *kind, const struct json *have)
{
	return pp_parse_fail(p, name, "need %s, have %s", kind, pp_json_kind_name(have));
}

/* ---- Members ------------------------------------------------------------------------------- */

/* Whether a member is called `name`, or `name` and `suffix`. */
static inline bool is_called(const struct json *node, const char *name, const char *suffix)
{
	uint32_t i = 0;

	while (i < node->key_length && name[i] && node->key[i] == name[i])
		i++;
	if (name[i])
		return false;
	for (; *suffix; suffix++, i++)
		if (i == node->key_length || node->key[i] != *suffix)
			return false;
	return i == node->key_length;
}

/* The first member of that name that was not taken, or NULL. */
struct json *pp_parse_peek(struct pp_parse *p, const struct members *m, const char *name,
			 const char *suffix)
{
	struct json *node;

	if (m->used == m->count)
		return NULL;
	for (node = m->next; node; node = sibling(p, node))
		if (!node->used && is_called(node, name, suffix))
			return node;
	for (node = m->first; node && node != m->next; node = sibling(p, node))
		if (!node->used && is_called(node, name, suffix))
			return node;
	return NULL;
}

struct json *pp_parse_take(struct pp_parse *p, struct members *m, const char *name,
			   const char *suffix)
{
	struct json *const node = pp_parse_peek(p, m, name, suffix);

	if (node) {
		node->used = true;
		m->used++;
		m->next = sibling(p, node);
	}
	return node;
}

static bool is_text_row(row_t *row)
{
	return row->kind >= PP_CHARS && row->kind <= PP_LSTR;
}

static bool is_given(struct pp_parse *p, const struct members *m, row_t *row)
{
	return pp_parse_peek(p, m, row->name, "") ||
	       (is_text_row(row) && pp_parse_peek(p, m, row->name, "_hex"));
}

/* All members have to be fields: one that is left over is a mistake. */
int pp_parse_used(struct pp_parse *p, const struct members *m, const char *whose)
{
	const struct json *node = m->first;
	char name[48];

	if (m->used == m->count)
		return 0;
	while (node->used)
		node = sibling(p, node);
	snprintf(name, sizeof(name), "%.*s", (int)(node->key_length < 40 ? node->key_length : 40),
		 node->key);
	if (p->type && p->type->words & PP_OF_KERNEL && !p->attr && !p->depth)
		return pp_parse_fail(p, name, "no earlier event describes this record");
	return pp_parse_fail(p, name, "is not a field of %s here, or is given twice", whose);
}

/* ---- Bytes --------------------------------------------------------------------------------- */

/* Room for `n` more bytes; NULL where they do not fit. */
static uint8_t *reserve(struct pp_parse *p, const char *name, uint64_t n)
{
	uint8_t *const to = p->buf + p->at;

	if (!pp_fits(n, p->limit - p->at)) {
		pp_parse_fail(p, name, "need room for %llu bytes, have %zu%s",
			      (unsigned long long)n, p->limit - p->at,
			      p->known ? " by the size that is given" : "");
		return NULL;
	}
	p->at += (size_t)n;
	return to;
}

int pp_parse_zeros(struct pp_parse *p, const char *name, uint64_t n)
{
	uint8_t *const to = reserve(p, name, n);

	if (!to)
		return -1;
	memset(to, 0, (size_t)n);
	return 0;
}

/* A hex digit's value, or above 15. */
static const uint8_t digit[256] = {
#define D(c, v) [c] = (v) + 1
	D('0', 0), D('1', 1), D('2', 2), D('3', 3), D('4', 4), D('5', 5), D('6', 6), D('7', 7),
	D('8', 8), D('9', 9), D('a', 10), D('b', 11), D('c', 12), D('d', 13), D('e', 14),
	D('f', 15), D('A', 10), D('B', 11), D('C', 12), D('D', 13), D('E', 14), D('F', 15),
#undef D
};

static inline unsigned digit_of(char c)
{
	return digit[(unsigned char)c] - 1u;
}

/* `n` bytes from 2 * n digits; `to` may be the same place.  False: some are not digits. */
bool pp_parse_unhex(uint8_t *to, const char *from, size_t n)
{
	unsigned bad = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned high = digit_of(from[2 * i]), low = digit_of(from[2 * i + 1]);

		bad |= high | low;
		to[i] = (uint8_t)(high << 4 | low);
	}
	return bad < 16;
}

/* Bytes of a text of hex digits, or -1. */
int64_t pp_parse_hex(struct pp_parse *p, const char *name, const struct json *node)
{
	if (node->kind != JSON_TEXT)
		return pp_parse_need(p, name, "a text of hex digits", node);
	if (node->length % 2)
		return pp_parse_fail(p, name, "need two hex digits for each byte, have %u",
				     node->length);
	return node->length / 2;
}

/* Appends them, and zeros up to `width`. */
int pp_parse_put_hex(struct pp_parse *p, const char *name, const struct json *node, uint64_t width)
{
	uint8_t *const to = reserve(p, name, width);
	const size_t n = node->length / 2;

	if (!to)
		return -1;
	if (!pp_parse_unhex(to, node->text, n))
		return pp_parse_fail(p, name, "need hex digits");
	memset(to + n, 0, (size_t)width - n);
	return 0;
}

/* ---- Numbers ------------------------------------------------------------------------------- */

static bool parse_hex(const struct json *node, uint64_t *v)
{
	unsigned bad = 0;

	*v = 0;
	if (node->length < 3 || node->length > 18 || node->text[0] != '0' || node->text[1] != 'x')
		return false;
	for (uint32_t i = 2; i < node->length; i++) {
		const unsigned d = digit_of(node->text[i]);

		bad |= d;
		*v = *v << 4 | (d & 15);
	}
	return bad < 16;
}

bool pp_parse_dec(const struct json *node, uint64_t *v, bool *negative)
{
	uint32_t i = 0;

	*negative = node->length && node->text[0] == '-';
	i += *negative;
	*v = 0;
	if (i == node->length)
		return false;
	for (; i < node->length; i++) {
		const unsigned d = (unsigned)(unsigned char)node->text[i] - '0';

		if (d > 9 || *v > (UINT64_MAX - d) / 10)
			return false;
		*v = *v * 10 + d;
	}
	return true;
}

/* strtod in the words of JSON, whatever the caller's locale. */
static bool parse_double(struct pp_parse *p, const struct json *node, double *v)
{
	char text[400];

	if (node->length >= sizeof(text))
		return false;
	memcpy(text, node->text, node->length);
	text[node->length] = '\0';
	*v = strtod_l(text, NULL, p->c);
	return true;
}

static int word_of(struct pp_parse *p, row_t *row, struct json *object, uint64_t *v);

static bool is_signed_row(row_t *row)
{
	return row->kind == PP_S32 || row->kind == PP_S64;
}

static int need_number(struct pp_parse *p, row_t *row, const struct json *node)
{
	const unsigned bits = pp_kind_width[row->kind] * 8u;

	if (node->kind != JSON_NUMBER && node->kind != JSON_TEXT)
		return pp_parse_need(p, row->name,
				     row->parts ? "an object of its parts" : "a number", node);
	if (row->kind == PP_F64)
		return pp_parse_fail(p, row->name, "need a number, or its bits as \"0x...\"");
	return pp_parse_fail(p, row->name, "need a %s number of %u bits, have %.*s",
		    is_signed_row(row) ? "signed" : "whole", bits,
		    (int)(node->length < 40 ? node->length : 40), node->text);
}

static int double_bits(struct pp_parse *p, row_t *row, const struct json *node, uint64_t *v)
{
	double d;

	if (node->kind == JSON_TEXT && parse_hex(node, v))
		return 0;
	if (node->kind != JSON_NUMBER || !parse_double(p, node, &d))
		return need_number(p, row, node);
	memcpy(v, &d, sizeof(d));
	return 0;
}

/* The value of a row, as it is stored in `width` bytes. */
int pp_parse_number(struct pp_parse *p, row_t *row, struct json *node, uint64_t *v)
{
	const unsigned bits = pp_kind_width[row->kind] * 8u;
	const uint64_t most = UINT64_MAX >> (64 - bits);
	bool negative = node->negative, whole = node->whole;

	if (row->kind == PP_F64)
		return double_bits(p, row, node, v);
	if (node->kind == JSON_TEXT && node->length > 1 && node->text[1] == 'x') {
		/* bits as they are, also of a signed number */
		if (!parse_hex(node, v) || *v > most)
			return need_number(p, row, node);
		return 0;
	}
	*v = node->value;
	if (node->kind == JSON_OBJECT && row->parts)
		return word_of(p, row, node, v);
	if (node->kind == JSON_TEXT)
		whole = pp_parse_dec(node, v, &negative);
	else if (node->kind == JSON_NUMBER && !whole) {
		double d;

		/* as some writers of JSON put large numbers: 1e+18 */
		whole = parse_double(p, node, &d) && d >= -0x1p63 && d < 0x1p63 &&
			(double)(int64_t)d == d;
		*v = whole ? (uint64_t)(d < 0 ? -(int64_t)d : (int64_t)d) : 0;
	} else if (node->kind != JSON_NUMBER) {
		return need_number(p, row, node);
	}
	if (!whole || *v > (is_signed_row(row) ? most / 2 + negative : negative ? 0 : most))
		return need_number(p, row, node);
	if (negative)
		*v = -*v & most;
	return 0;
}

/* A word from its parts: {"mispred":1,...}; "raw" is the whole, before parts are set in it. */
static int word_of(struct pp_parse *p, row_t *row, struct json *object, uint64_t *v)
{
	struct members m = members_of(object);
	struct json *node = pp_parse_take(p, &m, "raw", "");

	*v = 0;
	if (row->name)
		enter(p, row->name, UINT32_MAX);
	if (node && pp_parse_number(p, &(row_t){ .kind = PP_U64, .name = "raw" }, node, v))
		return -1;
	for (const struct pp_part *part = row->parts; part->width && m.used < m.count; part++) {
		const struct pp_field one = { .kind = PP_U64, .name = part->name };
		const uint64_t most = UINT64_MAX >> (64 - part->width);
		uint64_t n = 1;

		node = pp_parse_take(p, &m, part->name, "");
		if (!node)
			continue;
		if (node->kind == JSON_FALSE)
			n = 0;
		else if (node->kind != JSON_TRUE && pp_parse_number(p, &one, node, &n))
			return -1;
		if (n > most)
			return pp_parse_fail(p, part->name, "need a number of %u bits",
					     part->width);
		*v = (*v & ~(most << part->bit)) | n << part->bit;
	}
	if (pp_parse_used(p, &m, "this word"))
		return -1;
	p->depth -= row->name != NULL;
	return 0;
}

/* ---- Which rows are there, and how often --------------------------------------------------- */

/* Whether this row or a later one is given; `full`: and is not an empty list. */
static bool given_from(struct pp_parse *p, const struct members *m, row_t *row, bool full)
{
	for (; row->name; row++) {
		const struct json *const node = pp_parse_peek(p, m, row->name, "");

		if (node ? !full || node->length : is_given(p, m, row))
			return true;
	}
	return false;
}

static bool holds(struct pp_parse *p, const struct members *m, row_t *row,
		  const struct pp_when *when)
{
	if (when->reg == PP_R_LEFT && !p->known)
		return given_from(p, m, row, false);
	if (when->reg == PP_R_LEFT)
		p->reg[PP_R_LEFT] = p->limit - p->at;
	/* the stream did not say: readers will not know either, but the bytes are there */
	if (when->reg != PP_R_LEFT && pp_is_readers(when->reg) && !p->reg[when->reg])
		return given_from(p, m, row, true);
	return pp_holds(when, p->reg);
}

static bool is_there(struct pp_parse *p, const struct members *m, row_t *row)
{
	return holds(p, m, row, &row->when) && holds(p, m, row, &row->also);
}

/* How many elements a row has; UINT64_MAX: as many as are given. */
static uint64_t elements(const struct pp_parse *p, row_t *row)
{
	return pp_is_readers(row->by) ? UINT64_MAX : pp_row_count(row, p->reg, UINT64_MAX);
}

/* A number that says how long another field is: as long as that is, if it is given. */
static bool length_of(struct pp_parse *p, const struct members *m, row_t *row, uint64_t *n)
{
	for (row_t *r = row + 1; r->name && r->set != row->set; r++) {
		const struct json *const node =
			r->by == row->set ? pp_parse_peek(p, m, r->name, "") : NULL;

		if (!node || (r->kind != PP_BYTES && node->kind != JSON_LIST))
			continue;
		*n = r->kind == PP_BYTES ? node->length / 2
					 : (uint64_t)node->length * (r->per ? r->per : 1);
		return true;
	}
	return false;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* What a trailer says of the task and the time its record may say itself. */
static uint64_t body_value(struct pp_parse *p, row_t *row)
{
	struct json *node = p->body->first;
	uint64_t v;

	while (node && !is_called(node, row->name, ""))
		node = sibling(p, node);
	return node && !pp_parse_number(p, row, node, &v) ? v : 0;
}

/* A number that was not given. */
static uint64_t default_of(struct pp_parse *p, const struct members *m, row_t *row)
{
	uint64_t n;

	if (row->set == PP_R_FEATURE || row->set == PP_R_TAIL)
		return p->reg[row->set];
	if (row->set)
		return length_of(p, m, row, &n) ? n : 0;
	if (row->show == PP_ID && (!p->depth || p->body))
		return p->default_id;
	if (p->body)
		return body_value(p, row);
	if (p->is_named && p->depth == 1)
		return !strcmp(row->name, "type") ? p->named_type :
		       !strcmp(row->name, "config") ? p->named_config : 0;
	return 0;
}

int pp_parse_put_number(struct pp_parse *p, row_t *row, struct members *m)
{
	const unsigned width = pp_kind_width[row->kind];
	struct json *const node = pp_parse_take(p, m, row->name, "");
	uint64_t v = 0, n;
	uint8_t *to;

	if (node && pp_parse_number(p, row, node, &v))
		return -1;
	if (!node)
		v = default_of(p, m, row);
	else if (row->counts && length_of(p, m, row, &n) && n != v)
		return pp_parse_fail(p, row->name, "need %llu, as many as there are, have %llu",
			    (unsigned long long)n, (unsigned long long)v);
	if (width < 8 && v >> 8 * width)
		return pp_parse_fail(p, row->name, "need a number of %u bits, have %llu", 8 * width,
			    (unsigned long long)v);
	to = reserve(p, row->name, width);
	if (!to)
		return -1;
	store(to, width, v);
	if (row->set == PP_R_TAIL && !node)
		p->tail_unsaid = p->at - width;
	if (row->set)
		p->reg[row->set] = row->kind == PP_S32 ? (uint64_t)(int32_t)v : v;
	return 0;
}

static int put_array(struct pp_parse *p, row_t *row, struct members *m)
{
	const struct pp_field one = { .kind = row->kind, .parts = row->parts };
	const unsigned width = pp_kind_width[row->kind];
	struct json *const node = pp_parse_take(p, m, row->name, "");
	const uint64_t wanted = elements(p, row);
	uint64_t n = wanted, v = 0;
	uint32_t i = 0;
	uint8_t *to;

	if (node && node->kind != JSON_LIST)
		return pp_parse_need(p, row->name, "a list", node);
	if (wanted == UINT64_MAX)
		n = node ? node->length : row->show == PP_ID && p->new_id;
	if (node && (row->by ? node->length != n : node->length > n))
		return pp_parse_fail(p, row->name, "need a list of %llu, have %u",
				     (unsigned long long)n, node->length);
	to = reserve(p, row->name, pp_fits_n(n, width, PP_RECORD_MAX) ? n * width : UINT64_MAX);
	if (!to)
		return -1;
	enter(p, row->name, 0);
	for (struct json *e = node && node->length ? node + 1 : NULL; e; e = sibling(p, e)) {
		if (pp_parse_number(p, &one, e, &v))
			return -1;
		store(to + (size_t)i * width, width, v);
		p->place[p->depth - 1].element = ++i;
	}
	p->depth--;
	memset(to + (size_t)i * width, 0, (size_t)(n - i) * width);
	if (!node && n && wanted == UINT64_MAX)
		store(to, width, p->new_id);
	return 0;
}

/* A text that is given as such, and zeros up to `width`. */
static int put_json_text(struct pp_parse *p, row_t *row, const struct json *node, uint64_t width)
{
	const uint32_t length = node ? node->length : 0;
	uint8_t *to;

	if (length && memchr(node->text, 0, length))
		return pp_parse_fail(p, row->name,
				     "need a text without a zero byte; %s_hex may have one",
				     row->name);
	if (length > width)
		return pp_parse_fail(p, row->name, "need a text of at most %llu bytes, have %u",
			    (unsigned long long)width, length);
	to = reserve(p, row->name, width);
	if (!to)
		return -1;
	if (length)
		memcpy(to, node->text, length);
	memset(to + length, 0, (size_t)width - length);
	return 0;
}

/* u32 width, then text in that width: as perf pads it, or as `told` says. */
static int put_sized_text(struct pp_parse *p, row_t *row, const struct json *text,
			  const struct json *hex, struct json *told)
{
	const uint64_t length = text ? text->length : hex ? hex->length / 2 : 0;
	uint64_t width = hex ? length : (length + 1 + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;
	uint8_t *to;

	if (told && pp_parse_number(p, &(row_t){ .kind = PP_U32, .name = row->name }, told, &width))
		return -1;
	to = reserve(p, row->name, 4);
	if (!to)
		return -1;
	pp_store32(to, (uint32_t)width);
	if (!hex)
		return put_json_text(p, row, text, width);
	if (length > width)
		return pp_parse_fail(p, row->name, "need at most %llu bytes, have %llu",
			    (unsigned long long)width, (unsigned long long)length);
	return pp_parse_put_hex(p, row->name, hex, width);
}

/* How many bytes a text of `least` takes here, its end included. */
static uint64_t text_width(const struct pp_parse *p, row_t *row, uint64_t least)
{
	const uint64_t left = p->limit - p->at;
	uint64_t width = least;

	if (row->kind == PP_CHARS && !row->rest)
		return elements(p, row);
	if (row->kind == PP_STR8)
		width = pp_align8(p->at + least) - p->at;
	else if (p->known)
		width = left;
	/* what was padded only up to the end of the record, or was given as so short */
	return p->known && width > left && least <= left ? left : width < least ? least : width;
}

static int put_any_text(struct pp_parse *p, row_t *row, struct members *m)
{
	struct json *const text = pp_parse_take(p, m, row->name, "");
	struct json *const hex = text ? NULL : pp_parse_take(p, m, row->name, "_hex");
	int64_t bytes = 0;
	uint64_t width;

	if (text && text->kind != JSON_TEXT)
		return pp_parse_need(p, row->name, "a text", text);
	if (hex && (bytes = pp_parse_hex(p, row->name, hex)) < 0)
		return -1;
	if (row->kind == PP_LSTR)
		return put_sized_text(p, row, text, hex, pp_parse_take(p, m, row->name, "_size"));
	if (!hex) {
		const uint32_t length = text ? text->length : 0;
		/* a text in a fixed width need not end in a zero byte */
		const bool ends = row->kind != PP_CHARS || !p->known;

		return put_json_text(p, row, text, text_width(p, row, (uint64_t)length + ends));
	}
	width = text_width(p, row, (uint64_t)bytes);
	if ((uint64_t)bytes > width)
		return pp_parse_fail(p, row->name, "need at most %llu bytes, have %lld",
			    (unsigned long long)width, (long long)bytes);
	if (pp_parse_put_hex(p, row->name, hex, width))
		return -1;
	if (row->kind != PP_CHARS && !memchr(p->buf + p->at - width, 0, (size_t)width))
		return pp_parse_fail(p, row->name, "need a zero byte at the end of the text");
	return 0;
}

static int put_bytes(struct pp_parse *p, row_t *row, struct members *m)
{
	struct json *const node = pp_parse_take(p, m, row->name, "");
	const uint64_t n = elements(p, row);
	const int64_t bytes = node ? pp_parse_hex(p, row->name, node) : 0;

	if (bytes < 0)
		return -1;
	if (!node)
		return pp_parse_zeros(p, row->name, n == UINT64_MAX ? 0 : n);
	if (n == UINT64_MAX) {
		p->open_ended = true;
		return pp_parse_put_hex(p, row->name, node, (uint64_t)bytes);
	}
	if (row->by ? (uint64_t)bytes != n : (uint64_t)bytes > n)
		return pp_parse_fail(p, row->name, "need %llu bytes, have %lld",
				     (unsigned long long)n, (long long)bytes);
	return pp_parse_put_hex(p, row->name, node, n);
}

/* A byte that is looked at before it is written: what the first field that is given and is there
 * if it begins so would put there. */
static int look(struct pp_parse *p, row_t *row, const struct members *m)
{
	for (row_t *r = row + 1; r->name; r++) {
		struct json *const node =
			r->when.reg == row->set ? pp_parse_peek(p, m, r->name, "") : NULL;
		uint8_t bytes[8];
		uint64_t v;

		if (!node || r->kind > PP_PARTS)
			continue;
		if (pp_parse_number(p, r, node, &v))
			return -1;
		store(bytes, pp_kind_width[r->kind], v);
		p->reg[row->set] = bytes[0];
		if (pp_is_there(r, p->reg))
			return 0;
	}
	p->reg[row->set] = 0;
	return 0;
}

/* ---- Structures ---------------------------------------------------------------------------- */

/* Bytes up to the end that no row covers. */
int pp_parse_put_rest(struct pp_parse *p, struct members *m)
{
	struct json *const node = pp_parse_take(p, m, pp_field_rest.name, "");
	int64_t bytes;

	if (!node)
		return 0;
	bytes = pp_parse_hex(p, "rest", node);
	return bytes < 0 ? -1 : pp_parse_put_hex(p, "rest", node, (uint64_t)bytes);
}

/* The size of a structure as it says itself, which it ends with; 0: not said. */
static int put_span(struct pp_parse *p, row_t *row, struct members *m, size_t start, bool *spans)
{
	const unsigned width = pp_kind_width[row->kind];
	const bool given = is_given(p, m, row);
	const size_t at = p->at;
	uint64_t size;

	if (pp_parse_put_number(p, row, m))
		return -1;
	size = width == 4 ? pp_load32(p->buf + at) : pp_load16(p->buf + at);
	if (*spans && !given)
		store(p->buf + at, width, p->limit - start);
	if (*spans || !given)
		return 0;
	size = size ? size : 64;
	if (size < p->at - start || !pp_fits(size, p->limit - start))
		return pp_parse_fail(p, row->name, "need a size from %zu to %zu, have %llu",
				     p->at - start, p->limit - start, (unsigned long long)size);
	p->limit = start + (size_t)size;
	p->known = true;
	*spans = true;
	return 0;
}

/* The rows of one structure from an object, or from nothing, in `size` bytes; UINT64_MAX: in as
 * many as they need. */
static int put_struct(struct pp_parse *p, row_t *rows, struct json *object, uint64_t size,
		      const char *name)
{
	const struct { size_t limit; bool known; } outer = { p->limit, p->known };
	struct members m = members_of(object);
	int status;

	if (object && object->kind != JSON_OBJECT)
		return pp_parse_need(p, NULL, "an object", object);
	if (size != UINT64_MAX) {
		if (!pp_fits(size, p->limit - p->at))
			return pp_parse_fail(p, NULL, "need room for %llu bytes, have %zu",
				    (unsigned long long)size, p->limit - p->at);
		p->limit = p->at + (size_t)size;
		p->known = true;
	}
	status = pp_parse_put_rows(p, rows, &m, size != UINT64_MAX);
	if (!status)
		status = pp_parse_used(p, &m, name);
	p->limit = outer.limit;
	p->known = outer.known;
	return status;
}

static int put_one(struct pp_parse *p, row_t *row, struct members *m)
{
	const uint64_t number = p->reg[PP_R_FEATURE];
	const struct pp_type *const feature =
		row->feature && number <= UINT32_MAX ? pp_feature((uint32_t)number) : NULL;
	struct json *object;
	int status;

	if (row->feature && !feature)
		return 0;
	object = pp_parse_take(p, m, row->name, "");
	if (p->depth == PP_DEPTH)
		return pp_parse_fail(p, row->name, "is too deep");
	enter(p, row->name, UINT32_MAX);
	status = put_struct(p, feature ? feature->fields : row->of, object,
			    row->by ? p->reg[row->by] : UINT64_MAX,
			    feature ? feature->name : row->name);
	p->depth--;
	return status;
}

/* {"text":...} and the like are a text in a list whose width or padding is odd. */
static int put_item(struct pp_parse *p, row_t *row, struct json *node)
{
	row_t lstr = { .kind = PP_LSTR, .name = row->name };
	struct members m = members_of(node->kind == JSON_OBJECT ? node : NULL);
	struct json *text, *hex, *told;

	if (node->kind == JSON_TEXT)
		return put_sized_text(p, &lstr, node, NULL, NULL);
	if (node->kind != JSON_OBJECT)
		return pp_parse_need(p, NULL, "a text", node);
	text = pp_parse_take(p, &m, "text", "");
	hex = text ? NULL : pp_parse_take(p, &m, "hex", "");
	told = pp_parse_take(p, &m, "size", "");
	if (text && text->kind != JSON_TEXT)
		return pp_parse_need(p, "text", "a text", text);
	if (hex && pp_parse_hex(p, "hex", hex) < 0)
		return -1;
	if (pp_parse_used(p, &m, "a text"))
		return -1;
	return put_sized_text(p, &lstr, text, hex, told);
}

static int put_list(struct pp_parse *p, row_t *row, struct members *m)
{
	struct json *const node = pp_parse_take(p, m, row->name, "");
	uint64_t n = elements(p, row);
	int status = 0;

	if (node && node->kind != JSON_LIST)
		return pp_parse_need(p, row->name, "a list", node);
	if (n == UINT64_MAX)
		n = node ? node->length : 0;
	if (node ? node->length != n : n != 0)
		return pp_parse_fail(p, row->name, "need a list of %llu, have %u",
				     (unsigned long long)n, node ? node->length : 0);
	if (p->depth == PP_DEPTH)
		return pp_parse_fail(p, row->name, "is too deep");
	enter(p, row->name, 0);
	for (struct json *e = n ? node + 1 : NULL; e && !status; e = sibling(p, e)) {
		status = row->kind == PP_STRS ? put_item(p, row, e) :
			 put_struct(p, row->of, e, UINT64_MAX, row->name);
		p->place[p->depth - 1].element++;
	}
	p->depth--;
	return status;
}

static inline int put_row(struct pp_parse *p, row_t *row, struct members *m)
{
	switch (row->kind) {
	case PP_CHARS: case PP_STR: case PP_STR8: case PP_LSTR:
		return put_any_text(p, row, m);
	case PP_BYTES:
		return put_bytes(p, row, m);
	case PP_LOOK:
		return look(p, row, m);
	case PP_ONE:
		return put_one(p, row, m);
	case PP_LIST: case PP_STRS:
		return put_list(p, row, m);
	default:
		return pp_is_array(row) ? put_array(p, row, m)
							  : pp_parse_put_number(p, row, m);
	}
}

/* The rows of a structure whose end, where `spans`, is p->limit: then what no row covers, too. */
int pp_parse_put_rows(struct pp_parse *p, row_t *rows, struct members *m, bool spans)
{
	const size_t start = p->at;
	size_t span_at = 0;
	row_t *span = NULL;

	for (row_t *row = rows; row->name; row++) {
		if (spans && p->limit - p->at < pp_kind_width[row->kind])
			break;
		if ((row->when.test || row->also.test) && !is_there(p, m, row))
			continue;
		if (row->spans) {
			span = row;
			span_at = p->at;
			if (put_span(p, row, m, start, &spans))
				return -1;
			continue;
		}
		if (put_row(p, row, m))
			return -1;
	}
	if (span && !spans)
		store(p->buf + span_at, pp_kind_width[span->kind], p->at - start);
	if (!spans)
		return 0;
	return pp_parse_put_rest(p, m) ? -1 : pp_parse_zeros(p, "rest", p->limit - p->at);
}
