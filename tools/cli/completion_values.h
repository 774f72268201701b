/* completion_values.h - what may be given for the argument of an option, for the shells' completions. */
#ifndef PP_COMPLETION_VALUES_H
#define PP_COMPLETION_VALUES_H

#include "cli/cli.h"

/*
 * Prints the values of what the tool's option table calls `arg`, such as EVENT or TYPES, a line each:
 * the value, and where there is more to say of it a tab and that.  Nothing for a name without a list.
 * `recording`: a file, of whose events and samples the values are, or NULL; only one that can be opened
 * and read without waiting is looked at.
 */
void values_print(const struct tool *, const char *arg, const char *recording);

/* Where a package puts perf's files of metrics. */
#define VALUES_METRICS_INSTALLED "/usr/share/perfpipe/metrics"

#endif
