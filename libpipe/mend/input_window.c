/* input_window.c - the bytes of the input at hand: read when they are needed, released when they are
 * decided. */
#include "mend/mend.h"

#include <stdlib.h>

int pp_mend_open_input(struct pp_mend_input *in)
{
	in->room = ROOM;
	in->buf = malloc(in->room);
	return !in->buf || pp_sum_open(&in->sum) ? -1 : 0;
}

void pp_mend_reset_input(struct pp_mend_input *in)
{
	*in = (struct pp_mend_input){ .buf = in->buf, .room = in->room, .sum = in->sum };
	if (in->sum.state)
		pp_sum_start(&in->sum, 0, 0, 0);
}

void pp_mend_close_input(struct pp_mend_input *in)
{
	pp_sum_close(&in->sum);
	free(in->buf);
}

void pp_mend_sum_to(struct mend *m, uint64_t pos)
{
	if (m->in.sealed_in && m->verify && pos > m->in.summed)
		pp_sum_add(&m->in.sum, here(m, m->in.summed), pos - m->in.summed);
	if (pos > m->in.summed)
		m->in.summed = pos;
}

/* Lets go of what is decided, and moves the rest to the front where room is short. */
static void make_room_for_input(struct mend *m)
{
	const uint64_t safe = m->judge.open ? m->in.at : m->in.last;
	uint64_t keep;

	pp_mend_commit(m, safe);
	pp_mend_flush(m);
	if (m->in.room - m->in.end >= PIECE || m->failed) {
		if (limit(m) - m->out.committed > PIECE / 4)
			return;
	} else if (m->out.undecided && limit(m) - m->out.committed > WINDOW / 2) {
		pp_mend_judge_rest(m, false);
		pp_mend_commit(m, safe);
		pp_mend_flush(m);
	}
	pp_mend_sum_to(m, m->in.at);
	pp_mend_sum_committed(m);
	keep = m->out.committed < m->in.at ? m->out.committed : m->in.at;
	memmove(m->in.buf, here(m, keep), limit(m) - keep);
	m->in.end = limit(m) - keep;
	m->in.base = keep;
	if (m->in.room - m->in.end < PIECE && m->in.room < WINDOW)
		pp_mend_grow(m, &m->in.buf, &m->in.room);
}

bool pp_mend_need(struct mend *m, uint64_t pos, uint64_t size)
{
	while (limit(m) < pos + size) {
		enum pp_input_got got;
		size_t n;

		if (m->in.eof || m->failed)
			return false;
		make_room_for_input(m);
		if (m->in.room == m->in.end || m->failed)
			return false;
		got = pp_input_read(&m->source, m->in.buf + m->in.end,
				    m->in.room - m->in.end < PIECE ? m->in.room - m->in.end : PIECE,
				    &n, m->error);
		if (got == PP_SOURCE_FAILED && pp_error_status(m->error) != 3) {
			m->failed = true;
			return false;
		}
		/* a source that is damaged itself ends here */
		m->in.source_cut = got == PP_SOURCE_FAILED;
		m->in.eof = m->in.source_cut || got == PP_SOURCE_END;
		m->in.end += n;
		m->stats->bytes += n;
	}
	return true;
}
