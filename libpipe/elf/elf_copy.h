/*
 * elf_copy.h - a copy of an ELF file for libelf and libdw: the sections that are asked for at their places in
 * the file, zeroes elsewhere, and what was compressed after its end.
 *
 * libdw of 2022 cannot expand zstd, and libelf reads what the file says however much that is; so both are
 * handed memory in which nothing is compressed and everything is bounded.  What is not asked for takes
 * addresses, and no memory.  A part of 16 MiB or more is mapped if only root and this user can make the
 * file shorter: libdw looks at few of its pages, and to read them all takes long.
 */
#ifndef PP_ELF_COPY_H
#define PP_ELF_COPY_H

#include "elf/elf_reader.h"

struct pp_elf_copy {
	struct pp_elf_reader elf;            /* whose source has to last while more is asked for */
	uint8_t *bytes;               /* NULL: there is none */
	uint64_t size, room;          /* bytes that libelf may see; addresses */
	/* What may still be, in bytes: expanded, read to be expanded, and of memory in all. */
	uint64_t expanded_most, read_most, memory_most;
	bool too_large;               /* something was left out that takes too much */
	bool unknown;                 /* or that cannot be expanded */
};
/* What is to become of a section. */
enum pp_elf_part { PP_ELF_LEAVE, PP_ELF_TAKE, PP_ELF_HIDE };
typedef enum pp_elf_part pp_elf_part_fn(void *arg, const char *name, const struct pp_elf_section *);

/* With the headers, and nothing else yet.  1; 0: it is no ELF file, or has too many sections; -1 and errno.
 * *->too_large says if it is only that. */
int pp_elf_copy_open(struct pp_elf_copy *, const struct pp_elf_source *);
/* Copies sections, expanded; of those that are to be hidden, or cannot be expanded, the header then says
 * that they have no bytes.  0, or -1 and errno. */
int pp_elf_copy_take(struct pp_elf_copy *, pp_elf_part_fn *, void *arg);
/* Copies bytes of the file to their place.  0, or -1 and errno. */
int pp_elf_copy_range(struct pp_elf_copy *, uint64_t offset, uint64_t size);
void pp_elf_copy_close(struct pp_elf_copy *);

#endif
