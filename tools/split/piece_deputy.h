/* piece_deputy.h - what pp-split asks the process that makes its files and runs its commands. */
#ifndef PP_PIECE_DEPUTY_H
#define PP_PIECE_DEPUTY_H

#include "split/piece_files.h"

/* An answer's number is 0, an errno, or one of those below. */
struct piece_question {
	enum {
		PIECE_FILE,           /* open its file: a descriptor */
		PIECE_COMMAND,        /* start its command: a descriptor to it; the text is its pid_t */
		PIECE_END,            /* wait for `child`: the text is its status, an int */
		PIECE_REMOVE,         /* remove its file */
	} what;
	pid_t child;
	uint64_t number;
	char key[KEY_MAX];
};
enum { PIECE_IS_INPUT = -1, PIECE_REFUSED = -2 };     /* of files; the text is why it is refused */

/* Starts it; NULL and *error. */
struct pp_deputy *pieces_deputy(struct pieces *, struct pp_error *);

#endif
