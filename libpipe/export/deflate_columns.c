/*
 * deflate_columns.c - raw deflate (RFC 1951) of columns of numbers, each in the way that suits it: with what
 * was there before, or, where that gains next to nothing, as bytes alone, which takes a part of the time.
 */
#include "export/deflate_columns.h"

#include <string.h>
#include <zlib.h>

enum {
	SAMPLE = 1 << 15,             /* bytes of a column on which both ways are tried */
	LEVEL = 4,
};

enum deflate_way { MATCHES, ALONE, WAYS };

/* Adds some bytes, which end at a full one. */
static int add_bytes(z_stream *z, uint8_t *bytes, size_t n, size_t most, struct pp_buffer *to,
		     struct pp_error *error)
{
	const size_t bound = deflateBound(z, n) + 16, left = most - to->size + 1;
	const size_t room = bound < left ? bound : left;
	int status;

	if (n > UINT32_MAX / 2 || deflateReset(z) != Z_OK)
		return pp_fail(error, PP_E_NOMEM, NULL);
	z->next_out = pp_buffer_room(to, room, error);
	if (!z->next_out)
		return -1;
	z->avail_out = (uInt)room;
	z->next_in = bytes;
	z->avail_in = (uInt)n;
	status = deflate(z, Z_SYNC_FLUSH);
	to->size += room - z->avail_out;
	return status == Z_OK || status == Z_BUF_ERROR ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* Matches have to make the middle of a column smaller by a part that is worth the time. */
static int choose_way(z_stream z[WAYS], const struct pp_buffer *column, struct pp_buffer *to,
		      enum deflate_way *way, struct pp_error *error)
{
	const size_t before = to->size;
	size_t sizes[WAYS];

	*way = MATCHES;
	if (column->size < 2 * SAMPLE)
		return 0;
	for (unsigned i = 0; i < WAYS; i++) {
		if (add_bytes(&z[i], column->data + column->size / 2, SAMPLE, SIZE_MAX / 2, to, error))
			return -1;
		sizes[i] = to->size - before;
		to->size = before;
	}
	*way = sizes[MATCHES] < sizes[ALONE] - sizes[ALONE] / 32 ? MATCHES : ALONE;
	return 0;
}

static int add_columns(z_stream z[WAYS], const struct pp_buffer *columns, size_t n, size_t most,
		       struct pp_buffer *to, struct pp_error *error)
{
	enum deflate_way way;

	for (size_t i = 0; i < n && to->size <= most; i++)
		if (columns[i].size &&
		    (choose_way(z, &columns[i], to, &way, error) ||
		     add_bytes(&z[way], columns[i].data, columns[i].size, most, to, error)))
			return -1;
	return 0;
}

int pp_deflate_columns(const struct pp_buffer *columns, size_t n, size_t most, struct pp_buffer *to,
		       struct pp_error *error)
{
	static const int strategies[WAYS] = { [MATCHES] = Z_DEFAULT_STRATEGY, [ALONE] = Z_HUFFMAN_ONLY };
	static const uint8_t end[] = { 3, 0 };  /* a last block of nothing */
	z_stream z[WAYS] = { { .next_in = NULL } };
	size_t size = sizeof(end);
	unsigned ready = 0;
	int status;

	for (size_t i = 0; i < n; i++)
		size += columns[i].size;
	to->size = 0;
	if (!pp_buffer_room(to, size < most ? size : most, error))
		return -1;
	while (ready < WAYS && deflateInit2(&z[ready], LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
					    strategies[ready]) == Z_OK)
		ready++;
	status = ready < WAYS ? pp_fail(error, PP_E_NOMEM, NULL) :
				add_columns(z, columns, n, most, to, error);
	while (ready)
		deflateEnd(&z[--ready]);
	return status ? status : pp_buffer_add(to, end, sizeof(end), error);
}
