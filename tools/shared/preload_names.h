/* preload_names.h - names that a stream says after the samples that need them. */
#ifndef PP_PRELOAD_NAMES_H
#define PP_PRELOAD_NAMES_H

#include "shared/run.h"

/*
 * In `start`: learns all names of common.input, if that is a regular file with names before its first sample;
 * such a stream may have others at its end.  1: it has all; 0: what comes is not known; -1 and run->error.
 */
int ahead_learn(struct run *run, struct pp_symbols *symbols);

#endif
