/* text_input.h - inputs that may be text: what perf script prints, or folded stacks, by their first lines. */
#ifndef PP_TEXT_INPUT_H
#define PP_TEXT_INPUT_H

#include "fold/stream_to_profile.h"

struct text_input {
	const char *path;             /* NULL: standard input */
	enum pp_profile_side side;
	bool text, script;            /* it is not a recording; it is the text of perf script */
	int fd;                       /* of a text: open until it was read */
	uint64_t lines, stacks, wrong;
};

/* Looks whether text is at a path, NULL or "-" being standard input, and leaves text open.  Exits if it is
 * neither text nor a recording. */
void text_input_open(struct text_input *, const char *path, enum pp_profile_side);
/* Reads a text into stacks_profile(), and says what is wrong with it: the exit status.  `alone`: there is no
 * other, so that it may be a difference, folded stacks with two weights each. */
int text_input_read(struct text_input *, bool alone);
/* The profile of what was read. */
struct pp_profile *text_input_profile(void);
void text_input_free(void);

#endif
