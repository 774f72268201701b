/*
 * scan.c - reads along the input record by record, and after damage goes to the next place where there
 * are records beyond doubt.  compressed.c reads the contents of compressed records.
 */
#include "base/array.h"
#include "format/payload.h"
#include "mend/mend.h"

#include <stdlib.h>

enum {
	CHAIN = 12,                   /* records looked at for evidence */
	TAIL_MOST = 1 << 30,
};

/* ---- Evidence ---- */

/* The length of simpleperf's own record that is too long for a stream; 0: it is not one. */
static size_t own_size(const struct mend *m, const uint8_t *p)
{
	const bool foreign = m->known.foreign;
	const size_t size = pp_in_order16(p + 6, foreign);
	const size_t whole = pp_simpleperf_size(pp_in_order32(p, foreign), pp_in_order16(p + 4, foreign),
						size);

	return m->simpleperf && whole != size ? whole : 0;
}

/* Size of the record whose header is there; 0: none that is possible. */
static size_t size_at(struct mend *m, uint64_t pos, struct pp_carrier *c)
{
	const uint8_t *p = here(m, pos);
	size_t size = pp_in_order16(p + 6, m->known.foreign);

	if (pp_in_order32(p, m->known.foreign) == PP_REC_COMPRESSED2) {
		if (!pp_mend_need(m, pos, PP_CARRIER_HEAD))
			return 0;
		pp_carrier_size2(c, here(m, pos), m->known.foreign);
		size = c->damaged ? 0 : c->size;
	}
	return size < PP_HEADER_SIZE ? 0 : size;
}

/* Whether there are records at `pos` beyond doubt. */
static bool proven(struct mend *m, uint64_t pos)
{
	struct pp_carrier c = { .chain = 0 };
	struct pp_judged j;
	unsigned weight = 0;

	for (int i = 0; i < CHAIN && weight < PP_EVIDENCE_ENOUGH; i++) {
		unsigned w;
		size_t size;

		if (!pp_mend_need(m, pos, PP_HEADER_SIZE))
			return weight > 2 && limit(m) == pos;
		if (!pp_evidence_strict_header(&m->known, here(m, pos)))
			return false;
		size = size_at(m, pos, &c);
		if (!size || !pp_mend_need(m, pos, size))
			return false;
		pp_evidence_judge(&m->known, here(m, pos), size, &j);
		w = pp_evidence_weight(&m->known, &j);
		if (!w)
			return false;
		weight += w;
		pos += size;
		if (j.tail && (j.tail > WINDOW / 4 || !pp_mend_need(m, pos, j.tail)))
			return weight >= PP_EVIDENCE_ENOUGH;
		pos += j.tail;
	}
	return weight >= PP_EVIDENCE_ENOUGH;
}

/* Whether what follows from `pos` on may be a stream's. */
static bool goes_on(struct mend *m, uint64_t pos)
{
	struct pp_carrier c = m->packed.carrier;

	for (int i = 0; i < CHAIN; i++) {
		size_t size;

		if (!pp_mend_need(m, pos, PP_HEADER_SIZE))
			return limit(m) == pos;
		if (!pp_evidence_header(&m->known, here(m, pos)))
			return false;
		if (own_size(m, here(m, pos)))
			return true;
		size = size_at(m, pos, &c);
		if (!size || !pp_mend_need(m, pos, size))
			return false;
		if (pp_type(pp_in_order32(here(m, pos), m->known.foreign)))
			return true;
		pos += size;
	}
	return true;
}

static bool possible(const struct mend *m, uint64_t pos)
{
	return pp_evidence_strict_header(&m->known, here(m, pos));
}

/* Whether records follow one another from `q` to `end`.  `seen` has a bit for each place after `begin` from
 * which they do not. */
static bool reaches(struct mend *m, uint64_t q, uint64_t begin, uint64_t end, uint8_t *seen)
{
	struct pp_carrier c = { .chain = 0 };
	struct pp_judged j;

	while (q < end) {
		const size_t at = (size_t)(q - begin);
		size_t size;

		if (seen[at / 8] >> at % 8 & 1 || !pp_mend_need(m, q, PP_HEADER_SIZE) || !possible(m, q))
			return false;
		seen[at / 8] |= (uint8_t)(1U << at % 8);
		size = size_at(m, q, &c);
		if (!size || !pp_mend_need(m, q, size))
			return false;
		pp_evidence_judge(&m->known, here(m, q), size, &j);
		if (!pp_evidence_weight(&m->known, &j))
			return false;
		q += size + j.tail;
	}
	return q == end;
}

/* A record that is longer than it should be: does it hold others? */
static bool swallowed(struct mend *m, uint64_t pos, size_t size)
{
	for (uint64_t q = pos + PP_HEADER_SIZE; q + PP_HEADER_SIZE <= pos + size; q++)
		if (possible(m, q) && proven(m, q))
			return true;
	return false;
}

/*
 * A FINISHED_ROUND with seals, notes or names that were altered still is as long as it was if records beyond
 * doubt follow it.  What is in it may look like records by chance; those that a longer one swallowed lead to
 * its end.
 */
static bool is_altered_payload(struct mend *m, uint64_t pos, size_t size)
{
	uint8_t seen[PP_RECORD_MAX / 8 + 1] = { 0 };
	const uint64_t end = pos + size;

	if (pp_mend_need(m, end, 1) && !proven(m, end))
		return false;
	for (uint64_t q = pos + PP_HEADER_SIZE; q + PP_HEADER_SIZE <= end; q++)
		if (possible(m, q) && proven(m, q) && reaches(m, q, pos, end, seen))
			return false;
	return true;
}

/* Whether the header of another stream is there. */
static bool begins_stream(struct mend *m, uint64_t pos)
{
	const uint8_t *size;

	/* no more is waited for than a record's header */
	if (!pp_mend_need(m, pos, PP_HEADER_SIZE) || !pp_is_stream_magic(here(m, pos)) ||
	    !pp_mend_need(m, pos, PP_PIPE_HEADER))
		return false;
	size = here(m, pos) + 8;
	return pp_load64(size) == PP_PIPE_HEADER || pp_in_order64(size, true) == PP_PIPE_HEADER;
}

void pp_mend_drop_rest(struct mend *m)
{
	const char *const what = begins_stream(m, m->in.at) ? pp_mend_another :
							   "bytes after the last seal";

	pp_mend_end_range(m, m->in.at);
	while (pp_mend_need(m, m->in.at, 1)) {
		pp_mend_drop(m, m->in.at, limit(m) - m->in.at, what, 0);
		m->in.at = m->in.last = limit(m);
	}
}

/* Continues after the damage, at the next record that is proven to be one. */
static void resync(struct mend *m, uint64_t first, const char *what, uint32_t type)
{
	m->packed.carrier.chain = 0;
	if (m->packed.expand || m->packed.carrier.length)
		m->packed.z_lost = true;
	pp_mend_drop(m, m->in.at, first - m->in.at, what, type);
	m->in.at = m->in.last = first;
	for (;;) {
		uint64_t q = m->in.at;
		uint64_t stop;

		if (!pp_mend_need(m, q, PP_HEADER_SIZE)) {
			if (limit(m) > q)
				pp_mend_drop(m, q, limit(m) - q, what, type);
			m->in.at = m->in.last = limit(m);
			return;
		}
		stop = limit(m) - PP_HEADER_SIZE;
		while (q <= stop && !possible(m, q) && !pp_is_stream_magic(here(m, q)))
			q++;
		if (q > m->in.at)
			pp_mend_drop(m, m->in.at, q - m->in.at, what, type);
		m->in.at = m->in.last = q;
		if (q > stop)
			continue;
		if (proven(m, q) || begins_stream(m, q))
			return;
		pp_mend_drop(m, q, 1, what, type);
		m->in.at = m->in.last = q + 1;
	}
}

/* ---- Seals ---- */

/* What a seal covers is not what it was made for. */
static void tell_altered(struct mend *m, const struct pp_seal *seal, uint64_t to)
{
	struct pp_mended r = { .from = m->in.sum.from, .to = to, .altered = true,
			       .what = "altered somewhere" };
	const uint64_t distance = to - m->in.sum.from;

	if (seal->number == m->in.sum.number && seal->bytes > distance &&
	    seal->bytes - distance < UINT64_C(1) << 40) {
		r.what = "bytes are missing somewhere";
		r.samples = pp_mend_estimate(m, seal->bytes - distance);
		if (pp_attrs_count(m->known.attrs)) {
			struct mark *k = pp_mend_mark(m, DROP, to, 0);

			k->lost = r.samples;
			k->time = m->known.kept.newest;
		}
		pp_mend_tell(m, &r);
	} else if (m->judge.told <= r.from) {
		pp_mend_tell(m, &r);          /* else what was lost in between explains it */
	}
	m->judge.told = to;
}

static bool seal_holds(struct mend *m, const struct pp_seal *seal, uint64_t pos)
{
	const uint64_t from = m->in.sum.from;
	const bool expected = seal->number == m->in.sum.number && seal->bytes == pos - from;

	if (expected && m->in.summed == from && from >= m->in.base &&
	    pp_sum_seal_after(&m->in.sum, here(m, from), pos - from) == seal->xxh3)
		return true;
	pp_mend_sum_to(m, pos);
	return expected && pp_sum_seal(&m->in.sum, here(m, pos)) == seal->xxh3;
}

static void begin_sealed(struct mend *m)
{
	m->out.sealed = m->in.sealed_in = true;
	/* the header left already, and both hashes begin with it */
	pp_sum_start(&m->in.sum, 0, 0, 0);
	pp_sum_start(&m->out.sum, 0, 0, 0);
	pp_sum_add(&m->in.sum, m->in.head, PP_PIPE_HEADER);
	pp_sum_add(&m->out.sum, m->in.head, PP_PIPE_HEADER);
	m->in.summed = PP_PIPE_HEADER;
}

/* A seal where the input has none before it: it can only say that there was damage. */
static void take_stray_seal(struct mend *m, const struct pp_seal *seal)
{
	if (seal->flags & PP_SEAL_DAMAGED)
		m->stats->flagged = true;
	if (seal->flags & PP_SEAL_END || !seal->number)
		pp_mend_mark(m, DROP, m->in.at, PP_SEAL_SIZE);
	else
		pp_mend_mark(m, ROUND, m->in.at, PP_SEAL_SIZE);
	if (seal->number && !(seal->flags & PP_SEAL_END))
		pp_mend_count_round(m);
}

/* What is written is sealed again at the scan: with the same seal, if nothing before it is changed. */
static void mark_seal(struct mend *m, const struct pp_seal *seal, bool right)
{
	struct mark *const k = pp_mend_mark(m, SEAL, m->in.at, PP_SEAL_SIZE);

	k->flags = m->in.flags;
	k->right = right && seal->flags == k->flags &&
		   pp_seal_is_exact(seal, here(m, m->in.at), m->known.foreign);
	k->xxh3 = seal->xxh3;
}

static void take_seal(struct mend *m, const struct pp_seal *seal)
{
	const uint64_t pos = m->in.at, next = pos + PP_SEAL_SIZE;
	bool holds;

	if (pos == PP_PIPE_HEADER && !seal->number && !m->out.sealed)
		begin_sealed(m);
	if (!m->in.sealed_in) {
		take_stray_seal(m, seal);
		return;
	}
	holds = !m->verify || seal_holds(m, seal, pos);
	if (!holds && seal->number < m->in.sum.number) {
		pp_mend_drop(m, pos, PP_SEAL_SIZE, "a repeated seal", PP_REC_FINISHED_ROUND);
		return;
	}
	if (seal->flags & PP_SEAL_END && !holds && seal->number && pp_mend_need(m, next, 1)) {
		pp_mend_drop(m, pos, PP_SEAL_SIZE, "a last seal that is not the last", PP_REC_FINISHED_ROUND);
		return;
	}
	if (!holds)
		tell_altered(m, seal, pos);
	if (pp_mend_round_mark(m) && seal->number > m->in.sum.number)
		pp_mend_round_mark(m)->due = true;
	m->in.flags |= seal->flags & PP_SEAL_UNSEALED;
	m->stats->flagged |= (seal->flags & PP_SEAL_DAMAGED) != 0;
	pp_sum_start(&m->in.sum, seal->xxh3, seal->number + 1, next);
	m->in.summed = next;
	m->in.ended = seal->flags & PP_SEAL_END && (holds || seal->number);
	if (m->in.ended)
		pp_mend_mark(m, DROP, pos, PP_SEAL_SIZE);
	else
		mark_seal(m, seal, m->verify && holds);
	pp_mend_count_round(m);
}

/* ---- Scanning ---- */

/* What the scan has come to is no record. */
static void broken(struct mend *m, const char *what, uint32_t type)
{
	struct pp_judged j;

	if (m->in.last < m->in.at && !m->judge.open)
		pp_evidence_judge(&m->known, here(m, m->in.last), m->in.at - m->in.last, &j);
	/* the record before it may have lost its end */
	if (m->in.last < m->in.at && !m->judge.open && !pp_evidence_weight(&m->known, &j)) {
		if (m->out.n_marks > m->out.first_mark &&
		    m->out.marks[m->out.n_marks - 1].pos == m->in.last &&
		    m->out.marks[m->out.n_marks - 1].kind == PENDING) {
			m->out.n_marks--;
			m->out.undecided--;
		}
		m->stats->records--;
		m->stats->samples -= j.host.type == PP_REC_SAMPLE;
		pp_mend_drop(m, m->in.last, m->in.at - m->in.last, what, type);
	}
	resync(m, m->in.at + 1, what, type);
}

/* Goes over a tail; false: the input ends in it. */
static bool pass_tail(struct mend *m, uint64_t length, uint32_t type)
{
	while (length) {
		uint64_t n;

		if (!pp_mend_need(m, m->in.at, 1)) {
			const struct pp_mended r = { .from = m->in.at, .to = m->in.at, .type = type,
						     .what = "the end of its data, replaced by "
							     "zeros" };

			pp_mend_mark(m, ZEROS, m->in.at, 0)->to = (size_t)length;
			pp_mend_tell(m, &r);
			return false;
		}
		n = limit(m) - m->in.at;
		n = n < length ? n : length;
		m->in.at += n;
		m->in.last = m->in.at;
		length -= n;
	}
	return true;
}

/* Whether the bytes that a record says to follow it may be as many. */
static bool tail_fits(struct mend *m, uint64_t behind, uint64_t length)
{
	if (length > WINDOW / 4)
		return length <= TAIL_MOST;
	return pp_mend_need(m, behind, length) && goes_on(m, behind + length);
}

/* Events that were lost, where this record describes them. */
static void recover_events(struct mend *m, const struct pp_judged *j)
{
	const size_t from = m->out.made.bytes.size;

	if (pp_evidence_recover(&m->known, &j->host, &m->out.made)) {
		pp_mend_out_of_memory(m);
	} else if (m->out.made.bytes.size > from) {
		struct mark *k = pp_mend_mark(m, MADE, m->in.at, 0);

		k->from = from;
		k->to = m->out.made.bytes.size;
	}
	m->stats->events = m->out.made.events;
}

/* What it says of events and their names.  False: it cannot be, or there is no memory for it. */
static bool take_evidence(struct mend *m, const struct pp_judged *j)
{
	struct pp_error error = { .code = PP_OK };

	if (!pp_evidence_take(&m->known, j, &error))
		return true;
	if (pp_error_status(&error) == 3)
		broken(m, "its fields are impossible", j->host.type);
	else
		pp_mend_out_of_memory(m);
	return false;
}

/* Notes or names that were altered: what is left of them is the round that they stand for. */
static void take_broken_payload(struct mend *m, const struct pp_payload *payload, size_t size)
{
	const struct pp_mended r = { .from = m->in.at, .to = m->in.at + size, .type = PP_REC_FINISHED_ROUND,
				     .what = "what it carries was altered" };

	pp_mend_mark(m, payload->ends_round ? ROUND : DROP, m->in.at, size);
	pp_mend_tell(m, &r);
	if (payload->ends_round)
		pp_mend_count_round(m);
}

/* What a sound record says is taken.  False: it is not to be passed. */
static bool take(struct mend *m, struct pp_judged *j, size_t size)
{
	const uint32_t type = j->host.type;
	const struct pp_payload *payload;
	struct pp_seal seal;

	if (j->timed && !pp_mend_take_time(m, size, type, j->time, true)) {
		pp_mend_drop(m, m->in.at, size, pp_mend_too_old, type);
		m->in.at += size;
		m->in.last = m->in.at;
		return false;
	}
	if (m->stats->ranges)
		recover_events(m, j);
	if (type >= PP_USER_TYPES && !take_evidence(m, j))
		return false;
	m->known.begun = true;
	if (type == PP_REC_HEADER_ATTR && m->late)
		pp_mend_note_late(m, size);
	if (type == PP_REC_HEADER_FEATURE && pp_fits(PP_HEADER_SIZE + 8, size) &&
	    pp_load64(j->host.data + PP_HEADER_SIZE) == PP_FEAT_COMPRESSED)
		pp_mend_take_promise(m, size);
	payload = pp_payload_of(&j->host);
	if (type == PP_REC_FINISHED_ROUND && pp_is_seal(&j->host, &seal))
		take_seal(m, &seal);
	else if (pp_is_index(&j->host))
		pp_mend_mark(m, DROP, m->in.at, size);        /* of what may be another stream by now */
	else if (payload && !payload->fits(&j->host))
		take_broken_payload(m, payload, size);
	else if (pp_is_round(&j->host))
		pp_mend_count_round(m);
	pp_mend_count_record(m, j, size);
	if (type == PP_REC_SAMPLE)
		pp_cpu(&j->host, &m->judge.cpu);
	return true;
}

/* A record longer than its fields, or of no known type, is believed if nothing speaks against it. */
static bool believe(struct mend *m, struct pp_judged *j, size_t size)
{
	const uint64_t at = m->in.at;

	if (j->host.type == PP_REC_FINISHED_ROUND ? !is_altered_payload(m, at, size) :
						    !goes_on(m, at + size) || swallowed(m, at, size))
		return false;
	pp_evidence_judge(&m->known, here(m, m->in.at), size, j);      /* the bytes may have moved */
	return true;
}

/* What is the same of all samples of an event. */
struct run_event {
	const struct pp_attr *attr;   /* NULL: none yet */
	uint64_t id;                  /* that showed it */
	struct pp_plain plain;
};

/* Where each sample has its id; 0: nowhere, or there is one event alone. */
static size_t place_of_ids(const struct pp_attrs *attrs)
{
	return pp_attrs_count(attrs) > 1 ? pp_attrs_at(attrs, 0)->plan.id : 0;
}

/* The event of a sample whose id is at this place.  False: not all its samples show by their size whether
 * they are sound, or they have no time. */
static bool find_run_event(struct pp_attrs *attrs, struct run_event *of, const uint8_t *p, uint16_t size,
			   size_t id_at)
{
	const struct pp_attr *const a = pp_attrs_find(attrs, p, PP_REC_SAMPLE, size);

	if (!a)
		return false;
	of->attr = a;
	of->id = id_at ? pp_load64(p + id_at) : 0;
	of->plain = pp_plain_of(a);
	return of->plain.sure && a->plan.time;
}

/* How many samples that need nothing but to be walked over are at the scan: of a known event, of the size
 * that it gives them, and in time.  *size: of all; *last: where the last one is.  Their times count. */
static uint64_t walk_samples(struct mend *m, size_t *size, const uint8_t **last)
{
	struct pp_evidence *const e = &m->known;
	const uint64_t reach = pp_mend_near(m), oldest = pp_promise_oldest(&e->kept);
	const uint8_t *const begin = here(m, m->in.at), *const end = m->in.buf + m->in.end, *p = begin;
	const size_t id_at = place_of_ids(e->attrs);
	struct run_event of = { .attr = NULL };
	uint64_t newest = e->times.newest, n = 0;

	while (end - p >= PP_HEADER_SIZE && pp_load32(p) == PP_REC_SAMPLE) {
		const uint16_t each = pp_load16(p + 6);
		uint64_t time;

		if (each > end - p || !pp_fits(id_at + sizeof(uint64_t), each))
			break;
		if ((!of.attr || (id_at && pp_load64(p + id_at) != of.id)) &&
		    !find_run_event(e->attrs, &of, p, each, id_at))
			break;
		if (!pp_plain_fills(&of.plain, p, each) ||
		    !pp_fits(of.attr->plan.time + sizeof(uint64_t), each))
			break;
		time = pp_load64(p + of.attr->plan.time);
		if (!time || time == UINT64_MAX || time < oldest)
			break;
		if (time > newest) {
			if (time - newest > reach)
				break;
			newest = time;
		}
		*last = p;
		p += each;
		n++;
	}
	if (newest > e->times.newest) {
		e->times.newest = newest;
		pp_promise_time(&e->kept, newest);
	}
	*size = (size_t)(p - begin);
	return n;
}

static void scan_samples(struct mend *m)
{
	const struct pp_evidence *const e = &m->known;
	struct pp_mend_stats *const s = m->stats;
	const uint8_t *last = NULL;
	struct pp_record rec;
	uint64_t n;
	size_t size;

	if (e->foreign || e->backwards || m->out.undecided || m->judge.open || m->packed.carrier.chain)
		return;
	n = walk_samples(m, &size, &last);
	if (!n)
		return;
	if (e->times.newest > s->last_time)
		s->last_time = e->times.newest;
	s->records += n;
	s->samples += n;
	m->judge.sample_bytes += size;
	m->in.at += size;
	m->in.last = m->in.base + (uint64_t)(last - m->in.buf);
	rec = (struct pp_record){ .type = PP_REC_SAMPLE, .data = here(m, m->in.last), .attrs = e->attrs };
	rec.size = (uint16_t)(m->in.at - m->in.last);
	rec.attr = pp_attrs_find(e->attrs, rec.data, PP_REC_SAMPLE, rec.size);
	pp_id(&rec, &m->judge.id);
	pp_cpu(&rec, &m->judge.cpu);
}

/* Bytes that no stream has: they do not leave, and nothing is lost with them. */
static bool pass_over(struct mend *m, uint64_t length)
{
	while (length) {
		uint64_t n;

		if (!pp_mend_need(m, m->in.at, 1))
			return false;
		n = limit(m) - m->in.at;
		n = n < length ? n : length;
		pp_mend_mark(m, DROP, m->in.at, n);
		m->in.at += n;
		m->in.last = m->in.at;
		length -= n;
	}
	return true;
}

/*
 * A record as only simpleperf writes it: one of its own is too long for a stream, and the data of a
 * TRACING_DATA are in it.  True: it was one, and *more says whether anything follows.
 */
static bool scan_simpleperf(struct mend *m, uint32_t type, bool *more)
{
	const size_t own = own_size(m, here(m, m->in.at));
	const size_t size = pp_in_order16(here(m, m->in.at) + 6, m->known.foreign);
	uint8_t head[PP_HEADER_SIZE + 8];
	uint32_t length;

	if (own) {
		pp_mend_end_range(m, m->in.at);
		*more = pass_over(m, own);
		return true;
	}
	if (type != PP_REC_HEADER_TRACING_DATA || !pp_fits(PP_HEADER_SIZE, size) ||
	    !pp_mend_need(m, m->in.at, size) || !goes_on(m, m->in.at + size))
		return false;
	length = pp_simpleperf_tracing(head, here(m, m->in.at), size, m->known.foreign);
	if (!length)
		return false;
	if (pp_buffer_add(&m->out.made.bytes, head, sizeof(head), NULL)) {
		pp_mend_out_of_memory(m);
		*more = false;
		return true;
	}
	pp_mend_end_range(m, m->in.at);
	pp_mend_mark(m, MADE, m->in.at, 0)->from = m->out.made.bytes.size - sizeof(head);
	m->out.marks[m->out.n_marks - 1].to = m->out.made.bytes.size;
	m->stats->records++;
	*more = pass_over(m, PP_HEADER_SIZE + 4) && pass_tail(m, length, type) &&
		pass_over(m, size - PP_HEADER_SIZE - 4 - length);
	return true;
}

static bool waits_long(const struct mend *m)
{
	return m->out.n_marks - m->out.first_mark > MARKS_MOST / 2 ||
	       (m->out.undecided && m->in.at - m->out.committed > WINDOW / 2);
}

/* Nothing waits for longer than there is room.  How long it waited does not depend on how the input
 * comes: it is from the first mark that is not decided to the scan. */
static void bound_waiting(struct mend *m)
{
	if (!waits_long(m))
		return;
	pp_mend_commit(m, m->judge.open ? m->in.at : m->in.last);
	if (waits_long(m))
		pp_mend_judge_rest(m, false);
	pp_mend_commit(m, m->judge.open ? m->in.at : m->in.last);
}

/* The next record.  False at the end. */
bool pp_mend_scan(struct mend *m)
{
	struct pp_judged j;
	uint32_t type;
	size_t size;
	uint8_t *p;
	bool more;

	bound_waiting(m);
	scan_samples(m);
	if (!pp_mend_need(m, m->in.at, PP_HEADER_SIZE)) {
		if (limit(m) > m->in.at && !m->failed)
			pp_mend_drop(m, m->in.at, limit(m) - m->in.at, "a record that is cut", 0);
		m->in.at = m->in.last = limit(m);
		return false;
	}
	p = here(m, m->in.at);
	type = pp_in_order32(p, m->known.foreign);
	if (begins_stream(m, m->in.at)) {
		pp_mend_drop_rest(m);
		return false;
	}
	p = here(m, m->in.at);
	if (pp_is_stream_magic(p) || !pp_evidence_header(&m->known, p)) {
		broken(m, "no records", 0);
		return true;
	}
	if (m->simpleperf && scan_simpleperf(m, type, &more))
		return more;
	size = size_at(m, m->in.at, &m->packed.carrier);
	if (type != PP_REC_COMPRESSED2)
		m->packed.carrier.chain = 0;
	if (!size || !pp_mend_need(m, m->in.at, size)) {
		if (m->failed)
			return false;
		broken(m, size && m->in.eof ? "its end is missing" : "its size is impossible", 0);
		return !m->failed;
	}
	if (pp_type_is(type, PP_CARRIES)) {
		m->known.begun = true;
		if (!goes_on(m, m->in.at + size)) {
			broken(m, "its fields run past it", type);
			return true;
		}
		pp_mend_take_carrier(m, type, size);
		return !m->failed;
	}
	pp_evidence_judge(&m->known, here(m, m->in.at), size, &j);
	if (!j.sound || (j.doubtful && !believe(m, &j, size)) ||
	    (j.tail && !tail_fits(m, m->in.at + size, j.tail))) {
		if (m->failed)
			return false;
		broken(m, j.why ? j.why : j.tail ? "part of its data is missing" : "no records",
		       pp_type(type) ? type : 0);
		return true;
	}
	if (j.tail)
		pp_evidence_judge(&m->known, here(m, m->in.at), size, &j);
	pp_mend_end_range(m, m->in.at);
	if (!take(m, &j, size))
		return true;
	m->in.last = m->in.at;
	m->in.at += size;
	if (type >= PP_USER_TYPES)
		m->in.last = m->in.at;
	return j.tail ? pass_tail(m, j.tail, type) : !m->in.ended;
}
