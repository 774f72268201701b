/* prune.h - what the files that prune a stream share: who needs side-band, and what is due. */
#ifndef PRUNE_H
#define PRUNE_H

#include "model.h"

/* A record that a sample needs, and whose it is now. */
struct pp_due {
	uint64_t time, seq;           /* not before these: those of the FORK that it came by */
	unsigned stage;               /* at the same moment: 0 FORK, 1 NAMESPACES, 2 COMM, 3 the rest */
	bool owned;                   /* by pid and tid, whoever it was once */
	uint32_t pid, tid;
	uint64_t from, to;            /* of a map: its addresses */
	struct pp_kept *kept;         /* of which this has a share */
};
struct pp_dues {
	struct pp_due *items;
	size_t count, room;
};
/* Takes a share of due->kept; NULL is none.  0, or -1 (memory). */
int pp_dues_add(struct pp_dues *, const struct pp_due *);

/* ---- prune_maps.c: which maps of an address space are needed ---- */

/* The maps of a process, each until others lie over all of it; heirs share it until one changes. */
struct pp_ground;
struct pp_ground *pp_ground_share(struct pp_ground *);
void pp_ground_drop(struct pp_ground *, struct pp_keep *);

/* An address space, and which of its maps were told. */
struct pp_space_told {
	struct pp_ground *ground;     /* NULL: no maps */
	uint32_t owner;               /* a number that no other has, not 0 */
	bool whole;                   /* all maps were told when `ground` was as it is */
	struct pp_due due;            /* as dues of this space are to be; ->kept is not looked at */
};
/* Adds a map over what is there.  0, or -1 (memory). */
int pp_ground_add(struct pp_ground **, struct pp_keep *, struct pp_kept *, uint64_t start,
		  uint64_t end);
/* What holds the address becomes due, if it was not told; 1: it did, 0, -1 (memory). */
int pp_space_need(struct pp_space_told *, uint64_t address, struct pp_dues *);
/* All of it. */
int pp_space_need_all(struct pp_space_told *, struct pp_dues *);
/* Takes out what begins there; true: it was told. */
bool pp_space_remove(struct pp_space_told *, struct pp_keep *, uint64_t start);

/* ---- prune_tasks.c: who there is ---- */

enum { PP_CROWD_BUCKETS = 1 << 14 };  /* of each hash; a power of two */

struct pp_process {
	struct pp_process *chain;
	uint32_t pid, threads;
	struct pp_space_told space;
};

struct pp_thread {
	struct pp_thread *chain;
	struct pp_process *process;
	uint32_t tid;
	bool ended, sampled;
	bool fresh;                   /* nothing is due */
	bool forked, namesaid;        /* FORK and NAMESPACES were told */
	struct pp_kept *fork, *names, *comm;
	struct pp_kept *told;         /* the name that readers know, or NULL */
};

struct pp_crowd {
	struct pp_keep *keep;         /* where their records are */
	uint32_t owners;              /* numbers that were given away */
	uint32_t changes;             /* of any space */
	uint32_t *ended;              /* tids in the order of their end, a ring */
	size_t n_ended;
	struct pp_process *processes[PP_CROWD_BUCKETS];
	struct pp_thread *threads[PP_CROWD_BUCKETS];
};
struct pp_crowd *pp_crowd_new(struct pp_keep *);    /* NULL: out of memory */
void pp_crowd_free(struct pp_crowd *);              /* NULL is fine */
struct pp_process *pp_crowd_process(const struct pp_crowd *, uint32_t pid);     /* or NULL */
struct pp_thread *pp_crowd_thread(const struct pp_crowd *, uint32_t tid);       /* or NULL */
/* A new thread, and its process if that is new; NULL: out of memory. */
struct pp_thread *pp_crowd_add(struct pp_crowd *, uint32_t pid, uint32_t tid);
/* The thread of this number and process, or a new one: a number that another process had is a new
 * thread's.  NULL: out of memory. */
struct pp_thread *pp_crowd_thread_of(struct pp_crowd *, uint32_t pid, uint32_t tid);
void pp_crowd_remove(struct pp_crowd *, struct pp_thread *);
/* A thread ended: what is known of it is kept until many others have.  0, or -1 (memory). */
int pp_crowd_end(struct pp_crowd *, uint32_t tid);
/* An empty space of a process that was born by `fork`, or NULL. */
struct pp_space_told pp_crowd_space(struct pp_crowd *, uint32_t pid, const struct pp_kept *fork);

/* ---- prune_events.c: which attributes and ids are needed ---- */

struct pp_head;
/* `reader` is where tails are; NULL: out of memory. */
struct pp_head *pp_head_new(struct pp_reader *);
void pp_head_free(struct pp_head *);        /* NULL is fine */
/* Holds the record back, where it is about events: PP_DROP; or PP_KEEP: it is not, or may go. */
int pp_head_note(struct pp_head *, const struct pp_record *, struct pp_writer *,
		   struct pp_error *);
/* The event of a record is needed, or that with an id, or all: what was said of them is written, if
 * it was not.  0, or -1 and *error, where it is not the writer's. */
int pp_head_need(struct pp_head *, const struct pp_record *, struct pp_writer *,
		   struct pp_error *);
int pp_head_need_id(struct pp_head *, const struct pp_attrs *, uint64_t id, struct pp_writer *,
		      struct pp_error *);
int pp_head_need_all(struct pp_head *, const struct pp_attrs *, struct pp_writer *,
		       struct pp_error *);
/* Writes a record that stays, or lets it wait for the round to end. */
int pp_head_write(struct pp_head *, const struct pp_record *, struct pp_writer *,
		    struct pp_error *);
/* Whether the head is yet to be written: then what stays has to be written by pp_head_write(),
 * unless it is a round. */
bool pp_head_closed(const struct pp_head *);
/* All that waits; the features, where no event was needed. */
int pp_head_end(struct pp_head *, const struct pp_attrs *, struct pp_writer *,
		  struct pp_error *);

#endif
