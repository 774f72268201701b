/* address_lookup.h - where functions are, by their names: in an ELF file, or in the running kernel. */
#ifndef PP_ADDRESS_LOOKUP_H
#define PP_ADDRESS_LOOKUP_H

#include <perfpipe/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By address.  Of a file, `start` is an offset in it. */
struct pp_function { uint64_t start, size; bool global; const char *name; };
struct pp_functions {
	struct pp_function *items;
	size_t n, room;
	char *text;                   /* holds the names */
	uint64_t whole, whole_size;   /* where all of it is */
	const char *where;            /* of messages */
};

/* `path` NULL: of the kernel, as far as this user may know.  0, or -1 and *error. */
int pp_functions_read(struct pp_functions *, const char *path, struct pp_error *);
/* The function of this name: the only one (nth -1), the n-th by address from 1, or the global one (0).
 * NULL and *error, which says what there is. */
const struct pp_function *pp_functions_find(const struct pp_functions *, const char *name, long nth,
					    struct pp_error *);
void pp_functions_free(struct pp_functions *);

#endif
