/* damage.c - damages a file of bytes in ways that are counted; what the bytes mean it does not
 * know. */
#include <perfpipe/damage.h>
#include <perfpipe/bytes.h>
#include <perfpipe/output.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BUFFER = 1 << 18,
	BY_CHANCE_MAX = 4096,         /* bytes of a damage that the seed chooses */
	KINDS = PP_EDIT_CUT + 2,      /* and flips */
};

struct job {
	const struct pp_damage *d;
	int in, out;
	off_t start;
	uint64_t bytes_row, flip_row; /* random numbers for each use, so that none moves another */
	uint64_t changed;
	struct pp_error *error;
	uint8_t buffer[BUFFER];
};

static uint64_t draw(uint64_t *row)
{
	uint64_t z = *row += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(uint64_t *row, uint64_t n)
{
	return n ? draw(row) % n : 0;
}

/* ---- What, and where ---- */

void pp_damage_choose(struct pp_damage *d, uint64_t size)
{
	uint64_t row = ~d->seed;
	const uint64_t room = size > d->keep ? size - d->keep : 0;
	const uint64_t most = room < BY_CHANCE_MAX ? room : BY_CHANCE_MAX;
	const uint64_t kind = below(&row, KINDS);

	d->n_edits = 0;
	d->flip = 0;
	if (kind == KINDS - 1) {
		d->flip = room > 4 ? 4.0 / (double)room : 1;
		return;
	}
	d->edits[d->n_edits++] = (struct pp_edit){
		.what = (enum pp_edit_kind)kind, .place = PP_PLACE_ANY,
		.size = kind == PP_EDIT_CUT || !most ? 0 : 1 + below(&row, most),
	};
}

/* How many bytes of the input it takes. */
static uint64_t range(const struct pp_edit *e)
{
	return e->what == PP_EDIT_ZERO || e->what == PP_EDIT_DROP ? e->size : 0;
}

int pp_damage_plan(struct pp_damage *d, uint64_t size, struct pp_error *error)
{
	const uint64_t kept = d->keep < size ? d->keep : size;
	uint64_t row = d->seed;

	for (size_t i = 0; i < d->n_edits; i++) {
		struct pp_edit *const e = &d->edits[i];
		const uint64_t room = size - kept;

		if (e->place == PP_PLACE_FROM_END)
			e->at = e->at <= size ? size - e->at : UINT64_MAX;
		else if (e->place == PP_PLACE_FRACTION)
			e->at = (uint64_t)(e->fraction * (double)size);
		else if (e->place == PP_PLACE_ANY)
			e->at = range(e) > room ? UINT64_MAX :
				kept + below(&row, room - range(e) + 1);
		if (e->at > size || !pp_fits(range(e), size - e->at) ||
		    (e->what == PP_EDIT_SPLICE && e->size > size))
			return pp_fail(error, PP_E_USE, "the input has only %llu bytes",
				       (unsigned long long)size);
		e->place = PP_PLACE_BYTE;
		e->from = below(&row, size - (e->what == PP_EDIT_SPLICE ? e->size : 0) + 1);
	}
	return 0;
}

/* ---- Bytes ---- */

static int read_all(const struct job *j, size_t size, uint64_t at)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(j->in, (uint8_t *)(uintptr_t)j->buffer + done, size - done,
					j->start + (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = EIO;            /* it became shorter meanwhile */
		if (n <= 0)
			return pp_fail_os(j->error, "cannot read");
		done += (size_t)n;
	}
	return 0;
}

static int write_all(const struct job *j, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = write(j->out, j->buffer + done, size - done);

		if (n < 0 && pp_try_again(j->out, POLLOUT))
			continue;
		if (n < 0)
			return pp_fail_output(j->error);
		done += (size_t)n;
	}
	return 0;
}

static int insert(struct job *j, const struct pp_edit *e)
{
	for (uint64_t done = 0; done < e->size;) {
		const size_t n = (size_t)(e->size - done < BUFFER ? e->size - done : BUFFER);

		for (size_t i = 0; i < n && e->what == PP_EDIT_INSERT; i++)
			j->buffer[i] = (uint8_t)draw(&j->bytes_row);
		if (e->what == PP_EDIT_SPLICE && read_all(j, n, e->from + done))
			return -1;
		if (write_all(j, n))
			return -1;
		done += n;
	}
	return 0;
}

/* Each byte of the input has its own draw, whatever else is done to it. */
static void flip(struct job *j, uint64_t at, size_t n, bool seen)
{
	const bool all = j->d->flip >= 1;
	const uint64_t limit = all ? 0 : (uint64_t)(j->d->flip * 18446744073709551616.0);

	for (size_t i = 0; i < n; i++) {
		if (at + i < j->d->keep || (draw(&j->flip_row) >= limit && !all))
			continue;
		j->buffer[i] ^= (uint8_t)(1 + below(&j->flip_row, 255));
		j->changed += seen;
	}
}

static bool covered(const struct pp_damage *d, enum pp_edit_kind what, uint64_t at)
{
	for (size_t i = 0; i < d->n_edits; i++) {
		const struct pp_edit *const e = &d->edits[i];

		if (e->what == what && e->at <= at && at - e->at < e->size)
			return true;
	}
	return false;
}

/* A piece of the input that no edit begins or ends in. */
static int pass(struct job *j, uint64_t at, size_t n)
{
	const bool zeroed = covered(j->d, PP_EDIT_ZERO, at);
	const bool dropped = covered(j->d, PP_EDIT_DROP, at);

	if (read_all(j, n, at))
		return -1;
	if (j->d->flip > 0)
		flip(j, at, n, !zeroed && !dropped);
	if (zeroed)
		memset(j->buffer, 0, n);
	return dropped ? 0 : write_all(j, n);
}

/* Where the next edit begins or ends; `end` if none does before. */
static uint64_t boundary(const struct pp_damage *d, uint64_t at, uint64_t end)
{
	for (size_t i = 0; i < d->n_edits; i++) {
		const struct pp_edit *const e = &d->edits[i];
		const uint64_t stop = e->at + range(e);

		if (e->at > at && e->at < end)
			end = e->at;
		if (stop > at && stop < end)
			end = stop;
	}
	return end;
}

static int insert_here(struct job *j, uint64_t at)
{
	for (size_t i = 0; i < j->d->n_edits; i++) {
		const struct pp_edit *const e = &j->d->edits[i];

		if (e->at != at || (e->what != PP_EDIT_INSERT && e->what != PP_EDIT_SPLICE))
			continue;
		if (insert(j, e))
			return -1;
	}
	return 0;
}

static int run(struct job *j, uint64_t end)
{
	uint64_t at = 0;

	for (size_t i = 0; i < j->d->n_edits; i++)
		if (j->d->edits[i].what == PP_EDIT_CUT && j->d->edits[i].at < end)
			end = j->d->edits[i].at;
	if (insert_here(j, at))
		return -1;
	while (at < end) {
		const uint64_t until = boundary(j->d, at, end);

		while (at < until) {
			const size_t n = (size_t)(until - at < BUFFER ? until - at : BUFFER);

			if (pass(j, at, n))
				return -1;
			at += n;
		}
		if (insert_here(j, at))
			return -1;
	}
	return 0;
}

int pp_damage(struct pp_damage *d, int in, int64_t start, uint64_t size, int out,
	      struct pp_error *error)
{
	struct job *const j = malloc(sizeof(*j));
	int status;

	if (!j)
		return pp_fail(error, PP_E_NOMEM, NULL);
	j->d = d;
	j->in = in;
	j->out = out;
	j->start = (off_t)start;
	j->error = error;
	j->bytes_row = d->seed + 1;
	j->flip_row = d->seed ^ UINT64_C(0x5555555555555555);
	j->changed = 0;
	status = run(j, size);
	d->changed = j->changed;
	free(j);
	return status;
}
