/* rounds_state.h - what rounds.c takes and round_release.c lets go: the records that are held, in runs. */
#ifndef PP_ROUNDS_STATE_H
#define PP_ROUNDS_STATE_H

#include <perfpipe/batch.h>

#include "order/round_buffer.h"
#include "write/round_interval.h"

/* What few records need stays out of the way of the others. */
#define RARE __attribute__((noinline, cold))

struct held_run {
	uint64_t end;			/* key of `last` */
	struct held *first, *last;	/* NULL: empty */
};

/*
 * Records without a time go before the smallest time that comes after them while they are
 * held.  That can only grow from one to the next, so that neighbours share it: a group.
 */
struct round_group {
	uint64_t key;
	struct held *first;
};

struct head {
	uint64_t key;
	struct held *first;
	struct held_run *run;
};

struct pp_rounds {
	struct pp_rounds_options options;
	struct pp_reader *reader;
	struct pp_writer *writer;
	struct pp_rounds_stats stats;
	const struct pp_attrs *attrs;
	uint64_t index;			/* of the record put last */

	uint64_t timed;			/* records with a time that are to be released */
	uint64_t seen;			/* largest time so far */
	uint64_t newest;		/* time at the end of all that wait, as perf counts it */
	uint64_t bound;			/* `newest` at the last round: what the next one releases; 0: none */
	uint64_t gone;			/* largest time that was released */
	struct due {			/* lazy: what may go */
		bool there;
		uint64_t bound, bytes;	/* up to this time, and so much of it */
	} due;
	bool stopped;			/* the judge said so */
	bool ending;			/* lazy: the last new round is due after what is released */
	/* With options.round a round waits until what follows it was judged: so many were judged, may
	 * go, and went. */
	uint64_t rounds_judged, rounds_due, rounds_gone;
	struct pp_round_interval pace;		/* of new rounds */

	struct held_run *runs;		/* of timed records, by descending end */
	size_t n_runs, room_runs, hint;
	struct held_run untimed, ends;	/* records without a time; rounds */
	struct round_group *groups;		/* of `untimed`: from `group` to before `n_groups` */
	size_t group, n_groups, room_groups;
	struct head *heap;
	size_t room_heap;

	struct pp_hold hold;		/* all records */
	const struct tail *shown;	/* of the record that the judge is shown, or NULL ... */
	uint64_t told;			/* ... and how many bytes of it were handed out */
};
/*
 * Lets all go whose time is not larger than `bound`, in their order, or the first of them,
 * *enough bytes (NEVER: all), of which it says how many did not go.  0, 1 (the judge said stop), -1.
 */
int pp_rounds_let_some_go(struct pp_rounds *, uint64_t bound, uint64_t *enough, struct pp_error *);

#endif
