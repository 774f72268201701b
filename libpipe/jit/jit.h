/* jit.h - what the files of this room share: the contents of one piece of code, and its image. */
#ifndef JIT_H
#define JIT_H

#include <perfpipe/jit.h>

#include "base/array.h"

/* All that is known of one piece of code, in memory; byte order as in the jitdump file. */
struct pp_jit_body {
	uint32_t machine;             /* as in ELF */
	bool big;                     /* byte order */
	const char *name;
	uint64_t address;
	const uint8_t *code;
	size_t size;
	const uint8_t *lines;         /* the entries of DEBUG_INFO */
	size_t lines_size;
	const uint8_t *frames;        /* .eh_frame, then .eh_frame_hdr; NULL: none */
	size_t frames_size, header_size;
};

/* ---- write_elf.c ---- */

/* Where the code is in its image, and at which address there. */
uint64_t pp_jit_offset(uint32_t machine);
/* 0, or -1 and *error (memory).  The image is added to an empty buffer. */
int pp_jit_build(const struct pp_jit_body *, struct pp_buffer *image, uint8_t id[20],
		 struct pp_error *);

/* ---- debug_line.c ---- */

/* The sections that lead from addresses to source lines, in the byte order of the body; all empty if
 * there are no lines.  0, or -1 and *error (memory). */
struct pp_jit_lines {
	struct pp_buffer line, info, abbrev;
};
int pp_jit_lines(const struct pp_jit_body *, uint64_t offset, bool wide, struct pp_jit_lines *,
		 struct pp_error *);
void pp_jit_lines_free(struct pp_jit_lines *);

#endif
