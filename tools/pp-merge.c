/*
 * pp-merge.c - several recordings as one stream, in the order of their times.
 *
 * It opens the files, finds out about their clocks, and reports what was merged.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/stage_signals.h"
#include "shared/run.h"

static uint64_t limit = UINT64_C(256) << 20;
static uint64_t patience = UINT64_C(5) * 1000000000;
static struct cli_list offsets;
static bool hosts;

/* A time, or for ever. */
static const char *take_patience(void *target, const char *value)
{
	if (strcmp(value, "forever"))
		return cli_time(target, value);
	*(uint64_t *)target = UINT64_MAX;
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-merge web1.pipe web2.pipe -o both.pipe",
		    "two recordings of one machine in one"),
	OPT_EXAMPLE("pp-merge --hosts web1.pipe web2.pipe | pp-report -s comm",
		    "two hosts, with their processes kept apart"),
	OPT_EXAMPLE("pp-merge --offset b.pipe=2 a.pipe b.pipe -o both.pipe",
		    "one whose clock was two seconds slow"),
	OPT_LIST(0, "offset", "FILE=TIME", &offsets,
		 "add TIME, in seconds, to all times of FILE; -TIME subtracts"),
	OPT_SWITCH(0, "hosts", &hosts,
		 "keep processes and processors of different hosts apart"),
	OPT_CALL(0, "patience", "TIME", &patience, take_patience,
		   "wait TIME seconds for a silent input, or forever (default: 5)"),
	OPT_SIZE('S', "size", "SIZE", &limit,
		 "hold at most SIZE bytes if rounds are missing or larger (default: 256M)"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-merge",
	.summary = "Combine several streams into one, in the order of their times",
	.purpose = "For recordings of several hosts, or of parts of one run, that belong "
		   "together.",
	.operands = "[FILE...]",
	.options = options,
};

/* The inputs, in the order of the command line. */
static struct {
	struct input {
		const char *path;       /* NULL: standard input */
		struct pp_reader *reader;       /* until it is the merge's */
		int64_t shift;
		bool shifted;
		struct report report;
	} *items;
	size_t *open;                   /* those that could be opened: what pp_merge counts */
	size_t count, opened;
} inputs;

static struct pp_merge *merge;

/* Which one a descriptor is, as in pp-merge <(ssh web7 pp-record), its number does not show. */
static const char *name_of(size_t input)
{
	const char *const path = inputs.items[input].path;
	static char text[64];

	if (!path)
		return "standard input";
	if (strncmp(path, "/dev/fd/", 8) != 0)
		return path;
	snprintf(text, sizeof(text), "input %zu (%.32s)", input + 1, path);
	return text;
}

/* ---- messages ---- */

static void on_damage(void *arg, size_t opened, const struct pp_error *error)
{
	struct run *const run = arg;
	const size_t input = inputs.open[opened];

	report_error(&inputs.items[input].report, name_of(input), error, &run->status);
}

static void on_remark(void *arg, size_t opened, const char *text, enum pp_hint hint)
{
	(void)arg;
	cli_warn("%s: %s%s", name_of(inputs.open[opened]), text, cli_cure(hint));
}

/* What is wrong with all of them together. */
static void say(struct run *run, const struct pp_error *error)
{
	char text[512];

	(void)run;
	cli_error_text(error, text, sizeof(text));
	/* which ones do not go together was reported */
	cli_say("%s", error->code == PP_E_USE ? "the recordings cannot be merged" : text);
}

/* ---- the command line ---- */

static void take_input(const char *path)
{
	inputs.items[inputs.count++].path = path;
}

static void take_inputs(int n, char **files)
{
	bool read = false;

	inputs.items = calloc((size_t)n + 1, sizeof(*inputs.items));
	inputs.open = calloc((size_t)n + 1, sizeof(*inputs.open));
	if (!inputs.items || !inputs.open)
		cli_no_memory();
	if (common.input || !n)
		take_input(common.input);
	for (int i = 0; i < n; i++)
		take_input(strcmp(files[i], "-") ? files[i] : NULL);
	for (size_t i = 0; i < inputs.count; i++) {
		if (!inputs.items[i].path && read)
			cli_misuse("standard input can be read once only");
		read |= !inputs.items[i].path;
	}
}

/* FILE=TIME: the name may have a "=" in it, a time has none. */
static void take_offset(const char *value)
{
	const char *const equal = strrchr(value, '=');
	const size_t length = equal ? (size_t)(equal - value) : 0;
	const bool negative = equal && equal[1] == '-';
	const char *wrong;
	uint64_t ns = 0;
	size_t found = 0;

	if (!equal)
		cli_misuse("--offset: '%s' is not FILE=TIME", value);
	wrong = cli_time(&ns, equal + 1 + negative);
	if (wrong || ns > INT64_MAX)
		cli_misuse("--offset: '%s' %s", equal + 1, wrong ? wrong : "is too large");
	for (struct input *in = inputs.items; in < inputs.items + inputs.count; in++) {
		const char *path = in->path ? in->path : "-";

		if (strlen(path) != length || memcmp(path, value, length))
			continue;
		in->shift = negative ? -(int64_t)ns : (int64_t)ns;
		in->shifted = true;
		found++;
	}
	if (!found)
		cli_misuse("--offset: '%.*s' is not an input", (int)length, value);
}

/* ---- the run ---- */

/* Opens all before any is read: 0, or -1, which was reported. */
static int open_inputs(struct run *run)
{
	const struct pp_reader_options how = {
		.size = sizeof(how), .no_verify = common.no_verify, .unread = true,
	};

	for (size_t i = 0; i < inputs.count; i++) {
		struct input *const in = &inputs.items[i];

		in->reader = pp_reader_open(in->path, &how, &run->error);
		if (!in->reader)
			report_error(&in->report, name_of(i), &run->error, &run->status);
		if (run->status >= EXIT_SYSTEM) {
			run->error.code = PP_OK;
			return -1;
		}
	}
	return 0;
}

/* One that is not a stream is reported and left out, as long as there are others. */
static void add_input(struct run *run, size_t number)
{
	struct input *const in = &inputs.items[number];

	if (pp_reader_begin(in->reader, &run->error) || pp_merge_add_reader(merge, in->reader, &run->error)) {
		pp_error_fatal(&run->error, true);
		report_error(&in->report, name_of(number), &run->error, &run->status);
		return;
	}
	in->reader = NULL;
	if (in->shifted)
		pp_merge_shift(merge, inputs.opened, in->shift);
	inputs.open[inputs.opened++] = number;
}

static int start(struct run *run)
{
	const struct pp_merge_options how = {
		.size = sizeof(how),
		.limit = limit, .patience = patience, .hosts = hosts,
		.enlarge_pipes = true,
		.damaged = on_damage, .say = on_remark, .arg = run,
	};
	const struct pp_merge_stats *stats;

	merge = pp_merge_new(&how, &run->error);
	if (!merge)
		return -1;
	stats = pp_merge_stats(merge);
	*run->progress = (struct progress){ .records = &stats->records, .bytes = &stats->bytes,
					    .first = &stats->first_time, .last = &stats->last_time,
					    .samples = &stats->samples };
	if (open_inputs(run) || run_confine(run, PP_STAGE_SPOOLS, NULL))
		return -1;
	for (size_t i = 0; i < inputs.count && run->status < EXIT_SYSTEM; i++)
		if (inputs.items[i].reader)
			add_input(run, i);
	run->error.code = PP_OK;
	return inputs.opened && run->status < EXIT_SYSTEM ? 0 : -1;
}

static int merge_all(struct run *run)
{
	return pp_merge_run(merge, run->out, &run->error) ? pp_error_fatal(&run->error, true) : 0;
}

static void report_input(struct run *run, size_t opened)
{
	const struct pp_rounds_stats *const stats = pp_merge_rounds(merge, opened);
	struct pp_rounds_stats rounds = stats ? *stats : (struct pp_rounds_stats){ 0 };
	const struct pp_merge_late *const late = pp_merge_late(merge, opened);
	const size_t input = inputs.open[opened];
	const char *const name = name_of(input);

	report_damage(&inputs.items[input].report, name);
	pp_say_long_features(&message_says, pp_merge_stream(merge, opened));
	report_stream(name, pp_merge_stream(merge, opened), &run->status);
	if (late->count) {
		rounds.late = 0;
		cli_warn("%s: %" PRIu64 " record%s came too late for its place, by up to %" PRIu64
			 ".%09" PRIu64 " s, after the input had been silent for longer than "
				       "--patience",
			 name, late->count, cli_plural(late->count), late->worst / 1000000000,
			 late->worst % 1000000000);
	}
	pp_say_rounds(&message_says, name, &rounds, "");
}

static int end(struct run *run)
{
	const struct pp_merge_stats *const stats = pp_merge_stats(merge);
	uint32_t flags = pp_merge_flags(merge);

	for (size_t i = 0; i < inputs.opened; i++)
		report_input(run, i);
	if (stats->renamed)
		cli_note("%" PRIu64 " id%s renumbered: used by another event or host",
			 stats->renamed, cli_plural(stats->renamed));
	if (stats->tracepoints)
		cli_note("%" PRIu64 " tracepoint%s renumbered: the inputs disagree about their "
			 "numbers",
			 stats->tracepoints, cli_plural(stats->tracepoints));
	if (stats->identified)
		cli_note("samples were rewritten: the events have their ids in different places");
	if (run->status >= EXIT_DAMAGED)
		flags |= PP_SEAL_DAMAGED;
	return pp_writer_end(run->out, flags, &run->error);
}

int main(int argc, char **argv)
{
	const int operand = cli_parse(&tool, argc, argv);
	struct source source = { .start = start, .next = merge_all, .end = end, .say = say };
	int status;

	take_inputs(argc - operand, argv + operand);
	for (size_t i = 0; i < offsets.count; i++)
		take_offset(offsets.items[i]);
	if (!limit)
		cli_misuse("--size: nothing can be merged in 0 bytes");
	for (size_t i = 0; i < inputs.count; i++) {
		if (!inputs.items[i].path)
			cli_refuse_terminal_input(STDIN_FILENO);
		outlive_interrupt(inputs.items[i].path);
	}
	source.sealing = run_sealing();
	status = run_source(&tool, &source);
	pp_merge_free(merge);
	for (size_t i = 0; i < inputs.count; i++)
		pp_reader_close(inputs.items[i].reader);
	return status;
}
