/*
 * judge_runs.c - what became more or less between two sides of recordings: each frame that is drawn, with all
 * that it calls, and each function.
 *
 * Frames are a family of their own, so that at most one in twenty of those that have a colour is expected to
 * be wrong; so are functions by themselves, which are judged as pp-diff judges them, and functions with what
 * they call.
 */
#include "flame/many_runs.h"

#include <perfpipe/gate.h>

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* The nodes of a profile, callers before what they call. */
struct judged_tree {
	struct judged_node {
		uint32_t node, parent, frame, depth;
		bool outermost;       /* no caller has its frame */
	} *nodes;
	size_t n, room;
	uint32_t n_nodes, n_frames;   /* numbers are below these */
	uint32_t *opened;             /* by frame: the depth of its outermost node at hand */
	uint32_t *path;               /* by depth: the frame there */
	size_t frames_room, path_room;
};

struct run_judge {
	struct judged_tree tree;
	const struct many_runs *runs;
	struct pp_gate_options how;
	double *divisors;             /* of each run */
	double *totals;
	bool by_shares;               /* of which the whole is always the same */
	uint32_t first_function;      /* a depth: what stacks begin with may be programs */
	struct pp_flame_judged *to;
};

/* ---- the tree ---- */

static void make_zeroed(uint32_t **items, size_t *room, size_t n)
{
	if (n <= *room)
		return;
	*items = cli_grow(*items, 2 * n, sizeof(**items));
	memset(*items + *room, 0, (2 * n - *room) * sizeof(**items));
	*room = 2 * n;
}

static int add_judged_node(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct judged_tree *const t = arg;
	const uint32_t frame = node->frame, depth = node->depth;
	bool outermost;

	(void)error;
	make_zeroed(&t->opened, &t->frames_room, (size_t)frame + 1);
	make_zeroed(&t->path, &t->path_room, (size_t)depth + 1);
	outermost = !t->opened[frame] || t->opened[frame] >= depth || t->path[t->opened[frame]] != frame;
	t->opened[frame] = outermost ? depth : t->opened[frame];
	t->path[depth] = frame;
	t->n_frames = frame >= t->n_frames ? frame + 1 : t->n_frames;
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->nodes = cli_grow(t->nodes, t->room, sizeof(*t->nodes));
	}
	t->nodes[t->n++] = (struct judged_node){ node->node, node->parent, frame, depth, outermost };
	return 0;
}

/* What each node costs in a run, itself, or with all that it calls. */
static void cost_of_nodes(const struct run_judge *j, size_t run, double *costs, bool inclusive)
{
	const struct many_run *const of = j->runs->items[run];

	memset(costs, 0, j->tree.n_nodes * sizeof(*costs));
	for (size_t i = 0; i < of->n; i++)
		costs[of->weights[i].node] += (double)of->weights[i].weight / j->divisors[run];
	for (size_t i = j->tree.n; i-- > 0 && inclusive;)
		costs[j->tree.nodes[i].parent] += costs[j->tree.nodes[i].node];
}

/* ---- what was found ---- */

static void add_judgement(struct pp_flame_judged *to, enum pp_flame_family family, uint32_t number,
			  const struct pp_gate_unit *of)
{
	struct pp_flame_judgements *const list = &to->of[family];

	if (of->verdict == PP_GATE_LIGHT)
		return;
	list->items = cli_grow(list->items, list->n + 1, sizeof(*list->items));
	list->items[list->n++] = (struct pp_flame_judgement){
		.number = number, .verdict = pp_gate_verdict_name(of->verdict),
		.way = of->verdict == PP_GATE_WORSE ? 1 : of->verdict == PP_GATE_BETTER ? -1 : 0,
		.change = of->change, .low = of->low, .high = of->high,
	};
}

/* Of rows of costs, one for each of `numbers`, which rise. */
static int judge_family(const struct run_judge *j, enum pp_flame_family family, const double *costs,
			const uint32_t *numbers, size_t n, struct pp_error *error)
{
	struct pp_gate_unit *const found = cli_grow(NULL, n + 1, sizeof(*found)), total;
	const int failed = pp_gate_judge(&j->how, costs, n, found, &total, error);

	if (!failed && family == PP_FLAME_FRAMES && !j->by_shares)
		add_judgement(j->to, family, 0, &total);
	for (size_t i = 0; i < n && !failed; i++)
		add_judgement(j->to, family, numbers[i], &found[i]);
	free(found);
	return failed;
}

/* ---- families ---- */

/* Those that may be above the floor, and some below it. */
static size_t choose_nodes(const struct run_judge *j, double *costs, uint32_t *numbers)
{
	double *const sides[] = { cli_grow(NULL, j->tree.n_nodes, sizeof(double)),
				  cli_grow(NULL, j->tree.n_nodes, sizeof(double)) };
	size_t n = 0;

	for (unsigned side = 0; side < 2; side++)
		memset(sides[side], 0, j->tree.n_nodes * sizeof(double));
	for (size_t run = 0; run < j->runs->n; run++) {
		double *const side = sides[run >= j->runs->n_before];

		cost_of_nodes(j, run, costs, true);
		for (uint32_t i = 0; i < j->tree.n_nodes; i++)
			side[i] += costs[i];
	}
	for (uint32_t i = 1; i < j->tree.n_nodes; i++)
		if (sides[0][i] >= sides[0][0] / 1000 || sides[1][i] >= sides[1][0] / 1000)
			numbers[n++] = i;
	for (unsigned side = 0; side < 2; side++)
		free(sides[side]);
	return n;
}

static int judge_frames(const struct run_judge *j, struct pp_error *error)
{
	double *const costs = cli_grow(NULL, j->tree.n_nodes, sizeof(*costs)), *rows;
	uint32_t *const numbers = cli_grow(NULL, j->tree.n_nodes, sizeof(*numbers));
	const size_t n = choose_nodes(j, costs, numbers);
	int failed;

	rows = cli_grow(NULL, (n + 1) * j->runs->n, sizeof(*rows));
	for (size_t run = 0; run < j->runs->n; run++) {
		cost_of_nodes(j, run, costs, true);
		for (size_t i = 0; i < n; i++)
			rows[i * j->runs->n + run] = costs[numbers[i]];
	}
	failed = judge_family(j, PP_FLAME_FRAMES, rows, numbers, n, error);
	free(costs);
	free(numbers);
	free(rows);
	return failed;
}

static int judge_functions(const struct run_judge *j, bool inclusive, struct pp_error *error)
{
	const size_t n = j->tree.n_frames, n_runs = j->runs->n;
	double *const costs = cli_grow(NULL, j->tree.n_nodes, sizeof(*costs));
	double *const rows = cli_grow(NULL, (n + 1) * n_runs, sizeof(*rows));
	uint32_t *const numbers = cli_grow(NULL, n + 1, sizeof(*numbers));
	int failed;

	memset(rows, 0, (n + 1) * n_runs * sizeof(*rows));
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	for (size_t run = 0; run < n_runs; run++) {
		cost_of_nodes(j, run, costs, inclusive);
		for (size_t i = 0; i < j->tree.n; i++) {
			const struct judged_node *const node = &j->tree.nodes[i];

			if (node->depth >= j->first_function && (!inclusive || node->outermost))
				rows[node->frame * n_runs + run] += costs[node->node];
		}
	}
	failed = judge_family(j, inclusive ? PP_FLAME_FUNCTIONS : PP_FLAME_SELVES, rows, numbers, n, error);
	free(costs);
	free(rows);
	free(numbers);
	return failed;
}

/* ---- all of it ---- */

/* What is judged is what is shown: shares are of a run's whole, rather than of what did not change. */
static double divisor(const struct many_run *run, double total, enum pp_flame_by by)
{
	const double of = by == PP_FLAME_BY_SHARES ? total :
			  by == PP_FLAME_BY_TIME ? (double)run->duration / 1e9 : 1;

	return of > 0 ? of : 1;
}

static void measure_runs(struct run_judge *j, enum pp_flame_by by)
{
	double samples = 0, sum = 0;

	j->divisors = cli_grow(NULL, j->runs->n, sizeof(*j->divisors));
	j->totals = cli_grow(NULL, j->runs->n, sizeof(*j->totals));
	for (size_t run = 0; run < j->runs->n; run++) {
		const struct many_run *const of = j->runs->items[run];

		j->totals[run] = 0;
		for (size_t i = 0; i < of->n; i++)
			j->totals[run] += (double)of->weights[i].weight;
		j->divisors[run] = divisor(of, j->totals[run], by);
		j->totals[run] /= j->divisors[run];
		samples += (double)of->samples;
		sum += j->totals[run];
	}
	j->how = (struct pp_gate_options){
		.size = sizeof(j->how), .before = j->runs->n_before, .after = j->runs->n - j->runs->n_before,
		.paired = j->runs->paired, .totals = j->totals,
		.unit = samples > 0 && sum > 0 ? sum / samples : 1,
	};
}

struct pp_flame_judged *judge_runs(struct pp_profile *profile, const struct many_runs *runs,
				   enum pp_flame_by by, bool roots, struct pp_error *error)
{
	struct run_judge j = {
		.runs = runs, .by_shares = by == PP_FLAME_BY_SHARES, .first_function = roots ? 2 : 1,
		.to = cli_grow(NULL, 1, sizeof(*j.to)),
		.tree = { .n_nodes = pp_profile_nodes(profile) },
	};
	int failed;

	*j.to = (struct pp_flame_judged){ .paired = runs->paired };
	measure_runs(&j, by);
	failed = pp_profile_each(profile, PP_PROFILE_AS_MADE, add_judged_node, &j.tree, error) ||
		 judge_frames(&j, error) || judge_functions(&j, false, error) ||
		 judge_functions(&j, true, error);
	free(j.tree.nodes);
	free(j.tree.opened);
	free(j.tree.path);
	free(j.divisors);
	free(j.totals);
	if (!failed)
		return j.to;
	judge_runs_free(j.to);
	return NULL;
}

void judge_runs_free(struct pp_flame_judged *judged)
{
	for (unsigned i = 0; judged && i < PP_FLAME_FAMILIES; i++)
		free(judged->of[i].items);
	free(judged);
}
