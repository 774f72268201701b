/* stream_to_profile.c - a stream on its way into a profile. */
#include "fold/stream_to_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cache_dir.h"

struct stacks_options stacks_options = {
	.fold = { .size = sizeof(stacks_options.fold), .late_names = true },
	.symbols = { .size = sizeof(stacks_options.symbols), .isolate = true },
	.memory = UINT64_C(1) << 30,
};

static struct {
	struct pp_budget budget;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_profile *profile;
	struct pp_fold *fold;
	struct pp_timeline *cells;
	char *event;                  /* whose samples they are; NULL: not known yet */
	uint64_t samples, noted;
	uint64_t left_out;            /* what stacks weighed that were dropped */
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

struct pp_profile *stacks_profile(void)
{
	if (!state.profile && (state.profile = pp_profile_new()) && stacks_options.in_order)
		pp_profile_keep_order(state.profile);
	return state.profile;
}

int stacks_start(struct run *run, struct pp_timeline *cells)
{
	stacks_options.symbols.say = message_says;
	stacks_options.symbols.cache = cache_folder();
	stacks_options.fold.no_inline = stacks_options.symbols.no_inline;
	state.cells = cells;
	stacks_options.fold.threads = cells != NULL;
	state.tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, &state.budget);
	if (!state.tasks || !stacks_profile())
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
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

/* Half of what stacks have is free again once the lightest are dropped. */
static int bound_memory(struct pp_error *error)
{
	uint64_t left_out;
	uint32_t *places;
	int status;

	if (pp_fold_size(state.fold) <= stacks_options.memory)
		return 0;
	places = calloc(pp_profile_nodes(state.profile), sizeof(*places));
	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_fold_lighten(state.fold, places, &left_out, error);
	if (!status && state.cells)
		pp_timeline_renumber(state.cells, places);
	state.left_out += status ? 0 : left_out;
	free(places);
	return status;
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
	if (got <= 0)
		return got;
	if (state.cells && folded.anew)
		pp_timeline_clear(state.cells);
	if (state.cells && folded.time &&
	    pp_timeline_add(state.cells, folded.time, folded.thread, folded.node, folded.weight, &run->error))
		return -1;
	return ++state.noted % 1024 ? 0 : bound_memory(&run->error);
}

int stacks_bound(struct pp_profile *profile, struct pp_script_text *text, struct pp_error *error)
{
	uint32_t *places;
	uint64_t left_out;
	int status;

	if (pp_profile_size(profile) <= stacks_options.memory)
		return 0;
	places = calloc(pp_profile_nodes(profile), sizeof(*places));
	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = text ? pp_script_text_lighten(text, places, &left_out, error) :
			pp_profile_lighten(profile, pp_profile_nodes(profile) / 2, &left_out, error);
	state.left_out += status ? 0 : left_out;
	free(places);
	return status;
}

/* What has its name only now. */
static int settle(struct pp_error *error)
{
	const size_t n = pp_profile_nodes(state.profile);
	uint32_t *const places = calloc(n, sizeof(*places));
	bool moved = false;
	int status;

	if (!places)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_fold_settle(state.fold, places, error);
	for (size_t i = 0; i < n && !status; i++)
		moved |= places[i] != i;
	if (moved && state.cells)
		pp_timeline_renumber(state.cells, places);
	free(places);
	return status;
}

/* The name of the event outlives the stream. */
static int note_unit(const char *event, struct pp_error *error)
{
	char *both;

	if (!event || (state.event && !strcmp(state.event, event)))
		return 0;
	if (!state.event) {
		state.event = strdup(event);
		return state.event ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
	}
	cli_warn("samples of %s are compared with samples of %s", state.event, event);
	if (asprintf(&both, "%s / %s", state.event, event) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	free(state.event);
	state.event = both;
	return 0;
}

int stacks_note_stats(const char *name, const struct pp_fold_stats *stats, bool damaged,
		      struct pp_error *error)
{
	if (!stats->samples && stats->others && stacks_options.fold.event)
		cli_warn("%s: there are no samples of %s in it", name, stacks_options.fold.event);
	else if (!stats->samples && !damaged)
		cli_warn("%s: there are no samples in it", name);
	else if (stats->samples && stats->others && !stacks_options.fold.event)
		cli_warn("%" PRIu64 " sample%s of other events than %s %s left out: --event chooses",
			 stats->others, cli_plural(stats->others), stats->event,
			 stats->others == 1 ? "is" : "are");
	if (stats->no_chain)
		cli_note("%" PRIu64 " sample%s no call chain: only %s own function is known", stats->no_chain,
			 stats->no_chain == 1 ? " has" : "s have", stats->no_chain == 1 ? "its" : "their");
	if (stats->endless)
		cli_warn("%" PRIu64 " sample%s nothing: when %s thread ran again was lost", stats->endless,
			 stats->endless == 1 ? " weighs" : "s weigh", stats->endless == 1 ? "its" : "their");
	state.samples += stats->samples;
	return note_unit(stats->event, error);
}

int stacks_end(struct run *run)
{
	struct pp_fold_stats stats;

	if (settle(&run->error))
		return -1;
	pp_fold_forget(state.fold);
	pp_fold_stats(state.fold, &stats);
	report_isolation(pp_symbols_stats(state.symbols)->isolated);
	return stacks_note_stats(run->stream->name, &stats, run->status != 0, &run->error);
}

void stacks_say_losses(const struct pp_profile *profile)
{
	struct pp_profile_losses losses;

	pp_profile_losses(profile, &losses);
	if (losses.cut)
		cli_warn("%" PRIu64 " stack%s more than %d frames, and %s there", losses.cut,
			 losses.cut == 1 ? " has" : "s have", PP_PROFILE_DEEPEST,
			 losses.cut == 1 ? "ends" : "end");
	if (losses.fractions)
		cli_warn("the fraction%s of %" PRIu64 " weight%s left out: use whole numbers, such as of a "
			 "smaller unit", cli_plural(losses.fractions), losses.fractions,
			 losses.fractions == 1 ? " is" : "s are");
	report_dropped(state.left_out);
	if (losses.full)
		cli_warn("weights add up to more than 64 bits hold: shares are not right");
}

const char *stacks_unit(void)
{
	return stacks_options.fold.weight == PP_FOLD_TIME ? "ns" :
	       stacks_options.fold.weight == PP_FOLD_COUNT || !state.event ? "samples" : state.event;
}

const char *stacks_event(void)
{
	struct pp_fold_stats stats;

	pp_fold_stats(state.fold, &stats);
	return stats.event;
}

const struct pp_fold *stacks_fold(void)
{
	return state.fold;
}

uint64_t stacks_samples(void)
{
	return state.samples;
}

void stacks_close(void)
{
	pp_fold_free(state.fold);
	state.fold = NULL;
	pp_symbols_free(state.symbols);
	state.symbols = NULL;
	pp_tasks_free(state.tasks);
	state.tasks = NULL;
}

void stacks_free(void)
{
	stacks_close();
	pp_profile_free(state.profile);
	free(state.event);
}
