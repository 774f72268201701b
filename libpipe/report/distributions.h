/* distributions.h - how what samples weigh is spread: buckets of like weights, 32 for each power of two. */
#ifndef PP_DISTRIBUTIONS_H
#define PP_DISTRIBUTIONS_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bucket n of the first 64 has the weight n; from there on the weights between a power of two and the next
 * are in 32 buckets of the same width.  A bucket is no wider than 1/32 of its least weight.
 */
enum { PP_BUCKET_BITS = 5, PP_BUCKETS = (64 - PP_BUCKET_BITS + 1) << PP_BUCKET_BITS };

static inline uint32_t pp_bucket_of(uint64_t weight)
{
	const unsigned top = weight >> PP_BUCKET_BITS ? 63 - (unsigned)__builtin_clzll(weight) :
							PP_BUCKET_BITS;

	return ((top - PP_BUCKET_BITS) << PP_BUCKET_BITS) + (uint32_t)(weight >> (top - PP_BUCKET_BITS));
}
/* The least and the largest weight in a bucket. */
static inline uint64_t pp_bucket_low(uint32_t bucket)
{
	const uint32_t shift = bucket >> PP_BUCKET_BITS ? (bucket >> PP_BUCKET_BITS) - 1 : 0;

	return (uint64_t)(bucket - (shift << PP_BUCKET_BITS)) << shift;
}
static inline uint64_t pp_bucket_high(uint32_t bucket)
{
	const uint32_t shift = bucket >> PP_BUCKET_BITS ? (bucket >> PP_BUCKET_BITS) - 1 : 0;

	return pp_bucket_low(bucket) + ((UINT64_C(1) << shift) - 1);
}

/* What samples weigh that are in an entry themselves. */
struct pp_weight_spread {
	uint64_t least, most;
	uint64_t p50, p90, p99;       /* the middle of their buckets, but not beyond least and most */
	size_t first, count;          /* which of pp_distributions.cells */
};

/* Samples, in parts of one, of a bucket. */
struct pp_bucket_cell {
	uint32_t event, sums, bucket; /* of an entry: which of pp_hist_event.sums, from 1 */
	uint64_t count;
};

struct pp_distributions {
	bool asked;
	struct pp_idmap counts;       /* by group and bucket: samples, in parts of one */
	struct pp_weight_range {
		uint64_t least, most;
	} *ranges;                    /* of each group */
	size_t ranges_room;
	/* what pp_report_update() makes */
	uint32_t *sums_of;            /* of each group: which of the sums of its event, from 1; 0: none */
	struct pp_bucket_cell *cells; /* entry by entry, the least bucket first */
	size_t n_cells;
};

#endif
