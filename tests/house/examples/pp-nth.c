/* pp-nth.c - keeps every COUNTth sample; all else about a filter is run_filter.c's. */
#include "shared/run.h"

static uint64_t count = 10;

static const struct option_spec options[] = {
	OPT_U64(0, "nth", "COUNT", &count, "keep one sample of COUNT (default: 10)"),
	OPT_COMMON_FILTER,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-nth",
	.summary = "Keep every COUNTth sample",
	.operands = "[FILE]",
	.options = options,
};

static int keep_nth(struct run *run, struct pp_record *record)
{
	if (record->type != PP_REC_SAMPLE)
		return PP_KEEP;
	return (run->samples - 1) % count ? PP_DROP : PP_KEEP;
}

int main(int argc, char **argv)
{
	static const struct filter filter = { .judge = keep_nth };

	cli_parse(&tool, argc, argv);
	if (!count)
		cli_misuse("--nth has to be 1 or more");
	return run_filter(&tool, &filter);
}
