/*
 * pp-stat.c - shows the counts of a stream, as perf stat does: when, and of what stretch of time.
 * Reading and adding them up is left to the library, how they are written to tools/stat/.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/run.h"
#include "stat/form.h"
#include "stat/repeats.h"

static struct pp_counts_options how = { .size = sizeof(how) };
static bool by_given;                 /* else as the stream says */
static uint64_t interval_ms = UINT64_MAX;     /* -I; UINT64_MAX: as recorded, 0: none */
static bool summary, append, metric_only, perf_json, no_big_numbers, big_numbers;
static int log_fd = -1;

static struct shown_metrics metrics;
static bool csv, json, prometheus, openmetrics;

static struct view view = { .big_numbers = true };
static const struct form *form = &form_text;
static struct repeats repeats;
static uint64_t rounds_due, rounds_since;     /* of an interval; since it began */
static size_t runs_seen;
static bool nothing_shown = true;

/* ---- options ---- */

static const char *aggregate(enum pp_count_by by)
{
	how.by = by;
	by_given = true;
	return NULL;
}

#define AGGREGATE(name, BY) \
static const char *name(void *target, const char *value) \
{ \
	(void)target; \
	(void)value; \
	return aggregate(PP_COUNT_##BY); \
}
AGGREGATE(by_cpu, CPU)
AGGREGATE(by_core, CORE)
AGGREGATE(by_cluster, CLUSTER)
AGGREGATE(by_die, DIE)
AGGREGATE(by_socket, SOCKET)
AGGREGATE(by_node, NODE)
AGGREGATE(by_thread, THREAD)

static const char *by_cache(void *target, const char *value)
{
	(void)target;
	how.level = 0;
	if (value && ((*value != 'l' && *value != 'L') || value[1] < '1' || value[1] > '9' || value[2]))
		return "is not a level of cache, L1 to L9";
	if (value)
		how.level = value[1] - '0';
	return aggregate(PP_COUNT_CACHE);
}

static const struct option_spec options[] = {
	OPT_GROUP("What counts are added up by (default: as they were recorded)"),
	OPT_CALL('A', "no-aggr", NULL, NULL, by_cpu, "show each CPU's counts"),
	OPT_CALL(0, "per-core", NULL, NULL, by_core, "add up by core"),
	OPT_CALL(0, "per-cluster", NULL, NULL, by_cluster, "add up by cluster of cores"),
	OPT_FLAGVALUE(0, "per-cache", "LEVEL", NULL, by_cache,
		      "add up by cache: L2, L3 ... (default: the last level)"),
	OPT_CALL(0, "per-die", NULL, NULL, by_die, "add up by die"),
	OPT_CALL(0, "per-socket", NULL, NULL, by_socket, "add up by socket"),
	OPT_CALL(0, "per-node", NULL, NULL, by_node, "add up by node of memory"),
	OPT_CALL(0, "per-thread", NULL, NULL, by_thread, "show each thread's counts"),
	OPT_SWITCH(0, "percore-show-thread", &how.percore_threads,
		   "with -A: show what 'percore' events add up by core beside each CPU"),
	OPT_SWITCH(0, "no-merge", &how.no_merge,
		   "show events of one specification, such as on several PMUs, one by one"),
	OPT_SWITCH(0, "hybrid-merge", &how.hybrid_merge,
		   "show the same event on different kinds of cores as one"),
	OPT_STRING(0, "cputype", "TYPE", &how.cpu_type,
		   "show only events of this kind of core, such as core or atom"),
	OPT_GROUP("Which stretches of time"),
	OPT_U64('I', "interval-print", "MS", &interval_ms,
		"show what was counted every MS milliseconds, a multiple of the recorded interval; 0: "
		"the whole time (default: as recorded)"),
	OPT_SWITCH(0, "interval-clear", &view.clear, "clear the screen before each interval"),
	OPT_SWITCH(0, "summary", &summary, "show the whole time as well, after the intervals"),
	OPT_GROUP("How it is shown"),
	OPT_STRING('x', "field-separator", "SEP", &view.separator,
		   "print the fields of perf stat -x, with SEP between them"),
	OPT_SWITCH(0, "no-csv-summary", &view.no_csv_summary,
		   "with -x: do not begin the lines of --summary with that word"),
	OPT_SWITCH('j', "json-output", &perf_json, "print the fields of perf stat -j"),
	OPT_SWITCH(0, "csv", &csv, "print comma-separated values (RFC 4180) below a header"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.counts/1"),
	OPT_SWITCH(0, "prometheus", &prometheus,
		   "print the totals in Prometheus' text format, for a textfile collector"),
	OPT_SWITCH(0, "openmetrics", &openmetrics, "print the totals in the OpenMetrics format"),
	OPT_LIST('M', "metrics", "METRIC,GROUP|DIR", &metrics.asked.words,
		 "show these metrics, or groups of them, too; what has a slash is perf's JSON of metrics, "
		 "a file or a folder (default: for which the events were counted)"),
	OPT_SWITCH(0, "mixed", &metrics.mixed,
		   "show metrics also of events that were never counted at one time"),
	OPT_SWITCH(0, "metric-only", &metric_only, "print only rates and ratios, in one line"),
	OPT_SWITCH(0, "table", &view.table_of_runs, "show the time of each run, with repeats"),
	OPT_SWITCH(0, "no-scale", &how.no_scale,
		   "do not estimate what events that ran part of the time would have counted"),
	OPT_SWITCH('B', "big-num", &big_numbers,
		   "set thousands apart, as the locale says (default, but for -x and -j)"),
	OPT_SWITCH(0, "no-big-num", &no_big_numbers, "do not set thousands apart"),
	OPT_GROUP("Where to"),
	OPT_SWITCH(0, "append", &append, "append to the file of -o"),
	OPT_INT(0, "log-fd", "FD", &log_fd, 0, 1 << 20, "write to this descriptor instead"),
	OPT_COMMON_SINK,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-stat",
	.summary = "Show the counts in a stream of pp-count or perf stat record",
	.operands = "[FILE]",
	.options = options,
};

/* ---- showing ---- */

/* How the CPUs are joined, for what needs it and is not said by the stream. */
static void join(struct run *run)
{
	const bool joined = how.by != PP_COUNT_GLOBAL && how.by != PP_COUNT_CPU &&
			    how.by != PP_COUNT_THREAD;

	if (view.about.topology || !view.about.counts || (!joined && how.by != PP_COUNT_CPU))
		return;
	if (pp_counts_join_here(view.counts, &run->error) < 0 && joined)
		cli_warn("neither the stream nor this machine says how CPUs are joined");
	run->error.code = PP_OK;
}

/* The metrics that were asked for, here or where it was counted. */
static void ask_metrics(void)
{
	metrics_open(&metrics, view.about.metrics);
	if (metrics.asked.set)
		view.metrics = &metrics;
}

/* What the stream said, as far as it is known by now. */
static void find_out(struct run *run)
{
	pp_counts_about(view.counts, &view.about);
	if (!nothing_shown)
		return;
	if (!by_given)
		how.by = view.about.by;
	join(run);
	ask_metrics();
	how.no_scale |= !view.about.scale;
	if (form->start)
		form->start(&view);
	nothing_shown = false;
}

static int fill(struct run *run, enum pp_count_since since)
{
	find_out(run);
	how.since = since;
	if (pp_counts_table(view.counts, &how, &view.table, &run->error) < 0)
		return -1;
	view.wall = (double)(view.table.to - view.table.from);
	return 0;
}

/* An interval ended. */
static int show_interval(struct run *run)
{
	if (fill(run, PP_COUNT_SINCE_SHOWN) < 0)
		return -1;
	view.interval = true;
	view.spread = NULL;
	form_write(form, &view);
	view.interval = false;
	view.number++;
	rounds_since = 0;
	pp_counts_shown(view.counts, PP_COUNT_SINCE_SHOWN);
	return 0;
}

/* How many recorded intervals one to be shown has; 0: none is to be shown. */
static void find_interval(void)
{
	const uint64_t recorded = view.about.interval, wanted = interval_ms * 1000000;

	if (!interval_ms || prometheus || openmetrics)
		rounds_due = 0;       /* counters are totals */
	else if (interval_ms == UINT64_MAX)
		rounds_due = recorded ? 1 : 0;
	else if (!recorded)
		cli_die(EXIT_MISUSE, "-I: the stream was recorded without intervals");
	else if (wanted / 1000000 != interval_ms || wanted % recorded)
		cli_die(EXIT_MISUSE, "-I: %" PRIu64 " ms is not a multiple of the recorded interval of %"
			PRIu64 " ms", interval_ms, recorded / 1000000);
	else
		rounds_due = wanted / recorded;
}

/* One run of the command ended: what it counted is one value for the mean. */
static int end_run(struct run *run)
{
	for (; runs_seen < view.about.runs; runs_seen++) {
		const struct pp_count_run *const one = pp_counts_run(view.counts, runs_seen);

		if (rounds_since && rounds_due && show_interval(run) < 0)
			return -1;
		if (fill(run, PP_COUNT_SINCE_RUN) < 0 ||
		    repeats_add(&repeats, &view.table, one, &run->error) < 0)
			return -1;
		pp_counts_shown(view.counts, PP_COUNT_SINCE_RUN);
	}
	return 0;
}

static int show_all(struct run *run)
{
	const struct pp_count_run *const one = pp_counts_run(view.counts, 0);

	if (fill(run, PP_COUNT_SINCE_START) < 0)
		return -1;
	if (one && repeats.runs == 1 && !view.wall)
		view.wall = (double)one->elapsed;
	view.runs = repeats.runs;
	if (repeats.runs > 1) {
		repeats_mean(&repeats, &view.table);
		view.spread = repeats.values;
		view.elapsed = &repeats.elapsed;
		view.wall = repeats.elapsed.mean;
	}
	view.summary = view.number > 0;
	form_write(form, &view);
	return 0;
}

/* ---- from start to end ---- */

/* --append: what the file has is written first, so that it is whole at any time. */
static void copy_old(struct pp_out *out)
{
	const int fd = open(common.output, O_RDONLY | O_CLOEXEC);
	char piece[16384];
	ssize_t got;

	if (fd < 0 && errno != ENOENT)
		cli_die_os("cannot read %s", common.output);
	while (fd >= 0 && ((got = read(fd, piece, sizeof(piece))) > 0 || (got < 0 && errno == EINTR)))
		if (got > 0)
			pp_out_bytes(out, piece, (size_t)got);
	if (fd >= 0 && got < 0)
		cli_die_os("cannot read %s", common.output);
	if (fd >= 0)
		close(fd);
}

static int start(struct run *run)
{
	if (append && common.output)
		copy_old(run->text);
	view.out = run->text;
	pp_metric_machine_clear(&metrics.machine);
	view.counts = pp_counts_new(run->stream->attrs, NULL);
	return view.counts ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int record(struct run *run, struct pp_record *rec)
{
	const enum pp_status got = pp_counts_note(view.counts, rec, &run->error);

	pp_metric_machine_note(&metrics.machine, rec);
	if (got == PP_FAILED)
		return -1;
	if (got == PP_MORE) {
		pp_counts_about(view.counts, &view.about);
		if (view.about.rounds == 1)
			find_interval();
		rounds_since++;
		return rounds_due && rounds_since == rounds_due ? show_interval(run) : 0;
	}
	if (rec->type != PP_REC_FINISHED_ROUND)
		return 0;
	pp_counts_about(view.counts, &view.about);
	return runs_seen < view.about.runs ? end_run(run) : 0;
}

/* What was wrong with the counts, though each record was whole. */
static void remark(struct run *run)
{
	if (view.about.unknown)
		cli_warn("%" PRIu64 " counts are of events, CPUs or threads that the stream does not have",
			 view.about.unknown);
	if (view.about.backwards)
		cli_warn("%" PRIu64 " counts went backwards, and were taken as unchanged",
			 view.about.backwards);
	if ((view.about.unknown || view.about.backwards) && run->status < EXIT_DAMAGED)
		run->status = EXIT_DAMAGED;
}

static int end(struct run *run)
{
	int failed = 0;

	pp_counts_about(view.counts, &view.about);
	if (!view.about.counts && !view.about.rounds) {
		cli_say("%s has no counts: pp-count and perf stat record make streams that have",
			run->stream->name);
		run->status = run->status < EXIT_DAMAGED ? EXIT_DAMAGED : run->status;
	} else if (rounds_due && rounds_since) {
		failed = show_interval(run);
	}
	if (!failed && view.about.counts + view.about.rounds && (!rounds_due || summary))
		failed = show_all(run);
	remark(run);
	pp_counts_free(view.counts);
	repeats_free(&repeats);
	metrics_close(&metrics);
	return failed;
}

/* ---- where to ---- */

/* --log-fd takes the place of standard output. */
static void redirect(void)
{
	if (log_fd >= 0 && dup2(log_fd, STDOUT_FILENO) < 0)
		cli_die_os("cannot write to descriptor %d", log_fd);
}

int main(int argc, char **argv)
{
	static const struct sink sink = { .start = start, .record = record, .end = end };

	cli_parse(&tool, argc, argv);
	if (log_fd >= 0 && common.output)
		cli_misuse("--log-fd or -o, not both");
	if ((view.separator != NULL) + perf_json + csv + json + prometheus + openmetrics > 1)
		cli_misuse("only one of -x, -j, --csv, --json, --prometheus and --openmetrics can be given");
	if (metric_only && (csv || json || prometheus || openmetrics))
		cli_misuse("--metric-only is for text, -x and -j");
	if (how.percore_threads && !(by_given && how.by == PP_COUNT_CPU))
		cli_misuse("--percore-show-thread needs -A");
	if (no_big_numbers || (view.separator && !big_numbers))
		view.big_numbers = false;
	if (view.separator && !strcmp(view.separator, "\\t"))
		view.separator = "\t";
	view.percore_threads = how.percore_threads;
	if (csv)
		form = &form_csv;
	else if (json)
		form = &form_json;
	else if (prometheus)
		form = &form_prometheus;
	else if (openmetrics)
		form = &form_openmetrics;
	else if (view.separator)
		form = metric_only ? &form_metric_separated : &form_separated;
	else if (perf_json)
		form = metric_only ? &form_metric_json : &form_perf_json;
	else if (metric_only)
		form = &form_metric_text;
	redirect();
	return run_sink(&tool, &sink);
}
