/*
 * tracepoint_fields.c - fields of tracepoints in the filter's language: names that the stream's own tracing
 * data explain, so that what they mean is found when samples come, and remembered by event.  What samples of
 * spans say has names like these, too.
 */
#include "base/array.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Names ----------------------------------------------------------------------------------- */

bool pp_query_trace_name(struct pp_query_path *path)
{
	char *const words = path->name + strlen(path->name) + 1;
	char *const colon = strchr(path->name, ':'), *p, *end;

	strcpy(words, path->name);
	path->trace.field = words;
	if (colon) {
		path->trace.system = words;
		p = words + (colon - path->name);
		*p++ = '\0';
		path->trace.event = p;
		p = strchr(p, '.');
		if (!p)
			return false;
		*p++ = '\0';
		path->trace.field = p;
	}
	p = strchr(words + (path->trace.field - words), '[');
	path->trace.indexed = p != NULL;
	if (p) {
		const unsigned long index = strtoul(p + 1, &end, 10);

		*p = '\0';
		path->trace.index = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
		p = end + 1;
	}
	path->is_trace = path->in_sample = path->text = path->number = path->many = true;
	if (!path->trace.system && !path->trace.indexed)
		path->trace.word = (uint8_t)pp_span_word_named(path->trace.field);
	return p ? !*p : !strchr(path->trace.field, '.');
}

static bool is_of(const struct pp_query_path *path, const struct pp_tracepoint *point)
{
	return !path->trace.system || (!strcmp(path->trace.system, point->system) &&
				       !strcmp(path->trace.event, point->name));
}

/* ---- Settling: does the stream know the name? ------------------------------------------------ */

/* What is wrong with asking this field so, or NULL. */
static const char *misfit(const struct pp_query_path *path, const struct pp_tracepoint_field *field,
			  unsigned asked)
{
	if (!(path->trace.asked & asked))
		return NULL;
	if (asked == PP_ASKED_TEXT)
		return field->kind == PP_TRACE_TEXT ? NULL
						    : "is not text, which it is compared with";
	if (field->kind > PP_TRACE_SIGNED)
		return field->kind == PP_TRACE_TEXT ? "is text, not a number" :
						      "is not a number; only defined() accepts it";
	return asked == PP_ASKED_NUMBER && field->array && !path->trace.indexed ?
		       "has several values: use any(), or select one with [0]" : NULL;
}

/* The same of what samples of spans say. */
static const char *misfit_of_word(const struct pp_query_path *path, unsigned asked)
{
	const bool number = path->trace.word == PP_SPAN_WOKEN;

	if (!(path->trace.asked & asked))
		return NULL;
	if (path->trace.word == PP_SPAN_SYSCALL && !path->trace.calls)
		return "needs libseccomp.so.2, which is not installed: it has the names of system calls";
	if (asked == PP_ASKED_ANY)
		return "has one value, so any() is not needed";
	if (number == (asked == PP_ASKED_NUMBER))
		return NULL;
	return number ? "is not text, which it is compared with" : "is text, not a number";
}

/* Where several tracepoints have a field of this name one of them has to be as it is asked for. */
static int settle_as(struct pp_query_path *path, const struct pp_tracepoints *known, unsigned asked,
		     struct pp_error *error)
{
	const struct pp_tracepoint *point;
	const struct pp_tracepoint_field *field;
	const char *wrong = NULL;
	bool event = false;

	for (size_t i = 0; known && (point = pp_tracepoints_at(known, i)); i++) {
		if (!is_of(path, point))
			continue;
		event = true;
		field = pp_tracepoint_field(point, path->trace.field);
		if (field && !(wrong = misfit(path, field, asked))) {
			path->trace.of_point = true;
			return 0;
		}
	}
	if (path->trace.word && !wrong && !(wrong = misfit_of_word(path, asked)))
		return 0;
	if (wrong)
		return pp_query_fail(error, path->trace.at, "'%.60s' %s", path->name, wrong);
	if (path->trace.system && !event)
		return pp_query_fail(error, path->trace.at, "the stream has no format of the "
				     "tracepoint '%.30s:%.50s'", path->trace.system,
				     path->trace.event);
	pp_query_no_such_field(path, known, path->trace.at, error);
	return -1;
}

static int settle(struct pp_query_path *path, const struct pp_tracepoints *known,
		  struct pp_error *error)
{
	free(path->trace.bound);
	path->trace.bound = NULL;
	path->trace.n_bound = 0;
	for (unsigned asked = PP_ASKED_NUMBER; asked <= PP_ASKED_ANY; asked *= 2)
		if (settle_as(path, known, asked, error))
			return -1;
	return 0;
}

int pp_query_settle(struct pp_query *q, const struct pp_tracepoints *known,
		    struct pp_error *error)
{
	for (struct pp_query_path *path = q->paths; path; path = path->next)
		if (path->is_trace && settle(path, known, error))
			return -1;
	return 0;
}

bool pp_query_needs_tracepoints(const struct pp_query *q)
{
	const struct pp_query_path *path = q->paths;

	while (path && !path->is_trace)
		path = path->next;
	return path != NULL;
}

void pp_query_trace_fields(const struct pp_tracepoint *point, pp_query_field_fn *fn, void *arg)
{
	static const char *const kinds[] = { "number", "number", "text", "bytes" };
	char name[PP_QUERY_TRACE_NAME];

	for (size_t i = 0; i < point->n_fields; i++) {
		const struct pp_tracepoint_field *const f = &point->fields[i];

		snprintf(name, sizeof(name), "%s:%s.%s%s", point->system, point->name, f->name,
			 f->array && f->kind <= PP_TRACE_SIGNED ? "[N]" : "");
		fn(arg, name, kinds[f->kind], f->type);
	}
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The field in samples of this event, or NULL.  What was found is remembered. */
static const struct pp_tracepoint_field *bind(struct pp_query_path *path,
					      const struct pp_attr *attr,
					      const struct pp_tracepoints *known)
{
	struct pp_query_trace *const t = &path->trace;
	const struct pp_tracepoint *point;

	if (attr->index < t->n_bound && t->bound[attr->index])
		return t->bound[attr->index];
	point = known ? pp_tracepoints_of(known, attr) : NULL;
	if (!point || !is_of(path, point))
		return NULL;
	/* Without memory it is looked for again. */
	if (PP_GROW_ZEROED(&t->bound, &t->n_bound, (size_t)attr->index + 1, NULL))
		return pp_tracepoint_field(point, t->field);
	return t->bound[attr->index] = pp_tracepoint_field(point, t->field);
}

/* The field and the raw data that it is in. */
static const struct pp_tracepoint_field *open_field(struct pp_query_path *path,
						    const struct pp_record *r,
						    const struct pp_query_facts *facts,
						    const void **raw, size_t *size)
{
	const struct pp_tracepoint_field *const field =
		r->type == PP_REC_SAMPLE && r->attr ? bind(path, r->attr, facts->tracepoints)
						    : NULL;

	return field && pp_tracepoint_raw(r, raw, size) ? field : NULL;
}

static pp_query_wide widen(const struct pp_tracepoint_field *field, uint64_t value)
{
	return field->kind == PP_TRACE_SIGNED ? (pp_query_wide)(int64_t)value :
						(pp_query_wide)value;
}

/* Which word of spans a sample is asked for; PP_SPAN_NO_WORD: none. */
static enum pp_span_word word_of(const struct pp_query_path *path, const struct pp_record *r)
{
	const enum pp_span_word word = (enum pp_span_word)path->trace.word;

	return word && r->type == PP_REC_SAMPLE && r->attr && pp_span_says(r->attr, word) ? word :
											    PP_SPAN_NO_WORD;
}

static const char *call_of(struct pp_query_path *path, const struct pp_record *r)
{
	const char *name = NULL;
	struct pp_error why;

	if (path->trace.calls)
		path->trace.failed |= pp_span_syscall(r, path->trace.calls, &name, &why) < 0;
	return name;
}

/* What a sample of a span says as text, or NULL; *letter: another text for the same, or NULL. */
static const char *word_text(struct pp_query_path *path, const struct pp_record *r, enum pp_span_word word,
			     const char **letter)
{
	*letter = NULL;
	return word == PP_SPAN_STATE ? pp_span_state(r, letter) :
	       word == PP_SPAN_SYSCALL ? call_of(path, r) :
	       word == PP_SPAN_ERROR ? pp_span_error(r, path->scratch) : NULL;
}

bool pp_query_trace_number(struct pp_query_path *path, const struct pp_record *r,
			   const struct pp_query_facts *facts, pp_query_wide *value)
{
	const struct pp_tracepoint_field *field;
	const void *raw;
	uint64_t loaded;
	size_t size;

	if (word_of(path, r) == PP_SPAN_WOKEN && pp_span_woken(r, &loaded)) {
		*value = (pp_query_wide)loaded;
		return true;
	}
	field = open_field(path, r, facts, &raw, &size);
	if (!field || field->array != path->trace.indexed ||
	    !pp_tracepoint_u64(field, raw, size, path->trace.index, &loaded))
		return false;
	*value = widen(field, loaded);
	return true;
}

bool pp_query_trace_any(struct pp_query_path *path, const struct pp_record *r,
			const struct pp_query_facts *facts,
			bool (*holds)(const struct pp_query_test *, pp_query_wide),
			const struct pp_query_test *test)
{
	const struct pp_tracepoint_field *field;
	const void *raw;
	uint64_t loaded;
	size_t size;

	field = open_field(path, r, facts, &raw, &size);
	if (!field || path->trace.indexed)
		return false;
	for (size_t i = 0; (!i || field->array) &&
			   pp_tracepoint_u64(field, raw, size, i, &loaded); i++)
		if (holds(test, widen(field, loaded)))
			return true;
	return false;
}

bool pp_query_trace_defined(struct pp_query_path *path, const struct pp_record *r,
			    const struct pp_query_facts *facts)
{
	const enum pp_span_word word = word_of(path, r);
	const struct pp_tracepoint_field *field;
	const uint8_t *data;
	const char *letter;
	const void *raw;
	uint64_t value;
	size_t size, length;

	if (word)
		return word == PP_SPAN_WOKEN ? pp_span_woken(r, &value) :
					       word_text(path, r, word, &letter) != NULL;
	field = open_field(path, r, facts, &raw, &size);
	if (!field)
		return false;
	return path->trace.indexed ? field->array && pp_tracepoint_u64(field, raw, size,
								       path->trace.index, &value) :
				     pp_tracepoint_bytes(field, raw, size, &data, &length);
}

const char *pp_query_trace_text(struct pp_query_path *path, const struct pp_record *r,
				const struct pp_query_facts *facts)
{
	const enum pp_span_word word = word_of(path, r);
	const struct pp_tracepoint_field *field;
	const char *text;
	const void *raw;
	size_t size;

	if (word)
		return word_text(path, r, word, &text);
	field = open_field(path, r, facts, &raw, &size);
	if (!field || path->trace.indexed || !pp_tracepoint_text(field, raw, size, &text, &size))
		return NULL;
	memcpy(path->scratch, text, size);
	path->scratch[size] = '\0';
	return path->scratch;
}

const char *pp_query_trace_letter(struct pp_query_path *path, const struct pp_record *r)
{
	const char *letter = NULL;

	if (word_of(path, r) == PP_SPAN_STATE)
		(void)pp_span_state(r, &letter);
	return letter;
}
