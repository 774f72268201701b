/* hierarchy.c - a report's entries as a tree: a level for each key, each row with the sum of those below. */
#include "report/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* An entry, with a number for its value of each key: the same for what is the same, and in their order. */
struct ranked_entry {
	size_t entry;
	uint32_t *rank;
};
struct building {
	struct hierarchy *tree;
	const struct hierarchy_of *of;
	struct ranked_entry *entries;
	size_t key;                   /* that is compared */
};
/* Entries that have the same values as far as some level. */
struct siblings { size_t from, to; struct hierarchy_row row; };

static int compare_cells(const void *x, const void *y, void *arg)
{
	const struct building *const b = arg;
	const struct hierarchy_of *const of = b->of;
	struct pp_report_cell one, two;
	size_t least;
	int got;

	pp_report_cell(of->report, of->event, ((const struct ranked_entry *)x)->entry, of->keys[b->key],
		       &one);
	pp_report_cell(of->report, of->event, ((const struct ranked_entry *)y)->entry, of->keys[b->key],
		       &two);
	if (one.known != two.known)
		return one.known ? -1 : 1;
	least = one.length < two.length ? one.length : two.length;
	got = least ? memcmp(one.text, two.text, least) : 0;
	if (got || one.length != two.length)
		return got ? got : one.length < two.length ? -1 : 1;
	if (one.number != two.number && (one.kind != PP_REPORT_SYMBOL || !one.known))
		return one.number < two.number ? -1 : 1;
	return (int)one.level - (int)two.level;
}

static void rank_entries(struct building *b, size_t n)
{
	for (b->key = 0; b->key < b->of->n_keys; b->key++) {
		uint32_t rank = 0;

		qsort_r(b->entries, n, sizeof(*b->entries), compare_cells, b);
		for (size_t i = 0; i < n; i++) {
			rank += i && compare_cells(&b->entries[i - 1], &b->entries[i], b) != 0;
			b->entries[i].rank[b->key] = rank;
		}
	}
}

static int compare_ranks(const void *x, const void *y, void *arg)
{
	const struct ranked_entry *const one = x, *const two = y;
	const struct building *const b = arg;

	for (size_t i = 0; i < b->of->n_keys; i++)
		if (one->rank[i] != two->rank[i])
			return one->rank[i] < two->rank[i] ? -1 : 1;
	return one->entry < two->entry ? -1 : 1;
}

/* The heaviest first; of equal ones in the order of their values, or of the entries themselves. */
static int compare_siblings(const void *x, const void *y, void *arg)
{
	const struct siblings *const one = x, *const two = y;
	const struct building *const b = arg;

	if (one->row.weight != two->row.weight)
		return one->row.weight > two->row.weight ? -1 : 1;
	if (one->row.leaf)
		return one->row.entry < two->row.entry ? -1 : 1;
	return b->entries[one->from].rank[one->row.depth] <
	       b->entries[two->from].rank[two->row.depth] ? -1 : 1;
}

/* What the entries weigh in one column, in one event of the group. */
static uint64_t sum_of(const struct building *b, const struct siblings *s, size_t column, size_t member)
{
	uint64_t sum = 0;

	for (size_t i = s->from; i < s->to; i++) {
		struct pp_report_cell cell;

		if (member)
			pp_report_of_member(b->of->report, b->of->event, b->entries[i].entry, column, member,
					    &cell);
		else
			pp_report_cell(b->of->report, b->of->event, b->entries[i].entry, column, &cell);
		sum += cell.number;
	}
	return sum;
}

static void add_row(struct building *b, const struct siblings *s)
{
	struct hierarchy *const tree = b->tree;
	const struct hierarchy_of *const of = b->of;

	for (size_t c = 0; c < of->n_weights; c++)
		for (size_t m = 0; m < of->members; m++)
			tree->sums[(tree->n * of->n_weights + c) * of->members + m] =
				sum_of(b, s, of->weights[c], m);
	tree->rows[tree->n++] = s->row;
}

/* Rows of entries that have the same values before this level: as deep as there are keys. */
static void add_level(struct building *b, size_t from, size_t to, size_t depth)
{
	struct siblings *const all = cli_grow(NULL, to - from, sizeof(*all));
	size_t n = 0;

	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && b->entries[end].rank[depth] == b->entries[i].rank[depth];)
			end++;
		all[n] = (struct siblings){ i, end, { .entry = b->entries[i].entry, .depth = depth,
						      .leaf = depth + 1 == b->of->n_keys } };
		all[n].row.weight = sum_of(b, &all[n], b->of->weights[0], 0);
		n++;
	}
	qsort_r(all, n, sizeof(*all), compare_siblings, b);
	for (size_t i = 0; i < n; i++) {
		add_row(b, &all[i]);
		if (!all[i].row.leaf)
			add_level(b, all[i].from, all[i].to, depth + 1);
	}
	free(all);
}

void hierarchy_make(struct hierarchy *tree, const struct hierarchy_of *of)
{
	const size_t all = pp_report_entries(of->report, of->event);
	struct building b = { .tree = tree, .of = of };
	uint32_t *const ranks = cli_grow(NULL, all * of->n_keys + 1, sizeof(*ranks));
	size_t n = 0;

	b.entries = cli_grow(NULL, all + 1, sizeof(*b.entries));
	for (size_t i = 0; i < all; i++)
		if (table_may_show(of->report, of->event, i)) {
			b.entries[n] = (struct ranked_entry){ i, ranks + n * of->n_keys };
			n++;
		}
	/* at most as many rows as each entry has keys */
	*tree = (struct hierarchy){
		.rows = cli_grow(NULL, n * of->n_keys + 1, sizeof(*tree->rows)),
		.sums = cli_grow(NULL, n * of->n_keys * of->n_weights * of->members + 1, sizeof(*tree->sums)),
	};
	if (n && of->n_keys && of->n_weights) {
		rank_entries(&b, n);
		qsort_r(b.entries, n, sizeof(*b.entries), compare_ranks, &b);
		add_level(&b, 0, n, 0);
	}
	free(b.entries);
	free(ranks);
}

void hierarchy_free(struct hierarchy *tree)
{
	free(tree->rows);
	free(tree->sums);
}
