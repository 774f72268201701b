/* run_filter.c - the loop of every filter. */
#include "shared/run_loop.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

/* Waits for the first record: it shows whether the input is sealed. */
static void begin(struct loop *loop)
{
	struct run *const run = &loop->run;
	const bool made_here = loop->filter->source && strcmp(run->stream->container, "stream");

	if (loop->filter->foreign)
		pp_writer_foreign(run->out);
	if (pp_writer_header(run->out, run->stream->sealed || made_here, NULL) < 0)
		output_failed(pp_writer_os(run->out));
	if (loop->filter->as_read || (!loop->filter->judge && !loop->filter->admit))
		pp_writer_as_read(run->out, run->in);
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
	return loop_survives(loop, record) ? PP_DROP : -1;
}

/* The same, in time order: what pp_rounds calls.  The error is reported already. */
static int judge_in_order(void *arg, struct pp_record *record, struct pp_error *error)
{
	const int verdict = judge(arg, record);

	if (verdict < 0)
		*error = (struct pp_error){ .code = PP_OK };
	return verdict;
}

/* The same of samples that wait, as many as need not be judged one by one: what pp_rounds calls. */
static uint32_t judge_samples(void *arg, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	struct loop *const loop = arg;
	const uint32_t to = loop->filter->judge_batch(&loop->run, batch, from, keep);

	for (uint32_t i = from; i < to; i++)
		loop->run.kept += keep[i];
	return to;
}

static int judged(void *arg, struct pp_error *error)
{
	struct loop *const loop = arg;

	if (loop->filter->judged(&loop->run) >= 0)
		return 0;
	*error = loop->run.error;
	return -1;
}

static int round_due(void *arg, const struct pp_record *record, struct pp_error *error)
{
	struct loop *const loop = arg;
	const int verdict = loop->filter->round(&loop->run, record);

	if (verdict < 0)
		*error = loop->run.error;
	return verdict;
}

/* Gives a record to what holds it until its time, or to the output: 0, 1 (the stream ends here),
 * -1 and run->error, where that has a code. */
static int pass_on(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	int verdict;

	if (run->sorter)
		return pp_sorter_put(run->sorter, record, &run->error);
	if (run->rounds)
		return pp_rounds_put(run->rounds, record, &run->error);
	verdict = judge(loop, record);
	if (verdict == PP_KEEP)
		return pp_writer_pass(run->out, run->in, record, &run->error);
	if (verdict < 0)
		run->error.code = PP_OK;
	return verdict == PP_STOP ? 1 : verdict < 0 ? -1 : 0;
}

static int pass(struct loop *loop, struct pp_record *record)
{
	struct run *const run = &loop->run;
	const int verdict = loop->filter->admit ? loop->filter->admit(run, record) : PP_KEEP;
	int result;

	if (verdict < 0)
		return loop_survives(loop, record) ? 0 : -1;
	if (verdict != PP_KEEP)
		return verdict == PP_STOP;
	run->error.code = PP_OK;
	result = pass_on(loop, record);
	if (result < 0)
		loop_fail(loop);
	return result;
}

/* Whether samples may come many at a time: nothing has to see each as it comes. */
static bool takes_batches(const struct loop *loop)
{
	const struct filter *const filter = loop->filter;
	const struct run *const run = &loop->run;

	return (run->rounds || !filter->judge || filter->judge_batch || filter->take_batch) &&
	       (!filter->admit || filter->admits_samples) && !filter->foreign && !run->sorter;
}

/* Writes those samples of a batch that are kept, from number `i` on and before `to`: as many at once as
 * follow each other.  0 or -1. */
static int put_kept(struct run *run, const struct pp_batch *batch, uint32_t i, uint32_t to, const bool *keep)
{
	uint32_t from;

	while (i < to) {
		while (i < to && !keep[i])
			i++;
		from = i;
		while (i < to && keep[i])
			i++;
		run->kept += i - from;
		if (i > from && pp_writer_put(run->out, batch->data + batch->at[from],
					      batch->at[i] - batch->at[from], &run->error))
			return -1;
	}
	return 0;
}

/* Judges all samples of a batch, or until one is not passed on. */
static int pass_judged(struct loop *loop, const struct pp_batch *batch)
{
	struct run *const run = &loop->run;
	bool keep[PP_BATCH_MOST];
	uint32_t done = 0;
	int result = 0;

	while (!result && done < batch->count) {
		const uint32_t judged = loop->filter->judge_batch(run, batch, done, keep);
		struct pp_record record;

		result = put_kept(run, batch, done, judged, keep);
		done = judged;
		if (!result && judged < batch->count) {
			pp_batch_record(batch, done++, &record);
			result = pass_on(loop, &record);
		}
	}
	run->samples += done;
	if (done < batch->count)
		pp_reader_unbatch(run->in, batch, done);
	return result;
}

/* Has the samples of a batch wait for their time: as pass_on().  Those that it stopped before are still to
 * be read. */
static int hold_batch(struct run *run, const struct pp_batch *batch)
{
	uint32_t n = 0;
	const int result = pp_rounds_put_batch(run->rounds, batch, &n, &run->error);

	run->samples += n;
	if (n < batch->count)
		pp_reader_unbatch(run->in, batch, n);
	return result;
}

/* As pass_on() of each. */
static int pass_batch(struct loop *loop, const struct pp_batch *batch)
{
	struct run *const run = &loop->run;

	run->error.code = PP_OK;
	if (run->rounds)
		return hold_batch(run, batch);
	if (loop->filter->judge_batch)
		return pass_judged(loop, batch);
	run->samples += batch->count;
	if (loop->filter->take_batch)
		return loop->filter->take_batch(run, batch);
	return pp_writer_put(run->out, batch->data, batch->at[batch->count], &run->error);
}

/* Passes the samples that need no look at each: whether the run goes on. */
static bool pass_batches(struct loop *loop)
{
	struct pp_batch batch;
	int result = 0;

	while (!result && pp_reader_batch(loop->run.in, &batch))
		result = pass_batch(loop, &batch);
	if (result < 0)
		loop_fail(loop);
	return !result;
}

static void filter_records(struct loop *loop)
{
	struct run *const run = &loop->run;
	struct first_records *const head = &loop->head;
	const bool batches = takes_batches(loop);
	struct pp_record record;
	bool more = true;
	int got = head->count ? 1 : loop_next(loop, &record);

	begin(loop);
	if (loop->filter->start && loop->filter->start(run) < 0) {
		loop_fail(loop);
		return;
	}
	loop->started = true;
	for (size_t i = 0; i < head->count && more; i++) {
		loop_count(loop, &head->items[i]);
		more = !pass(loop, &head->items[i]);
	}
	if (head->count && more)
		got = loop_next(loop, &record);
	for (; got > 0 && more; got = more ? loop_next(loop, &record) : 0) {
		loop_count(loop, &record);
		more = !pass(loop, &record) &&
		       (batches ? pass_batches(loop) : !loop_take_batches(loop, pass));
	}
}

static void report_writer(struct run *run)
{
	const uint64_t dropped = pp_writer_dropped(run->out);

	if (!dropped)
		return;
	cli_say("%" PRIu64 " record%s dropped: cannot be converted to the other byte order", dropped,
		cli_plural(dropped));
	if (run->status < EXIT_DAMAGED)
		run->status = EXIT_DAMAGED;
}

/* Lets go of what is held and ends the stream as well as it can be ended. */
static void finish(struct loop *loop)
{
	struct run *const run = &loop->run;

	loop_end_rounds(loop);
	if (run->sorter && pp_sorter_end(run->sorter, &run->error) < 0)
		loop_fail(loop);
	if (!loop->filter->judge)
		run->kept = run->samples;
	run->error.code = PP_OK;
	if (loop->filter->end && loop->started && loop->filter->end(run) < 0)
		loop_fail(loop);
	loop_report_input(loop, loop->inner ? loop->late : ": pp-sort --all puts such a stream in order");
	report_writer(run);
	if (pp_writer_end(run->out, run_end_flags(run), NULL) < 0)
		output_failed(pp_writer_os(run->out));
}

static int look_ahead(struct run *run, const struct pp_record *record, void *arg)
{
	const struct filter *const filter = arg;

	return filter->look_ahead(run, record);
}

/* Shows look_ahead() all of the input.  0, or -1 and *error. */
static int read_ahead(struct loop *loop, struct pp_error *error)
{
	struct filter filter = *loop->filter;

	if (!filter.look_ahead || run_look_ahead(&loop->run, look_ahead, &filter) >= 0)
		return 0;
	*error = loop->run.error;
	return -1;
}

/* What holds the records until they are judged or written, if the filter wants that. */
static void open_filter_order(struct loop *loop)
{
	const struct filter *const filter = loop->filter;
	struct run *const run = &loop->run;
	const struct pp_rounds_options options = {
		.size = sizeof(options),
		.order = filter->sorted ? PP_ROUNDS_TIME : PP_ROUNDS_STREAM,
		.limit = filter->budget ? filter->budget->limit : filter->limit,
		.budget = filter->budget,
		.thrifty = filter->keeps,
		.every = filter->every,
		.judge = filter->judge ? judge_in_order : NULL,
		.judged = filter->judged ? judged : NULL,
		.round = filter->round ? round_due : NULL,
		.judge_samples = filter->judge_batch ? judge_samples : NULL,
		.in_order = filter->batch_in_order,
		.arg = loop,
	};

	if (filter->whole)
		run->sorter = pp_sorter_open(filter->whole, run->in, run->out, NULL);
	else if (filter->time_order || filter->sorted)
		loop_open_rounds(loop, &options);
	if (filter->whole && !run->sorter)
		cli_no_memory();
}

static void filter_stream(struct loop *loop, enum pp_sealing sealing)
{
	struct run *const run = &loop->run;

	run->out = pp_writer_open(run->fd, sealing);
	if (!run->out)
		cli_no_memory();
	pp_reader_tie(run->in, run->out);
	open_filter_order(loop);
	filter_records(loop);
	finish(loop);
}

int loop_filter(struct loop *loop)
{
	filter_stream(loop, PP_SEAL_NO);
	return loop->run.status;
}

int run_filter(const struct tool *tool, const struct filter *filter)
{
	struct loop loop = { .run = { .tool = tool, .arg = filter->arg }, .filter = filter,
			     .input = common.input };
	struct run *const run = &loop.run;
	struct pp_error error;

	loop_open_output(&loop, true, true);
	if (loop_open_input(&loop, filter->raw, &error) || read_ahead(&loop, &error)) {
		loop_report(&loop, &error);
		return loop_close(&loop, run->in);
	}
	filter_stream(&loop, run_sealing());
	return loop_close(&loop, true);
}
