/*
 * record_limits.c - where a recording is full: samples beyond a number of them or of bytes are left
 * out, and all else is passed on, so that what was passed on keeps its names and maps.
 */
#include "rings/rings.h"

enum { RESERVE = 4096 };              /* bytes for the last round, what was lost, and the end */

void pp_limit_open(struct pp_limit *l, const struct pp_capture_options *o, const struct pp_writer *out)
{
	*l = (struct pp_limit){
		.wanted = o->max_samples || o->max_bytes, .out = out,
		.samples = o->max_samples ? o->max_samples : UINT64_MAX,
		.bytes = !o->max_bytes ? UINT64_MAX :
			 o->max_bytes > RESERVE ? o->max_bytes - RESERVE : 0,
	};
}

/* Bytes of the stream so far; what a compressor still holds is not in it yet. */
static uint64_t written(const struct pp_limit *l)
{
	return l->out ? pp_writer_bytes(l->out) : l->given;
}

/* Whether there is room for a record of `size` after `pending` bytes that are not written yet. */
static bool takes(struct pp_limit *l, const uint8_t *record, size_t size, size_t pending)
{
	const uint64_t used = written(l) + pending;

	if (pp_load32(record) != PP_REC_SAMPLE)
		return true;
	if (l->full || !l->samples || used > l->bytes || size > l->bytes - used)
		l->full = true;
	else
		l->samples--;
	return !l->full;
}

/* The length of the first records that all pass, or of samples that all do not: so many. */
static size_t next_run(struct pp_limit *l, const uint8_t *records, size_t size, uint64_t *left_out)
{
	size_t at = 0;

	*left_out = 0;
	while (at < size) {
		const size_t n = pp_load16(records + at + 6);
		const bool fits = takes(l, records + at, n, *left_out ? 0 : at);

		if (n < PP_HEADER_SIZE)
			return size;
		/* It is looked at again, as the first of the next run: nothing was counted for it. */
		if (at && fits != !*left_out)
			break;
		*left_out += !fits;
		at += n;
	}
	l->given += *left_out ? 0 : at;
	/* What has no room for another one is full, too. */
	l->full |= !l->samples;
	return at;
}

int pp_limit_give(struct pp_rings *r, const uint8_t *records, uint64_t size, bool stays,
		  struct pp_error *error)
{
	while (size) {
		uint64_t left_out;
		const size_t n = next_run(&r->limit, records, size, &left_out);

		r->stats.samples -= left_out;
		if (!left_out && pp_sink_give(&r->sink, r->attrs, records, n, stays, error))
			return -1;
		records += n;
		size -= n;
	}
	return 0;
}
