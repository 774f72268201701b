/*
 * windows.c - what stacks weighed in parts of one recording that are equally long.
 *
 * How long a recording is turns out at its end.  Windows begin short; each time that the next sample is
 * beyond the last one, two become one, so that between half of them and all are in use.
 */
#include "diff/windows.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { WINDOWS = 60 };

static struct {
	uint64_t first, last, width;  /* ns */
	struct window_costs { double of[WINDOWS]; } *nodes;
	size_t n;
} state;

static void join_windows(void)
{
	for (size_t i = 0; i < state.n; i++) {
		double *const of = state.nodes[i].of;

		for (size_t w = 0; w < WINDOWS / 2; w++)
			of[w] = of[2 * w] + of[2 * w + 1];
		memset(of + WINDOWS / 2, 0, WINDOWS / 2 * sizeof(*of));
	}
	state.width *= 2;
}

static struct window_costs *costs_of(uint32_t node)
{
	if (node >= state.n) {
		const size_t more = 2 * ((size_t)node + 1);

		state.nodes = cli_grow(state.nodes, more, sizeof(*state.nodes));
		memset(state.nodes + state.n, 0, (more - state.n) * sizeof(*state.nodes));
		state.n = more;
	}
	return &state.nodes[node];
}

void windows_note(const struct pp_folded *folded)
{
	uint64_t at;

	if (folded->anew) {
		free(state.nodes);
		memset(&state, 0, sizeof(state));
	}
	if (!state.width) {
		state.first = folded->time;
		state.width = 1000;
	}
	state.last = folded->time > state.last ? folded->time : state.last;
	at = folded->time > state.first ? folded->time - state.first : 0;
	while (at / state.width >= WINDOWS)
		join_windows();
	costs_of(folded->node)->of[at / state.width] += (double)folded->weight;
}

void windows_renumber(const uint32_t *places, size_t n)
{
	struct window_costs *const before = state.nodes;
	const size_t count = state.n < n ? state.n : n;

	state.nodes = NULL;
	state.n = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t w = 0; w < WINDOWS; w++)
			if (before[i].of[w] > 0)
				costs_of(places[i])->of[w] += before[i].of[w];
	free(before);
}

static int weigh_window(struct pp_profile *profile, size_t window, struct pp_error *error)
{
	pp_profile_clear(profile, PP_PROFILE_FIRST);
	for (uint32_t i = 0; i < state.n; i++)
		if (state.nodes[i].of[window] > 0 &&
		    pp_profile_weigh(profile, i, PP_PROFILE_FIRST, (uint64_t)state.nodes[i].of[window],
				     error))
			return -1;
	return 0;
}

int windows_end(struct pp_profile *profile, const struct pp_fold *fold, struct pp_unit_costs *costs,
		double *share, struct pp_error *error)
{
	const uint64_t duration = state.last - state.first;
	const int n = state.width ? (int)(duration / state.width) : 0;
	int failed = 0;

	*share = duration ? (double)state.width / (double)duration : 1;
	for (int w = 0; w < n && !failed; w++)
		failed = weigh_window(profile, (size_t)w, error) ||
			 pp_unit_costs_add(costs, profile, fold, error);
	free(state.nodes);
	memset(&state, 0, sizeof(state));
	return failed ? -1 : n;
}
