/* unpoison.c - tells MemorySanitizer what the libraries that are not built with it fill, and asks it
 * whether what they are given has been filled; linked into the tools by `make memcheck` only, with
 * --wrap for each function here.
 */
#include <sanitizer/allocator_interface.h>
#include <sanitizer/msan_interface.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "export/deflater.h"

#define WRAP(type, name, ...) \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

/* What a function filled, unless its caller did not want it. */
#define FILLED(p) ((p) ? __msan_unpoison((p), sizeof(*(p))) : (void)0)

/* ---- memory ---- */

/* What libraries allocate they fill unseen, and give to functions that look: it is all right as it is.
 * What the project itself allocates was never written. */
const char *__msan_default_options(void);
const char *__msan_default_options(void)
{
	return "poison_in_malloc=0";
}

WRAP(void *, malloc, size_t size)
{
	void *const p = __real_malloc(size);

	if (p)
		__msan_poison(p, size);
	return p;
}

WRAP(void *, realloc, void *from, size_t size)
{
	const size_t before = from ? __sanitizer_get_allocated_size(from) : 0;
	uint8_t *const p = __real_realloc(from, size);

	if (p && size > before)
		__msan_poison(p + before, size - before);
	return p;
}

/* ---- zstd ---- */

WRAP(size_t, ZSTD_compressStream2, ZSTD_CCtx *c, ZSTD_outBuffer *out,
	ZSTD_inBuffer *in, ZSTD_EndDirective end)
{
	const size_t from = out->pos;
	size_t result;

	__msan_check_mem_is_initialized((const uint8_t *)in->src + in->pos, in->size - in->pos);
	result = __real_ZSTD_compressStream2(c, out, in, end);
	__msan_unpoison((uint8_t *)out->dst + from, out->pos - from);
	return result;
}

WRAP(size_t, ZSTD_decompressStream, ZSTD_DStream *d, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
	const size_t from = out->pos;
	size_t result;

	__msan_check_mem_is_initialized((const uint8_t *)in->src + in->pos, in->size - in->pos);
	result = __real_ZSTD_decompressStream(d, out, in);
	__msan_unpoison((uint8_t *)out->dst + from, out->pos - from);
	return result;
}

#define ZSTD_AT_ONCE(name, context) \
	WRAP(size_t, name, context *c, void *to, size_t room, const void *from, size_t size) \
	{ \
		size_t result; \
\
		__msan_check_mem_is_initialized(from, size); \
		result = __real_##name(c, to, room, from, size); \
		if (!ZSTD_isError(result)) \
			__msan_unpoison(to, result); \
		return result; \
	}
ZSTD_AT_ONCE(ZSTD_compress2, ZSTD_CCtx)
ZSTD_AT_ONCE(ZSTD_decompressDCtx, ZSTD_DCtx)

/* ---- deflate, by zlib or a library that is loaded ---- */

WRAP(bool, pp_deflate, struct pp_deflater *d, struct pp_deflating *some, enum pp_deflate_until until)
{
	uint8_t *const from = some->out;
	bool more;

	__msan_check_mem_is_initialized(some->in, some->n);
	more = __real_pp_deflate(d, some, until);
	FILLED(some);
	__msan_unpoison(from, (size_t)(some->out - from));
	return more;
}

/* ---- xxhash ---- */

#define HASH(type, name) \
	WRAP(type, name, const void *p, size_t n) \
	{ \
		__msan_check_mem_is_initialized(p, n); \
		return __real_##name(p, n); \
	}

#define HASH_SEEDED(type, name) \
	WRAP(type, name, const void *p, size_t n, XXH64_hash_t seed) \
	{ \
		__msan_check_mem_is_initialized(p, n); \
		return __real_##name(p, n, seed); \
	}

#define HASH_STREAM(name) \
	WRAP(XXH_errorcode, name, XXH3_state_t *s, const void *p, size_t n) \
	{ \
		__msan_check_mem_is_initialized(p, n); \
		return __real_##name(s, p, n); \
	}

HASH(XXH64_hash_t, XXH3_64bits)
HASH(XXH64_hash_t, XXH3_64bits_dispatch)
HASH(XXH128_hash_t, XXH3_128bits)
HASH_SEEDED(XXH64_hash_t, XXH3_64bits_withSeed)
HASH_SEEDED(XXH64_hash_t, XXH3_64bits_withSeed_dispatch)
HASH_SEEDED(XXH128_hash_t, XXH3_128bits_withSeed)
HASH_STREAM(XXH3_64bits_update)
HASH_STREAM(XXH3_64bits_update_dispatch)

/* ---- libelf ---- */

WRAP(Elf_Data *, elf32_xlatetom, Elf_Data *to, const Elf_Data *from, unsigned order)
{
	Elf_Data *result;

	__msan_check_mem_is_initialized(from->d_buf, from->d_size);
	result = __real_elf32_xlatetom(to, from, order);
	if (result)
		__msan_unpoison(to->d_buf, to->d_size);
	return result;
}

WRAP(Elf_Data *, elf64_xlatetom, Elf_Data *to, const Elf_Data *from, unsigned order)
{
	Elf_Data *result;

	__msan_check_mem_is_initialized(from->d_buf, from->d_size);
	result = __real_elf64_xlatetom(to, from, order);
	if (result)
		__msan_unpoison(to->d_buf, to->d_size);
	return result;
}

/* Who fills its last argument, and returns it, or NULL. */
#define FILLS(type, name, ...) \
	WRAP(type *, name, __VA_ARGS__, type *to) \
	{ \
		type *const result = __real_##name(FIRST_##name, to); \
\
		if (result) \
			__msan_unpoison(result, sizeof(*result)); \
		return result; \
	}
#define FIRST_gelf_getehdr elf
#define FIRST_gelf_getphdr elf, n
#define FIRST_gelf_getchdr section
#define FIRST_gelf_getshdr section
#define FIRST_gelf_getsym data, n
#define FIRST_gelf_getrel data, n
#define FIRST_gelf_getrela data, n
#define FIRST_dwarf_attr die, name
#define FIRST_dwarf_attr_integrate die, name
#define FIRST_dwarf_formref_die attribute
FILLS(GElf_Ehdr, gelf_getehdr, Elf *elf)
FILLS(GElf_Phdr, gelf_getphdr, Elf *elf, int n)
FILLS(GElf_Chdr, gelf_getchdr, Elf_Scn *section)
FILLS(GElf_Shdr, gelf_getshdr, Elf_Scn *section)
FILLS(GElf_Sym, gelf_getsym, Elf_Data *data, int n)
FILLS(GElf_Rel, gelf_getrel, Elf_Data *data, int n)
FILLS(GElf_Rela, gelf_getrela, Elf_Data *data, int n)
FILLS(Dwarf_Attribute, dwarf_attr, Dwarf_Die *die, unsigned name)
FILLS(Dwarf_Attribute, dwarf_attr_integrate, Dwarf_Die *die, unsigned name)
FILLS(Dwarf_Die, dwarf_formref_die, Dwarf_Attribute *attribute)

/* Who fills what its last argument points to, and returns 0. */
#define GIVES(name, from, type) \
	WRAP(int, name, from *of, type *to) \
	{ \
		const int result = __real_##name(of, to); \
\
		if (!result) \
			__msan_unpoison(to, sizeof(*to)); \
		return result; \
	}
GIVES(elf_getphdrnum, Elf, size_t)
GIVES(elf_getshdrnum, Elf, size_t)
GIVES(elf_getshdrstrndx, Elf, size_t)
GIVES(dwarf_child, Dwarf_Die, Dwarf_Die)
GIVES(dwarf_siblingof, Dwarf_Die, Dwarf_Die)
GIVES(dwarf_formudata, Dwarf_Attribute, Dwarf_Word)
GIVES(dwarf_formaddr, Dwarf_Attribute, Dwarf_Addr)
GIVES(dwarf_lowpc, Dwarf_Die, Dwarf_Addr)
GIVES(dwarf_lineno, Dwarf_Line, int)
GIVES(dwarf_lineaddr, Dwarf_Line, Dwarf_Addr)
GIVES(dwarf_lineendsequence, Dwarf_Line, bool)

/* Data of a section, which may be the library's own. */
#define DATA(name) \
	WRAP(Elf_Data *, name, Elf_Scn *section, Elf_Data *after) \
	{ \
		Elf_Data *const result = __real_##name(section, after); \
\
		if (result) { \
			__msan_unpoison(result, sizeof(*result)); \
			__msan_unpoison(result->d_buf, result->d_buf ? result->d_size : 0); \
		} \
		return result; \
	}
DATA(elf_getdata)
DATA(elf_rawdata)

/* Who returns a string, or NULL. */
#define TEXT(type, name, with, ...) \
	WRAP(type *, name, __VA_ARGS__) \
	{ \
		type *const text = __real_##name with; \
\
		if (text) \
			__msan_unpoison_string(text); \
		return text; \
	}
TEXT(char, elf_strptr, (elf, section, offset), Elf *elf, size_t section, size_t offset)
TEXT(const char, dwarf_formstring, (attribute), Dwarf_Attribute *attribute)
TEXT(const char, dwarf_diename, (die), Dwarf_Die *die)
TEXT(const char, dwarf_filesrc, (files, n, time, size), Dwarf_Files *files, size_t n, Dwarf_Word *time,
	Dwarf_Word *size)
TEXT(const char, dwarf_linesrc, (line, time, size), Dwarf_Line *line, Dwarf_Word *time, Dwarf_Word *size)

WRAP(const char *, dwelf_elf_gnu_debuglink, Elf *elf, GElf_Word *crc)
{
	const char *const name = __real_dwelf_elf_gnu_debuglink(elf, crc);

	if (name) {
		__msan_unpoison_string(name);
		__msan_unpoison(crc, sizeof(*crc));
	}
	return name;
}

/* ---- libdw ---- */

WRAP(int, dwarf_next_cfi, const unsigned char ident[], Elf_Data *data, bool eh, Dwarf_Off offset,
	Dwarf_Off *next, Dwarf_CFI_Entry *entry)
{
	const int result = __real_dwarf_next_cfi(ident, data, eh, offset, next, entry);

	__msan_unpoison(next, sizeof(*next));
	if (!result)
		__msan_unpoison(entry, sizeof(*entry));
	return result;
}

WRAP(int, dwarf_get_units, Dwarf *dwarf, Dwarf_CU *unit, Dwarf_CU **next, Dwarf_Half *version, uint8_t *type,
	Dwarf_Die *die, Dwarf_Die *below)
{
	const int result = __real_dwarf_get_units(dwarf, unit, next, version, type, die, below);

	if (result)
		return result;
	__msan_unpoison(next, sizeof(*next));
	FILLED(version);
	FILLED(type);
	FILLED(die);
	FILLED(below);
	return result;
}

WRAP(int, dwarf_cu_info, Dwarf_CU *unit, Dwarf_Half *version, uint8_t *type, Dwarf_Die *die, Dwarf_Die *below,
	uint64_t *id, uint8_t *address, uint8_t *width)
{
	const int result = __real_dwarf_cu_info(unit, version, type, die, below, id, address, width);

	if (result)
		return result;
	FILLED(version);
	FILLED(id);
	FILLED(address);
	FILLED(width);
	return result;
}

WRAP(int, dwarf_nextcu, Dwarf *dwarf, Dwarf_Off offset, Dwarf_Off *next, size_t *header,
	Dwarf_Off *abbreviations, uint8_t *address, uint8_t *width)
{
	const int result = __real_dwarf_nextcu(dwarf, offset, next, header, abbreviations, address, width);

	if (result)
		return result;
	__msan_unpoison(next, sizeof(*next));
	FILLED(header);
	FILLED(abbreviations);
	FILLED(address);
	FILLED(width);
	return result;
}

/* Who fills a list and its length. */
#define LISTS(name, type) \
	WRAP(int, name, Dwarf_Die *die, type **list, size_t *n) \
	{ \
		const int result = __real_##name(die, list, n); \
\
		if (!result) { \
			FILLED(list); \
			FILLED(n); \
		} \
		return result; \
	}
LISTS(dwarf_getsrcfiles, Dwarf_Files)
LISTS(dwarf_getsrclines, Dwarf_Lines)

WRAP(ptrdiff_t, dwarf_ranges, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *from,
	Dwarf_Addr *to)
{
	const ptrdiff_t result = __real_dwarf_ranges(die, at, base, from, to);

	if (result > 0) {
		__msan_unpoison(base, sizeof(*base));
		__msan_unpoison(from, sizeof(*from));
		__msan_unpoison(to, sizeof(*to));
	}
	return result;
}

/* Where a variable or a frame is: a list of operations. */
static void unpoison_location(Dwarf_Op **ops, size_t *n)
{
	__msan_unpoison(ops, sizeof(*ops));
	__msan_unpoison(n, sizeof(*n));
	__msan_unpoison(*ops, *n * sizeof(**ops));
}

WRAP(int, dwarf_getlocation, Dwarf_Attribute *attribute, Dwarf_Op **ops, size_t *n)
{
	const int result = __real_dwarf_getlocation(attribute, ops, n);

	if (!result)
		unpoison_location(ops, n);
	return result;
}

WRAP(ptrdiff_t, dwarf_getlocations, Dwarf_Attribute *attribute, ptrdiff_t at, Dwarf_Addr *base,
	Dwarf_Addr *from, Dwarf_Addr *to, Dwarf_Op **ops, size_t *n)
{
	const ptrdiff_t result = __real_dwarf_getlocations(attribute, at, base, from, to, ops, n);

	if (result > 0) {
		__msan_unpoison(base, sizeof(*base));
		__msan_unpoison(from, sizeof(*from));
		__msan_unpoison(to, sizeof(*to));
		unpoison_location(ops, n);
	}
	return result;
}

WRAP(int, dwarf_getlocation_attr, Dwarf_Attribute *attribute, const Dwarf_Op *op, Dwarf_Attribute *to)
{
	const int result = __real_dwarf_getlocation_attr(attribute, op, to);

	if (!result)
		__msan_unpoison(to, sizeof(*to));
	return result;
}

WRAP(int, dwarf_cfi_addrframe, Dwarf_CFI *cfi, Dwarf_Addr address, Dwarf_Frame **frame)
{
	const int result = __real_dwarf_cfi_addrframe(cfi, address, frame);

	if (!result)
		__msan_unpoison(frame, sizeof(*frame));
	return result;
}

WRAP(int, dwarf_frame_info, Dwarf_Frame *frame, Dwarf_Addr *from, Dwarf_Addr *to, bool *signal)
{
	const int result = __real_dwarf_frame_info(frame, from, to, signal);

	__msan_unpoison(from, sizeof(*from));
	__msan_unpoison(to, sizeof(*to));
	__msan_unpoison(signal, sizeof(*signal));
	return result;
}

WRAP(int, dwarf_frame_cfa, Dwarf_Frame *frame, Dwarf_Op **ops, size_t *n)
{
	const int result = __real_dwarf_frame_cfa(frame, ops, n);

	if (!result)
		unpoison_location(ops, n);
	return result;
}

/* ---- libdwfl ---- */

WRAP(const char *, dwfl_module_info, Dwfl_Module *module, void ***arg, Dwarf_Addr *from, Dwarf_Addr *to,
	Dwarf_Addr *dwarf_bias, Dwarf_Addr *symbol_bias, const char **file, const char **debug)
{
	const char *const name = __real_dwfl_module_info(module, arg, from, to, dwarf_bias, symbol_bias, file,
							 debug);

	if (!name)
		return NULL;
	FILLED(arg);
	FILLED(from);
	FILLED(to);
	FILLED(dwarf_bias);
	FILLED(symbol_bias);
	FILLED(file);
	FILLED(debug);
	return name;
}

/* It asks through callbacks, to which it gives what it has. */
WRAP(Dwarf *, dwfl_module_getdwarf, Dwfl_Module *module, Dwarf_Addr *bias)
{
	Dwarf *result;

	__msan_unpoison_param(8);
	result = __real_dwfl_module_getdwarf(module, bias);
	if (result)
		__msan_unpoison(bias, sizeof(*bias));
	return result;
}

/* ---- liblzma ---- */

WRAP(lzma_ret, lzma_code, lzma_stream *s, lzma_action action)
{
	uint8_t *const from = s->next_out;
	lzma_ret result;

	__msan_check_mem_is_initialized(s->next_in, s->avail_in);
	result = __real_lzma_code(s, action);
	__msan_unpoison(s, sizeof(*s));
	__msan_unpoison(from, (size_t)(s->next_out - from));
	return result;
}

/* ---- zlib ---- */

WRAP(int, inflate, z_stream *s, int flush)
{
	uint8_t *const from = s->next_out;
	int result;

	__msan_check_mem_is_initialized(s->next_in, s->avail_in);
	result = __real_inflate(s, flush);
	__msan_unpoison(s, sizeof(*s));
	__msan_unpoison(from, (size_t)(s->next_out - from));
	return result;
}

WRAP(int, deflate, z_stream *s, int flush)
{
	uint8_t *const from = s->next_out;
	int result;

	__msan_check_mem_is_initialized(s->next_in, s->avail_in);
	result = __real_deflate(s, flush);
	__msan_unpoison(s, sizeof(*s));
	__msan_unpoison(from, (size_t)(s->next_out - from));
	return result;
}

/* ---- libiberty ---- */

TEXT(char, dlang_demangle, (name, options), const char *name, int options)

/* What it has made is on its stack. */
struct piece { demangle_callbackref put; void *arg; };

__attribute__((no_sanitize("memory")))
static void put_piece(const char *text, size_t size, void *arg)
{
	const struct piece *const to = arg;

	__msan_unpoison(text, size);
	to->put(text, size, to->arg);
}

#define PIECES(name, with, ...) \
	WRAP(int, name, __VA_ARGS__, demangle_callbackref put, void *arg) \
	{ \
		struct piece piece = { put, arg }; \
\
		return __real_##name(with, put_piece, &piece); \
	}
#define BOTH mangled, options
PIECES(cplus_demangle_v3_callback, BOTH, const char *mangled, int options)
PIECES(rust_demangle_callback, BOTH, const char *mangled, int options)
