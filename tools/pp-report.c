/*
 * pp-report.c - where the time of a stream went: samples added up by what they have in common, as tables
 * of perf report.  What is added up is the library's; the tables are report/'s.
 */
#include "report/table.h"
#include "shared/preload_names.h"
#include "shared/header_lines.h"
#include "report/report_keys.h"
#include "shared/sample_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pp_report_options how = { .size = sizeof(how), .time_quantum = 100000000 };
static struct pp_symbols_options naming = { .size = sizeof(naming), .isolate = true };
static int max_stack = 127;
static uint64_t group_sort, stacks_most = UINT64_C(96) << 20;
static bool branches, no_branches, memory;
static bool group, stdio, children, no_children, no_call_graph, inverted, csv, json;
static const char *percent_limit, *filter;

static const char *parse_percentage(void *target, const char *value)
{
	bool *const relative = target;

	*relative = !strcmp(value, "relative");
	return *relative || !strcmp(value, "absolute") ? NULL : "is neither absolute nor relative";
}

/* As in perf, the last of the two counts, and the heads say "events" after either. */
static const char *show_groups(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	group = true;
	how.no_groups = false;
	return NULL;
}

static const char *show_no_groups(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	group = false;
	how.no_groups = true;
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -g -- my-program | pp-report", "where a program spends its time"),
	OPT_EXAMPLE("pp-report -s comm,dso web.pipe", "which programs and libraries took it"),
	OPT_EXAMPLE("pp-report --no-children -g caller -c nginx web.pipe",
		    "one program: its functions, and who calls them"),
	OPT_GROUP("What is added up"),
	OPT_STRING('s', "sort", "KEY,...", &how.sort,
		   "add up what has the same KEYs, and sort by them (default: comm,dso,symbol)"),
	OPT_STRING('F', "fields", "FIELD,...", &how.fields, "show these columns"),
	OPT_SWITCH('b', "branch-stack", &branches,
		   "add up the branches of samples (default: if there are any)"),
	OPT_SWITCH(0, "no-branch-stack", &no_branches, "add up samples, even if they have branches"),
	OPT_SWITCH(0, "mem-mode", &memory, "add up memory accesses by what they cost"),
	OPT_SWITCH(0, "children", &children, "count what a function calls as its own, too (default)"),
	OPT_SWITCH(0, "no-children", &no_children, "count what a function calls only there"),
	OPT_INT(0, "max-stack", "COUNT", &max_stack, 1, UINT16_MAX,
		"take COUNT addresses of a call chain at most (default: 127)"),
	OPT_SIZE(0, "stacks", "SIZE", &stacks_most,
		 "use at most SIZE bytes for stacks, of which the lightest are dropped (default: 96M)"),
	OPT_STRING('p', "parent", "REGEX", &how.parent, "show the first caller that matches (key `parent')"),
	OPT_TIME(0, "time-quantum", "TIME", &how.time_quantum,
		 "length of a slice of the key `time' (default: 100ms)"),
	OPT_MATCHING(&filter, "samples that match, in the language of pp-filter"),
	OPT_GROUP("Show only samples that match"),
	OPT_SHOWN_TIMES,
	OPT_STRING('c', "comms", "NAME,...", &how.comms, "of threads of these names"),
	OPT_STRING(0, "pid", "PID,...", &how.pids, "of these processes"),
	OPT_STRING(0, "tid", "TID,...", &how.tids, "of these threads"),
	OPT_STRING(0, "parallelism", "NUMBER,...", &how.parallelism,
		   "taken while this many threads ran"),
	OPT_STRING('d', "dsos", "FILE,...", &how.dsos, "in these files"),
	OPT_STRING('S', "symbols", "NAME,...", &how.symbols, "in these functions"),
	OPT_STRING(0, "symbol-filter", "TEXT", &table_options.symbol_part,
		   "in functions, and entries of callers, that have TEXT in their names"),
	OPT_CALL(0, "percentage", "absolute|relative", &how.relative, parse_percentage,
		 "percentages are of all samples, or relative to those that are shown"),
	OPT_GROUP("What is shown"),
	OPT_SWITCH('n', "show-nr-samples", &how.samples, "show how many samples there were"),
	OPT_SWITCH(0, "show-total-period", &how.period, "show the sum of the periods"),
	OPT_SWITCH(0, "showcpuutilization", &how.sys_us, "show what was in the kernel and in programs"),
	OPT_SWITCH(0, "latency", &how.latency,
		   "begin with latency, and sort by it: each period by how many threads ran"),
	OPT_SWITCH(0, "hist", &table_options.histograms,
		   "show below each entry how the periods of its samples are spread"),
	OPT_CALL(0, "percent-limit", "PERCENT", &percent_limit, table_parse_percent,
		 "leave out entries and calls below PERCENT"),
	OPT_CALL(0, "group", NULL, NULL, show_groups,
		 "show events side by side, also of no group (default: of a group)"),
	OPT_CALL(0, "no-group", NULL, NULL, show_no_groups, "show each event of a group by itself"),
	OPT_U64(0, "group-sort-idx", "NUMBER", &group_sort,
		"sort by this event of a group, of which 0 is the first"),
	OPT_GROUP("Call trees"),
	OPT_CALL('g', "call-graph", "TYPE,...", NULL, table_parse_call_graph,
		 "how call trees are drawn: graph, fractal, flat, folded or none; least percents; caller "
		 "or callee; percent, period or count (default: graph,0.5,caller,percent)"),
	OPT_SWITCH('G', "inverted", &inverted, "call trees begin at the outermost caller"),
	OPT_SWITCH(0, "no-call-graph", &no_call_graph, "draw no call trees"),
	OPT_GROUP("How it is written"),
	OPT_HEADER_LINES,
	OPT_SWITCH(0, "hierarchy", &table_options.hierarchy,
		   "show keys as a tree, a level for each, with sums of what is below"),
	OPT_STRING('t', "field-separator", "TEXT", &table_options.separator, "put TEXT between columns"),
	OPT_SWITCH(0, "csv", &csv, "print CSV, with a header of the columns' names"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.report/1"),
	OPT_GROUP("What functions are called"),
	OPT_SWITCH(0, "no-inline", &naming.no_inline, "leave out inlined functions"),
	OPT_FOLDER(0, "root", "DIR", &naming.root, "read files below DIR, and nothing of the running kernel"),
	OPT_SWITCH(0, "debuginfod", &naming.debuginfod,
		   "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE(0, "memory", "SIZE", &naming.memory,
		 "keep at most SIZE bytes of what was read of files, and as many of names (default: 256M)"),
	OPT_HIDDEN,
	OPT_SWITCH(0, "stdio", &stdio, "accepted: text is printed always"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

/* As tool.value. */
static const char *value_of(const char *arg, size_t i, uint64_t *needs)
{
	return strcmp(arg, "TYPE,...") ? keys_value(arg, i, needs) : table_call_graph_word(i);
}

static const struct tool tool = {
	.name = "pp-report",
	.summary = "Show where the time went, as perf report does",
	.purpose = "Adds up samples by function, file, program or any other key, the heaviest "
		   "first: usually the first look at a recording.",
	.operands = "[FILE]",
	.options = options,
	.value = value_of,
};

/* ---- the run ---- */

static struct {
	struct pp_session *names;
	struct pp_report *report;
	uint64_t lost, passed_over;
	uint64_t noted;               /* samples */
	uint64_t left_out;            /* what stacks weighed that were dropped */
} state;

static int start(struct run *run)
{
	if (header_lines_wanted() && header_lines_start(run, false))
		return -1;
	state.names = names_open(run, &naming, filter ? MATCHING_TASKS :
						PP_TASKS_CGROUPS | PP_TASKS_NAMESPACES, 0);
	if (!state.names || (filter && matching_start(run, pp_session_tasks(state.names),
								pp_session_symbols(state.names))) ||
	    ahead_learn(run, pp_session_symbols(state.names)) < 0 ||
	    keys_open_traces(run, &how, pp_session_symbols(state.names)))
		return -1;
	state.report = pp_report_new(&how, pp_session_tasks(state.names), pp_session_symbols(state.names),
				     &run->error);
	return state.report ? 0 : -1;
}

/* Drops the lightest stacks where all take too much.  What the table itself takes stays, and may be more:
 * then the bound rises, so that there is something to drop when it is met again. */
static int bound_memory(struct pp_error *error)
{
	uint64_t left_out, left;

	if (pp_report_size(state.report) <= stacks_most)
		return 0;
	if (pp_report_lighten(state.report, &left_out, error))
		return -1;
	state.left_out += left_out;
	left = pp_report_size(state.report);
	stacks_most = left > stacks_most / 2 ? 2 * left : stacks_most;
	return 0;
}

static int note_early(struct run *run, const struct pp_record *rec)
{
	if (header_lines_wanted())
		pp_header_words_note(&header_lines.words, rec, run->text);
	return 0;
}

static int note(struct run *run, struct pp_record *rec)
{
	uint64_t lost;
	int passes = 1;

	if (header_lines.only)
		return rec->type == PP_REC_SAMPLE;
	if (filter)
		matching_note(rec);
	if (filter && rec->type == PP_REC_SAMPLE)
		passes = matching_judge(run, rec);
	state.passed_over += !passes;
	if (passes <= 0)
		return passes;
	if (rec->type != PP_REC_SAMPLE) {
		if (rec->type == PP_REC_LOST_SAMPLES && pp_find_u64(rec, PP_IS_LOST, &lost))
			state.lost += lost;
		if (pp_session_note(state.names, rec, &run->error))
			return -1;
	}
	if (pp_report_note(state.report, rec, &run->error))
		return -1;
	/* often: one stack may have thousands of frames */
	return rec->type != PP_REC_SAMPLE || ++state.noted % 16 ? 0 : bound_memory(&run->error);
}

/* Or none is asked for. */
static bool has_group(void)
{
	const size_t n = pp_report_events(state.report);
	bool has = !n || how.no_groups;

	for (size_t i = 0; i < n; i++) {
		struct pp_report_event event;

		pp_report_event(state.report, i, &event);
		has |= event.group != NULL;
	}
	return has;
}

static void say_what_is_missing(const struct run *run)
{
	if (!pp_report_events(state.report))
		cli_warn("%s: %s", run->stream->name, state.passed_over ? "no sample matched" :
									   "there are no samples in it");
	else
		keys_say_what_is_missing(run->stream, how.mode);
}

static int end(struct run *run)
{
	size_t symbol;

	/* keys that these samples have not: nothing was added up */
	if (run->status == EXIT_MISUSE)
		return 0;
	if (header_lines_wanted())
		pp_header_words_end(&header_lines.words, run->text);
	if (header_lines.only)
		return 0;
	if (pp_report_update(state.report, &run->error))
		return -1;
	if (how.group_sort && !has_group())
		return pp_fail(&run->error, PP_E_USE, "--group-sort-idx is for events of a group, and there "
			       "is none: --group makes one");
	if (table_options.symbol_part && !table_symbol_column(state.report, &symbol))
		return pp_fail(&run->error, PP_E_USE,
			       "--symbol-filter is for the column symbol, which is not shown");
	if (pp_report_nameless(state.report, &run->shown.all, &run->shown.nameless, &run->error))
		return -1;
	say_what_is_missing(run);
	report_dropped(state.left_out);
	if (how.traces)
		report_trace_lack(pp_trace_texts_lack(how.traces));
	if (csv)
		lines_write_csv(state.report, run->text);
	else if (json)
		lines_write_json(state.report, run->text);
	if (csv || json || !pp_report_events(state.report))
		return 0;
	return table_write(state.report, state.lost, run->text, &run->error);
}

static void settle_options(void)
{
	const char *const sort = how.sort;
	const char *wrong;

	if (children && no_children)
		cli_misuse("--children and --no-children exclude each other");
	/* as in perf, whose heads then say "events" */
	how.all_together = group || how.no_groups;
	/* there each line has its event */
	how.no_groups |= csv || json;
	how.group_sort = group_sort < UINT32_MAX ? (uint32_t)group_sort : UINT32_MAX;
	if (header_lines_wanted() && (csv || json))
		cli_misuse("--header has text only: pp-dump --headers --json has it as JSON");
	table_options.headed = header_lines.first;
	if (table_options.hierarchy && (how.fields || csv || json || children))
		cli_misuse("--hierarchy cannot be combined with --fields, --csv, --json or --children");
	no_children |= table_options.hierarchy;
	if (table_options.histograms && (csv || table_options.separator || table_options.hierarchy))
		cli_misuse("--hist cannot be combined with --csv, --field-separator or --hierarchy");
	how.buckets = table_options.histograms;
	if (!how.time_quantum)
		cli_misuse("--time-quantum has to be more than 0");
	if (csv + json + !!table_options.separator > 1)
		cli_misuse("--csv, --json and --field-separator exclude each other");
	if (branches + no_branches + memory > 1 && !(no_branches && memory))
		cli_misuse("--branch-stack, --no-branch-stack and --mem-mode exclude each other");
	how.mode = branches ? PP_REPORT_BRANCHES : memory ? PP_REPORT_MEMORY :
		   no_branches ? PP_REPORT_PLAIN : PP_REPORT_AUTO;
	wrong = keys_check(&how);
	if (wrong)
		cli_misuse("%s", wrong);
	if (table_options.hierarchy && keys_have_no_sum(&how))
		cli_misuse("--hierarchy adds up rows, and a mean or a quantile is no sum");
	matching_demand(filter);
	if (inverted)
		table_options.order = ORDER_CALLER;
	how.caller = table_options.order == ORDER_CALLER ||
		     (table_options.order == ORDER_DEFAULT && !no_children);
	how.max_stack = (uint32_t)max_stack;
	how.no_inline = naming.no_inline;
	naming.lines = keys_need_lines(&how) || matching_needs_lines();
	naming.data = keys_need_data(&how);
	/* as in perf, types of data have no callers */
	how.no_children = no_children || naming.data;
	table_options.starts_with_symbol = !how.fields && sort && !strncmp(sort, "sym", 3);
	table_options.comms = how.comms;
	table_options.dsos = how.dsos;
	table_options.symbols = how.symbols;
	if (no_call_graph)
		table_options.mode = CHAIN_NONE;
	how.no_trees = table_options.mode == CHAIN_NONE;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.asks = true, .opened = header_lines_opened,
		.start = start, .early = note_early, .record = note, .end = end, .time_order = true,
		.chains = &naming, .shares = true, .late = ": their names may be those of another time",
	};
	int status;

	cli_parse(&tool, argc, argv);
	settle_options();
	names_start(&naming, true);
	if (keys_need_traces(&how))
		pp_trace_texts_load();
	status = run_sink(&tool, &sink);
	pp_report_free(state.report);
	pp_trace_texts_free(how.traces);
	names_close(state.names);
	names_end(&naming);
	matching_free();
	return status;
}
