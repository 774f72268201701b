/* cfi_image.h - a file that is mapped, as unwinding needs it: where its code belongs, and its rules. */
#ifndef PP_CFI_IMAGE_H
#define PP_CFI_IMAGE_H

#include "elf/elf_reader.h"
#include "unwind/cfi.h"

/* A piece of a file that is loaded (PT_LOAD). */
struct image_piece {
	uint64_t offset, size, address;
	bool code;
};

struct image {
	uint16_t elf;                 /* EM_; 0: it is no ELF file that can be used */
	bool shorter;                 /* the file became that while it was read */
	struct image_piece *pieces;
	size_t n_pieces;
	struct cfi eh, debug;
	char link[256];               /* of .gnu_debuglink, or "" */
	uint32_t link_sum;
	struct pp_idmap rows;         /* by address: 1 + the row's number, or 0: none */
	bool debug_sought;            /* in a file of its own */
};

/* Reads what there is; a file that is no ELF file, or damaged, gives less.  0, -1: memory. */
int pp_unwind_image_open(struct image *, const struct pp_elf_source *, const struct machine *);
void pp_unwind_image_close(struct image *);
/* Takes .debug_frame of another file, the debug file.  0, -1: memory. */
int pp_unwind_image_add_debug(struct image *, const struct pp_elf_source *, const struct machine *);
/* What to add to an offset in the file that is mapped with another for an address in it. */
bool pp_unwind_image_shift(const struct image *, uint64_t pgoff, uint64_t *shift);
/* The row of an address of the file and its section; 1, 0: none, -1: memory. */
int pp_unwind_image_find(struct image *, uint64_t address, const struct row **, struct cfi **);
uint64_t pp_unwind_image_held(const struct image *);

#endif
