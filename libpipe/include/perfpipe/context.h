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
 * The context of a match: what is near it in time, on the same thread or the same CPU.  Takes the
 * records of a stream in the order of their times and passes on those that stay, in the same order;
 * each waits until everything up to `span` ns newer was seen.
 */
struct pp_context;
/* Takes a record that stays, which is valid during this call only: 0, or -1, which is passed on. */
typedef int pp_context_out_fn(void *arg, struct pp_record *, struct pp_error *);
struct pp_context_stats {
	uint64_t near;                /* samples that stay but do not match themselves */
};
/* Records beyond the budget wait in a file without a name in TMPDIR.  NULL: out of memory. */
PP_API PP_MUST_CHECK struct pp_context *pp_context_open(uint64_t span, struct pp_budget *,
							pp_context_out_fn *, void *arg);
PP_API void pp_context_close(struct pp_context *);     /* NULL is fine */
/* Copies a record that has no tail; `match`: it is a sample that matches.  Other samples stay if
 * they are near a match, all other records always.  0, or -1: *error, or as `out` returned. */
PP_API PP_MUST_CHECK int pp_context_put(struct pp_context *, struct pp_record *, bool match,
					struct pp_error *);
/* The end of the input.  0, or -1 as above. */
PP_API PP_MUST_CHECK int pp_context_end(struct pp_context *, struct pp_error *);
PP_API const struct pp_context_stats *pp_context_stats(const struct pp_context *);

#ifdef __cplusplus
}
#endif

#endif
