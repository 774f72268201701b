/* pack.h - numbers in as few bits as they need: Parquet's RLE/bit-packing hybrid and DELTA_BINARY_PACKED. */
#ifndef PACK_H
#define PACK_H

#include "base/array.h"

#include <stdint.h>

/* 7 bits a byte, the lowest first; at most 10 bytes.  Returns the end. */
static inline uint8_t *pp_put_varint(uint8_t *p, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*p++ = (uint8_t)(number | 0x80);
	*p++ = (uint8_t)number;
	return p;
}
static inline uint64_t pp_zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}
/* Bits that a number needs: 0 for 0. */
static inline unsigned pp_bits(uint64_t number)
{
	return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* Adds n numbers of `width` bits, 1 to 32, as runs of equal ones and groups of eight.  0, or -1
 * and *error: out of memory. */
int pp_pack_runs(struct pp_buffer *, const uint32_t *numbers, size_t n, unsigned width, struct pp_error *);
/* Adds n numbers as the differences from one to the next.  0, or -1 and *error: out of memory. */
int pp_pack_deltas(struct pp_buffer *, const int64_t *numbers, size_t n, struct pp_error *);

#endif
