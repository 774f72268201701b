/* map_names.c - what the name of a map says of what is mapped: a file, or memory of which kind. */
#include "model/map_names.h"

#include <string.h>

/* The first that a name begins with counts. */
static const struct memory_name { const char *begin; bool in_perf_map, for_jit; } memory_names[] = {
	{ "//anon", true, true },
	{ "/anon_hugepage", true, true },
	{ "/dev/zero", true, false },
	{ "/SYSV", true, false },
	{ "[heap]", true, false },
	{ "[stack", true, false },
	{ "[anon", false, true },     /* "[anon:v8]", "[anon_shmem:x]": of prctl(2) */
	{ "/memfd:", false, true },
	{ "//", false, false },
	{ "/dev/", false, false },
	{ "/[aio]", false, false },
	{ "/i915", false, false },
	{ "/dri/", false, false },
};

static const struct memory_name *find_memory_name(const char *name, size_t length)
{
	static const char files[] = "/dev/shm/";

	if (length > strlen(files) && !memcmp(name, files, strlen(files)))
		return NULL;
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(memory_names[0]); i++) {
		const size_t n = strlen(memory_names[i].begin);

		if (length >= n && !memcmp(name, memory_names[i].begin, n))
			return &memory_names[i];
	}
	return NULL;
}

bool pp_map_in_perf_map(const char *name, size_t length)
{
	const struct memory_name *const is = find_memory_name(name, length);

	return is && is->in_perf_map;
}

bool pp_map_is_for_jit(const char *filename)
{
	const struct memory_name *const is = find_memory_name(filename, strlen(filename));

	return is && is->for_jit;
}

bool pp_map_is_of_process(const char *filename)
{
	return !*filename || pp_map_is_for_jit(filename) || pp_map_in_perf_map(filename, strlen(filename));
}

bool pp_map_has_file(const char *filename)
{
	return *filename == '/' && !find_memory_name(filename, strlen(filename));
}
