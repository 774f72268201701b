/* task_table.h - the processes and threads that there are, as values or as the records that say so. */
#ifndef PP_TASK_TABLE_H
#define PP_TASK_TABLE_H

#include "base/hash.h"
#include "format/field_query.h"
#include "model/address_space.h"
#include "model/task_membership.h"

/* The maps of a process, or of the kernel, and what readers know of them. */
enum { PP_MAPS_FEW = 4 };
struct pp_maps {
	struct pp_space *space;
	uint64_t few[PP_MAPS_FEW];    /* the first written, by ->kept->seq; 0: not marked there */
	uint32_t owner;               /* a number that no other has, not 0 */
	uint32_t pid;                 /* whose they are, if `owned` */
	bool owned, whole;            /* whole: all maps were written, and none came since */
	uint64_t time, seq;           /* of the FORK that they came by, or 0 */
};

struct pp_process {
	struct pp_link link;          /* by pid */
	uint32_t threads;
	struct pp_maps maps;
	uint64_t exec_time, exec_seq; /* of its program's begin; 0 */
};

/* What a table that keeps no records knows of a thread; a leader has what is its process's. */
struct pp_values {
	union {
		char here[16];        /* a name of the kernel's, with its NUL */
		char *away;           /* longer than those */
	} name;
	struct pp_space *space;       /* of a leader */
	struct pp_descent *descent;   /* of a leader */
	struct pp_namespaces *namespaces;
};

struct pp_thread {
	struct pp_link link;          /* by tid */
	uint32_t pid;
	uint32_t others : 25;         /* values: of a leader: threads beside it that live */
	uint32_t has_name : 1, away : 1;
	/* records, where they are pruned: */
	uint32_t sampled : 1;
	uint32_t named : 1;           /* a tracepoint's data name it */
	uint32_t fresh : 1;           /* nothing is due */
	uint32_t forked : 1, namesaid : 1;      /* FORK and NAMESPACES were written */
	uint64_t ended;               /* which end of all it was, from 1; 0: it lives */
	union {
		struct pp_values value;
		struct {
			struct pp_process *process;
			uint64_t ended_at;
			struct pp_stored *fork, *names, *comm;
			/* where it is pruned: */
			struct pp_stored *told;   /* the name that readers know, or NULL */
			struct pp_stored *exit;   /* that they were not written */
		};
	};
};

/* All zero but what is set by pp_task_table_open(), and by its keeper. */
struct pp_task_table {
	struct pp_budget *budget;
	struct pp_record_store *keep;         /* where records are; NULL: values are kept */
	struct pp_spaces spaces;
	struct pp_table processes, threads;
	uint32_t owners;              /* numbers that were given away */
	uint32_t changes;             /* of any space */
	uint32_t *ended, ended_most;  /* tids in the order of their end, a ring; NULL until one ends */
	uint64_t n_ended, n_forgotten;
	/* The keeper's: */
	uint64_t now, grace;          /* ns for which what ended is remembered at most; 0: no matter */
	bool no_own_children;         /* a FORK of a thread by itself says nothing */
};
/* Of threads that ended `ended_most` are remembered at most, and leaders while threads of theirs live. */
void pp_task_table_open(struct pp_task_table *, struct pp_budget *, struct pp_record_store *,
			uint32_t ended_most);
void pp_task_table_close(struct pp_task_table *);
struct pp_thread *pp_task_table_thread(const struct pp_task_table *, uint32_t tid);       /* or NULL */
/* A new thread, and its process if that is new; NULL: memory. */
struct pp_thread *pp_task_table_add(struct pp_task_table *, uint32_t pid, uint32_t tid);
/* The thread of this number and process, or a new one: a number that another process had is a new
 * thread's.  NULL: memory. */
struct pp_thread *pp_task_table_thread_of(struct pp_task_table *, uint32_t pid, uint32_t tid);
void pp_task_table_remove(struct pp_task_table *, struct pp_thread *);
/* A thread that lives ended.  0, -1: memory. */
int pp_task_table_end(struct pp_task_table *, struct pp_thread *);
/* Of values: another thread of the leader's process lives, or lives no more. */
void pp_task_table_other(struct pp_task_table *, struct pp_thread *leader, bool lives);
/* Forgets threads that ended long ago, or so many threads ago that there is no room. */
void pp_task_table_forget(struct pp_task_table *);
/* Of values: the name of a thread, or NULL; and a new one.  0, -1: memory. */
const char *pp_thread_name(const struct pp_thread *);
int pp_task_table_name(struct pp_task_table *, struct pp_thread *, const char *name, size_t length);

/* Of records: 1, 0: the record lacks a field, or -1 and *error. */
/* COMM or NAMESPACES; *thread is whose. */
int pp_task_table_note_fact(struct pp_task_table *, const struct pp_record *, struct pp_thread **thread,
			    struct pp_error *);
int pp_task_table_note_fork(struct pp_task_table *, const struct pp_record *, struct pp_error *);
/* Whether a map is that of a process, not of the kernel or of a guest. */
bool pp_is_process_map(const struct pp_record *, uint32_t pid);
/* The maps of the process of this number, which is new if it has to be; NULL: memory. */
struct pp_maps *pp_task_table_maps(struct pp_task_table *, uint32_t pid);
/* Adds a map over what is there.  0, or -1 and *error. */
int pp_task_table_note_map(struct pp_task_table *, struct pp_maps *, const struct pp_record *, uint64_t start,
			   uint64_t end, struct pp_error *);
/* The end of a map, whatever its length. */
uint64_t pp_end_of(uint64_t start, uint64_t length);

#endif
