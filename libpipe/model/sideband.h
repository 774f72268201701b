/* sideband.h - what sideband.c keeps, as sideband_head.c writes it. */
#ifndef PP_SIDEBAND_H
#define PP_SIDEBAND_H

#include "model.h"

enum {
	BUCKETS   = 1 << 14,          /* of each hash; a power of two */
	ENDED     = 1024,             /* threads that are remembered after their end, at most */
};

enum list { NOTES, WHOLE, FILES, LIVE, LAST, LISTS };

struct thing {
	struct thing *chain;          /* in its bucket */
	struct thing *before, *after; /* in its list */
	enum list list;
	uint64_t key;
	struct pp_kept *kept;
	uint8_t *tail;
	uint64_t tail_size;
};

struct map {
	uint64_t start, end;
	struct pp_kept *kept;
};

struct space {
	uint32_t users, count, room;
	struct map maps[];            /* in the order of their arrival */
};

struct process {
	struct process *chain;
	uint32_t pid, threads;
	uint64_t time, seq;           /* of its FORK; 0 */
	uint64_t exec_time, exec_seq; /* of its program's begin; 0 */
	struct space *space;
};

struct thread {
	struct thread *chain;
	struct process *process;
	uint32_t tid;
	uint64_t ended;               /* which end of all it was, from 1; 0: it lives */
	struct pp_kept *fork, *names, *comm;
};

struct pp_sideband {
	struct pp_keep keep;          /* all in memory */
	struct thing *first[LISTS], *last[LISTS];
	size_t count[LISTS];
	uint64_t now;                 /* the largest time so far */
	struct { uint32_t tid; uint64_t time; } ended[ENDED];   /* a ring */
	uint64_t n_ended, n_forgotten;
	const struct pp_host *hosts;  /* the caller's: what they have in common is told apart by them */
	size_t n_hosts;
	struct thing *things[BUCKETS];
	struct process *processes[BUCKETS];
	struct thread *threads[BUCKETS];
};

/* Lets go of what ended long enough ago.  0, or -1: out of memory. */
int pp_sideband_forget(struct pp_sideband *);

#endif
