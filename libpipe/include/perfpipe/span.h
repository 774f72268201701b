/*
 * span.h - two occurrences that belong together become one sample, whose period is the time between them.
 *
 * Records are shown as they come, then in the order of their times.  What is made is written when the span
 * ends, by the writer that passes all else.
 */
#ifndef PERFPIPE_SPAN_H
#define PERFPIPE_SPAN_H

#ifndef PP_UNSTABLE
#error "<perfpipe/span.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/reader.h>
#include <perfpipe/rounds.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_span_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *preset;           /* which spans: a name of pp_spans_preset() */
	struct pp_budget *budget;     /* required: of threads and their stacks */
	uint64_t least;               /* ns: shorter ones are counted, not written */
	bool no_cut;                  /* so are those of which only a part is known */
	bool kernel_threads;          /* those of kernel threads are written, too */
	bool keep;                    /* the records that spans are made of pass */
	bool wakers;                  /* waits: before each of them a sample of who woke the thread */
	/*
	 * Without a preset: "EVENT" or "EVENT[EXPRESSION]", which begin and end a span, and fields that have
	 * the same values in both, as in "tid,cpu"; "a=b" is field a of what begins it and b of what ends it.
	 */
	const char *from, *to, *by;
	const char *name;             /* of their event; NULL: "span" */
	bool second_stack;            /* task and call chain are those where it ends, not where it begins */
};

/* How many, and how long they are in all, in ns. */
struct pp_span_sum { uint64_t count, time; };
struct pp_span_stats {
	struct pp_span_sum written;   /* whole ones */
	struct pp_span_sum cut;       /* written or not */
	struct pp_span_sum kernel;    /* of kernel threads, left out */
	struct pp_span_sum brief;     /* too short, left out */
	uint64_t sums;                /* samples that are sums of many waits, as perf adds them up */
	bool none;                    /* the stream has no events that spans could be made of */
	uint64_t unbegun;             /* ends of spans whose begin is not known */
};

struct pp_spans;
/* The name of the i-th preset; NULL past the last. */
PP_API const char *pp_spans_preset(size_t i);
/* The tracepoint that begins its spans (0) or ends them (1); NULL: it is no tracepoint,
 * but where a thread leaves its CPU, or runs. */
PP_API const char *pp_spans_event(size_t i, unsigned end);
/* They watch the tails of this reader.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_spans *pp_spans_new(const struct pp_span_options *, struct pp_reader *,
						   struct pp_error *);
PP_API void pp_spans_free(struct pp_spans *);           /* NULL is fine */
/* Shown each record as it comes, samples apart: a pp_verdict, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_spans_admit(struct pp_spans *, const struct pp_record *, struct pp_writer *,
					struct pp_error *);
/* Shown each record in the order of its time: a pp_verdict, or -1 and *error; PP_E_USE where the stream has
 * not what spans need. */
PP_API PP_MUST_CHECK int pp_spans_judge(struct pp_spans *, const struct pp_record *, struct pp_writer *,
					struct pp_error *);
/* After the last: writes the spans that have not ended.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_spans_end(struct pp_spans *, struct pp_writer *, struct pp_error *);
PP_API const struct pp_span_stats *pp_spans_stats(const struct pp_spans *);

#ifdef __cplusplus
}
#endif

#endif
