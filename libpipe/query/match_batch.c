/*
 * match_batch.c - evaluates a query on a batch of samples.
 *
 * Where each comparison is of a number at a planned place, it is made of all samples before the next one:
 * loads and compares in a row.  Then each sample goes its way through the program, by the answers.  All
 * other programs are asked of each sample.
 */
#include <perfpipe/batch.h>

#include "query/planned.h"

enum { COLUMNS = 8 };                 /* comparisons that are made at once */

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

static __attribute__((flatten)) void compare(const struct pp_query_test *test, const struct pp_batch *b, bool *holds)
{
	switch (test->field) {
	case PP_QUERY_PID:  compare_field(test, b, PP_QUERY_PID, holds); break;
	case PP_QUERY_TID:  compare_field(test, b, PP_QUERY_TID, holds); break;
	case PP_QUERY_CPU:  compare_field(test, b, PP_QUERY_CPU, holds); break;
	case PP_QUERY_TIME: compare_field(test, b, PP_QUERY_TIME, holds); break;
	default:            compare_field(test, b, test->field, holds);
	}
}

static bool is_columnar(const struct pp_query *q)
{
	if (q->count > COLUMNS)
		return false;
	for (uint32_t i = 0; i < q->count; i++)
		if (q->tests[i].kind > PP_TEST_RANGES || !pp_query_loads_planned(q->tests[i].field))
			return false;
	return true;
}

static void match_columns(const struct pp_query *q, const struct pp_batch *b, bool *keep)
{
	bool holds[COLUMNS][PP_BATCH_MOST];

	for (uint32_t i = 0; i < q->count; i++)
		compare(&q->tests[i], b, holds[i]);
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t at = 0;

		while (at < q->count)
			at = holds[at][i] ? q->tests[at].yes : q->tests[at].no;
		keep[i] = !b->attr[i] || at == PP_QUERY_YES;
	}
}

/* The same with a single comparison. */
static void match_column(const struct pp_query_test *test, const struct pp_batch *b, bool *keep)
{
	const bool yes = test->yes == PP_QUERY_YES, no = test->no == PP_QUERY_YES;
	bool holds[PP_BATCH_MOST];

	compare(test, b, holds);
	for (uint32_t i = 0; i < b->count; i++)
		keep[i] = !b->attr[i] || (holds[i] ? yes : no);
}

void pp_query_match_batch(const struct pp_query *q, const struct pp_batch *b,
			  const struct pp_query_facts *facts, bool *keep)
{
	struct pp_record rec;

	if (is_columnar(q)) {
		if (q->count == 1)
			match_column(q->tests, b, keep);
		else
			match_columns(q, b, keep);
		return;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		pp_batch_record(b, i, &rec);
		keep[i] = !rec.attr || pp_query_match(q, &rec, facts);
	}
}
