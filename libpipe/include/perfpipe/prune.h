/* prune.h - keeps only the side-band that the samples of a stream need. */
#ifndef PERFPIPE_PRUNE_H
#define PERFPIPE_PRUNE_H

#ifndef PP_UNSTABLE
#error "<perfpipe/prune.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/rounds.h>
#include <perfpipe/sideband.h>
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
 * data name. The caller keeps all of them; if `reader` is NULL, it reads tails itself.  NULL: out of
 * memory. */
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
/*
 * Takes the head that a stream has which begins here, in place of its records: of all, or with `pid` of this
 * process's tasks.  It is written to the extent that what stays needs it.  The side-band stays the caller's,
 * and outlives the object.  0 or -1, as above.
 */
PP_API PP_MUST_CHECK int pp_prune_head(struct pp_prune *, struct pp_sideband *, const uint32_t *pid,
				       struct pp_error *);
/* Writes the rest of the head, if no record stayed.  0 or -1, as above. */
PP_API PP_MUST_CHECK int pp_prune_end(struct pp_prune *, struct pp_error *);
PP_API const struct pp_prune_stats *pp_prune_stats(const struct pp_prune *);

/* ---- Names ---- */

/*
 * Of the names that a stream has (<perfpipe/names.h>), those that the samples of an output need, which may
 * be one of many.  The caller writes them where a round is due, in its place, and at the end; names records
 * of the stream itself pass only where pp_names_kept_whole() says so.
 */
struct pp_names_kept;
/* Names, and the maps by which they are found, are kept within the budget.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_names_kept *pp_names_kept_new(struct pp_budget *);
PP_API void pp_names_kept_free(struct pp_names_kept *);        /* NULL is fine; and all shares */
/* Takes names out of a record, as soon as it is read; other records are ignored.  0, or -1 and *error: the
 * record is damaged, memory. */
PP_API PP_MUST_CHECK int pp_names_kept_learn(struct pp_names_kept *, const struct pp_record *,
					     struct pp_error *);
/* Takes the next record, in the order of times, whatever becomes of it.  Names have to be known by the first
 * of them, or all go everywhere.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_names_kept_note(struct pp_names_kept *, const struct pp_record *,
					    struct pp_error *);

/* What an output needs of them. */
struct pp_names_share;
PP_API PP_MUST_CHECK struct pp_names_share *pp_names_share_new(struct pp_names_kept *);   /* NULL: memory */
PP_API void pp_names_share_free(struct pp_names_share *);      /* NULL is fine */
/* Takes a record that is written there.  0, or -1 and *error: memory. */
PP_API PP_MUST_CHECK int pp_names_share_take(struct pp_names_share *, const struct pp_record *,
					     struct pp_error *);
/* Whether names records pass as they are, since which of the names an output needs cannot be said: they came
 * late, or samples are hidden in AUX traces. */
PP_API bool pp_names_kept_whole(const struct pp_names_kept *);
/* How many bytes records of what is to be written take at most; and takes back what the last record added to
 * that: it is not written here, nor is any other. */
PP_API uint64_t pp_names_share_bytes(const struct pp_names_share *);
PP_API void pp_names_share_untake(struct pp_names_share *);
/* Whether names are to be written; and takes out a record of them, which is valid until the next call: 1;
 * 0: there is none; -1 and *error. */
PP_API bool pp_names_share_any(const struct pp_names_share *);
PP_API PP_MUST_CHECK int pp_names_share_next(struct pp_names_share *, const void **record, size_t *size,
					     struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
