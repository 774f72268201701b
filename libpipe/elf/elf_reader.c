/* elf_reader.c - reads the headers and sections of ELF files, within the bounds of the file. */
#include "elf/elf_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_order.h"
#include "base/spool.h"

enum {
	SEGMENTS_MOST = 1 << 12, SECTIONS_MOST = 1 << 20,
	NAMES_MOST = 1 << 24,         /* bytes */
};

/* ---- Bytes ---- */

uint8_t *pp_elf_bytes(struct pp_elf_reader *elf, uint64_t offset, uint64_t size, uint64_t most, size_t *got)
{
	const struct pp_elf_source *const s = &elf->from;
	uint8_t *data;
	int64_t n;

	*got = 0;
	errno = 0;
	if (offset >= s->size)
		return NULL;
	if (size > s->size - offset)
		size = s->size - offset;
	if (!size || size > most)
		return NULL;
	/* large ones come from the system, which gives pages when they are written to */
	data = calloc(1, (size_t)size + 1);
	if (!data)
		return NULL;
	n = pp_elf_source_read(s, data, size, offset);
	elf->shorter |= n >= 0 && (uint64_t)n < size;
	if (n > 0) {
		*got = (size_t)n;
		return data;
	}
	free(data);
	if (!n)
		errno = 0;
	return NULL;
}

/* ---- Headers ---- */

/* A number of a header: `narrow` and `wide` are its places in one of 32 and of 64 bits. */
static uint64_t number_of(const struct pp_elf_reader *elf, const uint8_t *header, size_t narrow, size_t wide,
			  unsigned width)
{
	const uint8_t *const at = header + (elf->wide ? wide : narrow);

	if (width == 2)
		return pp_in_order16(at, elf->foreign);
	if (width == 4 || !elf->wide)
		return pp_in_order32(at, elf->foreign);
	return pp_in_order64(at, elf->foreign);
}
#define NUMBER(elf, header, type, member, width) \
	number_of((elf), (header), offsetof(Elf32_##type, member), offsetof(Elf64_##type, member), (width))
#define NUMBER32(elf, header, type, member) ((uint32_t)NUMBER(elf, header, type, member, 4))
#define NUMBER64(elf, header, type, member) NUMBER(elf, header, type, member, 8)

static struct pp_elf_section section_of(const struct pp_elf_reader *elf, const uint8_t *h, uint32_t index)
{
	return (struct pp_elf_section){
		.index = index, .name = NUMBER32(elf, h, Shdr, sh_name),
		.type = NUMBER32(elf, h, Shdr, sh_type), .link = NUMBER32(elf, h, Shdr, sh_link),
		.flags = NUMBER64(elf, h, Shdr, sh_flags), .address = NUMBER64(elf, h, Shdr, sh_addr),
		.offset = NUMBER64(elf, h, Shdr, sh_offset), .size = NUMBER64(elf, h, Shdr, sh_size),
		.align = NUMBER64(elf, h, Shdr, sh_addralign), .entry = NUMBER64(elf, h, Shdr, sh_entsize),
	};
}

static void take_header(struct pp_elf_reader *elf, const uint8_t *h)
{
	memcpy(elf->ident, h, EI_NIDENT);
	elf->wide = h[EI_CLASS] == ELFCLASS64;
	elf->foreign = (h[EI_DATA] == ELFDATA2MSB) != PP_HOST_BIG;
	elf->type = (uint16_t)NUMBER(elf, h, Ehdr, e_type, 2);
	elf->machine = (uint16_t)NUMBER(elf, h, Ehdr, e_machine, 2);
	elf->segments_at = NUMBER64(elf, h, Ehdr, e_phoff);
	elf->sections_at = NUMBER64(elf, h, Ehdr, e_shoff);
	elf->segment_size = (uint16_t)NUMBER(elf, h, Ehdr, e_phentsize, 2);
	elf->section_size = (uint16_t)NUMBER(elf, h, Ehdr, e_shentsize, 2);
	elf->n_segments = (uint32_t)NUMBER(elf, h, Ehdr, e_phnum, 2);
	elf->n_sections = (uint32_t)NUMBER(elf, h, Ehdr, e_shnum, 2);
	elf->names_in = (uint32_t)NUMBER(elf, h, Ehdr, e_shstrndx, 2);
}

/* Numbers beyond 65,280 are in the first section. */
static int take_first_section(struct pp_elf_reader *elf)
{
	uint8_t h[sizeof(Elf64_Shdr)] = { 0 };
	const int64_t n = pp_elf_source_read(&elf->from, h, sizeof(h), elf->sections_at);
	const struct pp_elf_section first = section_of(elf, h, 0);

	if (n < 0)
		return -1;
	if (!elf->n_sections && n == sizeof(h))
		elf->n_sections = first.size < SECTIONS_MOST ? (uint32_t)first.size : 0;
	if (elf->names_in == SHN_XINDEX)
		elf->names_in = first.link;
	return 0;
}

int pp_elf_begin(struct pp_elf_reader *elf, const struct pp_elf_source *source)
{
	uint8_t h[sizeof(Elf64_Ehdr)] = { 0 };
	const int64_t n = pp_elf_source_read(source, h, sizeof(h), 0);

	*elf = (struct pp_elf_reader){ .from = *source };
	if (n < 0)
		return -1;
	if ((uint64_t)n < sizeof(Elf32_Ehdr) || memcmp(h, ELFMAG, SELFMAG) || h[EI_CLASS] - 1u > 1 ||
	    h[EI_DATA] - 1u > 1 || (h[EI_CLASS] == ELFCLASS64 && n != sizeof(h)))
		return 0;
	take_header(elf, h);
	if (elf->sections_at && (!elf->n_sections || elf->names_in == SHN_XINDEX) && take_first_section(elf))
		return -1;
	return 1;
}

void pp_elf_end(struct pp_elf_reader *elf)
{
	free(elf->segments);
	free(elf->sections);
	free(elf->names);
	*elf = (struct pp_elf_reader){ .from.fd = -1 };
}

/* A table of headers: 0, with as many entries as are whole, or -1 and errno. */
static int read_table(struct pp_elf_reader *elf, uint64_t at, uint32_t *n, uint32_t most, uint16_t size,
		      size_t least, uint8_t **table)
{
	size_t got = 0;

	if (*table || !*n)
		return 0;
	if (at && size >= least && size <= 4 * least && *n <= most)
		*table = pp_elf_bytes(elf, at, (uint64_t)size * *n, UINT32_MAX, &got);
	else
		errno = 0;
	if (!*table && errno)
		return -1;
	*n = *table ? (uint32_t)(got / size) : 0;
	return 0;
}

int pp_elf_read_segments(struct pp_elf_reader *elf)
{
	return read_table(elf, elf->segments_at, &elf->n_segments, SEGMENTS_MOST, elf->segment_size,
			  elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), &elf->segments);
}

int pp_elf_read_sections(struct pp_elf_reader *elf)
{
	struct pp_elf_section names;
	size_t got;

	if (elf->sections)
		return 0;
	if (read_table(elf, elf->sections_at, &elf->n_sections, SECTIONS_MOST, elf->section_size,
		       elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), &elf->sections))
		return -1;
	if (elf->names_in >= elf->n_sections)
		return 0;
	names = pp_elf_section(elf, elf->names_in);
	if (names.type == SHT_NOBITS)
		return 0;
	elf->names = (char *)pp_elf_bytes(elf, names.offset,
					  names.size < NAMES_MOST ? names.size : NAMES_MOST, NAMES_MOST,
					  &got);
	elf->names_size = got;
	return !elf->names && errno ? -1 : 0;
}

struct pp_elf_segment pp_elf_segment(const struct pp_elf_reader *elf, uint32_t i)
{
	const uint8_t *const h = elf->segments + (size_t)i * elf->segment_size;

	return (struct pp_elf_segment){
		.type = NUMBER32(elf, h, Phdr, p_type), .flags = NUMBER32(elf, h, Phdr, p_flags),
		.offset = NUMBER64(elf, h, Phdr, p_offset), .address = NUMBER64(elf, h, Phdr, p_vaddr),
		.size = NUMBER64(elf, h, Phdr, p_filesz), .align = NUMBER64(elf, h, Phdr, p_align),
	};
}

struct pp_elf_section pp_elf_section(const struct pp_elf_reader *elf, uint32_t i)
{
	return section_of(elf, elf->sections + (size_t)i * elf->section_size, i);
}

bool pp_elf_find(const struct pp_elf_reader *elf, const char *name, struct pp_elf_section *found)
{
	for (uint32_t i = elf->n_sections; elf->sections && i-- > 0;) {
		*found = pp_elf_section(elf, i);
		if (found->type != SHT_NOBITS && !strcmp(pp_elf_section_name(elf, found), name))
			return true;
	}
	return false;
}

uint8_t *pp_elf_contents(struct pp_elf_reader *elf, const struct pp_elf_section *s, uint64_t most,
			 size_t *got)
{
	struct pp_elf_packed packed;
	uint8_t *data, *out;
	size_t n;
	int expanded, os;

	*got = 0;
	if (pp_elf_packed(elf, s, &packed))
		return NULL;
	if (packed.how == PP_ELF_PLAIN)
		return pp_elf_bytes(elf, s->offset, s->size, most, got);
	errno = 0;
	if (packed.how == PP_ELF_UNKNOWN || !packed.size || packed.size > most ||
	    packed.size > pp_elf_expansion_most(elf))
		return NULL;
	data = pp_elf_bytes(elf, s->offset, s->size, most, &n);
	out = data ? malloc((size_t)packed.size + 1) : NULL;
	os = errno;
	expanded = out && n > packed.header ?
		   pp_elf_expand(packed.how, data + packed.header, n - packed.header, out,
				 (size_t)packed.size) : 0;
	if (out)
		os = expanded < 0 ? errno : 0;
	free(data);
	errno = os;
	if (expanded > 0) {
		out[packed.size] = 0;
		*got = (size_t)packed.size;
		return out;
	}
	free(out);
	errno = os;
	return NULL;
}
