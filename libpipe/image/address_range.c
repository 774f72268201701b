/* address_range.c - which of many stretches an address is in, and how far the answer holds. */
#include "image/address_range.h"

#include "base/hash.h"

struct stretch { uint64_t start, end; };

const void *pp_around(const void *items, size_t n, size_t size, size_t back, uint64_t address,
		      struct pp_address_range *same)
{
	const size_t after = pp_after(items, n, size, address);
	const char *const begin = items, *const next = n ? begin + after * size : begin;

	if (after < n)
		pp_narrow(same, 0, ((const struct stretch *)(const void *)next)->start - 1);
	for (size_t i = 1; i <= after && i <= back; i++) {
		const struct stretch *const s = (const void *)(next - i * size);

		/* those that begin later lie before the address, or there were an answer */
		pp_narrow(same, i == 1 ? s->start : 0, UINT64_MAX);
		if (address < s->end) {
			pp_narrow(same, 0, s->end - 1);
			return s;
		}
		pp_narrow(same, s->end, UINT64_MAX);
	}
	return NULL;
}
