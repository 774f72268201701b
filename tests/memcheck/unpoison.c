/* unpoison.c - tells MemorySanitizer what the libraries that are not built with it fill, and asks it
 * whether what they are given has been filled; linked into the tools by `make memcheck` only, with
 * --wrap for each function here.
 */
#include <sanitizer/msan_interface.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <xxhash.h>
#include <zstd.h>

#define WRAP(type, name, ...) \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

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

/* ---- xxhash ---- */

#define HASH(type, name) \
	WRAP(type, name, const void *p, size_t n) \
	{ \
		__msan_check_mem_is_initialized(p, n); \
		return __real_##name(p, n); \
	}

#define HASH_SEEDED(name) \
	WRAP(XXH64_hash_t, name, const void *p, size_t n, XXH64_hash_t seed) \
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
HASH_SEEDED(XXH3_64bits_withSeed)
HASH_SEEDED(XXH3_64bits_withSeed_dispatch)
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
