/*
 * rounds.h - holds records for two rounds and releases them in time order.
 *
 * A perf stream is not in time order: what a FINISHED_ROUND promises is that nothing after it is older
 * than the newest record before the last one.  So two rounds are held, and shown sorted; where the
 * promise is broken, the record that came late is counted.  The times of all records, in order:
 *
 *	#include <perfpipe/rounds.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	static int show(void *arg, struct pp_record *record, struct pp_error *error)
 *	{
 *		uint64_t time;
 *
 *		(void)arg, (void)error;
 *		if (pp_time(record, &time))
 *			printf("%" PRIu64 "\n", time);
 *		return PP_DROP;
 *	}
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
 *		struct pp_rounds_options how = { sizeof(how) };
 *		struct pp_rounds *rounds;
 *		struct pp_record record;
 *		int failed = 0, status;
 *
 *		how.judge = show;
 *		rounds = in ? pp_rounds_open(&how, in, NULL, &error) : NULL;
 *		while (rounds && !failed && pp_reader_next(in, &record, &error) == PP_MORE)
 *			failed = pp_rounds_put(rounds, &record, &error) < 0;
 *		failed = !rounds || failed || pp_rounds_end(rounds, &error);
 *		status = failed ? pp_error_status(&error) : pp_reader_status(in);
 *		pp_rounds_close(rounds);
 *		pp_reader_close(in);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_ROUNDS_H
#define PERFPIPE_ROUNDS_H

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_batch;
enum pp_rounds_order { PP_ROUNDS_STREAM, PP_ROUNDS_TIME };
enum pp_verdict { PP_DROP, PP_KEEP, PP_STOP };

/* Where to write new rounds in sorted output: before a record with a time, after so many such
 * records, or so many bytes of them, or when so many ns have passed since the first; 0 disables
 * each.  One more comes at the end. */
struct pp_cadence { uint64_t records, bytes, time; };

/*
 * Holds round n until FINISHED_ROUND n+1 (perf's rule: nothing after a round is older than the
 * newest record before the previous round), shows its records to `judge` in time order, and writes
 * those that it keeps, in stream order or in time order.
 */
struct pp_rounds_options {
	size_t size;                  /* of this struct: what a caller sets first */
	enum pp_rounds_order order;
	uint64_t limit;               /* bytes held at most; 0 means 256 MiB */
	const struct pp_budget *budget; /* includes what others hold; a quarter is reserved; or NULL */
	bool thrifty;                 /* order TIME: free what was released; the judge keeps copies */
	struct pp_cadence every;      /* order TIME: new rounds; all 0: the old ones */
	bool lazy;                    /* order TIME: what a round releases is due for pp_rounds_more() */
	/* Called for every record in time order (user records and untimed ones at their place).
	 * NULL keeps all.  May write other records through the writer before the one shown is
	 * written (order TIME, or before the whole round in order STREAM). -1: *error. */
	int (*judge)(void *arg, struct pp_record *, struct pp_error *);   /* a pp_verdict or -1 */
	void *arg;
	/* Called after the last of the records that are released together was judged, and (order STREAM)
	 * before any of them is written; not for a record that need not be held.  0, or -1 and *error.
	 * NULL: it is not needed. */
	int (*judged)(void *arg, struct pp_error *);
	/* Order STREAM: called for each FINISHED_ROUND when it is due, which then waits until the
	 * records that follow it were judged: PP_KEEP, PP_DROP (another was written for it), or -1.  One
	 * that comes while nothing is held is written at once, and `round` is not called for it.
	 * NULL: all are written as they are, at once. */
	int (*round)(void *arg, const struct pp_record *, struct pp_error *);
	/* May be called, instead of `judge`, for samples that follow each other, from number `from` on: sets
	 * keep[i], the verdict, of those up to the number that it returns.  That one is shown to `judge`, and
	 * then it is asked of those after it, with the same batch and keep.  It is called after the
	 * records of other types that are older, and before those that are newer; but in order STREAM perhaps
	 * not in the order of all samples, and so is `judge`; with `in_order` that one is shown a sample only
	 * when all that are older were judged.  NULL: `judge` sees each. */
	uint32_t (*judge_samples)(void *arg, const struct pp_batch *, uint32_t from, bool *keep);
	bool in_order;
};
struct pp_rounds;
/* NULL and *error.  Without a writer the judge drops all. */
PP_API PP_MUST_CHECK struct pp_rounds *pp_rounds_open(const struct pp_rounds_options *,
						      struct pp_reader *, struct pp_writer *,
						      struct pp_error *);
PP_API void pp_rounds_close(struct pp_rounds *);
/* Takes a record (its tail is read from the reader).  One without a time is judged and written at once if no
 * record with a time waits, also if lazy.  0; 1: the judge said PP_STOP, now or earlier, and no more is
 * released; -1. */
PP_API PP_MUST_CHECK int pp_rounds_put(struct pp_rounds *, const struct pp_record *,
				       struct pp_error *);
/* For a judge without a writer (when all is dropped): the next piece of the tail of the record
 * shown, valid until the next call: PP_MORE, PP_END or PP_FAILED. */
PP_API PP_MUST_CHECK enum pp_status pp_rounds_tail(struct pp_rounds *, const void **piece,
						   size_t *size, struct pp_error *);
/* Releases everything that is held; lazy: it is due.  0, also after PP_STOP; or -1. */
PP_API PP_MUST_CHECK int pp_rounds_end(struct pp_rounds *, struct pp_error *);
/* Lazy: releases about `enough` bytes of what is due; while it returns PP_MORE nothing may be put.
 * PP_END: that was all, or the judge said PP_STOP; or PP_FAILED and *error. */
PP_API PP_MUST_CHECK enum pp_status pp_rounds_more(struct pp_rounds *, uint64_t enough,
						   struct pp_error *);
struct pp_rounds_stats {
	uint64_t rounds, largest;     /* rounds seen; bytes of the largest two held */
	uint64_t late;                /* records older than the newest that was already released */
	uint64_t worst;               /* by how many ns at most */
	uint64_t overflows;           /* how often the limit forced half out */
	uint64_t disorder;            /* records that follow a newer one in the input */
};
PP_API const struct pp_rounds_stats *pp_rounds_stats(const struct pp_rounds *);

#ifdef __cplusplus
}
#endif

#endif
