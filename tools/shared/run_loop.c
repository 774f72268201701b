/* run_loop.c - the steps around the loop of a run, which filters, sinks and sources share. */
#include "shared/run_loop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/stage_signals.h"
#include "cli/output.h"

/* ---- errors ---- */

static const char *input_name(const struct loop *loop)
{
	if (loop->run.stream)
		return loop->run.stream->name;
	return loop->input ? loop->input : "standard input";
}

/* A failure that no error describes is a fault of these tools: it must not look like a good end. */
static void report_unsaid(struct loop *loop)
{
	cli_say("%s: internal error: something failed, and did not say why", input_name(loop));
	loop->ended = true;
	loop->run.status = EXIT_SYSTEM;
}

void loop_report(struct loop *loop, const struct pp_error *error)
{
	const struct sink *const sink = loop->sink;
	const bool damage = pp_error_status(error) == EXIT_DAMAGED;
	const bool judges = sink && sink->judges;

	if (!error->code) {
		report_unsaid(loop);
		return;
	}
	loop->ended |= pp_error_ends(error);
	/* where the process that wrote it failed, that is why it was cut */
	if (loop->unwinding.pid && damage && pp_error_ends(error) && !loop->ended_well(loop))
		return;
	if (loop->started && sink && sink->damaged && (!judges || damage))
		sink->damaged(&loop->run, error);
	if (judges && damage)
		return;
	if (!loop->source || !loop->source->say)
		report_error(&loop->report, input_name(loop), error, &loop->run.status);
	else if (report_counts(&loop->report, error, &loop->run.status))
		loop->source->say(&loop->run, error);
}

/* Whether an error without a code is one that was reported, by the run or by the tool. */
static bool is_said(const struct loop *loop)
{
	/* what was damaged before, and did not end the run, is no reason */
	const int before = loop->report.places ? EXIT_DAMAGED : EXIT_NO;

	return !loop->run.error.code && (loop->ended || loop->run.status > before);
}

bool loop_survives(struct loop *loop, const struct pp_record *record)
{
	struct run *const run = &loop->run;
	struct pp_error *const error = &run->error;

	if (run->out && pp_writer_os(run->out))
		output_failed(pp_writer_os(run->out));
	if (run->text && run->text->os)
		output_failed(run->text->os);
	if (!error->code) {
		if (!is_said(loop))
			report_unsaid(loop);
		return false;
	}
	if (error->output)
		output_failed(error->os);
	if (record && !error->located)
		pp_error_at(error, record->offset, record->index, record->type);
	loop_report(loop, error);
	return !pp_error_ends(error);
}

void loop_fail(struct loop *loop)
{
	pp_error_fatal(&loop->run.error, true);
	loop_survives(loop, NULL);
}

void run_report(struct run *run)
{
	loop_survives((struct loop *)run, NULL);
}

/* ---- opening ---- */

/* Has the progress line count what is read of a stream. */
static void watch(struct loop *loop, const struct pp_stream *stream)
{
	const struct filter *const filter = loop->filter;

	loop->progress = (struct progress){
		.records = &stream->records, .bytes = &stream->bytes,
		.first = &stream->first_time, .last = &stream->last_time,
		.samples = &loop->run.samples, .lost = &loop->lost,
		.kept = !filter ? NULL : filter->judge ? &loop->run.kept : &loop->run.samples,
	};
}

void loop_open_output(struct loop *loop, bool stream, bool reads)
{
	if (reads && !common.input)
		cli_refuse_terminal_input(STDIN_FILENO);
	if (stream && !common.output)
		cli_refuse_terminal(STDOUT_FILENO);
	progress_start(&loop->progress);
	if (reads)
		outlive_interrupt(common.input);
	loop->run.fd = output_open(common.output, false);
	if (stream) {
		cli_refuse_terminal(loop->run.fd);
		pp_enlarge_pipe(loop->run.fd);
	}
}

static int confine(unsigned does, const char *written, unsigned *holds, struct pp_error *error)
{
	char *const folder = does & PP_STAGE_REMAKES ? output_folder_again() : output_folder();
	const struct pp_sandbox_options options = {
		.size = sizeof(options), .does = does, .output = folder, .written = written,
	};
	int failed;

	tzset();               /* reads a file, and would when the first time is shown */
	failed = pp_sandbox_enter(&options, holds, error);
	free(folder);
	return failed;
}

int run_confine(struct run *run, unsigned does, const char *written)
{
	const struct loop *const loop = (struct loop *)run;
	unsigned holds = 0;

	if (common.no_sandbox)
		return 0;
	if (confine(does, written, &holds, &run->error))
		return -1;
	/* with -v, which means something else to other sinks */
	if (does & PP_STAGE_ASKS)
		report_reading(holds & PP_SANDBOX_CALLS, holds & PP_SANDBOX_FILES);
	else if (!loop->sink || loop->sink->asks)
		report_sandbox(holds);
	return 0;
}

void text_confine(bool threads)
{
	struct pp_error error;
	unsigned holds = 0;
	char text[512];

	if (common.no_sandbox)
		return;
	if (!confine(threads ? PP_STAGE_THREADS : 0, NULL, &holds, &error)) {
		report_sandbox(holds);
		return;
	}
	cli_error_text(&error, text, sizeof(text));
	cli_die(EXIT_SYSTEM, "%s", text);
}

int run_opened(void *run, int fd, struct pp_error *error)
{
	struct loop *const loop = run;
	const struct sink *const sink = loop->sink;
	const bool opens = (loop->filter && loop->filter->opens) || (sink && sink->opens);
	const bool asks = (loop->filter && loop->filter->asks) || (sink && sink->asks);
	const bool unwinds = asks && sink && sink->chains;
	const unsigned does = PP_STAGE_SPOOLS | (asks ? PP_STAGE_TALKS : 0) | (unwinds ? PP_STAGE_FORKS : 0) |
			      (sink && sink->threads ? PP_STAGE_THREADS : 0) | (sink ? sink->does : 0);

	pp_enlarge_pipe(fd);
	loop->run.error.code = PP_OK;
	/* what has to wait is put aside, and so is a file that is wrapped, or comes through a pipe */
	if ((!sink || !sink->opened || !sink->opened(&loop->run)) &&
	    (opens || !run_confine(&loop->run, does, NULL)))
		return 0;
	*error = loop->run.error;
	return -1;
}

static void note_opened(struct loop *loop)
{
	const struct pp_stream *const stream = pp_reader_stream(loop->run.in);

	loop->run.stream = stream;
	if (stream->spooled)
		cli_note("%s: copied to a temporary file, since it is a %s", stream->name, stream->container);
	watch(loop, stream);
}

int loop_open_input(struct loop *loop, bool raw, struct pp_error *error)
{
	const struct pp_reader_options options = {
		.size = sizeof(options), .raw = raw, .no_verify = common.no_verify,
		.opened = run_opened, .arg = &loop->run,
	};

	*error = (struct pp_error){ .code = PP_OK };
	loop->run.in = pp_reader_open(loop->input, &options, error);
	if (!loop->run.in)
		return pp_error_fatal(error, true);
	note_opened(loop);
	return 0;
}

int loop_open_unread(struct loop *loop, struct pp_error *error)
{
	const struct pp_reader_options options = {
		.size = sizeof(options), .no_verify = common.no_verify, .unread = true,
	};

	*error = (struct pp_error){ .code = PP_OK };
	loop->run.in = pp_reader_open(loop->input, &options, error);
	return loop->run.in ? 0 : pp_error_fatal(error, true);
}

int loop_begin_unread(struct loop *loop, struct pp_error *error)
{
	*error = (struct pp_error){ .code = PP_OK };
	if (!pp_reader_begin(loop->run.in, error)) {
		note_opened(loop);
		return 0;
	}
	pp_reader_close(loop->run.in);
	loop->run.in = NULL;
	return -1;
}

void loop_read_from(struct loop *loop, struct pp_reader *in)
{
	loop->run.in = in;
	loop->run.stream = pp_reader_stream(in);
	watch(loop, loop->run.stream);
}

/* 1, 0, or -1 and run->error: as run_look_ahead(), of what was opened for it. */
static int look_at_all(struct run *run, struct pp_reader *in,
		       int (*look)(struct run *, const struct pp_record *, void *), void *arg)
{
	struct pp_record record;
	int got, result;

	while ((got = pp_reader_next(in, &record, &run->error)) != 0) {
		result = got > 0 ? look(run, &record, arg) : 0;
		if (result)
			return result;
		if (got < 0 && pp_error_status(&run->error) != EXIT_DAMAGED)
			return -1;
		if (got < 0 && run->error.fatal)
			break;
	}
	return 0;
}

int run_look_ahead(struct run *run, int (*look)(struct run *, const struct pp_record *, void *), void *arg)
{
	struct loop *const loop = (struct loop *)run;
	const struct pp_reader_options options = {
		.size = sizeof(options), .raw = loop->filter ? loop->filter->raw : loop->sink->raw,
		.no_verify = true,
	};
	struct pp_reader *in;
	int result;

	run->error.code = PP_OK;
	in = pp_reader_beside(loop->first ? loop->first : run->in, &options, &run->error);
	if (!in)
		return -1;
	watch(loop, pp_reader_stream(in));
	result = look_at_all(run, in, look, arg);
	watch(loop, run->stream);
	pp_reader_close(in);
	return result;
}

/* ---- reading ---- */

int loop_next_after(struct loop *loop, struct pp_record *record, struct pp_error *error)
{
	const struct run *const run = &loop->run;
	int got = -1;

	while (got < 0) {
		/* what failed may be the flush that the reader is tied to */
		if (run->out && pp_writer_os(run->out))
			output_failed(pp_writer_os(run->out));
		/* or a flush of a sink, which was reported */
		if (loop->ended)
			return -1;
		loop_report(loop, error);
		if (pp_error_ends(error))
			return -1;
		error->code = PP_OK;
		got = pp_reader_next(run->in, record, error);
	}
	return got;
}

void loop_count_lost(struct loop *loop, const struct pp_record *record)
{
	if (!pp_type_is(record->type, PP_LOSES))
		return;
	advice_count_lost(&loop->losses, record);
	loop->lost = advice_lost(&loop->losses);
}

/* ---- order ---- */

void loop_open_rounds(struct loop *loop, const struct pp_rounds_options *options)
{
	loop->run.rounds = pp_rounds_open(options, loop->run.in, loop->run.out, NULL);
	if (!loop->run.rounds)
		cli_no_memory();
}

void loop_end_rounds(struct loop *loop)
{
	struct run *const run = &loop->run;

	run->error.code = PP_OK;
	if (run->rounds && pp_rounds_end(run->rounds, &run->error) < 0)
		loop_fail(loop);
}

/* ---- the end ---- */

enum pp_sealing run_sealing(void)
{
	return common.seal ? PP_SEAL_YES : common.no_seal ? PP_SEAL_NO : PP_SEAL_AUTO;
}

uint32_t run_end_flags(const struct run *run)
{
	const bool damaged = run->status >= EXIT_DAMAGED;

	return pp_stream_end_flags(run->stream) | (damaged ? PP_SEAL_DAMAGED : 0);
}

void loop_report_input(struct loop *loop, const char *late)
{
	struct run *const run = &loop->run;
	const char *const name = run->stream->name;

	/* the process that reads it does */
	if (loop->first)
		return;
	report_damage(&loop->report, name);
	if (!run->keeps_long)
		pp_say_long_features(&message_says, run->stream);
	report_stream(name, run->stream, &run->status);
	if (run->rounds)
		pp_say_rounds(&message_says, name, pp_rounds_stats(run->rounds), late ? late : "");
}

void loop_close_input(struct loop *loop)
{
	pp_reader_close(loop->run.in);
	pp_reader_close(loop->first);
	pp_time_span_free(loop->span);
}

int loop_close(struct loop *loop, bool begun)
{
	const int status = loop->run.status;

	progress_stop();
	pp_rounds_close(loop->run.rounds);
	pp_sorter_close(loop->run.sorter);
	pp_writer_close(loop->run.out);
	loop_close_input(loop);
	/* An input that is no stream leaves no output, and an older one as it was. */
	output_close(begun ? status : EXIT_SYSTEM);
	return status;
}
