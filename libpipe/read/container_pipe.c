/* container_pipe.c - what the first bytes of an input say, and the pipe stream: a header of 16
 * bytes, then records as they are. */
#include "read/container.h"
#include "base/byte_order.h"

static const uint8_t magics[][8] = {
	{ 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' },    /* a little-endian producer's */
	{ '2', 'E', 'L', 'I', 'F', 'R', 'E', 'P' },    /* a big-endian producer's */
	{ 'P', 'E', 'R', 'F', 'F', 'I', 'L', 'E' },    /* version 1: of either, and does not tell */
};

static bool host_is_big(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

bool pp_is_stream_magic(const uint8_t *head)
{
	return !memcmp(head, magics[0], 8) || !memcmp(head, magics[1], 8);
}

/* 72 bytes before there were features, 104 since; anything larger that is sane may come. */
static bool is_file_size(uint64_t size)
{
	return size >= 72 && size <= 4096 && !(size % 8);
}

int pp_container(const uint8_t *head, bool *foreign, struct pp_error *error)
{
	const bool v1 = !memcmp(head, magics[2], 8);
	uint64_t size;

	*foreign = false;
	if (!memcmp(head, "\x28\xb5\x2f\xfd", 4))
		return PP_CONTAINER_ZSTD;
	if (!v1 && !pp_is_stream_magic(head))
		return pp_container_unknown(head, PP_PIPE_HEADER, error);
	*foreign = !v1 && !memcmp(head, magics[1], 8) != host_is_big();
	size = pp_in_order64(head + 8, *foreign);
	if (size == PP_PIPE_HEADER)
		return PP_CONTAINER_PIPE;
	/* perf takes version 1 in its own byte order only, as nothing tells the other apart. */
	if (v1 && __builtin_bswap64(size) == PP_PIPE_HEADER)
		return pp_fail(error, PP_E_CONTAINER,
			       "version 1 stream of the other byte order, which cannot be read");
	if (is_file_size(size) || is_file_size(__builtin_bswap64(size)))
		return PP_CONTAINER_FILE;
	return pp_fail(error, PP_E_CONTAINER, "header of %llu bytes, where a stream has 16",
		       (unsigned long long)size);
}
