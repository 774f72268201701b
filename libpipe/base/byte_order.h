/* byte_order.h - integers in the byte order of a stream, which may not be the host's. */
#ifndef BYTE_ORDER_H
#define BYTE_ORDER_H

#include <perfpipe/bytes.h>

#include <stdbool.h>

static inline uint16_t pp_in_order16(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap16(pp_load16(p)) : pp_load16(p);
}
static inline uint32_t pp_in_order32(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap32(pp_load32(p)) : pp_load32(p);
}
static inline uint64_t pp_in_order64(const void *p, bool foreign)
{
	return foreign ? __builtin_bswap64(pp_load64(p)) : pp_load64(p);
}

static inline void pp_store_order16(void *p, uint16_t v, bool foreign)
{
	pp_store16(p, pp_in_order16(&v, foreign));
}
static inline void pp_store_order32(void *p, uint32_t v, bool foreign)
{
	pp_store32(p, pp_in_order32(&v, foreign));
}
static inline void pp_store_order64(void *p, uint64_t v, bool foreign)
{
	pp_store64(p, pp_in_order64(&v, foreign));
}

#endif
