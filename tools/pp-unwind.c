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

static const char *root;
static int max_stack = 127;
static bool keep, json, debuginfod;
static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };  /* of all that is held and kept */
static struct pp_unwind *unwinder;

static const struct option_spec options[] = {
	OPT_INT(0, "max-stack", "FRAMES", &max_stack, 1, 8000,
		"find so many user frames at most (default: 127)"),
	OPT_SWITCH(0, "keep", &keep, "leave registers and stacks in the samples"),
	OPT_SWITCH(0, "json", &json, "print the report at the end as JSON Lines"),
	OPT_FOLDER(0, "root", "DIR", &root, "read files below DIR, without comparing inodes"),
	OPT_SWITCH(0, "debuginfod", &debuginfod, "ask the servers of DEBUGINFOD_URLS for missing files"),
	OPT_SIZE('S', "size", "SIZE", &budget.limit,
		 "use at most SIZE bytes for held records, names and maps (default: 256M)"),
	OPT_COMMON_FILTER,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-unwind",
	.summary = "Make call chains of user stacks",
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
	return unwinder ? run_confine(run, NULL) : -1;
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

/* "12 ended properly, 3 in a file that is missing" */
static void describe(char *text, size_t room, const uint64_t ends[PP_UNWOUND_WAYS])
{
	size_t at = 0;

	*text = 0;
	for (unsigned i = 0; i < PP_UNWOUND_WAYS; i++)
		if (ends[i] && at < room)
			at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64 " %s", at ? ", " : "",
					       ends[i], pp_unwound_text(i));
}

static void say_file(void *arg, const char *path, const uint64_t ends[PP_UNWOUND_WAYS])
{
	uint64_t bad[PP_UNWOUND_WAYS];
	char text[1024];

	(void)arg;
	memcpy(bad, ends, sizeof(bad));
	bad[PP_UNWOUND_PROPERLY] = 0;
	describe(text, sizeof(text), bad);
	cli_note("%s: %s", path, text);
}

static void say_all(const struct run *run, const struct pp_unwind_stats *stats)
{
	const char *const name = run->stream->name;
	char text[1024];

	describe(text, sizeof(text), stats->ends);
	if (stats->stacks)
		cli_warn("%s: %" PRIu64 " stack%s: %s", name, stats->stacks, cli_plural(stats->stacks), text);
	else if (stats->events)
		cli_warn("%s: no sample has a stack: empty fields for them were left out", name);
	else if (!stats->joined && !stats->waiting)
		cli_warn("%s: no sample has user registers and a stack: passed unchanged", name);
	if (stats->joined || stats->waiting)
		cli_warn("%s: %" PRIu64 " deferred call chain%s joined, %" PRIu64 " came too late", name,
			 stats->joined, cli_plural(stats->joined), stats->waiting);
	if (stats->left_out)
		cli_warn("%s: %" PRIu64 " stack%s left out, for want of room in the record", name,
			 stats->left_out, cli_plural(stats->left_out));
}

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
	const struct pp_unwind_stats *const stats = pp_unwind_stats(unwinder);

	if (json)
		return put_all(run, stats);
	say_all(run, stats);
	return messages.verbose ? pp_unwind_files(unwinder, say_file, NULL, &run->error) : 0;
}

int main(int argc, char **argv)
{
	static const struct filter filter = { .judge = judge, .admit = admit, .start = start, .end = end,
					      .time_order = true, .budget = &budget };
	int status;

	cli_parse(&tool, argc, argv);
	status = run_filter(&tool, &filter);
	pp_unwind_free(unwinder);
	return status;
}
