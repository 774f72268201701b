/* run_sink.c - the loop of every sink. */
#include "shared/sample_filter.h"
#include "shared/unwinding.h"

#include <sys/resource.h>

#include "cli/output.h"

/* What a function of the sink returned that is not about a record: true where the run goes on. */
static bool accepted(struct loop *loop, int result)
{
	if (result < 0)
		loop_fail(loop);
	return result >= 0;
}

/* Before a read that may block, and at the end. */
static bool flush(void *arg)
{
	struct loop *const loop = arg;
	struct run *const run = &loop->run;

	/* a process that unwinds writes what it read by itself */
	if (loop->inner)
		return true;
	if (loop->started && loop->sink->flush && !accepted(loop, loop->sink->flush(run)))
		return false;
	if (pp_out_flush(run->text) < 0)
		output_failed(run->text->os);
	return true;
}

/* ---- one record ---- */

static int next_piece(struct run *run, const void **piece, size_t *size)
{
	return run->rounds ? pp_rounds_tail(run->rounds, piece, size, &run->error) :
			     pp_reader_tail(run->in, piece, size, &run->error);
}

/* Hands the tail on; false where that ends the run. */
static bool show_tail(struct loop *loop, const struct pp_record *record)
{
	struct run *const run = &loop->run;
	const void *piece;
	size_t size;
	int got;

	while ((got = next_piece(run, &piece, &size)) > 0) {
		if (loop->sink->tail(run, piece, size) < 0 && !loop_survives(loop, record))
			return false;
	}
	if (got < 0)
		loop_report(loop, &run->error);
	return !got;
}

/* 0, 1 (the sink has enough), -1 (the run ends, for an error that is reported). */
static int show(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	int result;

	if (loop->refused || loop->failed)
		return -1;
	run->error.code = PP_OK;
	result = loop->sink->record(run, record);
	if (result > 0)
		return 1;
	if (result < 0 && !loop_survives(loop, record)) {
		loop->refused = pp_error_status(&run->error) == EXIT_MISUSE;
		loop->failed = true;
		return -1;
	}
	return record->tail && loop->sink->tail && !show_tail(loop, record) ? -1 : 0;
}

/* The same, in time order: what pp_rounds calls. */
static int show_in_order(void *arg, struct pp_record *record, struct pp_error *error)
{
	const int result = show(arg, record);

	if (result < 0)
		error->code = PP_OK;
	return result < 0 ? -1 : result ? PP_STOP : PP_DROP;
}

/* ---- all of them ---- */

/* A sample in user space has addresses there in its chain, if not a copy of the stack in place of them. */
static bool is_copy(const struct pp_record *record)
{
	struct pp_chain chain;
	uint64_t address;

	if (record->type != PP_REC_SAMPLE || !record->attr ||
	    !(record->attr->sample_type & PP_SAMPLE_STACK_USER) ||
	    (record->misc & PP_MISC_CPUMODE) != PP_MISC_USER)
		return false;
	return !pp_chain_open(&chain, record) || !pp_chain_next(&chain, &address);
}

static void remark_on_samples(const struct loop *loop)
{
	const struct run *const run = &loop->run;

	if (loop->sink->shares) {
		if (!loop->sink->judges_losses)
			advice_warn_of_loss(run->stream->name, run->samples, &loop->losses);
		advice_warn_of_nameless(run->stream->name, run->shown.all, run->shown.nameless,
					run->shown.unwound);
	}
	if (loop->copies)
		cli_warn("%s: stacks of an event that came late are not unwound here: pp-unwind makes call "
			 "chains of them", run->stream->name);
}

static int take(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	struct pp_error error;
	int result;

	if (loop->sink->chains && !loop->first && !loop->unwound && !run->stacks)
		loop->copies = loop->copies || is_copy(record);
	if (loop->sink->early && loop->sink->early(run, record) && !loop_survives(loop, record))
		return -1;
	if (!run->rounds)
		return show(loop, record);
	error.code = PP_OK;
	result = pp_rounds_put(run->rounds, record, &error);
	if (result >= 0)
		return result;
	run->error = error;
	return loop_survives(loop, record) ? 0 : -1;
}

static void open_sink_order(struct loop *loop)
{
	const struct sink *const sink = loop->sink;
	const struct pp_rounds_options options = {
		.size = sizeof(options),
		.order = PP_ROUNDS_TIME, .budget = sink->budget, .judge = show_in_order, .arg = loop,
		.limit = sink->budget ? sink->budget->limit : sink->limit,
	};

	if (sink->time_order)
		loop_open_rounds(loop, &options);
}

/* Goes on with what a process makes of the head and the rest: 1, 0, or -1, where the run ends. */
static int read_unwound(struct loop *loop, struct pp_record *record)
{
	const bool started = !unwinding_start(loop);

	head_free(&loop->head);
	if (started)
		return loop_next(loop, record);
	loop_fail(loop);
	loop->refused = true;
	return -1;
}

/*
 * Keeps what comes first, until it is known whether stacks follow that have to be unwound.  The first record
 * that is to be shown after what was kept: 1, 0 at the end, -1 where reading ends for an error.
 */
static int read_head(struct loop *loop, struct pp_record *record)
{
	int got, kept = 0;

	while (!kept && (got = loop_next(loop, record)) > 0 && record->type >= PP_USER_TYPES &&
	       !record->tail) {
		const bool due = unwinding_due(loop, record);

		kept = head_keep(&loop->head, record);
		if (kept < 0)
			cli_no_memory();
		if (due)
			return read_unwound(loop, record);
	}
	return kept ? loop_next(loop, record) : got;
}

/* Whether more is wanted. */
static bool show_head(struct loop *loop)
{
	bool more = true;

	for (size_t i = 0; i < loop->head.count && more; i++) {
		loop_count(loop, &loop->head.items[i]);
		more = !take(loop, &loop->head.items[i]);
	}
	head_free(&loop->head);
	return more;
}

/* As loop_take_batches(), of batches as a whole where the sink takes them. */
static int take_batches(struct loop *loop)
{
	struct run *const run = &loop->run;
	struct pp_batch batch;
	int result = 0;

	if (!loop->sink->batch)
		return loop_take_batches(loop, take);
	run->error.code = PP_OK;
	while (!result && pp_reader_batch(run->in, &batch)) {
		run->samples += batch.count;
		result = loop->sink->batch(run, &batch);
	}
	if (result)
		loop_fail(loop);
	return result;
}

/* Gives up starting processes, once it is known whether stacks have to be unwound: not for the first of two
 * streams, since the next may need one.  Whether the run goes on. */
static bool leave_forking(struct loop *loop)
{
	const struct sink *const sink = loop->sink;

	if (common.no_sandbox || !sink->asks || !sink->chains || loop->beside)
		return true;
	/* processes of its own make its output anew */
	if (sink->does & PP_STAGE_REMAKES)
		return true;
	loop->run.error.code = PP_OK;
	return accepted(loop, pp_sandbox_narrow(false, &loop->run.error));
}

static void show_records(struct loop *loop)
{
	struct pp_record record;
	int got = loop->sink->chains ? read_head(loop, &record) : loop_next(loop, &record);
	bool more;

	open_sink_order(loop);
	more = leave_forking(loop) && show_head(loop);
	for (; got > 0 && more; got = more ? loop_next(loop, &record) : 1) {
		loop_count(loop, &record);
		more = !take(loop, &record) && !take_batches(loop);
	}
	if (got || !more)
		unwinding_stop(loop);
	else if (loop->unwinding.pid)
		(void)unwinding_finish(loop);
	loop_end_rounds(loop);
}

/* Calls the sink for a whole stream, if that could be `opened`: else *error says why not.  False: the sink
 * saw nothing of one. */
static bool show_opened(struct loop *loop, bool opened, struct pp_error *error)
{
	const struct sink *const sink = loop->sink;
	struct run *const run = &loop->run;

	if (!opened && !(sink->judges && pp_error_status(error) == EXIT_DAMAGED)) {
		run->error = *error;
		loop_fail(loop);
		return false;
	}
	if (opened)
		pp_reader_tie_call(run->in, flush, loop);
	loop->started = !sink->start || accepted(loop, sink->start(run));
	if (!loop->started)
		return true;
	if (opened && shown_times_start(run, &loop->span)) {
		loop_fail(loop);
		loop->refused = true;
	} else if (opened) {
		show_records(loop);
		shown_times_end(run->stream->name, loop->span);
	} else {
		loop_report(loop, error);
	}
	run->error.code = PP_OK;
	run->shown.unwound = loop->unwound || loop->first;
	if (sink->end && !loop->refused)
		accepted(loop, sink->end(run));
	return true;
}

static bool show_stream(struct loop *loop)
{
	struct pp_error error;
	const bool opened = !loop_open_input(loop, loop->sink->raw, &error);

	return show_opened(loop, opened, &error);
}

int run_sink(const struct tool *tool, const struct sink *sink)
{
	struct loop loop = { .run = { .tool = tool, .arg = sink->arg }, .sink = sink,
			     .input = common.input };
	struct pp_out text;

	loop_open_output(&loop, false, true);
	if (pp_out_open(&text, loop.run.fd) < 0)
		cli_no_memory();
	loop.run.text = &text;
	if (show_stream(&loop)) {
		(void)flush(&loop);
		if (!sink->judges)
			loop_report_input(&loop, sink->late);
		remark_on_samples(&loop);
	}
	pp_out_close(&text);
	return loop_close(&loop, loop.started || sink->judges);
}

/* The streams that a run reads before its own. */
static struct { struct loop *items; size_t n, at; } others;

/* All are open at a time. */
static void permit_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

int run_open_other(struct run *run, const char *path, const struct sink *sink)
{
	struct loop *const items = cli_grow(others.items, others.n + 1, sizeof(*items));
	struct loop *const other = &items[others.n];
	struct pp_error error;

	others.items = items;
	if (!others.n)
		permit_files();
	*other = (struct loop){
		.run = { .tool = run->tool, .text = run->text, .fd = run->fd, .arg = sink->arg },
		.sink = sink, .input = path, .beside = true,
	};
	if (!loop_open_unread(other, &error)) {
		others.n++;
		return 0;
	}
	loop_report(other, &error);
	run->status = other->run.status;
	((struct loop *)run)->ended = true;
	return -1;
}

int run_other(struct run *run)
{
	struct loop *const other = &others.items[others.at++];
	struct pp_error error;
	const bool opened = !loop_begin_unread(other, &error);
	const bool shown = show_opened(other, opened, &error) && other->started;

	if (shown)
		loop_report_input(other, other->sink->late);
	if (shown)
		remark_on_samples(other);
	pp_rounds_close(other->run.rounds);
	loop_close_input(other);
	if (run->status < other->run.status)
		run->status = other->run.status;
	run->error.code = PP_OK;
	if (shown && other->run.status < EXIT_SYSTEM)
		return 0;
	((struct loop *)run)->ended = true;
	return -1;
}
