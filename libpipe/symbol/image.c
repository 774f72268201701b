/* image.c - opens ELF files by libelf within bounds, and their separate debug files; what is in them is
 * left to others. */
#include "symbol/image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/byte_order.h"
#include "symbol/unpack.h"

enum {
	SECTIONS_MOST = 1 << 17, SEGMENTS_MOST = 1 << 12,
	SECTION_MOST = 1 << 30,       /* of one that is compressed: bytes that it may become */
};

/* ---- Opening ---- */

/* libelf keeps something for each section, and the file may claim billions. */
static bool is_bounded(const uint8_t *bytes, size_t size)
{
	union { Elf32_Ehdr narrow; Elf64_Ehdr wide; } h;
	size_t sections = 0, segments = 0;
	Elf *elf;

	if (size < sizeof(h) || memcmp(bytes, ELFMAG, SELFMAG))
		return false;
	/* numbers beyond 65,280 are in section 0, whose header libelf would trust */
	memcpy(&h, bytes, sizeof(h));
	if (bytes[EI_CLASS] == ELFCLASS64 ? !h.wide.e_shnum && h.wide.e_shoff :
					    !h.narrow.e_shnum && h.narrow.e_shoff)
		return false;
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (!elf)
		return false;
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrnum(elf, &sections) || elf_getphdrnum(elf, &segments))
		sections = SECTIONS_MOST + 1;
	elf_end(elf);
	return sections <= SECTIONS_MOST && segments <= SEGMENTS_MOST;
}

int pp_parsed(struct pp_error *error)
{
	return errno == ENOMEM ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* Bytes of a file, or of nothing: *elf is NULL where they are no ELF file.  0, or -1 and *error. */
static int open_bytes(const void *bytes, size_t size, Elf **elf, struct pp_error *error)
{
	errno = 0;
	*elf = elf_version(EV_CURRENT) != EV_NONE && is_bounded(bytes, size) ?
	       elf_memory((char *)(uintptr_t)bytes, size) : NULL;
	return pp_parsed(error);
}

/* What is mapped can be read without further calls, so that libelf can only lack memory. */
int pp_mapped_open(struct pp_mapped *e, struct pp_error *error)
{
	struct stat st;
	void *bytes;
	int got;

	if (fstat(e->file.fd, &st))
		return pp_fail_os(error, "cannot read %s", e->file.path);
	if (!st.st_size || (uint64_t)st.st_size > SIZE_MAX)
		return 0;
	/* libelf notes in the headers of sections, of this copy, that it expanded them */
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
		     e->file.fd, 0);
	if (bytes == MAP_FAILED)
		return pp_fail_os(error, "cannot map %s", e->file.path);
	close(e->file.fd);
	e->file.fd = -1;
	e->mapped = bytes;
	e->size = (size_t)st.st_size;
	if (!pp_is_packed(bytes, e->size))
		return open_bytes(bytes, e->size, &e->elf, error);
	got = pp_unpack(bytes, e->size, PP_UNPACKED_MOST, &e->unpacked);
	return got > 0 ? open_bytes(e->unpacked.data, e->unpacked.size, &e->elf, error) :
	       got < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

void pp_mapped_close(struct pp_mapped *e)
{
	if (e->elf)
		elf_end(e->elf);
	if (e->mapped)
		(void)munmap(e->mapped, e->size);
	pp_buffer_free(&e->unpacked);
	pp_found_close(&e->file);
	*e = (struct pp_mapped){ .file.fd = -1 };
}

/* In the order of the file; overlapping ones are the file's affair. */
static int read_segments(struct pp_image *image)
{
	size_t n;

	if (elf_getphdrnum(image->main.elf, &n) || !n)
		return 0;
	image->segments = calloc(n, sizeof(*image->segments));
	if (!image->segments)
		return -1;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(image->main.elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_filesz)
			image->segments[image->n_segments++] =
				(struct pp_segment){ h.p_offset, h.p_vaddr, h.p_filesz };
	}
	return 0;
}

/* What was opened, `failed` or not, as an image. */
static struct pp_image *begin(struct pp_image *image, int failed, struct pp_error *error)
{
	if (!failed) {
		error->code = PP_OK;
		if (image->main.elf && read_segments(image))
			pp_fail(error, PP_E_NOMEM, NULL);
		else if (image->main.elf)
			return image;
	}
	pp_image_close(image);
	return NULL;
}

static struct pp_image *empty(void)
{
	struct pp_image *const image = calloc(1, sizeof(*image));

	if (image)
		image->main.file.fd = image->debug.file.fd = image->alt.file.fd = -1;
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
	image->main.file = *file;
	*file = (struct pp_found_file){ .fd = -1 };
	return begin(image, pp_mapped_open(&image->main, error), error);
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
	return begin(image, open_bytes(image->memory, size, &image->main.elf, error), error);
}

void pp_image_close(struct pp_image *image)
{
	if (!image)
		return;
	if (image->lines)
		image->close_lines(image->lines);
	if (image->dwarf && !image->relocated)
		dwarf_end(image->dwarf);
	pp_relocated_end(image->relocated);
	if (image->alt_dwarf)
		dwarf_end(image->alt_dwarf);
	if (image->package)
		image->close_package(image->package);
	pp_mapped_close(&image->alt);
	pp_mapped_close(&image->debug);
	pp_mapped_close(&image->main);
	pp_symtab_free(&image->symbols);
	free(image->segments);
	free(image->memory);
	free(image);
}

bool pp_image_address(const struct pp_image *image, uint64_t offset, uint64_t *address,
		      struct pp_extent *mapped)
{
	for (size_t i = 0; i < image->n_segments; i++) {
		const struct pp_segment *const s = &image->segments[i];

		if (offset >= s->offset && offset - s->offset < s->size) {
			*address = offset - s->offset + s->address;
			pp_narrow(mapped, s->offset, s->size - 1 > UINT64_MAX - s->offset ?
				  UINT64_MAX : s->offset + (s->size - 1));
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

/* What is compressed in the old way begins so, and with its size, the highest byte first. */
static bool is_old(const Elf_Data *data, uint64_t *size)
{
	enum { HEADER = 12 };

	if (!data || data->d_size < HEADER || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return false;
	*size = pp_in_order64((const uint8_t *)data->d_buf + 4, !PP_HOST_BIG);
	return true;
}

int pp_section_unpack(Elf_Scn *s)
{
	GElf_Shdr header;
	GElf_Chdr head;
	uint64_t size;

	if (!gelf_getshdr(s, &header))
		return -1;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(s, &head) && head.ch_size <= SECTION_MOST && elf_compress(s, 0, 0) >= 0 ?
			       1 : -1;
	if (header.sh_type == SHT_NOBITS || !is_old(elf_rawdata(s, NULL), &size))
		return 0;
	return size <= SECTION_MOST && elf_compress_gnu(s, 0, 0) >= 0 ? 1 : -1;
}

/* ---- The separate debug file ---- */

static bool has(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, name, &header);

	return s && header.sh_type != SHT_NOBITS && header.sh_size;
}

/* The other file, which dwz made of what several have in common. */
static int find_alt(struct pp_image *image, struct pp_finder *finder, const struct pp_mapped *of,
		    struct pp_error *error)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(of->elf, ".gnu_debugaltlink", &header);
	Elf_Data *const data = s ? elf_rawdata(s, NULL) : NULL;
	const char *const path = data && data->d_buf ? data->d_buf : NULL;
	const char *const end = path ? memchr(path, 0, data->d_size) : NULL;
	struct pp_id id = { .size = 0 };

	if (!s)
		return 0;
	image->alt_missing = true;
	if (!end || (size_t)(end + 1 - path) >= data->d_size)
		return 0;
	id.size = (uint8_t)(data->d_size - (size_t)(end + 1 - path) < 20 ?
			    data->d_size - (size_t)(end + 1 - path) : 20);
	memcpy(id.bytes, end + 1, id.size);
	if (pp_finder_beside(finder, &of->file, path, &id, &image->alt.file, error) < 0 ||
	    (image->alt.file.fd >= 0 && pp_mapped_open(&image->alt, error)))
		return -1;
	image->alt_missing = !image->alt.elf;
	if (image->alt_missing)
		pp_finder_say(finder, path, "%s: no lines and inlined callers: they need %s, which is not "
			      "there", of->file.path, path);
	return 0;
}

int pp_image_find_debug(struct pp_image *image, struct pp_finder *finder, struct pp_error *error)
{
	GElf_Word crc = 0;
	const char *link;

	if (image->looked_for_debug || !image->main.file.path)
		return 0;
	image->looked_for_debug = true;
	errno = 0;
	if (has(image->main.elf, ".debug_info") || has(image->main.elf, ".zdebug_info"))
		return find_alt(image, finder, &image->main, error) || pp_parsed(error) ? -1 : 0;
	link = dwelf_elf_gnu_debuglink(image->main.elf, &crc);
	if (pp_parsed(error) ||
	    pp_finder_debug(finder, &image->main.file, link, crc, &image->debug.file, error) < 0 ||
	    (image->debug.file.fd >= 0 && pp_mapped_open(&image->debug, error)))
		return -1;
	if (!image->debug.elf)
		return 0;
	errno = 0;
	return find_alt(image, finder, &image->debug, error) || pp_parsed(error) ? -1 : 0;
}
