/* pack.c - numbers in as few bits as they need. */
#include "parquet/pack.h"
#include "base/byte_order.h"

#include <stdlib.h>
#include <string.h>

enum {
	GROUP     = 8,                /* numbers that are packed together */
	BLOCK     = 128,              /* differences that have a least one in common */
	MINIBLOCK = 32,               /* and those of one width */
	RUN_BITS  = 32,               /* a run of fewer bits is not worth the two heads that it takes */
};

static void store_low_first(uint8_t *p, uint64_t bits)
{
	pp_store_order64(p, bits, PP_HOST_BIG);
}

/* Eight numbers in `width` bytes; touches 8 bytes more. */
static uint8_t *put_group(uint8_t *p, const uint32_t *numbers, unsigned width)
{
	uint64_t bits = 0;
	unsigned used = 0;

	for (int i = 0; i < GROUP; i++) {
		bits |= (uint64_t)numbers[i] << used;
		used += width;
		if (used >= 32) {
			store_low_first(p, bits);
			p += 4;
			bits >>= 32;
			used -= 32;
		}
	}
	store_low_first(p, bits);
	return p + used / 8;
}

/* The last group is filled with zeros. */
static uint8_t *put_groups(uint8_t *p, const uint32_t *numbers, size_t n, unsigned width)
{
	uint32_t last[GROUP] = { 0 };

	for (; n >= GROUP; n -= GROUP, numbers += GROUP)
		p = put_group(p, numbers, width);
	if (!n)
		return p;
	memcpy(last, numbers, n * sizeof(*numbers));
	return put_group(p, last, width);
}

/* How many equal numbers there are from the start, of n. */
static size_t run_length(const uint32_t *numbers, size_t n)
{
	size_t i = 1;

	while (i < n && numbers[i] == numbers[0])
		i++;
	return i;
}

/* How many numbers are packed before a run is: whole groups, but for the last. */
static size_t packed_length(const uint32_t *numbers, size_t n, size_t least_run, size_t *run)
{
	size_t at = 0;

	for (*run = 0; at < n; at += GROUP) {
		if (n - at < least_run || numbers[at] != numbers[at + 1])
			continue;
		*run = run_length(numbers + at, n - at);
		if (*run >= least_run)
			return at;
		*run = 0;
	}
	return n;
}

static int pack_runs(struct pp_buffer *to, const uint32_t *numbers, size_t n, unsigned width,
		     struct pp_error *error)
{
	const size_t least_run = width * GROUP >= RUN_BITS ? GROUP : RUN_BITS / width;
	size_t run;
	/* a run takes no more than the group that it has at least, and two heads */
	uint8_t *p = pp_buffer_room(to, (n / GROUP + 2) * (width + 16), error);

	if (!p)
		return -1;
	for (size_t at = 0; at < n; at += run) {
		const size_t packed = packed_length(numbers + at, n - at, least_run, &run);

		if (packed)
			p = pp_put_varint(p, (packed + GROUP - 1) / GROUP << 1 | 1);
		p = put_groups(p, numbers + at, packed, width);
		at += packed;
		if (run) {
			p = pp_put_varint(p, (uint64_t)run << 1);
			store_low_first(p, numbers[at]);
			p += (width + 7) / 8;
		}
	}
	to->size = (size_t)(p - to->data);
	return 0;
}

/* ---- Lists ---- */

static void fill_numbers(uint32_t *to, uint32_t number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = number;
}

uint32_t *pp_pack_list_room(struct pack_list *list, size_t times, struct pp_error *error)
{
	if (PP_GROW(&list->items, &list->room, list->n + times, error))
		return NULL;
	if (!list->mixed)
		fill_numbers(list->items, list->first, list->n);
	list->mixed = true;
	return list->items + list->n;
}

int pp_pack_list_repeat(struct pack_list *list, uint32_t number, size_t times, struct pp_error *error)
{
	uint32_t *to;

	if (!list->n)
		list->first = number;
	if (list->mixed || number != list->first) {
		to = pp_pack_list_room(list, times, error);
		if (!to)
			return -1;
		fill_numbers(to, number, times);
	}
	list->n += times;
	return 0;
}

int pp_pack_list_put(struct pp_buffer *to, const struct pack_list *list, unsigned width,
		     struct pp_error *error)
{
	uint8_t *p;

	if (list->mixed || !list->n)
		return pack_runs(to, list->items, list->n, width, error);
	p = pp_buffer_room(to, 2 * PP_VARINT_MOST, error);
	if (!p)
		return -1;
	p = pp_put_varint(p, (uint64_t)list->n << 1);
	store_low_first(p, list->first);
	to->size = (size_t)(p + (width + 7) / 8 - to->data);
	return 0;
}

void pp_pack_list_close(struct pack_list *list)
{
	free(list->items);
	*list = (struct pack_list){ .n = 0 };
}

/* ---- Differences ---- */

/* Numbers of up to 64 bits, MINIBLOCK of them: 4 bytes for each bit of the width.  Touches 8 bytes more. */
static uint8_t *put_miniblock(uint8_t *p, const uint64_t *numbers, unsigned width)
{
	uint64_t bits = 0;
	unsigned used = 0;

	if (!width)
		return p;
	for (int i = 0; i < MINIBLOCK; i++) {
		bits |= numbers[i] << used;
		if (used + width >= 64) {
			store_low_first(p, bits);
			p += 8;
			bits = used ? numbers[i] >> (64 - used) : 0;
			used -= 64;           /* wraps, and the width makes it small again */
		}
		used += width;
	}
	store_low_first(p, bits);
	return p + used / 8;
}

/* A block: the least difference, the width of each miniblock, and the miniblocks.  Of the `differences` n are
 * meant; those after them are 0. */
static uint8_t *put_block(uint8_t *p, uint64_t differences[BLOCK], size_t n)
{
	int64_t least = INT64_MAX;
	uint8_t *widths;

	for (size_t i = 0; i < n; i++)
		least = (int64_t)differences[i] < least ? (int64_t)differences[i] : least;
	p = pp_put_varint(p, pp_zigzag(least));
	widths = p;
	p += BLOCK / MINIBLOCK;
	for (size_t at = 0; at < BLOCK; at += MINIBLOCK) {
		uint64_t any = 0;

		for (size_t i = at; i < at + MINIBLOCK && i < n; i++) {
			differences[i] -= (uint64_t)least;
			any |= differences[i];
		}
		*widths = (uint8_t)pp_bits(any);
		p = put_miniblock(p, differences + at, *widths++);
	}
	return p;
}

int pp_pack_deltas(struct pp_buffer *to, const int64_t *numbers, size_t n, struct pp_error *error)
{
	/* blocks are at most as long as their numbers, their widths and their least */
	uint8_t *p = pp_buffer_room(to, 64 + (n / BLOCK + 1) * (BLOCK * sizeof(*numbers) + 32), error);

	if (!p)
		return -1;
	p = pp_put_varint(p, BLOCK);
	p = pp_put_varint(p, BLOCK / MINIBLOCK);
	p = pp_put_varint(p, n);
	p = pp_put_varint(p, pp_zigzag(n ? numbers[0] : 0));
	for (size_t at = 1; at < n; at += BLOCK) {
		const size_t some = n - at < BLOCK ? n - at : BLOCK;
		uint64_t differences[BLOCK] = { 0 };

		/* they wrap, and back again when they are added up */
		for (size_t i = 0; i < some; i++)
			differences[i] = (uint64_t)numbers[at + i] - (uint64_t)numbers[at + i - 1];
		p = put_block(p, differences, some);
	}
	to->size = (size_t)(p - to->data);
	return 0;
}
