/* diagnostics.c - what is said about an input, in the same words by every tool. */
#include "shared/diagnostics.h"

#include <inttypes.h>

#include "cli/message.h"

enum { SHOWN = 10 };    /* damaged places that are reported in full */

static void raise_status(int *status, int to)
{
	if (*status < to)
		*status = to;
}

bool report_counts(struct report *report, const struct pp_error *error, int *status)
{
	const int means = pp_error_status(error);

	raise_status(status, means);
	report->places += means == EXIT_DAMAGED;
	return report->places <= SHOWN || pp_error_ends(error);
}

void report_error(struct report *report, const char *name, const struct pp_error *error, int *status)
{
	char text[512];

	if (!report_counts(report, error, status))
		return;
	cli_error_text(error, text, sizeof(text));
	cli_say("%s: %s", name, text);
}

void report_damage(const struct report *report, const char *name)
{
	if (report->places > SHOWN)
		cli_say("%s: %" PRIu64 " %s in all", name, report->places,
			report->many ? report->many : "damaged places");
}

void report_stream(const char *name, const struct pp_stream *stream, int *status)
{
	pp_say_stream(&message_says, name, stream);
	if (stream->dropped || stream->flags & PP_SEAL_DAMAGED)
		raise_status(status, EXIT_DAMAGED);
}

void report_dropped(uint64_t weight)
{
	if (weight)
		cli_warn("the lightest stacks, which weigh %" PRIu64 " together, were dropped, to stay "
			 "within --stacks", weight);
}

void report_trace_lack(const char *lack)
{
	static bool said;

	if (lack && !said)
		cli_warn("tracepoints are shown as fields and values, not in perf's words: %s", lack);
	said = said || lack;
}

void report_sandbox(unsigned holds)
{
	switch (holds) {
	case PP_SANDBOX_CALLS | PP_SANDBOX_FILES:
		cli_note("sandbox: system calls, files");
		break;
	case PP_SANDBOX_CALLS:
		cli_note("sandbox: system calls only: this kernel has no Landlock");
		break;
	case PP_SANDBOX_FILES:
		cli_note("sandbox: files only: this kernel has no filter of system calls");
		break;
	default:
		cli_note("no sandbox: this kernel has neither Landlock nor a filter of system calls");
	}
}

void report_reading(bool calls, bool files)
{
	if (!calls)
		cli_note("files are read without a filter of system calls: this kernel has none");
	if (!files)
		cli_note("files are read without Landlock: this kernel has none");
}

void report_isolation(unsigned isolated)
{
	if (isolated & PP_ISOLATED_PROCESS)
		report_reading(isolated & PP_ISOLATED_CALLS, isolated & PP_ISOLATED_FILES);
}
