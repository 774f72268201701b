/* pair_ends.c - what begins and ends a span: an event, an expression, and the fields that make its key. */
#include "span/pair_ends.h"

#include "select/distinct.h"

#include <stdlib.h>
#include <string.h>

void pp_pair_end_free(struct pp_pair_end *end)
{
	free(end->event);
	free(end->by);
	pp_query_free(end->query);
	pp_first_close(end->key);
}

/* The same error, as one of how a span is described. */
static int wrong_text(struct pp_error *error, const char *text, const struct pp_error *why)
{
	if (why->code == PP_E_NOMEM)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_fail(error, PP_E_USE, "in '%.60s': %s", text, why->detail);
}

static int take_event(struct pp_pair_end *end, const char *text, struct pp_error *error)
{
	const size_t length = strcspn(text, "["), size = strlen(text);
	struct pp_error why;
	char *expression;

	if (!length || (text[length] && text[size - 1] != ']'))
		return pp_fail(error, PP_E_USE, "'%s' is no event, or event[expression]", text);
	end->event = strndup(text, length);
	if (!end->event)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!text[length])
		return 0;
	expression = strndup(text + length + 1, size - length - 2);
	if (!expression)
		return pp_fail(error, PP_E_NOMEM, NULL);
	end->query = pp_query_compile(expression, &why);
	free(expression);
	return end->query ? 0 : wrong_text(error, text, &why);
}

/* "a,b=c": "a,b", or of the second side "a,c". */
static char *take_side(const char *by, bool second)
{
	char *const side = calloc(1, strlen(by) + 1);
	size_t used = 0;

	while (side && *by) {
		const size_t length = strcspn(by, ","), first = strcspn(by, "=,");
		const size_t from = second && first < length ? first + 1 : 0;
		const size_t to = second ? length : first;

		if (used)
			side[used++] = ',';
		memcpy(side + used, by + from, to - from);
		used += to - from;
		by += length + (by[length] == ',');
	}
	return side;
}

int pp_pair_end_take(struct pp_pair_end *end, const char *text, const char *by, bool second,
		     struct pp_error *error)
{
	struct pp_error why;

	if (take_event(end, text, error))
		return -1;
	end->by = take_side(by, second);
	if (!end->by)
		return pp_fail(error, PP_E_NOMEM, NULL);
	end->key = pp_first_open(end->by, &why);
	return end->key ? 0 : wrong_text(error, by, &why);
}

int pp_pair_end_settle(struct pp_pair_end *end, const struct pp_tracepoints *points, struct pp_error *error)
{
	struct pp_error why;

	if (end->query && pp_query_settle(end->query, points, &why))
		return wrong_text(error, end->event, &why);
	return pp_first_settle(end->key, points, &why) ? wrong_text(error, end->by, &why) : 0;
}

bool pp_pair_end_needs_tasks(const struct pp_pair_end *end)
{
	const struct pp_query *field;

	for (size_t i = 0; (field = pp_first_at(end->key, i)); i++)
		if (pp_query_needs_tasks(field))
			return true;
	return end->query && pp_query_needs_tasks(end->query);
}

unsigned pp_pair_end_tasks_with(const struct pp_pair_end *end)
{
	return pp_first_tasks_with(end->key) | (end->query ? pp_query_tasks_with(end->query) : 0);
}

bool pp_pair_end_is(const struct pp_pair_end *end, const struct pp_record *rec,
		    const struct pp_query_facts *facts, uint64_t *key)
{
	if (end->query && !pp_query_match(end->query, rec, facts))
		return false;
	*key = pp_first_key(end->key, rec, facts);
	return true;
}
