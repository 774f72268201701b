/* first.h - the first record of each value of a field, or of several. */
#ifndef PERFPIPE_FIRST_H
#define PERFPIPE_FIRST_H

#ifndef PP_UNSTABLE
#error "<perfpipe/first.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/query.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first record of each value of a field, or of each combination of several.  Remembers a 64-bit
 * hash of each.
 */
struct pp_first;
/* "comm" or "pid,cpu": fields that have one value.  NULL and *error. */
PP_API PP_MUST_CHECK struct pp_first *pp_first_open(const char *fields, struct pp_error *);
PP_API void pp_first_close(struct pp_first *);         /* NULL is fine */
/* The i-th field as a query, for pp_query_needs_tasks() and its like; NULL past the last.  Borrowed. */
PP_API const struct pp_query *pp_first_at(const struct pp_first *, size_t i);
PP_API unsigned pp_first_tasks_with(const struct pp_first *);
/* As pp_query_settle(). */
PP_API PP_MUST_CHECK int pp_first_settle(struct pp_first *, const struct pp_tracepoints *,
					 struct pp_error *);
/* 1: no earlier record had these values (a missing value counts as a value), 0, or -1 and
 * *error. */
PP_API PP_MUST_CHECK int pp_first_of(struct pp_first *, const struct pp_record *,
				     const struct pp_query_facts *,
				     struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
