/* turns.h - commands that are measured: two in turns, what a shell runs beside them, and where they write. */
#ifndef MEASURE_TURNS_H
#define MEASURE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIDES = 2 };

/* Which side the next run is of, after so many of both: A B B A, and so on, so that what drifts with time
 * falls on both alike. */
size_t turn_side(uint64_t runs);
/* The words of a process that has a shell run this, with NULL at the end. */
void turn_words(char *words[4], char *command);
/* Whether the output is standard output, */
bool to_stdout(void);
/* or goes where a command writes, as with -o /dev/stdout. */
bool takes_stdout(void);
/* Has a shell run this: its status, or 128 and the number of the signal that ended it; 0 where `command` is
 * NULL.  As of the command itself, what it prints must not get among the records. */
int run_beside(const char *command);

#endif
