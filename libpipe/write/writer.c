/*
 * writer.c - borrowed bytes out, one writev a batch, sealed on the way on request.
 *
 * Bytes that follow each other become one run; a run is sent from where it is if it is long, and
 * appended to the staging buffer if it is short, since a vector costs the kernel more than a short
 * copy costs us.
 */
#include "format/note.h"
#include "format/payload.h"
#include "format/seal.h"
#include "input/detect_format.h"
#include "read/reader_internal.h"
#include "read/verify_seals.h"
#include "write/writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	VECTORS = 1024,               /* IOV_MAX of Linux */
	STAGE = 1 << 18,
	SHORT_RUN = 4096,             /* up to here a run is copied */
};

struct pp_writer {
	int fd, os;
	enum pp_sealing wanted;
	bool sealing, in_tail;
	bool foreign;                 /* the other byte order leaves */
	uint64_t dropped;             /* records that could not be converted to it */
	uint32_t flags;               /* of the seals that passed */
	uint32_t end_flags;           /* of the END alone */
	uint64_t bytes;
	const uint8_t *run;           /* borrowed, not yet committed */
	size_t run_size, run_summed;  /* ... and how much of it is in the hash, from its start */
	uint8_t *stage;
	size_t staged;
	int n_vectors;
	int summed;                   /* vectors before it are in the hash, and of it ... */
	size_t summed_bytes;          /* ... so many bytes */
	struct pp_sum sum;
	pp_writer_send_fn *send;      /* in place of writev(2); or NULL */
	void *send_arg;
	const struct pp_step_verify *original;       /* all so far is what was read there; or NULL */
	struct iovec vectors[VECTORS];
};

struct pp_writer *pp_writer_open(int fd, enum pp_sealing sealing)
{
	struct pp_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = fd;
	w->wanted = sealing;
	w->stage = malloc(STAGE);
	if (!w->stage || pp_sum_open(&w->sum)) {
		pp_writer_close(w);
		return NULL;
	}
	return w;
}

void pp_writer_close(struct pp_writer *w)
{
	if (!w)
		return;
	pp_sum_close(&w->sum);
	free(w->stage);
	free(w);
}

int pp_writer_os(const struct pp_writer *w)
{
	return w->os;
}

bool pp_writer_fills_file(const struct pp_writer *w)
{
	struct stat st;

	return !fstat(w->fd, &st) && S_ISREG(st.st_mode);
}

void pp_writer_send_by(struct pp_writer *w, pp_writer_send_fn *send, void *arg)
{
	w->send = send;
	w->send_arg = arg;
}

uint64_t pp_writer_bytes(const struct pp_writer *w)
{
	return w->bytes;
}

void pp_writer_foreign(struct pp_writer *w)
{
	w->foreign = true;
}

uint64_t pp_writer_dropped(const struct pp_writer *w)
{
	return w->dropped;
}

bool pp_writer_sealing(const struct pp_writer *w)
{
	return w->sealing;
}

void pp_writer_last_seal(const struct pp_writer *w, uint64_t *number, uint64_t *xxh3)
{
	*number = w->sum.number - 1;
	*xxh3 = w->sum.seed;
}

void pp_writer_add_end_flags(struct pp_writer *w, uint32_t flags)
{
	w->end_flags |= flags;
}

static int failed(const struct pp_writer *w, struct pp_error *error)
{
	errno = w->os;
	return pp_fail_output(error);
}

/* ---- Out ---- */

static void sum_vectors(struct pp_writer *w)
{
	for (; w->summed < w->n_vectors; w->summed++, w->summed_bytes = 0) {
		const struct iovec *v = &w->vectors[w->summed];

		pp_sum_add(&w->sum, (const uint8_t *)v->iov_base + w->summed_bytes,
			   v->iov_len - w->summed_bytes);
		/* the last vector may still grow */
		if (w->summed == w->n_vectors - 1) {
			w->summed_bytes = v->iov_len;
			return;
		}
	}
}

/* Takes `n` written bytes off the front of the vectors. */
static void advance(struct iovec **v, int *n_vectors, size_t n)
{
	while (*n_vectors && n >= (*v)->iov_len) {
		n -= (*v)->iov_len;
		++*v;
		--*n_vectors;
	}
	if (n) {
		(*v)->iov_base = (uint8_t *)(*v)->iov_base + n;
		(*v)->iov_len -= n;
	}
}

static int write_vectors(struct pp_writer *w, struct pp_error *error)
{
	struct iovec *v = w->vectors;
	int n = w->n_vectors;

	if (w->sealing)
		sum_vectors(w);
	w->n_vectors = w->summed = 0;
	w->summed_bytes = w->staged = 0;
	if (w->send) {
		w->os = w->send(w->send_arg, v, n);
		n = 0;
	}
	while (n && !w->os) {
		ssize_t wrote = writev(w->fd, v, n);

		if (wrote >= 0)
			advance(&v, &n, (size_t)wrote);
		else if (!pp_try_again(w->fd, POLLOUT))
			w->os = errno;
	}
	return w->os ? failed(w, error) : 0;
}

static int add_vector(struct pp_writer *w, const uint8_t *data, size_t size, struct pp_error *error)
{
	if (w->n_vectors == VECTORS && write_vectors(w, error))
		return -1;
	/* writev only reads what it is given */
	w->vectors[w->n_vectors++] = (struct iovec){ (void *)(uintptr_t)data, size };
	return 0;
}

/* Copies after what was copied last, if that ends the batch and there is room. */
static inline bool stage_behind(struct pp_writer *w, const uint8_t *data, size_t size)
{
	uint8_t *const to = w->stage + w->staged;
	struct iovec *last;

	if (!w->n_vectors)
		return false;
	last = &w->vectors[w->n_vectors - 1];
	if (size > STAGE - w->staged ||
	    (const uint8_t *)last->iov_base + last->iov_len != to)
		return false;
	memcpy(to, data, size);
	last->iov_len += size;
	w->staged += size;
	return true;
}

/* Copies to the staging buffer; size <= STAGE. */
static int stage(struct pp_writer *w, const uint8_t *data, size_t size, struct pp_error *error)
{
	uint8_t *to;

	if (stage_behind(w, data, size))
		return 0;
	if (size > STAGE - w->staged && write_vectors(w, error))
		return -1;
	to = w->stage + w->staged;
	memcpy(to, data, size);
	if (add_vector(w, to, size, error))
		return -1;
	w->staged = (size_t)(to - w->stage) + size;
	return 0;
}

/* All so far lies before what the hash is to be of, or is in it. */
static void note_summed(struct pp_writer *w)
{
	w->summed = w->n_vectors ? w->n_vectors - 1 : 0;
	w->summed_bytes = w->n_vectors ? w->vectors[w->summed].iov_len : 0;
	w->run_summed = w->run_size;
}

/* The run that was borrowed becomes part of the batch. */
static int commit(struct pp_writer *w, struct pp_error *error)
{
	const uint8_t *run = w->run;
	const size_t size = w->run_size, summed = w->run_summed;

	w->run = NULL;
	w->run_size = w->run_summed = 0;
	if (!size)
		return 0;
	if (size <= SHORT_RUN ? stage(w, run, size, error) : add_vector(w, run, size, error))
		return -1;
	if (summed) {
		w->summed = w->n_vectors - 1;
		w->summed_bytes = w->vectors[w->summed].iov_len - (size - summed);
	}
	return 0;
}

/* Where in the input this is; UINT64_MAX: it is not what was read of it. */
static uint64_t place_in(const struct pp_step_frame *frames, const uint8_t *data)
{
	const struct pp_window *const window = &frames->window;

	return data >= window->buf && data < window->end ? frames->base + (uint64_t)(data - window->buf) :
	       UINT64_MAX;
}

/* Whether these bytes come next where all so far is as it was read. */
static bool is_as_read(struct pp_writer *w, const uint8_t *data)
{
	if (w->original && place_in(w->original->frames, data) != w->bytes)
		w->original = NULL;
	return w->original;
}

int pp_writer_put(struct pp_writer *w, const void *data, size_t size, struct pp_error *error)
{
	if (w->os)
		return failed(w, error);
	if (w->run_size && w->run + w->run_size == (const uint8_t *)data) {
		w->bytes += size;
		w->run_size += size;
		return 0;
	}
	(void)is_as_read(w, data);
	w->bytes += size;
	if (commit(w, error))
		return -1;
	w->run = data;
	w->run_size = size;
	return 0;
}

/* What cannot be copied after what was copied last; apart, so that a short record costs no frame. */
static __attribute__((noinline)) int copy_anew(struct pp_writer *w, const uint8_t *from, size_t size,
					       struct pp_error *error)
{
	if (w->os)
		return failed(w, error);
	if (!size)
		return 0;             /* memcpy() wants addresses even of 0 bytes */
	w->original = NULL;
	w->bytes += size;
	if (commit(w, error))
		return -1;
	while (size) {
		size_t n = size < STAGE ? size : STAGE;

		if (stage(w, from, n, error))
			return -1;
		from += n;
		size -= n;
	}
	return 0;
}

int pp_writer_copy(struct pp_writer *w, const void *data, size_t size, struct pp_error *error)
{
	if (w->os || w->run_size || !size || !stage_behind(w, data, size))
		return copy_anew(w, data, size, error);
	w->original = NULL;
	w->bytes += size;
	return 0;
}

int pp_writer_flush(struct pp_writer *w, struct pp_error *error)
{
	if (w->os)
		return failed(w, error);
	if (commit(w, error))
		return -1;
	if (w->original && w->original->summed == w->bytes) {
		pp_sum_copy(&w->sum, &w->original->sum);
		note_summed(w);
	}
	return w->n_vectors ? write_vectors(w, error) : 0;
}

/* ---- Seals ---- */

static int put_own_seal(struct pp_writer *w, const uint8_t data[PP_SEAL_SIZE], struct pp_error *error)
{
	if (pp_writer_copy(w, data, PP_SEAL_SIZE, error))
		return -1;
	note_summed(w);
	return 0;
}

/* Sums up all that comes before a seal. */
static int sum_up(struct pp_writer *w, struct pp_error *error)
{
	if (!w->sealing)
		return 0;
	if (commit(w, error))
		return -1;
	sum_vectors(w);
	return 0;
}

static int add_seal(struct pp_writer *w, struct pp_error *error)
{
	uint8_t data[PP_SEAL_SIZE];

	if (sum_up(w, error))
		return -1;
	pp_sum_make(&w->sum, data, w->bytes, w->flags, w->foreign);
	return put_own_seal(w, data, error);
}

static int add_end(struct pp_writer *w, uint32_t flags, struct pp_error *error)
{
	uint8_t data[PP_SEAL_SIZE];

	if (sum_up(w, error))
		return -1;
	flags |= w->flags | w->end_flags;
	return pp_sum_make_end(&w->sum, data, w->bytes, flags, w->sealing, w->foreign) ?
	       put_own_seal(w, data, error) : 0;
}

static int put_note(void *arg, uint8_t *record, size_t size, struct pp_error *error)
{
	return pp_writer_copy(arg, record, size, error);
}

int pp_writer_note(struct pp_writer *w, const char *key, const void *value, size_t length,
		   struct pp_error *error)
{
	return pp_note_make(key, value, length, put_note, w, error);
}

int pp_writer_header(struct pp_writer *w, bool sealed, struct pp_error *error)
{
	uint8_t header[PP_PIPE_HEADER];

	w->sealing = w->wanted == PP_SEAL_YES || (w->wanted == PP_SEAL_AUTO && sealed);
	pp_stream_header(header, w->foreign);
	if (pp_writer_copy(w, header, sizeof(header), error))
		return -1;
	return w->sealing ? add_seal(w, error) : 0;
}

static int plain_round(struct pp_writer *w, struct pp_error *error)
{
	uint8_t data[PP_HEADER_SIZE];

	pp_round_header(data, sizeof(data), w->foreign);
	return pp_writer_copy(w, data, sizeof(data), error);
}

int pp_writer_round(struct pp_writer *w, struct pp_error *error)
{
	if (w->os)
		return failed(w, error);
	return w->sealing ? add_seal(w, error) : plain_round(w, error);
}

int pp_writer_end(struct pp_writer *w, uint32_t flags, struct pp_error *error)
{
	if (w->os)
		return failed(w, error);
	/* nothing can follow an incomplete tail */
	if ((!w->in_tail && add_end(w, flags, error)) || pp_writer_flush(w, error))
		return -1;
	if (w->send)
		w->os = w->send(w->send_arg, NULL, 0);
	return w->os ? failed(w, error) : 0;
}

/* ---- Passing ---- */

void pp_writer_as_read(struct pp_writer *w, const struct pp_reader *r)
{
	const struct pp_step_verify *const v = pp_reader_verify(r);

	if (w->sealing && !w->foreign && v && v->right && pp_reader_tied(r, w) &&
	    v->summed == w->bytes && v->sum.from == w->bytes && w->sum.from == w->bytes &&
	    v->sum.seed == w->sum.seed && v->sum.number == w->sum.number)
		w->original = v;
}

/* Where all before it is as it was read, and so would it be if it were made here, a seal passes. */
static int pass_seal(struct pp_writer *w, const struct pp_record *rec, const struct pp_seal *seal,
		     struct pp_error *error)
{
	if (w->os || !is_as_read(w, rec->data) || !w->original->right || seal->flags != w->flags ||
	    !pp_seal_is_exact(seal, rec->data, false))
		return pp_writer_round(w, error);
	if (pp_writer_put(w, rec->data, rec->size, error))
		return -1;
	pp_sum_start(&w->sum, seal->xxh3, seal->number + 1, w->bytes);
	note_summed(w);
	return 0;
}

static int pass_round(struct pp_writer *w, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;

	if (pp_is_seal(rec, &seal)) {
		w->flags |= seal.flags & ~(uint32_t)PP_SEAL_END;
		/* the first and the last are not rounds of the stream: ours are there already */
		if (!seal.number || seal.flags & PP_SEAL_END)
			return 0;
		return pass_seal(w, rec, &seal, error);
	}
	/* what else rides in a round (notes, and what is not known yet) stays */
	return w->sealing && rec->size == PP_HEADER_SIZE ? pp_writer_round(w, error) :
	       pp_writer_put(w, rec->data, rec->size, error);
}

static int pass_tail(struct pp_writer *w, struct pp_reader *r, struct pp_error *error)
{
	const bool tied = pp_reader_tied(r, w);
	const void *piece;
	size_t size;
	int got;

	w->in_tail = true;
	while ((got = pp_reader_tail(r, &piece, &size, error)) > 0) {
		if (pp_writer_put(w, piece, size, error))
			return -1;
		/* a reader that is not tied reads over what was borrowed */
		if (!tied && pp_writer_flush(w, error))
			return -1;
	}
	w->in_tail = got < 0;
	return got;
}

/* Turns a record around in place: 0, or -1: it is not to be written. */
static int turn(struct pp_writer *w, const struct pp_record *rec)
{
	if (!pp_convert(rec, PP_FROM_HOST, NULL)) {
		if (rec->type == PP_REC_FINISHED_ROUND)
			pp_payload_swap(rec->data, rec->size, false);
		return 0;
	}
	w->dropped++;
	return -1;
}

int pp_writer_pass(struct pp_writer *w, struct pp_reader *r, const struct pp_record *rec,
		   struct pp_error *error)
{
	struct pp_seal seal;
	int status;

	/* seals are made anew: they turn round when they are */
	if (w->foreign && !pp_is_seal(rec, &seal) && turn(w, rec))
		return 0;
	if (rec->type == PP_REC_FINISHED_ROUND && !(r && pp_reader_raw(r)))
		status = pass_round(w, rec, error);
	else
		status = pp_writer_put(w, rec->data, rec->size, error);
	if (!status && rec->tail)
		status = pass_tail(w, r, error);
	return status;
}
