/* task_places.h - where addresses are, by what is mapped there: the same in all processes. */
#ifndef PP_TASK_PLACES_H
#define PP_TASK_PLACES_H

#include <perfpipe/tasks.h>

/* A place in one version of a file. */
struct pp_file_place {
	uint32_t file;                /* a number: equal for maps of equal name, identity and protection */
	uint64_t offset;
};

/* What the name of an address of a process depends on: the place in a file that is mapped there; the process,
 * where it is memory without a file; nothing, where nothing is mapped. */
enum pp_placed { PP_PLACED_IN_FILE, PP_PLACED_IN_PROCESS, PP_PLACED_NOWHERE };

/* *place is filled in only if it is in a file.  A build-id that a record apart from the maps gives for a file
 * does not change its number. */
enum pp_placed pp_tasks_place(struct pp_tasks *, uint32_t pid, uint64_t address, struct pp_file_place *);

#endif
