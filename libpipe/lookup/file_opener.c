/* file_opener.c - asks the process that finds files (finder_child.c) for those whose build-ids are wanted,
 * and reads these. */
#include <perfpipe/perfpipe.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/spool.h"
#include "elf/build_id.h"
#include "elf/elfutils.h"
#include "model/recorded.h"
#include "lookup/isolated.h"

struct pp_opener {
	struct pp_isolated_finder *finder;
	struct pp_recorded recorded;
};

struct pp_opener *pp_opener_new(const char *root, struct pp_error *error)
{
	struct pp_opener *const o = calloc(1, sizeof(*o));
	const struct pp_finder_options places = { .root = root };

	if (!o) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	/* while the caller may still open files */
	if (pp_elfutils_load(error)) {
		free(o);
		return NULL;
	}
	o->finder = pp_isolated_finder_new(&places, error);
	if (o->finder)
		return o;
	free(o);
	return NULL;
}

void pp_opener_free(struct pp_opener *o)
{
	if (!o)
		return;
	pp_isolated_finder_free(o->finder);
	free(o);
}

void pp_opener_note(struct pp_opener *o, const struct pp_record *rec)
{
	pp_recorded_note(&o->recorded, rec);
}

/* An enum pp_elf and *fd; -1 and errno; or PP_OPENER_GONE and *error. */
static int ask_opener(struct pp_opener *o, const struct pp_question *q, int *fd, struct pp_error *error)
{
	static const enum pp_elf as[] = {
		[PP_FILE_MISSING] = PP_ELF_NONE, [PP_FILE_FOUND] = PP_ELF_FOUND,
		[PP_FILE_DIFFERS] = PP_ELF_OTHER, [PP_FILE_SPECIAL] = PP_ELF_SPECIAL,
		[PP_FILE_CHANGED] = PP_ELF_CHANGED,
	};
	struct pp_error why = { .code = PP_OK };
	struct pp_found_file found;
	const int got = pp_isolated_finder_ask(o->finder, q, &found, &why);

	if (got < 0 && pp_isolated_finder_gone(o->finder)) {
		*error = why;
		return PP_OPENER_GONE;
	}
	if (got < 0) {
		errno = why.code == PP_E_NOMEM ? ENOMEM : why.os;
		return -1;
	}
	*fd = found.fd;
	free(found.path);
	return as[got];
}

int pp_opener_open(struct pp_opener *o, const struct pp_elf_file *file, uint32_t pid, int *fd,
		   struct pp_error *error)
{
	const struct pp_question q = {
		.what = PP_ASK_MAPPED, .wanted = { .path = file->path, .pid = pid, .ino = file->ino,
						   .ino_generation = file->ino_generation,
						   .recorded_by = file->recorded_by,
						   .maj = file->maj, .min = file->min },
	};

	return ask_opener(o, &q, fd, error);
}

static int close_with(int fd, int result)
{
	const int os = errno;

	(void)close(fd);
	errno = os;
	return result;
}

int pp_opener_build_id(struct pp_opener *o, const struct pp_elf_file *file, uint32_t pid, uint8_t id[20],
		       uint8_t *size, struct pp_error *error)
{
	struct pp_elf_file wanted = *file;
	int fd, found;

	if (!wanted.recorded_by)
		wanted.recorded_by = pp_recorded_by(&o->recorded);
	found = pp_opener_open(o, &wanted, pid, &fd, error);
	return found == PP_ELF_FOUND ? close_with(fd, pp_elf_read_build_id(fd, id, size)) : found;
}

int pp_opener_kernel_build_id(struct pp_opener *o, const char *module, uint8_t id[20], uint8_t *size,
			      struct pp_error *error)
{
	const struct pp_question q = { .what = PP_ASK_NOTES, .wanted.path = module ? module : "" };
	int fd;
	const int found = ask_opener(o, &q, &fd, error);

	return found == PP_ELF_FOUND ? close_with(fd, pp_elf_read_notes(fd, id, size)) : found;
}
