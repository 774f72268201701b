/* model.h - what the files of this room share: address spaces and the files mapped into them,
 * ancestors, namespaces, control groups, and records that are kept. */
#ifndef MODEL_H
#define MODEL_H

#include "libpipe.h"

/* Files that are or were mapped, each kept once: a name, and what tells files of one name apart. */
struct pp_files;
struct pp_files *pp_files_new(void);            /* NULL: out of memory */
void pp_files_free(struct pp_files *);          /* NULL is fine */

/* The build-id of the files of this name that have none of their own.  0, or -1 (memory). */
int pp_files_identify(struct pp_files *, const char *name, size_t length, const uint8_t id[20],
		      uint8_t size);

/* The maps of a process, or of the kernel.  Shared between processes until one changes it;
 * NULL is a space without maps. */
struct pp_space;
struct pp_space *pp_space_share(struct pp_space *);
void pp_space_drop(struct pp_space *);
/* Adds a map over what was mapped there.  `name` has `length` bytes; map->filename and ->file
 * are not looked at.  0, or -1: out of memory, the space is as it was. */
int pp_space_add(struct pp_space **, struct pp_files *, const struct pp_map *, const char *name,
		 size_t length);
/* The map at an address, valid until the next call with these files; NULL: none. */
const struct pp_map *pp_space_find(const struct pp_space *, struct pp_files *, uint64_t address);

/* A process among its ancestors, ended ones too; shared.  NULL where nothing is known. */
struct pp_descent;
struct pp_descent *pp_descent_new(uint32_t pid, struct pp_descent *parent); /* NULL: no memory */
void pp_descent_drop(struct pp_descent *);
/* Another reference to a process without a parent, which gets this one; NULL where it has one, or
 * would be its own ancestor. */
struct pp_descent *pp_descent_adopt(struct pp_descent *, struct pp_descent *parent);
bool pp_descent_has(const struct pp_descent *, uint32_t pid);

/* The namespaces of a thread, shared. */
struct pp_namespaces;
/* As a NAMESPACES record says; the same again, shared, where that is equal.  NULL: no memory. */
struct pp_namespaces *pp_namespaces_of(const struct pp_record *, struct pp_namespaces *same);
struct pp_namespaces *pp_namespaces_share(struct pp_namespaces *);
void pp_namespaces_drop(struct pp_namespaces *);
bool pp_namespaces_get(const struct pp_namespaces *, unsigned kind, uint64_t *inode);

/* Paths of control groups by their ids. */
struct pp_groups;
struct pp_groups *pp_groups_new(void);          /* NULL: out of memory */
void pp_groups_free(struct pp_groups *);        /* NULL is fine */
int pp_groups_add(struct pp_groups *, uint64_t id, const char *path, size_t length); /* 0, -1 */
const char *pp_groups_path(const struct pp_groups *, uint64_t id); /* NULL: none */

/* Where records are kept, all zero at first.  What is beyond `limit` bytes of records goes to a file
 * in TMPDIR, which has no name; 0: all stays in memory. */
struct pp_keep {
	uint64_t limit, held;         /* bytes of records; that are in memory */
	uint64_t seq;                 /* records so far */
	struct pp_kept_file *file;    /* NULL until it is needed */
};
void pp_keep_close(struct pp_keep *);           /* the file; records go by pp_kept_drop() */

/* A record, shared by all who have inherited it. */
struct pp_kept {
	uint64_t time, seq;           /* 0: without a time; ordinal of its arrival */
	const struct pp_attrs *attrs;
	uint32_t users, attr;         /* attr: ordinal + 1; 0: none */
	uint16_t size;
	bool spilled;
	uint8_t data[];               /* or its place in the file */
};
/* A copy without its tail; NULL and *error. */
struct pp_kept *pp_kept_new(struct pp_keep *, const struct pp_record *, struct pp_error *);
struct pp_kept *pp_kept_share(struct pp_kept *);            /* NULL is fine */
void pp_kept_drop(struct pp_keep *, struct pp_kept *);      /* NULL is fine */
/* As it was read; its bytes are at `data`: those of one that is in memory at its own. */
struct pp_record pp_kept_record(const struct pp_kept *, uint8_t *data);
/* As it was read, in `buf`, which has PP_RECORD_MAX bytes.  0, or -1 and *error (the file). */
int pp_kept_read(const struct pp_keep *, const struct pp_kept *, uint8_t *buf, struct pp_record *,
		 struct pp_error *);
/* Makes a record an heir's own: his numbers in it; a name that is inherited came with no exec, and
 * code without a file says whose symbols it has.  There is room for PP_RECORD_MAX bytes. */
void pp_record_give(struct pp_record *, uint32_t pid, uint32_t tid);
/* Sets the time of a record that is no sample, where it has one. */
void pp_record_date(struct pp_record *, uint64_t time);

#endif
