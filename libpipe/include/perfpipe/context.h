/* context.h - what is near a match in time, on the same thread or the same CPU. */
#ifndef PERFPIPE_CONTEXT_H
#define PERFPIPE_CONTEXT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/context.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/record.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What is near a match in time, on the same thread or the same CPU: its context.  Takes the
 * records of a stream in the order of their times and lets go of those that stay in that order;
 * each waits until all that is at most `span` ns younger was seen.
 */
struct pp_context;
/* Takes a record that stays, which is valid during this call only: 0, or -1, which is handed on. */
typedef int pp_context_out(void *arg, struct pp_record *, struct pp_error *);
struct pp_context_stats {
	uint64_t near;                /* samples that stay and match nothing themselves */
};
/* What waits beyond the budget is in a file without a name in TMPDIR.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_context *pp_context_open(uint64_t span, struct pp_budget *,
							pp_context_out *, void *arg);
PP_API void pp_context_close(struct pp_context *);     /* NULL is fine */
/* Copies a record that has no tail; `match`: it is a sample that matches.  Samples that do not
 * match stay if they are near one, all others always.  0, or -1: *error, or as `out` returned. */
PP_API PP_MUST_CHECK int pp_context_put(struct pp_context *, struct pp_record *, bool match,
					struct pp_error *);
/* No more comes.  0, or -1 as above. */
PP_API PP_MUST_CHECK int pp_context_end(struct pp_context *, struct pp_error *);
PP_API const struct pp_context_stats *pp_context_stats(const struct pp_context *);

#ifdef __cplusplus
}
#endif

#endif
