/* pair_ends.h - what begins and ends a span: an event, an expression, and the fields that make its key. */
#ifndef PAIR_ENDS_H
#define PAIR_ENDS_H

#include <perfpipe/perfpipe.h>

/* One end of spans. */
struct pp_pair_end {
	char *event;                  /* its name */
	struct pp_query *query;       /* NULL: all its samples */
	char *by;                     /* the fields that make its key */
	struct pp_first *key;
};

/* Takes "EVENT[EXPRESSION]", and the fields on one side of "a,b=c": `second`: a and c, else a and b.  0, or
 * -1 and *error: PP_E_USE, which says what is wrong. */
int pp_pair_end_take(struct pp_pair_end *, const char *text, const char *by, bool second, struct pp_error *);
/* As pp_query_settle(). */
int pp_pair_end_settle(struct pp_pair_end *, const struct pp_tracepoints *, struct pp_error *);
bool pp_pair_end_needs_tasks(const struct pp_pair_end *);
/* What pp_tasks_new() has to keep for it. */
unsigned pp_pair_end_tasks_with(const struct pp_pair_end *);
/* Whether a sample of its event is such an end; then *key is that of the span. */
bool pp_pair_end_is(const struct pp_pair_end *, const struct pp_record *, const struct pp_query_facts *,
		    uint64_t *key);
void pp_pair_end_free(struct pp_pair_end *);

#endif
