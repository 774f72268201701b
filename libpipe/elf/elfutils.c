/*
 * elfutils.c - loads libelf, libdw and liblzma when they are first needed, and passes calls on to them.
 *
 * That is in the shared library alone, which defines their functions by itself for that (PP_LOADS); what is
 * linked with the archive has the libraries linked, too.
 */
#include "elf/elfutils.h"

#ifdef PP_LOADS

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <libelf.h>
#include <lzma.h>
#include <pthread.h>
#include <string.h>

static const char *const libraries[] = { "libelf.so.1", "libdw.so.1", "liblzma.so.5" };
enum { LIBRARIES = sizeof(libraries) / sizeof(*libraries) };

#define CALL(type, name, parameters, arguments) __typeof__(name) *name;
#define CALL_VOID(name, parameters, arguments) CALL(void, name, parameters, arguments)
static struct functions {
#include "elf/elfutils.def"
} functions;
#undef CALL
#undef CALL_VOID

static const char *lack;        /* what could not be loaded, or is not in it; NULL: nothing */

static void *find_function(void *const opened[LIBRARIES], const char *name)
{
	void *found = NULL;

	for (size_t i = 0; i < LIBRARIES && !found; i++)
		found = dlsym(opened[i], name);
	if (!found)
		lack = name;
	return found;
}

/* They stay for as long as the process. */
static void load_libraries(void)
{
	void *opened[LIBRARIES];
	struct functions found;

	for (size_t i = 0; i < LIBRARIES; i++) {
		opened[i] = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		if (!opened[i])
			lack = libraries[i];
	}
	if (lack)
		return;
#define CALL(type, name, parameters, arguments) \
	found.name = __extension__ (__typeof__(name) *)find_function(opened, #name);
#define CALL_VOID(name, parameters, arguments) CALL(void, name, parameters, arguments)
#include "elf/elfutils.def"
#undef CALL
#undef CALL_VOID
	if (!lack)
		functions = found;
}

/* Not static: headers have some of the functions inline, which clang then takes for inline here, too. */
const struct functions *pp_elfutils_functions(void);

const struct functions *pp_elfutils_functions(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load_libraries);
	return &functions;
}

int pp_elfutils_load(struct pp_error *error)
{
	(void)pp_elfutils_functions();
	return lack ? pp_fail(error, PP_E_IO, "%s cannot be loaded", lack) : 0;
}

/* Without them all begins with no ELF file, so that what is given back by the others does not matter. */
#define CALL(type, name, parameters, arguments) \
	type name parameters \
	{ \
		const struct functions *const loaded = pp_elfutils_functions(); \
\
		return loaded->name ? loaded->name arguments : (type)0; \
	}
#define CALL_VOID(name, parameters, arguments) \
	void name parameters \
	{ \
		const struct functions *const loaded = pp_elfutils_functions(); \
\
		if (loaded->name) \
			loaded->name arguments; \
	}
#include "elf/elfutils.def"

#else

int pp_elfutils_load(struct pp_error *error)
{
	(void)error;
	return 0;
}

#endif
