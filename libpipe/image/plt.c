/*
 * plt.c - names of what the entries of a PLT call, "NAME@plt": on x86_64 by the jump in each entry,
 * elsewhere by the order of the relocations.  Functions of which one is chosen when a program starts have a
 * relocation without a symbol, which says where the choice is made.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "image/elf_image.h"

enum { ENTRIES_MOST = 1 << 20 };

/* Slots of the GOT, and the symbol whose address each gets. */
struct slots {
	struct plt_slot {
		uint64_t address, chooser;    /* 0: it has a symbol */
		uint32_t symbol;
		uint32_t function;            /* the chooser's place in the table, and 1; 0: it has no name */
	} *items;
	size_t n, room, n_calls;      /* those of .rela.plt come first */
};

static int compare_slots(const void *a, const void *b)
{
	const uint64_t x = ((const struct plt_slot *)a)->address, y = ((const struct plt_slot *)b)->address;

	return x < y ? -1 : x > y;
}

static int compare_choosers(const void *a, const void *b)
{
	const uint64_t x = ((const struct plt_slot *)a)->chooser, y = ((const struct plt_slot *)b)->chooser;

	return x < y ? -1 : x > y;
}

/* Finds the functions of slots that have no symbol, each chooser's in one pass of the table. */
static int find_functions(struct slots *slots, const struct pp_symtab *table)
{
	struct plt_slot *const choosers = calloc(slots->n + 1, sizeof(*choosers));
	struct plt_slot wanted, *found;
	size_t n = 0, kept = 0;

	if (!choosers)
		return -1;
	for (size_t i = 0; i < slots->n; i++)
		if (slots->items[i].chooser)
			choosers[n++] = slots->items[i];
	if (n)
		qsort(choosers, n, sizeof(*choosers), compare_choosers);
	for (size_t i = 0; i < n; i++)
		if (!kept || choosers[kept - 1].chooser != choosers[i].chooser)
			choosers[kept++] = choosers[i];
	for (size_t i = 0; kept && i < table->n && i < UINT32_MAX; i++) {
		wanted.chooser = table->items[i].start;
		found = bsearch(&wanted, choosers, kept, sizeof(*choosers), compare_choosers);
		if (found && (!found->function || pp_symtab_better(table, i, found->function - 1)))
			found->function = (uint32_t)i + 1;
	}
	for (size_t i = 0; kept && i < slots->n; i++) {
		found = bsearch(&slots->items[i], choosers, kept, sizeof(*choosers), compare_choosers);
		slots->items[i].function = found ? found->function : 0;
	}
	free(choosers);
	return 0;
}

static int read_slots(Elf *elf, const char *name, struct slots *slots)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, name, &header);
	Elf_Data *const data = s ? elf_getdata(s, NULL) : NULL;
	const bool rela = header.sh_type == SHT_RELA;
	const size_t n = data && header.sh_entsize ? data->d_size / header.sh_entsize : 0;

	if (!data || (!rela && header.sh_type != SHT_REL))
		return 0;
	for (size_t i = 0; i < n && i < ENTRIES_MOST; i++) {
		GElf_Rela with;
		GElf_Rel without;

		if (rela ? !gelf_getrela(data, (int)i, &with) : !gelf_getrel(data, (int)i, &without))
			break;
		if (PP_GROW(&slots->items, &slots->room, slots->n + 1, NULL))
			return -1;
		slots->items[slots->n++] = (struct plt_slot){
			.address = rela ? with.r_offset : without.r_offset,
			.symbol = (uint32_t)GELF_R_SYM(rela ? with.r_info : without.r_info),
			.chooser = rela && GELF_R_TYPE(with.r_info) == R_X86_64_IRELATIVE ?
				   (uint64_t)with.r_addend : 0,
		};
	}
	return 0;
}

static int add_named(struct pp_symtab *to, const char *text, uint64_t address, uint64_t size)
{
	char name[4096];
	const int length = snprintf(name, sizeof(name), "%s@plt", text);

	return length >= (int)sizeof(name) ? 0 : pp_symtab_add(to, address, size, 0, name, (size_t)length);
}

static int add(Elf *elf, struct pp_symtab *to, const struct plt_slot *slot, uint64_t address, uint64_t size)
{
	GElf_Shdr header;
	GElf_Sym sym;

	if (slot->function)
		return add_named(to, pp_symtab_name(to, slot->function - 1), address, size);
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		Elf_Data *data;
		const char *text;

		if (!gelf_getshdr(s, &header) || header.sh_type != SHT_DYNSYM)
			continue;
		data = elf_getdata(s, NULL);
		text = data && gelf_getsym(data, (int)slot->symbol, &sym) ?
		       elf_strptr(elf, header.sh_link, sym.st_name) : NULL;
		return text && *text ? add_named(to, text, address, size) : 0;
	}
	return 0;
}

/* The slot that an entry of x86_64 jumps through: "jmp *REL(%rip)". */
static const struct plt_slot *jumps_through(const struct slots *slots, const uint8_t *code, size_t size,
					    uint64_t address)
{
	for (size_t i = 0; i + 6 <= size; i++) {
		struct plt_slot wanted;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		wanted.address = address + i + 6 +
				 (uint64_t)(int64_t)(int32_t)pp_in_order32(code + i + 2, PP_HOST_BIG);
		return bsearch(&wanted, slots->items, slots->n, sizeof(wanted), compare_slots);
	}
	return NULL;
}

static int add_by_jumps(Elf *elf, const char *name, const struct slots *slots, struct pp_symtab *to)
{
	GElf_Shdr header;
	Elf_Scn *const s = pp_section(elf, name, &header);
	Elf_Data *const data = s && header.sh_type == SHT_PROGBITS ? elf_rawdata(s, NULL) : NULL;
	const size_t step = data && header.sh_entsize == 8 ? 8 : 16;

	if (!data || !data->d_buf)
		return 0;
	for (size_t at = 0; at < data->d_size && at / step < ENTRIES_MOST; at += step) {
		const size_t size = data->d_size - at < step ? data->d_size - at : step;
		const uint8_t *const code = (const uint8_t *)data->d_buf + at;
		const struct plt_slot *const slot = jumps_through(slots, code, size, header.sh_addr + at);

		if (slot && add(elf, to, slot, header.sh_addr + at, size))
			return -1;
	}
	return 0;
}

/* Bytes of the first entry of .plt, which is that of no function, and of each other. */
static const struct plt_entries { uint16_t machine; uint8_t first, step; } *entries_of(unsigned machine)
{
	static const struct plt_entries sizes[] = {
		{ EM_AARCH64, 32, 16 }, { EM_ARM, 20, 12 }, { EM_RISCV, 32, 16 }, { EM_S390, 32, 32 },
		{ EM_386, 16, 16 }, { EM_X86_64, 16, 16 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sizes[i].machine == machine)
			return &sizes[i];
	return NULL;
}

/* The first entry, to which the others lead where a function is looked for when it is called; and all, where
 * others are called: as perf has it. */
static int add_first(Elf *elf, unsigned machine, struct pp_symtab *to)
{
	static const char name[] = ".plt";
	const struct plt_entries *const sizes = entries_of(machine);
	GElf_Shdr header, others;
	uint64_t size;

	if (!sizes || !pp_section(elf, name, &header) || header.sh_type != SHT_PROGBITS)
		return 0;
	size = sizes->first < header.sh_size && !pp_section(elf, ".plt.sec", &others) ? sizes->first :
											header.sh_size;
	return pp_symtab_add(to, header.sh_addr, size, 0, name, strlen(name));
}

/* Entries are in the order of their relocations. */
static int add_by_order(Elf *elf, unsigned machine, const struct slots *slots, struct pp_symtab *to)
{
	const struct plt_entries *const sizes = entries_of(machine);
	GElf_Shdr header;

	if (!sizes || !pp_section(elf, ".plt", &header))
		return 0;
	for (size_t n = 0; n < slots->n_calls; n++) {
		const uint64_t at = sizes->first + n * sizes->step;

		if (at < header.sh_size && add(elf, to, &slots->items[n], header.sh_addr + at, sizes->step))
			return -1;
	}
	return 0;
}

int pp_plt_add(Elf *elf, struct pp_symtab *to)
{
	static const char *const plts[] = { ".plt", ".plt.sec", ".plt.got" };
	struct slots slots = { .items = NULL };
	GElf_Ehdr header;
	int failed;

	if (!elf || !gelf_getehdr(elf, &header))
		return 0;
	failed = add_first(elf, header.e_machine, to) || read_slots(elf, ".rela.plt", &slots) ||
		 read_slots(elf, ".rel.plt", &slots);
	slots.n_calls = slots.n;
	if (!failed && header.e_machine == EM_X86_64) {
		failed = read_slots(elf, ".rela.dyn", &slots) || find_functions(&slots, to);
		if (slots.n)
			qsort(slots.items, slots.n, sizeof(*slots.items), compare_slots);
		for (size_t i = 0; slots.n && !failed && i < sizeof(plts) / sizeof(*plts); i++)
			failed = add_by_jumps(elf, plts[i], &slots, to);
	} else if (!failed) {
		failed = add_by_order(elf, header.e_machine, &slots, to);
	}
	free(slots.items);
	return failed ? -1 : 0;
}
