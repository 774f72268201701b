/*
 * callgraph.c - the call tree of an entry as perf report --stdio draws it: calls without branches in
 * one run, shares at each branch.
 */
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call, callers before what they call; of one caller, the heaviest first. */
struct call {
	const char *name;
	size_t length;
	uint32_t depth;
	unsigned rank;                /* by address */
	uint64_t self, hits;          /* weights; hits: with what it calls */
	uint64_t self_count, count;   /* samples */
	size_t caller, end;           /* index of its caller, SIZE_MAX: none; where what is below it ends */
};

struct calls {
	struct call *items;
	size_t n, room;
	struct pp_out *out;
	uint64_t total, parent;       /* weights of the event, and of the entry */
	uint64_t all;                 /* of what shares are: perf's are never relative */
	uint64_t least;               /* lighter calls are in no line; 0: that depends on their callers */
	int margin;
};

/* ---- collecting ---- */

static int collect(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct calls *const c = arg;

	/* nor is what they call, which is no heavier */
	if (node->total[PP_PROFILE_FIRST] < c->least)
		return 1;
	if (c->n == c->room) {
		const size_t room = c->room ? 2 * c->room : 64;
		struct call *const items = reallocarray(c->items, room, sizeof(*items));

		if (!items)
			return pp_fail(error, PP_E_NOMEM, NULL);
		c->items = items;
		c->room = room;
	}
	c->items[c->n++] = (struct call){
		node->name, node->length, node->depth, node->kind, node->self[PP_PROFILE_FIRST],
		node->total[PP_PROFILE_FIRST], node->self[PP_PROFILE_SECOND],
		node->total[PP_PROFILE_SECOND], 0, 0,
	};
	return 0;
}

/* Fills callers and ends: the caller of a call is the last one above it. */
static void relate(struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		size_t caller = i ? i - 1 : SIZE_MAX;

		while (caller != SIZE_MAX && c->items[caller].depth >= c->items[i].depth)
			caller = c->items[caller].caller;
		c->items[i].caller = caller;
	}
	for (size_t i = c->n; i-- > 0;) {
		size_t end = i + 1;

		while (end < c->n && c->items[end].depth > c->items[i].depth)
			end = c->items[end].end;
		c->items[i].end = end;
	}
}

static size_t end_of(const struct calls *c, size_t i)
{
	return c->items[i].end;
}

/* The last call of the run that begins with this one: perf's node, which has no branch in it. */
static size_t end_of_run(const struct calls *c, size_t i)
{
	while (i + 1 < c->n && c->items[i + 1].depth == c->items[i].depth + 1 && !c->items[i].self_count &&
	       c->items[i + 1].count == c->items[i].count)
		i++;
	return i;
}

/* ---- drawing ---- */

static void write_margin(const struct calls *c)
{
	pp_out_text(c->out, "            ");
	for (int i = 0; i < c->margin; i++)
		pp_out_char(c->out, ' ');
}

static void write_call_name(const struct calls *c, const struct call *call)
{
	/* as much as perf has room for */
	pp_out_printable(c->out, call->name, call->length < 1023 ? call->length : 1023);
}

static void write_value(const struct calls *c, uint64_t hits, uint64_t count, uint64_t total)
{
	char text[64];
	int n;

	if (table_options.value == CHAIN_PERIOD)
		n = snprintf(text, sizeof(text), "%" PRIu64, hits);
	else if (table_options.value == CHAIN_COUNT)
		n = snprintf(text, sizeof(text), "%" PRIu64, count);
	else
		n = snprintf(text, sizeof(text), "%.2f%%",
			     total ? (double)hits * 100.0 / (double)total : 0.0);
	pp_out_bytes(c->out, text, (size_t)n);
}

/* The line of bars above a branch: the last one of them goes down to it. */
static void write_bars(const struct calls *c, const bool *bars, size_t depth)
{
	write_margin(c);
	for (size_t i = 0; i < depth; i++)
		pp_out_text(c->out, i + 1 == depth || bars[i] ? "|          " : "           ");
	pp_out_char(c->out, '\n');
}

/* A call after the bars; the first of a run has its share. */
static void write_call(const struct calls *c, const struct call *call, const bool *bars, size_t depth,
		       bool first, uint64_t total)
{
	write_margin(c);
	for (size_t i = 0; i < depth; i++) {
		pp_out_char(c->out, bars[i] ? '|' : ' ');
		if (!first || i + 1 < depth) {
			pp_out_text(c->out, "          ");
			continue;
		}
		pp_out_text(c->out, "--");
		write_value(c, call->hits, call->count, total);
		pp_out_text(c->out, "--");
	}
	write_call_name(c, call);
	pp_out_char(c->out, '\n');
}

/* The next of those called from the same that is heavy enough, from `i` on, or `end`. */
static size_t next_heavy(const struct calls *c, size_t i, size_t end, uint64_t least)
{
	return i < end && c->items[i].hits >= least ? i : end;
}

static uint64_t least_hits(const struct calls *c, uint64_t below)
{
	const double share = table_options.chain_limit / 100.0;

	return table_options.mode == CHAIN_FRACTAL ? (uint64_t)ceil((double)below * share) :
						     (uint64_t)((double)c->total * share);
}

/* Samples of the calls of one caller. */
static uint64_t count_of(const struct calls *c, size_t i, size_t end)
{
	uint64_t sum = 0;

	for (; i < end; i = end_of(c, i))
		sum += c->items[i].count;
	return sum;
}

/* Of calls from `i` to `end`, which together with what is left out weigh `total` where shares are of
 * the caller, and are `below` in all: draws them at this depth. */
static void draw(const struct calls *c, size_t i, size_t end, uint64_t total, uint64_t below, bool *bars,
		 size_t depth)
{
	const bool fractal = table_options.mode == CHAIN_FRACTAL;
	const uint64_t least = least_hits(c, below);
	uint64_t left = total, left_count = count_of(c, i, end), drawn = 0;

	bars[depth - 1] = true;
	for (i = next_heavy(c, i, end, least); i < end;) {
		const size_t last = end_of_run(c, i);
		const size_t next = next_heavy(c, end_of(c, i), end, least);
		const uint64_t called = c->items[last].hits - c->items[last].self;

		left -= c->items[i].hits;
		left_count -= c->items[i].count;
		if (next == end && (!fractal || !left))
			bars[depth - 1] = false;
		write_bars(c, bars, depth);
		for (size_t k = i; k <= last; k++)
			write_call(c, &c->items[k], bars, depth, k == i, total);
		draw(c, last + 1, end_of(c, last), fractal ? called : total, called, bars, depth + 1);
		i = next;
		if (++drawn == table_options.print_limit)
			break;
	}
	if (fractal && left && left != total && (left_count || table_options.value != CHAIN_COUNT)) {
		const struct call rest = { .name = "[...]", .length = 5, .hits = left, .count = left_count };

		bars[depth - 1] = false;
		write_call(c, &rest, bars, depth, true, total);
	}
}

/* The run that the whole tree begins with; how many of its lines there were. */
static size_t write_trunk(struct calls *c, size_t last)
{
	size_t printed = 0;

	for (size_t i = 0; i <= last; i++) {
		if (!i && table_options.starts_with_symbol)
			continue;
		write_margin(c);
		if (!printed) {
			pp_out_text(c->out, "|\n");
			write_margin(c);
			pp_out_text(c->out, "---");
			c->margin += 3;
		}
		write_call_name(c, &c->items[i]);
		pp_out_char(c->out, '\n');
		if (++printed == table_options.print_limit)
			break;
	}
	return printed;
}

/* `below`: what all of the tree weighs. */
static int write_graph(struct calls *c, uint64_t below, struct pp_error *error)
{
	const bool fractal = table_options.mode == CHAIN_FRACTAL;
	uint32_t deepest = 0;
	size_t from = 0, end = c->n, printed = 0;
	bool *bars;

	for (size_t i = 0; i < c->n; i++)
		deepest = c->items[i].depth > deepest ? c->items[i].depth : deepest;
	bars = calloc((size_t)deepest + 2, sizeof(*bars));
	if (!bars)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (next_heavy(c, 0, c->n, least_hits(c, below)) < c->n &&
	    next_heavy(c, end_of(c, 0), c->n, least_hits(c, below)) == c->n &&
	    c->items[0].hits == c->parent) {
		const size_t last = end_of_run(c, 0);

		printed = write_trunk(c, last);
		below = c->items[last].hits - c->items[last].self;
		from = last + 1;
		end = end_of(c, last);
	}
	if (next_heavy(c, from, end, least_hits(c, below)) < end)
		printed++;
	draw(c, from, end, fractal ? c->parent : c->all, below, bars, 1);
	if (printed)
		pp_out_char(c->out, '\n');
	free(bars);
	return 0;
}

/* ---- without branches ---- */

/* perf goes from later addresses to earlier ones, and takes a call after what it calls. */
static int by_place(const struct calls *c, size_t i, size_t j)
{
	const int d = (c->items[i].depth < c->items[j].depth) - (c->items[i].depth > c->items[j].depth);

	while (c->items[i].depth > c->items[j].depth)
		i = c->items[i].caller;
	while (c->items[j].depth > c->items[i].depth)
		j = c->items[j].caller;
	if (i == j)
		return d;
	while (c->items[i].caller != c->items[j].caller) {
		i = c->items[i].caller;
		j = c->items[j].caller;
	}
	return c->items[i].rank < c->items[j].rank ? 1 : -1;
}

static int by_self(const void *a, const void *b, void *arg)
{
	const struct calls *const c = arg;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const uint64_t x = c->items[i].self, y = c->items[j].self;

	if (x != y)
		return x < y ? 1 : -1;
	return by_place(c, i, j);
}

/* The calls on the way to this one, the first first; `way` has room for them. */
static void write_way(const struct calls *c, size_t to, size_t *way, const char *before, const char *between)
{
	size_t n = 0;

	for (; to != SIZE_MAX; to = c->items[to].caller)
		way[n++] = to;
	for (bool first = true; n > 0; first = false) {
		pp_out_text(c->out, before ? before : first ? "" : between);
		write_call_name(c, &c->items[way[--n]]);
		if (before)
			pp_out_text(c->out, between);
	}
}

static int write_flat(struct calls *c, struct pp_error *error)
{
	const bool folded = table_options.mode == CHAIN_FOLDED;
	size_t *const ends = calloc(c->n + 1, sizeof(*ends)), *const way = calloc(c->n + 1, sizeof(*way));
	size_t n = 0;

	if (!ends || !way) {
		free(ends);
		free(way);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].self && c->items[i].self >= least_hits(c, c->parent))
			ends[n++] = i;
	qsort_r(ends, n, sizeof(*ends), by_self, c);
	for (size_t i = 0; i < n && (!table_options.print_limit || i < table_options.print_limit); i++) {
		const struct call *const call = &c->items[ends[i]];

		if (!folded)
			pp_out_text(c->out, "           ");
		write_value(c, folded ? call->self : call->hits, folded ? call->self_count : call->count,
			    c->all);
		pp_out_char(c->out, folded ? ' ' : '\n');
		if (folded)
			write_way(c, ends[i], way, NULL,
				  table_options.separator ? table_options.separator : ";");
		else
			write_way(c, ends[i], way, "                ", "\n");
		pp_out_char(c->out, '\n');
	}
	free(ends);
	free(way);
	return 0;
}

int callgraph_write(struct pp_report *report, size_t event, size_t entry, struct pp_out *out,
		    struct pp_error *error)
{
	struct calls c = { .out = out };
	struct pp_report_weights weights;
	struct pp_report_event of;
	struct pp_profile *tree;
	int status;

	pp_report_weights(report, event, entry, &weights);
	pp_report_event(report, event, &of);
	c.total = of.weight;
	c.all = of.all;
	c.parent = pp_report_children(report) ? weights.children : weights.weight;
	/* of most entries no call is heavy enough, so that no tree needs to be made */
	if (c.parent < least_hits(&c, c.parent))
		return 0;
	c.least = table_options.mode == CHAIN_FRACTAL ? 0 : least_hits(&c, c.parent);
	tree = pp_report_tree(report, event, entry, c.least, error);
	if (!tree)
		return -1;
	status = pp_profile_each(tree, PP_PROFILE_BY_WEIGHT, collect, &c, error);
	relate(&c);
	if (!status && c.n)
		status = table_options.mode == CHAIN_FLAT || table_options.mode == CHAIN_FOLDED ?
			 write_flat(&c, error) :
			 write_graph(&c, pp_profile_total(tree, PP_PROFILE_FIRST), error);
	free(c.items);
	pp_profile_free(tree);
	return status;
}
