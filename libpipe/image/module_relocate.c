/*
 * module_relocate.c - modules of the kernel, which were not linked: where their code will be, and their debug
 * information with these addresses, which libdwfl puts in.
 */
#include "image/elf_image.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>

/* ---- Code ---- */

/* Where the kernel puts a section of a module's code after those that end there; false: not with them. */
static bool has_place(Elf *elf, size_t names, size_t section, GElf_Shdr *header)
{
	const char *name;

	if (!gelf_getshdr(elf_getscn(elf, section), header) || !(header->sh_flags & SHF_ALLOC) ||
	    !(header->sh_flags & SHF_EXECINSTR) || header->sh_addralign > 4096 ||
	    header->sh_size > UINT32_MAX)
		return false;
	/* what is run once is in memory of its own */
	name = elf_strptr(elf, names, header->sh_name);
	return name && strncmp(name, ".init", 5) != 0;
}

uint64_t *pp_module_places(Elf *elf, size_t *n)
{
	uint64_t *places, end = 0;
	size_t names;

	if (elf_getshdrnum(elf, n) || elf_getshdrstrndx(elf, &names))
		*n = 0;
	places = malloc((*n + 1) * sizeof(*places));
	for (size_t i = 0; places && i < *n; i++) {
		GElf_Shdr header;

		places[i] = UINT64_MAX;
		if (!has_place(elf, names, i, &header))
			continue;
		if (header.sh_addralign > 1)
			end += (header.sh_addralign - end % header.sh_addralign) % header.sh_addralign;
		places[i] = end;
		end += header.sh_size;
	}
	return places;
}

/* ---- Debug information ---- */

struct pp_relocated {
	Dwfl *dwfl;                   /* has what it made, and the file once it asked for it */
	Elf *elf;
	bool taken;
	uint64_t *places;             /* of its sections */
	size_t n_places;
};

/* An address of 0 is that of functions which linkers left out; what has no place is beyond all code. */
enum { FIRST = 1 << 20, ELSEWHERE = 1 << 30 };

bool pp_relocated_address(uint64_t address, uint64_t *relocated)
{
	*relocated = address + FIRST;
	return address < ELSEWHERE - FIRST;
}

static int find_elf(Dwfl_Module *module, void **arg, const char *name, Dwarf_Addr base, char **path,
		    Elf **elf)
{
	struct pp_relocated *const r = *arg;

	(void)module, (void)name, (void)base, (void)path;
	*elf = r->elf;
	r->taken = true;
	return -1;
}

static int find_nothing(Dwfl_Module *module, void **r, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)r, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
	return -1;
}

static int find_section(Dwfl_Module *module, void **arg, const char *name, Dwarf_Addr base,
			const char *section, GElf_Word number, const GElf_Shdr *header, Dwarf_Addr *address)
{
	const struct pp_relocated *const r = *arg;

	(void)module, (void)name, (void)base, (void)section, (void)header;
	if (number >= r->n_places || !pp_relocated_address(r->places[number], address))
		*address = ELSEWHERE;
	return DWARF_CB_OK;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_elf, .find_debuginfo = find_nothing, .section_address = find_section,
};

/* 1, 0: it has none, -1: memory. */
static int relocate(struct pp_relocated *r, Dwarf **dwarf)
{
	Dwfl_Module *module;
	Dwarf_Addr bias;
	void **arg;

	r->dwfl = dwfl_begin(&callbacks);
	if (!r->dwfl)
		return -1;
	dwfl_report_begin(r->dwfl);
	module = dwfl_report_module(r->dwfl, "module", 0, ELSEWHERE);
	if (!module || dwfl_report_end(r->dwfl, NULL, NULL) ||
	    !dwfl_module_info(module, &arg, NULL, NULL, NULL, NULL, NULL, NULL))
		return -1;
	*arg = r;
	*dwarf = dwfl_module_getdwarf(module, &bias);
	return *dwarf ? !bias : errno == ENOMEM ? -1 : 0;
}

int pp_relocate(struct pp_relocated **to, Elf *elf, Dwarf **dwarf)
{
	struct pp_relocated *const r = calloc(1, sizeof(*r));

	*to = r;
	if (!r) {
		(void)elf_end(elf);
		return -1;
	}
	*r = (struct pp_relocated){ .elf = elf };
	r->places = pp_module_places(elf, &r->n_places);
	return r->places ? relocate(r, dwarf) : -1;
}

void pp_relocated_end(struct pp_relocated *r)
{
	if (!r)
		return;
	dwfl_end(r->dwfl);
	if (!r->taken)
		(void)elf_end(r->elf);
	free(r->places);
	free(r);
}
