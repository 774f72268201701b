/*
 * roots.h - where this machine's sysfs, procfs and tracefs are: elsewhere than usual in tests, and
 * for what is known of another machine only by a copy of its files.
 *
 *	pp_roots_set(&(struct pp_roots){ .sysfs = "skylake" });
 *
 * Then /sys/bus/event_source is read from skylake/bus/event_source.
 */
#ifndef PERFPIPE_ROOTS_H
#define PERFPIPE_ROOTS_H

#ifndef PP_UNSTABLE
#error "<perfpipe/roots.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Folders that take the place of /sys, /proc, and of where tracefs is; NULL or "": the usual one. */
struct pp_roots {
	const char *sysfs, *procfs, *tracefs;
};
/*
 * For the whole process, the one thing here that is: to be called before anything is read, and not
 * while another thread uses the library.  The names are borrowed for good.  Events, counters and
 * captures obey it; what streams say of files does not.
 */
PP_API void pp_roots_set(const struct pp_roots *);
/* As the environment says: SYSFS_PATH, PROCFS_PATH and TRACEFS_PATH, which perf obeys, too.  A
 * program that runs with privileges that its caller lacks ignores them. */
PP_API void pp_roots_from_environment(void);

#ifdef __cplusplus
}
#endif

#endif
