/* pack.h - numbers in as few bits as they need: Parquet's RLE/bit-packing hybrid and DELTA_BINARY_PACKED. */
#ifndef PACK_H
#define PACK_H

#include "base/array.h"
#include "base/varint.h"

#include <stdbool.h>

/* Bits that a number needs: 0 for 0. */
static inline unsigned pp_bits(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Adds n numbers as the differences from one to the next.  0, or -1 and *error: out of memory. */
int pp_pack_deltas(struct pp_buffer *, const int64_t *numbers, size_t n, struct pp_error *);

/* Numbers that wait to be packed, which take no room for as long as all are equal.  All zero is empty. */
struct pack_list {
	uint32_t *items;              /* once they are not: `mixed` */
	size_t n, room;
	uint32_t first;
	bool mixed;
};

/* Where `times` more numbers may go, which ->n does not count yet.  NULL and *error: out of memory. */
uint32_t *pp_pack_list_room(struct pack_list *, size_t times, struct pp_error *);
/* Adds a number so many times.  0, or -1 and *error: out of memory. */
int pp_pack_list_repeat(struct pack_list *, uint32_t number, size_t times, struct pp_error *);
/* Packs them, which have `width` bits, 1 to 32, as runs of equal ones and groups of eight.  0, or -1 and
 * *error: out of memory. */
int pp_pack_list_put(struct pp_buffer *, const struct pack_list *, unsigned width, struct pp_error *);
void pp_pack_list_close(struct pack_list *);

static inline void pp_pack_list_clear(struct pack_list *list)
{
	list->n = 0;
	list->mixed = false;
}
static inline uint32_t pp_pack_list_at(const struct pack_list *list, size_t i)
{
	return list->mixed ? list->items[i] : list->first;
}

#endif
