/* live_profile.c - what is going on: the stacks of the samples that pass the filter, the newer the
 * heavier. */
#include "top/live_profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "shared/preload_names.h"
#include "report/report_keys.h"
#include "shared/sample_filter.h"

struct weigh_options weigh_options = {
	.fold = { .size = sizeof(weigh_options.fold), .objects = true },
	.symbols = { .size = sizeof(weigh_options.symbols), .no_inline = true, .isolate = true },
	.report = {
		.size = sizeof(weigh_options.report), .no_children = true, .no_inline = true,
		.no_groups = true, .no_latency = true, .mode = PP_REPORT_PLAIN,
	},
	.interval = UINT64_C(2000000000),
	.keeps = 875,
	.memory = UINT64_C(256) << 20,
};

static struct {
	struct pp_session *names;
	struct pp_profile *profile;
	struct pp_fold *fold;
	struct pp_report *report;     /* NULL: there are no keys */
	char *keys;                   /* that were typed */
	const char *event;            /* that was the first, before the table was emptied */
	struct pp_annotate *sums;     /* that are shown what is weighed; or NULL */
	struct pp_reader *again;      /* what was read last, if that is not the run's own */
	char *first_event;            /* as the run's own said it */
	bool paused, has_begun;
	uint64_t begun;               /* when the interval at hand began */
	struct weighed is;
} state;

static void say(void *arg, const char *text, enum pp_hint hint)
{
	(void)arg;
	/* which files have no names the lines show */
	if (hint == PP_HINT_KERNEL)
		cli_warn("%s%s", text, cli_cure(hint));
	else
		cli_note("%s%s", text, cli_cure(hint));
}

static bool has_report_keys(void)
{
	return weigh_options.report.sort || weigh_options.report.fields;
}

static int open_report(struct pp_error *error)
{
	pp_report_free(state.report);
	state.report = NULL;
	if (!has_report_keys())
		return 0;
	state.report = pp_report_new(&weigh_options.report, pp_session_tasks(state.names),
				     pp_session_symbols(state.names), error);
	return state.report ? 0 : -1;
}

static int open_profile(struct pp_error *error)
{
	struct pp_fold_options how = weigh_options.fold;
	struct pp_fold_stats stats;

	/* which event is the first stays so */
	if (state.fold) {
		pp_fold_stats(state.fold, &stats);
		state.event = stats.event ? stats.event : state.event;
	}
	how.event = how.event ? how.event : state.event;
	pp_fold_free(state.fold);
	pp_profile_free(state.profile);
	state.profile = pp_profile_new();
	state.fold = pp_fold_new(&how, pp_session_tasks(state.names), pp_session_symbols(state.names),
				 state.profile);
	return state.fold ? open_report(error) : pp_fail(error, PP_E_NOMEM, NULL);
}

int weigh_start(struct run *run)
{
	struct pp_symbols *symbols;

	weigh_options.symbols.say = (struct pp_say){ .line = say, .lost = message_says.lost };
	weigh_options.symbols.lines = matching_needs_lines() ||
				      (has_report_keys() && keys_need_lines(&weigh_options.report));
	weigh_options.symbols.data = has_report_keys() && keys_need_data(&weigh_options.report);
	weigh_options.symbols.memory = weigh_options.memory;
	state.names = names_open(run, &weigh_options.symbols, MATCHING_TASKS, weigh_options.memory);
	symbols = pp_session_symbols(state.names);
	return !symbols || matching_start(run, pp_session_tasks(state.names), symbols) ||
	       ahead_learn(run, symbols) < 0 ||
	       (has_report_keys() && keys_open_traces(run, &weigh_options.report, symbols)) ||
	       open_profile(&run->error) ? -1 : 0;
}

bool weigh_filter(const char *expression, struct pp_error *wrong)
{
	if (!matching_set(expression, wrong))
		return false;
	return !state.fold || !weigh_reset(wrong);
}

/* ---- records ---- */

static int note(struct run *run, const struct pp_record *rec)
{
	struct pp_folded folded;

	advice_count_lost(&state.is.losses, rec);
	return pp_session_note(state.names, rec, &run->error) ||
	       (state.report && pp_report_note(state.report, rec, &run->error)) ||
	       pp_fold_note(state.fold, rec, &folded, &run->error) < 0 ? -1 : 0;
}

/* Half of the memory for stacks is free again once the lightest are dropped. */
static int bound_memory(struct run *run)
{
	const uint64_t limit = weigh_options.memory / (state.report ? 2 : 1);
	uint64_t left_out;
	uint32_t *places;
	int status;

	if (state.report && pp_report_size(state.report) > limit) {
		state.is.begun_anew++;
		if (open_report(&run->error))
			return -1;
	}
	if (pp_fold_size(state.fold) <= limit)
		return 0;
	places = calloc(pp_profile_nodes(state.profile), sizeof(*places));
	if (!places)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	status = pp_fold_lighten(state.fold, places, &left_out, &run->error);
	free(places);
	state.is.left_out += status ? 0 : left_out;
	return status;
}

static int weigh(struct run *run, const struct pp_record *rec)
{
	struct pp_folded folded;
	const int got = pp_fold_note(state.fold, rec, &folded, &run->error);

	if (got < 0)
		return -1;
	if (!got)
		return 0;
	if (state.report && pp_report_note(state.report, rec, &run->error))
		return -1;
	if (folded.anew) {
		pp_profile_clear(state.profile, PP_PROFILE_SECOND);
		state.is.samples = 0;
	}
	if (pp_profile_weigh(state.profile, folded.node, PP_PROFILE_SECOND, WEIGH_SAMPLE, &run->error) ||
	    (state.sums && pp_annotate_note(state.sums, rec, &run->error)))
		return -1;
	state.is.samples++;
	return state.is.samples % 1024 ? 0 : bound_memory(run);
}

int weigh_early(struct run *run, const struct pp_record *rec)
{
	const struct pp_symbols_stats *stats;
	uint64_t known;

	if (rec->type != PP_REC_FINISHED_ROUND)
		return 0;
	stats = pp_symbols_stats(pp_session_symbols(state.names));
	known = stats->from_stream;
	if (pp_session_learn(state.names, rec, &run->error))
		return -1;
	/* stacks that had none may have names now */
	if (stats->from_stream != known)
		pp_fold_forget(state.fold);
	return 0;
}

int weigh_record(struct run *run, struct pp_record *rec)
{
	uint64_t time;
	int passes;

	matching_note(rec);
	if (rec->type != PP_REC_SAMPLE)
		return note(run, rec);
	if (pp_time(rec, &time)) {
		if (!state.has_begun)
			state.begun = time;
		state.has_begun = true;
		if (time > state.begun && time - state.begun >= weigh_options.interval) {
			state.begun += (time - state.begun) / weigh_options.interval *
				       weigh_options.interval;
			return 1;
		}
		if (!state.is.first)
			state.is.first = time;
		state.is.last = time;
	}
	passes = matching_judge(run, rec);
	if (passes < 0)
		return -1;
	if (state.paused)
		return 0;
	state.is.passed_over += !passes;
	return passes ? weigh(run, rec) : 0;
}

bool weigh_pause(void)
{
	state.paused = !state.paused;
	return state.paused;
}

void weigh_next(void)
{
	state.is.intervals++;
	if (state.paused)
		return;
	pp_profile_scale(state.profile, (uint32_t)weigh_options.keeps, 1000);
	if (state.report)
		pp_report_scale(state.report, (uint32_t)weigh_options.keeps, 1000);
}

int weigh_reset(struct pp_error *error)
{
	state.is = (struct weighed){ .lost = 0 };
	return open_profile(error);
}

/* ---- once more ---- */

struct again { struct run *run; bool (*goes_on)(void); uint64_t seen; };

/* Of damage was said what there is to say. */
static int survive_again(const struct run *run)
{
	return pp_error_status(&run->error) == EXIT_DAMAGED ? 0 : -1;
}

static int weigh_again(void *arg, struct pp_record *rec, struct pp_error *error)
{
	struct again *const again = arg;
	int got = weigh_record(again->run, rec);

	if (got > 0) {
		weigh_next();
		got = weigh_record(again->run, rec);
	}
	if (got < 0 && survive_again(again->run)) {
		*error = again->run->error;
		return -1;
	}
	return ++again->seen % 4096 || again->goes_on() ? PP_DROP : PP_STOP;
}

static int read_again(struct run *run, struct again *again)
{
	const struct pp_rounds_options order = { .size = sizeof(order), .order = PP_ROUNDS_TIME,
						 .judge = weigh_again, .arg = again };
	struct pp_rounds *const rounds = pp_rounds_open(&order, run->in, NULL, &run->error);
	struct pp_record rec;
	int got = 0, failed = rounds ? 0 : -1;

	while (!failed && (got = pp_reader_next(run->in, &rec, &run->error)) != 0) {
		if (got < 0 && (survive_again(run) || run->error.fatal)) {
			failed = survive_again(run);
			break;
		}
		if (got < 0)
			continue;
		if (weigh_early(run, &rec))
			failed = survive_again(run);
		if (!failed)
			failed = pp_rounds_put(rounds, &rec, &run->error);
	}
	/* 1: enough was seen */
	if (!failed)
		failed = pp_rounds_end(rounds, &run->error);
	pp_rounds_close(rounds);
	return failed < 0 ? -1 : 0;
}

/* All that was made of records, but for the name of the event. */
static int drop_all(void)
{
	struct pp_fold_stats stats;

	pp_fold_stats(state.fold, &stats);
	if (stats.event && !state.first_event) {
		state.first_event = strdup(stats.event);
		if (!state.first_event)
			return -1;
	}
	state.event = state.first_event;
	pp_fold_free(state.fold);
	pp_profile_free(state.profile);
	pp_report_free(state.report);
	pp_trace_texts_free(weigh_options.report.traces);
	state.fold = NULL;
	state.profile = NULL;
	state.report = NULL;
	weigh_options.report.traces = NULL;
	names_close(state.names);
	state.names = NULL;
	pp_reader_close(state.again);
	state.again = NULL;
	state.is = (struct weighed){ .lost = 0 };
	state.has_begun = state.paused = false;
	return 0;
}

int weigh_anew(struct run *run, struct pp_annotate *sums, bool (*goes_on)(void))
{
	const struct pp_reader_options options = { .size = sizeof(options), .no_verify = true };
	struct pp_reader *const own = run->in;
	struct again again = { .run = run, .goes_on = goes_on };
	int failed;

	if (drop_all() || matching_again(run))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	state.again = pp_reader_beside(own, &options, &run->error);
	if (!state.again)
		return -1;
	run->in = state.again;
	failed = weigh_start(run);
	if (!failed && sums)
		pp_annotate_symbols(sums, pp_session_symbols(state.names));
	state.sums = sums;
	failed = failed || read_again(run, &again);
	state.sums = NULL;
	run->in = own;
	return failed ? -1 : 0;
}

const char *weigh_check_keys(const struct pp_report_options *how)
{
	const char *const wrong = keys_check(how);

	return wrong ? wrong : !keys_have(how, "time") ? NULL :
	       "the key 'time' is not here: intervals are its slices";
}

/* What has to be gathered from the start of a stream. */
static const char *check_what_came(const struct pp_report_options *how)
{
	const char *const wrong = weigh_check_keys(how);

	return wrong ? wrong :
	       !weigh_options.symbols.lines && keys_need_lines(how) ?
	       (keys_have(how, "srcfile") ? "`srcfile' has to be among the keys of the command line" :
					    "`srcline' has to be among the keys of the command line") :
	       !weigh_options.symbols.data && keys_need_data(how) ?
	       "`type' has to be among the keys of the command line" :
	       !weigh_options.report.traces && keys_have(how, "trace") ?
	       "`trace' has to be among the keys of the command line" : NULL;
}

const char *weigh_keys(const char *sort, bool all_comes_again)
{
	struct pp_report_options how = weigh_options.report;
	struct pp_error error;
	const char *wrong;
	char *copy;

	how.fields = NULL;
	how.sort = *sort ? sort : NULL;
	how.samples = true;
	wrong = all_comes_again ? weigh_check_keys(&how) : check_what_came(&how);
	copy = wrong ? NULL : strdup(sort);
	if (wrong || !copy)
		return wrong ? wrong : "out of memory";
	how.sort = *copy ? copy : NULL;
	weigh_options.report = how;
	free(state.keys);
	state.keys = copy;
	return !all_comes_again && weigh_reset(&error) ? "out of memory" : NULL;
}

struct pp_report *weigh_report(void)
{
	struct pp_error error;

	if (state.report && pp_report_update(state.report, &error))
		cli_no_memory();
	return state.report;
}

const struct weighed *weigh_state(void)
{
	struct pp_fold_stats stats = { .event = NULL };

	/* none: it could not be read again */
	if (state.fold)
		pp_fold_stats(state.fold, &stats);
	state.is.event = stats.event ? stats.event : state.event;
	state.is.others = stats.others;
	state.is.filter = matching_text();
	state.is.lost = advice_lost(&state.is.losses);
	return &state.is;
}

int weigh_nameless(struct run *run)
{
	if (!state.fold)
		return 0;
	return pp_fold_nameless(state.fold, &run->shown.all, &run->shown.nameless, &run->error);
}

struct pp_profile *weigh_profile(void)
{
	return state.profile;
}

const char *weigh_object(unsigned kind, unsigned *flame_kind)
{
	return pp_fold_object(state.fold, kind, flame_kind);
}

void weigh_free(void)
{
	pp_fold_free(state.fold);
	pp_profile_free(state.profile);
	pp_report_free(state.report);
	pp_trace_texts_free(weigh_options.report.traces);
	free(state.keys);
	names_close(state.names);
	pp_reader_close(state.again);
	free(state.first_event);
	matching_free();
}
