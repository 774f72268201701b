/*
 * cfi_image.c - what unwinding needs of an ELF file: its pieces and its sections of call frame information.
 * Which file is image/file_finder.c's affair, what is in the sections cfi.c's.
 */
#include "unwind/cfi_image.h"

#include <errno.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "base/procfs.h"

enum { KNOWN_MOST = 1 << 20 };        /* addresses that are remembered */
static const uint64_t SECTION_MOST = UINT64_C(256) << 20;

/* The file that is read, and the image that comes of it. */
struct reading {
	struct pp_elf_reader elf;
	struct image *image;
	struct pp_elf_section header; /* where .eh_frame_hdr is by the program's headers */
};

/* 0, -1: memory. */
static int read_pieces(struct reading *r)
{
	struct image *const image = r->image;

	if (pp_elf_read_segments(&r->elf))
		return -1;
	image->pieces = calloc((size_t)r->elf.n_segments + 1, sizeof(*image->pieces));
	if (!image->pieces)
		return -1;
	for (uint32_t i = 0; i < r->elf.n_segments; i++) {
		const struct pp_elf_segment s = pp_elf_segment(&r->elf, i);

		if (s.type == PT_GNU_EH_FRAME)
			r->header = (struct pp_elf_section){
				.type = SHT_PROGBITS, .offset = s.offset, .size = s.size,
				.address = s.address,
			};
		else if (s.type == PT_LOAD)
			image->pieces[image->n_pieces++] = (struct image_piece){
				s.offset, s.size, s.address, s.flags & PF_X,
			};
	}
	return 0;
}

/* A section, or what is known of it otherwise; it has no bytes where it is not there.  *os: why one could not
 * be read, which the next that is read would hide. */
static uint8_t *read_section(struct reading *r, const struct pp_elf_section *s, size_t *got, int *os)
{
	uint8_t *const data = pp_elf_contents(&r->elf, s, SECTION_MOST, got);

	if (!data && errno)
		*os = errno;
	return data;
}

/* .eh_frame of a file without sections: its header says where it is, the piece where it ends. */
static void find_eh_frame(struct reading *r, const uint8_t *header, size_t size,
			  const struct pp_elf_section *at, struct pp_elf_section *frame)
{
	enum { PCREL_SDATA4 = 0x1b };
	uint64_t address;

	if (size < 8 || header[1] != PCREL_SDATA4)
		return;
	address = at->address + 4 +
		  (uint64_t)(int64_t)(int32_t)pp_in_order32(header + 4, r->elf.foreign);
	for (size_t i = 0; i < r->image->n_pieces; i++) {
		const struct image_piece *const p = &r->image->pieces[i];

		if (address >= p->address && address - p->address < p->size)
			*frame = (struct pp_elf_section){
				.type = SHT_PROGBITS, .offset = p->offset + (address - p->address),
				.address = address, .size = p->size - (address - p->address),
			};
	}
}

static void fill_cfi(const struct pp_elf_reader *elf, struct cfi *cfi, const struct machine *machine,
		     const struct pp_elf_section *place)
{
	cfi->machine = machine;
	memcpy(cfi->ident, elf->ident, sizeof(cfi->ident));
	cfi->foreign = elf->foreign;
	cfi->address = place->address;
}

/* 0, -1: memory. */
static int read_eh(struct reading *r, const struct machine *machine)
{
	struct cfi *const eh = &r->image->eh;
	struct pp_elf_section header, frame = { .size = 0 };
	int os = 0;

	if (!pp_elf_find(&r->elf, ".eh_frame_hdr", &header))
		header = r->header;
	eh->header = read_section(r, &header, &eh->header_size, &os);
	if (!pp_elf_find(&r->elf, ".eh_frame", &frame)) {
		frame = (struct pp_elf_section){ .size = 0 };
		if (eh->header)
			find_eh_frame(r, eh->header, eh->header_size, &header, &frame);
	}
	eh->bytes = read_section(r, &frame, &eh->size, &os);
	eh->eh = true;
	eh->header_address = header.address;
	fill_cfi(&r->elf, eh, machine, &frame);
	pp_unwind_cfi_open(eh);
	errno = os;
	return os ? -1 : 0;
}

/* 0, -1: memory. */
static int read_debug(struct pp_elf_reader *elf, struct cfi *debug, const struct machine *machine)
{
	struct pp_elf_section place;

	errno = 0;
	if (!pp_elf_find(elf, ".debug_frame", &place) && !pp_elf_find(elf, ".zdebug_frame", &place))
		place = (struct pp_elf_section){ .size = 0 };
	debug->bytes = pp_elf_contents(elf, &place, SECTION_MOST, &debug->size);
	fill_cfi(elf, debug, machine, &place);
	return !debug->bytes && errno ? -1 : 0;
}

/* The name, padded to 4, and a sum. */
static int read_link(struct reading *r)
{
	struct image *const image = r->image;
	struct pp_elf_section place;
	int os = 0;
	size_t got, length;
	uint8_t *data;

	if (!pp_elf_find(&r->elf, ".gnu_debuglink", &place))
		return 0;
	data = read_section(r, &place, &got, &os);
	length = data ? strnlen((const char *)data, got) : 0;
	if (length && length < sizeof(image->link) && got >= 4 && (length + 4) / 4 * 4 <= got - 4) {
		memcpy(image->link, data, length);
		image->link[length] = 0;
		image->link_sum = pp_in_order32(data + (length + 4) / 4 * 4, r->elf.foreign);
	}
	free(data);
	errno = os;
	return os ? -1 : 0;
}

static int read_image(struct reading *r, const struct machine *machine)
{
	r->image->elf = r->elf.machine;
	return read_pieces(r) || pp_elf_read_sections(&r->elf) || read_eh(r, machine) ||
	       read_debug(&r->elf, &r->image->debug, machine) || read_link(r) ? -1 : 0;
}

int pp_unwind_image_open(struct image *image, const struct pp_elf_source *source,
			 const struct machine *machine)
{
	struct reading r = { .image = image };
	int got = pp_elf_begin(&r.elf, source), os;

	*image = (struct image){ .elf = 0 };
	if (got > 0)
		got = r.elf.machine == machine->elf ? read_image(&r, machine) : 0;
	image->shorter = r.elf.shorter;
	os = errno;
	pp_elf_end(&r.elf);
	errno = os;
	return got < 0 ? -1 : 0;
}

int pp_unwind_image_add_debug(struct image *image, const struct pp_elf_source *source,
			      const struct machine *machine)
{
	struct pp_elf_reader elf;
	struct cfi debug = { .size = 0 };
	int got = pp_elf_begin(&elf, source), os;

	if (got > 0)
		got = elf.machine != machine->elf ? 0 :
		      pp_elf_read_sections(&elf) || read_debug(&elf, &debug, machine) ? -1 : 1;
	os = errno;
	image->shorter |= elf.shorter;
	pp_elf_end(&elf);
	errno = os;
	if (got > 0)
		image->debug = debug;
	return got < 0 ? -1 : 0;
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
