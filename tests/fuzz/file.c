/*
 * file.c - fuzz target: perf.data files: what is no file gets the header of one in front, so that
 * most inputs come as far as sections and records.
 */
#include "reading.h"

enum { HEADER = 104, MOST = 1 << 20 };

/* Attributes right behind the header, one of 144 bytes; data behind it; features at their end. */
static size_t with_header(uint8_t *out, const uint8_t *data, size_t size)
{
	const uint64_t attr = 144, events = 1 + (size > 400);
	const uint64_t begin = HEADER + attr * events;
	const uint64_t end = HEADER + size, middle = begin < end ? begin + (end - begin) / 2 : end;
	const uint64_t fields[] = { HEADER, attr, HEADER, attr * events, begin,
				    middle > begin ? middle - begin : 0, 0, 0, UINT64_MAX - 1, 0, 0, 0 };

	memcpy(out, "PERFILE2", 8);
	memcpy(out + 8, fields, sizeof(fields));
	memcpy(out + HEADER, data, size);
	return HEADER + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t made[MOST + HEADER];

	if (size > MOST)
		return 0;
	if (size > 16 && (!memcmp(data, "PERF", 4) || !memcmp(data, "2ELI", 4))) {
		read_bytes(data, size, false);
		return 0;
	}
	read_bytes(made, with_header(made, data, size), false);
	return 0;
}
