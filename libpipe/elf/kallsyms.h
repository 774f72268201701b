/* kallsyms.h - the symbols of the running kernel and its modules, as far as this user may see them. */
#ifndef ELF_KALLSYMS_H
#define ELF_KALLSYMS_H

#include <perfpipe/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of /proc/kallsyms; texts are borrowed, and not terminated. */
struct pp_kallsym {
	uint64_t address;             /* 0: it is hidden */
	char type;                    /* as nm(1) has it: 'T' code, 't' code that is local ... */
	const char *name, *module;    /* NULL: the kernel's own */
	size_t length, module_length;
};
/* Whether it is the kernel's own of that name. */
bool pp_kallsym_is(const struct pp_kallsym *, const char *name);
/* Shows each symbol, in the order of the file, as long as `each` returns 0.  What it returned last; or -1 and
 * *error: memory, or the file cannot be read. */
typedef int pp_kallsym_fn(void *arg, const struct pp_kallsym *, struct pp_error *);
int pp_kallsyms_read(pp_kallsym_fn *each, void *arg, struct pp_error *);

#endif
