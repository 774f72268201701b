/* go_functions.h - the table in which a Go program has its functions: the runtime needs it, so it stays where
 * symbols are stripped. */
#ifndef ELF_GO_FUNCTIONS_H
#define ELF_GO_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_go_table {
	const uint8_t *bytes;         /* the caller's, as all of it */
	size_t size;
	bool foreign;                 /* the other byte order */
	unsigned word, entry;         /* bytes of an address; of a number in the list of functions */
	size_t list, names;           /* where the list of functions is, and what their names count from */
	uint64_t n, base;             /* of functions; where the places in the list count from: */
	uint64_t text;                /* is added to what the list says, as the table has it; */
	size_t text_at;               /* which a relocation may change; 0: the list has addresses */
};
/* The first one in there. */
bool pp_go_table_find(struct pp_go_table *, const void *bytes, size_t size, bool foreign);

struct pp_go_function { uint64_t start, size; const char *name; size_t length; };
/* Shows each, in the order of their addresses, as long as `each` returns 0 and the table is whole.  What it
 * returned last, or 0. */
typedef int pp_go_function_fn(void *arg, const struct pp_go_function *);
int pp_go_functions(const struct pp_go_table *, pp_go_function_fn *each, void *arg);

#endif
