/* kernel.h - symbols that are in no ELF file: the running kernel's, and those of code that a process
 * made. */
#ifndef SYMBOL_KERNEL_H
#define SYMBOL_KERNEL_H

#include "symbol/image.h"

struct pp_kernel {
	struct pp_symtab symbols;     /* of kernel and modules, by their addresses here */
	uint64_t text;                /* where the kernel begins */
	bool hidden;                  /* addresses are all zero: not for us to see */
};
/* Reads /proc/kallsyms.  0, or -1 and *error: memory. */
int pp_kernel_read(struct pp_kernel *, struct pp_error *);
void pp_kernel_free(struct pp_kernel *);
/* Whether this kernel has that build-id. */
bool pp_kernel_is(const struct pp_id *);
/* The name of a module, of its map's: "[ext4]" or "/lib/modules/6.1/kernel/fs/ext4.ko.xz"; false: it is of
 * none. */
bool pp_module_name(const char *path, char *name, size_t size);
/* Where a module begins here; false: it is not loaded, or not for us to see. */
bool pp_module_start(const char *name, uint64_t *start);

/* ---- perf_map.c ---- */

/* Reads perf-PID.map of a process from where it wrote it: 0, or -1 and *error.  A file that is not
 * there, or is not the process's or ours, has no symbols. */
int pp_perf_map_read(struct pp_symtab *, struct pp_finder *, uint32_t pid, struct pp_error *);

#endif
