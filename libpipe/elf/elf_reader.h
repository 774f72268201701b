/*
 * elf_reader.h - ELF files of any machine: their headers, and the bytes of their sections.
 *
 * A file is read, never mapped: another user may cut it while it is read, which must cost its own contents
 * and nothing else.  Numbers in it are believed as far as the file goes.
 */
#ifndef ELF_READER_H
#define ELF_READER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file, or memory where fd is -1. */
struct pp_elf_source {
	int fd;
	const uint8_t *memory;
	uint64_t size;
};
/* Of an open file: 0, or -1 and errno. */
int pp_elf_source_of(struct pp_elf_source *, int fd);
/* Reads up to `size` bytes, as far as the source goes: how many, or -1 and errno.  What a file has no blocks
 * for is not read: it stays as it is in `to`, where it must be zero. */
int64_t pp_elf_source_read(const struct pp_elf_source *, void *to, uint64_t size, uint64_t offset);

/* Both classes, in host order. */
struct pp_elf_segment { uint32_t type, flags; uint64_t offset, address, size, align; };
struct pp_elf_section {
	uint32_t index, name, type, link;
	uint64_t flags, address, offset, size, align, entry;
};

struct pp_elf_reader {
	struct pp_elf_source from;
	uint8_t ident[EI_NIDENT];
	bool wide, foreign;           /* 64 bits; the other byte order */
	bool shorter;                 /* the file became that while it was read */
	uint16_t type, machine;
	uint64_t segments_at, sections_at;
	uint32_t n_segments, n_sections, names_in;    /* the index of the section with the names */
	uint16_t segment_size, section_size;          /* of a header */
	uint8_t *segments, *sections; /* the tables, NULL: not yet read */
	char *names;                  /* of sections, terminated */
	uint64_t names_size;
};

/* Reads the first header.  1; 0: it is no ELF file; -1 and errno: memory or I/O. */
int pp_elf_begin(struct pp_elf_reader *, const struct pp_elf_source *);
void pp_elf_end(struct pp_elf_reader *);
/* Read the tables; what is not whole in the file has fewer entries then.  0, or -1 and errno. */
int pp_elf_read_segments(struct pp_elf_reader *);
int pp_elf_read_sections(struct pp_elf_reader *);
/* Entries of the tables that were read, below n_segments and n_sections. */
struct pp_elf_segment pp_elf_segment(const struct pp_elf_reader *, uint32_t);
struct pp_elf_section pp_elf_section(const struct pp_elf_reader *, uint32_t);
static inline const char *pp_elf_section_name(const struct pp_elf_reader *elf, const struct pp_elf_section *s)
{
	return elf->names && s->name < elf->names_size ? elf->names + s->name : "";     /* no name */
}
/* The last section of that name that has bytes in the file; false: there is none. */
bool pp_elf_find(const struct pp_elf_reader *, const char *name, struct pp_elf_section *);
/* Bytes of the file, which zero bytes follow, to be freed: *got of them.  NULL: there are none, or more than
 * `most`, errno 0; or errno. */
uint8_t *pp_elf_bytes(struct pp_elf_reader *, uint64_t offset, uint64_t size, uint64_t most, size_t *got);
/* The same of a section, expanded if it is compressed. */
uint8_t *pp_elf_contents(struct pp_elf_reader *, const struct pp_elf_section *, uint64_t most, size_t *got);

/* ---- Compressed sections (compressed_sections.c) ---- */

struct pp_elf_packed {
	enum pp_elf_packing { PP_ELF_PLAIN, PP_ELF_ZLIB, PP_ELF_ZSTD, PP_ELF_UNKNOWN } how;
	uint64_t size, align;         /* of what it expands to */
	uint32_t header;              /* bytes before what is compressed */
};
/* How a section is compressed, also in the old way (".zdebug_"): 0, or -1 and errno. */
int pp_elf_packed(const struct pp_elf_reader *, const struct pp_elf_section *, struct pp_elf_packed *);
/* Expands to exactly `size` bytes.  1, 0: it is damaged, -1 and errno: memory. */
int pp_elf_expand(enum pp_elf_packing, const void *packed, size_t n, void *to, size_t size);

/* What a file may expand to: in proportion to its own size, so that a small one does not take much. */
uint64_t pp_elf_expansion_most(const struct pp_elf_reader *);
/* Bytes of memory that this machine has. */
uint64_t pp_machine_memory(void);

#endif
