/* build_query.c - what the options and the operand of pp-filter choose, as one expression. */
#include "filter/build_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void choice_refuse(const char *expression, const struct pp_error *error)
{
	if (error->code == PP_E_NOMEM)
		cli_no_memory();
	cli_refuse(cli_cured(error).detail, expression, error->at);
}

/* ---- Spans of time ---- */

/* What a time that is an end of a span counts from, or is. */
enum base { FROM_NOTHING, FROM_FIRST, FROM_LAST, PART, WALL_CLOCK };

static enum base base_of(const char *end)
{
	return *end == '+' ? FROM_FIRST : *end == '-' ? FROM_LAST : strchr(end, '%') ? PART :
	       strpbrk(end, "@:-") ? WALL_CLOCK : FROM_NOTHING;
}

/* As the language has it: numbers count in seconds, the wall clock is quoted. */
static void add_moment(FILE *text, const char *before, const char *end)
{
	const enum base base = base_of(end);

	fprintf(text, base == WALL_CLOCK ? "%s\"%s\"" : base == PART ? "%s%s" : "%s%ss", before, end);
}

/* FROM,TO as comparisons; either may be missing. */
static char *span_expression(const char *from, const char *to)
{
	char *expression;
	size_t size;
	FILE *const text = open_memstream(&expression, &size);

	if (!text)
		cli_die_os("cannot build the expression");
	if (*from && *to && base_of(from) == base_of(to)) {
		add_moment(text, "time in ", from);
		add_moment(text, "..", to);
	} else {
		if (*from)
			add_moment(text, "time >= ", from);
		if (*to)
			add_moment(text, *from ? " && time <= " : "time <= ", to);
	}
	if (!cli_text_end(text, &expression))
		cli_die_os("cannot build the expression");
	return expression;
}

/* After TO, as a comparison; nothing where it is missing. */
static void add_past(struct cli_list *past, const char *to)
{
	char *expression;
	size_t size;
	FILE *const text = *to ? open_memstream(&expression, &size) : NULL;

	if (!*to)
		return;
	if (!text)
		cli_die_os("cannot build the expression");
	add_moment(text, "time > ", to);
	if (!cli_text_end(text, &expression))
		cli_die_os("cannot build the expression");
	cli_add(past, expression);
}

const char *choice_span(void *target, const char *value)
{
	struct spans *const spans = target;
	static const char wrong[] =
		"is not a span of time: expected FROM,TO in seconds or 'YYYY-MM-DD HH:MM:SS'";
	static char refusal[sizeof(wrong) + 250];
	struct pp_error error;
	char *const from = strdup(value), *to, *expression;
	struct pp_query *query;

	if (!from)
		cli_no_memory();
	to = strchr(from, ',');
	if (!to && (to = strstr(from, "%-")))
		to++;
	if (!to || !value[1] || value[strspn(value, "0123456789.,+-%:@TZ ")]) {
		free(from);
		return wrong;
	}
	*to++ = '\0';
	expression = span_expression(from, to);
	query = pp_query_compile(expression, &error);
	if (query) {
		add_past(&spans->past, to);
		free(from);
		pp_query_free(query);
		return cli_add(&spans->inside, expression);
	}
	if (error.code == PP_E_NOMEM)
		cli_no_memory();
	free(from);
	free(expression);
	snprintf(refusal, sizeof(refusal), "%s (%s)", wrong, cli_cured(&error).detail);
	return refusal;
}

/* ---- Options to one expression ---- */

/* Every term after the first is joined by &&. */
static void start_term(FILE *text)
{
	fputs(ftell(text) > 0 ? " && " : "", text);
}

static void add_string(FILE *text, const char *string, size_t length)
{
	putc('"', text);
	for (size_t i = 0; i < length; i++)
		fprintf(text, strchr("\"\\", string[i]) ? "\\%c" : "%c", string[i]);
	putc('"', text);
}

/* Names separated by commas; one between slashes is part of an event: cpu/event=1,umask=2/. */
static void add_names(FILE *text, const char *field, const struct cli_list *list)
{
	const char *before = "";

	if (!list->count)
		return;
	start_term(text);
	fprintf(text, "%s in {", field);
	for (size_t i = 0; i < list->count; i++) {
		const char *name = list->items[i], *end;
		bool inside = false;

		for (end = name;; end++) {
			inside ^= *end == '/' && !strcmp(field, "event");
			if (*end && (*end != ',' || inside))
				continue;
			if (end == name)
				cli_misuse("--%s: '%s' has an empty name", field, list->items[i]);
			fputs(before, text);
			add_string(text, name, (size_t)(end - name));
			before = ", ";
			if (!*end)
				break;
			name = end + 1;
		}
	}
	putc('}', text);
}

static void add_ranges(FILE *text, const char *field, const struct cli_ranges *ranges)
{
	const char *before = "";

	if (!ranges->count)
		return;
	start_term(text);
	fprintf(text, "%s in {", field);
	for (size_t i = 0; i < ranges->count; i++, before = ", ") {
		const struct cli_range range = ranges->items[i];

		fprintf(text, "%s%" PRIu32, before, range.first);
		if (range.last != range.first)
			fprintf(text, "..%" PRIu32, range.last);
	}
	putc('}', text);
}

static void add_spans(FILE *text, const struct cli_list *spans)
{
	if (!spans->count)
		return;
	start_term(text);
	for (size_t i = 0; i < spans->count; i++)
		fprintf(text, "%s%s", i ? " || " : spans->count > 1 ? "(" : "", spans->items[i]);
	fputs(spans->count > 1 ? ")" : "", text);
}

char *choice_past(const struct choice *choice)
{
	const struct cli_list *const past = &choice->spans.past;
	char *expression;
	size_t size;
	FILE *text;

	if (choice->invert || !past->count || past->count < choice->spans.inside.count)
		return NULL;
	text = open_memstream(&expression, &size);
	if (!text)
		cli_die_os("cannot build the expression");
	for (size_t i = 0; i < past->count; i++)
		fprintf(text, "%s%s", i ? " && " : "", past->items[i]);
	if (!cli_text_end(text, &expression))
		cli_die_os("cannot build the expression");
	return expression;
}

char *choice_expression(const struct choice *choice, const char *operand, size_t *operand_at)
{
	char *buffer = NULL, *whole = NULL;
	size_t size;
	FILE *text = open_memstream(&buffer, &size);

	if (!text)
		cli_die_os("cannot build the expression");
	add_names(text, "event", &choice->events);
	add_ranges(text, "pid", &choice->pids);
	add_ranges(text, "tid", &choice->tids);
	add_ranges(text, "cpu", &choice->cpus);
	add_names(text, "comm", &choice->names);
	add_spans(text, &choice->spans.inside);
	if (operand) {
		start_term(text);
		fprintf(text, "(%s)", operand);
	}
	if (!cli_text_end(text, &buffer))
		cli_die_os("cannot build the expression");
	if (!size && choice->invert)
		cli_misuse("--invert needs something to invert");
	if (size && (!choice->invert || asprintf(&whole, "!(%s)", buffer) < 0))
		whole = choice->invert ? NULL : buffer;
	if (size && !whole)
		cli_no_memory();
	if (whole != buffer)
		free(buffer);
	if (operand)
		*operand_at = strlen(whole) - strlen(operand) - strlen(")") - choice->invert;
	return whole;
}
