/* pp-gap.c - prints the longest time without a sample; all else about a sink is run_sink.c's. */
#include "shared/run.h"

static const struct option_spec options[] = { OPT_COMMON_SINK, OPT_END };

static const struct tool tool = {
	.name = "pp-gap",
	.summary = "Print the longest time without a sample",
	.operands = "[FILE]",
	.options = options,
};

static uint64_t last, longest;

static int measure(struct run *run, struct pp_record *record)
{
	uint64_t time;

	(void)run;
	if (record->type != PP_REC_SAMPLE || !pp_time(record, &time))
		return 0;
	if (last && time > last && time - last > longest)
		longest = time - last;
	last = time;
	return 0;
}

static int print(struct run *run)
{
	pp_out_time(run->text, longest);
	pp_out_text(run->text, " s\n");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink sink = { .record = measure, .end = print, .time_order = true };

	cli_parse(&tool, argc, argv);
	return run_sink(&tool, &sink);
}
