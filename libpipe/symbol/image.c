/*
 * image.c - opens ELF files by libelf within bounds, and reads their symbols: .symtab, else .dynsym and
 * the compressed .gnu_debugdata, and the PLT (plt.c).  Debug information is lines.c's.
 */
#include "symbol/image.h"

#include <elfutils/libdwelf.h>
#include <lzma.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	SECTIONS_MOST = 1 << 17, SEGMENTS_MOST = 1 << 12,
	UNPACKED_MOST = 1 << 27,      /* of .gnu_debugdata */
	SYMBOLS_MOST = 1 << 25,
};

enum { LABEL, WEAK, LOCAL, GLOBAL };  /* ranks; perf prefers what is not weak, then what is global */

/* ---- Opening ---- */

/* libelf keeps something for each section: the file may claim billions. */
static bool is_bounded(int fd)
{
	union { Elf32_Ehdr narrow; Elf64_Ehdr wide; } h;
	uint8_t ident[EI_NIDENT];
	Elf *elf;
	size_t sections = 0, segments = 0;

	/* numbers beyond 65,280 are in section 0, whose header libelf would trust */
	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || memcmp(ident, ELFMAG, SELFMAG) ||
	    pread(fd, &h, sizeof(h), 0) < (ssize_t)sizeof(h.narrow))
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
	pp_lines_close(image->lines);
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
		const char *const is = gelf_getshdr(s, header) ? elf_strptr(elf, names, header->sh_name) : NULL;

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

/* ---- Symbols ---- */

static bool is_marker(const char *name, unsigned machine)
{
	if (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV)
		return false;
	return name[0] == '$' && strchr("adtx", name[1]) && name[1] && (!name[2] || name[2] == '.' ||
								       machine == EM_RISCV);
}

/* What perf counts as a symbol: functions, objects, and labels in sections of text and data. */
static bool counts(Elf *elf, size_t names, const GElf_Sym *sym, uint8_t *rank)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info);
	const unsigned visibility = GELF_ST_VISIBILITY(sym->st_other);
	GElf_Shdr header;
	const char *section;

	if (!sym->st_name || sym->st_shndx == SHN_UNDEF)
		return false;
	*rank = bind == STB_WEAK ? WEAK : bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? GLOBAL : LOCAL;
	if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT)
		return sym->st_shndx != SHN_ABS;
	if (type != STT_NOTYPE || sym->st_shndx >= SHN_LORESERVE || visibility == STV_HIDDEN ||
	    visibility == STV_INTERNAL ||
	    !gelf_getshdr(elf_getscn(elf, sym->st_shndx), &header))
		return false;
	section = elf_strptr(elf, names, header.sh_name);
	return section && (strstr(section, "text") || strstr(section, "data"));
}

static int read_table(struct pp_symtab *to, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *const data = elf_getdata(section, NULL);
	const size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	GElf_Ehdr file;
	size_t names;

	if (!gelf_getehdr(elf, &file) || elf_getshdrstrndx(elf, &names))
		return 0;
	for (size_t i = 0; i < n && i < SYMBOLS_MOST; i++) {
		const char *name;
		uint8_t rank;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !counts(elf, names, &sym, &rank))
			continue;
		name = elf_strptr(elf, header->sh_link, sym.st_name);
		if (!name || !*name || is_marker(name, file.e_machine))
			continue;
		if (file.e_machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~(GElf_Addr)1;
		if (pp_symtab_add(to, sym.st_value, sym.st_size, rank, name, strlen(name)))
			return -1;
	}
	return 0;
}

/* 1: there was one, 0, -1: memory. */
static int add_table(struct pp_symtab *to, Elf *elf, GElf_Word type)
{
	GElf_Shdr header;

	if (!elf)
		return 0;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));)
		if (gelf_getshdr(s, &header) && header.sh_type == type && header.sh_size)
			return read_table(to, elf, s, &header) ? -1 : 1;
	return 0;
}

/* Unpacks an XZ stream to `to`: its size, or 0 where it is none, or too large. */
static size_t unpack(const void *packed, size_t size, struct pp_buffer *to)
{
	static const size_t piece = 1 << 16;
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, UNPACKED_MOST, 0);

	stream.next_in = packed;
	stream.avail_in = size;
	while (status == LZMA_OK && to->size <= UNPACKED_MOST) {
		stream.next_out = pp_buffer_room(to, piece, NULL);
		stream.avail_out = piece;
		if (!stream.next_out)
			break;
		status = lzma_code(&stream, LZMA_FINISH);
		to->size += piece - stream.avail_out;
	}
	lzma_end(&stream);
	return status == LZMA_STREAM_END ? to->size : 0;
}

/* The symbols that .dynsym does not have, which some distributions add to stripped files. */
static int add_mini(struct pp_symtab *to, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, ".gnu_debugdata", &header);
	Elf_Data *const packed = s ? elf_rawdata(s, NULL) : NULL;
	struct pp_buffer bytes = { .data = NULL };
	struct pp_image *mini;
	struct pp_error error;
	int got = 0;

	if (!packed || !packed->d_buf || !unpack(packed->d_buf, packed->d_size, &bytes)) {
		pp_buffer_free(&bytes);
		return 0;
	}
	mini = pp_image_of(bytes.data, bytes.size, &error);
	pp_buffer_free(&bytes);
	if (mini)
		got = add_table(to, mini->elf, SHT_SYMTAB);
	else if (error.code)
		got = -1;
	pp_image_close(mini);
	return got;
}

int pp_image_read_symbols(struct pp_image *image, struct pp_finder *finder, struct pp_error *error)
{
	struct pp_symtab *const to = &image->symbols;
	int got;

	if (image->has_symbols)
		return 0;
	image->has_symbols = true;
	got = add_table(to, image->elf, SHT_SYMTAB);
	if (!got) {
		if (pp_image_find_debug(image, finder, error))
			return -1;
		got = add_table(to, image->debug_elf, SHT_SYMTAB);
	}
	if (!got) {
		got = add_table(to, image->elf, SHT_DYNSYM);
		if (got >= 0)
			got = add_mini(to, image->elf);
	}
	if (got < 0 || pp_plt_add(image->elf, to))
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_symtab_sort(to);
	return 0;
}
