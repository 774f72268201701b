/* dialect.c - what some writers do in their own way, by the evidence for it, and the same as perf
 * would write it; when to look is the reader's and the containers' to know. */
#include "read/dialect.h"
#include "base/byte_order.h"

enum {
	GOOGLE_FIRST = 69, GOOGLE_LAST = 80,      /* features 3 to 14 */
	GOOGLE_SHIFT = GOOGLE_FIRST - PP_FEAT_HOSTNAME,
	TRACING_HEAD = 12,                        /* header and u32 size */
};

const char *pp_dialect_name(enum pp_dialect d)
{
	static const char *const names[] = {
		[PP_DIALECT_GOOGLE] = "Google header strings",
		[PP_DIALECT_SIMPLEPERF] = "simpleperf",
		[PP_DIALECT_HIPERF] = "hiperf",
	};

	return names[d];
}

static void put32(uint8_t *p, uint32_t v, bool foreign)
{
	pp_store32(p, foreign ? __builtin_bswap32(v) : v);
}

static void put16(uint8_t *p, uint16_t v, bool foreign)
{
	pp_store16(p, foreign ? __builtin_bswap16(v) : v);
}

/* The first one is the host's name: a length, and just so many bytes, which are text. */
bool pp_is_google(const uint8_t *data, uint32_t type, size_t size, bool foreign)
{
	return type == GOOGLE_FIRST && size > PP_HEADER_SIZE + 4 && size < 1024 &&
	       pp_in_order32(data + PP_HEADER_SIZE, foreign) == size - PP_HEADER_SIZE - 4 &&
	       data[PP_HEADER_SIZE + 4] && memchr(data + PP_HEADER_SIZE + 4, 0, size - PP_HEADER_SIZE - 4);
}

size_t pp_google_feature(uint8_t *out, const uint8_t *data, uint32_t type, size_t size, bool foreign)
{
	const uint64_t number = type - GOOGLE_SHIFT;

	if (type < GOOGLE_FIRST || type > GOOGLE_LAST || !pp_fits(size + 8, PP_RECORD_MAX))
		return 0;
	put32(out, PP_REC_HEADER_FEATURE, foreign);
	put16(out + 4, 0, foreign);
	put16(out + 6, (uint16_t)(size + 8), foreign);
	pp_store64(out + 8, foreign ? __builtin_bswap64(number) : number);
	memcpy(out + 16, data + PP_HEADER_SIZE, size - PP_HEADER_SIZE);
	return size + 8;
}

uint32_t pp_simpleperf_tracing(uint8_t out[16], const uint8_t *data, size_t size, bool foreign)
{
	uint64_t length, room = size - TRACING_HEAD;

	if (size < TRACING_HEAD + 4)
		return 0;
	length = pp_in_order32(data + PP_HEADER_SIZE, foreign);
	/* as perf counts it, with the padding that is there anyway */
	if (pp_fits(pp_align8(length), room))
		length = pp_align8(length);
	if (!pp_fits(length, room))
		return 0;
	put32(out, PP_REC_HEADER_TRACING_DATA, foreign);
	put16(out + 4, 0, foreign);
	put16(out + 6, 16, foreign);
	put32(out + 8, (uint32_t)length, foreign);
	put32(out + 12, 0, foreign);
	return (uint32_t)length;
}

enum pp_dialect pp_dialect_of(const uint64_t features[4])
{
	return features[3] ? PP_DIALECT_HIPERF : features[2] ? PP_DIALECT_SIMPLEPERF : PP_DIALECT_NONE;
}
