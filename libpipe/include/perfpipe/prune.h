/* prune.h - keeps only the side-band that the samples of a stream need. */
#ifndef PERFPIPE_PRUNE_H
#define PERFPIPE_PRUNE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/prune.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/rounds.h>
#include <perfpipe/tracepoint.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Side-band is held back until a sample needs it, then written before that sample; the rest is
 * dropped.  Records about events, and the head of the stream, are held until the first record that
 * stays.  model/prune.c says what a sample needs.
 */
struct pp_prune;
struct pp_prune_stats {
	uint64_t side_band, kept;     /* its records; those that were written */
	bool spilled;                 /* more was held than fits in memory */
};
/* Records that are held beyond the budget go to a file without a name in TMPDIR.  Records come from
 * the reader and go to the writer; `tracepoints` watch the reader, and show which threads their
 * data name. The caller keeps all of them.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_prune *pp_prune_new(struct pp_budget *,
						   const struct pp_tracepoints *, struct pp_reader *,
						   struct pp_writer *);
PP_API void pp_prune_free(struct pp_prune *);          /* NULL is fine */
/*
 * Shows it the next record, in the order of times; of the samples only those that stay. PP_KEEP:
 * write it now, after what was written here; PP_DROP: it is not needed, or not yet, or (a sample)
 * was written, or waits for the head; -1 and *error (the file, memory) or pp_writer_os(), and
 * PP_STOP from then on.
 */
PP_API PP_MUST_CHECK int pp_prune_judge(struct pp_prune *, const struct pp_record *,
					struct pp_error *);
/* Writes the rest of the head, if no record stayed.  0 or -1, as above. */
PP_API PP_MUST_CHECK int pp_prune_end(struct pp_prune *, struct pp_error *);
PP_API const struct pp_prune_stats *pp_prune_stats(const struct pp_prune *);

#ifdef __cplusplus
}
#endif

#endif
