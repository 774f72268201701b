/* sample_filter.c - which samples of a stream that is still being read are shown: those that an expression in
 * the language of pp-filter(1) lets through, and those of some times, for which not all of a file with an
 * index is read. */
#include "shared/sample_filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct pp_query *query;       /* NULL: all pass */
	char *text;
	struct pp_tracepoints *tracepoints;
	struct pp_query_facts facts;
	bool first_known, last_known, wall_clock_known;
	bool started;                 /* whether a time is known has been found out */
	bool rereads;                 /* the stream can be read again, with its end known */
	bool formats_known;           /* those of tracepoints, which come before the first sample */
} state = { .facts.size = sizeof(state.facts) };

static const char no_end[] = "times from the end need a file, whose end is known";
static const char no_clock[] = "the stream has no CLOCK_DATA, which gives the time of the wall clock";

/* An expression that can be answered by what of the stream is known by now. */
static struct pp_query *compile(const char *expression, struct pp_error *wrong)
{
	struct pp_query *const query = pp_query_compile(expression, wrong);
	const char *why = NULL;

	if (!query)
		return NULL;
	if (state.started && !state.last_known && !state.rereads && pp_query_needs_last(query))
		why = no_end;
	else if (state.formats_known && pp_query_needs_wall_clock(query) && !state.wall_clock_known)
		why = no_clock;
	if (why)
		pp_fail(wrong, PP_E_USE, "%s", why);
	if (why || (state.formats_known && pp_query_needs_tracepoints(query) &&
		    pp_query_settle(query, state.tracepoints, wrong))) {
		pp_query_free(query);
		return NULL;
	}
	return query;
}

bool matching_set(const char *expression, struct pp_error *wrong)
{
	struct pp_query *const query = *expression ? compile(expression, wrong) : NULL;
	char *copy;

	if (*expression && !query)
		return false;
	copy = strdup(expression);
	if (!copy) {
		pp_fail(wrong, PP_E_NOMEM, NULL);
		pp_query_free(query);
		return false;
	}
	pp_query_free(state.query);
	free(state.text);
	state.query = query;
	state.text = copy;
	return true;
}

void matching_demand(const char *expression)
{
	struct pp_error wrong;

	if (!expression || matching_set(expression, &wrong))
		return;
	if (wrong.code == PP_E_NOMEM)
		cli_no_memory();
	cli_refuse(cli_cured(&wrong).detail, expression, wrong.at);
}

void matching_widen(struct pp_query_facts *facts, bool *known, const struct pp_record *rec)
{
	uint64_t time;

	if (rec->type != PP_REC_SAMPLE || !pp_time(rec, &time))
		return;
	if (!*known || time < facts->first)
		facts->first = time;
	if (!*known || time > facts->last)
		facts->last = time;
	*known = true;
}

static int look(struct run *run, const struct pp_record *rec, void *arg)
{
	(void)run;
	(void)arg;
	matching_widen(&state.facts, &state.first_known, rec);
	return 0;
}

/* What counts from the end of the stream needs to know it. */
static int find_last(struct run *run)
{
	state.started = true;
	if (!state.query || !pp_query_needs_last(state.query))
		return 0;
	if (!run_look_ahead(run, look, NULL)) {
		state.last_known = true;
		return 0;
	}
	if (run->error.code != PP_E_USE)
		return -1;
	return pp_fail(&run->error, PP_E_USE, "%s: %s", state.text, no_end);
}

void matching_rereads(void)
{
	state.rereads = true;
}

int matching_again(struct run *run)
{
	char *const text = state.text;
	bool failed;

	pp_tracepoints_free(state.tracepoints);
	state.tracepoints = NULL;
	state.started = state.formats_known = state.first_known = state.last_known = false;
	state.text = NULL;
	failed = text && !matching_set(text, &run->error);
	free(text);
	return failed ? -1 : 0;
}

bool matching_needs_lines(void)
{
	return state.query && pp_query_needs_lines(state.query);
}

bool matching_needs_tasks(void)
{
	return state.query && pp_query_needs_tasks(state.query);
}

bool matching_needs_names(void)
{
	return state.query && pp_query_needs_names(state.query);
}

bool matching_judges(uint32_t type)
{
	return state.query && pp_query_judges(state.query, type);
}

int matching_start(struct run *run, struct pp_tasks *tasks, struct pp_symbols *symbols)
{
	if (find_last(run))
		return -1;
	state.tracepoints = pp_tracepoints_new();
	if (!state.tracepoints)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	state.facts.tasks = tasks;
	state.facts.symbols = symbols;
	state.facts.tracepoints = state.tracepoints;
	pp_tracepoints_watch(state.tracepoints, run->in);
	return 0;
}

void matching_note(const struct pp_record *rec)
{
	uint64_t clockid;

	if (rec->type == PP_REC_HEADER_FEATURE && pp_clock_data(rec, &clockid, &state.facts.wall_clock))
		state.wall_clock_known = true;
	if (rec->type == PP_REC_SAMPLE && !state.first_known)
		state.first_known = pp_time(rec, &state.facts.first);
}

/* What an expression names that no table has are fields of tracepoints, or mistakes: the first sample
 * shows which. */
static int settle(struct run *run)
{
	struct pp_error wrong;
	const bool known = state.formats_known;

	state.formats_known = true;
	if (known || !state.query)
		return 0;
	if (pp_query_needs_wall_clock(state.query) && !state.wall_clock_known)
		return pp_fail(&run->error, PP_E_USE, "%s: %s: record with perf record -k mono, or pp-record",
			       state.text, no_clock);
	if (!pp_query_needs_tracepoints(state.query) ||
	    !pp_query_settle(state.query, state.tracepoints, &wrong))
		return 0;
	if (wrong.code == PP_E_NOMEM)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	(void)pp_fail(&run->error, PP_E_USE, "%s: %s", state.text, wrong.detail);
	return pp_error_hint(&run->error, wrong.hint);
}

int matching_judge(struct run *run, const struct pp_record *rec)
{
	bool passes;

	if (settle(run))
		return -1;
	if (!state.query)
		return 1;
	passes = rec->attr && pp_query_match(state.query, rec, &state.facts);
	return pp_query_names_failed(state.query) ? pp_fail(&run->error, PP_E_NOMEM, NULL) : passes;
}

const char *matching_text(void)
{
	return state.text && *state.text ? state.text : NULL;
}

void matching_free(void)
{
	pp_tracepoints_free(state.tracepoints);
	pp_query_free(state.query);
	free(state.text);
}

/* ---- times ---- */

struct shown_times shown_times = { .to = UINT64_MAX };

const char *shown_times_parse(void *target, const char *value)
{
	static const char wrong[] = "is not FROM,TO, two times in seconds, of which one may be missing";
	struct shown_times *const times = target;
	const char *const comma = strchr(value, ',');
	struct shown_times is = { .asked = true, .to = UINT64_MAX, .no_index = times->no_index };
	char from[64] = "";

	if (!comma || (size_t)(comma - value) >= sizeof(from) || !value[1])
		return wrong;
	memcpy(from, value, (size_t)(comma - value));
	if ((*from && cli_time(&is.from, from)) || (comma[1] && cli_time(&is.to, comma + 1)))
		return wrong;
	if (is.from > is.to)
		return "ends before it begins";
	*times = is;
	return NULL;
}

void shown_times_refuse(const char *what)
{
	if (shown_times.asked)
		cli_misuse("--time is for one stream, not for %s", what);
}

int shown_times_start(struct run *run, struct pp_time_span **span)
{
	const bool by_index = !shown_times.no_index && !run->shows_more;
	const char *lack;
	uint64_t read, all;
	int got;

	*span = NULL;
	if (!shown_times.asked)
		return 0;
	*span = pp_time_span_new(shown_times.from, shown_times.to);
	if (!*span)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	got = pp_time_span_read(*span, run->in, by_index, &read, &all, &run->error);
	lack = pp_time_span_lack(*span);
	if (got > 0)
		cli_note("%s: by its index %" PRIu64 " of %" PRIu64 " bytes are read", run->stream->name,
			 read, all);
	else if (!got && lack)
		cli_note("%s: index not used: %s", run->stream->name, lack);
	return got < 0 ? -1 : 0;
}

void shown_times_end(const char *name, const struct pp_time_span *span)
{
	const uint64_t timeless = span ? pp_time_span_timeless(span) : 0;

	if (timeless)
		cli_warn("%s: %" PRIu64 " sample%s no time, and %s left out: --time", name, timeless,
			 timeless == 1 ? " has" : "s have", timeless == 1 ? "is" : "are");
}
