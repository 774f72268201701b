/* elf.h - the two steps of pp_elf_build_id(): one process opens a file, another may read it. */
#ifndef PP_ELF_H
#define PP_ELF_H

#include <perfpipe/build_id.h>

/* Opens it if it is a regular file and the one that is wanted: PP_ELF_FOUND and *fd, else as
 * pp_elf_build_id(). */
int pp_elf_open(const struct pp_elf_file *, int *fd);
/* The build-id in an open file, which stays open. */
int pp_elf_read_build_id(int fd, uint8_t id[20], uint8_t *size);
/* In the bytes of a file. */
int pp_elf_build_id_of(const void *bytes, size_t length, uint8_t id[20], uint8_t *size);

#endif
