/*
 * reader.c - fuzz target: any bytes as an input, read cooked and raw, every record walked and
 * printed as text and as JSON, and passed on sealed; nothing may crash, hang or grow.
 */
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_bytes(data, size, false);
	read_bytes(data, size, true);
	return 0;
}
