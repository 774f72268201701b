/* source.c - opens what is to be read, and reads it; what the bytes are is the containers'. */
#include "read/source.h"
#include "base/spool.h"
#include "read/container.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_WANTED = 1 << 20 };

static int check_kind(int fd, struct pp_error *error)
{
	struct stat st;

	if (fstat(fd, &st))
		return pp_fail_os(error, "cannot read");
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return pp_fail_os(error, "cannot read");
	}
	if (isatty(fd))
		return pp_fail(error, PP_E_USE, "will not read a stream from a terminal");
	/* A larger pipe saves switches between its two ends; where it is refused, so be it. */
	if (S_ISFIFO(st.st_mode))
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_WANTED);
	else if (S_ISREG(st.st_mode))
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

int pp_source_open(struct pp_source *s, const char *path, struct pp_error *error)
{
	*s = (struct pp_source){ .fd = STDIN_FILENO, .name = "standard input" };
	if (path && strcmp(path, "-")) {
		s->name = path;
		s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (s->fd < 0)
			return pp_fail_os(error, "cannot open");
		s->close = true;
	}
	if (check_kind(s->fd, error)) {
		pp_source_close(s);
		return -1;
	}
	return 0;
}

void pp_source_close(struct pp_source *s)
{
	if (s->close)
		close(s->fd);
	s->close = false;
	pp_unwrap_free(s->unwrap);
	s->unwrap = NULL;
	pp_pieces_free(&s->pieces);
}

int pp_source_mark(struct pp_source *s, struct pp_error *error)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return pp_fail_os(error, "cannot read");
	if (!S_ISREG(st.st_mode))
		return pp_fail(error, PP_E_USE,
			       "what is asked for needs an input that can be read twice: a file");
	s->start = lseek(s->fd, 0, SEEK_CUR);
	return s->start < 0 ? pp_fail_os(error, "cannot read") : 0;
}

int pp_source_again(struct pp_source *s, struct pp_source *from, struct pp_error *error)
{
	*s = (struct pp_source){
		.fd = from->fd, .close = from->close, .spooled = from->spooled, .name = from->name,
		.start = from->start,
	};
	from->close = false;
	if (lseek(s->fd, s->start, SEEK_SET) < 0)
		return pp_fail_os(error, "cannot read it once more");
	return 0;
}

/* ---- Reading ---- */

ssize_t pp_source_read_plain(struct pp_source *s, void *buf, size_t size, struct pp_error *error)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t n;

	if (s->hasty && !poll(&p, 1, 0))
		return -3;
	n = read(s->fd, buf, size);
	if (n >= 0)
		return n;
	if (errno == EINTR)
		return -2;
	if (errno != EAGAIN)
		return pp_fail_os(error, "cannot read");
	if (s->hasty)
		return -3;
	if (poll(&p, 1, -1) < 0 && errno != EINTR)
		return pp_fail_os(error, "cannot wait for input");
	return -2;
}

ssize_t pp_source_pread(struct pp_source *s, void *buf, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(s->fd, (uint8_t *)buf + done, size - done,
					(off_t)(s->base + offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static ssize_t read_pieces(struct pp_source *s, uint8_t *buf, size_t size, struct pp_error *error)
{
	struct pp_pieces *p = &s->pieces;
	const struct pp_piece *piece;
	size_t n;
	ssize_t got;

	while (p->next < p->count && p->done == p->items[p->next].size) {
		p->next++;
		p->done = 0;
	}
	if (p->next == p->count) {
		if (p->late.code)
			*error = p->late;
		return p->late.code ? -1 : 0;
	}
	piece = &p->items[p->next];
	n = piece->size - p->done < size ? (size_t)(piece->size - p->done) : size;
	if (!piece->file) {
		memcpy(buf, p->memory + piece->from + p->done, n);
		p->done += n;
		return (ssize_t)n;
	}
	got = pp_source_pread(s, buf, n, piece->from + p->done);
	if (got < 0)
		return pp_fail_os(error, "cannot read");
	if (!got) {
		pp_fail(error, PP_E_CUT, "the file ends before its sections do");
		return pp_error_room(error, NULL, piece->size, p->done);
	}
	p->done += (uint64_t)got;
	return got;
}

ssize_t pp_source_read(struct pp_source *s, void *buf, size_t size, struct pp_error *error)
{
	if (s->pieces.count)
		return read_pieces(s, buf, size, error);
	if (s->unwrap)
		return pp_unwrap_read(s->unwrap, buf, size, s, error);
	return pp_source_read_plain(s, buf, size, error);
}

int pp_source_unwrap(struct pp_source *s, const void *head, size_t size, struct pp_error *error)
{
	if (s->unwrap)
		return pp_fail(error, PP_E_CONTAINER, "zstd data within zstd data");
	s->unwrap = pp_unwrap_new(head, size);
	return s->unwrap ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Files ---- */

int pp_source_length(struct pp_source *s, uint64_t *length)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return -1;
	*length = (uint64_t)st.st_size > s->base ? (uint64_t)st.st_size - s->base : 0;
	return 0;
}

static int write_all(int fd, const uint8_t *p, size_t size)
{
	while (size) {
		const ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int spool(struct pp_source *s, const void *head, size_t size, struct pp_error *error)
{
	enum { PIECE = 1 << 18 };
	const int fd = pp_temporary();
	uint8_t *buf = malloc(PIECE);
	ssize_t n = (ssize_t)size;
	int status = 0;

	if (fd < 0)
		status = pp_fail_os(error, "cannot make a temporary file");
	else if (!buf)
		status = pp_fail(error, PP_E_NOMEM, NULL);
	else if (write_all(fd, head, size))
		status = pp_fail_os(error, "cannot write a temporary file");
	while (!status && (n = pp_source_read(s, buf, PIECE, error)) != 0) {
		if (n > 0 && write_all(fd, buf, (size_t)n))
			status = pp_fail_os(error, "cannot write a temporary file");
		if (n == -1)
			status = -1;
	}
	free(buf);
	if (status) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	pp_source_close(s);
	s->fd = fd;
	s->close = s->spooled = true;
	s->base = 0;
	s->start = 0;
	return 0;
}

int pp_source_seekable(struct pp_source *s, const void *head, size_t size, struct pp_error *error)
{
	struct stat st;
	off_t here;

	if (!s->unwrap && !fstat(s->fd, &st) && S_ISREG(st.st_mode)) {
		here = lseek(s->fd, 0, SEEK_CUR);
		if (here >= (off_t)size) {
			s->base = (uint64_t)here - size;
			return 0;
		}
	}
	return spool(s, head, size, error);
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
		{ "{\"schema\":\"perf", 15, "what pp-dump --json printed", "pp-undump reads it" },
	};

	if (!have)
		return pp_fail(error, PP_E_MAGIC, "the input is empty");
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (pp_fits(known[i].size, have) && !memcmp(head, known[i].bytes, known[i].size))
			return pp_fail(error, PP_E_MAGIC, "it is %s: %s", known[i].name, known[i].remedy);
	if (is_bare_attr(head, have))
		return pp_fail(error, PP_E_MAGIC, "its first 16 bytes, the header, are missing "
			       "(perf 6.1 inject -i writes such)");
	if (is_text(head, have))
		return pp_fail(error, PP_E_MAGIC, "it is text");
	return pp_fail(error, PP_E_MAGIC, "it does not begin with PERFILE2");
}
