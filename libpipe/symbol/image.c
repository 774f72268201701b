/* image.c - opens ELF files by libelf within bounds, and their separate debug files; what is in them is
 * left to others. */
#include "symbol/image.h"

#include "base/spool.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	SECTIONS_MOST = 1 << 17, SEGMENTS_MOST = 1 << 12,
};

/* ---- Opening ---- */

/* libelf keeps something for each section: the file may claim billions. */
static bool is_bounded(int fd)
{
	union { Elf32_Ehdr narrow; Elf64_Ehdr wide; } h;
	uint8_t ident[EI_NIDENT];
	Elf *elf;
	size_t sections = 0, segments = 0;

	/* numbers beyond 65,280 are in section 0, whose header libelf would trust */
	if (pp_read_up_to(fd, ident, sizeof(ident), 0) != sizeof(ident) || memcmp(ident, ELFMAG, SELFMAG) ||
	    pp_read_up_to(fd, &h, sizeof(h), 0) < (ssize_t)sizeof(h.narrow))
		return false;
	if (ident[EI_CLASS] == ELFCLASS64 ? !h.wide.e_shnum && h.wide.e_shoff :
					    !h.narrow.e_shnum && h.narrow.e_shoff)
		return false;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return false;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrnum(elf, &sections) || elf_getphdrnum(elf, &segments))
		sections = SECTIONS_MOST + 1;
	elf_end(elf);
	return sections <= SECTIONS_MOST && segments <= SEGMENTS_MOST;
}

static Elf *open_elf(int fd)
{
	return is_bounded(fd) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
}

/* In the order of the file; overlapping ones are the file's affair. */
static int read_segments(struct pp_image *image)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n) || !n)
		return 0;
	image->segments = calloc(n, sizeof(*image->segments));
	if (!image->segments)
		return -1;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(image->elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_filesz)
			image->segments[image->n_segments++] =
				(struct pp_segment){ h.p_offset, h.p_vaddr, h.p_filesz };
	}
	return 0;
}

static struct pp_image *begin(struct pp_image *image, struct pp_error *error)
{
	error->code = PP_OK;
	if (!image->elf) {
		pp_image_close(image);
		return NULL;
	}
	if (read_segments(image)) {
		pp_fail(error, PP_E_NOMEM, NULL);
		pp_image_close(image);
		return NULL;
	}
	return image;
}

static struct pp_image *empty(void)
{
	struct pp_image *const image = calloc(1, sizeof(*image));

	if (image)
		image->file.fd = image->debug.fd = image->alt.fd = -1;
	return image;
}

struct pp_image *pp_image_open(struct pp_found_file *file, struct pp_error *error)
{
	struct pp_image *const image = empty();

	if (!image) {
		pp_fail(error, PP_E_NOMEM, NULL);
		pp_found_close(file);
		return NULL;
	}
	image->file = *file;
	*file = (struct pp_found_file){ .fd = -1 };
	image->elf = open_elf(image->file.fd);
	return begin(image, error);
}

struct pp_image *pp_image_of(const void *bytes, size_t size, struct pp_error *error)
{
	struct pp_image *const image = empty();

	if (image)
		image->memory = malloc(size ? size : 1);
	if (!image || !image->memory) {
		pp_image_close(image);
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	memcpy(image->memory, bytes, size);
	if (elf_version(EV_CURRENT) != EV_NONE)
		image->elf = elf_memory(image->memory, size);
	return begin(image, error);
}

void pp_image_close(struct pp_image *image)
{
	if (!image)
		return;
	if (image->lines)
		image->close_lines(image->lines);
	if (image->dwarf)
		dwarf_end(image->dwarf);
	if (image->alt_dwarf)
		dwarf_end(image->alt_dwarf);
	if (image->alt_elf)
		elf_end(image->alt_elf);
	if (image->debug_elf)
		elf_end(image->debug_elf);
	if (image->elf)
		elf_end(image->elf);
	pp_found_close(&image->file);
	pp_found_close(&image->debug);
	pp_found_close(&image->alt);
	pp_symtab_free(&image->symbols);
	free(image->segments);
	free(image->memory);
	free(image);
}

bool pp_image_address(const struct pp_image *image, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct pp_segment *const s = &image->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*address = offset - s->offset + s->address;
			return true;
		}
	}
	return false;
}

bool pp_image_offset(const struct pp_image *image, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct pp_segment *const s = &image->segments[i];

		if (address >= s->address && address - s->address < s->size) {
			*offset = address - s->address + s->offset;
			return true;
		}
	}
	return false;
}

Elf_Scn *pp_section(Elf *elf, const char *name, GElf_Shdr *header)
{
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const char *const is = gelf_getshdr(s, header) ?
				       elf_strptr(elf, names, header->sh_name) : NULL;

		if (is && !strcmp(is, name))
			return s;
	}
	return NULL;
}

/* ---- The separate debug file ---- */

static bool has(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, name, &header);

	return s && header.sh_type != SHT_NOBITS && header.sh_size;
}

/* The other file, which dwz made of what several have in common. */
static int find_alt(struct pp_image *image, struct pp_finder *finder, const struct pp_found_file *of,
		    Elf *elf, struct pp_error *error)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, ".gnu_debugaltlink", &header);
	Elf_Data *const data = s ? elf_rawdata(s, NULL) : NULL;
	const char *const path = data && data->d_buf ? data->d_buf : NULL;
	const char *const end = path ? memchr(path, 0, data->d_size) : NULL;
	struct pp_id id = { .size = 0 };

	if (!end || (size_t)(end + 1 - path) >= data->d_size)
		return 0;
	id.size = (uint8_t)(data->d_size - (size_t)(end + 1 - path) < 20 ?
			    data->d_size - (size_t)(end + 1 - path) : 20);
	memcpy(id.bytes, end + 1, id.size);
	if (pp_finder_beside(finder, of, path, &id, &image->alt, error) < 0)
		return -1;
	if (image->alt.fd >= 0)
		image->alt_elf = open_elf(image->alt.fd);
	return 0;
}

int pp_image_find_debug(struct pp_image *image, struct pp_finder *finder, struct pp_error *error)
{
	GElf_Word crc = 0;
	const char *link;

	if (image->looked_for_debug || image->file.fd < 0)
		return 0;
	image->looked_for_debug = true;
	if (has(image->elf, ".debug_info") || has(image->elf, ".zdebug_info"))
		return find_alt(image, finder, &image->file, image->elf, error);
	link = dwelf_elf_gnu_debuglink(image->elf, &crc);
	if (pp_finder_debug(finder, &image->file, link, crc, &image->debug, error) < 0)
		return -1;
	if (image->debug.fd < 0)
		return 0;
	image->debug_elf = open_elf(image->debug.fd);
	return image->debug_elf ? find_alt(image, finder, &image->debug, image->debug_elf, error) : 0;
}
