/*
 * pp-merge - several recordings as one stream, in the order of their times.
 *
 * What merges is libpipe's pp_merge; here are the files, their clocks, and what is said.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cli.h"
#include <perfpipe/perfpipe.h>
#include "shared/interrupt.h"
#include "shared/output.h"
#include "shared/progress.h"

enum {
	SHOWN = 10,		/* damaged places of an input that are told in full */
};

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
	OPT_LIST(0, "offset", "FILE=TIME", &offsets,
		 "add TIME, in seconds, to all times of FILE; -TIME subtracts"),
	OPT_SWITCH(0, "hosts", &hosts,
		 "keep processes and processors of different hosts apart"),
	OPT_CALL(0, "patience", "TIME", &patience, take_patience,
		   "wait TIME seconds for a silent input, or forever (default: 5)"),
	OPT_SIZE('S', "size", "SIZE", &limit,
		 "hold at most SIZE bytes if rounds are missing or larger (default: 256M)"),
	OPT_COMMON_FILTER,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-merge",
	.summary = "Combine several streams into one, in the order of their times",
	.operands = "[FILE...]",
	.options = options,
};

/* The inputs, in the order of the command line. */
static struct {
	const char **paths;
	uint64_t *damaged;	/* places in each */
	int64_t *shifts;
	bool *shifted;
	size_t *open;		/* those that could be opened: what pp_merge counts */
	size_t count, opened;
	int status;		/* 0 or 3 */
} inputs;

/* Which one a descriptor is, as in pp-merge <(ssh web7 pp-record), its number does not tell. */
static const char *name_of(size_t input)
{
	const char *const path = inputs.paths[input];
	static char text[64];

	if (!path)
		return "standard input";
	if (strncmp(path, "/dev/fd/", 8) != 0)
		return path;
	snprintf(text, sizeof(text), "input %zu (%.32s)", input + 1, path);
	return text;
}

/* ---- messages ---- */

static void complain(size_t input, const struct pp_error *error)
{
	char text[512];

	if (inputs.status < pp_error_status(error))
		inputs.status = pp_error_status(error);
	if (++inputs.damaged[input] > SHOWN && !pp_error_ends(error))
		return;
	pp_error_text(error, text, sizeof(text));
	cli_say("%s: %s", name_of(input), text);
}

static void on_damage(void *arg, size_t opened, const struct pp_error *error)
{
	(void)arg;
	complain(inputs.open[opened], error);
}

static void on_remark(void *arg, size_t opened, const char *text)
{
	(void)arg;
	cli_warn("%s: %s", name_of(inputs.open[opened]), text);
}

/* ---- the command line ---- */

static void *array(size_t count, size_t size)
{
	void *items = calloc(count, size);

	if (!items)
		cli_no_memory();
	return items;
}

static void take_inputs(int n, char **files)
{
	const size_t most = (size_t)n + 1;

	inputs.paths = array(most, sizeof(*inputs.paths));
	inputs.damaged = array(most, sizeof(*inputs.damaged));
	inputs.shifts = array(most, sizeof(*inputs.shifts));
	inputs.shifted = array(most, sizeof(*inputs.shifted));
	inputs.open = array(most, sizeof(*inputs.open));
	if (common.input || !n)
		inputs.paths[inputs.count++] = common.input;
	for (int i = 0; i < n; i++)
		inputs.paths[inputs.count++] = strcmp(files[i], "-") ? files[i] : NULL;
	for (size_t i = 0, found = 0; i < inputs.count; i++)
		if (!inputs.paths[i] && found++)
			cli_misuse("standard input can be read once only");
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
	for (size_t i = 0; i < inputs.count; i++) {
		const char *path = inputs.paths[i] ? inputs.paths[i] : "-";

		if (strlen(path) != length || memcmp(path, value, length))
			continue;
		inputs.shifts[i] = negative ? -(int64_t)ns : (int64_t)ns;
		inputs.shifted[i] = true;
		found++;
	}
	if (!found)
		cli_misuse("--offset: '%.*s' is not an input", (int)length, value);
}

/* ---- the run ---- */

/* An input that is no stream is told and left out, as long as there are others. */
static void open_inputs(struct pp_merge *merge)
{
	for (size_t i = 0; i < inputs.count; i++) {
		struct pp_error error = { .code = PP_OK };

		if (!pp_merge_add(merge, inputs.paths[i], &error)) {
			if (inputs.shifted[i])
				pp_merge_shift(merge, inputs.opened, inputs.shifts[i]);
			inputs.open[inputs.opened++] = i;
			continue;
		}
		pp_error_fatal(&error, true);
		complain(i, &error);
		if (inputs.status >= EXIT_SYSTEM)
			break;
	}
}

static void report_input(const struct pp_merge *merge, size_t opened)
{
	const struct pp_stream *const stream = pp_merge_stream(merge, opened);
	const struct pp_rounds_stats *const rounds = pp_merge_rounds(merge, opened);
	const struct pp_merge_late *const late = pp_merge_late(merge, opened);
	const char *const name = name_of(inputs.open[opened]);

	if (inputs.damaged[inputs.open[opened]] > SHOWN)
		cli_say("%s: %" PRIu64 " damaged places in all", name, inputs.damaged[inputs.open[opened]]);
	if (stream->dropped)
		cli_say("%s: %" PRIu64 " record%s dropped: cannot be converted from the other "
			"byte order", name, stream->dropped, cli_plural(stream->dropped));
	if (stream->flags & PP_SEAL_DAMAGED)
		cli_say("%s: damaged before it came here", name);
	if ((stream->dropped || stream->flags & PP_SEAL_DAMAGED) && inputs.status < EXIT_DAMAGED)
		inputs.status = EXIT_DAMAGED;
	if (stream->rewritten)
		cli_warn("%s: a tool that does not know seals rewrote the stream: it is treated as "
			 "unsealed", name);
	if (stream->left_out)
		cli_warn("%s: %" PRIu64 " record%s of its writer's own format left out: too long "
			 "for a stream",
			 name, stream->left_out, cli_plural(stream->left_out));
	if (stream->orphans)
		cli_warn("%s: %" PRIu64 " sample%s whose id belongs to no event", name,
			 stream->orphans, cli_plural(stream->orphans));
	if (late->count)
		cli_warn("%s: %" PRIu64 " record%s came too late for its place, by up to %" PRIu64
			 ".%09" PRIu64 " s, after the input had been silent for longer than "
				       "--patience",
			 name, late->count, cli_plural(late->count), late->worst / 1000000000,
			 late->worst % 1000000000);
	else if (rounds && rounds->late)
		cli_warn("%s: %" PRIu64 " record%s came after later ones had been released, by up "
			 "to %" PRIu64 ".%09" PRIu64 " s", name, rounds->late,
			 cli_plural(rounds->late),
			 rounds->worst / 1000000000, rounds->worst % 1000000000);
	if (rounds && rounds->overflows)
		cli_warn("%s: too many records came without a round: the older half was released "
			 "early, %" PRIu64 " time%s", name, rounds->overflows,
			 cli_plural(rounds->overflows));
}

static void report(const struct pp_merge *merge)
{
	const struct pp_merge_stats *const stats = pp_merge_stats(merge);

	for (size_t i = 0; i < inputs.opened; i++)
		report_input(merge, i);
	if (stats->renamed)
		cli_note("%" PRIu64 " id%s renumbered: used by another event or host",
			 stats->renamed, cli_plural(stats->renamed));
	if (stats->tracepoints)
		cli_note("%" PRIu64 " tracepoint%s renumbered: the inputs disagree about their "
			 "numbers",
			 stats->tracepoints, cli_plural(stats->tracepoints));
	if (stats->identified)
		cli_note("samples were rewritten: the events have their ids in different places");
}

static void finish(struct pp_merge *merge, struct pp_writer *out)
{
	uint32_t flags = pp_merge_flags(merge);

	report(merge);
	if (inputs.status >= EXIT_DAMAGED)
		flags |= PP_SEAL_DAMAGED;
	if (pp_writer_end(out, flags, NULL) < 0)
		output_failed(pp_writer_os(out));
}

static void merge_all(struct pp_merge *merge, int fd)
{
	const enum pp_sealing sealing = common.seal ? PP_SEAL_YES :
					common.no_seal ? PP_SEAL_NO : PP_SEAL_AUTO;
	struct pp_writer *const out = pp_writer_open(fd, sealing);
	struct pp_error error = { .code = PP_OK };
	char text[512];

	if (!out)
		cli_no_memory();
	if (pp_merge_run(merge, out, &error) < 0) {
		if (pp_writer_os(out))
			output_failed(pp_writer_os(out));
		pp_error_text(&error, text, sizeof(text));
		/* which ones do not go together was told */
		if (error.code == PP_E_USE)
			cli_die(EXIT_MISUSE, "the recordings cannot be merged");
		cli_die(pp_error_status(&error), "%s", text);
	}
	finish(merge, out);
	pp_writer_close(out);
}

int main(int argc, char **argv)
{
	struct pp_merge_options how = { .size = sizeof(how), .damaged = on_damage, .say = on_remark };
	const int operand = cli_parse(&tool, argc, argv);
	struct progress progress = { .records = NULL };
	const struct pp_merge_stats *stats;
	struct pp_merge *merge;
	int fd;

	take_inputs(argc - operand, argv + operand);
	for (size_t i = 0; i < offsets.count; i++)
		take_offset(offsets.items[i]);
	if (!limit)
		cli_misuse("--size: nothing can be merged in 0 bytes");
	how.limit = limit;
	how.patience = patience;
	how.hosts = hosts;
	how.no_verify = common.no_verify;
	for (size_t i = 0; i < inputs.count; i++)
		if (!inputs.paths[i])
			cli_refuse_terminal_input(STDIN_FILENO);
	if (!common.output)
		cli_refuse_terminal(STDOUT_FILENO);
	merge = pp_merge_new(&how, NULL);
	if (!merge)
		cli_no_memory();
	stats = pp_merge_stats(merge);
	progress = (struct progress){ .records = &stats->records, .bytes = &stats->bytes,
				      .first = &stats->first_time, .last = &stats->last_time,
				      .samples = &stats->samples };
	progress_start(&progress);
	for (size_t i = 0; i < inputs.count; i++)
		outlive_interrupt(inputs.paths[i]);
	fd = output_open(common.output, false);
	cli_refuse_terminal(fd);
	open_inputs(merge);
	if (inputs.opened && inputs.status < EXIT_SYSTEM)
		merge_all(merge, fd);
	else
		inputs.opened = 0;
	progress_stop();
	pp_merge_free(merge);
	/* inputs that are no streams leave no output, and an older one as it was */
	output_close(inputs.opened ? inputs.status : EXIT_SYSTEM);
	return inputs.status;
}
