/* build_id.h - build-ids: of files, of the running kernel, its modules and the vdso. */
#ifndef PERFPIPE_BUILD_ID_H
#define PERFPIPE_BUILD_ID_H

#include <perfpipe/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file as a stream tells of it: beneath the folder `root` (NULL: this process's own), and where
 * `ino` is not 0, the one that the kernel saw there. */
struct pp_elf_file {
	const char *root, *path;
	uint64_t ino;
	uint32_t maj, min;
};
enum pp_elf {                         /* beside -1: cannot be read (errno) */
	PP_ELF_NONE,                  /* has no build-id, or is no ELF file */
	PP_ELF_FOUND,
	PP_ELF_OTHER,                 /* another file stands there now */
	PP_ELF_SPECIAL,               /* no regular file, or made up by the kernel: not opened */
};
/* The build-id in its notes (20 bytes at most), and *size. */
PP_API PP_MUST_CHECK int pp_elf_build_id(const struct pp_elf_file *, uint8_t id[20], uint8_t *size);
/* In a blob of ELF notes, such as /sys/kernel/notes.  1 or 0. */
PP_API PP_MUST_CHECK int pp_notes_build_id(const void *notes, size_t length, uint8_t id[20],
					   uint8_t *size);
/* Of the running kernel; of the vdso mapped into this process; of a loaded module. */
PP_API PP_MUST_CHECK int pp_kernel_build_id(uint8_t id[20], uint8_t *size);
PP_API PP_MUST_CHECK int pp_vdso_build_id(uint8_t id[20], uint8_t *size);
PP_API PP_MUST_CHECK int pp_module_build_id(const char *module, uint8_t id[20], uint8_t *size);

#ifdef __cplusplus
}
#endif

#endif
