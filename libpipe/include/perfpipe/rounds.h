/*
 * rounds.h - holds records for two rounds and lets them go in time order.
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
 *		int failed = 0;
 *
 *		how.judge = show;
 *		rounds = in ? pp_rounds_open(&how, in, NULL, &error) : NULL;
 *		while (rounds && !failed && pp_reader_next(in, &record, &error) == PP_MORE)
 *			failed = pp_rounds_put(rounds, &record, &error) < 0;
 *		failed = !rounds || failed || pp_rounds_end(rounds, &error);
 *		pp_rounds_close(rounds);
 *		pp_reader_close(in);
 *		return failed ? pp_error_status(&error) : 0;
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

enum pp_rounds_order { PP_ROUNDS_STREAM, PP_ROUNDS_TIME };
enum pp_verdict { PP_DROP, PP_KEEP, PP_STOP };

/* Where new rounds stand in what leaves in order: before the record with a time that comes behind
 * so many of them, or so many bytes of them, or when so many ns have passed since the first; what
 * is 0 does not count.  One more stands at the end. */
struct pp_cadence { uint64_t records, bytes, time; };

/*
 * Holds round n until FINISHED_ROUND n+1 (perf's rule: what a round lets go is no older than
 * what the round before it let go), shows its records to `judge` in time order, and writes
 * those that it keeps, in stream order or in time order.
 */
struct pp_rounds_options {
	size_t size;                  /* of this struct: what a caller sets first */
	enum pp_rounds_order order;
	uint64_t limit;               /* bytes held at most; 0 means 256 MiB */
	const struct pp_budget *budget; /* what others hold counts too, but a quarter is left; or NULL */
	bool thrifty;                 /* order TIME: what left gives its memory back: the judge keeps it */
	struct pp_cadence every;      /* order TIME: new rounds in place of the old ones; all 0: those */
	bool lazy;                    /* order TIME: what is due goes as pp_rounds_more() asks for it */
	/* Called for every record in time order (user records and untimed ones at their place).
	 * NULL keeps all.  May write records of its own through the writer before the one shown
	 * is written (order TIME, or before the whole round in order STREAM). -1: *error. */
	int (*judge)(void *arg, struct pp_record *, struct pp_error *);   /* a pp_verdict or -1 */
	void *arg;
};
struct pp_rounds;
/* NULL and *error.  Without a writer the judge drops all. */
PP_API PP_MUST_CHECK struct pp_rounds *pp_rounds_open(const struct pp_rounds_options *,
						      struct pp_reader *, struct pp_writer *,
						      struct pp_error *);
PP_API void pp_rounds_close(struct pp_rounds *);
/* Takes a record (its tail is read from the reader).  0, 1 (judge said STOP), -1. */
PP_API PP_MUST_CHECK int pp_rounds_put(struct pp_rounds *, const struct pp_record *,
				       struct pp_error *);
/* For a judge, where there is no writer (and all is dropped): the next piece of the tail of the
 * record that it is shown, valid until the next call: PP_MORE, PP_END or PP_FAILED. */
PP_API PP_MUST_CHECK enum pp_status pp_rounds_tail(struct pp_rounds *, const void **piece,
						   size_t *size, struct pp_error *);
/* Lets go of all that is held. */
PP_API PP_MUST_CHECK int pp_rounds_end(struct pp_rounds *, struct pp_error *);
/* Lazy: lets go of some `enough` bytes of what is due; as long as it returns PP_MORE
 * nothing may be put.  PP_END: that was all; or PP_FAILED and *error. */
PP_API PP_MUST_CHECK enum pp_status pp_rounds_more(struct pp_rounds *, uint64_t enough,
						   struct pp_error *);
struct pp_rounds_stats {
	uint64_t rounds, largest;     /* rounds seen; bytes of the largest two held */
	uint64_t late;                /* records older than what was already let go */
	uint64_t worst;               /* by how many ns */
	uint64_t overflows;           /* how often the limit forced half out */
	uint64_t disorder;            /* records before which a later one stood in the input */
};
PP_API const struct pp_rounds_stats *pp_rounds_stats(const struct pp_rounds *);

#ifdef __cplusplus
}
#endif

#endif
