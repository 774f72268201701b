/* list_fields.h - lists the fields that pp-filter's expressions may ask. */
#ifndef PP_LIST_FIELDS_H
#define PP_LIST_FIELDS_H

#include "shared/run.h"

/* Runs the tool to list those of its input, and returns its exit status. */
int fields_list(const struct tool *);

/* Prints those of any stream, a line each, for the shells' completions, and exits.  For OPT_CALL. */
const char *fields_print_names(void *unused, const char *value) __attribute__((noreturn));

#endif
