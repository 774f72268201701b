/* generate_output.c - gathers the records that are generated, and hands them on, packed if need be. */
#include "generate/generate.h"

#include <string.h>

int pp_gen_drain(struct pp_gen *g)
{
	const uint8_t *const data = g->batch + g->from;
	const size_t size = g->at - g->from;
	int status;

	if (!size)
		return 0;
	if (g->packing) {
		/* it is kept there */
		status = pp_compressor_put(g->z, data, size, g->error);
		g->at = g->from = 0;
		return status;
	}
	g->from = g->at;
	return pp_writer_put(g->out, data, size, g->error);
}

int pp_gen_spill(struct pp_gen *g)
{
	if (pp_gen_drain(g))
		return -1;
	if (pp_writer_flush(g->out, g->error))
		return -1;
	g->at = g->from = 0;
	g->stats->bytes = pp_writer_bytes(g->out);
	return 0;
}

int pp_gen_put(struct pp_gen *g, const void *data, size_t size)
{
	const uint8_t *from = data;

	while (size) {
		const size_t n = size < PP_RECORD_MAX ? size : PP_RECORD_MAX;

		if (n > GEN_BATCH - g->at && pp_gen_spill(g))
			return -1;
		memcpy(g->batch + g->at, from, n);
		g->at += n;
		from += n;
		size -= n;
	}
	return 0;
}

void pp_gen_begin(struct pp_gen *g, struct pp_build *b, uint32_t type, uint16_t misc)
{
	pp_build(b, g->buf, sizeof(g->buf), type, misc, g->events[0].attr);
}

int pp_gen_emit(struct pp_gen *g, struct pp_build *b)
{
	const size_t size = pp_build_end(b);
	struct pp_record rec;

	if (!size)
		return pp_fail(g->error, PP_E_FULL, "%s", b->type ? b->type->name : "?");
	if (pp_record_at(&rec, g->buf, size, g->error))
		return -1;
	rec.attr = g->events[0].attr;
	if (g->swap && pp_convert(&rec, PP_FROM_HOST, g->error))
		return -1;
	g->stats->records++;
	return pp_gen_put(g, g->buf, size);
}
