/* loaded_library.h - libraries that are loaded where they are installed. */
#ifndef PP_LOADED_LIBRARY_H
#define PP_LOADED_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Of a function that a library calls: MemorySanitizer does not know that the library wrote what it gives. */
#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#define PP_CALLED_BY_LIBRARY __attribute__((no_sanitize("memory")))
#endif
#endif
#ifndef PP_CALLED_BY_LIBRARY
#define PP_CALLED_BY_LIBRARY
#endif

/* Loads it for as long as the process runs.  NULL and *why: the linker's text, until the next call. */
static inline void *pp_library_load(const char *name, const char **why)
{
	void *const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		*why = dlerror();
	return library;
}

/* Whether memory or a descriptor was lacking: a tool must not do without the library then, as if none were
 * installed. */
static inline bool pp_library_failed(const char *why)
{
	return why && (strstr(why, "memory") || strstr(why, "cannot create"));
}

/* Puts the library's function of that name into the pointer to a function at `to`; false: it has none. */
static inline bool pp_library_find(void *library, const char *name, void *to)
{
	void *const found = dlsym(library, name);

	memcpy(to, &found, sizeof(found));
	return found != NULL;
}

#endif
