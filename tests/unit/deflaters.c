/* deflaters.c - what is deflated, in whatever pieces and rooms, is what zlib inflates again. */
#include "export/deflater.h"
#include "unit.h"

#include <string.h>
#include <zlib.h>

enum { MOST = 300000 };

static uint8_t plain[MOST], packed[2 * MOST + 4096], got[MOST + 1];

/* Bytes of a kind: few different ones, runs, any. */
static size_t make_plain(void)
{
	const size_t n = one_in(4) ? below(64) : below(MOST);
	const unsigned values = 1U << below(9), run = 1 + below(60);

	for (size_t i = 0; i < n; i++)
		plain[i] = i && below(run) ? plain[i - 1] : (uint8_t)below(values);
	return n;
}

/* Adds some bytes: how many it has then. */
static size_t add(struct pp_deflater *d, size_t size, const uint8_t *bytes, size_t n,
		  enum pp_deflate_until until)
{
	const unsigned most = one_in(3) ? 64 + below(40) : 64 + below(70000);
	struct pp_deflating some = { .in = bytes, .n = n };
	bool more;

	do {
		const size_t left = sizeof(packed) - size, room = left < most ? left : most;

		CHECK(room);
		some.out = packed + size;
		some.room = room;
		more = pp_deflate(d, &some, until);
		size += room - some.room;
	} while (more);
	CHECK(!some.n);
	return size;
}

static void check(size_t size, size_t n, int window, bool ended)
{
	z_stream z = { .next_in = packed, .avail_in = (uInt)size, .next_out = got, .avail_out = sizeof(got) };
	int status;

	CHECK(inflateInit2(&z, window) == Z_OK);
	status = inflate(&z, Z_FINISH);
	CHECK(ended ? status == Z_STREAM_END : status == Z_BUF_ERROR);
	CHECK(!z.avail_in && z.total_out == n && !memcmp(got, plain, n));
	(void)inflateEnd(&z);
}

/* A file in pieces; else each piece could be read by itself, and may begin anew. */
static void try(enum pp_deflate_kind kind, unsigned number)
{
	struct pp_deflater *const d = pp_deflater_new(kind);
	const bool file = kind == PP_DEFLATE_GZIP;
	size_t n, size = 0;

	begin_case(file ? "gzip" : "raw", number);
	n = make_plain();
	CHECK(d);
	for (size_t at = 0, part; at < n; at += part) {
		part = 1 + below((unsigned)(n - at));
		if (!file && one_in(2))
			pp_deflater_reset(d);
		size = add(d, size, plain + at, part, file ? PP_DEFLATE_TAKEN : PP_DEFLATE_FLUSH);
	}
	if (file)
		size = add(d, size, plain, 0, PP_DEFLATE_END);
	check(size, n, file ? MAX_WBITS + 16 : -MAX_WBITS, file);
	pp_deflater_free(d);
}

int main(void)
{
	for (unsigned i = 0; i < 200; i++)
		for (unsigned kind = 0; kind < PP_DEFLATE_KINDS; kind++)
			try(kind, i);
	return 0;
}
