/* counter.h - what to measure: tasks, processors, a command that is started for it. */
#ifndef PERFPIPE_COUNTER_H
#define PERFPIPE_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All empty: all processors.  The caller keeps what is pointed to; lists are read when the target
 * is opened, and `command` and its words must outlive it. */
struct pp_target_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const uint32_t *pids, *tids;  /* these processes with all their threads, and these threads */
	size_t n_pids, n_tids;
	const uint32_t *cpus;         /* only on these */
	size_t n_cpus;                /* 0: on all that are online */
	char *const *command;         /* to run, ended by NULL; or NULL */
	bool all_cpus;                /* whatever runs there, besides the command */
	bool stdout_taken;            /* the command's standard output goes to standard error */
	bool raise_limit;             /* on open files, to what this process may raise it to */
};

#ifdef __cplusplus
}
#endif

#endif
