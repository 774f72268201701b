/* compile.c - the tree of a query made into a flat program of tests; query_eval.c runs it. */
#include "query/query.h"

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

/* Names of types as their numbers: one load and no text. */
static int number_types(struct pp_query_test *test)
{
	if (test->field != PP_QUERY_TYPE || test->kind != PP_TEST_TEXTS)
		return 0;
	test->ranges = calloc(test->count, sizeof(*test->ranges));
	if (!test->ranges)
		return -1;
	for (uint32_t i = 0; i < test->count; i++) {
		const struct pp_type *const type = pp_type_named(test->texts[i]);
		const uint64_t number = type ? type->number :
				strtoul(test->texts[i] + strlen("UNKNOWN_"), NULL, 10);

		test->ranges[i] = (struct pp_query_range){ number, number };
		free(test->texts[i]);
	}
	free(test->texts);
	test->texts = NULL;
	test->kind = PP_TEST_RANGES;
	return 0;
}

/* ---- What is needed -------------------------------------------------------------------------- */

static void need(struct pp_query *q, uint8_t field, const struct pp_query_path *path)
{
	static const struct { uint8_t first, last; unsigned with; } rows[] = {
		{ PP_QUERY_COMM, PP_QUERY_COMM, 0 },
		{ PP_QUERY_DSO, PP_QUERY_ANY_DSO, PP_TASKS_MAPS },
		{ PP_QUERY_SYM, PP_QUERY_BUILD_ID, PP_TASKS_MAPS | PP_TASKS_BUILD_IDS },
		{ PP_QUERY_CGROUP_PATH, PP_QUERY_CGROUP_PATH, PP_TASKS_CGROUPS },
		{ PP_QUERY_NS_NET, PP_QUERY_NS_TIME, PP_TASKS_NAMESPACES },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (field >= rows[i].first && field <= rows[i].last) {
			q->needs_tasks = true;
			q->tasks_with |= rows[i].with;
		}
	q->needs_last |= field == PP_QUERY_UNTIL || field == PP_QUERY_PART;
	q->needs_first |= field == PP_QUERY_SINCE || field == PP_QUERY_PART;
	q->needs_wall |= field == PP_QUERY_WALL;
	q->judges_all |= field == PP_QUERY_TYPE || (path && !path->in_sample);
}

static void find_needs(struct pp_query *q)
{
	for (const struct pp_query_test *test = q->tests; test < q->tests + q->count; test++) {
		need(q, test->field, test->path);
		for (uint32_t i = 0; i < test->n_ops; i++)
			if (test->ops[i].kind == PP_OP_LOAD)
				need(q, test->ops[i].field, test->ops[i].path);
		if (test->kind == PP_TEST_DESCENT) {
			q->needs_tasks = true;
			q->tasks_with |= PP_TASKS_KIN;
		}
	}
}

/* ---- Flow ------------------------------------------------------------------------------------ */

/*
 * Puts the tests of a node before what is there already, the last first, so that each knows where
 * it leads; negation only swaps the two ways.  Chains of && and || lean to the left and are a loop
 * here; the recursion is as deep as the parentheses.  Returns the place of the node's first test.
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

struct pp_query *pp_query_compile(const char *text, struct pp_error *error)
{
	struct pp_query *q = calloc(1, sizeof(*q));
	struct pp_query_tree tree = { .count = 0 };
	uint32_t free_below;

	error->code = PP_OK;
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
		if (number_types(test))
			goto fail;
		if (pp_query_is_of_names(test->field) && !(test->names = calloc(1, sizeof(*test->names))))
			goto fail;
		if (test->kind == PP_TEST_RANGES || test->kind == PP_TEST_ANY)
			settle_ranges(test);
	}
	find_needs(q);
	pp_query_tree_free(&tree);
	return q;
fail:
	if (!error->code)
		pp_query_say_memory(error);
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

unsigned pp_query_tasks_with(const struct pp_query *q)
{
	return q->tasks_with;
}

bool pp_query_judges(const struct pp_query *q, uint32_t type)
{
	return type == PP_REC_SAMPLE || (q->judges_all && type < PP_USER_TYPES);
}

/* ---- Shown ----------------------------------------------------------------------------------- */

/* How a test comes by its value. */
static const char *means(const struct pp_query_test *test)
{
	switch (test->field) {
	case PP_QUERY_COMM:
		return "names of tasks";
	case PP_QUERY_DSO: case PP_QUERY_ANY_DSO: case PP_QUERY_BUILD_ID:
		return "maps of tasks";
	case PP_QUERY_SYM: case PP_QUERY_ANY_SYM: case PP_QUERY_PARENT_SYM:
		return "names of functions";
	case PP_QUERY_SRCFILE: case PP_QUERY_SRCLINE:
		return "lines of sources";
	case PP_QUERY_CGROUP_PATH:
		return "paths of control groups";
	default:
		break;
	}
	if (test->field >= PP_QUERY_NS_NET && test->field <= PP_QUERY_NS_TIME)
		return "namespaces of tasks";
	if (test->kind == PP_TEST_DESCENT)
		return "ancestors of tasks";
	if (test->kind == PP_TEST_ANY || test->any)
		return "a walk over all values";
	if (test->path && test->path->is_trace)
		return "the tracepoint's data";
	if (test->field == PP_QUERY_WALKED)
		return test->path->in_sample ? "a walk through the sample"
					     : "a walk through side-band";
	if (test->kind == PP_TEST_COMPARE || test->field == PP_QUERY_COMPUTED)
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
	static const struct { unsigned with; const char *text; } more[] = {
		{ PP_TASKS_MAPS, "maps" }, { PP_TASKS_KIN, "ancestors" },
		{ PP_TASKS_NAMESPACES, "namespaces" }, { PP_TASKS_CGROUPS, "control groups" },
	};
	unsigned left = q->tasks_with & ~(unsigned)PP_TASKS_BUILD_IDS;
	const bool in_order = q->needs_tasks || (q->needs_first && !q->needs_last);

	pp_out_text(out, !in_order ? "samples are tested as they arrive" :
			 !q->needs_tasks ? "samples are tested in time order" :
					   "samples are tested in time order, with names");
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		if (!(left & more[i].with))
			continue;
		left &= ~more[i].with;
		pp_out_text(out, left ? ", " : " and ");
		pp_out_text(out, more[i].text);
	}
	pp_out_text(out, q->needs_tasks ? " of tasks" : "");
	pp_out_text(out, q->judges_all ? "; so is side-band\n" : "\n");
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
