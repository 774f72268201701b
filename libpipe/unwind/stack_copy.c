/* stack_copy.c - reads what was copied of a stack, and notes where more of it would have been needed. */
#include "unwind/unwind_step.h"

enum { PAGE = 4096 };                 /* all pages are of a multiple of it */

bool pp_unwind_dump_read(struct dump *d, uint64_t address, unsigned width, uint64_t *value)
{
	const uint64_t at = address - d->start;
	struct cfi_bytes bytes;

	if (address < d->start || at >= d->size || width > d->size - at) {
		const bool more = d->full || !((d->start + d->size) % PAGE);

		d->missed |= more && address >= d->start && at + width > d->size &&
			     at < d->size + (UINT64_C(64) << 20);
		return false;
	}
	bytes = (struct cfi_bytes){ .at = d->bytes + at, .end = d->bytes + d->size,
				    .foreign = d->foreign };
	*value = pp_unwind_cfi_number(&bytes, width);
	return !bytes.over;
}
