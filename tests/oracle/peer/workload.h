/* workload.h - what the workloads share: whether the timer ended, and the one that has a file of its own. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <signal.h>

extern volatile sig_atomic_t timer_ended;

int inlineloop(void);

#endif
