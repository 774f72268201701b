/* output.h - the file that a tool writes: whole at its name, or not there at all. */
#ifndef PP_OUTPUT_H
#define PP_OUTPUT_H

#include <stdbool.h>

/*
 * Opens the one output of a tool for writing and returns its descriptor.  NULL or
 * "-" is standard output.  A file is written under a temporary name beside `path`
 * until output_close(); symbolic links are followed to the file they name, also to
 * one that is not there yet, but no other user's (trust.h).  A device, a fifo or a socket is
 * written as it is, and so is a file when `in_place`: what was there gets the name `path`.old,
 * and the new one is made at once.  A new file is for its owner alone, and less where the umask
 * says so; one of the user's own that was there, under this name alone, otherwise keeps its
 * permissions.
 *
 * While a temporary file exists, a signal that ends the process (of those still at
 * their default) removes it first.  Exits with EXIT_SYSTEM where the system says no.
 * Does not refuse terminals: text may go there; for a stream call
 * cli_refuse_terminal(fd) before the first byte.
 */
int output_open(const char *path, bool in_place);

/*
 * Closes the output of output_open() as output_close(EXIT_DONE) does, and opens it anew: its descriptor.  It
 * follows no link again, and gives the file the mode that it got first, so that it needs nothing outside of
 * output_folder_again().
 */
int output_again(void);

/*
 * In a process that was made by fork(), of an output that is a file and not written in place: opens one of
 * its own, which output_close() gives the same name, and leaves the other process's alone.  It needs nothing
 * outside of output_folder_again().
 */
int output_beside(void);

/*
 * In a process that was made by fork(): it writes to this descriptor, which messages call `shown`, and leaves
 * the file of the other one alone.
 */
void output_is(int fd, const char *shown);

/* The folder in which output_close() renames or removes a file; NULL: it will not.  To be freed. */
char *output_folder(void);
/* The folder in which output_again() makes or opens one, too; NULL: it needs none.  To be freed. */
char *output_folder_again(void);

/* Exits with EXIT_SYSTEM: "cannot write NAME: ..." for this errno (0: EIO). */
void output_failed(int os) __attribute__((noreturn));

/*
 * Closes the output, once everything was written: with status 0, 1 or 3 the file gets its name,
 * with any other it is removed (one written in place stays unless it is new and empty).  Also
 * checks standard output where that is the output.  Exits with EXIT_SYSTEM on an error, and leaves
 * nothing.  Does nothing when no output is open, so it may be called twice. cli_die() calls it.  A
 * process that exits without it leaves no temporary file either.
 */
void output_close(int status);

/*
 * Removes the temporary file, if there is one, and dies by signal `number`.  For
 * signal handlers of a tool's own (the second ^C); safe in them.
 */
void output_die(int number);

#endif
