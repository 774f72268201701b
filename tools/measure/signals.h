/* signals.h - the signals that end measuring, and the end of the command. */
#ifndef MEASURE_SIGNALS_H
#define MEASURE_SIGNALS_H

#include <signal.h>

/* The signal that asked to stop; 0: none has. */
extern volatile int stopped;

/* From here on signals arrive only during waits, for which *mask lets them through.  SIGUSR2 sets *snapshot;
 * NULL: it is not caught. */
void catch_signals(sigset_t *mask, volatile sig_atomic_t *snapshot);

#endif
