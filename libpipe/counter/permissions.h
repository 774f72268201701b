/* permissions.h - what this process may do, and who forbids what is refused: in words to act on. */
#ifndef PP_PERMISSIONS_H
#define PP_PERMISSIONS_H

#include <perfpipe/selftest.h>

#include <stdint.h>

/* kernel.perf_event_paranoid: the highest with which everybody may sample tracepoints, and the kernel. */
enum { PP_PARANOID_TRACEPOINTS = -1, PP_PARANOID_KERNEL = 1, PP_PARANOID_UNKNOWN = 99 };

struct pp_powers {
	uint64_t capabilities;        /* effective, and good for the whole machine */
	bool unread;                  /* it is not known which there are */
	int paranoid;                 /* kernel.perf_event_paranoid */
	uint64_t kptr;                /* kernel.kptr_restrict: 1 hides addresses, 2 also with cap_syslog */
	bool namespaced;              /* in a user namespace: capabilities are good only there */
	bool filtered;                /* seccomp filters the system calls */
	bool no_call;                 /* and perf_event_open() is one that does not pass */
	bool confidential;            /* lockdown hides the kernel's memory from everybody */
};

void pp_powers_read(struct pp_powers *);
bool pp_powers_have(const struct pp_powers *, unsigned capability);
/* Whether it may sample what takes a kernel.perf_event_paranoid of at most `enough`, as far as is known. */
bool pp_powers_sample(const struct pp_powers *, int enough);

/* Sets state, os, found and cure. */
void pp_result_set(struct pp_check_result *, enum pp_check_state, const char *by, int os);
void pp_result_found(struct pp_check_result *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void pp_result_cure(struct pp_check_result *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * perf_event_open() failed with `os`.  `enough`: the highest perf_event_paranoid with which
 * everybody may; `kernel`: its addresses are sampled, which are worth little without names; `since`: the
 * first kernel that has it.
 */
void pp_blame_open(struct pp_check_result *, const struct pp_powers *, int os, int enough, bool kernel,
		   const char *since);
/* Something else was refused that takes `capability`, as setcap calls it: "cap_syslog". */
void pp_blame_capability(struct pp_check_result *, const struct pp_powers *, int os,
			 unsigned capability, const char *name);
/* Addresses of the kernel's functions are hidden. */
void pp_blame_hidden(struct pp_check_result *, const struct pp_powers *);

#endif
