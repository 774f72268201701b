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

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a --off-cpu -- sleep 10 | pp-span off-cpu | pp-flame >waits.html",
		    "where programs wait, and how long"),
	OPT_EXAMPLE("pp-span off-cpu --min 10ms waits.pipe | pp-script",
		    "each wait of 10 ms and more, with its stack"),
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
	.operands = "PRESET [FILE]",
	.options = options,
	.details = "PRESET is off-cpu: from where a thread leaves its CPU until it runs again\n",
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

static void say_sum(const char *what, const struct pp_span_sum *sum)
{
	if (sum->count)
		cli_warn("%s: %" PRIu64 ", %.3f s", what, sum->count, (double)sum->time / 1e9);
}

static void report(const struct pp_span_stats *stats)
{
	if (stats->none)
		cli_warn("the stream does not say when threads leave their CPUs: all passes unchanged "
			 "(pp-record --off-cpu)");
	say_sum(how.no_cut ? "waits of which only a part was recorded, left out" :
			     "waits of which only a part was recorded (offcpu-cut)", &stats->cut);
	say_sum("waits of kernel threads, left out (--kernel-threads)", &stats->kernel);
	say_sum("waits shorter than --min, left out", &stats->brief);
	if (stats->sums)
		cli_warn("samples that are sums of several waits, as perf adds them up: %" PRIu64,
			 stats->sums);
	cli_note("waits: %" PRIu64 ", %.3f s", stats->written.count, (double)stats->written.time / 1e9);
}

static int end(struct run *run)
{
	const int result = pp_spans_end(spans, run->out, &run->error);

	report(pp_spans_stats(spans));
	return result;
}

static bool is_preset(const char *name)
{
	const char *preset;

	for (size_t i = 0; (preset = pp_spans_preset(i)); i++)
		if (!strcmp(preset, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const struct filter filter = {
		.judge = judge, .admit = admit, .admits_samples = true, .start = start, .end = end,
		.time_order = true, .budget = &budget,
	};
	const int operand = cli_parse(&tool, argc, argv);
	int status;

	how.preset = argv[operand];
	if (!is_preset(how.preset))
		cli_misuse("'%s' is no preset: there is off-cpu", how.preset);
	if (operand + 1 < argc)
		cli_input(argv[operand + 1]);
	status = run_filter(&tool, &filter);
	pp_spans_free(spans);
	return status;
}
