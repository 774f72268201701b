/*
 * match_batch.c - evaluates a query on a batch of samples.
 *
 * Where each comparison is of a number at a planned place, or of an event's or thread's name, it is made of
 * all samples before the next one: loads and compares in a row.  Then each sample goes its way through the
 * program, by the answers.  All other programs are asked of each sample.
 */
#include <perfpipe/batch.h>

#include "query/planned.h"

enum {
	COLUMNS = 8,                  /* comparisons that are made at once */
	KNOWN = 16,                   /* answers about events, or threads, that are kept meanwhile */
};

/* One comparison of all samples; with a field that the compiler knows. */
static inline __attribute__((always_inline))
void compare_field(const struct pp_query_test *test, const struct pp_batch *b, uint8_t field, bool *holds)
{
	const bool one = test->kind == PP_TEST_RANGE, negate = test->negate;
	const struct pp_query_range range = test->range;

	for (uint32_t i = 0; i < b->count; i++) {
		struct pp_record rec;
		uint64_t value;

		pp_batch_record(b, i, &rec);
		holds[i] = pp_query_load_planned(&rec, field, &value) &&
			   (one ? pp_query_within(range, value) : pp_query_in_set(test, value)) != negate;
	}
}

static __attribute__((flatten))
void compare_numbers(const struct pp_query_test *test, const struct pp_batch *b, bool *holds)
{
	switch (test->field) {
	case PP_QUERY_PID:  compare_field(test, b, PP_QUERY_PID, holds); break;
	case PP_QUERY_TID:  compare_field(test, b, PP_QUERY_TID, holds); break;
	case PP_QUERY_CPU:  compare_field(test, b, PP_QUERY_CPU, holds); break;
	case PP_QUERY_TIME: compare_field(test, b, PP_QUERY_TIME, holds); break;
	default:            compare_field(test, b, test->field, holds);
	}
}

/* Each event is asked about once, or as often as another one has its place. */
static void compare_events(const struct pp_query_test *test, const struct pp_batch *b,
			   const struct pp_query_facts *facts, bool *holds)
{
	struct { const struct pp_attr *event; bool holds; } known[KNOWN] = { { NULL, false } };

	for (uint32_t i = 0; i < b->count; i++) {
		const struct pp_attr *const event = b->attr[i];
		const size_t at = event ? event->index % KNOWN : 0;

		if (event && known[at].event != event) {
			struct pp_record rec;

			pp_batch_record(b, i, &rec);
			known[at].event = event;
			known[at].holds = pp_query_text_holds(test, &rec, facts);
		}
		holds[i] = known[at].holds;
	}
}

/* The same of threads. */
static void compare_names(const struct pp_query_test *test, const struct pp_batch *b,
			  const struct pp_query_facts *facts, bool *holds)
{
	struct { uint32_t pid, tid; bool asked, holds; } known[KNOWN] = { { 0 } }, *of;

	for (uint32_t i = 0; i < b->count; i++) {
		struct pp_record rec;
		uint32_t pid, tid;

		pp_batch_record(b, i, &rec);
		holds[i] = false;
		if (!pp_task(&rec, &pid, &tid))
			continue;
		of = &known[tid % KNOWN];
		if (!of->asked || of->pid != pid || of->tid != tid) {
			of->pid = pid;
			of->tid = tid;
			of->asked = true;
			of->holds = pp_query_text_holds(test, &rec, facts);
		}
		holds[i] = of->holds;
	}
}

static bool is_compared_text(const struct pp_query_test *test)
{
	return test->kind == PP_TEST_TEXTS || test->kind == PP_TEST_PATTERN || test->kind == PP_TEST_GLOB;
}

static bool is_of_name(const struct pp_query_test *test)
{
	return test->field == PP_QUERY_COMM && is_compared_text(test);
}

static bool is_of_event(const struct pp_query_test *test)
{
	return test->field == PP_QUERY_EVENT && is_compared_text(test);
}

static bool is_of_number(const struct pp_query_test *test)
{
	return test->kind <= PP_TEST_RANGES && pp_query_loads_planned(test->field);
}

static bool is_columnar(const struct pp_query *q)
{
	if (q->count > COLUMNS)
		return false;
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++)
		if (!is_of_event(test) && !is_of_name(test) && !is_of_number(test))
			return false;
	return true;
}

static void answer(const struct pp_query_test *test, const struct pp_batch *b,
		   const struct pp_query_facts *facts, bool *holds)
{
	if (is_of_event(test))
		compare_events(test, b, facts, holds);
	else if (is_of_name(test))
		compare_names(test, b, facts, holds);
	else
		compare_numbers(test, b, holds);
}

static void match_columns(const struct pp_query *q, const struct pp_batch *b,
			  const struct pp_query_facts *facts, bool *keep)
{
	bool holds[COLUMNS][PP_BATCH_MOST];

	for (uint32_t i = 0; i < q->count; i++)
		answer(&q->tests[i], b, facts, holds[i]);
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t at = 0;

		while (at < q->count)
			at = holds[at][i] ? q->tests[at].yes : q->tests[at].no;
		keep[i] = !b->attr[i] || at == PP_QUERY_YES;
	}
}

/* The same with a single comparison. */
static void match_column(const struct pp_query_test *test, const struct pp_batch *b,
			 const struct pp_query_facts *facts, bool *keep)
{
	const bool yes = test->yes == PP_QUERY_YES, no = test->no == PP_QUERY_YES;
	bool holds[PP_BATCH_MOST];

	answer(test, b, facts, holds);
	for (uint32_t i = 0; i < b->count; i++)
		keep[i] = !b->attr[i] || (holds[i] ? yes : no);
}

void pp_query_match_batch(const struct pp_query *q, const struct pp_batch *b,
			  const struct pp_query_facts *facts, bool *keep)
{
	struct pp_query_facts whole;
	struct pp_record rec;

	facts = pp_query_whole(facts, &whole);
	if (is_columnar(q)) {
		if (q->count == 1)
			match_column(q->tests, b, facts, keep);
		else
			match_columns(q, b, facts, keep);
		return;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		pp_batch_record(b, i, &rec);
		keep[i] = !rec.attr || pp_query_match(q, &rec, facts);
	}
}
