/*
 * mend.h - turns a damaged stream into a sound one.
 *
 * What is sound is copied unchanged; each other range is reported, with an estimate of what was in
 * it.  An input that lacks nothing is copied byte for byte.
 *
 *	#include <perfpipe/mend.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	static void lost(void *arg, const struct pp_mended *range)
 *	{
 *		(void)arg;
 *		fprintf(stderr, "byte %" PRIu64 " to %" PRIu64 ": %s\n", range->from, range->to, range->what);
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		const struct pp_mend_options options = { sizeof(options), false, lost, NULL, NULL };
 *		struct pp_error error;
 *		struct pp_mend_stats stats;
 *
 *		if (pp_mend(argc > 1 ? argv[1] : NULL, 1, &options, &stats, &error))
 *			return pp_error_status(&error);
 *		return stats.ranges || stats.flagged ? 3 : 0;
 *	}
 */
#ifndef PERFPIPE_MEND_H
#define PERFPIPE_MEND_H

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A range of the input that was left out, or altered. */
struct pp_mended {
	uint64_t from, to;            /* bytes; of a perf.data file: in the stream it becomes */
	uint64_t samples;             /* that are lost, estimated; 0: none */
	bool altered;                 /* kept, since it is unknown which of its records is wrong */
	const char *what;             /* "no records", "its fields run past it" ... */
	uint32_t type;                /* of the record that was there, or 0 */
	enum pp_hint hint;            /* what would help */
};
typedef void pp_mend_found_fn(void *arg, const struct pp_mended *);

struct pp_mend_options {
	size_t size;                  /* of this struct: what a caller sets first */
	bool no_verify;               /* do not look at seals */
	pp_mend_found_fn *found;         /* called for each range; may be NULL */
	void *arg;                    /* of both */
	/* Called once the input is open, before its first byte is read: 0, or -1 and *error, with which
	 * mending fails.  For pp_sandbox_enter(); or NULL. */
	int (*opened)(void *arg, int fd, struct pp_error *);
};

struct pp_mend_stats {
	const char *name, *container;
	uint64_t bytes, records, samples;   /* read; that were kept; that were kept */
	uint64_t first_time, last_time;
	uint64_t ranges, lost_bytes, lost_samples;   /* altered ranges are included in ranges */
	uint64_t repaired;            /* COMPRESSED2 records of perf 6.16 to 7.1 */
	uint64_t rounds, events;      /* restored: FINISHED_ROUND, HEADER_ATTR */
	uint64_t moved;               /* HEADER_ATTRs that came last, moved to the beginning */
	bool flagged;                 /* an earlier stage met damage, and said so */
	bool changed;                 /* what was written is not what was read */
};

/*
 * Mends the stream or perf.data file at `path` (NULL or "-": standard input) and writes it to `fd`,
 * which stays the caller's.  Sound parts are copied byte for byte, and so is a sound file; any
 * other file becomes a stream.  `*stats` may be read while it runs.  0, or -1 and *error: it cannot
 * be read at all, or its detail begins with "cannot write".
 */
PP_API PP_MUST_CHECK int pp_mend(const char *path, int fd, const struct pp_mend_options *,
				 struct pp_mend_stats *stats, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
