/*
 * pp-sort.c - put the records of a stream in the order of their times.
 *
 * What sorts is libpipe: by rounds, or all of it.  Here is only what is said about it, and --check.
 */
#include <inttypes.h>

#include "cli/progress.h"
#include "shared/run.h"

static const uint64_t SECOND = 1000000000;

static uint64_t limit = UINT64_C(256) << 20;
static bool check, all;
static struct pp_cadence every;
static enum pp_sort_by by;

/* A whole number counts records, anything else is a time. */
static const char *parse_rounds(void *target, const char *value)
{
	const bool count = !value[strspn(value, "0123456789")];
	uint64_t number = 0;
	const char *const wrong = count ? cli_u64(&number, value) : cli_time(&number, value);

	if (wrong)
		return count ? wrong : "is neither a number of records nor a time such as 100ms";
	if (!number)
		return "leaves nothing between rounds";
	*(struct pp_cadence *)target = count ? (struct pp_cadence){ .records = number } :
					       (struct pp_cadence){ .time = number };
	return NULL;
}

static const char *parse_by(void *target, const char *value)
{
	static const char *const names[] = {
		[PP_BY_CPU] = "cpu", [PP_BY_PID] = "pid", [PP_BY_TID] = "tid",
	};

	for (unsigned i = PP_BY_CPU; i <= PP_BY_TID; i++) {
		if (strcmp(value, names[i]))
			continue;
		*(enum pp_sort_by *)target = i;
		return NULL;
	}
	return "is neither cpu nor pid nor tid";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-sort web.pipe -o sorted.pipe", "sort a recording"),
	OPT_EXAMPLE("pp-sort web.pipe | pp-dump | less", "read what happened, in order"),
	OPT_EXAMPLE("pp-sort --check web.pipe", "see whether it is in order"),
	OPT_SWITCH(0, "all", &all, "sort the stream as a whole, whatever its rounds are"),
	OPT_CALL(0, "by", "cpu|pid|tid", &by, parse_by,
		 "records of one CPU, process or thread after those of another; implies --all"),
	OPT_CALL(0, "rounds", "STEP", &every, parse_rounds,
		 "write new rounds, a STEP apart: a number of records, or a time such as 100ms"),
	OPT_SIZE('S', "size", "SIZE", &limit,
		 "hold at most SIZE bytes; with --all, the rest goes to a file (default: 256M)"),
	OPT_SWITCH(0, "check", &check,
		   "write nothing, only report whether the records are in order"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-sort",
	.summary = "Put the records of a stream in the order of their times",
	.purpose = "A recording has one buffer of a CPU after the other.  Sort it before you "
		   "read it as a sequence of events.",
	.operands = "[FILE]",
	.options = options,
	.status = "Exit status: 0 done, or in order; 1 not in order (--check); 2 misuse; 3 the "
		  "input is damaged, cut or altered; 4 system error (I/O, permission, memory).",
};

/* ---- sorting ---- */

static int summarize(struct run *run)
{
	const struct pp_rounds_stats *const stats = pp_rounds_stats(run->rounds);

	cli_note("%s: %" PRIu64 " records came after newer ones, in %" PRIu64
		 " rounds; at most %" PRIu64 " bytes were held",
		 run->stream->name, stats->disorder, stats->rounds, stats->largest);
	return 0;
}

static int summarize_all(struct run *run)
{
	const struct pp_sorter_stats *const stats = pp_sorter_stats(run->sorter);

	cli_note("%s: %" PRIu64 " records came after newer ones; %" PRIu64 " sorted runs were "
		 "put aside, %" PRIu64 " bytes, and merged in %" PRIu64 " passes",
		 run->stream->name, stats->disorder, stats->runs, stats->aside, stats->passes + 1);
	return 0;
}

/* ---- --check ---- */

static struct {
	uint64_t time, index;	/* of the latest record so far */
	uint64_t count, worst;	/* records before it, and by how much */
	uint64_t floor, bound;	/* nothing may be older now; nor after the next round */
	uint64_t untrue;	/* records older than that */
} order;

/* A time in seconds, in `text`, of 32 bytes. */
static const char *seconds(uint64_t ns, char *text)
{
	snprintf(text, 32, "%" PRIu64 ".%09" PRIu64, ns / SECOND, ns % SECOND);
	return text;
}

static void report_disorder(const struct run *run, const struct pp_record *record, uint64_t time)
{
	char type[24], one[32], other[32];

	cli_warn("%s: record %" PRIu64 " at byte %" PRIu64 " (%s): its time %s is before %s of "
		 "record %" PRIu64, run->stream->name, record->index, record->offset,
		 pp_type_name(record->type, type), seconds(time, one), seconds(order.time, other),
		 order.index);
}

/* The first record out of order is named, the others are counted. */
static int check_record(struct run *run, struct pp_record *record)
{
	uint64_t time;

	if (!pp_time(record, &time)) {
		if (pp_is_round(record)) {
			order.floor = order.bound;
			order.bound = order.time;
		}
		return 0;
	}
	if (time >= order.time) {
		order.time = time;
		order.index = record->index;
		return 0;
	}
	if (!order.count++)
		report_disorder(run, record, time);
	order.untrue += time < order.floor;
	if (order.time - time > order.worst)
		order.worst = order.time - time;
	if (run->status < EXIT_NO)
		run->status = EXIT_NO;
	return 0;
}

static int check_end(struct run *run)
{
	char worst[32];

	if (!order.count) {
		cli_note("%s: in order", run->stream->name);
		return 0;
	}
	cli_warn("%s: %" PRIu64 " record%s after later ones, by up to %s s; %" PRIu64 " of them "
		 "break the promise of a round", run->stream->name, order.count,
		 order.count == 1 ? " comes" : "s come", seconds(order.worst, worst),
		 order.untrue);
	return 0;
}

/* ---- the command line ---- */

static void refuse_misuse(void)
{
	if (check && common.output)
		cli_misuse("--check writes nothing: --output makes no sense");
	if (check && (all || by || every.records || every.time))
		cli_misuse("--check sorts nothing: --all, --by and --rounds make no sense");
	if (by && (every.records || every.time))
		cli_misuse("--by: no round would be correct: --rounds makes no sense");
	if (!limit)
		cli_misuse("--size: nothing can be sorted in 0 bytes");
}

int main(int argc, char **argv)
{
	static const struct sink checker = { .record = check_record, .end = check_end };
	struct filter by_rounds = { .end = summarize, .sorted = true };
	struct pp_sorter_options whole;
	struct filter as_a_whole = { .end = summarize_all, .whole = &whole };

	cli_parse(&tool, argc, argv);
	refuse_misuse();
	by_rounds.limit = limit;
	by_rounds.every = every;
	whole = (struct pp_sorter_options){ .size = sizeof(whole), .memory = limit, .by = by,
					    .every = every };
	if (check)
		return run_sink(&tool, &checker);
	return run_filter(&tool, all || by ? &as_a_whole : &by_rounds);
}
