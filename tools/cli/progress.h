/* progress.h - a line about how far a run is: at the end, every second, or when asked. */
#ifndef PP_PROGRESS_H
#define PP_PROGRESS_H

#include <stdint.h>

/*
 * What is looked at, at any moment between start and stop.  Members may be NULL, also for
 * a while: a stream that has not begun has no counters.
 */
struct progress {
	const uint64_t *records, *bytes;
	const uint64_t *first, *last;		/* times: what the stream covers */
	const uint64_t *samples, *kept;
	const uint64_t *lost;
};

/*
 * Prints one line on standard error at each SIGUSR1.  With --progress also a line that is
 * rewritten every second if standard error is a terminal.  The lines are written by the
 * signal handlers, so they come while a read blocks too; a message removes the rewritten line.
 * `progress` is borrowed until progress_stop().
 */
void progress_start(const struct progress *);

/* Ends it; with --progress says the last line. */
void progress_stop(void);

#endif
