/* window.c - the bytes of the input at hand: read when they are needed, released when they are
 * decided.  What they mean is left to scan.c. */
#include "mend/mend.h"

void pp_mend_sum_to(struct mend *m, uint64_t pos)
{
	if (m->sealed_in && m->verify && pos > m->summed)
		pp_sum_add(&m->in, here(m, m->summed), pos - m->summed);
	if (pos > m->summed)
		m->summed = pos;
}

/* Lets go of what is decided, and moves the rest to the front where room is short. */
static void make_room(struct mend *m)
{
	const uint64_t safe = m->open ? m->at : m->last;
	uint64_t keep;

	pp_mend_commit(m, safe);
	pp_mend_flush(m);
	if (m->room - m->end >= PIECE || m->failed) {
		if (limit(m) - m->committed > PIECE / 4)
			return;
	} else if (m->undecided && limit(m) - m->committed > WINDOW / 2) {
		pp_mend_judge_rest(m, false);
		pp_mend_commit(m, safe);
		pp_mend_flush(m);
	}
	pp_mend_sum_to(m, m->at);
	keep = m->committed < m->at ? m->committed : m->at;
	memmove(m->buf, here(m, keep), limit(m) - keep);
	m->end = limit(m) - keep;
	m->base = keep;
	if (m->room - m->end < PIECE && m->room < WINDOW)
		pp_mend_grow(m, &m->buf, &m->room);
}

bool pp_mend_need(struct mend *m, uint64_t pos, uint64_t size)
{
	while (limit(m) < pos + size) {
		enum pp_source_got got;
		size_t n;

		if (m->eof || m->failed)
			return false;
		make_room(m);
		if (m->room == m->end || m->failed)
			return false;
		got = pp_source_read(&m->source, m->buf + m->end,
				     m->room - m->end < PIECE ? m->room - m->end : PIECE, &n, m->error);
		if (got == PP_SOURCE_FAILED && pp_error_status(m->error) != 3) {
			m->failed = true;
			return false;
		}
		/* a source that is damaged itself ends here */
		m->source_cut = got == PP_SOURCE_FAILED;
		m->eof = m->source_cut || got == PP_SOURCE_END;
		m->end += n;
		m->stats->bytes += n;
	}
	return true;
}
