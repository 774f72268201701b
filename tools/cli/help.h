/* help.h - the rows of a tool's option table, with those that every tool has. */
#ifndef PP_HELP_H
#define PP_HELP_H

#include "cli/cli.h"

/* The tool whose rows are meant from here on; it is borrowed. */
void help_for(const struct tool *);

/* The option after `spec`, the first after NULL: the tool's, then -h and its kin; NULL after the last. */
const struct option_spec *help_next_option(const struct option_spec *spec);

/* The library that this option needs and the program was built without; NULL: it works. */
const char *help_lack(const struct option_spec *);

#endif
