/* partners.h - what stacks begin with on two sides: which programs are compared with each other. */
#ifndef FLAME_PARTNERS_H
#define FLAME_PARTNERS_H

#include <perfpipe/flame.h>
#include <perfpipe/perfpipe.h>

#include "cli/cli.h"

extern struct partners_options {
	bool no_map;                  /* only what rename_options say is joined (renames.h) */
} partners_options;

/* Joins what belongs together, as it was asked for, or where a program has another name after, and says so.
 * `apart`: programs are no frames of what is drawn, but names of threads.  0, or -1 and *error: memory. */
int partners_join(struct pp_profile *, bool apart, struct pp_error *);
/* In words, for the head: what was joined, and what has no partner; NULL: nothing. */
const char *partners_words(void);
/* The same, as a page names the programs of threads. */
const struct pp_flame_rename *partners_renames(size_t *n);

#endif
