/*
 * linked_libraries.c - what the tools would load, in a program that loads nothing: libtraceevent is in it,
 * others are not.
 *
 * The linker (--wrap) has these called in the place of libc's own, so that the library's objects are the same
 * in every program.
 */
#include <stddef.h>
#include <string.h>

void *__wrap_dlopen(const char *file, int flags);
void *__wrap_dlsym(void *library, const char *name);
int __wrap_dlclose(void *library);

#ifdef PP_TRACEEVENT

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

typedef void function(void);

#define ROW(name) { #name, __extension__ (function *)name },
static struct { const char *name; function *function; } functions[] = {
	ROW(tep_alloc) ROW(tep_free) ROW(tep_set_loglevel) ROW(tep_set_long_size)
	ROW(tep_set_file_bigendian) ROW(tep_set_local_bigendian) ROW(tep_parse_event)
	ROW(tep_find_event) ROW(tep_print_event) ROW(tep_set_function_resolver)
	ROW(tep_register_print_string)
	ROW(trace_seq_init) ROW(trace_seq_reset) ROW(trace_seq_terminate) ROW(trace_seq_destroy)
};

void *__wrap_dlopen(const char *file, int flags)
{
	(void)flags;
	return !strcmp(file, "libtraceevent.so.1") ? functions : NULL;
}

void *__wrap_dlsym(void *library, const char *name)
{
	(void)library;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return __extension__ (void *)functions[i].function;
	return NULL;
}

#else

void *__wrap_dlopen(const char *file, int flags)
{
	(void)file;
	(void)flags;
	return NULL;
}

void *__wrap_dlsym(void *library, const char *name)
{
	(void)library;
	(void)name;
	return NULL;
}

#endif

int __wrap_dlclose(void *library)
{
	(void)library;
	return 0;
}
