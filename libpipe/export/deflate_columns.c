/*
 * deflate_columns.c - raw deflate (RFC 1951) of columns of numbers, each written in the way that suits it: by
 * zlib, which finds what was there before; or, where that gains next to nothing, as bytes alone, of which the
 * frequent ones have short codes, in a tenth of the time.
 */
#include "export/deflate_columns.h"

#include "base/byte_order.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	END = 256,                    /* the symbol after the bytes of a block */
	SYMBOLS,
	LONGEST = 14,                 /* bits of a code: of 15 that may be, so that four are held at once */
	BLOCK = 1 << 16,              /* bytes that have codes of their own */
	HEAD = 1 << 11,               /* bits that codes take at the head of a block, and more */
	SAMPLE = 1 << 15,             /* bytes of a column on which both ways are tried */
};

/* ---- codes ---- */

static int rarest_first(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By Huffman: the two rarest become one, which is as frequent as both, until there is one.  The longest
 * code. */
static unsigned measure_codes(const uint32_t counts[SYMBOLS], uint8_t lengths[SYMBOLS])
{
	uint64_t leaves[SYMBOLS], sums[2 * SYMBOLS];
	uint16_t parents[2 * SYMBOLS];
	uint8_t depths[2 * SYMBOLS];
	size_t n = 0, leaf = 0, sum, made;

	for (size_t i = 0; i < SYMBOLS; i++)
		if (counts[i])
			leaves[n++] = (uint64_t)counts[i] << 16 | i;
	qsort(leaves, n, sizeof(*leaves), rarest_first);
	for (size_t i = 0; i < n; i++)
		sums[i] = leaves[i] >> 16;
	for (made = sum = n; made < 2 * n - 1; made++) {
		sums[made] = 0;
		for (unsigned i = 0; i < 2; i++) {
			const bool is_leaf = leaf < n && (sum == made || sums[leaf] <= sums[sum]);
			const size_t rarest = is_leaf ? leaf++ : sum++;

			sums[made] += sums[rarest];
			parents[rarest] = (uint16_t)made;
		}
	}
	depths[made - 1] = 0;
	for (size_t i = made - 1; i-- > 0;)
		depths[i] = (uint8_t)(depths[parents[i]] + 1);
	memset(lengths, 0, SYMBOLS);
	for (size_t i = 0; i < n; i++)
		lengths[leaves[i] & 0xffff] = depths[i];
	/* the rarest is as deep as any */
	return depths[0];
}

static void count_bytes(const uint8_t *bytes, size_t n, uint32_t counts[SYMBOLS])
{
	/* of the same bytes that follow each other, none waits for the one before */
	uint32_t other[3][256] = { { 0 } };
	size_t i = 0;

	memset(counts, 0, SYMBOLS * sizeof(*counts));
	for (; i + 4 <= n; i += 4) {
		counts[bytes[i]]++;
		other[0][bytes[i + 1]]++;
		other[1][bytes[i + 2]]++;
		other[2][bytes[i + 3]]++;
	}
	for (; i < n; i++)
		counts[bytes[i]]++;
	for (i = 0; i < 256; i++)
		counts[i] += other[0][i] + other[1][i] + other[2][i];
	counts[END] = 1;
}

/* How long the codes of some bytes are, and how many bits these take then. */
static uint64_t choose_lengths(const uint8_t *bytes, size_t n, uint8_t lengths[SYMBOLS])
{
	uint32_t counts[SYMBOLS], evened[SYMBOLS];
	uint64_t bits = 0;

	count_bytes(bytes, n, counts);
	memcpy(evened, counts, sizeof(evened));
	while (measure_codes(evened, lengths) > LONGEST)
		for (size_t i = 0; i < SYMBOLS; i++)
			evened[i] = evened[i] / 2 + evened[i] % 2;
	for (size_t i = 0; i < SYMBOLS; i++)
		bits += (uint64_t)counts[i] * lengths[i];
	return bits;
}

static uint32_t reversed(uint32_t code, unsigned length)
{
	uint32_t made = 0;

	for (; length; length--, code >>= 1)
		made = made << 1 | (code & 1);
	return made;
}

/* A code as it is written, below its length. */
struct codes {
	uint32_t of[SYMBOLS];
};

static void make_codes(struct codes *codes, const uint8_t lengths[SYMBOLS])
{
	uint32_t n[LONGEST + 1] = { 0 }, next[LONGEST + 1] = { 0 };

	for (size_t i = 0; i < SYMBOLS; i++)
		n[lengths[i]]++;
	n[0] = 0;
	for (unsigned i = 1; i <= LONGEST; i++)
		next[i] = (next[i - 1] + n[i - 1]) << 1;
	for (size_t i = 0; i < SYMBOLS; i++)
		codes->of[i] = lengths[i] ? reversed(next[lengths[i]]++, lengths[i]) |
					    (uint32_t)lengths[i] << 16 : 0;
}

/* ---- bits ---- */

struct bits {
	uint8_t *to;
	uint64_t held;
	unsigned n;                   /* of those that are held, at most 7 after put_held() */
};

static inline void hold_bits(struct bits *b, uint64_t value, unsigned n)
{
	b->held |= value << b->n;
	b->n += n;
}

/* Writes eight bytes, of which those count that are full. */
static inline void put_held(struct bits *b)
{
	pp_store_order64(b->to, b->held, PP_HOST_BIG);
	b->to += b->n / 8;
	b->held >>= b->n & ~7u;
	b->n &= 7;
}

static void put_bits(struct bits *b, uint64_t value, unsigned n)
{
	hold_bits(b, value, n);
	put_held(b);
}

/* ---- bytes alone ---- */

/* The lengths of codes have codes themselves: four bits each, of those that there are, 0 to 15. */
static void put_lengths(struct bits *b, const uint8_t lengths[SYMBOLS])
{
	put_bits(b, 2 << 1, 3);       /* not the last block, with codes of its own */
	put_bits(b, SYMBOLS - 257, 5);
	put_bits(b, 2 - 1, 5);        /* distances, which all decoders want to have codes */
	put_bits(b, 19 - 4, 4);
	put_bits(b, 0, 3 * 3);        /* repeats are not used */
	for (unsigned i = 0; i < 16; i++)
		put_bits(b, 4, 3);
	for (unsigned i = 0; i < SYMBOLS; i++)
		put_bits(b, reversed(lengths[i], 4), 4);
	put_bits(b, reversed(1, 4), 4);
	put_bits(b, reversed(1, 4), 4);
}

static void put_block(struct bits *b, const uint8_t *bytes, size_t n, const uint8_t lengths[SYMBOLS])
{
	struct codes codes;
	size_t i = 0;

	make_codes(&codes, lengths);
	put_lengths(b, lengths);
	for (; i + 4 <= n; i += 4) {
		for (unsigned k = 0; k < 4; k++)
			hold_bits(b, codes.of[bytes[i + k]] & 0xffff, codes.of[bytes[i + k]] >> 16);
		put_held(b);
	}
	for (; i < n; i++)
		put_bits(b, codes.of[bytes[i]] & 0xffff, codes.of[bytes[i]] >> 16);
	put_bits(b, codes.of[END] & 0xffff, codes.of[END] >> 16);
}

static int add_bytes_alone(const struct pp_buffer *column, size_t most, struct pp_buffer *to,
			   struct pp_error *error)
{
	struct bits b = { .n = 0 };

	for (size_t at = 0; at < column->size && to->size <= most; at += BLOCK) {
		const size_t n = column->size - at < BLOCK ? column->size - at : BLOCK;
		uint8_t lengths[SYMBOLS];
		const uint64_t bits = choose_lengths(column->data + at, n, lengths);

		b.to = pp_buffer_room(to, (bits + HEAD) / 8 + 2 * sizeof(b.held), error);
		if (!b.to)
			return -1;
		put_block(&b, column->data + at, n, lengths);
		to->size = (size_t)(b.to - to->data);
	}
	/* a block of no bytes, as they are, ends at a full byte: its length, and this inverted */
	b.to = pp_buffer_room(to, 3 * sizeof(b.held), error);
	if (!b.to)
		return -1;
	put_bits(&b, 0, 3);
	put_bits(&b, 0, (8 - b.n) % 8);
	put_bits(&b, 0xffff0000, 32);
	to->size = (size_t)(b.to - to->data);
	return 0;
}

/* ---- what was there before ---- */

/* It ends at a full byte. */
static int add_matched(z_stream *z, uint8_t *bytes, size_t n, size_t most, struct pp_buffer *to,
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

/* Whether it makes a column smaller than bytes alone, by a part that is worth the time: 1, 0, or -1 and
 * *error. */
static int gains_by_matches(z_stream *z, const struct pp_buffer *column, struct pp_buffer *to,
			    struct pp_error *error)
{
	const size_t before = to->size;
	uint8_t *const some = column->data + column->size / 2;
	uint8_t lengths[SYMBOLS];
	uint64_t matched, alone;

	if (column->size < 2 * SAMPLE)
		return 1;
	if (add_matched(z, some, SAMPLE, SIZE_MAX / 2, to, error))
		return -1;
	matched = to->size - before;
	to->size = before;
	alone = choose_lengths(some, SAMPLE, lengths) / 8;
	return matched < alone - alone / 32;
}

static int add_column(z_stream *z, const struct pp_buffer *column, size_t most, struct pp_buffer *to,
		      struct pp_error *error)
{
	const int matches = gains_by_matches(z, column, to, error);

	return matches < 0 ? -1 : matches ? add_matched(z, column->data, column->size, most, to, error) :
					    add_bytes_alone(column, most, to, error);
}

int pp_deflate_columns(const struct pp_buffer *columns, size_t n, size_t most, struct pp_buffer *to,
		       struct pp_error *error)
{
	static const uint8_t end[] = { 3, 0 };  /* a last block of nothing, by codes that are known */
	z_stream z = { .next_in = NULL };
	size_t size = sizeof(end);
	int status = 0;

	for (size_t i = 0; i < n; i++)
		size += columns[i].size;
	to->size = 0;
	if (!pp_buffer_room(to, size < most ? size : most, error))
		return -1;
	if (deflateInit2(&z, 4, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < n && !status && to->size <= most; i++)
		if (columns[i].size)
			status = add_column(&z, &columns[i], most, to, error);
	deflateEnd(&z);
	return status ? status : pp_buffer_add(to, end, sizeof(end), error);
}
