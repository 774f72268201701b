/* pp-decompress.c - unpacks COMPRESSED records: reading does it, so there is nothing to add. */
#include "shared/run.h"

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-decompress web.pipe -o plain.pipe", "store it uncompressed"),
	OPT_EXAMPLE("pp-decompress new.pipe | perf report -i -",
		    "let an older perf read the stream of a newer one"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-decompress",
	.summary = "Turn a compressed perf stream into a plain one",
	.purpose = "For readers that do not know compressed records, such as perf inject and "
		   "older versions of perf.",
	.operands = "[FILE]",
	.options = options,
};

int main(int argc, char **argv)
{
	const struct filter keep_all = { .judge = NULL };

	cli_parse(&tool, argc, argv);
	return run_filter(&tool, &keep_all);
}
