/* piece_files.h - the pieces that pp-split writes: their names, and each a file or a command's input. */
#ifndef PP_PIECE_FILES_H
#define PP_PIECE_FILES_H

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "cli/cli.h"
#include <perfpipe/perfpipe.h>

enum { KEY_MAX = 200 };               /* bytes of a key in a file's name, and its end */

/* How all pieces are named and written. */
struct pieces {
	const char *pattern;          /* %u, %03u: the number; {}: the key; or a folder for `timed` names */
	const char *timed;            /* of strftime(3), with %n and {} as well; NULL: `pattern` names them */
	const char *command;          /* gets each piece on its standard input; NULL: files */
	bool keyed;                   /* pieces have keys */
	struct stat input;            /* which is never written; st_ino 0: not known */
	bool keeps;                   /* older ones are removed */
	sigset_t mask;                /* of signals, for commands */
	enum pp_sealing sealing;
	uint64_t count;               /* begun so far */
	uint64_t failures;            /* commands that ended badly */
	void (*abandon)(void);        /* ends the open pieces: no other can be begun */
	struct piece *opening;        /* its file is being opened */
};

struct piece {
	struct piece *next, *chain;   /* for the caller */
	struct pp_names_share *names; /* likewise */
	struct pp_prune *pruner;      /* likewise: decides what is written; NULL: all is */
	struct piece *newer, *older;  /* that are not at their end either */
	bool remembered;              /* there */
	uint64_t key, number, samples, records;
	time_t when;                  /* that its timed name says */
	char *name;                   /* of its file, or for its command */
	int fd;
	pid_t child;                  /* of its command; 0: a file */
	bool due;                     /* records came since the last round */
	bool gone;                    /* the command wants no more */
	struct pp_writer *out;
};

/* Holds the pattern to what it must have, so that no two pieces share a name; exits else. */
void pieces_check_pattern(const struct pieces *);
/* No {} of the command may be in quotes; exits else. */
void pieces_check_command(const struct pieces *);
/* Any text as a part of a file's name: KEY_MAX bytes.  Names in a stream are not trusted. */
void pieces_safe_key(char *key, const char *text, size_t length);
/* The name of a piece, to be freed, at a time (s since 1970) for `timed` names; NULL and errno. */
char *pieces_name(const struct pieces *, uint64_t number, const char *key, time_t when);
/* What messages call a piece until it has a timed name: that is made with its file.  NULL: out of memory. */
char *pieces_timed_pattern(const struct pieces *);
/* Starts the process that makes files and runs commands, before any piece is begun: 0, or -1 and *error. */
int pieces_start(struct pieces *, struct pp_error *);
void pieces_end(void);
/* Begins one, with nothing in it yet, at a time of day for `timed` names; what the system refuses ends the
 * process. */
struct piece *piece_open(struct pieces *, const char *key, time_t when);
/* What a function of piece->out returned: where it failed, the process ends, unless it is the
 * command that wants no more. */
void piece_check(struct piece *, int result);
/* The same where another thing may have failed, and *error says which. */
void piece_check_with(struct piece *, int result, const struct pp_error *error);
/* The END with these flags; waits for the command; forgets the piece. */
void piece_close(struct pieces *, struct piece *, uint32_t flags);
/* Says which pieces are not at their end, before the process ends for what the system refused. */
void pieces_unfinished(void);
/* Removes the file of the piece with this number, which has no key, if there is one. */
void pieces_remove(const struct pieces *, uint64_t number);

#endif
