/* sides.h - two commands that are recorded again and again, in turns, each time to a file of its own. */
#ifndef RECORD_SIDES_H
#define RECORD_SIDES_H

#include "cli/cli.h"

extern struct sides_options {
	bool compare;
	uint64_t repeat;              /* recordings of each side; 0: 10 */
	uint64_t warmup;              /* runs of each before, which are not recorded */
	const char *before, *after;   /* commands beside each recording; or NULL */
} sides_options;

/*
 * Records `commands`, of which there are two, in the order A B B A, to common.output, a folder, which is
 * made.  Each recording is made by a process of its own: there, and only there, it returns -1, with
 * common.output, the notes and *command as they are to be.  Else it returns the exit status of the
 * whole: that of the first command that failed, or EXIT_DONE.
 */
int sides_record(char **commands, struct cli_list *notes, char ***command);

#endif
