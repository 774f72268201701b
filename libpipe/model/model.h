/* model.h - what tasks.c shares with maps.c and belongs.c: address spaces, the files mapped into
 * them, ancestors, namespaces, control groups. */
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

#endif
