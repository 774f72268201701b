/* bytes.h - loads and stores that need no alignment, and the one bounds check. */
#ifndef PERFPIPE_BYTES_H
#define PERFPIPE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint16_t pp_load16(const void *p) { uint16_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline uint32_t pp_load32(const void *p) { uint32_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline uint64_t pp_load64(const void *p) { uint64_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline void pp_store16(void *p, uint16_t v) { memcpy(p, &v, sizeof(v)); }
static inline void pp_store32(void *p, uint32_t v) { memcpy(p, &v, sizeof(v)); }
static inline void pp_store64(void *p, uint64_t v) { memcpy(p, &v, sizeof(v)); }

/* THE bounds check: do `need` bytes fit in the `have` that are left?  Every number found in the
 * input is checked by this, or by pp_fits_n, before it is used. */
static inline bool pp_fits(uint64_t need, uint64_t have) { return need <= have; }
/* The same for `n` elements of `width` bytes, without a product that could overflow. */
static inline bool pp_fits_n(uint64_t n, uint64_t width, uint64_t have)
{
	return !width || n <= have / width;
}
static inline uint64_t pp_align8(uint64_t n) { return (n + 7) & ~UINT64_C(7); }

#ifdef __cplusplus
}
#endif

#endif
