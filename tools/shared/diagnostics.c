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

/* One line for each: there are few. */
void report_long_features(const struct pp_stream *stream)
{
	for (uint32_t i = 0; i < 64; i++) {
		const bool is_left = stream->features_left_out >> i & 1;
		const struct pp_type *const type = is_left ? pp_feature(i) : NULL;

		if (type)
			cli_warn("%s: the feature %s is left out: it is too long for a record", stream->name,
				 type->name);
		else if (is_left)
			cli_warn("%s: feature %" PRIu32 " is left out: it is too long for a record",
				 stream->name, i);
	}
}

void report_stream(const char *name, const struct pp_stream *stream, int *status)
{
	if (stream->dropped)
		cli_say("%s: %" PRIu64 " record%s dropped: cannot be converted from the other "
			"byte order", name, stream->dropped, cli_plural(stream->dropped));
	if (stream->flags & PP_SEAL_DAMAGED)
		cli_say("%s: damaged before it came here", name);
	if (stream->dropped || stream->flags & PP_SEAL_DAMAGED)
		raise_status(status, EXIT_DAMAGED);
	if (stream->rewritten)
		cli_warn("%s: a tool that does not know seals rewrote the stream: it is treated as "
			 "unsealed", name);
	if (stream->left_out)
		cli_warn("%s: %" PRIu64 " record%s of its writer's own format left out: too long "
			 "for a stream", name, stream->left_out, cli_plural(stream->left_out));
	if (stream->orphans)
		cli_warn("%s: %" PRIu64 " sample%s whose id belongs to no event", name,
			 stream->orphans, cli_plural(stream->orphans));
}

void report_rounds(const char *name, const struct pp_rounds_stats *stats, const char *late)
{
	if (stats->late)
		cli_warn("%s: %" PRIu64 " record%s came after later ones had been released, by up "
			 "to %" PRIu64 ".%09" PRIu64 " s%s", name, stats->late, cli_plural(stats->late),
			 stats->worst / 1000000000, stats->worst % 1000000000, late);
	if (stats->overflows)
		cli_warn("%s: too many records came without a round: the older half was released "
			 "early, %" PRIu64 " time%s", name, stats->overflows,
			 cli_plural(stats->overflows));
}

void report_dropped(uint64_t weight)
{
	if (weight)
		cli_warn("the lightest stacks, which weigh %" PRIu64 " together, were dropped, to stay "
			 "within --stacks", weight);
}

void report_isolation(unsigned isolated)
{
	if (!(isolated & PP_ISOLATED_PROCESS))
		return;
	if (!(isolated & PP_ISOLATED_CALLS))
		cli_note("files are read without a filter of system calls: this kernel has none");
	if (!(isolated & PP_ISOLATED_FILES))
		cli_note("files are read without Landlock: this kernel has none");
}
