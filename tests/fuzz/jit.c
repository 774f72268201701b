/*
 * jit.c - fuzz target: any bytes as a jitdump file, read to its end, with an image made of each piece of
 * code.  Nothing may crash, hang or grow, and an image has the build-id that it was said to have.
 */
#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES_MOST = 1000, IMAGES_MOST = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_image(struct pp_jit *jit, const struct pp_jit_code *code, int image)
{
	uint8_t id[20], there[20], length = 0;
	struct pp_elf_file file = { .root = NULL };
	struct pp_error error;
	char path[32];

	if (ftruncate(image, 0))
		abort();
	if (pp_jit_image(jit, code, image, id, &error))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", image);
	file.path = path;
	if (pp_elf_build_id(&file, there, &length) != PP_ELF_FOUND || length != sizeof(id) ||
	    memcmp(id, there, sizeof(id)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("jitdump", MFD_CLOEXEC), image = memfd_create("image", MFD_CLOEXEC);
	struct pp_jit_code code;
	struct pp_error error;
	struct pp_jit *jit;

	if (fd < 0 || image < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	jit = pp_jit_open(fd, &error);
	for (unsigned i = 0; jit && i < PIECES_MOST; i++) {
		if (pp_jit_next(jit, i & 1 ? UINT64_MAX : i, &code, &error) != PP_MORE && i & 1)
			break;
		if (i & 1 && !code.moved && i < IMAGES_MOST)
			check_image(jit, &code, image);
	}
	pp_jit_close(jit);
	close(image);
	return 0;
}
