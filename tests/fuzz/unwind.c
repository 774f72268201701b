/*
 * unwind.c - fuzzes unwinding: any file is read or refused, and from whatever rules it has a stack
 * leads somewhere in bounded time.
 *
 * The input is an ELF file, or if it is none the .eh_frame of one; its end is also the stack.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi_image.h"
#include "unwind/unwind_step.h"

enum { STEPS = 64, ADDRESSES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Follows the rules from an address to wherever they lead. */
static void follow(struct image *image, const struct machine *m, uint64_t address, const uint8_t *data,
		   size_t size)
{
	const size_t length = size < 4096 ? size : 4096;
	struct dump dump = { .bytes = data + size - length, .size = length, .full = true,
			     .start = 0x7000, .foreign = image->eh.foreign };
	struct frame frame = { .machine = m, .pc = address, .first = true, .exact = true };

	frame.known = (UINT64_C(1) << m->slots) - 1;
	for (size_t i = 0; i < m->slots; i++)
		frame.slots[i] = 0x7000 + 16 * i;
	for (int i = 0; i < STEPS; i++) {
		const struct row *row;
		struct cfi *cfi;
		const int got = pp_unwind_image_find(image, frame.pc - !frame.exact, &row, &cfi);
		const enum step step = got > 0 ? pp_unwind_step_by_row(&frame, &dump, row, cfi, 0)
					       : pp_unwind_step_by_pointer(&frame, &dump);

		check(got >= 0);
		if (step != STEP_CALLER)
			return;
	}
}

/* Asks for the first addresses of all entries, which an index has, and for some that have none. */
static void ask(struct image *image, const struct machine *m, const uint8_t *data, size_t size)
{
	follow(image, m, 0, data, size);
	follow(image, m, UINT64_MAX, data, size);
	for (size_t i = 0; i < ADDRESSES && i < image->eh.n_ranges; i++)
		follow(image, m, image->eh.ranges[i].start, data, size);
	for (size_t i = 0; i < ADDRESSES && i < image->debug.n_ranges; i++)
		follow(image, m, image->debug.ranges[i].end - 1, data, size);
	for (size_t i = 0; i < ADDRESSES && 8 * i + 8 <= size; i++)
		follow(image, m, pp_load64(data + 8 * i) & 0xffffff, data, size);
}

static void use_frame(const struct machine *m, const uint8_t *data, size_t size, bool eh)
{
	struct image image = { .elf = m->elf };
	struct cfi *const cfi = eh ? &image.eh : &image.debug;

	cfi->bytes = malloc(size + 1);
	check(cfi->bytes != NULL);
	memcpy(cfi->bytes, data, size);
	cfi->size = size;
	cfi->machine = m;
	cfi->eh = eh;
	cfi->address = 0x1000;
	memcpy(cfi->ident, ELFMAG, SELFMAG);
	cfi->ident[EI_CLASS] = m->word == 8 ? ELFCLASS64 : ELFCLASS32;
	cfi->ident[EI_DATA] = ELFDATA2LSB;
	cfi->ident[EI_VERSION] = EV_CURRENT;
	pp_unwind_cfi_open(cfi);
	ask(&image, m, data, size);
	pp_unwind_image_close(&image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const archs[] = { "x86_64", "aarch64", "riscv64", "ppc64", "s390x", "arm" };
	const struct pp_elf_source source = { .fd = -1, .memory = data, .size = size };
	struct image image;

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		for (uint64_t abi = 1; abi <= 2; abi++) {
			const struct machine *const m = pp_unwind_machine_of(archs[i], abi);

			if (!m)
				continue;
			check(!pp_unwind_image_open(&image, &source, m));
			ask(&image, m, data, size);
			pp_unwind_image_close(&image);
		}
	use_frame(pp_unwind_machine_of("x86_64", 2), data, size, true);
	use_frame(pp_unwind_machine_of("x86_64", 1), data, size, false);
	return 0;
}
