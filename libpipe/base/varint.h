/* varint.h - numbers in as few bytes as they need, 7 bits in each. */
#ifndef PP_VARINT_H
#define PP_VARINT_H

#include <stdint.h>

enum { PP_VARINT_MOST = 10 };         /* bytes of one number */

/* The lowest bits first.  Returns the end. */
static inline uint8_t *pp_put_varint(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* The same, in fewer steps where a number needs one byte as often as two.  The byte after its end may be
 * written, too. */
static inline uint8_t *pp_put_short_varint(uint8_t *to, uint64_t number)
{
	const unsigned two = number >= 0x80;

	if (number >= 0x4000)
		return pp_put_varint(to, number);
	to[0] = (uint8_t)(number | two << 7);
	to[1] = (uint8_t)(number >> 7);
	return to + 1 + two;
}

/* A small number for a small one, whatever its sign. */
static inline uint64_t pp_zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

#endif
