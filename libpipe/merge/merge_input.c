/* merge_input.c - one input of a merge: opened, read without waiting; and what was kept of its head. */
#include "merge/merge.h"

#include <poll.h>
#include <stdlib.h>

enum {
	HEAD_MOST = 1 << 28,          /* bytes kept of what comes before an input's first record */
	TAIL_ROOM = 1 << 18,          /* of tracing data: the rest waits in a file */
};

/* ---- Opening ---- */

struct pp_merge_input *pp_merge_input_new(struct pp_merge *m, struct pp_reader *reader,
					  struct pp_error *error)
{
	struct pp_merge_input *in = calloc(1, sizeof(*in));

	if (!in) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	in->spill.spool.fd = in->state.fd = in->tracing.fd = -1;
	in->merge = m;
	in->index = m->count;
	in->reader = reader;
	if (m->options.enlarge_pipes)
		pp_enlarge_pipe(pp_reader_fd(in->reader));
	in->stream = pp_reader_stream(in->reader);
	in->member.attrs = in->stream->attrs;
	in->member.foreign = in->stream->foreign;
	return in;
}

void pp_merge_input_close(struct pp_merge_input *in)
{
	pp_rounds_close(in->rounds);
	pp_reader_close(in->reader);
	pp_member_close(&in->member);
	free(in->notes.data);
	free(in->features.data);
	free(in->old_names.data);
	free(in->updates.data);
	pp_spool_close(&in->tracing);
	pp_spool_close(&in->state);
	free(in->queue.data);
	free(in->copy.data);
	free(in->moved.data);
	free(in->made.data);
	pp_attribution_close(&in->files);
	pp_spool_close(&in->spill.spool);
	free(in);
}

/* ---- Reading ---- */

int pp_merge_input_next(struct pp_merge_input *in, struct pp_record *rec, struct pp_error *error)
{
	int got;

	while ((got = pp_reader_next(in->reader, rec, error)) < 0) {
		if (in->merge->writer && pp_writer_os(in->merge->writer))
			return -1;
		if (got == PP_AGAIN) {
			*error = (struct pp_error){ .code = PP_OK };
			return PP_NOT_YET;
		}
		pp_merge_damaged(in, error);
		if (pp_error_ends(error))
			break;
		*error = (struct pp_error){ .code = PP_OK };
	}
	if (got < 0)
		*error = (struct pp_error){ .code = PP_OK };
	in->read = got <= 0;
	in->progress = true;
	return got > 0;
}

void pp_merge_input_wait(const struct pp_merge_input *in, int ms)
{
	struct pollfd p = { .fd = pp_reader_fd(in->reader), .events = POLLIN };

	/* a signal that comes meanwhile shortens it, and who asked asks again */
	(void)poll(&p, 1, ms);
}

int pp_merge_input_tail_ended(struct pp_merge_input *in, int got, struct pp_error *error)
{
	if (!got)
		return 0;
	if (pp_writer_os(in->merge->writer))
		return -1;
	if (got == PP_AGAIN) {
		*error = (struct pp_error){ .code = PP_OK };
		return PP_NOT_YET;
	}
	pp_merge_damaged(in, error);
	*error = (struct pp_error){ .code = PP_OK };
	return 1;
}

int pp_merge_input_tail(struct pp_merge_input *in, struct pp_spool *to, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	if (!to->room && pp_spool_open(to, TAIL_ROOM))
		return pp_merge_no_memory(error);
	pp_spool_cut(to, 0);
	do {
		while ((got = pp_reader_tail(in->reader, &piece, &size, error)) > 0)
			if (pp_spool_write(to, piece, size, error))
				return -1;
		got = pp_merge_input_tail_ended(in, got, error);
		if (got == PP_NOT_YET)
			pp_merge_input_wait(in, -1);
	} while (got == PP_NOT_YET);
	if (got == 1)
		pp_spool_cut(to, 0);
	return got;
}

/* ---- What its head said ---- */

int pp_head_keep(struct pp_buffer *b, const void *data, size_t size, struct pp_error *error)
{
	if (!pp_fits(size, HEAD_MOST - b->size))
		return pp_fail(error, PP_E_VALUE, "more than %d bytes before the first record",
			       HEAD_MOST);
	return pp_buffer_add(b, data, size, error);
}

bool pp_merge_input_feature(const struct pp_merge_input *in, uint64_t wanted, struct pp_record *rec)
{
	uint64_t number;

	for (size_t at = 0; pp_head_each(&in->features, &at, rec);)
		if (pp_find_feature(rec, &number) && number == wanted && rec->size > 16)
			return true;
	return false;
}

bool pp_merge_input_same_feature(const struct pp_merge_input *a, const struct pp_merge_input *b,
				 uint64_t number)
{
	struct pp_record x, y;

	return !pp_merge_input_feature(a, number, &x) || !pp_merge_input_feature(b, number, &y) ||
	       (x.size == y.size && !memcmp(x.data, y.data, x.size));
}
