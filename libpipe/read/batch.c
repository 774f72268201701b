/* batch.c - takes samples out of a window many at a time, by columns: where they are, of which events, and
 * when. */
#include "read/batch.h"
#include "format/format.h"

/* How many whole samples follow each other in these bytes, and where. */
static uint32_t find_samples(const uint8_t *from, size_t left, uint32_t at[PP_BATCH_MOST + 1])
{
	const uint8_t *p = from;
	uint32_t n = 0;

	while (n < PP_BATCH_MOST && pp_fits(PP_HEADER_SIZE, left)) {
		const size_t size = pp_load16(p + 6);

		/* one that is smaller than a header wraps around, and does not fit either */
		if (pp_load32(p) != PP_REC_SAMPLE || !pp_fits(size - PP_HEADER_SIZE, left - PP_HEADER_SIZE))
			break;
		at[n++] = (uint32_t)(p - from);
		p += size;
		left -= size;
	}
	at[n] = (uint32_t)(p - from);
	return n;
}

/* As pp_note_kernel() does of each of the first `n`, after what came before the batch. */
static void note_samples(struct pp_stream *s, const struct pp_batch *b, uint32_t n)
{
	uint64_t first = b->first_time ? b->first_time : UINT64_MAX, last = b->last_time, orphans = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t ns = b->time[i];

		orphans += !b->attr[i];
		last = ns > last ? ns : last;
		if (ns - 1 < first - 1)         /* 0: it has no time */
			first = ns;
	}
	s->first_time = first == UINT64_MAX ? 0 : first;
	s->last_time = last;
	s->orphans = b->orphans + (pp_attrs_count(b->attrs) ? orphans : 0);
}

uint32_t pp_reader_chain_batch(struct pp_reader_chain *s, struct pp_batch *b)
{
	struct pp_batch_columns *const columns = &s->columns;
	struct pp_window *const w = s->walk;
	const bool ahead = w == &s->frames.window && pp_step_verify_ask(&s->verified) && w->limit == w->at;
	const size_t left = (size_t)((ahead ? w->end : w->limit) - w->at);
	const uint32_t count = find_samples(w->at, left, columns->at);

	b->data = w->at;
	b->count = count;
	if (!count)
		return 0;
	if (ahead)
		pp_step_verify_take(&s->verified, columns->at[count]);
	b->attrs = s->stream.attrs;
	b->carried = w != &s->frames.window;
	b->offset = b->carried ? s->expanded.carrier.offset : pp_step_frame_place(&s->frames);
	b->index = b->carried ? s->expanded.carrier.index : s->frames.index;
	b->at = columns->at;
	b->attr = columns->attr;
	b->time = columns->time;
	pp_attrs_find_samples(s->stream.attrs, b->data, b->at, count, columns->attr, columns->time);
	if (!b->carried)
		s->frames.index += count;
	w->at += columns->at[count];
	b->first_time = s->stream.first_time;
	b->last_time = s->stream.last_time;
	b->orphans = s->stream.orphans;
	note_samples(&s->stream, b, count);
	s->stream.records += count;
	return count;
}

void pp_reader_chain_unbatch(struct pp_reader_chain *s, const struct pp_batch *b, uint32_t kept)
{
	s->walk->at = b->data + b->at[kept];
	if (!b->carried)
		s->frames.index -= b->count - kept;
	note_samples(&s->stream, b, kept);
	s->stream.records -= b->count - kept;
}
