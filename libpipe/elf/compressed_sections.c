/* compressed_sections.c - expands them, by zlib and by zstd, which libelf of 2022 does not know. */
#include "elf/elf_reader.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/byte_order.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Before the standard: "ZLIB", and the size, its highest byte first. */
enum { OLD_HEADER = 12 };

int pp_elf_packed(const struct pp_elf_reader *elf, const struct pp_elf_section *s, struct pp_elf_packed *is)
{
	uint8_t h[sizeof(Elf64_Chdr)] = { 0 };
	const uint32_t header = elf->wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	const bool old = !strncmp(pp_elf_section_name(elf, s), ".zdebug_", 8);
	int64_t n;
	uint32_t how;

	*is = (struct pp_elf_packed){ .how = PP_ELF_PLAIN };
	if (s->type == SHT_NOBITS || (!(s->flags & SHF_COMPRESSED) && !old))
		return 0;
	n = pp_elf_source_read(&elf->from, h, sizeof(h), s->offset);
	if (n < 0)
		return -1;
	is->how = PP_ELF_UNKNOWN;
	if (s->size < OLD_HEADER || (uint64_t)n < header)
		return 0;
	if (!(s->flags & SHF_COMPRESSED)) {
		*is = memcmp(h, "ZLIB", 4) ? (struct pp_elf_packed){ .how = PP_ELF_PLAIN } :
		      (struct pp_elf_packed){ PP_ELF_ZLIB, pp_in_order64(h + 4, !PP_HOST_BIG), s->align,
					      OLD_HEADER };
		return 0;
	}
	how = pp_in_order32(h, elf->foreign);
	is->how = how == ELFCOMPRESS_ZLIB ? PP_ELF_ZLIB : how == ELFCOMPRESS_ZSTD ? PP_ELF_ZSTD :
		  PP_ELF_UNKNOWN;
	is->size = elf->wide ? pp_in_order64(h + offsetof(Elf64_Chdr, ch_size), elf->foreign) :
			       pp_in_order32(h + offsetof(Elf32_Chdr, ch_size), elf->foreign);
	is->align = elf->wide ? pp_in_order64(h + offsetof(Elf64_Chdr, ch_addralign), elf->foreign) :
				pp_in_order32(h + offsetof(Elf32_Chdr, ch_addralign), elf->foreign);
	is->header = header;
	return 0;
}

static int by_zlib(const void *packed, size_t n, void *to, size_t size)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)packed };
	uint8_t *out = to;
	int status = inflateInit(&stream);

	if (status != Z_OK) {
		errno = ENOMEM;
		return -1;
	}
	while (status == Z_OK) {
		/* its counts have 32 bits */
		if (!stream.avail_in) {
			stream.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
			n -= stream.avail_in;
		}
		if (!stream.avail_out) {
			stream.next_out = out;
			stream.avail_out = size < UINT_MAX ? (uInt)size : UINT_MAX;
			out += stream.avail_out;
			size -= stream.avail_out;
		}
		if (!stream.avail_in || !stream.avail_out)
			break;
		status = inflate(&stream, Z_NO_FLUSH);
		/* several streams may follow each other */
		if (status == Z_STREAM_END && (stream.avail_out || size))
			status = inflateReset(&stream);
	}
	n = stream.avail_out + size;
	(void)inflateEnd(&stream);
	if (status != Z_MEM_ERROR)
		return !n && (status == Z_OK || status == Z_STREAM_END);
	errno = ENOMEM;
	return -1;
}

/* With the whole of both sides at hand it needs no window. */
static int by_zstd(const void *packed, size_t n, void *to, size_t size)
{
	ZSTD_DCtx *const context = ZSTD_createDCtx();
	const size_t got = context ? ZSTD_decompressDCtx(context, to, size, packed, n) : 0;
	const bool lacking = !context || (ZSTD_isError(got) &&
					  ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation);

	ZSTD_freeDCtx(context);
	if (!lacking)
		return got == size;
	errno = ENOMEM;
	return -1;
}

int pp_elf_expand(enum pp_elf_packing how, const void *packed, size_t n, void *to, size_t size)
{
	return how == PP_ELF_ZLIB ? by_zlib(packed, n, to, size) :
	       how == PP_ELF_ZSTD ? by_zstd(packed, n, to, size) : 0;
}

uint64_t pp_machine_memory(void)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_C(1) << 30;
}

uint64_t pp_elf_expansion_most(const struct pp_elf_reader *elf)
{
	enum { LEAST = 16 << 20, FOLD = 32 };
	const uint64_t memory = pp_machine_memory() / 4, size = elf->from.size;
	const uint64_t most = size < (UINT64_MAX - LEAST) / FOLD ? LEAST + FOLD * size : UINT64_MAX;

	return most < memory ? most : memory;
}
