/* pp-script.c - prints what perf script prints, from any recording. */
#include "shared/preload_names.h"
#include "shared/header_lines.h"
#include "shared/run.h"
#include "shared/sample_filter.h"
#include "cli/suggestions.h"

#include <string.h>
#include <time.h>

static struct pp_script_options options_of_text = { .size = sizeof(options_of_text) };
static struct pp_symbols_options symbols_options = {
	.size = sizeof(symbols_options), .isolate = true,
};

static struct cli_ranges cpus;
static int most_frames = 127;
static bool since_first, since_last, forced, not_decoded;
static bool csv, json;

static struct {
	struct pp_session *names;
	struct pp_script *script;
} state;

static const char *set_like(void *target, const char *value)
{
	enum pp_script_like *const like = target;

	if (!strcmp(value, "6.1"))
		*like = PP_SCRIPT_6_1;
	else if (!strcmp(value, "7.3") || !strcmp(value, "6.12"))
		*like = PP_SCRIPT_7_3;
	else
		return "is no version of perf whose text is known: 6.1, 7.3";
	return NULL;
}

static const char *set_fields(void *target, const char *value)
{
	static struct pp_error wrong;

	if (!pp_script_choose(target, value, &message_says, &wrong))
		return NULL;
	wrong = cli_cured(&wrong);
	if (!strstr(wrong.detail, "field that is not known"))
		return wrong.detail;
	return suggest_in_list(wrong.detail, value, pp_script_field, ": pp-script(1) lists them");
}

static bool shows_cpu(void *ranges, uint32_t cpu)
{
	return cli_ranges_have(ranges, cpu);
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-script web.pipe | less", "look at the samples with their call chains"),
	OPT_EXAMPLE("pp-script -F comm,tid,time,ip,sym web.pipe", "print only these fields"),
	OPT_EXAMPLE("pp-script --json web.pipe | jq -r .comm | sort | uniq -c",
		    "count the samples of each program"),
	OPT_GROUP("Which samples are shown"),
	OPT_RANGES('C', "cpu", "CPUS", &cpus, "show only samples and records of these CPUs, such as 0-3,8"),
	OPT_SHOWN_TIMES,
	OPT_GROUP("What is shown of samples"),
	{ OPTION_VALUE, 'F', "fields", "FIELD,...",
	  "show these fields, or change the usual ones by +FIELD and -FIELD",
	  set_fields, &options_of_text.fields, 0, 0 },
	OPT_SWITCH('G', "hide-call-graph", &options_of_text.no_chain, "show no call chains"),
	OPT_SWITCH(0, "ns", &options_of_text.nanoseconds, "show times to the nanosecond"),
	{ OPTION_VALUE, 0, "max-stack", "COUNT", "show COUNT frames of a chain at most (default: 127)",
	  NULL, &most_frames, 0, 65535 },
	OPT_STRING(0, "stop-bt", "NAME,...", &options_of_text.last_frames,
		   "show no callers of these functions"),
	OPT_SWITCH(0, "reltime", &since_first, "show times since the first that is shown"),
	OPT_SWITCH(0, "deltatime", &since_last, "show times since the one before"),
	OPT_SWITCH(0, "full-source-path", &options_of_text.full_source, "show whole paths of source files"),
	OPT_SWITCH(0, "csv", &csv, "print CSV, with a header of the fields' names"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.script/1"),
	{ OPTION_VALUE, 0, "like", "6.1|7.3", "print as that version of perf (default: 7.3)",
	  set_like, &options_of_text.like, 0, 0 },
	OPT_GROUP("What is shown besides samples"),
	OPT_BITS(0, "show-task-events", &options_of_text.show, PP_SCRIPT_TASKS,
		 "show names, forks and ends of threads"),
	OPT_BITS(0, "show-mmap-events", &options_of_text.show, PP_SCRIPT_MMAPS, "show mappings"),
	OPT_BITS(0, "show-switch-events", &options_of_text.show, PP_SCRIPT_SWITCHES, "show context switches"),
	OPT_BITS(0, "show-lost-events", &options_of_text.show, PP_SCRIPT_LOST, "show what was lost"),
	OPT_BITS(0, "show-namespace-events", &options_of_text.show, PP_SCRIPT_NAMESPACES, "show namespaces"),
	OPT_BITS(0, "show-cgroup-events", &options_of_text.show, PP_SCRIPT_CGROUPS, "show control groups"),
	OPT_BITS(0, "show-bpf-events", &options_of_text.show, PP_SCRIPT_BPF,
		 "show BPF programs and their symbols"),
	OPT_HEADER_LINES,
	OPT_SWITCH(0, "no-itrace", &not_decoded,
		   "show no errors of AUX data that was decoded"),
	OPT_GROUP("What frames are called"),
	OPT_SWITCH(0, "no-inline", &options_of_text.no_inline, "leave out inlined functions"),
	OPT_FOLDER(0, "root", "DIR", &symbols_options.root,
		   "read files below DIR, and nothing of the running kernel"),
	OPT_SWITCH(0, "debuginfod", &symbols_options.debuginfod,
		   "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE(0, "memory", "SIZE", &symbols_options.memory,
		 "keep at most SIZE bytes of what was read of files, and as many of names (default: 256M)"),
	OPT_HIDDEN,
	OPT_SWITCH('f', "force", &forced, "accepted: files of other users are read always"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

/* As tool.value. */
static const char *field_value(const char *arg, size_t i, uint64_t *needs)
{
	if (strcmp(arg, "FIELD,...") != 0)
		return NULL;
	*needs = pp_script_field_needs(i);
	return pp_script_field(i);
}

static const struct tool tool = {
	.name = "pp-script",
	.summary = "Print the samples of a recording as perf script does",
	.purpose = "One sample after the other, as text that scripts written for perf read, or "
		   "as CSV or JSON.",
	.operands = "[FILE]",
	.options = options,
	.value = field_value,
};

static int start(struct run *run)
{
	if (header_lines_wanted() && header_lines_start(run, options_of_text.like == PP_SCRIPT_6_1))
		return -1;
	options_of_text.most_frames = (unsigned)most_frames;
	run->stacks = header_lines.only;
	run->shows_more = options_of_text.show || header_lines.only;
	run->registers = pp_script_wants_registers(&options_of_text.fields);
	options_of_text.shows_cpu = cpus.count ? shows_cpu : NULL;
	options_of_text.arg = &cpus;
	options_of_text.no_frames = !most_frames;
	symbols_options.lines = pp_script_wants_lines(&options_of_text.fields);
	symbols_options.no_inline = !symbols_options.lines &&
				    (options_of_text.no_inline || options_of_text.no_chain);
	if (options_of_text.like == PP_SCRIPT_6_1)
		symbols_options.demangle = PP_DEMANGLE_SHORT;
	options_of_text.of_file = strcmp(run->stream->container, "stream") != 0;
	state.names = names_open(run, &symbols_options, PP_TASKS_CGROUPS, 0);
	if (!state.names || ahead_learn(run, pp_session_symbols(state.names)) < 0)
		return -1;
	state.script = pp_script_new(&options_of_text, pp_session_tasks(state.names),
				     pp_session_symbols(state.names), &run->error);
	if (!state.script)
		return -1;
	pp_script_watch(state.script, run->in);
	return 0;
}

/* Features are shown when they come, and samples at their time; names may stand after their samples, in the
 * round that ends them. */
static int note_early(struct run *run, const struct pp_record *record)
{
	if (header_lines_wanted())
		pp_header_words_note(&header_lines.words, record, run->text);
	if (!not_decoded && !header_lines.only)
		pp_script_note_early(state.script, record, run->text);
	return pp_session_learn(state.names, record, &run->error);
}

static int print(struct run *run, struct pp_record *record)
{
	if (header_lines.only)
		return record->type == PP_REC_SAMPLE;
	if (pp_script_note(state.script, record, run->text, &run->error))
		return -1;
	report_trace_lack(pp_script_trace_lack(state.script));
	return 0;
}

static int end(struct run *run)
{
	if (header_lines_wanted())
		pp_header_words_end(&header_lines.words, run->text);
	if (header_lines.only)
		return 0;
	return pp_script_end(state.script, run->stream->attrs, run->text, &run->error);
}

static void settle_options(void)
{
	if (csv && json)
		cli_misuse("--csv and --json exclude each other");
	if (since_first && since_last)
		cli_misuse("--reltime and --deltatime exclude each other");
	options_of_text.times = since_first ? PP_SCRIPT_SINCE_FIRST : since_last ? PP_SCRIPT_SINCE_LAST :
				PP_SCRIPT_ABSOLUTE;
	if (csv && options_of_text.show)
		cli_misuse("--csv has samples only: --show-... needs text, or --json");
	if (header_lines_wanted() && (csv || json))
		cli_misuse("--header has text only: pp-dump --headers --json has it as JSON");
	options_of_text.form = csv ? PP_SCRIPT_CSV : json ? PP_SCRIPT_JSON : PP_SCRIPT_TEXT;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.asks = true, .opened = header_lines_opened,
		.start = start, .early = note_early, .record = print, .end = end, .time_order = true,
		.chains = &symbols_options,
		.late = ": they are shown where they came, and names may be those of another time",
	};
	int status;

	cli_parse(&tool, argc, argv);
	settle_options();
	names_start(&symbols_options, true);
	if (!header_lines.only)
		pp_trace_texts_load();
	status = run_sink(&tool, &sink);
	pp_script_free(state.script);
	names_close(state.names);
	names_end(&symbols_options);
	return status;
}
