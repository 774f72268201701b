/* spool.c - bytes in a file without a name, which is gone when the process ends, however it ends. */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *pp_temporary_folder(void)
{
	const char *const folder = secure_getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static int make_nameless(void)
{
	return open(pp_temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Where a file system makes none without a name, it has one for a moment. */
static int make_named(void)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/perfpipe.XXXXXX", pp_temporary_folder()) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Those that had a name, made ahead; then no other with a name can be made. */
static struct { int fds[4]; unsigned n; bool ahead; } spare;

void pp_temporary_prepare(void)
{
	const int nameless = make_nameless();
	int fd;

	spare.ahead = true;
	if (nameless >= 0) {
		(void)close(nameless);
		return;
	}
	while (spare.n < sizeof(spare.fds) / sizeof(*spare.fds) && (fd = make_named()) >= 0)
		spare.fds[spare.n++] = fd;
}

int pp_temporary(void)
{
	const int fd = make_nameless();

	if (fd < 0 && spare.n)
		return spare.fds[--spare.n];
	return fd < 0 && !spare.ahead ? make_named() : fd;
}

int pp_write_at(int fd, const void *data, size_t size, uint64_t at)
{
	const uint8_t *from = data;

	while (size) {
		const ssize_t n = pwrite(fd, from, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		from += n;
		size -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

ssize_t pp_read_up_to(int fd, void *data, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size && at + done <= INT64_MAX) {
		const ssize_t n = pread(fd, (uint8_t *)data + done, size - done, (off_t)(at + done));

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

int pp_read_at(int fd, void *data, size_t size, uint64_t at)
{
	const ssize_t n = pp_read_up_to(fd, data, size, at);

	if (n >= 0 && (size_t)n < size)
		errno = EIO;
	return n >= 0 && (size_t)n == size ? 0 : -1;
}

/* ---- in ---- */

int pp_spool_open(struct pp_spool *s, size_t room)
{
	*s = (struct pp_spool){ .fd = -1, .room = room, .buffer = malloc(room) };
	return s->buffer ? 0 : -1;
}

void pp_spool_close(struct pp_spool *s)
{
	free(s->buffer);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct pp_spool){ .fd = -1 };
}

uint64_t pp_spool_end(const struct pp_spool *s)
{
	return s->flushed + s->used;
}

/* Writes at the end of the file, whatever is in the buffer. */
static int write_out(struct pp_spool *s, const uint8_t *data, size_t size, struct pp_error *error)
{
	if (s->fd < 0)
		s->fd = pp_temporary();
	if (s->fd < 0)
		return pp_fail_os(error, "cannot make a file in %s", pp_temporary_folder());
	if (pp_write_at(s->fd, data, size, s->flushed))
		return pp_fail_os(error, "cannot put records aside in %s", pp_temporary_folder());
	s->flushed += size;
	return 0;
}

static int write_buffer(struct pp_spool *s, struct pp_error *error)
{
	const size_t used = s->used;

	s->used = 0;
	return used ? write_out(s, s->buffer, used, error) : 0;
}

int pp_spool_write(struct pp_spool *s, const void *data, size_t size, struct pp_error *error)
{
	if (size > s->room - s->used && write_buffer(s, error) < 0)
		return -1;
	if (size > s->room)
		return write_out(s, data, size, error);
	if (!size)
		return 0;             /* memcpy() wants addresses even of 0 bytes */
	memcpy(s->buffer + s->used, data, size);
	s->used += size;
	return 0;
}

void *pp_spool_room(struct pp_spool *s, size_t size, struct pp_error *error)
{
	uint8_t *at;

	if (size > s->room - s->used && write_buffer(s, error) < 0)
		return NULL;
	at = s->buffer + s->used;
	s->used += size;
	return at;
}

void pp_spool_cut(struct pp_spool *s, uint64_t end)
{
	if (end >= s->flushed) {
		s->used = (size_t)(end - s->flushed);
		return;
	}
	s->flushed = end;
	s->used = 0;
	/* where it is refused, what is there is written over */
	(void)!ftruncate(s->fd, (off_t)end);
}

/* ---- and back ---- */

int pp_spool_read(struct pp_spool *s, uint64_t from, void *data, size_t size,
		  struct pp_error *error)
{
	const uint64_t left = from < s->flushed ? s->flushed - from : 0;
	const size_t stored = size < left ? size : (size_t)left;

	if (stored && pp_read_at(s->fd, data, stored, from))
		return pp_fail_os(error, "cannot read back what was put aside in %s",
				  pp_temporary_folder());
	if (size > stored)
		memcpy((uint8_t *)data + stored, s->buffer + (from + stored - s->flushed), size - stored);
	return 0;
}

void pp_spool_forget(struct pp_spool *s, uint64_t from, uint64_t to)
{
	if (s->fd >= 0 && from < to)
		fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			  (off_t)(to - from));
}
