/* missing_fields.c - what a query asks for and a stream does not have: its events, its fields. */
#include "query/query.h"

#include <perfpipe/suggest.h>

#include <stdio.h>

/* Where the reports of one query go. */
struct unmet {
	const struct pp_query *query;
	const struct pp_attrs *attrs;
	void (*report)(void *arg, const char *text);
	void *arg;
};

/* An event's name that the stream does not have; the nearest of those that it has. */
static void look_for_event(const struct unmet *u, const char *name)
{
	struct pp_nearest n = { .wanted = name };
	char text[256], meant[144];

	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const char *const has = pp_attrs_at(u->attrs, i)->name;

		if (!strcmp(has, name))
			return;
		pp_nearest_consider(&n, has, NULL);
	}
	pp_nearest_question(&n, meant, sizeof(meant));
	snprintf(text, sizeof(text), "no event is called '%.80s'%s", name, meant);
	u->report(u->arg, text);
}

static void look_for_events(const struct unmet *u, const struct pp_query_test *test)
{
	struct pp_query_test positive = *test;
	const struct pp_query_facts none = { .size = sizeof(none) };
	char text[256];

	positive.negate = false;
	for (uint32_t i = 0; test->kind == PP_TEST_TEXTS && i < test->count; i++)
		look_for_event(u, test->texts[i]);
	if (test->kind != PP_TEST_GLOB && test->kind != PP_TEST_PATTERN)
		return;
	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const struct pp_record sample = {
			.type = PP_REC_SAMPLE, .attr = pp_attrs_at(u->attrs, i), .attrs = u->attrs,
		};

		if (pp_query_text_holds(&positive, &sample, &none))
			return;
	}
	snprintf(text, sizeof(text), "no event matches %.*s",
		 test->length < 80 ? (int)test->length : 80, u->query->text + test->at);
	u->report(u->arg, text);
}

static bool has_row(const struct pp_attr *attr, const struct pp_query_path *path)
{
	if (path->is == PP_IS_CHAIN && pp_attr_has_chain(attr))
		return true;
	for (const struct pp_field *row = attr->sample_fields; row && row->name; row++)
		if (!strcmp(row->name, path->steps[0].name))
			return true;
	return false;
}

/* defined() asks whether it is there, so that its absence is not a mistake. */
static bool is_compared(const struct pp_query *q, const struct pp_query_path *path)
{
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++) {
		if (test->path == path && test->kind != PP_TEST_DEFINED)
			return true;
		for (uint32_t i = 0; i < test->n_ops; i++)
			if (test->ops[i].path == path)
				return true;
	}
	return false;
}

static void look_for_field(const struct unmet *u, const struct pp_query_path *path)
{
	size_t field = 0;
	char text[128];

	if (!path->in_sample || (path->is_trace && (!path->trace.word || path->trace.of_point)) ||
	    !is_compared(u->query, path))
		return;
	while (field < PP_QUERY_FIELD_COUNT && strcmp(pp_query_field_rows[field].name, path->name) != 0)
		field++;
	for (size_t i = 0; i < pp_attrs_count(u->attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(u->attrs, i);

		if (path->is_trace ? pp_span_says(attr, (enum pp_span_word)path->trace.word) :
		    field < PP_QUERY_FIELD_COUNT ? pp_query_has_planned(attr, field) :
						   has_row(attr, path))
			return;
	}
	snprintf(text, sizeof(text), "no sample has the field '%.60s'", path->name);
	u->report(u->arg, text);
}

void pp_query_unmet(const struct pp_query *q, const struct pp_attrs *attrs,
		    void (*report)(void *arg, const char *text), void *arg)
{
	const struct unmet u = { .query = q, .attrs = attrs, .report = report, .arg = arg };

	if (!pp_attrs_count(attrs))
		return;
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++)
		if (test->field == PP_QUERY_EVENT)
			look_for_events(&u, test);
	for (const struct pp_query_path *path = q->paths; path; path = path->next)
		look_for_field(&u, path);
}
