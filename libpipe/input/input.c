/* input.c - opens what is to be read, and reads it; what the bytes are is the containers'. */
#include "input/input.h"
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>


static int check_kind(struct pp_input *s, struct pp_error *error)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return pp_fail_os(error, "cannot read");
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return pp_fail_os(error, "cannot read");
	}
	if (isatty(s->fd))
		return pp_fail(error, PP_E_USE, "will not read a stream from a terminal");
	if (S_ISREG(st.st_mode)) {
		(void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		s->start = lseek(s->fd, 0, SEEK_CUR);
		if (s->start < 0)
			return pp_fail_os(error, "cannot read");
	}
	return 0;
}

int pp_input_open(struct pp_input *s, const char *path, struct pp_error *error)
{
	*s = (struct pp_input){ .fd = STDIN_FILENO, .name = "standard input", .start = -1 };
	if (path && strcmp(path, "-")) {
		s->name = path;
		s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (s->fd < 0)
			return pp_fail_os(error, "cannot open");
		s->close = true;
	}
	if (check_kind(s, error)) {
		pp_input_close(s);
		return -1;
	}
	return 0;
}

int pp_input_take(struct pp_input *s, int fd, const char *name, struct pp_error *error)
{
	*s = (struct pp_input){ .fd = fd, .name = name, .start = -1, .close = true };
	if (!check_kind(s, error))
		return 0;
	pp_input_close(s);
	return -1;
}

void pp_input_close(struct pp_input *s)
{
	if (s->close)
		close(s->fd);
	s->close = false;
	pp_zstd_input_free(s->unwrap);
	s->unwrap = NULL;
	pp_composed_input_free(&s->pieces);
}

int pp_input_beside(struct pp_input *s, const struct pp_input *first, struct pp_error *error)
{
	if (first->start < 0)
		return pp_fail(error, PP_E_USE, "this needs an input that can be read twice: a file");
	*s = (struct pp_input){
		.fd = first->fd, .spooled = first->spooled, .name = first->name, .start = first->start,
		.beside = true, .at = first->start,
	};
	return 0;
}

/* ---- Reading ---- */

static enum pp_input_got fail_os(struct pp_error *error, const char *what)
{
	pp_fail_os(error, "%s", what);
	return PP_SOURCE_FAILED;
}

/* The bytes as they come, not unwrapped and not by pieces. */
static enum pp_input_got read_plain(struct pp_input *s, void *buf, size_t size, size_t *got,
				    struct pp_error *error)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	ssize_t n;

	*got = 0;
	if (s->hasty && !poll(&p, 1, 0))
		return PP_SOURCE_NOT_YET;
	n = s->beside ? pread(s->fd, buf, size, s->at) : read(s->fd, buf, size);
	if (n > 0) {
		*got = (size_t)n;
		s->at += n;
	}
	if (n >= 0)
		return n ? PP_SOURCE_BYTES : PP_SOURCE_END;
	if (errno == EINTR)
		return PP_SOURCE_RETRY;
	if (errno != EAGAIN)
		return fail_os(error, "cannot read");
	if (s->hasty)
		return PP_SOURCE_NOT_YET;
	if (poll(&p, 1, -1) < 0 && errno != EINTR)
		return fail_os(error, "cannot wait for input");
	return PP_SOURCE_RETRY;
}

ssize_t pp_input_pread(struct pp_input *s, void *buf, size_t size, uint64_t offset)
{
	return pp_read_up_to(s->fd, buf, size, s->base + offset);
}

static enum pp_input_got read_pieces(struct pp_input *s, uint8_t *buf, size_t size, size_t *got,
				     struct pp_error *error)
{
	struct pp_composed_input *p = &s->pieces;
	const struct pp_piece *piece;
	ssize_t n;

	*got = 0;
	(void)pp_composed_input_begins(p);
	if (p->next == p->count) {
		if (p->late.code)
			*error = p->late;
		return p->late.code ? PP_SOURCE_FAILED : PP_SOURCE_END;
	}
	piece = &p->items[p->next];
	if (size > piece->size - p->done)
		size = (size_t)(piece->size - p->done);
	if (piece->file) {
		n = pp_input_pread(s, buf, size, piece->from + p->done);
		if (n < 0)
			return fail_os(error, "cannot read");
		if (!n) {
			pp_fail(error, PP_E_CUT, "the file ends before its sections do");
			pp_error_room(error, NULL, piece->size, p->done);
			return PP_SOURCE_FAILED;
		}
		size = (size_t)n;
	} else {
		memcpy(buf, p->memory + piece->from + p->done, size);
	}
	p->done += size;
	*got = size;
	return PP_SOURCE_BYTES;
}

enum pp_input_got pp_input_read(struct pp_input *s, void *buf, size_t size, size_t *got,
				struct pp_error *error)
{
	if (s->pieces.count)
		return read_pieces(s, buf, size, got, error);
	if (s->unwrap)
		return pp_zstd_input_read(s->unwrap, buf, size, got, read_plain, s, error);
	return read_plain(s, buf, size, got, error);
}

int pp_input_unwrap(struct pp_input *s, const void *head, size_t size, struct pp_error *error)
{
	if (s->unwrap)
		return pp_fail(error, PP_E_CONTAINER, "zstd data within zstd data");
	s->unwrap = pp_zstd_input_new(head, size);
	return s->unwrap ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Files ---- */

int pp_input_length(struct pp_input *s, uint64_t *length)
{
	struct stat st;

	if (fstat(s->fd, &st))
		return -1;
	*length = (uint64_t)st.st_size > s->base ? (uint64_t)st.st_size - s->base : 0;
	return 0;
}

static int spool(struct pp_input *s, const void *head, size_t size, struct pp_error *error)
{
	enum { PIECE = 1 << 18 };
	struct pp_spool file = { .fd = -1 };
	uint8_t *const buf = malloc(PIECE);
	enum pp_input_got got = PP_SOURCE_BYTES;
	int status = buf ? pp_spool_write(&file, head, size, error) : pp_fail(error, PP_E_NOMEM, NULL);

	while (!status && got != PP_SOURCE_END) {
		got = pp_input_read(s, buf, PIECE, &size, error);
		status = got == PP_SOURCE_FAILED ? -1 : pp_spool_write(&file, buf, size, error);
	}
	free(buf);
	if (status) {
		pp_spool_close(&file);
		return -1;
	}
	pp_input_close(s);
	s->fd = file.fd;
	s->close = s->spooled = true;
	s->base = 0;
	s->start = 0;
	return 0;
}

int pp_input_seekable(struct pp_input *s, const void *head, size_t size, struct pp_error *error)
{
	struct stat st;
	off_t here;

	if (!s->unwrap && !fstat(s->fd, &st) && S_ISREG(st.st_mode)) {
		here = s->beside ? s->at : lseek(s->fd, 0, SEEK_CUR);
		if (here >= (off_t)size) {
			s->base = (uint64_t)here - size;
			return 0;
		}
	}
	return spool(s, head, size, error);
}
