/*
 * pp-top.c - what is going on: a table of functions, or a tree of calls, that follows a stream while it
 * comes, on a terminal or as plain text.  What counts is in top/live_profile.c, what is shown in
 * top/top_rows.c.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table_columns.h"
#include "top/earlier_stage.h"
#include "report/report_keys.h"
#include "shared/preload_names.h"
#include "shared/sample_filter.h"
#include "cli/output.h"
#include "shared/run.h"
#include "top/record_here.h"
#include "top/reread.h"
#include "top/top_rows.h"
#include "top/screen.h"
#include "top/live_profile.h"

static bool once, plain, tree, branches, memory, decays;
static const char *filter;
static int entries = -1;
static struct columns columns;
static struct lines_open open_lines;
static struct lines_how how;

static const char *parse_interval(void *target, const char *value)
{
	const char *const wrong = cli_time(target, value);

	return wrong ? wrong : *(uint64_t *)target < 10000000 ? "is less than 10 ms" : NULL;
}

/* What is lost of weights, in tenths of a percent. */
static const char *parse_decay(void *target, const char *value)
{
	char *end;
	const double percent = strtod(value, &end);

	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return "is not a share of weights from 0 to 100 %";
	*(int *)target = 1000 - (int)(10 * percent + 0.5);
	decays = true;
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-top -a -g", "what this machine does now"),
	OPT_EXAMPLE("ssh web7 pp-record -a -g | pp-top --filter 'comm != \"swapper\"'",
		    "what another host does, without idling"),
	OPT_EXAMPLE("pp-record -a -g -- sleep 3 | pp-top --once", "one table, without a screen"),
	OPT_GROUP("What to record here"),
	OPT_RECORD_HERE,
	OPT_GROUP("Which samples"),
	OPT_STRING('e', "event", "EVENT", &weigh_options.fold.event,
		   "samples of EVENT (default: of the first that has any); what is recorded here"),
	OPT_MATCHING(&filter, "samples that match, in the language of pp-filter; / changes it"),
	OPT_GROUP("How to weigh them"),
	OPT_CALL(0, "interval", "SECONDS", &weigh_options.interval, parse_interval,
		 "show it anew every SECONDS (default: 2)"),
	OPT_CALL(0, "decay", "PERCENT", &weigh_options.keeps, parse_decay,
		 "take so much off all weights every interval; 0: add up, 100: begin anew (default: 12.5)"),
	OPT_SIZE(0, "stacks", "SIZE", &weigh_options.memory,
		 "use at most SIZE bytes for stacks, of which the lightest are dropped, and as many for "
		 "names, and for what was read of files (default: 256M)"),
	OPT_SIZE(0, "memory", "SIZE", &weigh_options.memory, "the same as --stacks"),
	OPT_GROUP("What to show"),
	OPT_SWITCH(0, "tree", &tree, "begin with the tree of calls"),
	OPT_STRING('s', "sort", "KEY,...", &weigh_options.report.sort,
		   "a line for what has the same KEYs of pp-report (default: functions)"),
	OPT_STRING('F', "fields", "FIELD,...", &weigh_options.report.fields,
		   "show these columns of pp-report, in their order"),
	OPT_SWITCH('b', "branch-stack", &branches, "keys are those of the branches of samples"),
	OPT_SWITCH(0, "mem-mode", &memory, "keys are those of memory accesses, weights what they cost"),
	OPT_INT(0, "entries", "N", &entries, 0, 1000000,
		"at most N lines a table; 0: all (default: 40, and all with --once)"),
	OPT_SWITCH(0, "once", &once, "one table, after the first interval, as plain text"),
	OPT_SWITCH(0, "stdio", &plain, "plain text, a table every interval, also on a terminal"),
	OPT_FOLDER(0, "root", "DIR", &weigh_options.symbols.root,
		   "read files below DIR, and nothing of the running kernel"),
	OPT_GROUP("Common options"), OPT_INPUT, OPT_OUTPUT, OPT_VERBOSE("say more about what is done"),
	OPT_QUIET, OPT_NO_VERIFY, OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-top",
	.summary = "Show the hottest functions live, like perf top",
	.purpose = "Reads a recording while it is made, here or on another host, and shows a "
		   "table that is renewed every two seconds.",
	.operands = "[FILE]",
	.options = options,
	.takes_command = true,
	.details = "Without FILE, and if standard input is a terminal, pp-record is started.  It\n"
		   "records all CPUs, or what COMMAND or the options to record say.  A regular FILE\n"
		   "is shown on a terminal to look around in it: ? has the keys.\n",
	.value = keys_value,
};

/* ---- plain text ---- */

static bool shown;               /* a table was printed */

static void print_head(struct pp_out *out)
{
	const struct weighed *const is = weigh_state();
	char text[128];

	snprintf(text, sizeof(text), "# %" PRIu64 ".%" PRIu64 " s, %" PRIu64 " sample%s of ",
		 (is->last - is->first) / 1000000000, (is->last - is->first) / 100000000 % 10,
		 is->samples, cli_plural(is->samples));
	pp_out_text(out, shown ? "\n" : "");
	pp_out_text(out, text);
	pp_out_printable(out, is->event ? is->event : "no event", is->event ? strlen(is->event) : 8);
	snprintf(text, sizeof(text), ", %" PRIu64 " lost\n", is->lost);
	pp_out_text(out, text);
}

static void print_table(struct pp_out *out)
{
	const struct top_line *lines;
	size_t count;

	how.most = (size_t)(entries >= 0 ? entries : once ? 0 : 40);
	how.report = weigh_report();
	how.event = weigh_state()->event;
	lines_choose(&columns, &how);
	lines = lines_make(weigh_profile(), &how, &count);
	print_head(out);
	columns_head(out, &columns);
	for (size_t i = 0; i < count; i++)
		columns_row(out, &columns, &lines[i]);
	shown = true;
}

/* ---- the stream ---- */

/* Whether there is one: asked before the input is read, while a terminal can be opened. */
static bool screen;
/* The input is a file, to look around in: nothing of it fades. */
static bool recorded;

static bool has_screen(void)
{
	return !once && !plain && !common.output && screen_is_possible();
}

/* What is recorded here is shown by the first event that has samples. */
static void start_recorder(void)
{
	const char *const events = weigh_options.fold.event;

	weigh_options.fold.event = NULL;
	record_here_start(events, screen);
}

/* While files may be opened. */
static int open_screen(struct run *run)
{
	(void)run;
	screen = screen && screen_open(&how, &columns);
	if (screen && recorded)
		reread_prepare();
	return 0;
}

static int start(struct run *run)
{
	if (weigh_start(run))
		return -1;
	if (screen) {
		screen_begin(recorded);
		how.open = &open_lines;
		how.most = 1000;
	} else {
		how.open_from = tree ? 0.005 : 0;
	}
	return 0;
}

/* Leaves for good: what is upstream learns it by its next write. */
static void look(struct run *run, int fd)
{
	int status;

	if (screen_look(fd, weigh_options.interval))
		return;
	status = run->status;
	screen_close();
	exit(status);
}

static int record(struct run *run, struct pp_record *rec)
{
	int got = weigh_record(run, rec);

	if (got == 1) {
		if (!screen_is_open())
			print_table(run->text);
		if (once)
			return 1;
		weigh_next();
		got = weigh_record(run, rec);
	}
	if (screen_is_open() && run->samples % 1024 == 0)
		look(run, -1);
	return got;
}

static int flush(struct run *run)
{
	const int fd = pp_reader_fd(run->in);

	if (screen_is_open())
		look(run, fd);
	return 0;
}

static void say_what_is_missing(struct run *run)
{
	const struct weighed *const is = weigh_state();

	if (!run->samples)
		cli_warn("%s: there are no samples in it", run->stream->name);
	else if (!is->samples && is->filter)
		cli_warn("%s: no sample matched", run->stream->name);
	else if (!is->event && weigh_options.fold.event)
		cli_warn("%s: there are no samples of %s in it", run->stream->name,
			 weigh_options.fold.event);
	else if (branches || memory)
		keys_say_what_is_missing(run->stream, weigh_options.report.mode);
	if (is->event && is->others && !weigh_options.fold.event)
		cli_warn("%" PRIu64 " sample%s of other events than %s %s left out: --event chooses",
			 is->others, cli_plural(is->others), is->event, is->others == 1 ? "is" : "are");
	if (weigh_options.report.traces)
		report_trace_lack(pp_trace_texts_lack(weigh_options.report.traces));
	if (is->left_out)
		cli_warn("the lightest stacks were dropped, to stay within --stacks");
	if (is->begun_anew)
		cli_warn("the table began anew %" PRIu64 " time%s, to stay within --stacks", is->begun_anew,
			 cli_plural(is->begun_anew));
}

static int end(struct run *run)
{
	if (screen_is_open()) {
		screen_stay(run);
		screen_close();
	} else if (!once || !shown) {
		print_table(run->text);
	}
	say_what_is_missing(run);
	return weigh_nameless(run);
}

/* Bad keys are the command line's fault, and said before anything is read. */
static void set_up_keys(void)
{
	struct pp_report_options *const keys = &weigh_options.report;
	const char *wrong;

	if ((branches || memory) && !keys->sort && !keys->fields)
		cli_misuse("--branch-stack and --mem-mode are for --sort and --fields");
	if (branches && memory)
		cli_misuse("--branch-stack and --mem-mode exclude each other");
	if (tree && (keys->sort || keys->fields))
		cli_misuse("--tree has lines of calls: --sort and --fields are for the table");
	if (!keys->sort && !keys->fields)
		return;
	keys->mode = branches ? PP_REPORT_BRANCHES : memory ? PP_REPORT_MEMORY : PP_REPORT_PLAIN;
	keys->samples = true;
	wrong = weigh_check_keys(keys);
	if (wrong)
		cli_misuse("%s", wrong);
}

static void set_up(void)
{
	how.view = tree ? LINES_TREE : LINES_TABLE;
	set_up_keys();
	matching_demand(filter);
}

int main(int argc, char **argv)
{
	struct sink sink = {
		.opened = open_screen,
		.start = start, .early = weigh_early, .record = record, .end = end, .flush = flush,
		.time_order = true, .chains = &weigh_options.symbols, .shares = true,
		.late = ": their names may be those of another time",
	};
	int status, recorder;
	bool records;

	cli_parse(&tool, argc, argv);
	set_up();
	/* before what it starts becomes standard input */
	records = record_here_is_asked();
	screen = has_screen();
	recorded = screen && !records && reread_is_file();
	if (recorded && !decays)
		weigh_options.keeps = 1000;
	if (records)
		start_recorder();
	sink.does = (screen ? PP_STAGE_SCREEN : 0) | (records ? PP_STAGE_SIGNALS : 0);
	/* where a recorder that it starts can be ended by its number alone, it may be that of any process */
	sink.opens = records && !earlier_stage_is_held();
	if (sink.opens && !common.no_sandbox)
		cli_note("no sandbox: it records here, and this kernel has no pidfds");
	sink.asks = !sink.opens;
	if (sink.asks)
		names_start(&weigh_options.symbols, true);
	/* on a screen keys are chosen later, too */
	if (screen || ((weigh_options.report.sort || weigh_options.report.fields) &&
		       keys_need_traces(&weigh_options.report)))
		pp_trace_texts_load();
	/* what took the terminal away, as timeout(1) does, knows of no source that is to end before us */
	if (screen_is_away())
		signal(SIGTERM, output_die);
	status = run_sink(&tool, &sink);
	screen_close();
	lines_free(&open_lines);
	reread_free();
	weigh_free();
	names_end(&weigh_options.symbols);
	recorder = earlier_stage_end();
	return recorder ? recorder : status;
}
