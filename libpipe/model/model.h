/* model.h - what the files of this room share: address spaces and the files mapped into them,
 * ancestors, namespaces, control groups, and records that are kept. */
#ifndef MODEL_H
#define MODEL_H

#include <perfpipe/perfpipe.h>

#include "base/budget.h"
#include "base/hash.h"

/* ---- address_space.c: address spaces ---- */

/* A piece of a map, and what is left and right of it.  NULL is a space where nothing lies. */
struct pp_space {
	uint32_t users, height;
	struct pp_space *left, *right;
	uint64_t start, end;          /* the piece */
	uint64_t from, to;            /* what the map was when it was made */
	union {
		struct pp_stored *kept; /* with ->keep */
		uint64_t pgoff;       /* at `from` */
	};
	union {
		uint32_t told;        /* the owner who noted it last */
		uint32_t file;        /* of struct pp_files */
	};
	/* With ->keep, of this node and all below: */
	uint32_t teller;              /* for whom `oldest` counts */
	union {
		/* No smaller ->kept->seq is among those that it did not note. */
		uint64_t oldest;
		uint64_t number;      /* without ->keep: of the mapping, which its pieces share */
	};
	uint64_t lowest, highest;     /* `from`, `to` */
};
/* What spaces that share maps have in common.  All zero but what is set. */
struct pp_spaces {
	struct pp_budget *budget;     /* to be set */
	struct pp_record_store *keep;         /* to be set, where pieces are of records that are kept */
	uint32_t owner;               /* who is noting just now, 0: none */
	bool failed;                  /* memory ended */
	struct pp_space *unused;
	struct pp_space_block *blocks;
};
struct pp_space *pp_space_share(struct pp_space *);             /* NULL is fine */
void pp_space_drop(struct pp_spaces *, struct pp_space *);      /* NULL is fine */
const struct pp_space *pp_space_at(const struct pp_space *, uint64_t address);
/* Puts a piece over what is there: of `piece` its start, end, from, to, kept or pgoff and file count;
 * it gets a share of ->kept of its own.  0, -1: memory. */
int pp_space_put(struct pp_spaces *, struct pp_space **, const struct pp_space *piece);
/* Takes out the piece that begins there, if there is one.  0, -1: memory. */
int pp_space_cut_out(struct pp_spaces *, struct pp_space **, uint64_t start);
/* Takes out what was kept before this ordinal.  0, -1: memory. */
int pp_space_forget(struct pp_spaces *, struct pp_space **, uint64_t before);
/* The node, or an unshared copy of it: takes the caller's share; NULL: memory. */
struct pp_space *pp_space_own(struct pp_spaces *, struct pp_space *);
/* Sums up what is in a node and below it. */
void pp_space_sum(const struct pp_spaces *, struct pp_space *);
static inline uint64_t pp_space_oldest(const struct pp_spaces *s, const struct pp_space *space)
{
	return !space->teller || space->teller == s->owner ? space->oldest : 0;
}
void pp_spaces_close(struct pp_spaces *);       /* after all spaces were dropped */

/* ---- mapped_files.c: which files lie there ---- */

/* Files that are or were mapped, each kept once: a name, and what distinguishes files of one
 * name.  Only tasks.c has such: it answers what is mapped where.  Side-band and pruning answer which
 * records are needed, and keep these as they are, so that a space has a record for each piece. */
struct pp_files;
/* Mapped in these spaces, which outlive it.  NULL: out of memory. */
struct pp_files *pp_files_new(struct pp_spaces *);
void pp_files_free(struct pp_files *);          /* NULL is fine */

/* Which of the files of one name, as the kernel knows them; ->ino 0: it is not said. */
struct pp_identity {
	uint64_t ino, generation;
	uint32_t maj, min;
	bool of_name;                 /* with a build-id: it was given for the name */
};
/* A build-id that a record apart from the maps gives: for one file of this name, or (->file.ino 0) for the
 * name alone. */
struct pp_given_id {
	const char *name;
	size_t length;
	struct pp_identity file;
	uint8_t size, id[20];
};
/* Hands out what a HEADER_BUILD_ID or the feature BUILD_ID gives, until `each` returns other than 0: that. */
int pp_given_each(const struct pp_record *, int (*each)(void *arg, const struct pp_given_id *), void *arg);
/* What is given for a name alone is that of the one file of it that has none yet.  0, or -1 (memory). */
int pp_files_identify(struct pp_files *, const struct pp_given_id *);
/* Notes that this file is or was mapped; pp_files_map() does so, too.  0, or -1 (memory). */
int pp_files_note(struct pp_files *, const struct pp_map *, const char *name, size_t length);
/* Which file a build-id is of, as far as is known: nothing of that name is mapped; one of several; maps that
 * have it themselves; the file of this identity. */
enum pp_whose { PP_WHOSE_UNKNOWN, PP_WHOSE_NOBODYS, PP_WHOSE_OWN, PP_WHOSE_FILE };
enum pp_whose pp_files_whose(struct pp_files *, const struct pp_given_id *, struct pp_identity *);
/* Adds a map over what was mapped there.  `name` has `length` bytes; map->filename and ->file
 * are not looked at.  0, or -1: out of memory. */
int pp_files_map(struct pp_files *, struct pp_space **, const struct pp_map *, const char *name,
		 size_t length);
/* The map at an address, valid until the next call with these files; NULL: none. */
const struct pp_map *pp_files_find(struct pp_files *, const struct pp_space *, uint64_t address);

/* ---- task_membership.c ---- */

/* A process among its ancestors, ended ones too; shared.  NULL where nothing is known. */
struct pp_descent;
/* NULL: no memory. */
struct pp_descent *pp_descent_new(struct pp_budget *, uint32_t pid, struct pp_descent *parent);
void pp_descent_drop(struct pp_budget *, struct pp_descent *);  /* NULL is fine */
/* Another reference to a process without a parent, which gets this one; NULL where it has one, or
 * would be its own ancestor. */
struct pp_descent *pp_descent_adopt(struct pp_descent *, struct pp_descent *parent);
bool pp_descent_has(const struct pp_descent *, uint32_t pid);

/* The namespaces of a thread, shared. */
struct pp_namespaces;
/* As a NAMESPACES record says; the same again, shared, where that is equal.  NULL: no memory. */
struct pp_namespaces *pp_namespaces_of(struct pp_budget *, const struct pp_record *,
				       struct pp_namespaces *same);
struct pp_namespaces *pp_namespaces_share(struct pp_namespaces *);
void pp_namespaces_drop(struct pp_budget *, struct pp_namespaces *);    /* NULL is fine */
bool pp_namespaces_get(const struct pp_namespaces *, unsigned kind, struct pp_namespace *);

/* Paths of control groups by their ids. */
struct pp_groups;
struct pp_groups *pp_groups_new(struct pp_budget *);          /* NULL: out of memory */
void pp_groups_free(struct pp_groups *);        /* NULL is fine */
int pp_groups_add(struct pp_groups *, uint64_t id, const char *path, size_t length); /* 0, -1 */
const char *pp_groups_path(const struct pp_groups *, uint64_t id); /* NULL: none */

/* ---- record_store.c: records ---- */

/* Where records are kept, all zero but the budget at first.  What is beyond it goes to a file in
 * TMPDIR, which has no name. */
struct pp_record_store {
	struct pp_budget *budget;
	uint64_t seq;                 /* records so far */
	struct pp_stored_file *file;    /* NULL until it is needed */
};
void pp_record_store_close(struct pp_record_store *);           /* the file; records go by pp_stored_drop() */

/* A record, shared by all who have inherited it. */
struct pp_stored {
	uint64_t time, seq;           /* 0: without a time; ordinal of its arrival */
	const struct pp_attrs *attrs;
	uint32_t users, attr;         /* attr: ordinal + 1; 0: none */
	uint16_t size;
	bool spilled;
	uint8_t data[];               /* or its place in the file */
};
/* A copy without its tail; NULL and *error. */
struct pp_stored *pp_stored_new(struct pp_record_store *, const struct pp_record *, struct pp_error *);
struct pp_stored *pp_stored_share(struct pp_stored *);            /* NULL is fine */
void pp_stored_drop(struct pp_record_store *, struct pp_stored *);      /* NULL is fine */
/* Puts a copy in the place of what is there, or NULL.  0, or -1 and *error. */
int pp_stored_replace(struct pp_record_store *, struct pp_stored **place, const struct pp_record *,
		      struct pp_error *);
/* As it was read; its bytes are at `data`: those of one that is in memory at its own. */
struct pp_record pp_stored_record(const struct pp_stored *, uint8_t *data);
/* As it was read, in `buf`, which has PP_RECORD_MAX bytes.  0, or -1 and *error (the file). */
int pp_stored_read(const struct pp_record_store *, const struct pp_stored *, uint8_t *buf, struct pp_record *,
		   struct pp_error *);

/* ---- task_table.c: who there is ---- */

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

/* What a crowd that keeps no records knows of a thread; a leader has what is its process's. */
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
struct pp_process *pp_task_table_process(const struct pp_task_table *, uint32_t pid);     /* or NULL */
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

/* A field that is asked for; the first that means this counts, so the body before the trailer. */
struct pp_field_query {
	enum pp_meaning is;
	uint64_t value;
	const char *bytes;            /* of text and bytes, borrowed from the record */
	size_t length;
	bool there;
};
/* Fills in what the record has; damage only ends the search. */
void pp_lookup_fields(const struct pp_record *, struct pp_field_query *, size_t n);
/* The end of a map, whatever its length. */
uint64_t pp_end_of(uint64_t start, uint64_t length);

/* ---- pending_records.c: records that are due at some place ---- */

enum pp_stage { PP_STAGE_FORK, PP_STAGE_NAMES, PP_STAGE_COMM, PP_STAGE_MAP, PP_STAGE_EXIT };

/* A record that is due, and whose it is now. */
struct pp_pending {
	uint64_t time, seq;           /* not before these: those of the FORK that it came by */
	enum pp_stage stage;          /* at the same moment */
	bool owned;                   /* by pid and tid, also of earlier owners */
	uint32_t pid, tid;
	uint64_t from, to;            /* of a map: its addresses */
	struct pp_stored *kept;         /* of which this has a share */
};
/* All zero but `keep` at first. */
struct pp_pending_list {
	struct pp_record_store *keep;
	struct pp_pending *items;
	size_t count, room;
};
/* What is due of a thread, without a record yet; and of a piece of its process's maps. */
struct pp_pending pp_pending_of(const struct pp_thread *);
struct pp_pending pp_pending_map(const struct pp_maps *, const struct pp_space *piece);
/* Takes a share of due->kept, unless NULL.  0, or -1 (memory). */
int pp_pending_list_add(struct pp_pending_list *, const struct pp_pending *);
void pp_pending_list_sort(struct pp_pending_list *);
/* After sorting: a further piece of a map, after the first. */
bool pp_pending_list_repeat(const struct pp_pending_list *, size_t i);
/* Makes the record, which was read, its owner's; there is room for PP_RECORD_MAX bytes. */
void pp_pending_own(const struct pp_pending *, struct pp_record *);
void pp_pending_list_clear(struct pp_pending_list *);
void pp_pending_list_close(struct pp_pending_list *);

/* ---- record_store.c: what becomes of a record that is inherited, or late ---- */

/* Whether a map's name says that it is memory without a file, as perf sees it (tools/perf/util/map.c): code
 * there is called /tmp/perf-PID.map, where a JIT compiler may have listed its functions. */
bool pp_is_bare(const char *name, size_t length);

/* Makes a record an heir's own: his numbers in it; a name that is inherited came with no exec, and
 * code without a file says whose symbols it has.  There is room for PP_RECORD_MAX bytes. */
void pp_record_give(struct pp_record *, uint32_t pid, uint32_t tid);
/* Sets the time of a record other than a sample, if it has one. */
void pp_record_date(struct pp_record *, uint64_t time);

#endif
