/* priority.h - when the recorder gets a CPU beside others that want it. */
#ifndef RECORD_PRIORITY_H
#define RECORD_PRIORITY_H

#include <stdbool.h>

/* Asks for this real-time priority (SCHED_FIFO), or, if it is 0, to be run soon after a buffer has
 * filled, for no more of a CPU's time; threads that read have the same.  Exits if a priority is
 * refused. */
void take_priority(int realtime, bool threads);

#endif
