/*
 * pp-span.c - two occurrences that belong together become one sample, whose period is the time between them;
 * here are the options and what is said at the end, the rest is libpipe's.
 */
#include <inttypes.h>
#include <string.h>

#include "shared/run.h"

static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static struct pp_span_options how = { .size = sizeof(how), .budget = &budget };
static struct pp_spans *spans;

static const char *take_stack(void *target, const char *value)
{
	(void)target;
	how.second_stack = !strcmp(value, "second");
	return how.second_stack || !strcmp(value, "first") ? NULL : "is neither first nor second";
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a --off-cpu -- sleep 10 | pp-span off-cpu | pp-flame >waits.html",
		    "where programs wait, and how long"),
	OPT_EXAMPLE("pp-span off-cpu --min 10ms waits.pipe | pp-script",
		    "each wait of 10 ms and more, with its stack"),
	OPT_STRING(0, "from", "EVENT", &how.from,
		   "make spans that begin at samples of EVENT, or EVENT[EXPRESSION]"),
	OPT_STRING(0, "to", "EVENT", &how.to, "that end at the next of these"),
	OPT_STRING(0, "by", "FIELDS", &how.by, "with the same FIELDS, such as tid,dev; a=b: named a, then b"),
	OPT_STRING(0, "name", "NAME", &how.name, "call their event NAME (default: as PRESET, or span)"),
	OPT_CALL(0, "stack", "first|second", NULL, take_stack,
		 "the task and stack of which of the two (default: first)"),
	OPT_TIME(0, "min", "TIME", &how.least, "write spans of at least TIME; shorter ones are counted"),
	OPT_SWITCH(0, "no-cut", &how.no_cut, "leave out spans of which only a part was recorded"),
	OPT_SWITCH(0, "kernel-threads", &how.kernel_threads, "write the waits of kernel threads, too"),
	OPT_SWITCH(0, "wakers", &how.wakers, "write before each wait a sample of who woke the thread"),
	OPT_SWITCH(0, "keep", &how.keep, "let pass what spans are made of"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records, threads and stacks (default: 256M)"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const char *preset_value(const char *arg, size_t i, uint64_t *needs)
{
	*needs = 0;
	return strcmp(arg, "PRESET") ? NULL : pp_spans_preset(i);
}

static const struct tool tool = {
	.name = "pp-span",
	.summary = "Make samples of the time between two occurrences",
	.purpose = "Each span of time becomes a sample whose period is how long it was, in ns.  pp-report, "
		   "pp-flame and pp-filter show and choose them like any others.",
	.operands = "[PRESET] [FILE]",
	.options = options,
	.details = "PRESET is off-cpu, from where a thread leaves its CPU until it runs again;\n"
		   "wakeup, from where it is woken; or syscalls, block, irq, softirq, locks.  It has\n"
		   "to be given where --from, --to and --by are not.\n",
	.value = preset_value,
};

static int start(struct run *run)
{
	spans = pp_spans_new(&how, run->in, &run->error);
	return spans ? 0 : -1;
}

static int admit(struct run *run, struct pp_record *record)
{
	return pp_spans_admit(spans, record, run->out, &run->error);
}

static int judge(struct run *run, struct pp_record *record)
{
	return pp_spans_judge(spans, record, run->out, &run->error);
}

/* ---- What is said at the end ---- */

/* What a stream has not that passes unchanged. */
static const char *lacking(void)
{
	static const struct { const char *preset, *text; } rows[] = {
		{ "off-cpu", "the stream does not say when threads leave their CPUs: all passes unchanged "
			     "(pp-record --off-cpu)" },
		{ "wakeup", "the stream does not say when threads are woken: all passes unchanged "
			    "(pp-record --off-cpu=wakers)" },
	};

	for (size_t i = 0; how.preset && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(how.preset, rows[i].preset))
			return rows[i].text;
	return "the stream has not the events of these spans: all passes unchanged";
}

static void say_sum(const char *what, const struct pp_span_sum *sum)
{
	if (sum->count)
		cli_warn("%s: %" PRIu64 ", %.3f s", what, sum->count, (double)sum->time / 1e9);
}

static void report(const struct pp_span_stats *stats)
{
	if (stats->none)
		cli_warn("%s", lacking());
	say_sum(how.no_cut ? "spans of which only a part was recorded, left out" :
			     "spans of which only a part was recorded", &stats->cut);
	say_sum("waits of kernel threads, left out (--kernel-threads)", &stats->kernel);
	say_sum("spans shorter than --min, left out", &stats->brief);
	if (stats->unbegun)
		cli_note("ends of spans that were not seen to begin: %" PRIu64, stats->unbegun);
	if (stats->sums)
		cli_warn("samples that are sums of several waits, as perf adds them up: %" PRIu64,
			 stats->sums);
	cli_note("spans: %" PRIu64 ", %.3f s", stats->written.count, (double)stats->written.time / 1e9);
}

static int end(struct run *run)
{
	const int result = pp_spans_end(spans, run->out, &run->error);

	report(pp_spans_stats(spans));
	return result;
}

/* What is wrong with a span's description is known before anything is read. */
static void check_description(void)
{
	if (!how.from || !how.to || !how.by)
		cli_misuse("--from, --to and --by belong together");
	if (how.wakers || how.kernel_threads)
		cli_misuse("%s is of off-cpu", how.wakers ? "--wakers" : "--kernel-threads");
}

/* The place of the operand after PRESET. */
static int take_preset(int argc, char **argv, int operand)
{
	const char *preset;

	if (operand == argc)
		cli_misuse("which spans?  Give a preset, such as off-cpu, or --from, --to and --by");
	how.preset = argv[operand];
	for (size_t i = 0; (preset = pp_spans_preset(i)); i++)
		if (!strcmp(preset, how.preset))
			return operand + 1;
	cli_misuse("'%s' is no preset: there are off-cpu, wakeup, syscalls, block, irq, softirq and "
		   "locks", how.preset);
	return operand;
}

int main(int argc, char **argv)
{
	static const struct filter filter = {
		.judge = judge, .admit = admit, .admits_samples = true, .start = start, .end = end,
		.time_order = true, .budget = &budget,
	};
	int operand = cli_parse(&tool, argc, argv), status;

	if (how.from || how.to || how.by)
		check_description();
	else
		operand = take_preset(argc, argv, operand);
	if (operand + 1 < argc)
		cli_misuse("one FILE at most: '%s'", argv[operand + 1]);
	if (operand < argc)
		cli_input(argv[operand]);
	status = run_filter(&tool, &filter);
	pp_spans_free(spans);
	return status;
}
