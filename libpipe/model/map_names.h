/* map_names.h - questions about a map that its name and its protection answer. */
#ifndef PP_MAP_NAMES_H
#define PP_MAP_NAMES_H

#include <perfpipe/tasks.h>

#include <sys/mman.h>

/* Whether it is of code, as far as is known: an MMAP, unlike an MMAP2, has no protection. */
static inline bool pp_map_is_code(const struct pp_map *map)
{
	return !map->prot || map->prot & PROT_EXEC;
}

/* Whether perf takes the names of code in a map of this name from /tmp/perf-PID.map, where a JIT compiler may
 * have listed its functions (tools/perf/util/map.c); see pp_map_is_for_jit() and pp_map_has_file(), too. */
bool pp_map_in_perf_map(const char *name, size_t length);
/* Whether a map of this name is memory that no file has: what its code is called, each process knows for
 * itself. */
bool pp_map_is_of_process(const char *filename);

#endif
