/* stage_signals.h - what a stage does with ^C, with a request to end and with a closed terminal. */
#ifndef PP_STAGE_SIGNALS_H
#define PP_STAGE_SIGNALS_H

/*
 * ^C, a closed terminal and a service manager signal every stage of a pipeline at once.  The
 * source stops, and what it captured must still arrive: so a stage that reads from a pipe or a
 * socket (`path`; NULL is standard input) lets the first SIGINT or SIGTERM pass, and the second of
 * them ends it.  SIGHUP never ends it: when a terminal is closed it comes from the shell and from
 * the kernel.  Signals that were ignored from the start (nohup, a shell's background) stay so.
 * With several inputs call it for each.
 */
void outlive_interrupt(const char *path);

#endif
