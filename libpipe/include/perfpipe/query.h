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
 *		struct pp_error error;
 *		struct pp_query_error wrong;
 *		struct pp_query_facts facts = { NULL };
 *		struct pp_query *query = pp_query_compile(argc > 1 ? argv[1] : "true", &wrong);
 *		struct pp_reader *in = pp_reader_open(argc > 2 ? argv[2] : NULL, NULL, &error);
 *		struct pp_record record;
 *		unsigned long matches = 0;
 *
 *		if (!query || pp_query_needs_tasks(query) || !in)
 *			return fprintf(stderr, "%s\n", query ? "needs more" : wrong.text), 2;
 *		while (pp_reader_next(in, &record, &error) == PP_MORE)
 *			matches += pp_query_judges(query, record.type) && record.attr &&
 *				   pp_query_match(query, &record, &facts);
 *		printf("%lu\n", matches);
 *		pp_reader_close(in);
 *		pp_query_free(query);
 *		return 0;
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
/* What is wrong with an expression at this byte of it; or nothing is, but that memory lacks. */
struct pp_query_error { size_t at; bool no_memory; char text[160]; };
/* NULL and *error: not an expression. */
PP_API PP_MUST_CHECK struct pp_query *pp_query_compile(const char *text, struct pp_query_error *);
PP_API void pp_query_free(struct pp_query *);
PP_API bool pp_query_needs_tasks(const struct pp_query *);     /* judge in time order, feed tasks */
/* Made for pp_tasks_new() with this */
PP_API unsigned pp_query_tasks_with(const struct pp_query *);
PP_API bool pp_query_needs_tracepoints(const struct pp_query *);     /* see pp_query_settle() */
/* Has a "+5s" or "10%": asks for `first` */
PP_API bool pp_query_needs_first(const struct pp_query *);
/* Has a "-5s" or "10%": asks for `last` */
PP_API bool pp_query_needs_last(const struct pp_query *);
PP_API bool pp_query_needs_wall_clock(const struct pp_query *);/* asks for `wall_clock` */
/* Whether records of this type are to be judged: samples, and all that the kernel writes where the
 * query asks for what only these have.  Others pass, and so do those without a record->attr. */
PP_API bool pp_query_judges(const struct pp_query *, uint32_t type);
/* Before the first sample is asked about: has the stream the fields of tracepoints that are asked
 * for?  -1 and *error: an expression that is wrong for this stream. */
PP_API PP_MUST_CHECK int pp_query_settle(struct pp_query *, const struct pp_tracepoints *,
					 struct pp_query_error *);
/* What a query may ask beyond the record: what is not needed may stay 0. */
struct pp_query_facts {
	struct pp_tasks *tasks;       /* that took note of all up to this record, and of it */
	const struct pp_tracepoints *tracepoints;
	uint64_t first, last;         /* times of the stream's first and last sample */
	int64_t wall_clock;           /* ns from a time of the stream to that of the wall clock */
};
/* Does it match?  The record is of a type that is judged. */
PP_API bool pp_query_match(const struct pp_query *, const struct pp_record *,
			   const struct pp_query_facts *);
/* Reports, in words, the names and patterns of events and the fields of samples that the query asks
 * for and that none of these events has; nothing where there are no events. */
PP_API void pp_query_unmet(const struct pp_query *, const struct pp_attrs *,
			   void (*report)(void *arg, const char *text), void *arg);
/* Its comparisons in the order in which they are asked, how, and what follows: a line each. */
PP_API void pp_query_explain(const struct pp_query *, struct pp_out *);
/* Tells every field that a sample of this event has; of any event, where it is NULL.  `kind` is
 * "number", "time", "text", "bytes" or "group"; a name with [N] leads to several.  Names are
 * borrowed for the call; the same may come twice without an event. */
typedef void pp_query_field_fn(void *arg, const char *name, const char *kind, const char *doc);
PP_API void pp_query_fields(const struct pp_attr *, pp_query_field_fn *, void *arg);
/* The same of a tracepoint's own fields, in their long form. */
enum { PP_QUERY_TRACE_NAME = 256 };   /* bytes of the longest name told */
PP_API void pp_query_trace_fields(const struct pp_tracepoint *, pp_query_field_fn *, void *arg);
/* The same of the records of another type; of none that is not judged. */
PP_API void pp_query_side_fields(uint32_t type, pp_query_field_fn *, void *arg);

#ifdef __cplusplus
}
#endif

#endif
