/*
 * query.h - the filter's language: expressions about records.
 *
 * An expression is compiled once and asked of each record; pp-filter(1) has the language.  What it
 * asks for beyond the record (names, maps, tracepoints) it says, and the caller keeps: a query whose
 * needs are not met does not match.  How many samples match an expression of their own fields:
 *
 *	#include <perfpipe/query.h>
 *	#include <perfpipe/reader.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error, wrong;
 *		struct pp_query_facts facts = { sizeof(facts) };
 *		struct pp_query *query = pp_query_compile(argc > 1 ? argv[1] : "true", &wrong);
 *		struct pp_reader *in = pp_reader_open(argc > 2 ? argv[2] : NULL, NULL, &error);
 *		struct pp_record record;
 *		unsigned long matches = 0;
 *		int status;
 *
 *		if (!query || pp_query_needs_tasks(query) || !in)
 *			return fprintf(stderr, "%s\n", query ? "needs more" : wrong.detail), 2;
 *		while (pp_reader_next(in, &record, &error) == PP_MORE)
 *			matches += pp_query_judges(query, record.type) && record.attr &&
 *				   pp_query_match(query, &record, &facts);
 *		printf("%lu\n", matches);
 *		status = pp_reader_status(in);
 *		pp_reader_close(in);
 *		pp_query_free(query);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_QUERY_H
#define PERFPIPE_QUERY_H

#include <perfpipe/api.h>
#include <perfpipe/output.h>
#include <perfpipe/tasks.h>
#include <perfpipe/tracepoint.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_query;
struct pp_symbols;
/* NULL and *error: not an expression, and `at` is the byte of it that is wrong; or memory is lacking
 * (PP_E_NOMEM). */
PP_API PP_MUST_CHECK struct pp_query *pp_query_compile(const char *text, struct pp_error *);
PP_API void pp_query_free(struct pp_query *);
PP_API bool pp_query_needs_tasks(const struct pp_query *);     /* needs time order and tasks */
/* needs pp_tasks_new() with these */
PP_API unsigned pp_query_tasks_with(const struct pp_query *);
PP_API bool pp_query_needs_tracepoints(const struct pp_query *);     /* see pp_query_settle() */
/* has a "+5s" or "10%": needs `first` */
PP_API bool pp_query_needs_first(const struct pp_query *);
/* has a "-5s" or "10%": needs `last` */
PP_API bool pp_query_needs_last(const struct pp_query *);
PP_API bool pp_query_needs_wall_clock(const struct pp_query *);/* needs `wall_clock` */
PP_API bool pp_query_needs_names(const struct pp_query *);     /* of functions: needs `symbols` */
PP_API bool pp_query_needs_lines(const struct pp_query *);     /* which have lines */
/* Whether memory was lacking for names, of functions or of system calls: what asked for one did not match. */
PP_API bool pp_query_names_failed(const struct pp_query *);
/* At least so many addresses have names now, but had none when they were asked about last. */
PP_API size_t pp_query_names_late(const struct pp_query *, struct pp_symbols *);
/* Whether names were asked for, and none was known. */
PP_API bool pp_query_names_missing(const struct pp_query *);
/* Whether records of this type are to be tested: samples, and, if the query uses fields that only
 * other records have, all that the kernel writes.  Others pass, and so do those without a
 * record->attr. */
PP_API bool pp_query_judges(const struct pp_query *, uint32_t type);
/* Call before the first sample is tested: does the stream have the fields of tracepoints that the
 * query uses?  -1 and *error: the expression is wrong for this stream. */
PP_API PP_MUST_CHECK int pp_query_settle(struct pp_query *, const struct pp_tracepoints *,
					 struct pp_error *);
/* What a query may need besides the record; what is not needed may stay 0.  A caller who was compiled
 * with an older header has a smaller one: the rest is then 0. */
struct pp_query_facts {
	size_t size;                  /* sizeof(struct pp_query_facts) */
	struct pp_tasks *tasks;       /* that was fed all records up to this one, included */
	const struct pp_tracepoints *tracepoints;
	uint64_t first, last;         /* times of the stream's first and last sample */
	int64_t wall_clock;           /* ns from a time of the stream to that of the wall clock */
	struct pp_symbols *symbols;   /* of these tasks, shown the records up to this one, too */
};
/* Does it match?  The record must be of a type that is tested. */
PP_API bool pp_query_match(const struct pp_query *, const struct pp_record *,
			   const struct pp_query_facts *);
/* Reports, in words, the names and patterns of events and the fields of samples that the query uses
 * and that none of these events has; nothing if there are no events. */
PP_API void pp_query_unmet(const struct pp_query *, const struct pp_attrs *,
			   void (*report)(void *arg, const char *text), void *arg);
/* Its comparisons in the order of evaluation, how each is made, and what follows: one line each. */
PP_API void pp_query_explain(const struct pp_query *, struct pp_out *);
/* Lists every field that a sample of this event has; of any event if it is NULL.  `kind` is
 * "number", "time", "text", "bytes" or "group"; a name with [N] has several values.  Names are
 * borrowed for the call; without an event, one may come twice. */
typedef void pp_query_field_fn(void *arg, const char *name, const char *kind, const char *doc);
PP_API void pp_query_fields(const struct pp_attr *, pp_query_field_fn *, void *arg);
/* The same for a tracepoint's own fields, in their long form. */
enum { PP_QUERY_TRACE_NAME = 256 };   /* bytes of the longest name listed */
PP_API void pp_query_trace_fields(const struct pp_tracepoint *, pp_query_field_fn *, void *arg);
/* The same for records of another type; nothing for types that are not tested. */
PP_API void pp_query_side_fields(uint32_t type, pp_query_field_fn *, void *arg);

#ifdef __cplusplus
}
#endif

#endif
