/* partners.h - what stacks begin with on two sides: which programs are compared with each other. */
#ifndef FLAME_PARTNERS_H
#define FLAME_PARTNERS_H

#include <perfpipe/perfpipe.h>

#include "cli/cli.h"

extern struct partners_options {
	struct cli_list maps;         /* OLD=NEW */
	bool no_comm, no_map;
} partners_options;

const char *partners_parse_map(void *target, const char *value);

/* Whether what stacks begin with is to be changed, whatever they are. */
bool partners_asked(void);
/* Joins what belongs together, as it was asked for, or where a program has another name after, and says so.
 * 0, or -1 and *error: memory. */
int partners_join(struct pp_profile *, struct pp_error *);
/* In words, for the head: what was joined, and what has no partner; NULL: nothing. */
const char *partners_words(void);

#endif
