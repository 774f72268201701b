/* detect_format.c - what the first bytes of an input say: a stream, what holds one, or something else. */
#include "input/detect_format.h"
#include "base/byte_order.h"

#include <ctype.h>

void pp_stream_header(uint8_t header[PP_PIPE_HEADER], bool foreign)
{
	pp_store_order64(header, PP_MAGIC, foreign);
	pp_store_order64(header + 8, PP_PIPE_HEADER, foreign);
}

bool pp_is_stream_magic(const uint8_t *head)
{
	return pp_load64(head) == PP_MAGIC || pp_in_order64(head, true) == PP_MAGIC;
}

/* 72 bytes before there were features, 104 since; anything larger that is sane may come. */
static bool is_file_size(uint64_t size)
{
	return size >= 72 && size <= 4096 && !(size % 8);
}

int pp_container(const uint8_t *head, bool *foreign, struct pp_error *error)
{
	const bool v1 = !memcmp(head, PP_MAGIC_V1, 8);
	uint64_t size;

	*foreign = false;
	if (!memcmp(head, "\x28\xb5\x2f\xfd", 4))
		return PP_CONTAINER_ZSTD;
	if (!v1 && !pp_is_stream_magic(head))
		return pp_container_unknown(head, PP_PIPE_HEADER, error);
	*foreign = !v1 && pp_load64(head) != PP_MAGIC;
	size = pp_in_order64(head + 8, *foreign);
	if (size == PP_PIPE_HEADER)
		return PP_CONTAINER_PIPE;
	/* perf takes version 1 in its own byte order only, as nothing shows the other. */
	if (v1 && pp_order64(size, true) == PP_PIPE_HEADER)
		return pp_fail(error, PP_E_CONTAINER,
			       "version 1 stream of the other byte order, which cannot be read");
	if (is_file_size(size) || is_file_size(pp_order64(size, true)))
		return PP_CONTAINER_FILE;
	return pp_fail(error, PP_E_CONTAINER, "header of %llu bytes, where a stream has 16",
		       (unsigned long long)size);
}

/* ---- Other people's files, named where that is easy ---- */

static bool is_text(const uint8_t *head, size_t have)
{
	if (have >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))    /* UTF-8, with its mark */
		return true;
	for (size_t i = 0; i < have; i++)
		if (!isprint(head[i]) && !isspace(head[i]))
			return false;
	return true;
}

/* perf 6.1 inject -i FILE -o - forgets the header: then an attribute comes first. */
static bool is_bare_attr(const uint8_t *head, size_t have)
{
	return have >= PP_PIPE_HEADER && pp_load32(head) == PP_REC_HEADER_ATTR &&
	       pp_load16(head + 6) % 8 == 0 && pp_fits(PP_HEADER_SIZE + 64, pp_load16(head + 6));
}

static int refuse_kind(const char *name, const char *remedy, struct pp_error *error)
{
	(void)pp_fail(error, PP_E_MAGIC, "it is %s%s%s", name, remedy ? ": " : "", remedy ? remedy : "");
	return pp_error_hint(error, remedy ? PP_HINT_NONE : PP_HINT_FROM_JSON);
}

int pp_container_unknown(const uint8_t *head, size_t have, struct pp_error *error)
{
	static const struct {
		const char *bytes;
		uint8_t size;
		const char *name, *remedy;
	} known[] = {
		{ "\x1f\x8b", 2, "gzip data", "gzip -dc expands it" },
		{ "\xfd" "7zXZ", 5, "xz data", "xz -dc expands it" },
		{ "BZh", 3, "bzip2 data", "bzip2 -dc expands it" },
		{ "PK\x03\x04", 4, "a zip file", "unzip -p expands it" },
		{ "\x7f" "ELF", 4, "an ELF file", "perf record runs it" },
		{ "\x17\x08\x44" "tracing", 10, "a trace.dat file", "trace-cmd reads it" },
		{ "\xc1\x1f\xfc\xc1", 4, "a CTF trace", "babeltrace2 reads it" },
		{ "\xc1\xfc\x1f\xc1", 4, "a CTF trace", "babeltrace2 reads it" },
		{ "\xd4\xc3\xb2\xa1", 4, "a pcap file", "tcpdump reads it" },
		{ "\x0a\x0d\x0d\x0a", 4, "a pcapng file", "tcpdump reads it" },
		{ "{\"schema\":\"perf", 15, "a stream that was printed as JSON", NULL },
	};

	if (!have)
		return pp_fail(error, PP_E_MAGIC, "the input is empty");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (pp_fits(known[i].size, have) && !memcmp(head, known[i].bytes, known[i].size))
			return refuse_kind(known[i].name, known[i].remedy, error);
	if (is_bare_attr(head, have))
		return pp_fail(error, PP_E_MAGIC, "its first 16 bytes, the header, are missing "
			       "(perf inject -i of 6.1 writes such streams)");
	if (is_text(head, have))
		return pp_fail(error, PP_E_MAGIC, "it is text");
	return pp_fail(error, PP_E_MAGIC, "it does not begin with PERFILE2");
}

enum pp_dialect pp_dialect_of(const uint64_t features[4])
{
	return features[3] ? PP_DIALECT_HIPERF : features[2] ? PP_DIALECT_SIMPLEPERF : PP_DIALECT_NONE;
}
