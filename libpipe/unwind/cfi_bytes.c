/* cfi_bytes.c - numbers in call frame information, front to end. */
#include "unwind/cfi.h"

#include "base/byte_order.h"

uint64_t pp_unwind_cfi_number(struct cfi_bytes *b, unsigned width)
{
	uint64_t value = 0;
	const uint8_t *const at = b->at;

	if (b->over || !pp_fits(width, (uint64_t)(b->end - at))) {
		b->over = true;
		return 0;
	}
	b->at += width;
	switch (width) {
	case 1:
		return *at;
	case 2:
		return pp_in_order16(at, b->foreign);
	case 4:
		return pp_in_order32(at, b->foreign);
	case 8:
		return pp_in_order64(at, b->foreign);
	}
	/* 3 bytes of DW_CFA_MIPS_advance_loc and the like */
	b->over = true;
	return value;
}

int64_t pp_unwind_cfi_signed(struct cfi_bytes *b, unsigned width)
{
	const uint64_t value = pp_unwind_cfi_number(b, width);
	const unsigned unused = 64 - 8 * width;

	return (int64_t)(value << unused) >> unused;
}

uint64_t pp_unwind_cfi_uleb(struct cfi_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		const uint64_t byte = pp_unwind_cfi_number(b, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

int64_t pp_unwind_cfi_sleb(struct cfi_bytes *b)
{
	uint64_t value = 0;

	for (unsigned shift = 0;;) {
		const uint64_t byte = pp_unwind_cfi_number(b, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
}

void pp_unwind_cfi_skip(struct cfi_bytes *b, uint64_t n)
{
	if (b->over || !pp_fits(n, (uint64_t)(b->end - b->at)))
		b->over = true;
	else
		b->at += n;
}
