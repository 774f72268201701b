/* piece_deputy.h - what pp-split asks the process that makes its files and runs its commands. */
#ifndef PP_PIECE_DEPUTY_H
#define PP_PIECE_DEPUTY_H

#include "split/piece_files.h"

/* An answer's number is 0, an errno, or one of those below. */
struct piece_question {
	enum {
		PIECE_FILE,           /* a descriptor of its file */
		PIECE_COMMAND,        /* one to a command, whose process is the text */
		PIECE_END,            /* the wait status of `child`, which is the text */
		PIECE_REMOVE,         /* its file */
	} what;
	pid_t child;
	uint64_t number;
	char key[KEY_MAX];
};
enum { PIECE_IS_INPUT = -1, PIECE_REFUSED = -2 };     /* of files; the text is why it is refused */

/* Starts it; NULL and *error. */
struct pp_deputy *pieces_deputy(struct pieces *, struct pp_error *);

#endif
