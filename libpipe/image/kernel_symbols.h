/* kernel_symbols.h - symbols that are in no ELF file: the running kernel's, and those of code that a process
 * made. */
#ifndef PP_KERNEL_SYMBOLS_H
#define PP_KERNEL_SYMBOLS_H

#include "image/elf_image.h"

struct pp_kernel {
	struct pp_symtab symbols;     /* of kernel and modules, by their addresses here */
	uint64_t text;                /* where the kernel begins */
	bool hidden;                  /* addresses are all zero: not for us to see; or there are none */
	int os;                       /* why /proc/kallsyms could not be read; 0: it could */
};
/* Reads /proc/kallsyms.  0, or -1 and *error: memory. */
int pp_kernel_read(struct pp_kernel *, struct pp_error *);
void pp_kernel_free(struct pp_kernel *);
/* ---- kernel_symbols_cache.c ---- */

/* Names of the kernel's own functions, which were kept in a folder. */
struct pp_kernel_kept {
	const char *folder;           /* the caller's */
	uint64_t kernel;              /* which kernel runs, where that is known */
	bool known, there;            /* there: in these symbols, by their distance from its start */
	struct pp_symtab symbols;     /* those without a name say that others are there */
	void *mapped;
	size_t size;
};
/* Looks in the folder (NULL: there is none) for those of the running kernel, if it shows its addresses. */
void pp_kernel_kept_open(struct pp_kernel_kept *, const char *folder);
void pp_kernel_kept_close(struct pp_kernel_kept *);
/* Whether they tell all these apart. */
bool pp_kernel_kept_covers(const struct pp_kernel_kept *, const uint64_t *offsets, size_t n);
/* Keeps those of the running kernel for the next time, unless they are there.  What hinders that is no
 * failure. */
void pp_kernel_keep(const struct pp_kernel_kept *, const struct pp_kernel *);

/* ---- kernel_symbols.c ---- */

/* Whether this kernel has that build-id. */
bool pp_kernel_is(const struct pp_id *);
/* Where its symbol _text is, 0: not for us to see; false: that cannot be read. */
bool pp_kernel_text(uint64_t *text);
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
