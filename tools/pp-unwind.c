/*
 * pp-unwind.c - user registers and stacks become call chains; here are the options and the report at
 * the end, how it is done is libpipe's.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/run.h"
#include "shared/unwound_report.h"

static const char *root;
static int max_stack = 127;
static bool keep, json, debuginfod;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static struct pp_unwind *unwinder;

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-record --call-graph dwarf -- my-program | pp-unwind | pp-report",
		    "where a program without frame pointers spends its time"),
	OPT_EXAMPLE("pp-unwind raw.pipe -o chains.pipe",
		    "make a recording small, and readable elsewhere"),
	OPT_INT(0, "max-stack", "FRAMES", &max_stack, 1, 8000,
		"find so many user frames at most (default: 127)"),
	OPT_SWITCH(0, "keep", &keep, "leave registers and stacks in the samples"),
	OPT_SWITCH(0, "json", &json, "print the report at the end as JSON Lines"),
	OPT_FOLDER(0, "root", "DIR", &root, "read files below DIR, without comparing inodes"),
	OPT_SWITCH(0, "debuginfod", &debuginfod, "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records, names and maps (default: 256M)"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-unwind",
	.summary = "Make call chains of user stacks",
	.purpose = "Recordings of pp-record --call-graph dwarf have copies of stacks in place of callers.  "
		   "Run this where the programs are: then they have callers.",
	.operands = "[FILE]",
	.options = options,
};

static int start(struct run *run)
{
	const struct pp_unwind_options how = {
		.size = sizeof(how), .root = root, .debuginfod = debuginfod, .keep = keep,
		.max_stack = (uint32_t)max_stack, .budget = &budget, .say = message_says,
		.foreign = run->stream->foreign, .isolate = true,
	};

	unwinder = pp_unwind_new(&how, &run->error);
	return unwinder ? run_confine(run, PP_STAGE_ASKS | PP_STAGE_SPOOLS, NULL) : -1;
}

static int admit(struct run *run, struct pp_record *record)
{
	return pp_unwind_admit(unwinder, record, &run->error) ? -1 : PP_KEEP;
}

static int judge(struct run *run, struct pp_record *record)
{
	return pp_unwind_judge(unwinder, record, run->out, &run->error);
}

/* ---- The report ---- */

static void put_ends(struct pp_json *out, const uint64_t ends[PP_UNWOUND_WAYS])
{
	for (unsigned i = 0; i < PP_UNWOUND_WAYS; i++)
		pp_json_number(out, pp_unwound_key(i), ends[i]);
}

static void put_file(void *arg, const char *path, const uint64_t ends[PP_UNWOUND_WAYS])
{
	struct pp_json *const out = arg;

	pp_json_open(out, NULL, '{');
	if (!pp_json_text(out, "file", path, strlen(path)))
		pp_json_bytes(out, "file_hex", path, strlen(path));
	put_ends(out, ends);
	pp_json_close(out, '}');
	pp_out_char(out->out, '\n');
	out->more = false;
}

static int put_all(struct run *run, const struct pp_unwind_stats *stats)
{
	struct pp_out text;
	struct pp_json out = { .out = &text };
	int result;

	if (pp_out_open(&text, STDERR_FILENO))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	pp_out_text(&text, "{\"schema\":\"perfpipe.unwind/1\"}\n");
	pp_json_open(&out, NULL, '{');
	pp_json_number(&out, "stacks", stats->stacks);
	pp_json_number(&out, "frames", stats->frames);
	put_ends(&out, stats->ends);
	pp_json_number(&out, "joined", stats->joined);
	pp_json_number(&out, "late", stats->waiting);
	pp_json_number(&out, "left_out", stats->left_out);
	pp_json_close(&out, '}');
	pp_out_char(&text, '\n');
	out.more = false;
	result = pp_unwind_files(unwinder, put_file, &out, &run->error);
	(void)pp_out_close(&text);
	return result;
}

static int end(struct run *run)
{
	return json ? put_all(run, pp_unwind_stats(unwinder)) :
		      unwound_report(run->stream, unwinder, &run->error);
}

int main(int argc, char **argv)
{
	static const struct filter filter = { .judge = judge, .admit = admit, .start = start, .end = end,
					      .time_order = true, .budget = &budget, .opens = true };
	int status;

	cli_parse(&tool, argc, argv);
	status = run_filter(&tool, &filter);
	pp_unwind_free(unwinder);
	return status;
}
