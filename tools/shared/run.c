/* run.c - the loop of every filter and every sink; what one record means is left to the tool. */
#include "shared/run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "shared/interrupt.h"
#include "shared/output.h"
#include "shared/progress.h"

enum {
	SHOWN = 10,		/* damaged places that are told in full */
};

/* A run, and what the tool need not see of it. */
struct loop {
	struct run run;		/* first: a struct run * of a tool's function leads back here */
	const struct filter *filter;
	const struct sink *sink;
	struct pp_out text;
	struct progress progress;
	uint64_t lost;		/* as the LOST records say */
	uint64_t damaged;	/* places */
	bool started;		/* the tool's start() went well: its other functions may be called */
	bool flush_failed;
};

/* ---- messages ---- */

static const char *input_name(const struct loop *loop)
{
	if (loop->run.stream)
		return loop->run.stream->name;
	return common.input ? common.input : "standard input";
}

/* Says what an error is, unless there were many, and remembers the exit status. */
static void report(struct loop *loop, const struct pp_error *error)
{
	const int status = pp_error_status(error);
	const bool judges = loop->sink && loop->sink->judges;
	char text[512];

	if (loop->started && loop->sink && loop->sink->damaged && (!judges || status == EXIT_DAMAGED))
		loop->sink->damaged(&loop->run, error);
	if (judges && status == EXIT_DAMAGED)
		return;
	if (loop->run.status < status)
		loop->run.status = status;
	loop->damaged += status == EXIT_DAMAGED;
	if (loop->damaged > SHOWN && !pp_error_ends(error))
		return;
	pp_error_text(error, text, sizeof(text));
	cli_say("%s: %s", input_name(loop), text);
}

/* What a tool's function had to say about a record; true where the run goes on. */
static bool survives(struct loop *loop, const struct pp_record *record)
{
	struct pp_error *const error = &loop->run.error;

	if (record && !error->located)
		pp_error_at(error, record->offset, record->index, record->type);
	if (!record)
		pp_error_fatal(error, true);
	report(loop, error);
	return !pp_error_ends(error);
}

/* ---- opening ---- */

static void watch_progress(struct loop *loop)
{
	const struct pp_stream *const stream = loop->run.stream;
	const struct filter *const filter = loop->filter;

	loop->progress = (struct progress){
		.records = &stream->records, .bytes = &stream->bytes,
		.first = &stream->first_time, .last = &stream->last_time,
		.samples = &loop->run.samples, .lost = &loop->lost,
		.kept = !filter ? NULL : filter->judge ? &loop->run.kept : &loop->run.samples,
	};
}

/* The output is opened first: what cannot be written is known before anything is waited for. */
static int open_output(struct loop *loop)
{
	int fd;

	if (!common.input)
		cli_refuse_terminal_input(STDIN_FILENO);
	if (loop->filter && !common.output)
		cli_refuse_terminal(STDOUT_FILENO);
	progress_start(&loop->progress);
	outlive_interrupt(common.input);
	fd = output_open(common.output, false);
	if (loop->filter)
		cli_refuse_terminal(fd);
	return fd;
}

/* 0, or -1 and *error, which is not told yet. */
static int open_input(struct loop *loop, bool raw, struct pp_error *error)
{
	const struct pp_reader_options options = {
		.size = sizeof(options),
		.raw = raw, .twice = loop->filter && loop->filter->look_ahead,
		/* what is read twice is verified the second time */
		.no_verify = common.no_verify || (loop->filter && loop->filter->look_ahead),
	};

	*error = (struct pp_error){ .code = PP_OK };
	loop->run.in = pp_reader_open(common.input, &options, error);
	if (!loop->run.in) {
		return pp_error_fatal(error, true);
	}
	loop->run.stream = pp_reader_stream(loop->run.in);
	if (loop->run.stream->spooled)
		cli_note("%s: copied to a temporary file, since it is a %s", loop->run.stream->name,
			 loop->run.stream->container);
	watch_progress(loop);
	return 0;
}

/* Reads a record; 1, 0 at the end, -1 where reading ends for an error.  Damage is passed over. */
static int next(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	struct pp_error error;        /* not cleared: it is large, and this is the hot path */
	int got;

	error.code = PP_OK;
	while ((got = pp_reader_next(run->in, record, &error)) < 0) {
		if (loop->flush_failed || (run->out && pp_writer_os(run->out)))
			return -1;	/* what failed is the flush that it is tied to */
		report(loop, &error);
		if (pp_error_ends(&error))
			return -1;
		error.code = PP_OK;
	}
	return got;
}

static void count(struct loop *loop, const struct pp_record *record)
{
	uint64_t lost;

	if (record->type == PP_REC_SAMPLE)
		loop->run.samples++;
	else if (pp_type_is(record->type, PP_LOSES) &&
		 pp_find_u64(record, PP_IS_LOST, &lost))
		loop->lost += lost;
}

/* ---- what is said at the end ---- */

static void report_stream(struct loop *loop)
{
	const struct pp_stream *const stream = loop->run.stream;
	const char *const name = stream->name;

	if (loop->damaged > SHOWN)
		cli_say("%s: %" PRIu64 " damaged places in all", name, loop->damaged);
	if (stream->dropped)
		cli_say("%s: %" PRIu64 " record%s dropped: cannot be converted from the other "
			 "byte order", name, stream->dropped, cli_plural(stream->dropped));
	if (stream->flags & PP_SEAL_DAMAGED)
		cli_say("%s: damaged before it came here", name);
	if ((stream->dropped || stream->flags & PP_SEAL_DAMAGED) &&
	    loop->run.status < EXIT_DAMAGED)
		loop->run.status = EXIT_DAMAGED;
	if (stream->rewritten)
		cli_warn("%s: a tool that does not know seals rewrote the stream: it is treated as "
			 "unsealed", name);
	if (stream->features_left_out)
		cli_warn("%s: %" PRIu32 " feature%s left out, too long for a record", name,
			 stream->features_left_out, cli_plural(stream->features_left_out));
	if (stream->left_out)
		cli_warn("%s: %" PRIu64 " record%s of its writer's own format left out: too long "
			 "for a stream",
			 name, stream->left_out, cli_plural(stream->left_out));
	if (stream->orphans)
		cli_warn("%s: %" PRIu64 " sample%s whose id belongs to no event", name,
			 stream->orphans, cli_plural(stream->orphans));
}

static void report_rounds(struct loop *loop)
{
	const struct pp_rounds_stats *const stats = pp_rounds_stats(loop->run.rounds);
	const char *const name = loop->run.stream->name;

	if (stats->late)
		cli_warn("%s: %" PRIu64 " record%s came after later ones had been released, by up "
			 "to %" PRIu64 ".%09" PRIu64 " s: pp-sort --all puts such a stream "
			 "in order",
			 name, stats->late, cli_plural(stats->late), stats->worst / 1000000000,
			 stats->worst % 1000000000);
	if (stats->overflows)
		cli_warn("%s: too many records came without a round: the older half was released "
			 "early, %" PRIu64 " time%s", name, stats->overflows,
			 cli_plural(stats->overflows));
}

static void report_writer(struct loop *loop)
{
	const uint64_t dropped = pp_writer_dropped(loop->run.out);

	if (!dropped)
		return;
	cli_say("%" PRIu64 " record%s dropped: cannot be converted to the other byte order", dropped,
		 cli_plural(dropped));
	if (loop->run.status < EXIT_DAMAGED)
		loop->run.status = EXIT_DAMAGED;
}

/* ---- filters ---- */

/* Waits for the first record: it tells whether the input is sealed. */
static void begin(struct loop *loop)
{
	struct run *const run = &loop->run;
	const bool made_here = loop->filter->source && strcmp(run->stream->container, "stream");

	if (loop->filter->foreign)
		pp_writer_foreign(run->out);
	if (pp_writer_header(run->out, run->stream->sealed || made_here, NULL) < 0)
		output_failed(pp_writer_os(run->out));
}

static int judge(struct loop *loop, struct pp_record *record)
{
	const struct filter *const filter = loop->filter;
	int verdict = PP_KEEP;

	loop->run.error.code = PP_OK;
	if (filter->judge)
		verdict = filter->judge(&loop->run, record);
	if (verdict == PP_KEEP && record->type == PP_REC_SAMPLE)
		loop->run.kept++;
	if (verdict >= 0)
		return verdict;
	if (pp_writer_os(loop->run.out))
		return -1;
	return survives(loop, record) ? PP_DROP : -1;
}

/* The same, in time order: what pp_rounds calls.  The error is told already. */
static int judge_in_order(void *arg, struct pp_record *record, struct pp_error *error)
{
	const int verdict = judge(arg, record);

	if (verdict < 0)
		*error = (struct pp_error){ .code = PP_OK };
	return verdict;
}

/* 1: the stream ends here; -1: it ends for an error, told already unless it is the writer's. */
static int pass(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	struct pp_error error;        /* not cleared: it is large, and this is the hot path */
	int verdict;

	error.code = PP_OK;
	if (loop->filter->admit) {
		verdict = loop->filter->admit(run, record);
		if (verdict != PP_KEEP)
			return verdict == PP_STOP;
	}
	if (run->sorter) {
		if (!pp_sorter_put(run->sorter, record, &error))
			return 0;
	} else if (run->rounds) {
		const int stop = pp_rounds_put(run->rounds, record, &error);

		if (stop >= 0)
			return stop;
	} else {
		verdict = judge(loop, record);
		if (verdict != PP_KEEP)
			return verdict == PP_STOP ? 1 : verdict < 0 ? -1 : 0;
		if (!pp_writer_pass(run->out, run->in, record, &error))
			return 0;
	}
	if (error.code && !pp_writer_os(run->out))
		report(loop, &error);
	return -1;
}

static int filter_records(struct loop *loop)
{
	struct run *const run = &loop->run;
	struct pp_record record;
	int got = next(loop, &record);

	begin(loop);
	if (loop->filter->start && loop->filter->start(run) < 0) {
		if (!pp_writer_os(run->out))
			survives(loop, NULL);
		return -1;
	}
	loop->started = true;
	for (; got > 0; got = next(loop, &record)) {
		count(loop, &record);
		got = pass(loop, &record);
		if (got)
			break;
	}
	return got;
}

/* The flags of our END: what the stages before knew, and what was met here. */
static uint32_t end_flags(const struct loop *loop)
{
	return pp_stream_end_flags(loop->run.stream) |
	       (loop->run.status >= EXIT_DAMAGED ? PP_SEAL_DAMAGED : 0);
}

/* Lets go of what is held and ends the stream as well as it can be ended. */
static void finish_filter(struct loop *loop)
{
	struct run *const run = &loop->run;
	struct pp_error error = { .code = PP_OK };

	if (run->rounds && !pp_writer_os(run->out) && pp_rounds_end(run->rounds, &error) < 0 &&
	    error.code && !pp_writer_os(run->out))
		report(loop, &error);
	if (run->sorter && !pp_writer_os(run->out) && pp_sorter_end(run->sorter, &error) < 0 &&
	    !pp_writer_os(run->out))
		report(loop, &error);
	if (!loop->filter->judge)
		run->kept = run->samples;
	run->error.code = PP_OK;
	if (loop->filter->end && loop->started && !pp_writer_os(run->out) &&
	    loop->filter->end(run) < 0 && !pp_writer_os(run->out))
		survives(loop, NULL);
	report_stream(loop);
	if (run->rounds)
		report_rounds(loop);
	report_writer(loop);
	if (pp_writer_end(run->out, end_flags(loop), NULL) < 0)
		output_failed(pp_writer_os(run->out));
}

/* Reads all of the input for look_ahead(), then has it begin again.  0, or -1 and *error. */
static int read_ahead(struct loop *loop, struct pp_error *error)
{
	const struct pp_reader_options options = {
		.size = sizeof(options),
		.raw = loop->filter->raw, .no_verify = common.no_verify,
	};
	struct run *const run = &loop->run;
	struct pp_record record;
	int got;

	while ((got = pp_reader_next(run->in, &record, error)) != 0) {
		if (got > 0 && loop->filter->look_ahead(run, &record) < 0) {
			*error = run->error;
			return -1;
		}
		if (got < 0 && pp_error_status(error) != EXIT_DAMAGED)
			return -1;
		if (got < 0 && error->fatal)
			break;
	}
	loop->progress = (struct progress){ .records = NULL };	/* it looks at what goes away now */
	run->in = pp_reader_again(run->in, &options, error);
	if (!run->in) {
		run->stream = NULL;
		return -1;
	}
	run->stream = pp_reader_stream(run->in);
	watch_progress(loop);
	return 0;
}

static void open_rounds(struct loop *loop)
{
	const struct filter *const filter = loop->filter;
	const struct pp_rounds_options options = {
		.size = sizeof(options),
		.order = filter->sorted ? PP_ROUNDS_TIME : PP_ROUNDS_STREAM,
		.limit = filter->budget ? filter->budget->limit : filter->limit,
		.budget = filter->budget,
		.thrifty = filter->keeps,
		.every = filter->every,
		.judge = filter->judge ? judge_in_order : NULL,
		.arg = loop,
	};

	loop->run.rounds = pp_rounds_open(&options, loop->run.in, loop->run.out, NULL);
	if (!loop->run.rounds)
		cli_no_memory();
}

static void open_sorter(struct loop *loop)
{
	loop->run.sorter = pp_sorter_open(loop->filter->whole, loop->run.in, loop->run.out, NULL);
	if (!loop->run.sorter)
		cli_no_memory();
}

static int close_run(struct loop *loop)
{
	const int status = loop->run.status;
	const bool judges = loop->sink && loop->sink->judges;

	progress_stop();
	pp_rounds_close(loop->run.rounds);
	pp_sorter_close(loop->run.sorter);
	pp_writer_close(loop->run.out);
	pp_reader_close(loop->run.in);
	/* An input that is no stream leaves no output, and an older one as it was. */
	output_close(loop->run.in || judges ? status : EXIT_SYSTEM);
	return status;
}

int run_filter(const struct tool *tool, const struct filter *filter)
{
	struct loop loop = { .run = { .tool = tool, .arg = filter->arg }, .filter = filter };
	const enum pp_sealing sealing = common.seal ? PP_SEAL_YES :
					common.no_seal ? PP_SEAL_NO : PP_SEAL_AUTO;
	const int fd = open_output(&loop);
	struct pp_error error;

	if (open_input(&loop, filter->raw, &error) ||
	    (filter->look_ahead && read_ahead(&loop, &error))) {
		report(&loop, &error);
		return close_run(&loop);
	}
	loop.run.out = pp_writer_open(fd, sealing);
	if (!loop.run.out)
		cli_no_memory();
	pp_reader_tie(loop.run.in, loop.run.out);
	if (filter->whole)
		open_sorter(&loop);
	else if (filter->time_order || filter->sorted)
		open_rounds(&loop);
	filter_records(&loop);
	finish_filter(&loop);
	return close_run(&loop);
}

/* ---- sinks ---- */

static int flush_sink(void *arg)
{
	struct loop *const loop = arg;

	if (loop->started && loop->sink->flush && loop->sink->flush(loop->run.arg) < 0)
		loop->flush_failed = true;
	else if (pp_out_flush(&loop->text) < 0)
		loop->flush_failed = true;
	return loop->flush_failed ? -1 : 0;
}

/* What a sink's function returned: true where the run goes on. */
static bool accepted(struct loop *loop, int result, const struct pp_record *record)
{
	if (result >= 0)
		return true;
	if (loop->text.os)
		output_failed(loop->text.os);
	if (loop->run.error.output)
		output_failed(loop->run.error.os);
	return survives(loop, record);
}

/* Hands the tail on; false where reading it ends the run. */
static bool sink_tail(struct loop *loop, const struct pp_record *record)
{
	struct pp_error error = { .code = PP_OK };
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(loop->run.in, &piece, &size, &error)) > 0) {
		if (!accepted(loop, loop->sink->tail(&loop->run, piece, size), record))
			return false;
	}
	if (!got)
		return true;
	if (!loop->flush_failed)
		report(loop, &error);
	return false;
}

static void sink_records(struct loop *loop)
{
	struct run *const run = &loop->run;
	struct pp_record record;

	while (next(loop, &record) > 0) {
		int result;

		if (loop->flush_failed)
			break;
		count(loop, &record);
		run->error.code = PP_OK;
		result = loop->sink->record(run, &record);
		if (!accepted(loop, result, &record) || result > 0)
			break;
		if (record.tail && loop->sink->tail && !sink_tail(loop, &record))
			break;
	}
}

/* Calls the sink for a whole stream; false where there is none, or no room for it. */
static bool sink_stream(struct loop *loop)
{
	const struct sink *const sink = loop->sink;
	struct pp_error error;
	const bool opened = !open_input(loop, sink->raw, &error);

	if (!opened && !(sink->judges && pp_error_status(&error) == EXIT_DAMAGED)) {
		report(loop, &error);
		return false;
	}
	if (opened)
		pp_reader_tie_call(loop->run.in, flush_sink, loop);
	loop->started = !sink->start || accepted(loop, sink->start(&loop->run), NULL);
	if (!loop->started)
		return true;
	if (opened)
		sink_records(loop);
	else
		report(loop, &error);
	loop->run.error.code = PP_OK;
	if (!loop->flush_failed && sink->end)
		accepted(loop, sink->end(&loop->run), NULL);
	return true;
}

int run_sink(const struct tool *tool, const struct sink *sink)
{
	struct loop loop = { .run = { .tool = tool, .arg = sink->arg }, .sink = sink };

	if (pp_out_open(&loop.text, open_output(&loop)) < 0)
		cli_no_memory();
	loop.run.text = &loop.text;
	if (sink_stream(&loop)) {
		if (flush_sink(&loop) < 0)
			output_failed(loop.text.os ? loop.text.os : errno);
		if (!sink->judges)
			report_stream(&loop);
	}
	pp_out_close(&loop.text);
	return close_run(&loop);
}
