/* functions.c - where functions are, by their names: from the symbol table of an ELF file of this
 * machine's byte order, or from kallsyms.  What names are for is the caller's. */
#include "event/functions.h"

#include "base/grow.h"
#include "base/nearest.h"
#include "base/procfs.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TABLE_MOST = 1 << 30,         /* bytes of a table */
	SECTIONS_MOST = 1 << 20,
	PAGE = 4096,
};

/* ---- ELF ---- */

/* The members of both classes, of which one is looked at. */
struct section { uint32_t type, link; uint64_t offset, size, entry; };
struct segment { uint64_t address, offset, size; };
struct image {
	int fd;
	uint64_t size;                /* of the file */
	bool wide;
	uint64_t sections_at, segments_at;
	uint64_t n_sections, n_segments;
	struct segment *segments;     /* that are loaded */
	size_t n_loaded;
};

static bool read_at(const struct image *i, void *to, uint64_t offset, uint64_t size)
{
	uint8_t *at = to;

	if (offset > i->size || size > i->size - offset)
		return false;
	while (size) {
		const ssize_t n = pread(i->fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		offset += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
}

/* A table of the file, to be freed; NULL: it is not whole, too large, or there is no memory. */
static void *table(const struct image *i, uint64_t offset, uint64_t size)
{
	void *const bytes = size <= TABLE_MOST && offset <= i->size && size <= i->size - offset ?
				    malloc(size + 1) : NULL;

	if (!bytes || read_at(i, bytes, offset, size))
		return bytes;
	free(bytes);
	return NULL;
}

static bool read_section(const struct image *i, uint64_t n, struct section *s)
{
	Elf64_Shdr wide;
	Elf32_Shdr narrow;

	if (n >= i->n_sections)
		return false;
	if (!i->wide) {
		if (!read_at(i, &narrow, i->sections_at + n * sizeof(narrow), sizeof(narrow)))
			return false;
		*s = (struct section){ narrow.sh_type, narrow.sh_link, narrow.sh_offset, narrow.sh_size,
				       narrow.sh_entsize };
		return true;
	}
	if (!read_at(i, &wide, i->sections_at + n * sizeof(wide), sizeof(wide)))
		return false;
	*s = (struct section){ wide.sh_type, wide.sh_link, wide.sh_offset, wide.sh_size,
			       wide.sh_entsize };
	return true;
}

static bool read_segments(struct image *i)
{
	i->segments = calloc(i->n_segments + 1, sizeof(*i->segments));
	if (!i->segments)
		return false;
	for (uint64_t n = 0; n < i->n_segments; n++) {
		struct segment *const to = &i->segments[i->n_loaded];
		Elf64_Phdr wide;
		Elf32_Phdr narrow;

		if (i->wide ? !read_at(i, &wide, i->segments_at + n * sizeof(wide), sizeof(wide)) :
			      !read_at(i, &narrow, i->segments_at + n * sizeof(narrow), sizeof(narrow)))
			return false;
		if ((i->wide ? wide.p_type : narrow.p_type) != PT_LOAD)
			continue;
		*to = i->wide ? (struct segment){ wide.p_vaddr, wide.p_offset, wide.p_filesz } :
				(struct segment){ narrow.p_vaddr, narrow.p_offset, narrow.p_filesz };
		i->n_loaded++;
	}
	return true;
}

static bool read_head(struct image *i)
{
	const uint8_t order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;
	struct stat st;
	struct section first;

	if (fstat(i->fd, &st) || !S_ISREG(st.st_mode))
		return false;
	i->size = (uint64_t)st.st_size;
	if (!read_at(i, &narrow, 0, sizeof(narrow)) || memcmp(narrow.e_ident, ELFMAG, SELFMAG) != 0 ||
	    narrow.e_ident[EI_DATA] != order)
		return false;
	i->wide = narrow.e_ident[EI_CLASS] == ELFCLASS64;
	if (i->wide && !read_at(i, &wide, 0, sizeof(wide)))
		return false;
	i->sections_at = i->wide ? wide.e_shoff : narrow.e_shoff;
	i->segments_at = i->wide ? wide.e_phoff : narrow.e_phoff;
	i->n_sections = i->wide ? wide.e_shnum : narrow.e_shnum;
	i->n_segments = i->wide ? wide.e_phnum : narrow.e_phnum;
	if (!i->n_sections && i->sections_at) {
		i->n_sections = 1;
		i->n_sections = read_section(i, 0, &first) ? first.size : 0;
	}
	return i->n_sections <= SECTIONS_MOST && read_segments(i);
}

/* Where in the file an address is; false: it is not in it. */
static bool to_offset(const struct image *i, uint64_t address, uint64_t *offset)
{
	for (size_t n = 0; n < i->n_loaded; n++) {
		const struct segment *const s = &i->segments[n];

		if (address < s->address || address - s->address >= s->size)
			continue;
		*offset = address - s->address + s->offset;
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
static int add_symbols(struct pp_functions *f, const struct image *i, const void *symbols, uint64_t n,
		       uint64_t text_size, struct pp_error *error)
{
	for (uint64_t k = 0; k < n; k++) {
		const Elf64_Sym *const wide = (const Elf64_Sym *)symbols + k;
		const Elf32_Sym *const narrow = (const Elf32_Sym *)symbols + k;
		const uint8_t info = i->wide ? wide->st_info : narrow->st_info;
		const uint32_t name = i->wide ? wide->st_name : narrow->st_name;
		const uint16_t section = i->wide ? wide->st_shndx : narrow->st_shndx;
		struct pp_function one = { .size = i->wide ? wide->st_size : narrow->st_size,
					   .global = info >> 4 == STB_GLOBAL };

		if (((info & 15) != STT_FUNC && (info & 15) != STT_GNU_IFUNC) || section == SHN_UNDEF ||
		    name >= text_size || !f->text[name] ||
		    !to_offset(i, i->wide ? wide->st_value : narrow->st_value, &one.start))
			continue;
		one.name = f->text + name;
		if (add(f, &one, error))
			return -1;
	}
	return 0;
}

/* 1: the file has such a table, and it is read; 0: it has none that is whole; -1 and *error. */
static int read_table(struct pp_functions *f, const struct image *i, uint32_t type,
		      struct pp_error *error)
{
	const uint64_t entry = i->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct section s, names;
	void *symbols;
	int status;

	for (uint64_t n = 0; read_section(i, n, &s); n++) {
		if (s.type != type || s.entry != entry || !read_section(i, s.link, &names))
			continue;
		symbols = table(i, s.offset, s.size);
		f->text = table(i, names.offset, names.size);
		if (!symbols || !f->text) {
			free(symbols);
			free(f->text);
			f->text = NULL;
			return 0;
		}
		f->text[names.size] = '\0';
		status = add_symbols(f, i, symbols, s.size / entry, names.size, error);
		free(symbols);
		return status ? -1 : 1;
	}
	return 0;
}

static int read_file(struct pp_functions *f, const char *path, struct pp_error *error)
{
	struct image i = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	int status;

	if (i.fd < 0)
		return pp_fail_os(error, "cannot open %.200s", path);
	if (!read_head(&i)) {
		status = pp_fail(error, PP_E_USE, "%.200s is no ELF file of this kind of machine", path);
	} else {
		status = read_table(f, &i, SHT_SYMTAB, error);
		if (!status)
			status = read_table(f, &i, SHT_DYNSYM, error);
		f->whole_size = i.size;
	}
	free(i.segments);
	(void)close(i.fd);
	return status < 0 ? -1 : 0;
}

/* ---- the kernel ---- */

static int read_kernel(struct pp_functions *f, struct pp_error *error)
{
	uint64_t last = 0;
	size_t length;

	f->text = pp_file_all("/proc/kallsyms", &length);
	if (!f->text)
		return pp_fail_os(error, "cannot read /proc/kallsyms");
	for (char *line = f->text, *end; line && *line; line = end) {
		struct pp_function one;
		char *at;

		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		one.start = strtoull(line, &at, 16);
		/* "ADDRESS T name", of modules with a tab and the module after it */
		if (at[0] != ' ' || !at[1] || at[2] != ' ')
			continue;
		one.global = at[1] == 'T' || at[1] == 'W';
		one.size = 0;
		one.name = at + 3;
		at[3 + strcspn(at + 3, "\t")] = '\0';
		/* the kernel's own come first, by address, and its modules then */
		if (!strchr("tTwW", at[1]))
			continue;
		if (add(f, &one, error))
			return -1;
		last = one.start;
	}
	if (!last) {
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
	char meant[64] = "";

	for (size_t i = 0; i < f->n; i++)
		pp_nearest_consider(&near, f->items[i].name, NULL);
	pp_nearest_list(&near, meant, sizeof(meant));
	(void)pp_fail(error, PP_E_USE, "there is no %sfunction '%.60s'%s in %.120s%s%s%s",
		      nth ? "" : "global ", name, nth > 0 ? " with that number" : "", f->where,
		      *meant && nth < 0 ? "; did you mean " : "", nth < 0 ? meant : "",
		      *meant && nth < 0 ? "?" : "");
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
