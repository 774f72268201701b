/* build_query.h - what the options and the operand of pp-filter choose, as one expression. */
#ifndef PP_BUILD_QUERY_H
#define PP_BUILD_QUERY_H

#include "cli/cli.h"
#include <perfpipe/perfpipe.h>

struct choice {
	struct cli_list events, names;
	struct cli_ranges pids, tids, cpus;
	struct spans {
		struct cli_list inside;       /* one of them, each as an expression */
		struct cli_list past;         /* after the end of each that has one, likewise */
	} spans;                      /* of time */
	bool invert;
};

/* Adds FROM,TO, or as perf has it 10%-20%, to a struct spans.  For OPT_CALL. */
const char *choice_span(void *spans, const char *value);

/* What holds for samples after all spans, if all have an end and nothing is inverted: an expression
 * for the caller to free; else NULL. */
char *choice_past(const struct choice *);

/* All that was chosen, for the caller to free; NULL where nothing was.  *operand_at: where the
 * operand is in it, if there is one. */
char *choice_expression(const struct choice *, const char *operand, size_t *operand_at);

/* Exits with EXIT_MISUSE, showing the expression with a caret below the place of the mistake. */
void choice_refuse(const char *expression, const struct pp_error *) __attribute__((noreturn));

#endif
