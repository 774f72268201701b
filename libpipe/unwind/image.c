/*
 * image.c - reads an ELF file's pieces and its sections of call frame information; which file is
 * symbol/files.c's affair, what is in the sections cfi.c's.
 *
 * What is needed is read, not mapped: a file that becomes shorter meanwhile must not end us.
 */
#include "unwind/image.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "base/procfs.h"
#include "base/spool.h"

enum {
	PIECES_MOST = 4096,
	NAMES_MOST = 1 << 20,
	KNOWN_MOST = 1 << 20,         /* addresses that are remembered */
};
static const uint64_t SECTION_MOST = UINT64_C(256) << 20;

/* A section, or a place that a program header gives. */
struct place {
	uint64_t offset, size, address, flags;
	uint64_t expanded;            /* bytes, of one that is compressed */
	size_t index;
	bool there;
};

struct elf {
	const struct image_source *source;
	struct image *image;
	uint64_t phoff, shoff;
	uint16_t phentsize, phnum, shentsize, shstrndx;
	uint32_t shnum;
};

/* Bytes of the file: owned, *got of them; NULL: there are none, or *failed (errno). */
static uint8_t *read_bytes(const struct image_source *s, uint64_t offset, uint64_t size, size_t *got,
			   bool *failed)
{
	uint8_t *data;

	*got = 0;
	if (offset > s->size)
		return NULL;
	if (size > s->size - offset)
		size = s->size - offset;
	if (!size || size > SECTION_MOST)
		return NULL;
	data = malloc((size_t)size);
	if (!data) {
		*failed = true;
		return NULL;
	}
	if (s->fd < 0) {
		memcpy(data, s->memory + offset, (size_t)size);
		*got = (size_t)size;
	} else {
		const ssize_t n = pp_read_up_to(s->fd, data, (size_t)size, offset);

		*failed |= n < 0;
		*got = n > 0 ? (size_t)n : 0;
	}
	if (*got)
		return data;
	free(data);
	return NULL;
}

/* A number of a header: `at` is its place in a 32-bit and in a 64-bit one. */
static uint64_t number(const struct image *image, const uint8_t *header, size_t narrow, size_t wide,
		       unsigned width)
{
	const uint8_t *const at = header + (image->wide ? wide : narrow);

	if (width == 2)
		return pp_in_order16(at, image->foreign);
	if (width == 4 || !image->wide)
		return pp_in_order32(at, image->foreign);
	return pp_in_order64(at, image->foreign);
}
#define NUMBER(image, header, type, member, width) \
	number((image), (header), offsetof(Elf32_##type, member), offsetof(Elf64_##type, member), (width))

/* 1, 0: it is not one, -1: memory. */
static int read_header(struct elf *elf)
{
	struct image *const image = elf->image;
	bool failed = false;
	size_t got;
	uint8_t *const h = read_bytes(elf->source, 0, sizeof(Elf64_Ehdr), &got, &failed);
	int result = 0;

	if (failed)
		return -1;
	if (h && got >= sizeof(Elf32_Ehdr) && !memcmp(h, ELFMAG, SELFMAG) &&
	    h[EI_CLASS] - 1u <= 1 && h[EI_DATA] - 1u <= 1 &&
	    (h[EI_CLASS] == ELFCLASS32 || got == sizeof(Elf64_Ehdr))) {
		memcpy(image->ident, h, EI_NIDENT);
		image->wide = h[EI_CLASS] == ELFCLASS64;
		image->foreign = (h[EI_DATA] == ELFDATA2MSB) != PP_HOST_BIG;
		image->elf = (uint16_t)NUMBER(image, h, Ehdr, e_machine, 2);
		elf->phoff = NUMBER(image, h, Ehdr, e_phoff, 8);
		elf->shoff = NUMBER(image, h, Ehdr, e_shoff, 8);
		elf->phentsize = (uint16_t)NUMBER(image, h, Ehdr, e_phentsize, 2);
		elf->phnum = (uint16_t)NUMBER(image, h, Ehdr, e_phnum, 2);
		elf->shentsize = (uint16_t)NUMBER(image, h, Ehdr, e_shentsize, 2);
		elf->shnum = (uint32_t)NUMBER(image, h, Ehdr, e_shnum, 2);
		elf->shstrndx = (uint16_t)NUMBER(image, h, Ehdr, e_shstrndx, 2);
		result = 1;
	}
	free(h);
	return result;
}

/* The pieces; *header is where .eh_frame_hdr is.  0, -1: memory. */
static int read_pieces(struct elf *elf, struct place *header)
{
	struct image *const image = elf->image;
	const size_t least = image->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	bool failed = false;
	size_t got, n;
	uint8_t *table;

	if (elf->phentsize < least || !elf->phnum || elf->phnum > PIECES_MOST)
		return 0;
	table = read_bytes(elf->source, elf->phoff, (uint64_t)elf->phentsize * elf->phnum, &got, &failed);
	n = got / elf->phentsize;
	image->pieces = table ? calloc(n + 1, sizeof(*image->pieces)) : NULL;
	if (failed || (table && !image->pieces)) {
		free(table);
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		const uint8_t *const h = table + i * elf->phentsize;
		const uint64_t type = NUMBER(image, h, Phdr, p_type, 4);
		const struct place place = {
			.offset = NUMBER(image, h, Phdr, p_offset, 8),
			.size = NUMBER(image, h, Phdr, p_filesz, 8),
			.address = NUMBER(image, h, Phdr, p_vaddr, 8), .there = true,
		};

		if (type == PT_GNU_EH_FRAME)
			*header = place;
		else if (type == PT_LOAD)
			image->pieces[image->n_pieces++] = (struct image_piece){
				place.offset, place.size, place.address,
				NUMBER(image, h, Phdr, p_flags, 4) & PF_X,
			};
	}
	free(table);
	return 0;
}

/* ---- Sections ---- */

enum { EH_FRAME, EH_FRAME_HDR, DEBUG_FRAME, DEBUG_LINK, PLACES };
static const char *const section_names[PLACES] = {
	".eh_frame", ".eh_frame_hdr", ".debug_frame", ".gnu_debuglink",
};

static struct place section_at(const struct image *image, const uint8_t *h)
{
	return (struct place){
		.offset = NUMBER(image, h, Shdr, sh_offset, 8), .size = NUMBER(image, h, Shdr, sh_size, 8),
		.address = NUMBER(image, h, Shdr, sh_addr, 8), .flags = NUMBER(image, h, Shdr, sh_flags, 8),
		.there = NUMBER(image, h, Shdr, sh_type, 4) != SHT_NOBITS,
	};
}

static void name_sections(const struct elf *elf, const uint8_t *table, size_t n, const uint8_t *names,
			  size_t length, struct place places[PLACES])
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t *const h = table + i * elf->shentsize;
		const uint64_t name = NUMBER(elf->image, h, Shdr, sh_name, 4);

		for (size_t k = 0; k < PLACES; k++) {
			const size_t size = strlen(section_names[k]) + 1;

			if (pp_fits(name, length) && pp_fits(size, length - name) &&
			    !memcmp(names + name, section_names[k], size)) {
				places[k] = section_at(elf->image, h);
				places[k].index = i;
			}
		}
	}
}

/* Finds the sections that are of use.  0, -1: memory. */
static int read_sections(struct elf *elf, struct place places[PLACES])
{
	const size_t least = elf->image->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	bool failed = false;
	uint8_t *table, *names = NULL;
	struct place strings;
	size_t got, n, length;

	if (elf->shentsize < least || elf->shentsize > 4 * least || !elf->shoff ||
	    !elf->shnum)        /* the first section has it: such a file is no program */
		return 0;
	table = read_bytes(elf->source, elf->shoff, (uint64_t)elf->shentsize * elf->shnum, &got, &failed);
	n = got / elf->shentsize;
	if (table && elf->shstrndx < n) {
		strings = section_at(elf->image, table + (size_t)elf->shstrndx * elf->shentsize);
		names = read_bytes(elf->source, strings.offset,
				   strings.size < NAMES_MOST ? strings.size : NAMES_MOST, &length,
				   &failed);
	}
	if (names)
		name_sections(elf, table, n, names, length, places);
	free(names);
	free(table);
	return failed ? -1 : 0;
}

/* A compressed section of a file, as libelf expands it.  NULL: it cannot be, or *failed (errno). */
static uint8_t *expand(const struct elf *elf, const struct place *place, size_t *got, bool *failed)
{
	uint8_t *out = NULL;
	Elf *file;
	Elf_Scn *section;
	const Elf_Data *data = NULL;
	int os;

	if (elf->source->fd < 0 || place->expanded > SECTION_MOST || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	/* libelf has numbers of its own, but what it asks of libc sets this */
	errno = 0;
	file = elf_begin(elf->source->fd, ELF_C_READ, NULL);
	section = file ? elf_getscn(file, place->index) : NULL;
	if (section && elf_compress(section, 0, 0) > 0)
		data = elf_rawdata(section, NULL);
	if (data && data->d_size && data->d_size <= SECTION_MOST)
		out = malloc(data->d_size);
	os = errno;
	if (out) {
		*got = data->d_size;
		memcpy(out, data->d_buf, *got);
	}
	elf_end(file);
	*failed |= !out && pp_lacking(os);
	errno = os;
	return out;
}

static uint8_t *read_section(const struct elf *elf, struct place *place, size_t *got, bool *failed)
{
	const struct image *const image = elf->image;
	uint8_t *const data = place->there ?
			      read_bytes(elf->source, place->offset, place->size, got, failed) : NULL;

	if (!data || !(place->flags & SHF_COMPRESSED))
		return data;
	place->expanded = *got >= sizeof(Elf64_Chdr) ? NUMBER(image, data, Chdr, ch_size, 8) : UINT64_MAX;
	free(data);
	return expand(elf, place, got, failed);
}

/* .eh_frame of a file without sections: its header says where it is, the piece where it ends. */
static void find_eh_frame(const struct image *image, const uint8_t *header, size_t size,
			  const struct place *at, struct place *frame)
{
	enum { PCREL_SDATA4 = 0x1b };
	uint64_t address;

	if (size < 8 || header[1] != PCREL_SDATA4)
		return;
	address = at->address + 4 + (uint64_t)(int64_t)(int32_t)pp_in_order32(header + 4, image->foreign);
	for (size_t i = 0; i < image->n_pieces; i++) {
		const struct image_piece *const p = &image->pieces[i];

		if (address >= p->address && address - p->address < p->size)
			*frame = (struct place){
				.offset = p->offset + (address - p->address), .address = address,
				.size = p->size - (address - p->address), .there = true,
			};
	}
}

static void fill_cfi(const struct image *image, struct cfi *cfi, const struct machine *machine,
		     const struct place *place)
{
	cfi->machine = machine;
	memcpy(cfi->ident, image->ident, sizeof(cfi->ident));
	cfi->foreign = image->foreign;
	cfi->address = place->address;
}

/* 0, -1: memory. */
static int read_eh(const struct elf *elf, const struct machine *machine, struct place places[PLACES])
{
	struct image *const image = elf->image;
	struct cfi *const eh = &image->eh;
	struct place *const frame = &places[EH_FRAME];
	bool failed = false;

	eh->header = read_section(elf, &places[EH_FRAME_HDR], &eh->header_size, &failed);
	if (!frame->there && eh->header)
		find_eh_frame(image, eh->header, eh->header_size, &places[EH_FRAME_HDR], frame);
	eh->bytes = read_section(elf, frame, &eh->size, &failed);
	eh->eh = true;
	eh->header_address = places[EH_FRAME_HDR].address;
	fill_cfi(image, eh, machine, frame);
	pp_unwind_cfi_open(eh);
	return failed ? -1 : 0;
}

static int read_debug(const struct elf *elf, const struct machine *machine,
		      struct place places[PLACES])
{
	struct cfi *const debug = &elf->image->debug;
	bool failed = false;

	debug->bytes = read_section(elf, &places[DEBUG_FRAME], &debug->size, &failed);
	fill_cfi(elf->image, debug, machine, &places[DEBUG_FRAME]);
	return failed ? -1 : 0;
}

/* The name, padded to 4, and a sum. */
static int read_link(const struct elf *elf, struct place *place)
{
	struct image *const image = elf->image;
	bool failed = false;
	size_t got, length;
	uint8_t *const data = read_section(elf, place, &got, &failed);

	length = data ? strnlen((const char *)data, got) : 0;
	if (length && length < sizeof(image->link) && got >= 4 && (length + 4) / 4 * 4 <= got - 4) {
		memcpy(image->link, data, length);
		image->link[length] = 0;
		image->link_sum = pp_in_order32(data + (length + 4) / 4 * 4, image->foreign);
	}
	free(data);
	return failed ? -1 : 0;
}

int pp_unwind_image_open(struct image *image, const struct image_source *source,
			 const struct machine *machine)
{
	struct elf elf = { .source = source, .image = image };
	struct place places[PLACES] = { { .there = false } };
	struct place header = { .there = false };
	int got;

	*image = (struct image){ .elf = 0 };
	got = read_header(&elf);
	if (got <= 0)
		return got;
	if (image->elf != machine->elf) {
		image->elf = 0;
		return 0;
	}
	if (read_pieces(&elf, &header) || read_sections(&elf, places))
		return -1;
	if (!places[EH_FRAME_HDR].there)
		places[EH_FRAME_HDR] = header;
	return read_eh(&elf, machine, places) || read_debug(&elf, machine, places) ||
	       read_link(&elf, &places[DEBUG_LINK]) ? -1 : 0;
}

int pp_unwind_image_add_debug(struct image *image, const struct image_source *source,
			      const struct machine *machine)
{
	struct image other = { .elf = 0 };
	struct elf elf = { .source = source, .image = &other };
	struct place places[PLACES] = { { .there = false } };
	const int got = read_header(&elf);

	if (got <= 0 || other.elf != machine->elf)
		return got < 0 ? -1 : 0;
	if (read_sections(&elf, places) || read_debug(&elf, machine, places))
		return -1;
	image->debug = other.debug;
	return 0;
}

void pp_unwind_image_close(struct image *image)
{
	pp_unwind_cfi_close(&image->eh);
	pp_unwind_cfi_close(&image->debug);
	pp_idmap_close(&image->rows);
	free(image->pieces);
	*image = (struct image){ .elf = 0 };
}

uint64_t pp_unwind_image_held(const struct image *image)
{
	return pp_unwind_cfi_held(&image->eh) + pp_unwind_cfi_held(&image->debug) + image->rows.room * 16;
}

/* ---- Asking ---- */

/* Code of two pieces may share a page of the file: the one that is code counts. */
bool pp_unwind_image_shift(const struct image *image, uint64_t pgoff, uint64_t *shift)
{
	enum { PAGE = 65536 };        /* the largest of all processors */
	const struct image_piece *best = NULL;

	for (size_t i = 0; i < image->n_pieces; i++) {
		const struct image_piece *const p = &image->pieces[i];
		const uint64_t before = p->offset - (p->offset & (PAGE - 1));

		if (pgoff < before || pgoff - before >= p->size + (p->offset - before))
			continue;
		/* the last that begins before it, and code rather than data */
		if (!best || p->code > best->code || (p->code == best->code && pgoff >= p->offset))
			best = p;
	}
	if (best)
		*shift = best->address - best->offset;
	return best != NULL;
}

int pp_unwind_image_find(struct image *image, uint64_t address, const struct row **row, struct cfi **cfi)
{
	const uint64_t *const known = pp_idmap_find(&image->rows, address);
	uint64_t place = known ? *known : 0;
	uint32_t found;

	if (!known) {
		int got = pp_unwind_cfi_find(&image->eh, address, &found);

		if (got > 0)
			place = 2 * ((uint64_t)found + 1);
		else if (!got && (got = pp_unwind_cfi_find(&image->debug, address, &found)) > 0)
			place = 2 * ((uint64_t)found + 1) + 1;
		if (got < 0)
			return -1;
		if (image->rows.count >= KNOWN_MOST)
			pp_idmap_close(&image->rows);
		if (pp_idmap_set(&image->rows, address, place))
			return -1;
	}
	if (!place)
		return 0;
	*cfi = place & 1 ? &image->debug : &image->eh;
	*row = &(*cfi)->rows[place / 2 - 1];
	return 1;
}
