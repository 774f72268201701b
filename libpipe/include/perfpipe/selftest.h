/*
 * selftest.h - what this machine lets this process record, found by trying.
 *
 * Each check opens, maps or reads what a recording would, and undoes that again; nothing else is
 * changed.  Some of it counts the process itself for a moment.  What is refused here:
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/selftest.h>
 *	#include <stdio.h>
 *
 *	static void show(void *arg, const struct pp_check_result *r)
 *	{
 *		(void)arg;
 *		if (r->state != PP_CHECK_WORKS)
 *			printf("%s: %s (%s)\n", r->what, r->found, r->cure);
 *	}
 *
 *	int main(void)
 *	{
 *		return pp_self_test(show, NULL) ? 0 : 1;
 *	}
 */
#ifndef PERFPIPE_SELFTEST_H
#define PERFPIPE_SELFTEST_H

#ifndef PP_UNSTABLE
#error "<perfpipe/selftest.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum pp_check_state {
	PP_CHECK_WORKS,
	PP_CHECK_LIMITED,             /* it works, with less than usual */
	PP_CHECK_REFUSED,             /* the machine has it; somebody forbids it */
	PP_CHECK_ABSENT,              /* the machine or its kernel does not have it */
};
/* "works", "limited", "refused", "absent". */
PP_API const char *pp_check_state_name(enum pp_check_state);

/* One check.  `name` and `by` are words that stay the same in later versions. */
struct pp_check_result {
	const char *name;             /* "all-cpus" */
	const char *what;             /* what was tried: "counters on every CPU" */
	const char *without;          /* what a recording lacks if it does not work */
	enum pp_check_state state;
	/* What stands in the way: "paranoid", "capability", "seccomp", "container", "lockdown",
	 * "limit", "kptr_restrict", "hidepid", "proc", "sysfs", "tracefs", "hardware", "kernel", "module" (a
	 * security module); NULL if nothing does. */
	const char *by;
	bool needed;                  /* without it nothing can be recorded */
	int os;                       /* errno of what failed, or 0 */
	char found[200];              /* in words */
	char cure[320];               /* what to do about it; empty: nothing, or nothing need be done */
};

/* Called with the result of each check, in a fixed order; it is lent. */
typedef void pp_check_result_fn(void *arg, const struct pp_check_result *);
/* Tries all; true: something can be recorded. */
PP_API bool pp_self_test(pp_check_result_fn *, void *arg);

#ifdef __cplusplus
}
#endif

#endif
