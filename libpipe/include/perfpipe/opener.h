/*
 * opener.h - files that a stream names, opened by a process of its own for one that reads them and can do
 * little else: nothing in them is to be trusted.
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/opener.h>
 *	#include <perfpipe/sandbox.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		const struct pp_elf_file file = { .path = argc > 1 ? argv[1] : "/bin/sh" };
 *		struct pp_opener *const opener = pp_opener_new(NULL, &error);
 *		uint8_t id[20], size;
 *		const struct pp_sandbox_options stage = { .size = sizeof(stage), .does = PP_STAGE_ASKS };
 *		unsigned holds;
 *
 *		if (!opener || pp_sandbox_enter(&stage, &holds, &error))
 *			return 4;
 *		if (pp_opener_build_id(opener, &file, 0, id, &size, &error) == PP_ELF_FOUND)
 *			printf("%s has a build-id of %u bytes\n", file.path, (unsigned)size);
 *		pp_opener_free(opener);
 *		return 0;
 *	}
 */
#ifndef PERFPIPE_OPENER_H
#define PERFPIPE_OPENER_H

#ifndef PP_UNSTABLE
#error "<perfpipe/opener.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/build_id.h>
#include <perfpipe/error.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_opener;
/* Starts the process, which finds all files below `root`, or NULL, and reads nothing of them.  NULL and
 * *error. */
PP_API PP_MUST_CHECK struct pp_opener *pp_opener_new(const char *root, struct pp_error *);
PP_API void pp_opener_free(struct pp_opener *); /* ends it; NULL is fine */

struct pp_record;
/* Takes what a record says of when the stream was recorded, which all but samples may do: files that were
 * changed later are not those that were mapped. */
PP_API void pp_opener_note(struct pp_opener *, const struct pp_record *);

enum { PP_OPENER_GONE = -2 };         /* *error: no file can be found any more */
/*
 * The file that a process mapped: where its inode is known, the one at its path or, for a process in a
 * container that is still running, in its own root; no inode counts below the opener's root, which is the
 * one that holds.  As pp_regular_open(), of any length, or PP_OPENER_GONE.
 */
PP_API PP_MUST_CHECK int pp_opener_open(struct pp_opener *, const struct pp_elf_file *, uint32_t pid, int *fd,
					struct pp_error *);
/* The build-id in its notes, as pp_elf_build_id(), or PP_OPENER_GONE.  Where `recorded_by` is 0, it
 * is what the records that were noted say. */
PP_API PP_MUST_CHECK int pp_opener_build_id(struct pp_opener *, const struct pp_elf_file *, uint32_t pid,
					    uint8_t id[20], uint8_t *size, struct pp_error *);
/* That of the running kernel, or of a module that is loaded, by its name (NULL: of the kernel). */
PP_API PP_MUST_CHECK int pp_opener_kernel_build_id(struct pp_opener *, const char *module, uint8_t id[20],
						   uint8_t *size, struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
