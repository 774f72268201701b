/* model.h - what tasks.c and maps.c share: address spaces, and the files mapped into them. */
#ifndef MODEL_H
#define MODEL_H

#include "libpipe.h"

/* Files that are or were mapped, each kept once: a name, and what tells files of one name apart. */
struct pp_files;
struct pp_files *pp_files_new(void);            /* NULL: out of memory */
void pp_files_free(struct pp_files *);          /* NULL is fine */

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

#endif
