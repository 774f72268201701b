/*
 * elf_image.c - opens ELF files for libelf, and their separate debug files.
 *
 * libelf is handed a copy (elf/elf_copy.h), never the file: that may become shorter at any time, and its
 * debug sections may be compressed as libdw does not know.
 */
#include "image/elf_image.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/elfutils.h"
#include "image/decompress.h"

/* ---- Opening ---- */

int pp_parsed(struct pp_error *error)
{
	return errno == ENOMEM ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static int lacking(const struct pp_opened *e, struct pp_error *error)
{
	const char *const name = e->file.path ? e->file.path : "an image";

	return errno == ENOMEM ? pp_fail(error, PP_E_NOMEM, NULL) :
				 pp_fail_os(error, "cannot read %s", name);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool is_debug(const char *name)
{
	return begins(name, ".debug_") || begins(name, ".zdebug_") || begins(name, ".rela.debug_") ||
	       begins(name, ".rel.debug_") || !strcmp(name, ".gdb_index");
}

/* Of a program of Go without symbols the table in which its runtime has its functions: by itself, or among
 * other data, where the linker of C made a program of it that can be loaded anywhere. */
static bool may_have_go_functions(const struct pp_elf_reader *elf, const char *name)
{
	struct pp_elf_section found;

	return (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab") ||
		(!strcmp(name, ".data.rel.ro") && pp_elf_find(elf, ".go.buildinfo", &found))) &&
	       !pp_elf_find(elf, ".symtab", &found);
}

/* What symbols and links to other files need; debug information is mostly much larger. */
static enum pp_elf_part is_first(void *arg, const char *name, const struct pp_elf_section *s)
{
	if (is_debug(name))
		return PP_ELF_LEAVE;
	return s->type != SHT_PROGBITS || begins(name, ".plt") || begins(name, ".gnu_debug") ||
	       may_have_go_functions(arg, name) ? PP_ELF_TAKE : PP_ELF_LEAVE;
}

static enum pp_elf_part is_any(void *arg, const char *name, const struct pp_elf_section *s)
{
	(void)arg, (void)name, (void)s;
	return PP_ELF_TAKE;
}

/* Shows libelf what is there now: 0, or -1 and *error. */
static int show(struct pp_opened *e, struct pp_error *error)
{
	if (e->elf)
		elf_end(e->elf);
	e->elf = NULL;
	if (pp_elfutils_load(error))
		return -1;
	errno = 0;
	e->elf = elf_version(EV_CURRENT) != EV_NONE && e->copy.bytes ?
		 elf_memory((char *)e->copy.bytes, (size_t)e->copy.size) : NULL;
	return e->elf ? 0 : pp_parsed(error);
}

/* Copies from a file or memory what is needed first: 0, or -1 and *error. */
static int open_source(struct pp_opened *e, const struct pp_elf_source *source, pp_elf_part_fn *part,
		       struct pp_error *error)
{
	const int got = pp_elf_copy_open(&e->copy, source);

	if (got < 0 || (got && pp_elf_copy_take(&e->copy, part, &e->copy.elf)))
		return lacking(e, error);
	return got ? show(e, error) : 0;
}

/* A file that is packed as a whole. */
static int open_packed(struct pp_opened *e, const struct pp_elf_source *from, struct pp_error *error)
{
	struct pp_elf_source source = { .fd = -1 };
	struct pp_elf_reader packed = { .from = *from };
	size_t n;
	uint8_t *const bytes = pp_elf_bytes(&packed, 0, from->size, pp_machine_memory() / 4, &n);
	int got;

	if (!bytes && errno)
		return lacking(e, error);
	e->copy.too_large = !bytes;
	got = bytes ? pp_unpack(bytes, n, PP_UNPACKED_MOST, &e->unpacked) : 0;
	free(bytes);
	e->copy.elf.shorter = packed.shorter;
	if (got <= 0)
		return got < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	source.memory = e->unpacked.data;
	source.size = e->unpacked.size;
	got = open_source(e, &source, is_first, error);
	e->copy.elf.shorter |= packed.shorter;
	return got;
}

int pp_opened_open(struct pp_opened *e, struct pp_error *error)
{
	struct pp_elf_source source;
	uint8_t begin[8] = { 0 };

	if (pp_elf_source_of(&source, e->file.fd) ||
	    pp_elf_source_read(&source, begin, sizeof(begin), 0) < 0)
		return pp_fail_os(error, "cannot read %s", e->file.path);
	return pp_is_packed(begin, sizeof(begin)) ? open_packed(e, &source, error) :
						    open_source(e, &source, is_first, error);
}

/* What macros stand for, and maybe the lines and where variables are, is not asked for. */
static bool is_unread(const char *name, unsigned with)
{
	static const struct { const char *name; unsigned with; } unread[] = {
		{ "line", PP_WITH_LINES }, { "loc", PP_WITH_DATA }, { "loclists", PP_WITH_DATA },
		{ "macinfo", 0 }, { "macro", 0 }, { "pubnames", 0 }, { "pubtypes", 0 },
		{ "gnu_pubnames", 0 }, { "gnu_pubtypes", 0 }, { "names", 0 }, { "aranges", 0 },
	};
	const char *const after = strchr(name, '_');

	for (size_t i = 0; after && i < sizeof(unread) / sizeof(*unread); i++)
		if (!strcmp(after + 1, unread[i].name))
			return !(with & unread[i].with);
	return false;
}

/* Units of a package share these sections, each of which may be far larger than the program. */
static bool is_in_parts(const char *name, const struct pp_elf_section *s)
{
	return !(s->flags & SHF_COMPRESSED) &&
	       (!strcmp(name, ".debug_info.dwo") || !strcmp(name, ".debug_abbrev.dwo") ||
		!strcmp(name, ".debug_str_offsets.dwo") || !strcmp(name, ".debug_rnglists.dwo"));
}

static enum pp_elf_part is_for_dwarf(void *arg, const char *name, const struct pp_elf_section *s)
{
	const unsigned with = *(const unsigned *)arg;

	if (with & PP_WITH_PARTS && is_in_parts(name, s))
		return PP_ELF_LEAVE;
	if (is_debug(name))
		return !(with & PP_WITH_ALL) && is_unread(name, with) ? PP_ELF_HIDE : PP_ELF_TAKE;
	return with & PP_WITH_DATA && (s->flags & SHF_EXECINSTR || begins(name, ".eh_frame")) ?
	       PP_ELF_TAKE : PP_ELF_LEAVE;
}

/* No more will be read of it. */
static void settle_opened(struct pp_opened *e)
{
	if (e->file.fd >= 0)
		(void)close(e->file.fd);
	e->file.fd = -1;
	e->whole = true;
	pp_buffer_free(&e->unpacked);
}

int pp_opened_take_debug(struct pp_opened *e, unsigned with, struct pp_error *error)
{
	if (!e->elf || e->whole)
		return 0;
	e->whole = true;
	/* libdwfl changes one that was not linked */
	if (pp_elf_copy_take(&e->copy, is_for_dwarf, &with) ||
	    (e->copy.elf.type == ET_REL && pp_elf_copy_take(&e->copy, is_any, NULL)))
		return lacking(e, error);
	if (!(with & PP_WITH_PARTS))
		settle_opened(e);
	return show(e, error);
}

void pp_opened_close(struct pp_opened *e)
{
	if (e->elf)
		elf_end(e->elf);
	pp_elf_copy_close(&e->copy);
	pp_buffer_free(&e->unpacked);
	pp_found_close(&e->file);
	*e = (struct pp_opened){ .file.fd = -1, .copy.elf.from.fd = -1 };
}

void pp_opened_say(const struct pp_opened *e, struct pp_finder *finder)
{
	const char *const path = e->file.path;

	if (!path)
		return;
	if (e->copy.elf.shorter)
		pp_finder_lost(finder, path, "%s: not all names: the file became shorter while it was read",
			       path);
	else if (e->copy.too_large)
		pp_finder_lost(finder, path, "%s: not all names: the file takes too much memory to read",
			       path);
	else if (e->copy.unknown)
		pp_finder_say(finder, PP_HINT_NONE, path, "%s: not all names: a section is compressed in a "
			      "way that is not known, or damaged", path);
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

struct pp_image *pp_image_open(struct pp_found_file *file, struct pp_finder *finder, struct pp_error *error)
{
	struct pp_image *const image = empty();
	int failed;

	if (!image) {
		pp_fail(error, PP_E_NOMEM, NULL);
		pp_found_close(file);
		return NULL;
	}
	image->main.file = *file;
	*file = (struct pp_found_file){ .fd = -1 };
	failed = pp_opened_open(&image->main, error);
	pp_opened_say(&image->main, finder);
	return begin(image, failed, error);
}

struct pp_image *pp_image_of(const void *bytes, size_t size, struct pp_error *error)
{
	struct pp_image *const image = empty();
	const struct pp_elf_source source = { .fd = -1, .memory = bytes, .size = size };
	int failed;

	if (!image) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	failed = open_source(&image->main, &source, is_any, error);
	settle_opened(&image->main);
	return begin(image, failed, error);
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
	pp_opened_close(&image->alt);
	pp_opened_close(&image->debug);
	pp_opened_close(&image->main);
	pp_symtab_free(&image->symbols);
	free(image->segments);
	free(image);
}

void pp_image_settle(struct pp_image *image)
{
	settle_opened(&image->main);
	settle_opened(&image->debug);
	settle_opened(&image->alt);
}

bool pp_image_address(const struct pp_image *image, uint64_t offset, uint64_t *address,
		      struct pp_address_range *mapped)
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

/* ---- The separate debug file ---- */

static bool has(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, name, &header);

	return s && header.sh_type != SHT_NOBITS && header.sh_size;
}

/* The other file, which dwz made of what several have in common. */
static int find_alt(struct pp_image *image, struct pp_finder *finder, const struct pp_opened *of,
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
	    (image->alt.file.fd >= 0 && pp_opened_open(&image->alt, error)))
		return -1;
	pp_opened_say(&image->alt, finder);
	image->alt_missing = !image->alt.elf;
	if (image->alt_missing)
		pp_finder_say(finder, PP_HINT_NONE, path, "%s: no lines and inlined callers: they need %s, "
			      "which is not there", of->file.path, path);
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
	    (image->debug.file.fd >= 0 && pp_opened_open(&image->debug, error)))
		return -1;
	pp_opened_say(&image->debug, finder);
	if (!image->debug.elf)
		return 0;
	errno = 0;
	return find_alt(image, finder, &image->debug, error) || pp_parsed(error) ? -1 : 0;
}
