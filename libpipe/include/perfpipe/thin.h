/*
 * thin.h - fewer samples, and smaller ones.
 *
 * Of the samples of an event on a CPU some stay, each of which has as its period the sum of its own and of
 * those that were left out since the one before it: sums of periods stay as they were, but for what comes
 * after the last one that stays.  Parts of samples are left out of all; their attributes say so.
 */
#ifndef PERFPIPE_THIN_H
#define PERFPIPE_THIN_H

#ifndef PP_UNSTABLE
#error "<perfpipe/thin.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/batch.h>
#include <perfpipe/rounds.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What may be left out of samples. */
enum pp_thin_part {
	PP_THIN_USER_STACK, PP_THIN_REGS, PP_THIN_RAW, PP_THIN_BRANCHES, PP_THIN_CALLCHAIN, PP_THIN_ADDR,
	PP_THIN_AUX, PP_THIN_PARTS,
};
/* The key of a note: how a stream was thinned, for people: "every 10, drop raw". */
#define PP_NOTE_THIN "thin"

struct pp_thin_options {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t every;               /* keep one of so many samples of an event and CPU; 0: all */
	uint64_t rate;                /* or: at most so many in a second of the recording; 0: all */
	uint32_t max_stack;           /* so many addresses of a call chain; 0: all */
	uint32_t drop;                /* a bit for each pp_thin_part that is left out */
	const char *said;             /* required: what the note says */
};

struct pp_thin_stats {
	uint64_t samples, kept;
	uint64_t unfit;               /* left out, since they have no room for their period */
	uint64_t after_last;          /* left out, and in the period of no other sample */
	uint64_t bytes;               /* of the samples that were left out */
	uint64_t chain_bytes;         /* of addresses beyond max_stack */
	uint64_t part_bytes[PP_THIN_PARTS];    /* of parts of the samples that stay, and of other records */
	uint64_t lost;                /* left out by pp_thin_live(), and in LOST_SAMPLES */
};

struct pp_thin;
/* The name of a part: "user-stack"; NULL past the last. */
PP_API const char *pp_thin_part(size_t i);
/* NULL: out of memory, or *error says what is wrong with the options. */
PP_API PP_MUST_CHECK struct pp_thin *pp_thin_new(const struct pp_thin_options *, struct pp_error *);
PP_API void pp_thin_free(struct pp_thin *);            /* NULL is fine */
/*
 * Before the first record: has this writer, of this descriptor, never wait until that is read, so that the
 * input of this reader is always read at once.  What a pipe has no room for waits in memory; while that is
 * more than 4 MiB, samples are left out, before any other rule, and LOST_SAMPLES say how many of each event,
 * at the end of a round and of the stream.  Of other records up to 256 MiB wait.  All three are used until
 * the writer's end, before the object is freed.  0, or -1: out of memory.
 */
PP_API PP_MUST_CHECK int pp_thin_live(struct pp_thin *, struct pp_reader *, struct pp_writer *, int fd);
/* After the last record, before the writer's end: writes what is to be said of it.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_thin_end(struct pp_thin *, struct pp_error *);
/* Shown each record as it comes, which it may change: PP_KEEP: write it; PP_DROP: do not, or it was written
 * here; -1 and *error. */
PP_API PP_MUST_CHECK int pp_thin_judge(struct pp_thin *, struct pp_record *, struct pp_writer *,
				       struct pp_error *);
/* The same of samples that follow each other, from number `from` on: the number of the first that
 * pp_thin_judge() has to see, before those after it.  Up to there keep[i] says which are to be written. */
PP_API PP_MUST_CHECK uint32_t pp_thin_batch(struct pp_thin *, const struct pp_batch *, uint32_t from,
					    bool *keep);
/* Valid as long as the object. */
PP_API const struct pp_thin_stats *pp_thin_stats(struct pp_thin *);

#ifdef __cplusplus
}
#endif

#endif
