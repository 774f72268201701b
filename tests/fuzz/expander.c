/*
 * expander.c - fuzz target: a stream with one attribute, then the input as COMPRESSED and
 * COMPRESSED2 records, cut where its own bytes say.
 */
#include "reading.h"

enum { MOST = 1 << 16, START = PP_PIPE_HEADER + 8 + 64 + 8 };

static size_t start(uint8_t *out)
{
	uint8_t *attr = out + PP_PIPE_HEADER + 8;

	memset(out, 0, START);
	memcpy(out, "PERFILE2", 8);
	pp_store64(out + 8, PP_PIPE_HEADER);
	pp_store32(out + PP_PIPE_HEADER, PP_REC_HEADER_ATTR);
	pp_store16(out + PP_PIPE_HEADER + 6, START - PP_PIPE_HEADER);
	pp_store32(attr, 1);
	pp_store32(attr + 4, 64);
	pp_store64(attr + 24, PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME);
	pp_store64(attr + 40, 1 << PP_FLAG_sample_id_all);
	pp_store64(attr + 64, 1);
	return START;
}

/* A record with the next piece of the input; its length is in the first two bytes. */
static size_t carrier(uint8_t *out, const uint8_t **data, size_t *size)
{
	const bool two = (*data)[0] & 1;
	size_t piece = pp_load16(*data) >> 1, head = two ? 16 : 8;

	*data += 2;
	*size -= 2;
	if (piece > *size)
		piece = *size;
	pp_store32(out, two ? PP_REC_COMPRESSED2 : PP_REC_COMPRESSED);
	pp_store16(out + 4, 0);
	pp_store16(out + 6, (uint16_t)(head + piece));
	if (two)
		pp_store64(out + 8, piece);
	memcpy(out + head, *data, piece);
	*data += piece;
	*size -= piece;
	return head + piece;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t made[START + MOST * 9];
	size_t at = start(made);

	if (size > MOST)
		return 0;
	while (size >= 2)
		at += carrier(made + at, &data, &size);
	read_bytes(made, at, false);
	return 0;
}
