/* stream_remarks.c - what a reader learnt of a stream, and rounds of its order, in words. */
#include <perfpipe/session.h>

#include "base/log.h"

#include <inttypes.h>

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* One line for each: there are few. */
void pp_say_long_features(const struct pp_say *say, const struct pp_stream *stream)
{
	for (uint32_t i = 0; i < 64; i++) {
		const bool is_left = stream->features_left_out >> i & 1;
		const struct pp_type *const type = is_left ? pp_feature(i) : NULL;

		if (type)
			pp_say(say, "%s: the feature %s is left out: it is too long for a record",
			       stream->name, type->name);
		else if (is_left)
			pp_say(say, "%s: feature %" PRIu32 " is left out: it is too long for a record",
			       stream->name, i);
	}
}

void pp_say_stream(const struct pp_say *say, const char *name, const struct pp_stream *stream)
{
	if (stream->dropped)
		pp_say_lost(say, "%s: %" PRIu64 " record%s dropped: cannot be converted from the other "
			    "byte order", name, stream->dropped, plural(stream->dropped));
	if (stream->flags & PP_SEAL_DAMAGED)
		pp_say_lost(say, "%s: damaged before it came here", name);
	if (stream->rewritten)
		pp_say(say, "%s: a tool that does not know seals rewrote the stream: it is treated as "
		       "unsealed", name);
	if (stream->left_out)
		pp_say(say, "%s: %" PRIu64 " record%s of its writer's own format left out: too long "
		       "for a stream", name, stream->left_out, plural(stream->left_out));
	if (stream->orphans)
		pp_say(say, "%s: %" PRIu64 " sample%s whose id belongs to no event", name,
		       stream->orphans, plural(stream->orphans));
}

void pp_say_rounds(const struct pp_say *say, const char *name, const struct pp_rounds_stats *stats,
		   const char *late)
{
	if (stats->late)
		pp_say(say, "%s: %" PRIu64 " record%s came after later ones had been released, by up "
		       "to %" PRIu64 ".%09" PRIu64 " s%s", name, stats->late, plural(stats->late),
		       stats->worst / 1000000000, stats->worst % 1000000000, late);
	if (stats->overflows)
		pp_say(say, "%s: too many records came without a round: the older half was released "
		       "early, %" PRIu64 " time%s", name, stats->overflows, plural(stats->overflows));
}
