/* helper_process.h - a process that works for the one that forked it: how it begins and ends. */
#ifndef PP_HELPER_PROCESS_H
#define PP_HELPER_PROCESS_H

#include <sys/types.h>

struct pp_helper {
	pid_t pid;                    /* 0: not running */
	int socket;
};

/* Forks, with a pair of sockets of this type (SOCK_STREAM ...): 1 in the new process, 0 in the one that
 * asked, each with its end in ->socket; -1 and errno. */
int pp_helper_start(struct pp_helper *, int type);
/* Closes the socket and waits for the process, which ends when it sees that: its wait status, or -1 and
 * errno. */
int pp_helper_stop(struct pp_helper *);
/* The same, but does not wait: one that is silent may be so for ever. */
void pp_helper_leave(struct pp_helper *);
/* The errno that it gave as its exit status; 0: it gave none. */
int pp_helper_errno(int status);

#endif
