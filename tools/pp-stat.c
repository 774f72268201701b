/* pp-stat.c - shows the counts of a stream, as perf stat does: when, and of what stretch of time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "shared/run.h"
#include "stat/compare.h"
#include "stat/repeat_statistics.h"

static struct pp_counts_options how = { .size = sizeof(how) };
static bool by_given;                 /* else as the stream says */
static uint64_t interval_ms = UINT64_MAX;     /* -I; UINT64_MAX: as recorded, 0: none */
static bool metric_only_given;        /* or --no-metric-only: else as the stream says */
static bool summary, append, metric_only, perf_json, no_big_numbers, big_numbers, from_samples;
static int log_fd = -1;

static struct shown_metrics metrics;
static bool csv, json, prometheus, openmetrics;

static struct view view = { .big_numbers = true, .side = -1 };
static const struct form *form = &form_text;
static struct repeats repeats[2];     /* of each side; of a stream that compares nothing, the first */
static struct comparison comparison;
static struct pp_count_bounds *bounds_of_all, *bounds_of_shown;
static const char *first_stream;      /* of two that are compared; NULL: there is one */
static struct pp_reader *first;       /* that stream; NULL: first_error says why it cannot be read */
static struct pp_error first_error;
static struct pp_deputy *deputy;
static unsigned side;                 /* which of them is read */
static double worst = -1;             /* --fail-if-worse, per cent; below 0: any will do */
static uint64_t rounds_due, rounds_since;     /* of an interval; since it began */
static size_t runs_seen;
static size_t runs_of[2];             /* of this stream, of each side */
static bool left_out;                 /* the last of several runs, which is no whole one */
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

static const char *parse_metric_only(void *target, const char *value)
{
	(void)value;
	metric_only_given = *(bool *)target = true;
	return NULL;
}

static const char *parse_no_metric_only(void *target, const char *value)
{
	(void)value;
	metric_only_given = true;
	*(bool *)target = false;
	return NULL;
}

static const char *set_like(void *target, const char *value)
{
	bool *const newer = target;

	*newer = !strcmp(value, "7.3");
	return *newer || !strcmp(value, "6.1") ? NULL : "is no version of perf whose text is known: 6.1, 7.3";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-count -- make | pp-stat", "what a command costs"),
	OPT_EXAMPLE("pp-stat --per-socket counts.pipe", "the same counts, socket by socket"),
	OPT_EXAMPLE("pp-stat --fail-if-worse 5 old.pipe new.pipe",
		    "a test that fails if a change costs more than 5 %"),
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
	OPT_SWITCH(0, "from-samples", &from_samples,
		   "add up samples: the periods that they stand for, or the counts that they carry"),
	OPT_GROUP("Which events"),
	OPT_SWITCH(0, "no-merge", &how.no_merge,
		   "show events of one specification, such as on several PMUs, one by one"),
	OPT_SWITCH(0, "hybrid-merge", &how.hybrid_merge,
		   "show the same event on different kinds of cores as one"),
	OPT_STRING(0, "cputype", "TYPE", &how.cpu_type,
		   "show only events of this kind of core, such as core or atom"),
	OPT_GROUP("Which stretches of time"),
	OPT_U64('I', "interval-print", "MS", &interval_ms,
		"show what was counted every MS milliseconds, a multiple of the recorded interval; 0: "
		"the whole time (default: as recorded, of --prometheus the whole time)"),
	OPT_SWITCH(0, "interval-clear", &view.clear, "clear the screen before each interval"),
	OPT_SWITCH(0, "summary", &summary, "show the whole time as well, after the intervals"),
	OPT_GROUP("Metrics"),
	OPT_LIST('M', "metrics", "METRIC,GROUP|DIR", &metrics.asked.words,
		 "show these metrics, or groups of them, too; what has a slash is perf's JSON of metrics, "
		 "a file or a folder (default: for which the events were counted)"),
	OPT_SWITCH(0, "mixed", &metrics.mixed,
		   "show metrics and rates also of events that were never counted at one time"),
	OPT_CALL(0, "metric-only", NULL, &metric_only, parse_metric_only,
		 "print only rates and ratios, in one line (default for --topdown and --smi-cost)"),
	OPT_CALL(0, "no-metric-only", NULL, &metric_only, parse_no_metric_only,
		 "print counts, too, also of --topdown and --smi-cost"),
	OPT_GROUP("What is shown"),
	OPT_SWITCH(0, "hide-zero-events", &view.hide_zeros, "leave out events that were counted, as 0"),
	OPT_SWITCH(0, "table", &view.table_of_runs, "show the time of each run, with repeats"),
	OPT_SWITCH(0, "spread", &view.spreads,
		   "show how repeats spread: median, deviation, interval, outliers"),
	OPT_SWITCH(0, "no-scale", &how.no_scale,
		   "do not estimate what events that ran part of the time would have counted"),
	OPT_SWITCH('B', "big-num", &big_numbers,
		   "set thousands apart, as the locale says (default, but for -x and -j)"),
	OPT_SWITCH(0, "no-big-num", &no_big_numbers, "do not set thousands apart"),
	OPT_GROUP("How it is written"),
	OPT_STRING('x', "field-separator", "SEP", &view.separator,
		   "print the fields of perf stat -x, with SEP between them"),
	OPT_SWITCH(0, "no-csv-summary", &view.no_csv_summary,
		   "with -x: do not begin the lines of --summary with that word"),
	OPT_SWITCH('j', "json-output", &perf_json, "print the fields of perf stat -j"),
	OPT_CALL(0, "like", "6.1|7.3", &view.newer, set_like,
		 "with -j: print the fields of that version of perf (default: 6.1)"),
	OPT_SWITCH(0, "csv", &csv, "print comma-separated values (RFC 4180) below a header"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.counts/1"),
	OPT_SWITCH(0, "prometheus", &prometheus,
		   "print the totals in Prometheus' text format, for a textfile collector"),
	OPT_SWITCH(0, "openmetrics", &openmetrics, "print the totals in the OpenMetrics format"),
	OPT_GROUP("How two streams, or the two commands of pp-count --compare, differ"),
	OPT_CALL(0, "fail-if-worse", "PCT", &worst, cli_percent,
		 "exit with 1 if a count, or a time, is surely more than PCT per cent higher"),
	OPT_GROUP("Where to"),
	OPT_SWITCH(0, "append", &append, "append to the file of -o"),
	OPT_INT(0, "log-fd", "FD", &log_fd, 0, 1 << 20, "write to this descriptor instead"),
	OPT_COMMON_SINK,
	OPT_NO_SANDBOX,
	OPT_VERBOSE("report what each counter said: its count, and the ns for which it was enabled and ran"),
	OPT_END
};

/* Whether a word that is no file here is a program that could be run. */
static bool is_command(const char *word)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	if (!*word || strchr(word, '/') || !access(word, F_OK))
		return false;
	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		(void)snprintf(file, sizeof(file), "%.*s/%s", (int)strcspn(path, ":"), path, word);
		if (!access(file, X_OK))
			return true;
	}
	return false;
}

/* As perf stat takes it: with all that belongs to it. */
static void refuse_command(char **words)
{
	char line[4096] = "";
	size_t n = 0;

	if (access(words[0], F_OK) && !strcmp(words[0], "record"))
		cli_misuse("'record' is perf stat's: pp-count -o FILE -- COMMAND keeps counts for "
			   "pp-stat FILE");
	if (access(words[0], F_OK) && !strcmp(words[0], "report"))
		cli_misuse("'report' is perf stat's: pp-stat FILE does so");
	if (!is_command(words[0]))
		return;
	for (size_t i = 0; words[i] && n < sizeof(line); i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, " %s", words[i]);
	cli_misuse("'%s' is no file but a command: pp-count counts, pp-stat shows: "
		   "pp-count --%s | pp-stat", words[0], line);
}

static const struct tool tool = {
	.name = "pp-stat",
	.summary = "Show the counts in a stream of pp-count or perf stat record",
	.purpose = "Makes a table, CSV, JSON or Prometheus' text of what was counted, for each "
		   "CPU, core, thread or interval, without counting again.",
	.operands = "[FILE] [CHANGED]",
	.options = options,
	.first_operand = refuse_command,
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
	metrics.machine.chips = view.about.chips;
	metrics.machine.chip_cores = view.about.chip_cores;
	metrics_open(&metrics, view.about.metrics);
	if (metrics.asked.set)
		view.metrics = &metrics;
}

/* Whether the stream compares two commands. */
static bool is_sided(void)
{
	return pp_counts_side(view.counts, 1) != NULL;
}

static void begin_sides(void)
{
	comparison.pairs = true;
	for (unsigned i = 0; i < 2; i++) {
		char *title = NULL;

		if (asprintf(&title, "'%s'", pp_counts_side(view.counts, (int32_t)i)) < 0)
			cli_no_memory();
		compare_stream(&comparison, i, title);
		free(title);
	}
}

/* The form that shows rates and ratios alone, if there is one for this. */
static const struct form *form_of_metrics(const struct form *of)
{
	return of == &form_text ? &form_metric_text : of == &form_separated ? &form_metric_separated :
	       of == &form_perf_json ? &form_metric_json : of;
}

/* What the stream said, as far as it is known by now. */
static void find_out(struct run *run)
{
	pp_counts_about(view.counts, &view.about);
	if (!nothing_shown)
		return;
	if (is_sided() && !first_stream)
		begin_sides();
	if (!by_given)
		how.by = view.about.by;
	if (metric_only && how.by == PP_COUNT_THREAD)
		cli_misuse("--metric-only cannot be combined with --per-thread, which the stream asks for");
	/* as perf stat */
	if (view.about.metric_only && !metric_only_given && !first_stream && how.by != PP_COUNT_THREAD)
		form = form_of_metrics(form);
	join(run);
	ask_metrics();
	how.no_scale |= !view.about.scale;
	if (form->start && !first_stream)
		form->start(&view);
	nothing_shown = false;
}

/* Writes the view's table. */
static void show(void)
{
	cgroups_find(&view.cgroups, &view.table);
	if (view.metrics)
		metrics_start(view.metrics, &view.table, &view.cgroups);
	form_write(form, &view);
}

/* -v: what the counters said, before anything is made of it. */
static void say_raw(void)
{
	struct view raw = view;
	struct pp_out to;

	if (!messages.verbose)
		return;
	if (pp_out_open(&to, STDERR_FILENO))
		cli_no_memory();
	raw.out = &to;
	form_write(&form_raw, &raw);
	(void)pp_out_close(&to);
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
	view.repeats = NULL;
	view.bounds = bounds_of_shown;
	say_raw();
	show();
	view.interval = false;
	view.number++;
	pp_count_bounds_clear(bounds_of_shown);
	return 0;
}

/* Whether it is counters for a collector, which are totals. */
static bool is_collected(void)
{
	return prometheus || openmetrics;
}

/* For a collector that reads the file now and then: totals so far, of what is no counter the newest
 * interval's.  The file gets its name once it is complete. */
static int rewrite(struct run *run)
{
	if (fill(run, PP_COUNT_SINCE_SHOWN) < 0)
		return -1;
	view.interval = true;
	show();
	view.interval = false;
	if (fill(run, PP_COUNT_SINCE_START) < 0)
		return -1;
	show();
	if (pp_out_flush(run->text) < 0)
		output_failed(run->text->os);
	run->fd = run->text->fd = output_again();
	return 0;
}

/* The last of a recording may be shorter than the others, and says less. */
static bool is_whole(void)
{
	return view.table.to - view.table.from >= view.about.interval * rounds_due / 10 * 9;
}

static int end_interval(struct run *run)
{
	const int failed = first_stream ? fill(run, PP_COUNT_SINCE_SHOWN) :
			   is_collected() ? rewrite(run) : show_interval(run);

	if (failed < 0)
		return -1;
	if (first_stream && is_whole())
		compare_interval(&comparison, side, &view);
	rounds_since = 0;
	pp_counts_shown(view.counts, PP_COUNT_SINCE_SHOWN);
	return 0;
}

/* How many recorded intervals one to be shown has; 0: none is to be shown. */
static void find_interval(void)
{
	const uint64_t recorded = view.about.interval, wanted = interval_ms * 1000000;

	if (!interval_ms || (is_collected() && interval_ms == UINT64_MAX))
		rounds_due = 0;
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
		const unsigned of = one->side == 1;

		if (rounds_since && rounds_due && end_interval(run) < 0)
			return -1;
		if (fill(run, PP_COUNT_SINCE_RUN) < 0)
			return -1;
		if (!rounds_due)
			say_raw();
		left_out = runs_of[of]++ && one->cut;
		if (left_out) {
			cli_warn("%s: the last run was ended early: it is left out of the means",
				 run->stream->name);
			continue;
		}
		if (repeats_add(&repeats[of], &view.table, one, &run->error) < 0)
			return -1;
		if (first_stream || is_sided())
			compare_run(&comparison, first_stream ? side : of, &view, one);
		pp_counts_shown(view.counts, PP_COUNT_SINCE_RUN);
	}
	return 0;
}

static void show_runs(struct repeats *of)
{
	if (view.run && of->runs == 1 && !view.wall)
		view.wall = (double)view.run->elapsed;
	view.runs = of->runs;
	view.bounds = of->runs > 1 || left_out ? NULL : bounds_of_all;
	if (of->runs > 1 || left_out || view.side >= 0) {
		repeats_mean(of, &view.table);
		view.spread = of->values;
		view.repeats = of;
		view.elapsed = &of->elapsed;
		view.wall = of->elapsed.mean;
	}
	view.summary = view.number > 0;
	show();
}

static const struct pp_count_run *first_run(int32_t of)
{
	const struct pp_count_run *one;

	for (size_t i = 0; (one = pp_counts_run(view.counts, i)); i++)
		if (of < 0 || one->side == of)
			return one;
	return NULL;
}

static int show_all(struct run *run)
{
	const size_t sides = is_sided() ? 2 : 1;

	for (size_t i = 0; i < sides; i++) {
		if (fill(run, PP_COUNT_SINCE_START) < 0)
			return -1;
		if (!view.number && !runs_seen)
			say_raw();
		view.side = sides > 1 ? (int)i : -1;
		view.run = first_run(view.side);
		if (sides > 1)
			view.about.title = comparison.titles[i];
		show_runs(&repeats[i]);
	}
	view.side = -1;
	return 0;
}

/* How both sides differ, at the end of all. */
static void show_difference(struct run *run)
{
	if (first_stream && form->start)
		form->start(&view);
	form->difference(&view, &comparison);
	if (worst >= 0 && compare_is_worse(&comparison, worst) && run->status < EXIT_NO)
		run->status = EXIT_NO;
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

static int begin_stream(struct run *run)
{
	runs_seen = 0;
	runs_of[0] = runs_of[1] = 0;
	left_out = false;
	rounds_since = 0;
	nothing_shown = true;
	pp_metric_machine_clear(&metrics.machine);
	view.counts = pp_counts_new(run->stream->attrs, NULL);
	bounds_of_all = pp_count_bounds_new();
	bounds_of_shown = pp_count_bounds_new();
	if (!view.counts || !bounds_of_all || !bounds_of_shown)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	if (from_samples && pp_counts_from_samples(view.counts, &run->error))
		return -1;
	pp_counts_about(view.counts, &view.about);
	if (first_stream)
		compare_stream(&comparison, side, run->stream->name);
	return 0;
}

/* What an event that ran part of the time counted in each recorded interval says how sure the sum is. */
static int learn_bounds(struct run *run)
{
	/* where each interval is shown, and nothing else, nothing is added up */
	if (!view.about.multiplexed || first_stream || (rounds_due == 1 && !summary))
		return 0;
	if (fill(run, PP_COUNT_SINCE_ROUND) < 0 ||
	    pp_count_bounds_add(bounds_of_all, &view.table, &run->error) < 0 ||
	    pp_count_bounds_add(bounds_of_shown, &view.table, &run->error) < 0)
		return -1;
	pp_counts_shown(view.counts, PP_COUNT_SINCE_ROUND);
	return 0;
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
		if (learn_bounds(run) < 0)
			return -1;
		return rounds_due && rounds_since == rounds_due ? end_interval(run) : 0;
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
	if (view.about.nameless)
		cli_warn("%" PRIu64 " count%s without an id, as perf 7 takes them by itself "
			 "(duration_time): not shown", view.about.nameless,
			 cli_plural(view.about.nameless));
	if (view.about.backwards)
		cli_warn("%" PRIu64 " counts went backwards, and were taken as unchanged",
			 view.about.backwards);
	if (view.about.lost)
		cli_warn("%" PRIu64 " samples were lost, and are missing in the sums", view.about.lost);
	if (how.cpu_type && !view.about.cpu_type)
		cli_warn("no event is of cores of the type '%s'", how.cpu_type);
	if ((view.about.unknown || view.about.backwards) && run->status < EXIT_DAMAGED)
		run->status = EXIT_DAMAGED;
}

/* What remains to be shown, or compared, of a stream that has counts. */
static int finish(struct run *run)
{
	if (is_sided() && (first_stream || !form->difference))
		cli_die(EXIT_MISUSE, first_stream ? "%s compares two commands, and can be read only alone" :
			"%s compares two commands: text, --csv and --json can show that",
			run->stream->name);
	if (rounds_due && rounds_since && !is_collected() && end_interval(run) < 0)
		return -1;
	if (first_stream) {
		if (fill(run, PP_COUNT_SINCE_START) < 0)
			return -1;
		compare_total(&comparison, side, &view);
		return 0;
	}
	if ((!rounds_due || summary || is_collected()) && show_all(run) < 0)
		return -1;
	if (is_sided())
		show_difference(run);
	else if (worst >= 0)
		cli_die(EXIT_MISUSE, "--fail-if-worse needs two streams, or one of pp-count --compare");
	return 0;
}

static int end_stream(struct run *run)
{
	int failed = 0;

	pp_counts_about(view.counts, &view.about);
	if (view.about.counts || view.about.rounds) {
		failed = finish(run);
	} else {
		if (from_samples)
			cli_say("%s has no samples", run->stream->name);
		else
			cli_say("%s has no counts: pp-count and perf stat record make streams that have%s",
				run->stream->name,
				view.about.samples ? "; --from-samples adds up its samples" : "");
		run->status = run->status < EXIT_DAMAGED ? EXIT_DAMAGED : run->status;
	}
	remark(run);
	return failed;
}

/* Lets go of what is known of the stream. */
static void close_stream(void)
{
	pp_counts_free(view.counts);
	view.counts = NULL;
	pp_count_bounds_free(bounds_of_all);
	pp_count_bounds_free(bounds_of_shown);
	repeats_free(&repeats[0]);
	repeats_free(&repeats[1]);
}

static _Noreturn void refuse_first(void)
{
	struct report report = { .many = NULL };
	int status = EXIT_DONE;

	report_error(&report, strcmp(first_stream, "-") ? first_stream : "standard input", &first_error,
		     &status);
	cli_die(status, "nothing can be compared");
}

/* Reads the first of two streams, while the run has the second before it. */
static int read_first(struct run *run)
{
	const struct pp_session_options way = { .size = sizeof(way), .say = message_says, .reader = first };
	const struct pp_stream *const second = run->stream;
	struct pp_session *session;
	struct pp_record rec;
	int failed, status;

	if (!first || pp_reader_begin(first, &first_error))
		refuse_first();
	session = pp_session_open(NULL, &way);
	if (!session)
		cli_no_memory();
	run->stream = pp_reader_stream(first);
	failed = begin_stream(run);
	while (!failed && pp_session_next(session, &rec) == PP_MORE)
		failed = record(run, &rec);
	failed = failed ? failed : end_stream(run);
	close_stream();
	status = pp_session_finish(session);
	pp_reader_close(first);
	run->status = run->status < status ? status : run->status;
	run->stream = second;
	side = 1;
	return failed;
}

/* It opens what may be read besides the streams: metrics, and how the CPUs of this machine are joined. */
static int start_deputy(struct run *run)
{
	metrics_look(&metrics.asked);
	(void)cli_add(&metrics.asked.paths, "/sys/devices/system/cpu");
	deputy = pp_deputy_reading(metrics.asked.paths.items, metrics.asked.paths.count, &run->error);
	return deputy ? 0 : -1;
}

static int confine(struct run *run)
{
	const struct pp_reader_options unread = {
		.size = sizeof(unread), .no_verify = common.no_verify, .unread = true,
	};
	const bool remakes = is_collected() && interval_ms && interval_ms != UINT64_MAX;

	if (append && common.output)
		copy_old(run->text);
	if (form->start == form_use_locale)
		form_find_locale();
	if (first_stream)
		first = pp_reader_open(first_stream, &unread, &first_error);
	if (start_deputy(run))
		return -1;
	return run_confine(run, PP_STAGE_DEPUTY | PP_STAGE_SPOOLS | (remakes ? PP_STAGE_REMAKES : 0u),
			   NULL);
}

static int start(struct run *run)
{
	view.out = run->text;
	if (first_stream && read_first(run))
		return -1;
	return begin_stream(run);
}

static int end(struct run *run)
{
	const int failed = end_stream(run);

	if (!failed && first_stream)
		show_difference(run);
	close_stream();
	compare_free(&comparison);
	metrics_close(&metrics);
	cgroups_free(&view.cgroups);
	return failed;
}

/* ---- where to ---- */

/* --log-fd takes the place of standard output. */
static void redirect(void)
{
	if (log_fd >= 0 && dup2(log_fd, STDOUT_FILENO) < 0)
		cli_die_os("cannot write to descriptor %d", log_fd);
}

/* FILE, or FILE and what became of it; `operands` ends after the last of `n`. */
static void take_operands(int n, char **operands)
{
	if (n == 2)
		first_stream = operands[-2];
	if (n)
		cli_input(operands[-1]);
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.opens = true, .opened = confine, .start = start, .record = record, .end = end,
	};
	int status;

	take_operands(argc - cli_parse(&tool, argc, argv), argv + argc);
	if (log_fd >= 0 && common.output)
		cli_misuse("--log-fd or -o, not both");
	if (view.newer && !perf_json)
		cli_misuse("--like is for -j: every other text is that of perf 6.1");
	if ((view.separator != NULL) + perf_json + csv + json + prometheus + openmetrics > 1)
		cli_misuse("only one of -x, -j, --csv, --json, --prometheus and --openmetrics can be given");
	if (metric_only && (csv || json || prometheus || openmetrics))
		cli_misuse("--metric-only is for text, -x and -j");
	if (metric_only && how.by == PP_COUNT_THREAD)
		cli_misuse("--metric-only cannot be combined with --per-thread");
	if (is_collected() && interval_ms && interval_ms != UINT64_MAX && (!common.output || append))
		cli_misuse("-I: --prometheus and --openmetrics write a file anew: -o FILE, without --append");
	if (from_samples && interval_ms && interval_ms != UINT64_MAX)
		cli_misuse("-I: samples have no intervals; pp-filter or pp-split takes a stretch of time");
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
		form = &form_separated;
	else if (perf_json)
		form = &form_perf_json;
	if (metric_only)
		form = form_of_metrics(form);
	if (first_stream && !form->difference)
		cli_misuse("two streams are compared as text, --csv or --json");
	if (first_stream && (metrics.asked.words.count || view.table_of_runs || view.spreads))
		cli_misuse("-M, --table and --spread show one stream: give each by itself");
	redirect();
	view.mixed = metrics.mixed;
	view.colours = !common.output && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	status = run_sink(&tool, &sink);
	pp_deputy_stop(deputy);
	return status;
}
