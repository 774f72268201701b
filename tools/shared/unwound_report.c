/* unwound_report.c - how stacks ended, in one line, and with --verbose in which files. */
#include "shared/unwound_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"

enum { STACK_MOST = 65528 };          /* bytes of a stack that perf and the kernel take */

/* "12 complete, 3 in a file that is missing" */
static void describe_ends(char *text, size_t room, const uint64_t ends[PP_UNWOUND_WAYS])
{
	size_t at = 0;

	*text = 0;
	for (unsigned i = 0; i < PP_UNWOUND_WAYS; i++)
		if (ends[i] && at < room)
			at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64 " %s", at ? ", " : "",
					       ends[i], i == PP_UNWOUND_LONG ? "ended by --max-stack" :
					       pp_unwound_text(i));
}

static void say_file(void *arg, const char *path, const uint64_t ends[PP_UNWOUND_WAYS])
{
	uint64_t bad[PP_UNWOUND_WAYS];
	char text[1024];

	(void)arg;
	memcpy(bad, ends, sizeof(bad));
	bad[PP_UNWOUND_PROPERLY] = 0;
	describe_ends(text, sizeof(text), bad);
	cli_note("%s: %s", path, text);
}

/* How much stack the recording has of each sample, and what would be more. */
static void say_truncated(const struct pp_stream *stream)
{
	uint32_t size = 0;

	for (size_t i = 0; i < pp_attrs_count(stream->attrs); i++) {
		const uint32_t of = pp_attrs_at(stream->attrs, i)->stack_user;

		size = of > size ? of : size;
	}
	if (size && size < STACK_MOST)
		cli_warn("%s: %.4g KiB of stack is not enough: record with --call-graph dwarf,%u",
			 stream->name, size / 1024.0,
			 size < STACK_MOST / 4 ? 4 * size : (uint32_t)STACK_MOST);
}

static void say_all(const struct pp_stream *stream, const struct pp_unwind_stats *stats)
{
	const char *const name = stream->name;
	char text[1024];

	describe_ends(text, sizeof(text), stats->ends);
	if (stats->stacks)
		cli_warn("%s: %" PRIu64 " stack%s: %s", name, stats->stacks, cli_plural(stats->stacks), text);
	else if (stats->events)
		cli_warn("%s: no sample has a stack: empty fields for them were left out", name);
	else if (!stats->joined && !stats->waiting)
		cli_warn("%s: no sample has user registers and a stack: passed unchanged", name);
	if (stats->ends[PP_UNWOUND_CUT])
		say_truncated(stream);
	if (stats->joined || stats->waiting)
		cli_warn("%s: %" PRIu64 " deferred call chain%s joined, %" PRIu64 " came too late", name,
			 stats->joined, cli_plural(stats->joined), stats->waiting);
	if (stats->left_out)
		cli_warn("%s: %" PRIu64 " stack%s left out, for want of room in the record", name,
			 stats->left_out, cli_plural(stats->left_out));
}

int unwound_report(const struct pp_stream *stream, struct pp_unwind *unwinder, struct pp_error *error)
{
	say_all(stream, pp_unwind_stats(unwinder));
	return messages.verbose ? pp_unwind_files(unwinder, say_file, NULL, error) : 0;
}
