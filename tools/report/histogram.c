/* histogram.c - how the periods of an entry's samples are spread, as bars for people and as JSON. */
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BAR_WIDTH = 40, POWERS = 64 };

/* Samples from each power of two to the next; 0 is with 1.  The largest sum. */
static uint64_t add_up_powers(const struct pp_report *report, size_t event, size_t entry,
			      uint64_t counts[POWERS])
{
	const size_t n = pp_report_buckets(report, event, entry);
	uint64_t most = 0;

	memset(counts, 0, POWERS * sizeof(*counts));
	for (size_t i = 0; i < n; i++) {
		struct pp_report_bucket bucket;
		unsigned power;

		pp_report_bucket(report, event, entry, i, &bucket);
		power = bucket.low ? 63 - (unsigned)__builtin_clzll(bucket.low) : 0;
		counts[power] += bucket.count;
		most = counts[power] > most ? counts[power] : most;
	}
	return most;
}

void histogram_write(const struct pp_report *report, size_t event, size_t entry, struct pp_out *out)
{
	uint64_t counts[POWERS];
	const uint64_t most = add_up_powers(report, event, entry, counts);
	unsigned first = 0, last = POWERS;

	if (!most)
		return;
	while (!counts[first])
		first++;
	while (!counts[last - 1])
		last--;
	pp_out_char(out, '\n');
	for (unsigned i = first; i < last; i++) {
		char text[96];
		const uint64_t low = i ? UINT64_C(1) << i : 0, high = (UINT64_C(2) << i) - 1;
		const unsigned bar = (unsigned)((double)counts[i] * BAR_WIDTH / (double)most + 0.5);

		(void)snprintf(text, sizeof(text), "%20" PRIu64 " - %-20" PRIu64 " %12" PRIu64 "  ",
			       low, high, counts[i]);
		pp_out_text(out, text);
		for (unsigned k = 0; k < bar; k++)
			pp_out_char(out, '#');
		pp_out_char(out, '\n');
	}
	pp_out_char(out, '\n');
}

void histogram_write_json(const struct pp_report *report, size_t event, size_t entry, struct pp_json *j)
{
	const size_t n = pp_report_buckets(report, event, entry);

	pp_json_open(j, "buckets", '[');
	for (size_t i = 0; i < n; i++) {
		struct pp_report_bucket bucket;

		pp_report_bucket(report, event, entry, i, &bucket);
		pp_json_open(j, NULL, '[');
		pp_json_number(j, NULL, bucket.low);
		pp_json_number(j, NULL, bucket.high);
		pp_json_number(j, NULL, bucket.count);
		pp_json_close(j, ']');
	}
	pp_json_close(j, ']');
}
