/* code_bytes.c - reads the code of a function out of the file that was recorded.  A finder's process opens
 * that: here it is only read, and its numbers are believed as far as the file goes. */
#include "annotate/annotate_state.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/elf_reader.h"

enum { CODE_MOST = 1 << 20 };

static int take_segments(struct pp_elf_reader *elf, struct pp_function_code *code)
{
	if (pp_elf_read_segments(elf))
		return -1;
	if (!elf->n_segments)
		return 0;
	code->segments = calloc(elf->n_segments, sizeof(*code->segments));
	if (!code->segments)
		return -1;
	for (uint32_t i = 0; i < elf->n_segments; i++) {
		const struct pp_elf_segment s = pp_elf_segment(elf, i);

		if (s.type == PT_LOAD)
			code->segments[code->n_segments++] = (struct pp_code_segment){ s.offset, s.address,
										       s.size };
	}
	return 0;
}

/* 1, 0, or -1 and errno, which is 0 where nothing lacks. */
static int read_code(int fd, uint64_t offset, uint64_t size, struct pp_function_code *code)
{
	struct pp_elf_source source;
	struct pp_elf_reader elf;
	int got, os;

	if (pp_elf_source_of(&source, fd))
		return 0;
	got = pp_elf_begin(&elf, &source);
	if (got > 0) {
		code->machine = elf.machine;
		code->wide = elf.wide;
		code->big_endian = elf.ident[EI_DATA] == ELFDATA2MSB;
		code->bytes = pp_elf_bytes(&elf, offset, size < CODE_MOST ? size : CODE_MOST, CODE_MOST,
					   &code->n);
		got = code->bytes ? 1 : errno ? -1 : 0;
		if (got > 0 && take_segments(&elf, code))
			got = -1;
	}
	os = errno;
	pp_elf_end(&elf);
	errno = os;
	return got;
}

int pp_function_code_read(struct pp_finder *finder, const struct pp_wanted_file *wanted, uint64_t offset,
			  uint64_t size, struct pp_function_code *code, struct pp_error *error)
{
	struct pp_found_file found;
	int got = pp_finder_open(finder, wanted, &found, error), os;

	*code = (struct pp_function_code){ .bytes = NULL };
	if (got != PP_FILE_FOUND)
		return got < 0 ? -1 : 0;
	got = read_code(found.fd, offset, size, code);
	os = errno;
	pp_found_close(&found);
	if (got <= 0)
		pp_function_code_free(code);
	return got < 0 && os == ENOMEM ? pp_fail(error, PP_E_NOMEM, NULL) : got > 0;
}

void pp_function_code_free(struct pp_function_code *code)
{
	free(code->bytes);
	free(code->segments);
	*code = (struct pp_function_code){ .bytes = NULL };
}

bool pp_function_code_offset(const struct pp_function_code *code, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < code->n_segments; i++) {
		const struct pp_code_segment *const s = &code->segments[i];

		if (address >= s->address && address - s->address < s->size) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}
