/* decompress.c - unpacks by liblzma, libzstd and zlib, within bounds. */
#include "image/decompress.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/spool.h"
#include "elf/elf_reader.h"
#include "elf/elfutils.h"
#include "elf/build_id.h"

enum { PIECE = 1 << 18, WINDOW_MOST = 27 };     /* bytes at a time; log2 of what zstd may look back */

/* A packer: how what it writes begins, and its end. */
static int unpack_xz(const void *, size_t, size_t most, struct pp_buffer *);
static int unpack_zstd(const void *, size_t, size_t most, struct pp_buffer *);
static int unpack_gzip(const void *, size_t, size_t most, struct pp_buffer *);
static const struct packer {
	uint8_t begins[6], n;
	int (*unpack)(const void *, size_t, size_t most, struct pp_buffer *);
} packers[] = {
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, unpack_xz },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, unpack_zstd },
	{ { 0x1f, 0x8b, 8 }, 3, unpack_gzip },
};

static const struct packer *packer_of(const void *packed, size_t size)
{
	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++)
		if (size >= packers[i].n && !memcmp(packed, packers[i].begins, packers[i].n))
			return &packers[i];
	return NULL;
}

/* Room for the next piece; NULL: memory, or *full: it is too much. */
static void *room_for(struct pp_buffer *to, size_t most, bool *full)
{
	*full = to->size > most;
	return *full ? NULL : pp_buffer_room(to, PIECE, NULL);
}

static int unpack_xz(const void *packed, size_t size, size_t most, struct pp_buffer *to)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct pp_error missing;
	lzma_ret status = pp_elfutils_load(&missing) ? LZMA_PROG_ERROR :
			  lzma_stream_decoder(&stream, most, 0);
	bool full = false;

	stream.next_in = packed;
	stream.avail_in = size;
	while (status == LZMA_OK) {
		stream.next_out = room_for(to, most, &full);
		stream.avail_out = PIECE;
		if (!stream.next_out)
			break;
		status = lzma_code(&stream, LZMA_FINISH);
		to->size += PIECE - stream.avail_out;
	}
	lzma_end(&stream);
	if (status == LZMA_STREAM_END)
		return 1;
	return status == LZMA_MEM_ERROR || (status == LZMA_OK && !full) ? -1 : 0;
}

static int unpack_zstd(const void *packed, size_t size, size_t most, struct pp_buffer *to)
{
	ZSTD_DCtx *const context = ZSTD_createDCtx();
	ZSTD_inBuffer in = { packed, size, 0 };
	size_t left = context ? ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_MOST) : 0;
	bool full = false, some = true;
	int got = context ? 1 : -1;

	/* there may be several frames; what is cut leaves something to come, and nothing comes */
	while (got > 0 && !ZSTD_isError(left) && (in.pos < in.size || (left && some))) {
		ZSTD_outBuffer out = { room_for(to, most, &full), PIECE, 0 };

		if (!out.dst) {
			got = full ? 0 : -1;
			break;
		}
		left = ZSTD_decompressStream(context, &out, &in);
		some = out.pos > 0;
		to->size += out.pos;
	}
	ZSTD_freeDCtx(context);
	if (got > 0 && ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
		return -1;
	return got <= 0 ? got : !left;
}

static int unpack_gzip(const void *packed, size_t size, size_t most, struct pp_buffer *to)
{
	enum { GZIP = 16 };
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)size };
	int status = size > UINT_MAX ? Z_DATA_ERROR : inflateInit2(&stream, GZIP + MAX_WBITS);
	const bool begun = status == Z_OK;
	bool full = false;

	while (status == Z_OK) {
		stream.next_out = room_for(to, most, &full);
		stream.avail_out = PIECE;
		if (!stream.next_out)
			break;
		status = inflate(&stream, Z_NO_FLUSH);
		to->size += PIECE - stream.avail_out;
	}
	if (begun)
		(void)inflateEnd(&stream);
	return status == Z_STREAM_END ? 1 : status == Z_MEM_ERROR || (status == Z_OK && !full) ? -1 : 0;
}

bool pp_is_packed(const void *packed, size_t size)
{
	return packer_of(packed, size) != NULL;
}

int pp_unpack(const void *packed, size_t size, size_t most, struct pp_buffer *to)
{
	const struct packer *const packer = packer_of(packed, size);
	const int got = packer ? packer->unpack(packed, size, most, to) : 0;

	if (got < 0)
		errno = ENOMEM;
	return got;
}

static int id_of_unpacked(const void *packed, size_t size, struct pp_id *id)
{
	struct pp_buffer bytes = { .size = 0 };
	int got = pp_unpack(packed, size, PP_UNPACKED_MOST, &bytes);

	if (got > 0)
		got = pp_elf_build_id_of(bytes.data, bytes.size, id->bytes, &id->size);
	pp_buffer_free(&bytes);
	return got;
}

/* Read, not mapped: another user may cut it meanwhile. */
int pp_unpacked_build_id(int fd, struct pp_id *id)
{
	int got = pp_elf_read_build_id(fd, id->bytes, &id->size);
	struct pp_elf_reader packed = { .ident = { 0 } };
	uint8_t begins[8] = { 0 }, *bytes;
	size_t n;

	if (got != PP_ELF_NONE)
		return got;
	if (pp_read_up_to(fd, begins, sizeof(begins), 0) < 0 || pp_elf_source_of(&packed.from, fd))
		return -1;
	if (!pp_is_packed(begins, sizeof(begins)))
		return got;
	bytes = pp_elf_bytes(&packed, 0, packed.from.size, pp_machine_memory() / 4, &n);
	if (!bytes)
		return errno ? -1 : PP_ELF_NONE;
	got = id_of_unpacked(bytes, n, id);
	free(bytes);
	return got;
}
