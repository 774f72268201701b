/* pack.h - numbers in as few bits as they need: Parquet's RLE/bit-packing hybrid and DELTA_BINARY_PACKED. */
#ifndef PACK_H
#define PACK_H

#include "base/array.h"
#include "base/varint.h"

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
