/* preload_names.h - names of addresses in a sink, also those that a stream says after its samples. */
#ifndef PP_PRELOAD_NAMES_H
#define PP_PRELOAD_NAMES_H

#include "shared/run.h"

/*
 * Before the run of a sink or filter that `asks`: starts the process that finds files, and sets it in the
 * options, whose texts are settled then.  `unwinds`: for a sink that shows `chains`.  Exits where that fails.
 */
void names_start(struct pp_symbols_options *, bool unwinds);
/* After the run: ends it, if there is one. */
void names_end(struct pp_symbols_options *);
/*
 * In `start`: a session that is fed with records, for names as the options ask for them.  The options have a
 * cache in the user's folder from then on, and, if they had none, a function that prints messages.  `tasks`:
 * PP_TASKS_, besides what names need.  NULL and run->error.
 */
struct pp_session *names_open(struct run *run, struct pp_symbols_options *, unsigned tasks, uint64_t limit);
/* Says how files were read, as far as that is due, and frees it; NULL is fine. */
void names_close(struct pp_session *);

/*
 * In `start`: learns all names of common.input, if that is a regular file with names before its first sample;
 * such a stream may have others at its end.  1: it has all; 0: what comes is not known; -1 and run->error.
 */
int ahead_learn(struct run *run, struct pp_symbols *symbols);

#endif
