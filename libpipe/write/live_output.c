/* live_output.c - what a pipe has no room for waits in memory, while the stage goes on reading. */
#include "write/live_output.h"

#include "base/array.h"
#include "write/writer_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	SLICE = 4096,                 /* PIPE_BUF: fits where poll(2) says that there is room */
	MOST = 256 << 20,             /* bytes that wait, but for what comes with one call */
};

struct pp_live_output {
	const struct pp_writer *writer;
	int fd, input, os;
	bool fills_file;              /* which never has anybody wait */
	struct pp_buffer waiting;     /* what is not written ... */
	size_t at;                    /* ... from here on */
	uint64_t written;
};

static size_t left(const struct pp_live_output *o)
{
	return o->waiting.size - o->at;
}

uint64_t pp_live_output_waits(const struct pp_live_output *o)
{
	return pp_writer_bytes(o->writer) - o->written;
}

static bool has_room(const struct pp_live_output *o)
{
	struct pollfd p = { .fd = o->fd, .events = POLLOUT };

	/* whatever is wrong the next write says */
	return o->fills_file || (poll(&p, 1, 0) && p.revents);
}

/* Writes as much as there is room for now: how many bytes. */
static size_t write_some(struct pp_live_output *o, const uint8_t *data, size_t size)
{
	size_t done = 0;

	while (done < size && !o->os && has_room(o)) {
		const size_t more = size - done;
		const ssize_t n = write(o->fd, data + done, more < SLICE || o->fills_file ? more : SLICE);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			o->os = errno;
	}
	o->written += done;
	return done;
}

static void write_waiting(struct pp_live_output *o)
{
	if (!left(o))
		return;
	o->at += write_some(o, o->waiting.data + o->at, left(o));
	if (!left(o)) {
		pp_buffer_free(&o->waiting);
		o->at = 0;
	}
}

/* Waits until no more than `most` bytes wait, or, with `for_input`, until there is input. */
static void wait_for_room(struct pp_live_output *o, size_t most, bool for_input)
{
	struct pollfd p[] = { { .fd = o->fd, .events = POLLOUT },
			      { .fd = for_input ? o->input : -1, .events = POLLIN } };

	for (write_waiting(o); left(o) > most && !o->os; write_waiting(o)) {
		if (poll(p, 2, -1) < 0) {
			if (errno != EINTR)
				o->os = errno;
		} else if (p[1].revents) {
			write_waiting(o);
			return;
		}
	}
}

/* What is written moves out of the way once it is half of all. */
static void keep_waiting(struct pp_live_output *o, const uint8_t *data, size_t size)
{
	if (o->at > o->waiting.size / 2) {
		memmove(o->waiting.data, o->waiting.data + o->at, left(o));
		o->waiting.size = left(o);
		o->at = 0;
	}
	if (!o->os && size && pp_buffer_add(&o->waiting, data, size, NULL))
		o->os = ENOMEM;
}

static int take_vectors(void *arg, const struct iovec *vectors, int n)
{
	struct pp_live_output *const o = arg;

	write_waiting(o);
	for (int i = 0; i < n && !o->os; i++) {
		const uint8_t *const data = vectors[i].iov_base;
		const size_t size = vectors[i].iov_len, done = left(o) ? 0 : write_some(o, data, size);

		keep_waiting(o, data + done, size - done);
	}
	wait_for_room(o, n ? MOST : 0, false);
	return o->os;
}

/* Before a read that may block; what fails here the writer says. */
static bool wait_for_input(void *arg)
{
	struct pp_live_output *const o = arg;

	if (o->input >= 0)
		wait_for_room(o, 0, true);
	return true;
}

struct pp_live_output *pp_live_output_new(struct pp_reader *in, struct pp_writer *out, int fd)
{
	struct pp_live_output *const o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->writer = out;
	o->fd = fd;
	o->input = pp_reader_fd(in);
	o->fills_file = pp_writer_fills_file(out);
	pp_writer_send_by(out, take_vectors, o);
	pp_reader_tie_call(in, wait_for_input, o);
	return o;
}

void pp_live_output_free(struct pp_live_output *o)
{
	if (!o)
		return;
	pp_buffer_free(&o->waiting);
	free(o);
}
