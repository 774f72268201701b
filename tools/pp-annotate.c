/* pp-annotate.c - which lines and which instructions of a function took the time. */
#include "annotate/annotation.h"
#include "shared/preload_names.h"
#include "shared/sample_filter.h"

#include <string.h>

static struct pp_annotate_options how = { .size = sizeof(how) };
static struct pp_symbols_options naming = { .size = sizeof(naming), .isolate = true, .no_inline = true };
static struct annotation_shares shares;
static uint64_t functions = 1;
static bool code, as_perf, json;

static const char *parse_percent_type(void *target, const char *value)
{
	static const struct { const char *name; struct annotation_shares is; } types[] = {
		{ "local-period", { false, false } }, { "global-period", { true, false } },
		{ "local-hits", { false, true } }, { "global-hits", { true, true } },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(value, types[i].name)) {
			*(struct annotation_shares *)target = types[i].is;
			return NULL;
		}
	return "is not local-period, global-period, local-hits or global-hits";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-annotate web.pipe", "the lines of the function that took the most time"),
	OPT_EXAMPLE("pp-annotate --asm -s main web.pipe", "the instructions of another one"),
	OPT_EXAMPLE("pp-record -- my-program | pp-annotate -n 3", "the three hottest functions of a program"),
	OPT_GROUP("Which functions"),
	OPT_STRING('s', "symbol", "SYMBOL", &how.function, "annotate functions of this name"),
	OPT_STRING('d', "dsos", "FILE,...", &how.dsos, "annotate functions in these files"),
	OPT_U64('n', "limit", "COUNT", &functions,
		"annotate COUNT functions, the hottest first (default: 1)"),
	OPT_STRING('e', "event", "EVENT", &how.event,
		   "samples of EVENT (default: of the first that has any)"),
	OPT_SHOWN_TIMES,
	OPT_GROUP("How they are written"),
	OPT_SWITCH(0, "asm", &code, "show instructions (default: lines, where these are known)"),
	OPT_SWITCH(0, "stdio", &as_perf, "show instructions in the columns of perf annotate --stdio"),
	OPT_CALL(0, "percent-type", "local-period|global-period|local-hits|global-hits", &shares,
		 parse_percent_type, "shares are of the function or of all samples, by period or by number "
		 "(default: local-period)"),
	OPT_SWITCH(0, "json", &json, "print JSON Lines, schema perfpipe.annotate/1"),
	OPT_GROUP("Which files are read"),
	OPT_FOLDER(0, "root", "DIR", &naming.root, "read files below DIR, and nothing of the running kernel"),
	OPT_SWITCH(0, "debuginfod", &naming.debuginfod,
		   "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE(0, "memory", "SIZE", &naming.memory,
		 "keep at most SIZE bytes of what was read of files, and as many of names (default: 256M)"),
	OPT_COMMON_SINK, OPT_VERBOSE("say more about what is done"), OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-annotate",
	.summary = "Show which lines and instructions of a function took the time",
	.purpose = "Shows the source of a function with the share of each line beside it, or its "
		   "instructions: what comes after pp-report said which function it is.",
	.operands = "[FILE] [SYMBOL]",
	.options = options,
};

static struct {
	struct pp_session *names;
	struct pp_annotate *sums;
} state;

static int start(struct run *run)
{
	state.names = names_open(run, &naming, 0, 0);
	if (!state.names || ahead_learn(run, pp_session_symbols(state.names)) < 0)
		return -1;
	state.sums = pp_annotate_new(&how, pp_session_symbols(state.names), &run->error);
	return state.sums ? 0 : -1;
}

/* Names may stand after their samples, in the round that ends them. */
static int note_early(struct run *run, const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND ? pp_session_learn(state.names, rec, &run->error) : 0;
}

static int note(struct run *run, struct pp_record *rec)
{
	if (rec->type != PP_REC_SAMPLE && pp_session_note(state.names, rec, &run->error))
		return -1;
	return pp_annotate_note(state.sums, rec, &run->error);
}

static void say_none(const struct run *run)
{
	uint64_t nameless;
	const uint64_t samples = pp_annotate_samples(state.sums, &nameless);

	if (!samples && how.event)
		cli_warn("%s: there are no samples of %s in it", run->stream->name, how.event);
	else if (!samples)
		cli_warn("%s: there are no samples in it", run->stream->name);
	else if (how.function || how.dsos)
		cli_warn("%s: no sample is in a function that was asked for", run->stream->name);
	else if (!json)
		pp_out_text(run->text, "# no sample is in a function that has a name\n");
}

static void write_function(struct run *run, const struct pp_annotated *f, bool first)
{
	const bool lines = f->n_lines && !code && !as_perf;

	if (f->lack && !lines)
		cli_warn("%s: no instructions, only addresses that were sampled: %s", f->name, f->lack);
	if (json) {
		annotation_write_json(state.sums, f, &shares, run->text);
		return;
	}
	if (!first)
		pp_out_char(run->text, '\n');
	if (as_perf)
		annotation_write_stdio(f, &shares, run->text);
	else if (lines)
		annotation_write_lines(state.sums, f, &shares, run->text);
	else
		annotation_write_code(f, &shares, run->text);
}

static int end(struct run *run)
{
	const struct pp_annotated *f;

	if (pp_annotate_settle(state.sums, &run->error))
		return -1;
	run->shown.all = pp_annotate_samples(state.sums, &run->shown.nameless);
	if (json)
		pp_out_text(run->text, "{\"schema\":\"perfpipe.annotate/1\"}\n");
	if (!pp_annotate_function(state.sums, 0))
		say_none(run);
	for (size_t i = 0; (f = pp_annotate_function(state.sums, i)); i++)
		write_function(run, f, !i);
	if (!pp_annotate_failure(state.sums))
		return 0;
	run->error = *pp_annotate_failure(state.sums);
	return -1;
}

static void take_operands(char **operands, int count)
{
	if (count > 0)
		cli_input(operands[0]);
	if (count > 1 && how.function)
		cli_misuse("--symbol and SYMBOL exclude each other");
	if (count > 1)
		how.function = operands[1];
}

static void settle_options(void)
{
	if (code + as_perf + json > 1)
		cli_misuse("--asm, --stdio and --json exclude each other");
	if (!functions)
		cli_misuse("--limit has to be more than 0");
	how.most = (size_t)functions;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.asks = true, .start = start, .early = note_early, .record = note, .end = end,
		.time_order = true, .shares = true, .late = ": their names may be those of another time",
	};
	const int first = cli_parse(&tool, argc, argv);
	int status;

	take_operands(argv + first, argc - first);
	settle_options();
	/* what tells files apart is read here, too */
	names_start(&naming, true);
	/* while files may be opened */
	pp_annotate_load();
	how.root = naming.root;
	how.debuginfod = naming.debuginfod;
	how.finder = pp_namer_finder(naming.namer);
	if (how.finder < 0)
		cli_die_os("cannot start a process that finds files");
	status = run_sink(&tool, &sink);
	pp_annotate_free(state.sums);
	names_close(state.names);
	names_end(&naming);
	return status;
}
