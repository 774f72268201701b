/* names_builder.c - puts answers into names records. */
#include "symbol/names_builder.h"

int pp_packing_flush(struct pp_packing *p, struct pp_error *error)
{
	uint8_t record[PP_NAMES_MOST];
	size_t size;

	if (!pp_names_count(&p->build))
		return 0;
	size = pp_names_end(&p->build, record);
	return p->put(p->arg, record, size, error);
}

static int begin(struct pp_packing *p, uint32_t flags, struct pp_error *error)
{
	if (pp_packing_flush(p, error))
		return -1;
	p->of.flags = flags;
	return pp_names_begin(&p->build, &p->of) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_packing_add(struct pp_packing *p, const struct pp_named *named, const struct pp_named_frame *frames,
		   uint32_t flags, struct pp_error *error)
{
	struct pp_named alone = *named;
	int got;

	if ((!pp_names_count(&p->build) || p->build.of.flags != flags) && begin(p, flags, error))
		return -1;
	got = pp_names_add(&p->build, named, frames);
	if (!got && pp_names_count(&p->build)) {
		if (begin(p, flags, error))
			return -1;
		got = pp_names_add(&p->build, named, frames);
	}
	alone.count = 1;
	if (!got)
		got = pp_names_add(&p->build, &alone, &frames[named->count - 1]);
	return got < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

void pp_packing_free(struct pp_packing *p)
{
	pp_names_discard(&p->build);
}
