/* mapped_files.h - which files lie in an address space, and whose a build-id is. */
#ifndef PP_MAPPED_FILES_H
#define PP_MAPPED_FILES_H

#include "model/address_space.h"

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
/* Whether a piece that is mapped is memory of a process, and no file that others may have, too. */
bool pp_files_of_process(const struct pp_files *, const struct pp_space *piece);
/* The map at an address, valid until the next call with these files; NULL: none. */
const struct pp_map *pp_files_find(struct pp_files *, const struct pp_space *, uint64_t address);

#endif
