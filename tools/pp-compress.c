/* pp-compress.c - packs the kernel's records into COMPRESSED records, as perf record -z does. */
#include "shared/run.h"

enum { HIGHEST = 22 };                /* level of zstd */

static int level = 3;
static int format = 1;

static const char *parse_format(void *target, const char *value)
{
	int *const number = target;

	if (strcmp(value, "1") && strcmp(value, "2"))
		return "is neither 1 nor 2";
	*number = value[0] - '0';
	return NULL;
}

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record -a -- sleep 10 | pp-compress -o web.pipe",
		    "record, and store it compressed"),
	OPT_EXAMPLE("pp-compress -19 web.pipe -o archive.pipe",
		    "make it as small as it gets, to keep it"),
	OPT_LEVEL("level", "LEVEL", &level, 1, HIGHEST,
		  "level of compression: 1 (fastest) to 22 (smallest) (default: 3)"),
	OPT_CALL(0, "format", "1|2", &format, parse_format,
		 "write COMPRESSED (1), which perf reads since 5.2, "
		 "or COMPRESSED2 (2), since 6.16"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-compress",
	.summary = "Compress the records of a perf stream",
	.purpose = "What comes out is a perf stream like any other, but with compressed records (zstd), "
		   "which perf and every tool here read as they are.",
	.operands = "[FILE]",
	.options = options,
};

struct packing {
	struct pp_compressor *compressor;
	bool announced;
};

static int start(struct run *run)
{
	struct packing *const packing = run->arg;

	packing->compressor = pp_compressor_open(format, level, run->out);
	return packing->compressor ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

/* Writes the feature, before the first bytes that are compressed. */
static int announce(struct run *run)
{
	struct packing *const packing = run->arg;

	if (packing->announced)
		return 0;
	packing->announced = true;
	return pp_compressor_feature(packing->compressor, &run->error);
}

static int judge(struct run *run, struct pp_record *record)
{
	struct packing *const packing = run->arg;

	/* rounds, features and what else perf itself writes stay as they are, in their place */
	if (record->type >= PP_USER_TYPES)
		return pp_compressor_flush(packing->compressor, &run->error) ? -1 : PP_KEEP;
	if (announce(run))
		return -1;
	if (pp_compressor_put(packing->compressor, record->data, record->size, &run->error))
		return -1;
	if (record->type == PP_REC_SAMPLE)
		run->kept++;
	return PP_DROP;
}

static int pack_batch(struct run *run, const struct pp_batch *batch)
{
	struct packing *const packing = run->arg;

	if (announce(run))
		return -1;
	run->kept += batch->count;
	return pp_compressor_put(packing->compressor, batch->data, batch->at[batch->count], &run->error);
}

static int end(struct run *run)
{
	struct packing *const packing = run->arg;

	return pp_compressor_flush(packing->compressor, &run->error);
}

int main(int argc, char **argv)
{
	struct packing packing = { 0 };
	const struct filter filter = {
		.start = start, .judge = judge, .take_batch = pack_batch, .end = end, .arg = &packing,
	};
	int status;

	cli_parse(&tool, argc, argv);
	status = run_filter(&tool, &filter);
	pp_compressor_close(packing.compressor);
	return status;
}
