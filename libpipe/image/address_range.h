/* address_range.h - stretches of addresses, or offsets, of which all the same is known: an answer for
 * one of them is an answer for the others. */
#ifndef PP_ADDRESS_RANGE_H
#define PP_ADDRESS_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pp_address_range { uint64_t first, last; };     /* both are in it */

static const struct pp_address_range pp_everywhere = { 0, UINT64_MAX };

static inline bool pp_is_within(const struct pp_address_range *e, uint64_t address)
{
	return address >= e->first && address <= e->last;
}
/* Leaves what is neither before `first` nor after `last`. */
static inline void pp_narrow(struct pp_address_range *e, uint64_t first, uint64_t last)
{
	e->first = first > e->first ? first : e->first;
	e->last = last < e->last ? last : e->last;
}
/* Leaves what is the same around `at` as `like` is around `address`. */
static inline void pp_narrow_like(struct pp_address_range *e, uint64_t at,
				  const struct pp_address_range *like, uint64_t address)
{
	const uint64_t before = address - like->first, after = like->last - address;

	pp_narrow(e, before < at ? at - before : 0, after < UINT64_MAX - at ? at + after : UINT64_MAX);
}

/*
 * Of n structs of `size` bytes that begin with a start and an end, which is after the last, and ascend by
 * start: the one that begins last before an address and has it, where fewer than `back` begin later; NULL:
 * none.  *same is narrowed to the addresses that the answer holds for.
 */
const void *pp_around(const void *items, size_t n, size_t size, size_t back, uint64_t address,
		      struct pp_address_range *same);

#endif
