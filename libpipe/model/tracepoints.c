/* tracepoints.c - the fields of tracepoints, read from the formats in the stream.  The language in
 * which the kernel prints tracepoints is not needed here. */
#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"
#include "base/array.h"
#include "format/event_ids.h"
#include "model/tracing_data.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	TAIL_MAX = 64 << 20,          /* bytes of tracing data that are gathered */
	TRACEPOINTS_MAX = 1 << 14,
	FIELDS_MAX = 1024,            /* of a tracepoint */
	LINE_MOST = 512,
};

/* A tracepoint, and how the kernel prints it. */
struct known_point {
	struct pp_tracepoint public;
	char *print;                  /* as print_fmt of it says how it is shown, or NULL */
};

struct pp_tracepoints {
	struct pp_tracepoint **all;   /* those that were replaced as well */
	size_t n_all, room;
	const struct pp_tracepoint **by_id;   /* ascending, each id once */
	size_t n_ids;
	struct pp_buffer tail;        /* gathered so far */
	bool too_large;
	struct pp_error error;        /* of a tail that was watched */
};

/* ---- The text of a format ---- */

struct text { const char *p, *end; };

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(struct text *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
}

static bool skip_key(struct text *t, const char *key)
{
	const size_t length = strlen(key);

	skip_blanks(t);
	if (!pp_fits(length, (uint64_t)(t->end - t->p)) || memcmp(t->p, key, length))
		return false;
	t->p += length;
	return true;
}

static struct text next_line(struct text *t)
{
	const char *nl = memchr(t->p, '\n', (size_t)(t->end - t->p));
	const struct text line = { t->p, nl ? nl : t->end };

	t->p = nl ? nl + 1 : t->end;
	return line;
}

/* A word of letters and digits; its length, or 0. */
static size_t word(struct text *t, const char **start)
{
	skip_blanks(t);
	*start = t->p;
	while (t->p < t->end && is_word(*t->p))
		t->p++;
	return (size_t)(t->p - *start);
}

/* A number below 10^9 and the ';' after it. */
static bool size_of_text(struct text *t, uint32_t *value)
{
	const char *start;
	const size_t length = word(t, &start);

	*value = 0;
	if (!length || length > 9)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (start[i] < '0' || start[i] > '9')
			return false;
		*value = *value * 10 + (uint32_t)(start[i] - '0');
	}
	return skip_key(t, ";");
}

/* "((user))" after __attribute__: left out. */
static bool skip_parentheses(struct text *t)
{
	unsigned depth = 0;

	skip_blanks(t);
	do {
		if (t->p == t->end)
			return false;
		depth += *t->p == '(';
		depth -= depth && *t->p == ')';
		t->p++;
	} while (depth);
	return true;
}

/* What precedes the offset of a field. */
struct declaration {
	char type[2 * LINE_MOST];     /* each word of the line, and blanks between them */
	size_t length;
	const char *name;
	size_t name_length;
	bool array;
	unsigned long count;          /* of elements; 0: not given as a number */
};

/* Adds to the type; a line that is short enough leaves room for it. */
static void add_text(struct declaration *d, const char *text, size_t length)
{
	memcpy(d->type + d->length, text, length);
	d->length += length;
}

static void add_word(struct declaration *d, const char *text, size_t length)
{
	if (d->length)
		add_text(d, " ", 1);
	add_text(d, text, length);
}

/* "[16]", "[NR + 1]", "[]": what is in it; the last word, if it is a number, is the count. */
static bool read_brackets(struct text *t, struct declaration *brackets)
{
	const char *const close = memchr(t->p, ']', (size_t)(t->end - t->p));
	bool after_word = false;

	if (!close)
		return false;
	add_text(brackets, "[", 1);
	brackets->array = true;
	for (t->p++, skip_blanks(t); t->p < close; skip_blanks(t)) {
		const char *start;
		const size_t length = word(t, &start);

		if (!length && (!*t->p || !strchr("+-*/()", *t->p)))
			return false;
		if (length && after_word)
			add_text(brackets, " ", 1);
		add_text(brackets, start, length ? length : 1);
		/* what follows is no part of a number: there is a ']' at least */
		brackets->count = length ? strtoul(start, NULL, 0) : 0;
		after_word = length;
		t->p += !length;
	}
	add_text(brackets, "]", 1);
	t->p = close + 1;
	return true;
}

/* A type and a name, as far as the ';': "const char * name", "char comm[16]",
 * "__data_loc char[] name". */
static bool read_declaration(struct text *t, struct declaration *d)
{
	struct declaration brackets;
	unsigned words = 0, after = 0;
	bool star = false;

	d->length = d->count = brackets.length = brackets.count = 0;
	d->array = brackets.array = false;
	for (skip_blanks(t); t->p < t->end && *t->p != ';'; skip_blanks(t)) {
		const char *start;
		const size_t length = word(t, &start);

		if (length == 13 && !memcmp(start, "__attribute__", 13)) {
			if (!skip_parentheses(t))
				return false;
		} else if (length) {
			if (brackets.array && ++after > 1)
				return false;
			if (words++ && !star)
				add_word(d, d->name, d->name_length);
			d->name = start;
			d->name_length = length;
			star = false;
		} else if (*t->p == '*' && words && !brackets.array) {
			if (!star)
				add_word(d, d->name, d->name_length);
			add_word(d, "*", 1);
			t->p++;
			star = true;
		} else if (*t->p == '[' && words > 1 && !star && !brackets.array) {
			if (!read_brackets(t, &brackets))
				return false;
		} else {
			return false;
		}
	}
	add_text(d, brackets.type, brackets.length);
	d->array = brackets.array;
	d->count = brackets.count;
	return words > 1 && !star && skip_key(t, ";");
}

/* ---- What it says of a field ---- */

/* Bytes of an element of an array whose length is not given. */
static uint32_t element_of(const char *type, uint8_t long_size)
{
	static const struct { const char *text; uint8_t size; } sizes[] = {
		{ "char", 1 }, { "u8", 1 }, { "s8", 1 }, { "bool", 1 }, { "int8", 1 },
		{ "u16", 2 }, { "s16", 2 }, { "short", 2 }, { "int16", 2 },
		{ "u64", 8 }, { "s64", 8 }, { "long long", 8 }, { "int64", 8 },
		{ "u32", 4 }, { "s32", 4 }, { "pid_t", 4 }, { "int32", 4 },
	};

	if (strstr(type, "struct ") || strstr(type, "union ") || strchr(type, '*'))
		return 0;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (strstr(type, sizes[i].text))
			return sizes[i].size;
	return strstr(type, "long") ? long_size : strstr(type, "int") ? 4 : 0;
}

static enum pp_trace_kind kind_of(const struct pp_tracepoint_field *f, bool is_signed)
{
	/* u8 is for addresses, most of the time, and no text */
	if (f->array && strstr(f->type, "char") && !strstr(f->type, "unsigned char"))
		return PP_TRACE_TEXT;
	if (f->element != 1 && f->element != 2 && f->element != 4 && f->element != 8)
		return PP_TRACE_BYTES;
	if (!f->array && strstr(f->type, "struct ") && !strchr(f->type, '*'))
		return PP_TRACE_BYTES;
	return is_signed ? PP_TRACE_SIGNED : PP_TRACE_NUMBER;
}

/* 0, or -1: out of memory. */
static int make_field(struct pp_tracepoint_field *f, const struct declaration *d, bool is_signed,
		      const struct pp_tracing *t)
{
	const char *type;

	f->name = strndup(d->name, d->name_length);
	f->type = type = strndup(d->type, d->length);
	if (!f->name || !type)
		return -1;
	f->relative = !strncmp(type, "__rel_loc", 9);
	f->dynamic = f->relative || !strncmp(type, "__data_loc", 10);
	f->array = d->array || f->dynamic;
	/* a place takes 4 bytes; the 2-byte form of old kernels is unknown here */
	if (f->size != 4)
		f->dynamic = f->relative = false;
	f->name_length = (uint32_t)d->name_length;
	f->pointer = strchr(type, '*');
	f->common = !strncmp(f->name, "common_", 7);
	f->foreign = t->foreign;
	if (!f->array)
		f->element = f->size;
	else if (d->count)
		f->element = (uint32_t)(f->size / d->count);
	if (!f->element)
		f->element = element_of(type, t->long_size);
	f->kind = kind_of(f, is_signed);
	if (f->kind == PP_TRACE_TEXT || !f->element)
		f->element = 1;
	f->count = f->dynamic ? 0 : f->size / f->element;
	return 0;
}

/* "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;": 0; 1: another line; -1: memory. */
static int read_field(struct pp_tracepoint_field *f, struct text line, const struct pp_tracing *t)
{
	struct declaration d;
	uint32_t is_signed = 0;

	if (!pp_fits((uint64_t)(line.end - line.p), LINE_MOST) || !skip_key(&line, "field:") ||
	    !read_declaration(&line, &d) || !skip_key(&line, "offset:") || !size_of_text(&line, &f->offset) ||
	    !skip_key(&line, "size:") || !size_of_text(&line, &f->size) ||
	    (skip_key(&line, "signed:") && !size_of_text(&line, &is_signed)))
		return 1;
	skip_blanks(&line);
	if (line.p != line.end || f->offset > PP_RECORD_MAX || f->size > PP_RECORD_MAX)
		return 1;
	return make_field(f, &d, is_signed, t);
}

/* ---- A tracepoint ---- */

static void free_tracepoint(struct pp_tracepoint *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_fields; i++) {
		free((char *)(uintptr_t)p->fields[i].name);
		free((char *)(uintptr_t)p->fields[i].type);
	}
	free((void *)(uintptr_t)p->fields);
	free((char *)(uintptr_t)p->system);
	free((char *)(uintptr_t)p->name);
	free(((struct known_point *)p)->print);
	free(p);
}

/* "name: sched_switch", "ID: 316", "format:": 0; 1: another line; -1: memory. */
static int read_head(struct pp_tracepoint *p, struct text *t)
{
	struct text line = next_line(t);
	const char *start, *name;
	size_t length, name_length;

	if (!skip_key(&line, "name:") || !(name_length = word(&line, &name)) || line.p != line.end)
		return 1;
	line = next_line(t);
	if (!skip_key(&line, "ID:") || !(length = word(&line, &start)) || length > 9 ||
	    line.p != line.end)
		return 1;
	for (; length && *start >= '0' && *start <= '9'; length--)
		p->id = p->id * 10 + (uint64_t)(*start++ - '0');
	line = next_line(t);
	if (length || !skip_key(&line, "format:"))
		return 1;
	p->name = strndup(name, name_length);
	return p->name ? 0 : -1;
}

/* 0, or -1: out of memory. */
static int keep_print(struct pp_tracepoint *p, struct text line)
{
	struct known_point *const point = (struct known_point *)p;

	point->print = strndup(line.p, (size_t)(line.end - line.p));
	return point->print ? 0 : -1;
}

/* As read_field(). */
static int read_fields(struct pp_tracepoint *p, struct text t, const struct pp_tracing *tracing)
{
	struct pp_tracepoint_field *fields = NULL;
	size_t room = 0;
	int status = 0;

	while (t.p < t.end && !status) {
		struct text line = next_line(&t);

		if (skip_key(&line, "print fmt:"))
			return keep_print(p, line);
		if (line.p == line.end)
			continue;
		if (p->n_fields == FIELDS_MAX)
			return 1;
		if (PP_GROW_ZEROED(&fields, &room, p->n_fields + 1, NULL))
			return -1;
		p->fields = fields;
		status = read_field(&fields[p->n_fields++], line, tracing);
	}
	return status;
}

/* 0 and *p; 1: it is no format; -1: out of memory. */
static int read_format(struct pp_tracepoint **p, const struct pp_format *format,
		       const struct pp_tracing *t)
{
	const char *const start = (const char *)format->text.data;
	struct text text = { start, start + format->text.size };
	int status = -1;

	*p = calloc(1, sizeof(struct known_point));
	if (!*p)
		return -1;
	(*p)->system = format->system.size ?
		       strndup((const char *)format->system.data, format->system.size) :
		       strdup("ftrace");
	if ((*p)->system)
		status = read_head(*p, &text);
	if (!status)
		status = read_fields(*p, text, t);
	if (status) {
		free_tracepoint(*p);
		*p = NULL;
	}
	return status;
}

/* ---- All of them ---- */

struct pp_tracepoints *pp_tracepoints_new(void)
{
	return calloc(1, sizeof(struct pp_tracepoints));
}

void pp_tracepoints_free(struct pp_tracepoints *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_all; i++)
		free_tracepoint(t->all[i]);
	free(t->all);
	free(t->by_id);
	pp_buffer_free(&t->tail);
	free(t);
}

static int make_room(struct pp_tracepoints *t)
{
	size_t room = t->room;

	return PP_GROW(&t->all, &room, t->n_all + 1, NULL) ||
	       PP_GROW(&t->by_id, &t->room, t->n_all + 1, NULL) ? -1 : 0;
}

/* The first place whose id is not smaller. */
static size_t place_of(const struct pp_tracepoints *t, uint64_t id)
{
	size_t from = 0, to = t->n_ids;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (t->by_id[middle]->id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* There is room for it. */
static void add_tracepoint(struct pp_tracepoints *t, struct pp_tracepoint *p)
{
	const size_t at = place_of(t, p->id);

	t->all[t->n_all++] = p;
	if (at == t->n_ids || t->by_id[at]->id != p->id) {
		memmove(t->by_id + at + 1, t->by_id + at, (t->n_ids - at) * sizeof(*t->by_id));
		t->n_ids++;
	}
	t->by_id[at] = p;
}

static int note_formats(struct pp_tracepoints *t, const struct pp_tracing *tracing,
			struct pp_error *error)
{
	int result = 0;

	for (size_t i = 0; i < tracing->n_formats; i++) {
		const struct pp_format *f = &tracing->formats[i];
		struct pp_tracepoint *p = NULL;
		int status;

		if (t->n_all == TRACEPOINTS_MAX)
			return pp_fail(error, PP_E_VALUE, "more than %d tracepoints", TRACEPOINTS_MAX);
		status = make_room(t) ? -1 : read_format(&p, f, tracing);
		if (status < 0)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (!status)
			add_tracepoint(t, p);
		else if (!result)
			result = pp_fail(error, PP_E_VALUE, "a tracepoint's format is damaged (the %zuth)",
					 i + 1);
	}
	return result;
}

int pp_tracepoints_note(struct pp_tracepoints *t, const void *tail, size_t size,
			struct pp_error *error)
{
	struct pp_tracing tracing = { .foreign = false };
	const int damaged = pp_tracing_take(&tracing, tail, size);
	int status = damaged < 0 ? pp_fail(error, PP_E_NOMEM, NULL) :
		     note_formats(t, &tracing, error);

	pp_tracing_free(&tracing);
	if (!status && damaged)
		status = pp_fail(error, PP_E_VALUE, "the tracing data are damaged");
	return status;
}

/* ---- Watching a reader ---- */

static void keep_error(struct pp_tracepoints *t, const struct pp_error *error)
{
	t->error = *error;
	pp_error_type(&t->error, PP_REC_HEADER_TRACING_DATA);
}

static int take_piece(void *arg, const void *piece, size_t size, uint64_t left, struct pp_error *end)
{
	struct pp_tracepoints *const t = arg;
	struct pp_error error = { .code = PP_OK };

	if (t->too_large || !pp_fits(size, TAIL_MAX - t->tail.size) ||
	    !pp_fits(left, TAIL_MAX - t->tail.size - size)) {
		if (!t->too_large)
			pp_fail(&error, PP_E_VALUE, "more than %d MiB of tracing data", TAIL_MAX >> 20);
		t->too_large = left != 0;
	} else if (pp_buffer_add(&t->tail, piece, size, &error)) {
		t->too_large = left != 0;
	} else if (!left && !pp_tracepoints_note(t, t->tail.data, t->tail.size, &error)) {
		error.code = PP_OK;
	}
	if (error.code)
		keep_error(t, &error);
	if (error.code || !left)
		pp_buffer_free(&t->tail);
	if (error.code != PP_E_NOMEM)
		return 0;
	*end = error;
	return -1;
}

void pp_tracepoints_watch(struct pp_tracepoints *t, struct pp_reader *r)
{
	pp_reader_watch_tail(r, PP_REC_HEADER_TRACING_DATA, take_piece, t);
}

const struct pp_error *pp_tracepoints_error(const struct pp_tracepoints *t)
{
	return t->error.code ? &t->error : NULL;
}

/* ---- Asking ---- */

const struct pp_tracepoint *pp_tracepoints_by_id(const struct pp_tracepoints *t, uint64_t id)
{
	const size_t at = place_of(t, id);

	return at < t->n_ids && t->by_id[at]->id == id ? t->by_id[at] : NULL;
}

const struct pp_tracepoint *pp_tracepoints_of(const struct pp_tracepoints *t, const struct pp_attr *attr)
{
	return attr->type == PP_TYPE_TRACEPOINT ? pp_tracepoints_by_id(t, attr->config) : NULL;
}

const struct pp_tracepoint *pp_tracepoints_at(const struct pp_tracepoints *t, size_t i)
{
	return i < t->n_ids ? t->by_id[i] : NULL;
}

const struct pp_tracepoint *pp_tracepoints_named(const struct pp_tracepoints *t, const char *system,
						 const char *name)
{
	for (size_t i = 0; i < t->n_ids; i++)
		if (!strcmp(t->by_id[i]->name, name) &&
		    (!system || !strcmp(t->by_id[i]->system, system)))
			return t->by_id[i];
	return NULL;
}

const char *pp_tracepoint_shown_as(const struct pp_tracepoint *p)
{
	return ((const struct known_point *)p)->print;
}

const struct pp_tracepoint_field *pp_tracepoint_field(const struct pp_tracepoint *p, const char *name)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (!strcmp(p->fields[i].name, name))
			return &p->fields[i];
	return NULL;
}
