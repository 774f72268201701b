/* unwind_modules.h - what lies at an address of a process: the file, read once, and where it is in memory. */
#ifndef PP_UNWIND_MODULES_H
#define PP_UNWIND_MODULES_H

#include <perfpipe/unwind.h>

#include "model/recorded.h"
#include "image/file_finder.h"
#include "unwind/cfi_image.h"

/* A file that was mapped, and what became of the stacks that ended in it. */
struct module {
	char *path;
	struct pp_id id;              /* as the stream has it */
	uint64_t ino, ino_generation;
	uint32_t maj, min;
	uint64_t recorded_by;         /* when it was met, as in struct pp_wanted_file */
	bool id_of_name;              /* as in struct pp_map */
	uint32_t next;                /* 1 + the next of the same hash */
	enum pp_unwound without;      /* how a stack ends that finds no rule in it */
	bool found, open;             /* there is such a file; `image` is filled */
	struct image image;
	struct pp_found_file file;    /* closed: its path and its own build-id */
	uint64_t ends[PP_UNWOUND_WAYS];
};

/* A range of addresses, and its file. */
struct mapped {
	uint64_t start, end;
	struct module *module;
	uint64_t shift;               /* address of the file's address 0 */
	bool shifted;                 /* that is known */
};

enum { FEW_MAPPED = 16, BY_NUMBER = 4096 };

struct modules {
	struct pp_tasks *tasks;
	struct pp_finder *finder;
	struct pp_recorded recorded;
	struct module **items;        /* apart, since they are pointed to */
	size_t count, room;
	struct pp_idmap by_hash;      /* 1 + the index */
	struct { uint64_t number; struct module *module; } by_number[BY_NUMBER];
	uint64_t held, limit;         /* bytes of images */
	/* Of one process, until something is mapped: */
	uint32_t pid;
	struct mapped few[FEW_MAPPED];
	unsigned n_few, next_few;
	const char *osrelease;        /* of the stream; "": it does not say */
	bool other_host;              /* it was recorded on a host of another name */
	bool vdso_said;
};

void pp_unwind_modules_close(struct modules *);
/* Forgets what was found of a process: something was mapped, or it is another's turn. */
void pp_unwind_modules_turn(struct modules *, uint32_t pid);
/* What is at an address of the process whose turn it is; *found NULL: nothing.  0, 1: what may not be
 * executed, -1 and *error. */
int pp_unwind_modules_at(struct modules *, const struct machine *, uint64_t address,
			 const struct mapped **found, struct pp_error *);
/* The row for an address in it: 1, 0: none, -1 and *error. */
int pp_unwind_modules_row(struct modules *, const struct machine *, const struct mapped *, uint64_t address,
			  const struct row **, struct cfi **, struct pp_error *);

#endif
