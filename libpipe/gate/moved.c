/*
 * moved.c - units whose code only moved, from one to another: what one lost others have, and the sum of all
 * is judged in their place.
 *
 * Where a function got another name, was split, or was inlined into its caller, one unit became cheaper, or
 * is gone, and another one dearer, or is new; which of them belong together their callers tell.
 */
#include <perfpipe/gate.h>

#include "gate/run_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct moving {
	const struct pp_gate_options *how;
	const double *costs;
	size_t n, runs;
	const struct pp_gate_callers *callers;
	struct pp_gate_unit *alone;   /* what each unit is by itself */
	double *more;                 /* by how much it costs more on the second side, in runs of one size */
	uint32_t *heavy, *found;      /* units above the floor; of these those that are worse or better */
	size_t n_heavy, n_found;
	bool *taken, *refused;        /* whether it is together with others; or was, as the first of them */
	uint32_t *together;           /* the caller's */
};

/* ---- what belongs together ---- */

/* What calls a unit on a side, and is on both: what got another name has callers that did, too. */
static uint32_t caller_on_both(const struct moving *m, uint32_t unit, unsigned side)
{
	enum { DEEPEST = 64 };        /* callers may call each other */
	uint32_t at = m->callers[unit].of[side];

	for (unsigned i = 0; at < m->n && m->callers[at].of[!side] == PP_GATE_NOWHERE; i++) {
		if (i == DEEPEST)
			return PP_GATE_ANYWHERE;
		at = m->callers[at].of[side];
	}
	return at;
}

/* Whether a unit is in no stack of one side. */
static bool is_one_sided(const struct moving *m, uint32_t unit)
{
	return m->callers[unit].of[0] == PP_GATE_NOWHERE || m->callers[unit].of[1] == PP_GATE_NOWHERE;
}

static bool is_found(const struct pp_gate_unit *unit)
{
	return unit->verdict == PP_GATE_WORSE || unit->verdict == PP_GATE_BETTER;
}

/*
 * Whether code may have moved between two units, of which the first is known to have changed.  What may have
 * changed by chance alone counts only as the caller of what is gone, or new: a small part of it.
 */
static bool may_be_of(const struct moving *m, uint32_t first, uint32_t second)
{
	const bool gains = m->more[first] > 0, gone_or_new = is_one_sided(m, first);
	const uint32_t loser = gains ? second : first, gainer = gains ? first : second;
	const uint32_t before = caller_on_both(m, loser, 0), after = caller_on_both(m, gainer, 1);

	if (before == gainer || after == loser)
		return is_found(&m->alone[second]) || gone_or_new;
	if (!is_found(&m->alone[second]) || before != after)
		return false;
	return before < m->n || (gone_or_new && is_one_sided(m, second));
}

enum { MOST = 8, PART = 4 };

/* Units that may belong together: the first lost what the others gained, or gained what they lost. */
struct moved_group {
	uint32_t members[MOST];
	size_t n;                     /* 1: there are no others */
	double rank;                  /* the smaller, the better they fit */
};

static bool is_member(const struct moved_group *g, uint32_t unit)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->members[i] == unit)
			return true;
	return false;
}

/* The one that makes good most of what is left. */
static uint32_t next_partner(const struct moving *m, const struct moved_group *g, double left)
{
	const uint32_t first = g->members[0];
	uint32_t best = PP_GATE_NOWHERE;
	double least = fabs(left);

	for (size_t i = 0; i < m->n_heavy; i++) {
		const uint32_t unit = m->heavy[i];
		const double after = fabs(left + m->more[unit]);

		if (after < least && m->more[unit] * m->more[first] < 0 && !m->taken[unit] &&
		    !is_member(g, unit) && may_be_of(m, first, unit)) {
			best = unit;
			least = after;
		}
	}
	return best;
}

/* What moved from a unit, or to it.  Where all have other names, nothing else fits better. */
static struct moved_group group_of(const struct moving *m, uint32_t first)
{
	struct moved_group g = { .members = { first }, .n = 1 };
	double left = m->more[first], others = 0, most = fabs(left);
	bool other_names = is_one_sided(m, first);

	while (g.n < MOST && PART * fabs(left) > most) {
		const uint32_t next = next_partner(m, &g, left);

		if (next == PP_GATE_NOWHERE)
			break;
		g.members[g.n++] = next;
		other_names &= is_one_sided(m, next);
		left += m->more[next];
		others += fabs(m->more[next]);
		most = fmax(fabs(m->more[first]), others);
	}
	if (PART * fabs(left) > most)
		g.n = 1;
	g.rank = fabs(left) / most + !other_names;
	return g;
}

static bool is_whole(const struct moving *m, const struct moved_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (m->taken[g->members[i]])
			return false;
	return g->n > 1;
}

/* The best first, each unit once: a group of which another one took a part is looked for again. */
static int gather_units(struct moving *m, struct pp_error *error)
{
	struct moved_group *const groups = calloc(m->n_found + 1, sizeof(*groups)), *best;

	if (!groups)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < m->n_found; i++)
		if (!m->refused[m->found[i]] && !m->taken[m->found[i]])
			groups[i] = group_of(m, m->found[i]);
	do {
		best = NULL;
		for (struct moved_group *g = groups; g < groups + m->n_found; g++) {
			if (g->n > 1 && !is_whole(m, g)) {
				const uint32_t first = g->members[0];

				g->n = 0;
				if (!m->taken[first])
					*g = group_of(m, first);
			}
			if (g->n > 1 && (!best || g->rank < best->rank))
				best = g;
		}
		for (size_t i = 0; best && i < best->n; i++) {
			m->taken[best->members[i]] = true;
			m->together[best->members[i]] = best->members[0];
		}
	} while (best);
	free(groups);
	return 0;
}

/* ---- sums ---- */

/*
 * Whether all of what is together is in no stack of one side, but for at most one unit, which changed and
 * calls the others: they have other names now, or became a part of it, or were one, whatever the sum became.
 */
static bool is_surely_moved(const struct moving *m, uint32_t first)
{
	uint32_t hub = PP_GATE_NOWHERE;

	for (uint32_t i = 0; i < m->n; i++)
		if (m->together[i] == first && !is_one_sided(m, i)) {
			if (hub != PP_GATE_NOWHERE || !is_found(&m->alone[i]))
				return false;
			hub = i;
		}
	for (uint32_t i = 0; i < m->n && hub != PP_GATE_NOWHERE; i++)
		if (m->together[i] == first && i != hub && caller_on_both(m, i, m->more[i] > 0) != hub)
			return false;
	return true;
}

/* Takes those apart whose sum is not the same, but for what surely moved.  Whether there were any. */
static bool take_apart(struct moving *m, const struct pp_gate_unit *units)
{
	bool any = false;

	for (uint32_t i = 0; i < m->n; i++) {
		const uint32_t first = m->together[i];

		if (first == i || units[first].verdict == PP_GATE_SAME || is_surely_moved(m, first))
			continue;
		for (uint32_t k = 0; k < m->n; k++)
			if (m->together[k] == first) {
				m->together[k] = k;
				m->taken[k] = false;
			}
		m->refused[first] = any = true;
	}
	return any;
}

/* The sums in the places of the first of each; the others have nothing, and are not judged. */
static void add_together(const struct moving *m, double *sums)
{
	memcpy(sums, m->costs, m->n * m->runs * sizeof(*sums));
	for (size_t i = 0; i < m->n; i++)
		for (size_t run = 0; run < m->runs && m->together[i] != i; run++) {
			sums[m->together[i] * m->runs + run] += m->costs[i * m->runs + run];
			sums[i * m->runs + run] = 0;
		}
}

static int judge_sums(struct moving *m, struct pp_gate_unit *units, struct pp_gate_unit *total,
		      struct pp_error *error)
{
	double *const sums = calloc(m->n + 1, m->runs * sizeof(*sums));
	int status = sums ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	do {
		if (!status)
			status = gather_units(m, error);
		if (!status) {
			add_together(m, sums);
			status = pp_gate_judge(m->how, sums, m->n, units, total, error);
		}
	} while (!status && take_apart(m, units));
	for (size_t i = 0; i < m->n && !status; i++)
		if (m->together[i] != i)
			units[i] = m->alone[i];
	free(sums);
	return status;
}

/* ---- all ---- */

/* By how much units cost more, in the mean of each side. */
static int measure_more(struct moving *m, struct pp_error *error)
{
	double *const sizes = calloc(m->runs, sizeof(*sizes));
	int status = sizes ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	for (size_t run = 0; run < m->runs && !status; run++)
		sizes[run] = 1;
	if (!status && m->how->shares)
		status = pp_find_run_sizes(m->costs, m->n, m->runs, m->how->unit, sizes, error);
	for (size_t i = 0; i < m->n && !status; i++)
		for (size_t run = 0; run < m->runs; run++) {
			const double cost = m->costs[i * m->runs + run] / sizes[run];

			m->more[i] += run < m->how->before ? -cost / (double)m->how->before :
							     cost / (double)m->how->after;
		}
	free(sizes);
	return status;
}

static int open_moving(struct moving *m, const struct pp_gate_unit *units, struct pp_error *error)
{
	m->alone = calloc(m->n + 1, sizeof(*m->alone));
	m->more = calloc(m->n + 1, sizeof(*m->more));
	m->heavy = calloc(2 * m->n + 1, sizeof(*m->heavy));
	m->taken = calloc(2 * m->n + 1, sizeof(*m->taken));
	if (!m->alone || !m->more || !m->heavy || !m->taken)
		return pp_fail(error, PP_E_NOMEM, NULL);
	m->found = m->heavy + m->n;
	m->refused = m->taken + m->n;
	for (uint32_t i = 0; i < m->n; i++) {
		m->alone[i] = units[i];
		m->together[i] = i;
		if (units[i].verdict != PP_GATE_LIGHT)
			m->heavy[m->n_heavy++] = i;
		if (is_found(&units[i]))
			m->found[m->n_found++] = i;
	}
	return measure_more(m, error);
}

int pp_gate_judge_moved(const struct pp_gate_options *how, const double *costs, size_t n,
			const struct pp_gate_callers *callers, struct pp_gate_unit *units, uint32_t *together,
			struct pp_gate_unit *total, struct pp_error *error)
{
	struct moving m = { .how = how, .costs = costs, .n = n, .callers = callers, .together = together };
	int status = pp_gate_judge(how, costs, n, units, total, error);

	if (status)
		return status;
	m.runs = how->before + how->after;
	status = open_moving(&m, units, error);
	if (!status && m.n_found)
		status = judge_sums(&m, units, total, error);
	free(m.alone);
	free(m.more);
	free(m.heavy);
	free(m.taken);
	return status;
}
