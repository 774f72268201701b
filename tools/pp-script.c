/* pp-script.c - prints what perf script prints, from any recording. */
#include "shared/preload_names.h"
#include "shared/cache_dir.h"
#include "shared/run.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pp_script_options options_of_text = { .size = sizeof(options_of_text) };
static struct pp_symbols_options symbols_options = {
	.size = sizeof(symbols_options), .isolate = true,
};

static int most_frames;
static bool csv, json;
static bool header, header_only;
static struct pp_header_words words;

static struct {
	struct pp_budget budget;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
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
	return pp_script_choose(target, value, &message_says);
}

static const struct option_spec options[] = {
	OPT_GROUP("What is shown"),
	{ OPTION_VALUE, 'F', "fields", "FIELD,...",
	  "show these fields, or change the usual ones by +FIELD and -FIELD",
	  set_fields, &options_of_text.fields, 0, 0 },
	OPT_SWITCH('G', "hide-call-graph", &options_of_text.no_chain, "show no call chains"),
	OPT_SWITCH(0, "ns", &options_of_text.nanoseconds, "show times to the nanosecond"),
	OPT_BITS(0, "show-task-events", &options_of_text.show, PP_SCRIPT_TASKS,
		 "show names, forks and ends of threads"),
	OPT_BITS(0, "show-mmap-events", &options_of_text.show, PP_SCRIPT_MMAPS, "show mappings"),
	OPT_BITS(0, "show-switch-events", &options_of_text.show, PP_SCRIPT_SWITCHES, "show context switches"),
	OPT_BITS(0, "show-lost-events", &options_of_text.show, PP_SCRIPT_LOST, "show what was lost"),
	OPT_BITS(0, "show-namespace-events", &options_of_text.show, PP_SCRIPT_NAMESPACES, "show namespaces"),
	OPT_BITS(0, "show-cgroup-events", &options_of_text.show, PP_SCRIPT_CGROUPS, "show control groups"),
	OPT_BITS(0, "show-bpf-events", &options_of_text.show, PP_SCRIPT_BPF,
		 "show BPF programs and their symbols"),
	{ OPTION_VALUE, 0, "max-stack", "COUNT", "show COUNT frames of a chain at most (default: 127)",
	  NULL, &most_frames, 1, 65535 },
	OPT_SWITCH(0, "full-source-path", &options_of_text.full_source, "show whole paths of source files"),
	OPT_SWITCH(0, "header", &header, "first show what the recording says of itself"),
	OPT_SWITCH(0, "header-only", &header_only, "show that alone"),
	OPT_SWITCH('I', "show-info", &words.full, "show what is long of it, too: processors, nodes, caches"),
	OPT_SWITCH(0, "csv", &csv, "print CSV, with a header of the fields' names"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.script/1"),
	{ OPTION_VALUE, 0, "like", "6.1|7.3", "print as that version of perf (default: 7.3)",
	  set_like, &options_of_text.like, 0, 0 },
	OPT_GROUP("What frames are called"),
	OPT_SWITCH(0, "no-inline", &options_of_text.no_inline, "leave out inlined functions"),
	OPT_FOLDER(0, "root", "DIR", &symbols_options.root,
		   "read files below DIR, and nothing of the running kernel"),
	OPT_SWITCH(0, "debuginfod", &symbols_options.debuginfod,
		   "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE(0, "memory", "SIZE", &symbols_options.memory,
		 "keep at most SIZE bytes of what was read of files, and as many of names (default: 256M)"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"),
	OPT_END
};

static const struct tool tool = {
	.name = "pp-script",
	.summary = "Print the samples of a recording as perf script does",
	.operands = "[FILE]",
	.options = options,
};

/* The time of the file is that of the recording, as perf takes it; of a folder that of its first file. */
static int find_time(const char *path, struct stat *st)
{
	char data[PATH_MAX];

	if (!path || !strcmp(path, "-"))
		return fstat(STDIN_FILENO, st);
	if (stat(path, st))
		return -1;
	if (!S_ISDIR(st->st_mode))
		return 0;
	(void)snprintf(data, sizeof(data), "%s/data", path);
	return stat(data, st);
}

static int start_words(struct run *run)
{
	struct stat st;

	if (find_time(common.input, &st))
		return pp_fail_os(&run->error, "cannot find out when it was written");
	words.old = options_of_text.like == PP_SCRIPT_6_1;
	words.banner = header || header_only;
	words.stream = run->stream;
	words.captured = st.st_mtime;
	pp_header_words_start(&words, run->text);
	return 0;
}

static bool has_words(void)
{
	return header || header_only || words.full;
}

static int start(struct run *run)
{
	if (has_words() && start_words(run))
		return -1;
	symbols_options.say = message_says;
	symbols_options.cache = cache_folder();
	options_of_text.most_frames = (unsigned)most_frames;
	symbols_options.lines = pp_script_wants_lines(&options_of_text.fields);
	symbols_options.no_inline = !symbols_options.lines &&
				    (options_of_text.no_inline || options_of_text.no_chain);
	if (options_of_text.like == PP_SCRIPT_6_1)
		symbols_options.demangle = PP_DEMANGLE_SHORT;
	options_of_text.of_file = strcmp(run->stream->container, "stream") != 0;
	state.tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS | PP_TASKS_CGROUPS, &state.budget);
	if (!state.tasks)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	state.symbols = pp_symbols_new(&symbols_options, state.tasks, &run->error);
	if (!state.symbols || ahead_learn(run, state.symbols) < 0)
		return -1;
	state.script = pp_script_new(&options_of_text, state.tasks, state.symbols, &run->error);
	if (!state.script)
		return -1;
	pp_script_watch(state.script, run->in);
	return 0;
}

/* Features are shown when they come, and samples at their time; names may stand after their samples, in the
 * round that ends them. */
static int note_early(struct run *run, const struct pp_record *record)
{
	if (has_words())
		pp_header_words_note(&words, record, run->text);
	return pp_symbols_learn(state.symbols, record, &run->error);
}

static int print(struct run *run, struct pp_record *record)
{
	if (header_only)
		return record->type == PP_REC_SAMPLE;
	return pp_script_note(state.script, record, run->text, &run->error);
}

static int end(struct run *run)
{
	if (has_words())
		pp_header_words_end(&words, run->text);
	if (header_only)
		return 0;
	report_isolation(pp_symbols_stats(state.symbols)->isolated);
	return pp_script_end(state.script, run->stream->attrs, run->text, &run->error);
}

static void settle_options(void)
{
	if (csv && json)
		cli_misuse("--csv and --json exclude each other");
	if (csv && options_of_text.show)
		cli_misuse("--csv has samples only: --show-... needs text, or --json");
	if (has_words() && (csv || json))
		cli_misuse("--header has text only: pp-dump --headers --json has it as JSON");
	options_of_text.form = csv ? PP_SCRIPT_CSV : json ? PP_SCRIPT_JSON : PP_SCRIPT_TEXT;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .early = note_early, .record = print, .end = end, .time_order = true,
		.chains = true,
		.late = ": they are shown where they came, and names may be those of another time",
	};
	int status;

	cli_parse(&tool, argc, argv);
	settle_options();
	status = run_sink(&tool, &sink);
	pp_script_free(state.script);
	pp_symbols_free(state.symbols);
	pp_tasks_free(state.tasks);
	return status;
}
