/* renames.h - what has other names on two sides that are compared: OLD=NEW, and programs as one. */
#ifndef DIFF_RENAMES_H
#define DIFF_RENAMES_H

#include "cli/cli.h"

extern struct rename_options {
	struct cli_list maps;         /* OLD=NEW */
	bool no_comm;                 /* programs, and folders of files, do not count */
} rename_options;

/* The rows of both in a table of options, with what is said of them in help. */
#define OPT_RENAMES(map_help, no_comm_help) \
	OPT_CALL(0, "map", "OLD=NEW", &rename_options.maps, renames_parse, map_help), \
	OPT_SWITCH(0, "no-comm", &rename_options.no_comm, no_comm_help)

const char *renames_parse(void *target, const char *value);
/* Whether one of them was given; exits where they exclude each other. */
bool renames_asked(void);
/* Parts "OLD=NEW": *length is that of OLD; NEW. */
const char *renames_part(const char *both, size_t *length);
/*
 * The name that takes the place of one, or itself: NEW of the first OLD that it is.  Where `path`, OLD may be
 * the end of a path, of whole parts: with a/app=b/app /home/a/app becomes /home/b/app.  Lives until the next
 * call, or as long as `name`.
 */
const char *renames_apply(const char *name, bool path);

#endif
