/* build_id.h - the two steps of pp_elf_build_id() and its like: one process opens a file, another may read
 * it. */
#ifndef PP_BUILD_ID_H
#define PP_BUILD_ID_H

#include <perfpipe/build_id.h>

/* Opens it if it is a regular file and the one that is wanted: PP_ELF_FOUND and *fd, else as
 * pp_elf_build_id(). */
int pp_elf_open(const struct pp_elf_file *, int *fd);
/* As pp_regular_open(), but a symbolic link is not followed: it is PP_ELF_SPECIAL. */
int pp_regular_open_itself(const struct pp_elf_file *, uint64_t least, int *fd);
/* The notes of a module that is loaded, or of the kernel (NULL): a descriptor, or -1 and errno. */
int pp_elf_open_notes(const char *module);
/* The build-id in them; they stay open. */
int pp_elf_read_notes(int fd, uint8_t id[20], uint8_t *size);
/* In the bytes of a file. */
int pp_elf_build_id_of(const void *bytes, size_t length, uint8_t id[20], uint8_t *size);

#endif
