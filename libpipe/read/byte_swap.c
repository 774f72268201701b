/* byte_swap.c - turns records of the other byte order around in place; how, the tables say. */
#include "read/byte_swap.h"
#include "format/format.h"
#include "format/payload.h"

void pp_step_swap_close(struct pp_step_swap *h)
{
	free(h->scratch);
}

/* The raw data of perf's own samples of threads off the CPU: two u32, and then u64. */
static void turn_off_cpu(struct pp_record *rec)
{
	const size_t at = rec->attr->plan.tid;
	const size_t size = pp_fits(at, rec->size) ? pp_load32(rec->data + at - 4) : 0;

	if (size < 8 || !pp_fits(size, rec->size - at))
		return;
	for (size_t i = at; i < at + 8; i += 4)
		pp_store32(rec->data + i, pp_in_order32(rec->data + i, true));
	for (size_t i = at + 8; i + 8 <= at + size; i += 8)
		pp_store64(rec->data + i, pp_in_order64(rec->data + i, true));
}

static int convert(struct pp_step_swap *h, struct pp_record *rec, struct pp_error *error)
{
	if (pp_convert(rec, PP_TO_HOST, error)) {
		h->stream->dropped++;
		return pp_damaged(error, rec, false);
	}
	if (rec->type == PP_REC_FINISHED_ROUND)
		pp_payload_swap(rec->data, rec->size, true);
	if (rec->type == PP_REC_SAMPLE && rec->attr && pp_attr_is_off_cpu(rec->attr))
		turn_off_cpu(rec);
	return 1;
}

int pp_step_swap_next(struct pp_step_swap *h, struct pp_record *rec, struct pp_error *error)
{
	struct pp_stream *s = h->stream;
	const int got = pp_step_decompress_next(h->from, rec, error);

	if (got <= 0 || !s->foreign)
		return got;
	if (rec->type < PP_USER_TYPES)
		rec->attr = pp_attrs_find_in_order(s->attrs, rec, true);
	if (h->raw) {
		rec->foreign = true;
		return 1;
	}
	if (rec->type == PP_REC_SAMPLE && !rec->attr && pp_attrs_count(s->attrs))
		s->orphans++;
	return convert(h, rec, error);
}

int pp_step_swap_copy(struct pp_step_swap *h, const struct pp_record *rec,
		      struct pp_record *copy, struct pp_error *error)
{
	*copy = *rec;
	if (!rec->foreign)
		return 0;
	if (!h->scratch)
		h->scratch = malloc(PP_RECORD_MAX);
	if (!h->scratch) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return pp_error_fatal(error, true);
	}
	memcpy(h->scratch, rec->data, rec->size);
	copy->data = h->scratch;
	copy->foreign = false;
	return pp_convert(copy, PP_TO_HOST, error) ? pp_damaged(error, rec, false) : 0;
}
