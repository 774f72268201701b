/*
 * many_runs.c - several recordings of each side that are drawn as one difference.
 *
 * Notes at the end of a recording may say which side it is of, and which side is the first turns out when all
 * were read.  So each is read on the second side of the profile, and what its nodes weigh is kept; meanwhile
 * the first side has the sum of those before it, so that none of their stacks seem to weigh nothing.
 */
#include "flame/many_runs.h"

#include <stdlib.h>
#include <string.h>

#include "diff/recordings.h"
#include "diff/renames.h"
#include "fold/facts.h"
#include "fold/marks.h"
#include "fold/stream_to_profile.h"
#include "fold/text_input.h"

static struct {
	struct diff_recording *recordings;    /* `column`: which run */
	struct many_run *runs;        /* as they were read */
	size_t n, n_before, at;
	struct pp_flame_judged *judged;
} state;

void many_runs_take(const char *const *files, size_t n, size_t n_before)
{
	state.n = n;
	state.n_before = n_before;
	state.recordings = cli_grow(NULL, n, sizeof(*state.recordings));
	state.runs = cli_grow(NULL, n, sizeof(*state.runs));
	memset(state.recordings, 0, n * sizeof(*state.recordings));
	memset(state.runs, 0, n * sizeof(*state.runs));
	if (n_before == n)
		cli_misuse("--diff: there is no recording after --");
	for (size_t i = 0; i < n; i++) {
		struct text_input in = { .text = false };

		if (!strcmp(files[i], "-"))
			cli_misuse("--diff: several recordings of a side are files: not -, standard input");
		text_input_open(&in, files[i], PP_PROFILE_SECOND);
		if (in.text)
			cli_misuse("--diff: several recordings of a side are streams: %s is text", files[i]);
		state.recordings[i].path = files[i];
		state.recordings[i].column = i;
	}
}

size_t many_runs_count(void)
{
	return state.n;
}

const char *many_runs_path(size_t i)
{
	return state.recordings[i].path;
}

/* ---- one ---- */

void many_runs_renumber(const uint32_t *places)
{
	for (size_t i = 0; i < state.n; i++) {
		struct many_run *const run = &state.runs[i];
		size_t kept = 0;

		/* a place of 0: it is not there any more */
		for (size_t k = 0; k < run->n; k++)
			if (places[run->weights[k].node])
				run->weights[kept++] = (struct many_weight){ places[run->weights[k].node],
									     run->weights[k].weight };
		run->n = kept;
	}
}

static int follow_nodes(const struct stacks_event *event, const uint32_t *places, size_t n,
			struct pp_error *error)
{
	(void)event;
	(void)n;
	(void)error;
	many_runs_renumber(places);
	return 0;
}

int many_runs_begin(struct run *run)
{
	facts_forget();
	stacks_options.fold.side = PP_PROFILE_SECOND;
	stacks_options.settled = follow_nodes;
	return stacks_start(run, false);
}

static int take_node(void *arg, const struct pp_profile_node *node, struct pp_error *error)
{
	struct many_run *const run = arg;
	const uint64_t weight = node->self[PP_PROFILE_SECOND];

	(void)error;
	if (!weight)
		return 0;
	if (run->n == run->room) {
		run->room = run->room ? 2 * run->room : 1024;
		run->weights = cli_grow(run->weights, run->room, sizeof(*run->weights));
	}
	run->weights[run->n++] = (struct many_weight){ node->node, weight };
	return 0;
}

static int weigh_run(struct pp_profile *profile, const struct many_run *run, enum pp_profile_side side,
		     struct pp_error *error)
{
	for (size_t i = 0; i < run->n; i++)
		if (pp_profile_weigh(profile, run->weights[i].node, side, run->weights[i].weight, error))
			return -1;
	return 0;
}

/* Weights of different events say nothing of each other. */
static void check_event(struct diff_recording *r, const char *event)
{
	const struct diff_recording *const first = state.recordings;

	r->event = event ? cli_text("%s", event) : NULL;
	if (event && first->event && strcmp(event, first->event) != 0)
		cli_die(EXIT_MISUSE, "%s: samples of %s, %s of %s: choose one with -e", r->path, event,
			first->event, first->path);
}

int many_runs_end(struct run *run)
{
	struct many_run *const own = &state.runs[state.at];
	struct diff_recording *const r = &state.recordings[state.at];
	struct pp_profile *const profile = stacks_profile();
	struct pp_flame_facts facts;
	struct pp_fold_stats stats;

	if (stacks_end(run))
		return -1;
	facts_end(run);
	pp_fold_stats(stacks_fold(), &stats);
	facts_of(&facts, stats.event, stacks_options.fold.weight, stats.samples);
	check_event(r, stats.event);
	recordings_note_side(r, &facts);
	r->times = facts.times;
	own->samples = stats.samples;
	own->duration = stacks_duration(PP_PROFILE_SECOND);
	state.at++;
	if (pp_profile_each(profile, PP_PROFILE_AS_MADE, take_node, own, &run->error) ||
	    weigh_run(profile, own, PP_PROFILE_FIRST, &run->error))
		return -1;
	pp_profile_clear(profile, PP_PROFILE_SECOND);
	return 0;
}

/* ---- all of them ---- */

int many_runs_settle(struct pp_error *error)
{
	const char *const wrong = recordings_take_sides(state.recordings, state.n, &state.n_before);
	struct pp_profile *const profile = stacks_profile();

	if (wrong)
		cli_die(EXIT_MISUSE, "%s", wrong);
	pp_profile_clear(profile, PP_PROFILE_FIRST);
	pp_profile_clear(profile, PP_PROFILE_SECOND);
	for (size_t i = 0; i < state.n; i++) {
		const struct diff_recording *const r = &state.recordings[i];

		if (weigh_run(profile, &state.runs[r->column], r->after ? PP_PROFILE_SECOND :
			      PP_PROFILE_FIRST, error))
			return -1;
	}
	return 0;
}

int many_runs_judge(struct pp_profile *profile, struct pp_flame_options *how, struct pp_error *error)
{
	struct many_runs all = {
		.items = cli_grow(NULL, state.n, sizeof(*all.items)), .n = state.n,
		.n_before = state.n_before,
		.paired = recordings_alternate(state.recordings, state.n, state.n_before),
	};
	int status = 0;

	how->runs[PP_PROFILE_FIRST] = state.n_before;
	how->runs[PP_PROFILE_SECOND] = state.n - state.n_before;
	how->durations[PP_PROFILE_FIRST] = how->durations[PP_PROFILE_SECOND] = 0;
	for (size_t i = 0; i < state.n; i++) {
		const enum pp_profile_side side = i < state.n_before ? PP_PROFILE_FIRST : PP_PROFILE_SECOND;

		all.items[i] = &state.runs[state.recordings[i].column];
		how->durations[side] += all.items[i]->duration / how->runs[side];
	}
	if (how->runs[PP_PROFILE_FIRST] > 1 && how->runs[PP_PROFILE_SECOND] > 1) {
		state.judged = judge_runs(profile, &all, how->by, !rename_options.no_comm, error);
		how->judged = state.judged;
		status = state.judged ? 0 : -1;
	}
	free(all.items);
	return status;
}

void many_runs_free(void)
{
	for (size_t i = 0; i < state.n; i++) {
		free(state.runs[i].weights);
		free(state.recordings[i].event);
		free(state.recordings[i].label);
	}
	free(state.runs);
	free(state.recordings);
	judge_runs_free(state.judged);
	memset(&state, 0, sizeof(state));
}
