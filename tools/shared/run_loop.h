/* run_loop.h - what the runs of filters, sinks and sources share: the steps around a loop. */
#ifndef PP_RUN_LOOP_H
#define PP_RUN_LOOP_H

#include "shared/advice.h"
#include "shared/run.h"

#include <sys/types.h>

/* The first records of a stream, each in memory of its own. */
struct first_records { struct pp_record *items; size_t count, bytes; };

/* A run, and what the tool need not see of it. */
struct loop {
	struct run run;                 /* first: a struct run * of a tool's function leads back here */
	const struct filter *filter;    /* one of the three */
	const struct sink *sink;
	const struct source *source;
	struct progress progress;
	struct report report;
	const char *input;              /* what is read; NULL: standard input */
	struct advice_losses losses;
	uint64_t lost;                  /* in all */
	bool started;                   /* the tool's start() went well: its other functions may be called */
	struct first_records head;               /* what was read, and waits */
	struct pp_time_span *span;      /* of what run.in reads; NULL: all */
	struct pp_reader *first;        /* what run.in has taken the place of, or NULL */
	struct { pid_t pid; int said; } unwinding;      /* the process that run.in comes from; 0: none, */
	bool (*ended_well)(struct loop *);              /* and whether it is well that it has ended */
	bool beside;                    /* the same run reads another stream after this one */
	bool inner;                     /* this is that process, */
	const char *late;               /* and this becomes of records too late for their time */
	bool unwound;                   /* an earlier stage made the call chains */
	bool copies;                    /* a sample has a copy of its stack, of which no chain was made */
	bool ended;                     /* an error that ends the run was reported */
	bool failed;                    /* it was the sink's: it is shown no more records */
	bool refused;                   /* what was asked for cannot be had, as was reported */
};

/* Opens the output, which is a `stream`, before the input: what cannot be written is known before
 * anything is waited for.  `reads`: common.input is read. */
void loop_open_output(struct loop *, bool stream, bool reads);
/* Opens loop->input.  0, or -1 and *error, which is not reported yet. */
int loop_open_input(struct loop *, bool raw, struct pp_error *);
/* The same in two steps, of a sink: nothing is read in the first. */
int loop_open_unread(struct loop *, struct pp_error *);
int loop_begin_unread(struct loop *, struct pp_error *);
/* Reads that one from now on. */
void loop_read_from(struct loop *, struct pp_reader *);
/* Runs loop->filter on loop->head and what is left of run.in, into run.fd: the exit status. */
int loop_filter(struct loop *);
/* Closes what was read. */
void loop_close_input(struct loop *);
/* Says what an error is, and remembers the exit status. */
void loop_report(struct loop *, const struct pp_error *);
/* What a function of the tool returned -1 for: true where the run goes on.  `record`: the one that
 * it was called for, or NULL.  Exits where the output failed. */
bool loop_survives(struct loop *, const struct pp_record *record);
/* The same where the run cannot go on; an error without a code was reported before. */
void loop_fail(struct loop *);
/* loop_next() where reading failed: the same values. */
int loop_next_after(struct loop *, struct pp_record *, struct pp_error *);
/* Opens loop->run.rounds; exits where there is no memory. */
void loop_open_rounds(struct loop *, const struct pp_rounds_options *);
/* Lets go of all that waits for its time. */
void loop_end_rounds(struct loop *);
/* Adds up what records say about lost ones. */
void loop_count_lost(struct loop *, const struct pp_record *);
/* Says what there is to say of the whole input. */
void loop_report_input(struct loop *, const char *late);
/* Closes all, and returns the exit status; an output that was not `begun` is left as it was. */
int loop_close(struct loop *, bool begun);

/* Reads a record; 1, 0 at the end, -1 where reading ends for an error.  Damage is passed over. */
static inline int loop_next(struct loop *loop, struct pp_record *record)
{
	struct pp_error error;        /* not cleared: it is large, and this is the hot path */
	int got;

	error.code = PP_OK;
	got = pp_reader_next(loop->run.in, record, &error);
	return got < 0 ? loop_next_after(loop, record, &error) : got;
}

static inline void loop_count(struct loop *loop, const struct pp_record *record)
{
	if (record->type == PP_REC_SAMPLE)
		loop->run.samples++;
	else
		loop_count_lost(loop, record);
}

/* Has `take` take the samples that need no step of reading, one by one, until it returns another number than
 * 0: that.  Those after it are still to be read. */
static inline int loop_take_batches(struct loop *loop, int (*take)(struct loop *, struct pp_record *))
{
	struct pp_batch batch;
	struct pp_record record;
	int result = 0;

	while (!result && pp_reader_batch(loop->run.in, &batch)) {
		uint32_t n = 0;

		while (!result && n < batch.count) {
			pp_batch_record(&batch, n++, &record);
			loop->run.samples++;
			result = take(loop, &record);
		}
		if (n < batch.count)
			pp_reader_unbatch(loop->run.in, &batch, n);
	}
	return result;
}

#endif
