/* address_lookup.c - where functions are, by their names: from the symbol table of an ELF file of this
 * machine's byte order, or from kallsyms.  What names are for is the caller's. */
#include "attr/address_lookup.h"

#include "base/array.h"
#include "base/procfs.h"
#include "elf/elf_reader.h"
#include "elf/kallsyms.h"

#include <perfpipe/suggest.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };
static const uint64_t TABLE_MOST = UINT64_C(1) << 30;   /* bytes of a table */

/* ---- ELF ---- */

/* Where in the file an address is; false: it is not in it. */
static bool to_offset(const struct pp_elf_reader *elf, uint64_t address, uint64_t *offset)
{
	for (uint32_t n = 0; n < elf->n_segments; n++) {
		const struct pp_elf_segment s = pp_elf_segment(elf, n);

		if (s.type != PT_LOAD || address < s.address || address - s.address >= s.size)
			continue;
		*offset = address - s.address + s.offset;
		return true;
	}
	return false;
}

static int add(struct pp_functions *f, const struct pp_function *function, struct pp_error *error)
{
	if (PP_GROW(&f->items, &f->room, f->n + 1, error))
		return -1;
	f->items[f->n++] = *function;
	return 0;
}

/* The functions of one table, whose names the text holds, all of it terminated. */
static int add_symbols(struct pp_functions *f, const struct pp_elf_reader *elf, const void *symbols,
		       uint64_t n, uint64_t text_size, struct pp_error *error)
{
	for (uint64_t k = 0; k < n; k++) {
		const Elf64_Sym *const wide = (const Elf64_Sym *)symbols + k;
		const Elf32_Sym *const narrow = (const Elf32_Sym *)symbols + k;
		const uint8_t info = elf->wide ? wide->st_info : narrow->st_info;
		const uint32_t name = elf->wide ? wide->st_name : narrow->st_name;
		const uint16_t section = elf->wide ? wide->st_shndx : narrow->st_shndx;
		struct pp_function one = { .size = elf->wide ? wide->st_size : narrow->st_size,
					   .global = info >> 4 == STB_GLOBAL };

		if (((info & 15) != STT_FUNC && (info & 15) != STT_GNU_IFUNC) || section == SHN_UNDEF ||
		    name >= text_size || !f->text[name] ||
		    !to_offset(elf, elf->wide ? wide->st_value : narrow->st_value, &one.start))
			continue;
		one.name = f->text + name;
		if (add(f, &one, error))
			return -1;
	}
	return 0;
}

/* 1: the file has such a table, and it is read; 0: it has none that is whole; -1 and *error. */
static int read_table(struct pp_functions *f, struct pp_elf_reader *elf, uint32_t type,
		      struct pp_error *error)
{
	const uint64_t entry = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct pp_elf_section s = { .size = 0 }, names;
	size_t size, text_size;
	uint32_t n = 0;
	uint8_t *symbols;
	int status = 0;

	for (; n < elf->n_sections; n++) {
		s = pp_elf_section(elf, n);
		if (s.type == type && s.entry == entry && s.link < elf->n_sections)
			break;
	}
	if (n == elf->n_sections)
		return 0;
	names = pp_elf_section(elf, s.link);
	symbols = pp_elf_contents(elf, &s, TABLE_MOST, &size);
	f->text = symbols ? (char *)pp_elf_contents(elf, &names, TABLE_MOST, &text_size) : NULL;
	if (f->text)
		status = add_symbols(f, elf, symbols, size / entry, text_size, error) ? -1 : 1;
	else if (errno)
		status = pp_fail_os(error, "cannot read %.200s", f->where);
	free(symbols);
	return status;
}

static int read_file(struct pp_functions *f, const char *path, struct pp_error *error)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct pp_elf_source source;
	struct pp_elf_reader elf = { .from.fd = -1 };
	struct stat st;
	int status = 0;

	if (fd < 0)
		return pp_fail_os(error, "cannot open %.200s", path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !pp_elf_source_of(&source, fd))
		status = pp_elf_begin(&elf, &source);
	if (status > 0 && (pp_elf_read_segments(&elf) || pp_elf_read_sections(&elf)))
		status = -1;
	if (status < 0)
		status = pp_fail_os(error, "cannot read %.200s", path);
	else if (!status || elf.foreign)
		status = pp_fail(error, PP_E_USE, "%.200s is no ELF file of this kind of machine", path);
	else
		status = read_table(f, &elf, SHT_SYMTAB, error);
	if (!status)
		status = read_table(f, &elf, SHT_DYNSYM, error);
	f->whole_size = elf.from.size;
	pp_elf_end(&elf);
	(void)close(fd);
	return status < 0 ? -1 : 0;
}

/* ---- the kernel ---- */

/* Functions that were found, and their names one after the other. */
struct found { struct pp_functions *functions; struct pp_buffer names; };

static int add_kernels(void *arg, const struct pp_kallsym *symbol, struct pp_error *error)
{
	struct found *const to = arg;
	const struct pp_function one = {
		.start = symbol->address, .global = symbol->type == 'T' || symbol->type == 'W',
	};

	if (!symbol->type || !strchr("tTwW", symbol->type))
		return 0;
	return pp_buffer_add(&to->names, symbol->name, symbol->length, error) ||
	       pp_buffer_add(&to->names, "", 1, error) ? -1 : add(to->functions, &one, error);
}

static int read_kernel(struct pp_functions *f, struct pp_error *error)
{
	struct found found = { .functions = f };
	const int status = pp_kallsyms_read(add_kernels, &found, error);
	char *name = f->text = (char *)found.names.data;
	bool shown = false;

	if (status)
		return -1;
	for (size_t i = 0; i < f->n; i++, name += strlen(name) + 1) {
		f->items[i].name = name;
		shown |= f->items[i].start != 0;
	}
	if (!shown) {
		errno = EPERM;
		return pp_fail_os(error, "addresses of the kernel are hidden (root or CAP_SYSLOG may see "
				  "them, unless kernel.kptr_restrict is 2)");
	}
	return 0;
}

/* ---- both ---- */

static int by_start(const void *a, const void *b)
{
	const struct pp_function *const x = a, *const y = b;

	return x->start < y->start ? -1 : x->start > y->start ? 1 : strcmp(x->name, y->name);
}

int pp_functions_read(struct pp_functions *f, const char *path, struct pp_error *error)
{
	*f = (struct pp_functions){ .where = path ? path : "the kernel" };
	if (path ? read_file(f, path, error) : read_kernel(f, error)) {
		pp_functions_free(f);
		return -1;
	}
	if (f->n)
		qsort(f->items, f->n, sizeof(*f->items), by_start);
	/* one without a size ends where another begins */
	for (size_t i = f->n, above = f->n; i-- > 0;) {
		if (i + 1 < f->n && f->items[i + 1].start != f->items[i].start)
			above = i + 1;
		if (!f->items[i].size && above < f->n)
			f->items[i].size = f->items[above].start - f->items[i].start;
	}
	/* where the last function of the kernel ends is not known */
	if (!path && f->n) {
		f->whole = f->items[0].start;
		f->whole_size = ((f->items[f->n - 1].start + PAGE - 1) & ~(uint64_t)(PAGE - 1)) + PAGE -
				f->whole;
	}
	return 0;
}

static const struct pp_function *not_found(const struct pp_functions *f, const char *name, long nth,
					   struct pp_error *error)
{
	struct pp_nearest near = { .wanted = name };
	char meant[80] = "";

	for (size_t i = 0; nth < 0 && i < f->n; i++)
		pp_nearest_consider(&near, f->items[i].name, NULL);
	pp_nearest_question(&near, meant, sizeof(meant));
	(void)pp_fail(error, PP_E_USE, "there is no %sfunction '%.60s'%s in %.120s%s",
		      nth ? "" : "global ", name, nth > 0 ? " with that number" : "", f->where, meant);
	return NULL;
}

const struct pp_function *pp_functions_find(const struct pp_functions *f, const char *name, long nth,
					    struct pp_error *error)
{
	const struct pp_function *found = NULL;
	long n = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct pp_function *const at = &f->items[i];

		if (strcmp(at->name, name) != 0 || (!nth && !at->global))
			continue;
		n++;
		if (nth > 0 && n == nth)
			return at;
		if (nth <= 0 && found && found->start != at->start) {
			(void)pp_fail(error, PP_E_USE, "%.120s has several functions '%.60s', at 0x%llx and "
				      "0x%llx: write %.60s #1, #2 ... for one of them, or #g for the global "
				      "one", f->where, name, (unsigned long long)found->start,
				      (unsigned long long)at->start, name);
			return NULL;
		}
		found = found ? found : at;
	}
	return found && nth <= 0 ? found : not_found(f, name, nth, error);
}

void pp_functions_free(struct pp_functions *f)
{
	free(f->items);
	free(f->text);
	*f = (struct pp_functions){ .n = 0 };
}
