/* screen.h - what is going on, on a terminal, and the keys of those who look at it. */
#ifndef SCREEN_H
#define SCREEN_H

#include "cli/table_columns.h"
#include "shared/run.h"
#include "top/top_rows.h"

/* Whether standard output is a terminal that another group of processes has: to set it up would stop us. */
bool screen_is_away(void);
/* Whether there is a terminal that would do; of one that only lacks a description, that is said once. */
bool screen_is_possible(void);
/* Whether terminfo has this one. */
bool screen_is_described(const char *terminal);
/* Opens all that it needs, and leaves the terminal as it is.  False: there is none, and nothing was done. */
bool screen_open(struct lines_how *, struct columns *);
/* Takes the terminal: keys, signals and messages are the screen's from then on.  `recorded`: the input is a
 * file, which may be read again (reread_prepare() came before). */
void screen_begin(bool recorded);
bool screen_is_open(void);
/* Shows what has changed, every so often, and does what keys ask for, until `fd` has something to be read;
 * -1: once, without waiting.  False: enough was seen. */
bool screen_look(int fd, uint64_t every);
/* The same until enough was seen: nothing more comes. */
void screen_stay(struct run *);
/* Puts the terminal back as it was, writes the messages that came meanwhile, and dies by the signal that
 * asked for it, if it was one other than ^C.  Does nothing where none is open. */
void screen_close(void);

#endif
