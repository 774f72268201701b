/* diff_lines.c - what was judged as lines: units, and those whose code moved together as one. */
#include "diff/diff_lines.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void diff_find_callers(const struct diff_units *u, struct pp_gate_callers *callers)
{
	for (size_t i = 0; i < u->n; i++) {
		callers[i].of[0] = pp_unit_costs_caller(u->costs, i, u->columns, u->runs_before);
		callers[i].of[1] = pp_unit_costs_caller(u->costs, i, u->columns + u->runs_before,
							u->runs - u->runs_before);
	}
}

static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* ---- inlining ---- */

/* What a unit cost in frames of its own and in all, in the runs of a side. */
struct own_cost { double own, all; };

static struct own_cost own_cost_of(const struct diff_units *u, size_t unit, size_t from, size_t to)
{
	struct own_cost c = { 0, 0 };

	for (size_t i = from; i < to; i++) {
		c.all += pp_unit_cost(u->costs, unit, u->columns[i]);
		c.own += pp_unit_cost(u->costs, unit, u->columns[i]) -
			 pp_unit_cost_inlined(u->costs, unit, u->columns[i]);
	}
	return c;
}

/*
 * Whether one side has nothing of a kind of which the other has a tenth at least, and would have so many
 * samples that none is no chance.
 */
static bool is_gone(double part, double all, double part_before, double all_before, double sample)
{
	enum { LEAST_PART = 10, LEAST_SAMPLES = 10 };
	const double none = 1e-4;

	return part <= none * all && LEAST_PART * part_before >= all_before &&
	       part_before >= LEAST_SAMPLES * sample &&
	       part_before / all_before * all >= LEAST_SAMPLES * sample;
}

static const char *inlining_of(const struct diff_units *u, size_t unit)
{
	const struct own_cost before = own_cost_of(u, unit, 0, u->runs_before);
	const struct own_cost after = own_cost_of(u, unit, u->runs_before, u->runs);

	if (is_gone(after.own, after.all, before.own, before.all, u->sample))
		return "inlined now";
	if (is_gone(before.own, before.all, after.own, after.all, u->sample))
		return "no longer inlined";
	return NULL;
}

/* ---- what moved ---- */

static bool is_in_one_side(const struct diff_units *u, size_t unit)
{
	return u->callers[unit].of[0] == PP_GATE_NOWHERE || u->callers[unit].of[1] == PP_GATE_NOWHERE;
}

/* The parts of a line, losses first, and what happened to them. */
struct moved_parts {
	struct { struct diff_part part; size_t unit; } *of;
	size_t n, losses, in_one_side;
};

static void add_parts(const struct diff_units *u, struct moved_parts *p, size_t first, bool gains)
{
	for (size_t i = 0; i < u->n; i++) {
		const double *const values = u->values + i * u->runs;
		const struct diff_part part = {
			pp_unit_costs_name(u->costs, i), mean_of(values, u->runs_before),
			mean_of(values + u->runs_before, u->runs - u->runs_before),
		};

		if (u->together[i] != first || (part.after > part.before) != gains)
			continue;
		p->of = cli_grow(p->of, p->n + 1, sizeof(*p->of));
		p->of[p->n].part = part;
		p->of[p->n++].unit = i;
		p->losses += !gains;
		p->in_one_side += is_in_one_side(u, i);
	}
}

static const char *moved_note(const struct diff_units *u, const struct moved_parts *p)
{
	bool into_callers = true, out_of_callers = true;

	if (p->in_one_side == p->n)
		return p->n == 2 ? "renamed" : p->losses == 1 ? "split" : "joined";
	for (size_t l = 0; l < p->losses; l++)
		for (size_t g = p->losses; g < p->n; g++) {
			const size_t loss = p->of[l].unit, gain = p->of[g].unit;

			into_callers &= u->callers[loss].of[0] == gain && is_in_one_side(u, loss);
			out_of_callers &= u->callers[gain].of[1] == loss && is_in_one_side(u, gain);
		}
	return into_callers ? "moved into its caller" : out_of_callers ? "moved out of its caller" : "moved";
}

/* "a + b -> c" */
static char *moved_name(const struct moved_parts *p)
{
	size_t length = 1;
	char *name, *at;

	for (size_t i = 0; i < p->n; i++)
		length += strlen(p->of[i].part.name) + strlen(" -> ");
	at = name = cli_grow(NULL, length, 1);
	for (size_t i = 0; i < p->n; i++)
		at = stpcpy(stpcpy(at, !i ? "" : i == p->losses ? " -> " : " + "), p->of[i].part.name);
	return name;
}

static struct diff_line moved_line(const struct diff_units *u, size_t first)
{
	struct moved_parts p = { .of = NULL };
	struct diff_line line = { .kind = u->kind, .of = &u->found[first] };

	add_parts(u, &p, first, false);
	add_parts(u, &p, first, true);
	line.moved = moved_name(&p);
	line.name = line.moved;
	line.note = moved_note(u, &p);
	line.parts = cli_grow(NULL, p.n, sizeof(*line.parts));
	line.n_parts = p.n;
	for (size_t i = 0; i < p.n; i++)
		line.parts[i] = p.of[i].part;
	free(p.of);
	return line;
}

/* ---- all ---- */

static struct diff_line plain_line(const struct diff_units *u, size_t unit)
{
	const struct pp_gate_unit *const of = &u->found[unit];
	struct diff_line line = { .kind = u->kind, .name = pp_unit_costs_name(u->costs, unit), .of = of };

	if (!(of->before > 0) || !(of->after > 0))
		line.note = of->after > 0 ? "new" : of->before > 0 ? "gone" : NULL;
	else if (of->verdict != PP_GATE_LIGHT)
		line.note = inlining_of(u, unit);
	return line;
}

size_t diff_make_lines(const struct diff_units *u, struct diff_line *lines)
{
	bool *const with_others = cli_grow(NULL, u->n + 1, sizeof(*with_others));
	size_t n = 0;

	memset(with_others, 0, u->n * sizeof(*with_others));
	for (size_t i = 0; i < u->n; i++)
		with_others[u->together[i]] |= u->together[i] != i;
	for (size_t i = 0; i < u->n; i++)
		if (u->together[i] == i)
			lines[n++] = with_others[i] ? moved_line(u, i) : plain_line(u, i);
	free(with_others);
	return n;
}

void diff_free_lines(struct diff_line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(lines[i].moved);
		free(lines[i].parts);
	}
	free(lines);
}
