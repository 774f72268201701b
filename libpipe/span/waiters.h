/* waiters.h - threads, by their numbers: which of them wait, since when, and with which stack. */
#ifndef WAITERS_H
#define WAITERS_H

#include "base/hash.h"
#include "span/kept_chain.h"

/* Who woke a thread. */
struct pp_waker {
	uint32_t pid, tid, cpu;
	uint16_t misc;
	bool known;                   /* in this wait */
	uint64_t ip;
	struct pp_kept_chain chain;
};

/* How a thread is known to wait: the steps of one switch come in this order. */
enum pp_wait_step {
	WAIT_NONE,                    /* it runs, or was not seen yet */
	WAIT_BORN,                    /* it has not run yet */
	WAIT_POINT,                   /* sched_switch */
	WAIT_COUNTED,                 /* a sample of context-switches */
	WAIT_RECORD,                  /* SWITCH out */
};

struct pp_waiter {
	struct pp_link link;          /* by its number */
	uint64_t begin, woken;        /* woken 0: not known */
	uint64_t ip, cgroup;
	struct pp_kept_chain chain;
	struct pp_waker *waker;       /* NULL: none was kept so far */
	uint32_t pid, cpu, state;
	uint32_t losses;              /* that there had been when the wait began */
	uint16_t misc;
	uint8_t step;                 /* enum pp_wait_step */
	bool seen;                    /* it has run or waited */
	bool was_there;               /* before the first record with a time */
	bool ended;
	bool user, kernel;            /* it has had a stack in user space; only such in the kernel */
	bool of_kthreadd;             /* a child of process 2 */
};

struct pp_waiters {
	struct pp_budget *budget;
	struct pp_table all;
	uint32_t ended[256];          /* numbers of threads that have ended, whose last switch may come yet */
	unsigned next_ended;
};

/* NULL: it is not there. */
struct pp_waiter *pp_waiter_find(const struct pp_waiters *, uint32_t tid);
/* Makes one if there is none.  NULL: no memory, pp_budget_fail() says why. */
struct pp_waiter *pp_waiter_take(struct pp_waiters *, uint32_t tid);
void pp_waiter_drop(struct pp_waiters *, struct pp_waiter *);
/* Forgets it after some hundred others have ended, unless its last switch comes before. */
void pp_waiter_end(struct pp_waiters *, struct pp_waiter *);
/* All that wait, in the order of their numbers, to be freed; NULL: there are none, or no memory, with *n not
 * 0. */
struct pp_waiter **pp_waiters_waiting(const struct pp_waiters *, size_t *n);
void pp_waiters_free(struct pp_waiters *);

#endif
