/* ring_output.h - where pp-ring lets its streams out: files named by the time, or one output that is open. */
#ifndef PP_RING_OUTPUT_H
#define PP_RING_OUTPUT_H

#include <stdint.h>
#include <time.h>

struct ring_output {
	const char *pattern;          /* of strftime(3), %u is the number; NULL: standard output */
	char *folder;                 /* of the files; NULL: `fd` is the one output */
	int fd;                       /* that is being written; -1: none */
	char *name, *part;            /* of its file; `part` until it is complete */
};

/* Finds out which of both it is, while files may be opened.  Exits where neither can be had. */
void ring_output_open(struct ring_output *);
/* Makes the file for this moment; exits where that fails. */
void ring_output_begin(struct ring_output *, time_t when, uint64_t number);
/* It is complete, and gets its name. */
void ring_output_finish(struct ring_output *);
/* Removes the file that is not complete, if there is one; says so where that fails.  Safe at exit. */
void ring_output_discard(struct ring_output *);
/* What messages call it. */
const char *ring_output_name(const struct ring_output *);

#endif
