/* ways.h - two ways to read an input side by side, and to write and check what comes of it: for batches.c. */
#ifndef WAYS_H
#define WAYS_H

#include "reading.h"

/* One of the two ways. */
struct way {
	struct pp_reader *in;
	struct pp_writer *out;
	struct pp_checker *checker;
	char found[1 << 14];          /* the first findings */
	size_t found_size;
	int fd;                       /* where it writes to */
};

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void note_finding(void *arg, const struct pp_finding *finding)
{
	struct way *const way = arg;
	const size_t left = sizeof(way->found) - way->found_size;
	const int n = pp_finding_text(finding, way->found + way->found_size, left);

	if (n > 0 && (size_t)n < left)
		way->found_size += (size_t)n + 1;
}

static bool open_way(struct way *way, const char *path, bool raw)
{
	const struct pp_reader_options options = { .size = sizeof(options), .raw = raw };
	struct pp_error error;

	*way = (struct way){ .in = pp_reader_open(path, &options, &error), .fd = -1 };
	if (!way->in)
		return false;
	way->fd = memfd_create("output", MFD_CLOEXEC);
	way->out = pp_writer_open(way->fd, PP_SEAL_YES);
	expect(way->fd >= 0 && way->out && !pp_writer_header(way->out, false, NULL));
	pp_reader_tie(way->in, way->out);
	way->checker = pp_checker_open(pp_reader_stream(way->in), note_finding, way);
	expect(way->checker);
	return true;
}

static void close_way(struct way *way)
{
	pp_checker_close(way->checker);
	pp_reader_close(way->in);
	pp_writer_close(way->out);
	if (way->fd >= 0)
		close(way->fd);
}

static void expect_same_bytes(int a, int b)
{
	static uint8_t left[1 << 16], right[1 << 16];
	ssize_t n;

	for (off_t at = 0; (n = pread(a, left, sizeof(left), at)) > 0; at += n)
		expect(pread(b, right, (size_t)n, at) == n && !memcmp(left, right, (size_t)n));
	expect(lseek(a, 0, SEEK_END) == lseek(b, 0, SEEK_END));
}

#endif
