/* pp-decompress.c - unpacks COMPRESSED records: reading does it, so there is nothing to add. */
#include "shared/run.h"

static const struct option_spec options[] = {
	OPT_COMMON_FILTER,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-decompress",
	.summary = "Turn a compressed perf stream into a plain one",
	.operands = "[FILE]",
	.options = options,
};

int main(int argc, char **argv)
{
	const struct filter keep_all = { .judge = NULL };

	cli_parse(&tool, argc, argv);
	return run_filter(&tool, &keep_all);
}
