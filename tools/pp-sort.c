/*
 * pp-sort - put the records of a stream in the order of their times.
 *
 * What sorts is libpipe's rounds; here is only what is said about it, and --check.
 */
#include <inttypes.h>

#include "progress.h"
#include "run.h"

static uint64_t limit = UINT64_C(256) << 20;
static bool check;

static const struct option_spec options[] = {
	OPT_SIZE('S', "size", "SIZE", &limit,
		 "hold at most SIZE bytes where rounds are missing or larger (default 256M)"),
	OPT_SWITCH(0, "check", &check,
		   "write nothing, only tell whether the records are in order"),
	OPT_COMMON_FILTER,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-sort",
	.summary = "Put the records of a stream in the order of their times",
	.operands = "",
	.options = options,
	.status = "Exit status: 0 done, or in order; 1 not in order (--check); 2 misuse; 3 the "
		  "input is damaged, cut or altered; 4 the system said no.",
};

/* ---- sorting ---- */

static int summarize(struct run *run)
{
	const struct pp_rounds_stats *const stats = pp_rounds_stats(run->rounds);

	cli_note("%s: %" PRIu64 " records stood behind later ones, in %" PRIu64
		 " rounds; at most %" PRIu64 " bytes were held",
		 run->stream->name, stats->disorder, stats->rounds, stats->largest);
	return 0;
}

/* ---- --check ---- */

static struct {
	uint64_t time, index;	/* of the latest record so far */
	uint64_t count, worst;	/* records before it, and by how much */
} order;

static void report_disorder(const struct run *run, const struct pp_record *record, uint64_t time)
{
	const uint64_t second = 1000000000;
	char type[24];

	progress_clear();
	cli_warn("%s: record %" PRIu64 " at byte %" PRIu64 " (%s): its time %" PRIu64 ".%09" PRIu64
		 " is before %" PRIu64 ".%09" PRIu64 " of record %" PRIu64, run->stream->name,
		 record->index, record->offset, pp_type_name(record->type, type), time / second,
		 time % second, order.time / second, order.time % second, order.index);
}

/* The first record out of order says all that was asked; with --verbose they are counted. */
static int check_record(struct run *run, struct pp_record *record)
{
	uint64_t time;

	if (!pp_time(record, &time))
		return 0;
	if (time >= order.time) {
		order.time = time;
		order.index = record->index;
		return 0;
	}
	if (!order.count++)
		report_disorder(run, record, time);
	if (order.time - time > order.worst)
		order.worst = order.time - time;
	if (run->status < EXIT_NO)
		run->status = EXIT_NO;
	return !common.verbose;
}

static int check_end(struct run *run)
{
	cli_note("%s: %" PRIu64 " records stand behind later ones, by up to %" PRIu64 ".%09" PRIu64
		 " s", run->stream->name, order.count, order.worst / 1000000000,
		 order.worst % 1000000000);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink checker = { .record = check_record, .end = check_end };
	struct filter filter = { .end = summarize, .sorted = true };

	cli_parse(&tool, argc, argv);
	if (check && common.output)
		cli_misuse("--check writes nothing: there is no use for --output");
	if (!limit)
		cli_misuse("--size: nothing can be sorted in 0 bytes");
	filter.limit = limit;
	return check ? run_sink(&tool, &checker) : run_filter(&tool, &filter);
}
