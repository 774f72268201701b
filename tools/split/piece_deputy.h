/* piece_deputy.h - what pp-split asks the process that makes its files and runs its commands. */
#ifndef PP_PIECE_DEPUTY_H
#define PP_PIECE_DEPUTY_H

#include "split/piece_files.h"

/* An answer's number is 0, an errno, or one of those below.  Where names are timed, the name is the text,
 * or follows in it, with its '\0', unless that says why it is refused. */
struct piece_question {
	enum {
		PIECE_FILE,           /* open its file: a descriptor */
		PIECE_COMMAND,        /* start its command: a descriptor to it; the text has its pid_t */
		PIECE_END,            /* wait for `child`: the text is its status, an int */
		PIECE_REMOVE,         /* remove its file; where names are timed, the oldest one */
	} what;
	pid_t child;
	uint64_t number;
	time_t when;                  /* that timed names say */
	char key[KEY_MAX];
};
enum { PIECE_IS_INPUT = -1, PIECE_REFUSED = -2 };     /* of files; the text is why it is refused */

/* Starts it; NULL and *error. */
struct pp_deputy *pieces_deputy(struct pieces *, struct pp_error *);

#endif
