/* stacks.c - a stream on its way into a profile; what is made of that is left to the tools. */
#include "fold/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct stacks_options stacks_options = {
	.fold = { .size = sizeof(stacks_options.fold), .late_names = true },
	.symbols = { .size = sizeof(stacks_options.symbols) },
};

static struct {
	struct pp_budget budget;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_profile *profile;
	struct pp_fold *fold;
	struct pp_heat *heat;
} state;

const char *stacks_parse_weight(void *target, const char *value)
{
	static const char *const names[] = {
		[PP_FOLD_PERIOD] = "period", [PP_FOLD_COUNT] = "count", [PP_FOLD_TIME] = "time",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(value, names[i])) {
			*(enum pp_fold_weight *)target = i;
			return NULL;
		}
	return "is not period, count or time";
}

static void say(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

int stacks_start(struct run *run, struct pp_heat *heat)
{
	stacks_options.symbols.say.line = say;
	stacks_options.fold.no_inline = stacks_options.symbols.no_inline;
	state.heat = heat;
	state.tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &state.budget);
	state.profile = pp_profile_new();
	if (!state.tasks || !state.profile)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	if (stacks_options.in_order)
		pp_profile_keep_order(state.profile);
	state.symbols = pp_symbols_new(&stacks_options.symbols, state.tasks, &run->error);
	if (!state.symbols)
		return -1;
	state.fold = pp_fold_new(&stacks_options.fold, state.tasks, state.symbols, state.profile);
	return state.fold ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

int stacks_early(struct run *run, const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND ? pp_symbols_learn(state.symbols, rec, &run->error) : 0;
}

int stacks_record(struct run *run, struct pp_record *rec)
{
	struct pp_folded folded;
	int got;

	if (rec->type != PP_REC_SAMPLE &&
	    (pp_tasks_note(state.tasks, rec, &run->error) ||
	     pp_symbols_note(state.symbols, rec, &run->error)))
		return -1;
	got = pp_fold_note(state.fold, rec, &folded, &run->error);
	if (got > 0 && state.heat && folded.time)
		return pp_heat_add(state.heat, folded.time, folded.node, folded.weight, &run->error);
	return got < 0 ? -1 : 0;
}

/* What has its name only now. */
static int settle(struct pp_error *error)
{
	uint32_t *const places = calloc(pp_profile_nodes(state.profile), sizeof(*places));
	int status;

	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_fold_settle(state.fold, places, error);
	if (!status && state.heat)
		pp_heat_renumber(state.heat, places);
	free(places);
	return status;
}

struct pp_profile *stacks_end(struct run *run)
{
	struct pp_fold_stats stats;

	if (settle(&run->error))
		return NULL;
	pp_fold_stats(state.fold, &stats);
	if (!stats.samples && !stats.others && !run->status)
		cli_warn("%s: there are no samples in it", run->stream->name);
	else if (!stats.samples)
		cli_warn("%s: there are no samples of %s in it", run->stream->name,
			 stacks_options.fold.event);
	else if (stats.others && !stacks_options.fold.event)
		cli_warn("%" PRIu64 " samples of other events than %s are left out: --event chooses",
			 stats.others, stats.event);
	if (stats.no_chain)
		cli_note("%" PRIu64 " samples have no call chain: only their own function is known",
			 stats.no_chain);
	return state.profile;
}

const char *stacks_unit(void)
{
	struct pp_fold_stats stats;

	pp_fold_stats(state.fold, &stats);
	return stacks_options.fold.weight == PP_FOLD_TIME ? "ns" :
	       stacks_options.fold.weight == PP_FOLD_COUNT || !stats.event ? "samples" : stats.event;
}

void stacks_free(void)
{
	pp_fold_free(state.fold);
	pp_profile_free(state.profile);
	pp_symbols_free(state.symbols);
	pp_tasks_free(state.tasks);
}
