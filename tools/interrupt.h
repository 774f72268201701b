/* interrupt.h - what a stage does with ^C. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/*
 * ^C goes to every stage of a pipeline at once.  The source stops, and what it captured must
 * still arrive: so a stage that reads from a pipe or a socket (`path`; NULL is standard input)
 * lets the first one pass, and the second ends it.  An interrupt that was ignored from the
 * start (nohup, a shell's background) stays so.  With several inputs call it for each.
 */
void outlive_interrupt(const char *path);

#endif
