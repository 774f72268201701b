/* perfdata_bytes.c - bytes of a perf.data file, and room for records that are made of them. */
#include "input/perfdata_file.h"

/* Whether the file has these bytes; else *error says that it ends too early. */
int pp_file_check(struct pp_file *f, uint64_t offset, uint64_t size, const char *what)
{
	if (pp_fits(offset, f->length) && pp_fits(size, f->length - offset))
		return 0;
	pp_fail(f->error, PP_E_CUT, "the file ends before its %s", what);
	return pp_error_room(f->error, NULL, size, offset < f->length ? f->length - offset : 0);
}

int pp_file_get(struct pp_file *f, void *buf, size_t size, uint64_t offset, const char *what)
{
	ssize_t n;

	if (pp_file_check(f, offset, size, what))
		return -1;
	n = pp_input_pread(f->source, buf, size, offset);
	if (n < 0)
		return pp_fail_os(f->error, "cannot read");
	if ((size_t)n != size)
		return pp_fail(f->error, PP_E_CUT, "the file ends before its %s", what);
	return 0;
}

uint8_t *pp_file_room(struct pp_file *f, size_t size)
{
	uint8_t *p = pp_composed_input_room(f->pieces, size);

	if (!p)
		pp_fail(f->error, PP_E_NOMEM, NULL);
	return p;
}

void pp_file_head(const struct pp_file *f, uint8_t *p, uint32_t type, uint16_t misc, size_t size)
{
	pp_store_order32(p, type, f->foreign);
	pp_store_order16(p + 4, misc, f->foreign);
	pp_store_order16(p + 6, (uint16_t)size, f->foreign);
}
