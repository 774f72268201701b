/* pp-save.c - writes a stream to a perf.data file. */
#include "shared/run.h"

#include <inttypes.h>
#include <sys/stat.h>

static struct pp_save *save;
static int level;                     /* 0: not compressed */

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-save web.pipe -o perf.data", "store a stream as a file"),
	OPT_EXAMPLE("pp-record -a -- sleep 10 | pp-save -o perf.data",
		    "record into a file, as perf record does"),
	OPT_GROUP("Common options"),
	OPT_INPUT,
	OPT_STRING('o', "output", "FILE", &common.output, "write the recording to FILE; required"),
	OPT_COMPRESS(&level, cli_zstd_level),
	OPT_VERBOSE("report what the file holds, and what could not be stored in it"),
	OPT_QUIET,
	OPT_PROGRESS,
	OPT_NO_VERIFY,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-save",
	.summary = "Write a stream to a perf.data file",
	.purpose = "For what needs a file and reads no stream, such as perf sched, perf c2c and "
		   "perf report --time 10%-20%.",
	.operands = "[FILE]",
	.options = options,
};

/* One that is damaged is left out, as it would be from a stream. */
static int save_long_features(struct run *run)
{
	run->keeps_long = true;
	for (size_t i = 0; i < run->stream->n_long_features; i++)
		if (pp_save_record(save, &run->stream->long_features[i], &run->error) &&
		    pp_error_ends(&run->error))
			return -1;
	return 0;
}

static int start(struct run *run)
{
	struct pp_error error = { .code = PP_OK };
	char text[256];

	save = pp_save_open(run->text->fd, &error);
	if (save && (!level || !pp_save_compress(save, level, &error)))
		return save_long_features(run);
	cli_error_text(&error, text, sizeof(text));
	if (pp_error_status(&error) == EXIT_MISUSE)
		cli_misuse("cannot write %s: %s", common.output, text);
	cli_die(EXIT_SYSTEM, "%s", text);
}

static int record(struct run *run, struct pp_record *rec)
{
	return pp_save_record(save, rec, &run->error);
}

static int tail(struct run *run, const void *piece, size_t size)
{
	return pp_save_tail(save, piece, size, &run->error);
}

static int flush(struct run *run)
{
	return pp_save_flush(save, &run->error);
}

static void tell_left_out(const char *name, const struct pp_save_stats *stats)
{
	if (stats->tracing_dropped)
		cli_warn("%s: %" PRIu64 " record%s of tracing data left out: there is room for "
			 "one, of at most 64 MiB where it follows other records", name,
			 stats->tracing_dropped, cli_plural(stats->tracing_dropped));
	if (stats->features_dropped)
		cli_warn("%s: %" PRIu64 " feature%s left out: a file has no place for such numbers",
			 name, stats->features_dropped, cli_plural(stats->features_dropped));
	if (stats->build_ids_dropped)
		cli_warn("%s: %" PRIu64 " build-id%s left out: there are too many", name,
			 stats->build_ids_dropped, cli_plural(stats->build_ids_dropped));
	if (stats->aux_dropped)
		cli_warn("%s: no index of AUX traces: there are too many", name);
	if (stats->notes_dropped)
		cli_warn("%s: %" PRIu64 " record%s of notes left out: there is room for 4 MiB", name,
			 stats->notes_dropped, cli_plural(stats->notes_dropped));
}

static int end(struct run *run)
{
	const struct pp_save_stats *const stats = pp_save_stats(save);
	const char *const name = common.output;

	pp_save_flags(save, run_end_flags(run));
	if (pp_save_end(save, &run->error))
		return -1;
	tell_left_out(name, stats);
	if (stats->unlike)
		cli_warn("%s: perf will not read it: its events have their ids at different places",
			 name);
	cli_note("%s: %" PRIu32 " event%s, %" PRIu64 " bytes of data, %" PRIu32 " feature%s, %"
		 PRIu32 " build-id%s, %" PRIu32 " piece%s of AUX trace", name, stats->events,
		 cli_plural(stats->events), stats->data, stats->features, cli_plural(stats->features),
		 stats->build_ids, cli_plural(stats->build_ids), stats->aux, cli_plural(stats->aux));
	return 0;
}

/* Before anything is waited for: opening a pipe would wait for its reader. */
static void refuse_pipe(const char *path)
{
	struct stat status;

	if (!path)
		cli_misuse("name the file to write with --output: a perf.data file cannot be "
			   "written to a pipe");
	if (!stat(path, &status) && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
		cli_misuse("cannot write %s: a perf.data file cannot be written to a pipe", path);
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = record, .tail = tail, .end = end, .flush = flush,
	};
	int status;

	cli_parse(&tool, argc, argv);
	refuse_pipe(common.output);
	status = run_sink(&tool, &sink);
	pp_save_close(save);
	return status;
}
