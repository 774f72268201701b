/* byte_order.h - integers in the byte order of a stream, which may not be the host's, and of widths that
 * are known only at run time: 1, 2, 4 or 8 bytes. */
#ifndef BYTE_ORDER_H
#define BYTE_ORDER_H

#include <perfpipe/bytes.h>

#include <stdbool.h>

enum { PP_HOST_BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline uint16_t pp_order16(uint16_t v, bool foreign)
{
	return foreign ? __builtin_bswap16(v) : v;
}
static inline uint32_t pp_order32(uint32_t v, bool foreign)
{
	return foreign ? __builtin_bswap32(v) : v;
}
static inline uint64_t pp_order64(uint64_t v, bool foreign)
{
	return foreign ? __builtin_bswap64(v) : v;
}

static inline uint16_t pp_in_order16(const void *p, bool foreign)
{
	return pp_order16(pp_load16(p), foreign);
}
static inline uint32_t pp_in_order32(const void *p, bool foreign)
{
	return pp_order32(pp_load32(p), foreign);
}
static inline uint64_t pp_in_order64(const void *p, bool foreign)
{
	return pp_order64(pp_load64(p), foreign);
}

static inline void pp_store_order16(void *p, uint16_t v, bool foreign)
{
	pp_store16(p, pp_order16(v, foreign));
}
static inline void pp_store_order32(void *p, uint32_t v, bool foreign)
{
	pp_store32(p, pp_order32(v, foreign));
}
static inline void pp_store_order64(void *p, uint64_t v, bool foreign)
{
	pp_store64(p, pp_order64(v, foreign));
}

static inline uint64_t pp_load_width(const void *p, size_t width)
{
	return width == 8 ? pp_load64(p) : width == 4 ? pp_load32(p) : width == 2 ? pp_load16(p) :
	       *(const uint8_t *)p;
}
static inline void pp_store_width(void *p, size_t width, uint64_t v)
{
	if (width == 8)
		pp_store64(p, v);
	else if (width == 4)
		pp_store32(p, (uint32_t)v);
	else if (width == 2)
		pp_store16(p, (uint16_t)v);
	else
		*(uint8_t *)p = (uint8_t)v;
}
static inline uint64_t pp_swap_width(uint64_t v, size_t width)
{
	return width < 2 ? v : __builtin_bswap64(v) >> (64 - 8 * width);
}

#endif
