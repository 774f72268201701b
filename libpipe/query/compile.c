/* compile.c - the tree of a query made into a flat program of tests; run.c runs it. */
#include "query.h"

#include <stdlib.h>

/* ---- Sets ------------------------------------------------------------------------------------ */

static int by_low(const void *a, const void *b)
{
	const struct pp_query_range *const x = a, *const y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* Sorts the ranges and joins those that touch, so that a search by halves finds. */
static void settle_ranges(struct pp_query_test *test)
{
	struct pp_query_range *const r = test->ranges;
	uint32_t n = 0;

	qsort(r, test->count, sizeof(*r), by_low);
	for (uint32_t i = 1; i < test->count; i++) {
		if (r[n].high == UINT64_MAX || r[i].low <= r[n].high + 1)
			r[n].high = r[i].high > r[n].high ? r[i].high : r[n].high;
		else
			r[++n] = r[i];
	}
	test->count = n + 1;
	if (test->count == 1 && test->kind == PP_TEST_RANGES) {
		test->kind = PP_TEST_RANGE;
		test->range = r[0];
	}
}

/* ---- Flow ------------------------------------------------------------------------------------ */

/*
 * Puts the tests of a node in front of what is there already, the last first, so that each
 * knows where it leads; negation only swaps the two ways.  Chains of && and || lean to the
 * left and are a loop here; the recursion is as deep as the parentheses.  Returns the place
 * of the node's first test.
 */
static uint32_t place(struct pp_query *q, struct pp_query_node *nodes, uint32_t index,
		      uint32_t yes, uint32_t no, uint32_t *free_below)
{
	for (;;) {
		struct pp_query_node *const node = &nodes[index];
		const uint32_t was = yes;

		switch (node->kind) {
		case PP_NODE_NOT:
			yes = no;
			no = was;
			break;
		case PP_NODE_AND:
			yes = place(q, nodes, node->right, yes, no, free_below);
			break;
		case PP_NODE_OR:
			no = place(q, nodes, node->right, yes, no, free_below);
			break;
		default:
			q->tests[--*free_below] = node->test;
			node->test = (struct pp_query_test){ .count = 0 };
			q->tests[*free_below].yes = yes;
			q->tests[*free_below].no = no;
			return *free_below;
		}
		index = node->left;
	}
}

struct pp_query *pp_query_compile(const char *text, struct pp_query_error *error)
{
	struct pp_query *q = calloc(1, sizeof(*q));
	struct pp_query_tree tree = { .count = 0 };
	uint32_t free_below;

	*error = (struct pp_query_error){ .at = 0 };
	if (!q || pp_query_parse(text, &tree, error))
		goto fail;
	for (size_t i = 0; i < tree.count; i++)
		q->count += tree.nodes[i].kind == PP_NODE_TEST;
	q->tests = calloc(q->count, sizeof(*q->tests));
	q->text = strdup(text);
	if (!q->tests || !q->text)
		goto fail;
	q->paths = tree.paths;
	tree.paths = NULL;
	free_below = q->count;
	place(q, tree.nodes, tree.root, PP_QUERY_YES, PP_QUERY_NO, &free_below);
	for (struct pp_query_test *test = q->tests; test < q->tests + q->count; test++) {
		if (test->kind == PP_TEST_RANGES || test->kind == PP_TEST_ANY)
			settle_ranges(test);
		q->needs_maps |= test->field == PP_QUERY_DSO || test->field == PP_QUERY_ANY_DSO;
		q->needs_tasks |= test->field == PP_QUERY_COMM || q->needs_maps;
		q->needs_last |= test->field == PP_QUERY_UNTIL || test->field == PP_QUERY_PART;
		q->needs_first |= test->field == PP_QUERY_SINCE || test->field == PP_QUERY_PART;
		q->needs_wall |= test->field == PP_QUERY_WALL;
	}
	pp_query_tree_free(&tree);
	return q;
fail:
	if (!error->text[0])
		pp_query_say(error, 0, "out of memory");
	pp_query_tree_free(&tree);
	pp_query_free(q);
	return NULL;
}

void pp_query_free(struct pp_query *q)
{
	if (!q)
		return;
	for (uint32_t i = 0; q->tests && i < q->count; i++)
		pp_query_test_free(&q->tests[i]);
	pp_query_paths_free(q->paths);
	free(q->tests);
	free(q->text);
	free(q);
}

bool pp_query_needs_tasks(const struct pp_query *q)
{
	return q->needs_tasks;
}

bool pp_query_needs_first(const struct pp_query *q)
{
	return q->needs_first;
}

bool pp_query_needs_last(const struct pp_query *q)
{
	return q->needs_last;
}

bool pp_query_needs_wall_clock(const struct pp_query *q)
{
	return q->needs_wall;
}

bool pp_query_needs_maps(const struct pp_query *q)
{
	return q->needs_maps;
}

/* ---- Shown ----------------------------------------------------------------------------------- */

/* How a test comes by its value. */
static const char *means(const struct pp_query_test *test)
{
	static const char *const how[] = {
		[PP_TEST_COMPARE] = "arithmetic", [PP_TEST_ANY] = "a walk over all values",
	};

	if (test->field == PP_QUERY_COMM)
		return "names of tasks";
	if (test->field == PP_QUERY_DSO || test->field == PP_QUERY_ANY_DSO)
		return "maps of tasks";
	if (test->kind == PP_TEST_COMPARE || test->kind == PP_TEST_ANY)
		return how[test->kind];
	if (test->field == PP_QUERY_WALKED)
		return "a walk through the sample";
	if (test->field == PP_QUERY_COMPUTED)
		return "arithmetic";
	return test->field == PP_QUERY_FRAMES ? "the call chain" : "a load";
}

static void explain_way(struct pp_out *out, const char *answer, uint32_t to)
{
	pp_out_text(out, answer);
	if (to == PP_QUERY_YES || to == PP_QUERY_NO)
		pp_out_text(out, to == PP_QUERY_YES ? "keep" : "drop");
	else
		pp_out_dec(out, to + 1);
}

void pp_query_explain(const struct pp_query *q, struct pp_out *out)
{
	static const char *const bases[] = {
		" (from the first sample)", " (from the last sample)",
		" (of the time between the first and the last sample)", " (by the wall clock)",
	};
	const bool in_order = q->needs_tasks || (q->needs_first && !q->needs_last);

	pp_out_text(out, !in_order ? "judged as samples come\n" :
			 q->needs_maps ? "judged in time order, with names and maps of tasks\n" :
			 q->needs_tasks ? "judged in time order, with names of tasks\n" :
					  "judged in time order\n");
	for (uint32_t i = 0; i < q->count; i++) {
		const struct pp_query_test *const test = &q->tests[i];

		pp_out_dec(out, i + 1);
		pp_out_text(out, ": ");
		pp_out_printable(out, q->text + test->at, test->length);
		if (test->field >= PP_QUERY_SINCE && test->field <= PP_QUERY_WALL)
			pp_out_text(out, bases[test->field - PP_QUERY_SINCE]);
		pp_out_text(out, "  [");
		pp_out_text(out, means(test));
		explain_way(out, "]  yes: ", test->yes);
		explain_way(out, ", no: ", test->no);
		pp_out_char(out, '\n');
	}
}
