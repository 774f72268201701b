/*
 * compressed.c - compressed records of a stream that is mended: they pass as they came as long as
 * all in them is sound, and what they hold leaves plain from the first damage on.
 */
#include "mend/mend.h"

#include <stdlib.h>

enum { EXPANDED = 16 << 20 };         /* the most that is kept of it */

void pp_mend_reset_packed(struct pp_mend_packed *packed)
{
	pp_expand_free(packed->expand);
	free(packed->exp);
	*packed = (struct pp_mend_packed){ .exp = NULL };
}

/* What is held leaves plain, and so does all that comes. */
void pp_mend_turn_plain(struct mend *m)
{
	if (m->packed.plain)
		return;
	m->packed.plain = true;
	for (size_t i = m->out.first_mark; i < m->out.n_marks; i++)
		if (m->out.marks[i].kind == HELD) {
			m->out.marks[i].kind = REPLACE;
			m->out.undecided--;
		}
}

/* A record among those that were expanded: 1, 0: it is not whole, -1: it is not a record. */
static int judge_expanded(struct mend *m, struct pp_judged *j)
{
	/* what was not doubted before is believed more */
	const uint64_t reach = UINT64_C(86400) * 1000000000 * (m->packed.plain ? 1 : 100);
	uint8_t *p = m->packed.exp + m->packed.exp_at;
	const size_t have = m->packed.exp_end - m->packed.exp_at;
	size_t size;

	if (have < PP_HEADER_SIZE)
		return 0;
	size = pp_in_order16(p + 6, m->known.foreign);
	if (size < PP_HEADER_SIZE || !pp_evidence_header(&m->known, p))
		return -1;
	if (size > have)
		return 0;
	pp_evidence_judge(&m->known, p, size, j);
	if (!j->sound || j->host.type >= PP_USER_TYPES)
		return -1;
	if (j->timed && ((m->known.times.newest && j->time > m->known.times.newest + reach) ||
			 !pp_mend_take_time(m, 0, 0, j->time, false)))
		return -1;
	return 1;
}

/* Goes over the bytes at exp_at that are no record. */
static void resync_expanded(struct mend *m)
{
	const size_t stop = m->packed.exp_end;
	struct pp_judged j;

	for (m->packed.exp_at++; m->packed.exp_at + PP_HEADER_SIZE <= stop; m->packed.exp_at++) {
		const uint8_t *p = m->packed.exp + m->packed.exp_at;
		size_t size;

		if (!pp_evidence_strict_header(&m->known, p))
			continue;
		size = pp_in_order16(p + 6, m->known.foreign);
		if (size > stop - m->packed.exp_at)
			continue;
		pp_evidence_judge(&m->known, m->packed.exp + m->packed.exp_at, size, &j);
		if (pp_evidence_weight(&m->known, &j) < 3)
			continue;
		m->packed.exp_lost = false;
		return;
	}
	m->packed.exp_at = m->packed.exp_end;
	m->packed.exp_lost = true;
}

/* Walks what was expanded; where all leaves plain it is written.  False: damage. */
static bool walk_expanded(struct mend *m)
{
	bool sound = true;
	struct pp_judged j;

	if (m->packed.exp_lost && m->packed.exp_end > m->packed.exp_at) {
		m->packed.exp_at--;
		resync_expanded(m);
	}
	while (m->packed.exp_at < m->packed.exp_end) {
		const size_t at = m->packed.exp_at;
		const int is = judge_expanded(m, &j);

		if (!is)
			break;
		if (is < 0) {
			sound = false;
			if (!m->packed.plain)
				return false;
			resync_expanded(m);
			continue;
		}
		m->packed.exp_at += j.host.size;
		pp_mend_count_record(m, &j, j.host.size);
		if (m->packed.plain)
			pp_mend_put(m, m->packed.exp + at, j.host.size);
	}
	return sound;
}

/* Everything before it has to be written before anything follows. */
static void settle(struct mend *m)
{
	pp_mend_judge_rest(m, false);
	pp_mend_commit(m, m->in.at);
	if (!m->packed.exp_at)
		return;
	m->packed.exp_end -= m->packed.exp_at;
	memmove(m->packed.exp, m->packed.exp + m->packed.exp_at, m->packed.exp_end);
	m->packed.exp_at = 0;
}

static bool begins_frame(const uint8_t *data, size_t size)
{
	return size >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4);
}

static bool open_expander(struct mend *m)
{
	pp_expand_free(m->packed.expand);
	m->packed.expand = pp_expand_new();
	if (!m->packed.expand)
		pp_mend_out_of_memory(m);
	return !m->failed && (m->packed.exp || pp_mend_grow(m, &m->packed.exp, &m->packed.exp_room));
}

/* Room for what expands, where little is left. */
static bool make_room_to_expand(struct mend *m)
{
	struct pp_mend_packed *const p = &m->packed;

	if (p->exp_room - p->exp_end >= p->exp_room / 4)
		return true;
	if (p->exp_room < EXPANDED && (!p->plain || p->exp_at < p->exp_room / 2))
		return pp_mend_grow(m, &p->exp, &p->exp_room);
	if (!p->plain)
		pp_mend_release_held(m);
	p->exp_end -= p->exp_at;
	memmove(p->exp, p->exp + p->exp_at, p->exp_end);
	p->exp_at = p->whole = 0;
	return true;
}

/* Expands a piece and walks it.  1, 0: there is damage in what came out, -1: it does not expand. */
static int expand(struct mend *m, const uint8_t *data, size_t size)
{
	struct pp_mend_packed *const p = &m->packed;
	struct pp_error error = { .code = PP_OK };
	int status = 1;

	pp_expand_feed(p->expand, data, size);
	while (pp_expand_pending(p->expand)) {
		ssize_t n;

		if (!make_room_to_expand(m))
			return -1;
		n = pp_expand_more(p->expand, p->exp + p->exp_end, p->exp_room - p->exp_end, &error);
		if (n < 0 && pp_error_status(&error) == 4)
			pp_mend_out_of_memory(m);
		if (n < 0)
			return -1;
		p->exp_end += (size_t)n;
		if (!walk_expanded(m)) {
			status = 0;
			if (!p->plain)
				return 0;
		}
	}
	return status;
}

/* From now on nothing is held: what is, and what comes, leaves plain. */
static void begin_plain(struct mend *m)
{
	if (m->packed.plain)
		return;
	pp_mend_turn_plain(m);
	pp_mend_end_range(m, m->in.at);
	settle(m);
}

/* After damage a carrier is of use only where a frame begins.  False: it was left out. */
static bool find_frame(struct mend *m, uint32_t type, size_t size)
{
	begin_plain(m);
	m->packed.exp_at = m->packed.exp_end = 0;
	m->packed.exp_lost = true;
	if (!begins_frame(here(m, m->in.at) + m->packed.carrier.at, m->packed.carrier.length)) {
		pp_mend_drop(m, m->in.at, size, "a piece of data that cannot be expanded", type);
		return false;
	}
	m->packed.z_lost = false;
	return open_expander(m);
}

/* One that is sound, whose last record may go on in the next. */
static void hold(struct mend *m, size_t size, bool fix)
{
	struct mark *k = pp_mend_mark(m, HELD, m->in.at, size);

	k->fix = fix;
	k->from = m->packed.whole;
	k->to = m->packed.whole = m->packed.exp_at;
	k->z_at = m->packed.carrier.at;
	k->z_length = m->packed.carrier.length;
	m->stats->repaired += fix;
	if (m->packed.exp_at != m->packed.exp_end)
		return;
	pp_mend_release_held(m);
	m->packed.exp_at = m->packed.exp_end = m->packed.whole = 0;
}

/* Its whole records are written before the rest of it is reported. */
static void lose(struct mend *m, size_t size, uint32_t type)
{
	m->packed.exp_end = m->packed.exp_at;
	if (!m->packed.plain) {
		struct mark *k = pp_mend_mark(m, HELD, m->in.at, 0);

		k->from = m->packed.whole;
		k->to = m->packed.exp_at;
	}
	begin_plain(m);
	m->packed.exp_at = m->packed.exp_end = 0;
	m->packed.exp_lost = m->packed.z_lost = true;
	pp_mend_drop(m, m->in.at, size, "cannot be expanded", type);
}

static void open_carrier(struct mend *m, uint32_t type, size_t size, bool fix)
{
	int got;

	if (!m->packed.expand && !open_expander(m))
		return;
	if (m->packed.z_lost && !find_frame(m, type, size))
		return;
	if (m->packed.plain) {
		pp_mend_end_range(m, m->in.at);
		settle(m);
	}
	got = expand(m, here(m, m->in.at) + m->packed.carrier.at, m->packed.carrier.length);
	if (m->failed)
		return;
	if (got < 0 || (!got && !m->packed.plain))
		lose(m, size, type);
	else if (!m->packed.plain)
		hold(m, size, fix);
	else if (!got)
		pp_mend_drop(m, m->in.at, size, "records among compressed ones", type);
	else
		pp_mend_mark(m, DROP, m->in.at, size);
}

/* Before a carrier: is the feature COMPRESSED among what was lost? */
static bool lost_promise(const struct mend *m)
{
	const struct pp_composed_input *file = &m->source.pieces;

	return !m->packed.promised &&
	       (m->stats->ranges || m->judge.open || file->killed || file->late.code);
}

/* The feature COMPRESSED, at the scan: it leaves if something compressed does. */
void pp_mend_take_promise(struct mend *m, size_t size)
{
	struct mark *k = pp_mend_mark(m, m->packed.plain ? DROP : HELD, m->in.at, size);

	k->from = k->to = 0;
	m->packed.promised = true;
}

/* A carrier that is whole, at the scan. */
void pp_mend_take_carrier(struct mend *m, uint32_t type, size_t size)
{
	struct pp_carrier *c = &m->packed.carrier;
	const bool fix = type == PP_REC_COMPRESSED2 &&
		(pp_in_order64(here(m, m->in.at) + 8, m->known.foreign) != c->length ||
		 pp_in_order16(here(m, m->in.at) + 6, m->known.foreign) != c->size);

	if (type == PP_REC_COMPRESSED) {
		c->at = PP_HEADER_SIZE;
		c->length = size - PP_HEADER_SIZE;
	}
	if (lost_promise(m))
		begin_plain(m);
	open_carrier(m, type, size, fix);
	m->in.at += size;
	m->in.last = m->in.at;
}
