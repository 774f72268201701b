/*
 * elf_symbols.c - reads the symbols of an image: .symtab, else .dynsym, the compressed .gnu_debugdata and
 * what Go's runtime knows of its functions; and the PLT (plt.c).
 */
#include "image/elf_image.h"
#include "elf/go_functions.h"
#include "image/decompress.h"

#include <errno.h>
#include <stdlib.h>

enum {
	UNPACKED_MOST = 1 << 27,      /* of .gnu_debugdata */
	SYMBOLS_MOST = 1 << 25,
};

enum { LABEL, WEAK, LOCAL, GLOBAL };  /* ranks; perf prefers what is not weak, then what is global */

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

/* A file with a table. */
struct symbol_source {
	Elf *elf;
	GElf_Ehdr file;
	size_t names;                 /* of sections */
	uint64_t *places;             /* of a module: where sections are, which symbols count from */
	size_t n_places;
};

/* Makes what a symbol says an address; false: it is of no code. */
static bool place(const struct symbol_source *from, GElf_Sym *sym)
{
	if (!from->places)
		return true;
	if (sym->st_shndx >= from->n_places || from->places[sym->st_shndx] == UINT64_MAX)
		return false;
	sym->st_value += from->places[sym->st_shndx];
	return true;
}

static int read_symbols(struct pp_symtab *to, const struct symbol_source *from, Elf_Scn *section,
			const GElf_Shdr *header)
{
	Elf_Data *const data = elf_getdata(section, NULL);
	const size_t n = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n && i < SYMBOLS_MOST; i++) {
		const char *name;
		uint8_t rank;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !counts(from->elf, from->names, &sym, &rank) ||
		    !place(from, &sym))
			continue;
		name = elf_strptr(from->elf, header->sh_link, sym.st_name);
		if (!name || !*name || is_marker(name, from->file.e_machine))
			continue;
		if (from->file.e_machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~(GElf_Addr)1;
		if (pp_symtab_add(to, sym.st_value, sym.st_size, rank, name, strlen(name)))
			return -1;
	}
	return 0;
}

/* Whether the names of symbols are anything but those symbols themselves. */
static bool has_names(Elf *elf, const GElf_Shdr *header)
{
	GElf_Shdr strings;

	return gelf_getshdr(elf_getscn(elf, header->sh_link), &strings) &&
	       (strings.sh_offset < header->sh_offset ?
			strings.sh_size <= header->sh_offset - strings.sh_offset :
			header->sh_size <= strings.sh_offset - header->sh_offset);
}

static int read_table(struct pp_symtab *to, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	struct symbol_source from = { .elf = elf };
	int failed;

	if (!gelf_getehdr(elf, &from.file) || elf_getshdrstrndx(elf, &from.names) ||
	    !has_names(elf, header))
		return 0;
	if (from.file.e_type == ET_REL) {
		from.places = pp_module_places(elf, &from.n_places);
		if (!from.places)
			return -1;
	}
	failed = read_symbols(to, &from, section, header);
	free(from.places);
	return failed ? -1 : 0;
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

	if (packed && packed->d_buf)
		got = pp_unpack(packed->d_buf, packed->d_size, UNPACKED_MOST, &bytes);
	if (got <= 0) {
		pp_buffer_free(&bytes);
		return got;
	}
	got = 0;
	mini = pp_image_of(bytes.data, bytes.size, &error);
	pp_buffer_free(&bytes);
	if (mini)
		got = add_table(to, mini->main.elf, SHT_SYMTAB);
	else if (error.code)
		got = -1;
	pp_image_close(mini);
	return got;
}

/* Where a relocation says that an address is to be the sum of this and where the file is loaded. */
static bool relocation_at(Elf *elf, uint64_t address, uint64_t *sum)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr header;
		Elf_Data *const data = gelf_getshdr(s, &header) && header.sh_type == SHT_RELA ?
				       elf_getdata(s, NULL) : NULL;
		const size_t n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;
		GElf_Rela r;

		for (size_t i = 0; i < n && i < SYMBOLS_MOST && gelf_getrela(data, (int)i, &r); i++)
			if (r.r_offset == address) {
				*sum = (uint64_t)r.r_addend;
				return true;
			}
	}
	return false;
}

static int add_go_function(void *arg, const struct pp_go_function *f)
{
	return pp_symtab_add(arg, f->start, f->size, LOCAL, f->name, f->length);
}

/* The functions of a Go program: 1, 0: it is not one, -1: memory. */
static int add_go(struct pp_symtab *to, Elf *elf, bool foreign)
{
	static const char *const places[] = { ".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro" };
	struct pp_go_table table = { .size = 0 };
	GElf_Shdr header, code;
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places); i++) {
		Elf_Scn *const s = pp_section(elf, places[i], &header);
		Elf_Data *const data = s ? elf_rawdata(s, NULL) : NULL;

		found = data && data->d_buf && pp_go_table_find(&table, data->d_buf, data->d_size, foreign);
		if (found)
			header.sh_addr += (uint64_t)(table.bytes - (const uint8_t *)data->d_buf);
	}
	if (!found)
		return 0;
	/* from Go 1.26 on the table itself does not say it */
	if (table.text_at && !relocation_at(elf, header.sh_addr + table.text_at, &table.text) &&
	    !table.text && pp_section(elf, ".text", &code))
		table.text = code.sh_addr;
	return pp_go_functions(&table, add_go_function, to) ? -1 : 1;
}

int pp_image_read_symbols(struct pp_image *image, struct pp_finder *finder, struct pp_error *error)
{
	struct pp_symtab *const to = &image->symbols;
	int got;

	if (image->has_symbols)
		return 0;
	image->has_symbols = true;
	errno = 0;
	got = add_table(to, image->main.elf, SHT_SYMTAB);
	if (!got) {
		if (pp_parsed(error) || pp_image_find_debug(image, finder, error))
			return -1;
		errno = 0;
		got = add_table(to, image->debug.elf, SHT_SYMTAB);
	}
	if (!got) {
		got = add_table(to, image->main.elf, SHT_DYNSYM);
		if (got >= 0)
			got = add_mini(to, image->main.elf);
		if (got >= 0)
			got = add_go(to, image->main.elf, image->main.copy.elf.foreign);
	}
	if (got < 0 || pp_plt_add(image->main.elf, to))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (pp_parsed(error))
		return -1;
	pp_symtab_sort(to);
	return 0;
}
