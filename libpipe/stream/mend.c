/*
 * mend.c - makes a sound stream of a damaged one, in one pass: what is sound leaves as it came,
 * what is none is left out and told.  Whether bytes are a record is evidence.c's to say.
 *
 * One window holds what was read.  Scanning goes ahead and leaves marks where something is not to
 * leave as it came; committing follows and stops at a mark that is not decided yet: a record that
 * is far in the future, until others prove it right or wrong, or a compressed one whose last
 * record goes on in the next.
 */
#include "mend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	WINDOW = 16 << 20,
	PIECE = 1 << 18,              /* bytes read at once: they stay in the cache */
	EXPANDED = 16 << 20,
	MARKS_MOST = 1 << 12,
	ABOVE = 4,                    /* newer records that make a time believed */
	CHAIN = 12,                   /* records looked at for evidence */
	TAIL_MOST = 1 << 30,
	NOTE_MOST = 4000,
	SECOND = 1000000000,
};

enum mark_kind {
	NOTHING,                      /* was decided: it passes */
	PENDING,                      /* a record in the future */
	MAYBE_ROUND,                  /* a place where a round may have been lost */
	HELD,                         /* a carrier that is sound, but ends inside a record */
	DROP,
	REPLACE,                      /* by what a carrier held */
	FIX,                          /* a COMPRESSED2 with a wrong size */
	SEAL, ROUND,                  /* a seal is made anew, or becomes a plain round */
	ZEROS,                        /* made: the rest of a tail */
	MADE,                         /* made: what was lost and can be known */
};

struct mark {
	enum mark_kind kind;
	bool fix;                     /* HELD: becomes FIX where it passes */
	bool due;                     /* MAYBE_ROUND: there is evidence for it */
	bool made;                    /* ROUND, SEAL: of it */
	uint8_t rounds;               /* PENDING, MAYBE_ROUND: FINISHED_ROUNDs since */
	uint32_t type;                /* PENDING: of the record */
	uint32_t above, below;        /* PENDING: later records that are newer, that are older */
	uint32_t flags;               /* SEAL */
	uint64_t pos, length;
	size_t attrs;                 /* that were known there */
	uint64_t lost;                /* behind it LOST is written, with this time */
	uint64_t time;                /* PENDING: its own */
	uint64_t before;              /* PENDING: the newest time before it */
	/* MAYBE_ROUND: nothing may be older than `least` before the next round, than `then` behind it */
	uint64_t least, then;
	uint64_t span;                /* of the round before; 0: not known */
	size_t from, to;              /* HELD, REPLACE: bytes expanded; MADE: those; ZEROS: to, how many */
	size_t z_at, z_length;        /* HELD, FIX: the piece of zstd in the record */
};

struct mend {
	struct pp_source source;
	struct pp_evidence known;
	struct pp_mend_stats *stats;
	pp_mend_found *found;
	void *arg;
	struct pp_error *error;
	bool verify, eof, failed;
	bool source_cut;              /* a file that ends before its sections do */
	bool headless;                /* the header was missing, and is made */
	bool simpleperf;              /* some records are not as they are in a stream */

	uint8_t *buf;
	size_t end;                   /* bytes in it */
	uint64_t base;                /* stream offset of buf */
	uint64_t at;                  /* the scan; committed <= at */
	uint64_t committed;
	uint64_t last;                /* the record before `at`, which may still be taken back */

	struct mark *marks;
	size_t n_marks, first_mark;
	size_t undecided;

	struct pp_mended range;       /* that is open */
	bool open;
	bool zeros;                   /* all its bytes are zero */
	char note[NOTE_MOST + 64];
	size_t noted;
	uint64_t sample_bytes, id;    /* of all samples; of the last one */
	uint32_t cpu;

	uint64_t rounds, first_round, last_round;    /* how many there were, and where */
	bool maybe_round;             /* a mark says so */
	struct pp_recovered made;

	bool sealed;                  /* the output */
	bool sealed_in, ended;        /* the input; its END was met */
	uint64_t told;                /* where the last range that was told ended */
	uint32_t flags;               /* of seals */
	struct pp_sum in, out;
	uint64_t summed;
	uint64_t written;
	struct pp_writer *writer;     /* NULL: nothing is written */

	/* Compressed records. */
	struct pp_carrier carrier;
	struct pp_expand *expand;
	uint8_t *exp;
	size_t exp_at, exp_end;       /* records up to exp_at are whole */
	size_t whole;                 /* those before it are in marks */
	bool plain;                   /* what was compressed leaves plain */
	bool z_lost;                  /* until a frame begins */
	bool exp_lost;                /* until there is evidence for a record */
};

static const char too_old[] = "it is older than what a round let go";

static inline uint8_t *here(const struct mend *m, uint64_t pos)
{
	return m->buf + (pos - m->base);
}

static inline uint64_t limit(const struct mend *m)
{
	return m->base + m->end;
}

/* ---- Writing ---- */

static void write_failed(struct mend *m)
{
	if (m->failed)
		return;
	m->failed = true;
	errno = pp_writer_os(m->writer);
	*m->error = (struct pp_error){ .code = PP_OK };
	pp_fail_os(m->error, "cannot write");
}

static void out_of_memory(struct mend *m)
{
	m->failed = true;
	*m->error = (struct pp_error){ .code = PP_OK };
	pp_fail(m->error, PP_E_NOMEM, NULL);
}

static void put(struct mend *m, const uint8_t *data, size_t size, bool borrowed)
{
	if (!size)
		return;
	m->written += size;
	if (m->sealed)
		pp_sum_add(&m->out, data, size);
	if (!m->writer)
		return;
	if (borrowed ? pp_writer_put(m->writer, data, size) : pp_writer_copy(m->writer, data, size))
		write_failed(m);
}

static void put_seal(struct mend *m, uint32_t flags)
{
	struct pp_seal seal = { .number = m->out.number, .bytes = m->written - m->out.from,
				.flags = flags };
	uint8_t data[PP_SEAL_SIZE];

	pp_seal_store(data, &seal, m->known.foreign);
	seal.xxh3 = pp_sum_seal(&m->out, data);
	pp_seal_store(data, &seal, m->known.foreign);
	m->sealed = false;
	put(m, data, sizeof(data), false);
	m->sealed = true;
	pp_sum_start(&m->out, seal.xxh3, seal.number + 1, m->written);
}

static void put_round(struct mend *m)
{
	uint8_t data[PP_HEADER_SIZE];

	pp_round_header(data, sizeof(data), m->known.foreign);
	put(m, data, sizeof(data), false);
}

/* Builds a LOST record of an event, where so many are known; 0: readers would not find it to be of
 * that event. */
static size_t build_lost(struct mend *m, uint8_t data[256], const struct pp_attr *attr, uint64_t id,
			 size_t attrs, uint64_t lost, uint64_t time)
{
	struct pp_record rec;
	struct pp_build b;
	size_t size;

	if (!attr)
		return 0;
	pp_build(&b, data, 256, PP_REC_LOST, 0, attr);
	pp_build_u64(&b, "id", id);
	pp_build_u64(&b, "lost", lost);
	pp_build_trailer(&b, 0, 0, time, id, m->cpu);
	size = pp_build_end(&b);
	if (!size || pp_record_at(&rec, data, size, NULL))
		return 0;
	rec.attrs = m->known.attrs;
	rec.attr = attrs == 1 ? attr : pp_attrs_find(m->known.attrs, data, PP_REC_LOST, (uint16_t)size);
	if (rec.attr != attr || pp_check(&rec, NULL))
		return 0;
	return m->known.foreign && pp_convert(&rec, PP_FROM_HOST, NULL) ? 0 : size;
}

/* Says in the stream that samples are missing here. */
static void put_lost(struct mend *m, size_t attrs, uint64_t lost, uint64_t time)
{
	const struct pp_attr *first = pp_attrs_at(m->known.attrs, 0);
	uint8_t data[256];
	size_t size = 0;

	if (attrs > 1 && attrs == pp_attrs_count(m->known.attrs))
		size = build_lost(m, data, pp_attrs_by_id(m->known.attrs, m->id), m->id, attrs, lost, time);
	if (!size)
		size = build_lost(m, data, first, first && first->n_ids ? first->ids[0] : 0, attrs, lost,
				  time);
	put(m, data, size, false);
}

/* A COMPRESSED2 record, or two, of a piece of zstd. */
static void put_carrier(struct mend *m, const uint8_t *data, size_t size)
{
	enum { MOST = PP_RECORD_MAX / 8 * 8 - PP_CARRIER_HEAD };
	const bool foreign = m->known.foreign;
	static const uint8_t zeros[8];

	while (size) {
		const size_t n = size < MOST ? size : MOST, padded = (size_t)pp_align8(n);
		uint8_t head[PP_CARRIER_HEAD];

		pp_round_header(head, (uint16_t)(PP_CARRIER_HEAD + padded), foreign);
		pp_store32(head, foreign ? __builtin_bswap32(PP_REC_COMPRESSED2) : PP_REC_COMPRESSED2);
		pp_store64(head + 8, foreign ? __builtin_bswap64(n) : n);
		put(m, head, sizeof(head), false);
		put(m, data, n, false);
		put(m, zeros, padded - n, false);
		data += n;
		size -= n;
	}
}

static void put_zeros(struct mend *m, uint64_t n)
{
	static const uint8_t zeros[4096];

	for (; n && !m->failed; n -= n < sizeof(zeros) ? n : sizeof(zeros))
		put(m, zeros, n < sizeof(zeros) ? (size_t)n : sizeof(zeros), false);
}

/* ---- Committing ---- */

static void apply(struct mend *m, const struct mark *k)
{
	switch (k->kind) {
	case REPLACE: put(m, m->exp + k->from, k->to - k->from, false); break;
	case FIX:     put_carrier(m, here(m, k->pos) + k->z_at, k->z_length); break;
	case SEAL:    put_seal(m, k->flags); break;
	case ROUND:   put_round(m); break;
	case MADE:    put(m, m->made.data + k->from, k->to - k->from, false); break;
	case ZEROS:   put_zeros(m, k->to); break;
	default:      break;
	}
	m->stats->rounds += k->made;
	if (k->lost)
		put_lost(m, k->attrs, k->lost, k->time);
}

static bool is_undecided(enum mark_kind kind)
{
	return kind == PENDING || kind == HELD || kind == MAYBE_ROUND;
}

/* Up to `pos`, or to what is not decided. */
static void commit(struct mend *m, uint64_t pos)
{
	while (m->first_mark < m->n_marks) {
		const struct mark *k = &m->marks[m->first_mark];

		if (k->pos > pos || (k->pos == pos && k->length))
			break;
		put(m, here(m, m->committed), k->pos - m->committed, true);
		m->committed = k->pos;
		if (is_undecided(k->kind))
			return;
		if (k->kind != NOTHING) {
			apply(m, k);
			m->committed += k->length;
			m->stats->changed |= k->kind != SEAL || k->made;
		}
		m->first_mark++;
	}
	if (m->first_mark == m->n_marks)
		m->first_mark = m->n_marks = 0;
	if (pos > m->committed) {
		put(m, here(m, m->committed), pos - m->committed, true);
		m->committed = pos;
	}
}

static struct mark *mark(struct mend *m, enum mark_kind kind, uint64_t pos, uint64_t length)
{
	if (m->n_marks == MARKS_MOST && m->first_mark) {
		m->n_marks -= m->first_mark;
		memmove(m->marks, m->marks + m->first_mark, m->n_marks * sizeof(*m->marks));
		m->first_mark = 0;
	}
	if (m->n_marks == MARKS_MOST) {
		out_of_memory(m);
		m->n_marks = m->undecided = 0;
	}
	m->marks[m->n_marks] = (struct mark){ .kind = kind, .pos = pos, .length = length,
					     .attrs = pp_attrs_count(m->known.attrs) };
	m->undecided += is_undecided(kind);
	return &m->marks[m->n_marks++];
}

/* ---- What is told ---- */

static void tell(struct mend *m, const struct pp_mended *r)
{
	m->stats->ranges++;
	if (!r->altered)
		m->stats->lost_bytes += r->to - r->from;
	m->stats->lost_samples += r->samples;
	m->stats->changed = true;
	m->told = r->to;
	if (m->noted < NOTE_MOST)
		m->noted += (size_t)snprintf(m->note + m->noted, sizeof(m->note) - m->noted, "%s%llu-%llu",
					     m->noted ? "," : "", (unsigned long long)r->from,
					     (unsigned long long)r->to);
	if (m->found)
		m->found(m->arg, r);
}

/* How many samples so many bytes may have held. */
static uint64_t estimate(const struct mend *m, uint64_t bytes)
{
	const uint64_t each = m->stats->samples ? m->sample_bytes / m->stats->samples : 64;
	const uint64_t n = bytes / (each ? each : 64);

	return n ? n : 1;
}

static bool is_zero(const uint8_t *p, uint64_t n)
{
	return !n || (!*p && !memcmp(p, p + 1, n - 1));
}

/* Bytes that do not leave; they are in the window. */
static void drop(struct mend *m, uint64_t pos, uint64_t length, const char *what, uint32_t type)
{
	struct mark *k = m->n_marks > m->first_mark ? &m->marks[m->n_marks - 1] : NULL;
	const bool zeros = is_zero(here(m, pos), length);

	if (k && k->kind == DROP && k->pos + k->length == pos && !k->lost)
		k->length += length;
	else
		mark(m, DROP, pos, length);
	if (m->open && m->range.to == pos) {
		m->range.to += length;
		if (m->range.what != what) {
			m->range.what = NULL;
			m->range.type = 0;
		}
		m->zeros &= zeros;
		return;
	}
	m->range = (struct pp_mended){ .from = pos, .to = pos + length, .what = what, .type = type };
	m->open = true;
	m->zeros = zeros;
}

/*
 * A FINISHED_ROUND that was lost need not be missed: the round before goes on for longer.  But where
 * there is evidence that one was, it is made again if it is a true one: if until the next round nothing
 * is older than what it lets go, and until the one after that nothing is older than what is in front of
 * it.  Then what rounds promise holds whether one stood there or not.
 */
static void consider_round(struct mend *m, uint64_t pos)
{
	const struct pp_evidence *e = &m->known;
	struct mark *k;

	for (size_t i = m->first_mark; m->undecided && i < m->n_marks; i++)
		if (m->marks[i].kind == PENDING)
			return;
	if (m->maybe_round || !e->next || e->backwards || m->range.what == too_old)
		return;
	k = mark(m, MAYBE_ROUND, pos, 0);
	k->least = e->next;
	k->then = e->newest;
	k->span = e->released ? e->next - e->released : 0;
	/* it is as long as a round is; a sealed stream's seals tell */
	k->due = !m->sealed_in && m->rounds > 1 && m->range.to - m->range.from >=
		 (m->last_round - m->first_round) / (m->rounds - 1);
	k->flags = m->flags;
	m->maybe_round = true;
}

static void decide_round(struct mend *m, struct mark *k, bool due)
{
	k->kind = !due ? NOTHING : m->sealed ? SEAL : ROUND;
	k->made = due;
	m->maybe_round = false;
	m->undecided--;
}

static struct mark *round_mark(struct mend *m)
{
	for (size_t i = m->first_mark; m->maybe_round && i < m->n_marks; i++)
		if (m->marks[i].kind == MAYBE_ROUND)
			return &m->marks[i];
	return NULL;
}

/* A record of this time follows. */
static void watch_round(struct mend *m, uint64_t time)
{
	struct mark *k = round_mark(m);

	if (!k)
		return;
	/* a hole is seen by the time that is missing */
	if (!m->sealed_in && !k->above++)
		k->due |= k->span && time > k->then && time - k->then >= k->span;
	if (time < (k->rounds ? k->then : k->least))
		decide_round(m, k, false);
}

/* No sample came yet, nor does one follow at `pos`: none is lost. */
static bool in_head(const struct mend *m, uint64_t pos)
{
	const uint32_t type = limit(m) - pos < PP_HEADER_SIZE ? 0 :
			      pp_in_order32(here(m, pos), m->known.foreign);

	return !m->stats->samples && type >= PP_USER_TYPES && type != PP_REC_FINISHED_ROUND &&
	       type != PP_REC_COMPRESSED && type != PP_REC_COMPRESSED2;
}

/* A sound record follows at `pos`, or the end. */
static void end_range(struct mend *m, uint64_t pos)
{
	if (!m->open)
		return;
	m->open = false;
	if (!m->range.what)
		m->range.what = "no records";
	if (m->zeros && m->range.to - m->range.from > PP_HEADER_SIZE)
		m->range.what = "zeros";
	if (!in_head(m, pos))
		m->range.samples = estimate(m, m->range.to - m->range.from);
	if (m->range.samples && pp_attrs_count(m->known.attrs)) {
		struct mark *k = mark(m, DROP, pos, 0);

		k->lost = m->range.samples;
		k->time = m->known.newest;
	}
	tell(m, &m->range);
	consider_round(m, pos);
}

/* ---- Time ---- */

/* What is no further ahead than this needs no proof. */
static uint64_t near(const struct mend *m)
{
	const struct pp_evidence *e = &m->known;
	const uint64_t span = e->released ? (e->newest - e->released) / 8 : SECOND / 1000;

	return span < SECOND ? span : SECOND;
}

static void come_true(struct mend *m, struct mark *k)
{
	struct pp_evidence *e = &m->known;

	k->kind = NOTHING;
	m->undecided--;
	/* what is said behind it of losses is no older */
	for (struct mark *l = k + 1; l < m->marks + m->n_marks; l++) {
		if (l->lost && l->time < k->time)
			l->time = k->time;
		if (l->kind == PENDING && l->before < k->time)
			l->before = k->time;
	}
	if (k->time > e->newest)
		e->newest = k->time;
	if (k->rounds >= 1 && k->time > e->next)
		e->next = k->time;
	if (k->rounds >= 2 && k->time > e->released)
		e->released = k->time;
}

static void come_false(struct mend *m, struct mark *k)
{
	const struct pp_mended r = { .from = k->pos, .to = k->pos + k->length, .samples = 1,
				     .what = "its time cannot be", .type = k->type };

	k->kind = DROP;
	k->lost = 1;
	k->time = k->before;
	m->undecided--;
	m->stats->records--;
	m->stats->samples -= k->type == PP_REC_SAMPLE;
	tell(m, &r);
}

/* What a record of this time proves of those that wait. */
static void judge_pending(struct mend *m, uint64_t time)
{
	const uint64_t reach = near(m);

	for (size_t i = m->first_mark; i < m->n_marks; i++) {
		struct mark *k = &m->marks[i];

		if (k->kind != PENDING)
			continue;
		k->above += time >= k->time;
		k->below += time < k->time;
		if (k->rounds >= 2 && time < k->time)
			come_false(m, k);
		else if (k->rounds >= 2 || k->time <= m->known.newest + reach ||
			 (k->above >= ABOVE && k->above > k->below) ||
			 (time + reach >= k->time && time <= k->time + reach))
			come_true(m, k);
	}
}

/* Nothing is left to decide by. */
static void judge_rest(struct mend *m, bool at_end)
{
	const bool sound = !m->stats->ranges && !m->open;

	for (size_t i = m->first_mark; i < m->n_marks; i++) {
		struct mark *k = &m->marks[i];

		if (k->kind == PENDING && (!m->known.next || (!at_end && k->above >= k->below) || (at_end && (sound ||
		    k->time <= m->known.newest + SECOND)))) {
			come_true(m, k);
		} else if (k->kind == PENDING) {
			come_false(m, k);
		} else if (k->kind == HELD) {
			k->kind = k->fix ? FIX : NOTHING;
			m->undecided--;
		} else if (k->kind == MAYBE_ROUND) {
			decide_round(m, k, at_end && k->due);
		}
	}
}

static void count_round(struct mend *m)
{
	struct mark *maybe = round_mark(m);

	pp_evidence_round(&m->known);
	if (!m->rounds++)
		m->first_round = m->at;
	m->last_round = m->at;
	for (size_t i = m->first_mark; m->undecided && i < m->n_marks; i++)
		if (m->marks[i].kind == PENDING && m->marks[i].rounds < 2)
			m->marks[i].rounds++;
	if (maybe && ++maybe->rounds == 2)
		decide_round(m, maybe, maybe->due);
}

/* False: it is older than may be. */
static bool take_time(struct mend *m, uint64_t length, uint32_t type, uint64_t time, bool may_wait)
{
	struct pp_evidence *e = &m->known;

	if (pp_evidence_late(e, time))
		return false;
	if (m->maybe_round)
		watch_round(m, time);
	if (may_wait && m->undecided)
		judge_pending(m, time);
	if (time > e->newest) {
		if (may_wait && !e->backwards && time - e->newest > near(m)) {
			struct mark *k = mark(m, PENDING, m->at, length);

			k->type = type;
			k->time = time;
			k->before = e->newest;
		} else {
			e->newest = time;
		}
	}
	if (time < m->stats->first_time || !m->stats->first_time)
		m->stats->first_time = time;
	if (time > m->stats->last_time)
		m->stats->last_time = time;
	return true;
}

/* ---- Reading ---- */

static void sum_to(struct mend *m, uint64_t pos)
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

	commit(m, safe);
	if (m->writer && !m->failed && pp_writer_flush(m->writer))
		write_failed(m);
	if (WINDOW - m->end >= PIECE || m->failed) {
		if (limit(m) - m->committed > PIECE / 4)
			return;
	} else if (m->undecided && limit(m) - m->committed > WINDOW / 2) {
		judge_rest(m, false);
		commit(m, safe);
		if (m->writer && !m->failed && pp_writer_flush(m->writer))
			write_failed(m);
	}
	sum_to(m, m->at);
	keep = m->committed < m->at ? m->committed : m->at;
	memmove(m->buf, here(m, keep), limit(m) - keep);
	m->end = limit(m) - keep;
	m->base = keep;
}

/* Makes sure of `size` bytes from `pos` on, which is not before the scan: false at the end. */
static bool need(struct mend *m, uint64_t pos, uint64_t size)
{
	while (limit(m) < pos + size) {
		ssize_t n;

		if (m->eof || m->failed)
			return false;
		make_room(m);
		if (WINDOW == m->end)
			return false;
		n = pp_source_read(&m->source, m->buf + m->end,
				   WINDOW - m->end < PIECE ? WINDOW - m->end : PIECE, m->error);
		if (n == -1 && pp_error_status(m->error) != 3) {
			m->failed = true;
			return false;
		}
		/* a source that is damaged itself ends here */
		if (n == 0 || n == -1)
			m->eof = true;
		if (n == -1)
			m->source_cut = true;
		if (n > 0) {
			m->end += (size_t)n;
			m->stats->bytes += (uint64_t)n;
		}
	}
	return true;
}

/* ---- Evidence ---- */

/* How long a record of simpleperf's own is that is too long for a stream; 0: it is none. */
static size_t own_size(const struct mend *m, const uint8_t *p)
{
	const bool foreign = m->known.foreign;
	const size_t size = pp_in_order16(p + 6, foreign);
	const size_t whole = pp_simpleperf_size(pp_in_order32(p, foreign), pp_in_order16(p + 4, foreign),
						size);

	return m->simpleperf && whole != size ? whole : 0;
}

/* Size of the record whose header stands there; 0: it has none that could be. */
static size_t size_at(struct mend *m, uint64_t pos, struct pp_carrier *c)
{
	const uint8_t *p = here(m, pos);
	size_t size = pp_in_order16(p + 6, m->known.foreign);

	if (pp_in_order32(p, m->known.foreign) == PP_REC_COMPRESSED2) {
		if (!need(m, pos, PP_CARRIER_HEAD))
			return 0;
		pp_carrier_size2(c, here(m, pos), m->known.foreign);
		size = c->damaged ? 0 : c->size;
	}
	return size < PP_HEADER_SIZE ? 0 : size;
}

/* Whether records stand at `pos` beyond doubt. */
static bool proven(struct mend *m, uint64_t pos)
{
	struct pp_carrier c = { .chain = 0 };
	struct pp_judged j;
	unsigned weight = 0;

	for (int i = 0; i < CHAIN && weight < PP_EVIDENCE_ENOUGH; i++) {
		unsigned w;
		size_t size;

		if (!need(m, pos, PP_HEADER_SIZE))
			return weight > 2 && limit(m) == pos;
		if (!pp_evidence_strict_header(&m->known, here(m, pos)))
			return false;
		size = size_at(m, pos, &c);
		if (!size || !need(m, pos, size))
			return false;
		pp_evidence_judge(&m->known, here(m, pos), size, &j);
		w = pp_evidence_weight(&m->known, &j);
		if (!w)
			return false;
		weight += w;
		pos += size;
		if (j.tail && (j.tail > WINDOW / 4 || !need(m, pos, j.tail)))
			return weight >= PP_EVIDENCE_ENOUGH;
		pos += j.tail;
	}
	return weight >= PP_EVIDENCE_ENOUGH;
}

/* Whether what stands at `pos` may go on as a stream does. */
static bool goes_on(struct mend *m, uint64_t pos)
{
	struct pp_carrier c = m->carrier;

	for (int i = 0; i < CHAIN; i++) {
		size_t size;

		if (!need(m, pos, PP_HEADER_SIZE))
			return limit(m) == pos;
		if (!pp_evidence_header(&m->known, here(m, pos)))
			return false;
		if (own_size(m, here(m, pos)))
			return true;
		size = size_at(m, pos, &c);
		if (!size || !need(m, pos, size))
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

/* A record that is longer than it should be: does it hold others? */
static bool swallowed(struct mend *m, uint64_t pos, size_t size)
{
	for (uint64_t q = pos + PP_HEADER_SIZE; q + PP_HEADER_SIZE <= pos + size; q++)
		if (possible(m, q) && proven(m, q))
			return true;
	return false;
}

/* Goes on behind the damage: to the next record that is proven to be one. */
static void resync(struct mend *m, uint64_t first, const char *what, uint32_t type)
{
	m->carrier.chain = 0;
	if (m->expand || m->carrier.length)
		m->z_lost = true;
	drop(m, m->at, first - m->at, what, type);
	m->at = m->last = first;
	for (;;) {
		uint64_t q = m->at;
		uint64_t stop;

		if (!need(m, q, PP_HEADER_SIZE)) {
			if (limit(m) > q)
				drop(m, q, limit(m) - q, what, type);
			m->at = m->last = limit(m);
			return;
		}
		stop = limit(m) - PP_HEADER_SIZE;
		while (q <= stop && !possible(m, q))
			q++;
		if (q > m->at)
			drop(m, m->at, q - m->at, what, type);
		m->at = m->last = q;
		if (q > stop)
			continue;
		if (proven(m, q))
			return;
		drop(m, q, 1, what, type);
		m->at = m->last = q + 1;
	}
}

/* ---- Compressed records ---- */

/* What is held leaves plain, and so does all that comes. */
static void turn_plain(struct mend *m)
{
	if (m->plain)
		return;
	m->plain = true;
	for (size_t i = m->first_mark; i < m->n_marks; i++)
		if (m->marks[i].kind == HELD) {
			m->marks[i].kind = REPLACE;
			m->undecided--;
		}
}

/* Nothing that is held is needed any more. */
static void release_held(struct mend *m)
{
	for (size_t i = m->first_mark; m->undecided && i < m->n_marks; i++)
		if (m->marks[i].kind == HELD) {
			m->marks[i].kind = m->marks[i].fix ? FIX : NOTHING;
			m->undecided--;
		}
}

/* A record among those that were expanded: 1, 0: it is not whole, -1: it is none. */
static int judge_expanded(struct mend *m, struct pp_judged *j)
{
	/* what nobody has doubted yet is believed more */
	const uint64_t reach = UINT64_C(86400) * SECOND * (m->plain ? 1 : 100);
	uint8_t *p = m->exp + m->exp_at;
	const size_t have = m->exp_end - m->exp_at;
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
	if (j->timed && ((m->known.newest && j->time > m->known.newest + reach) ||
			 !take_time(m, 0, 0, j->time, false)))
		return -1;
	return 1;
}

static void count_record(struct mend *m, const struct pp_judged *j, size_t size)
{
	uint64_t value;

	m->stats->records++;
	if (j->host.type != PP_REC_SAMPLE)
		return;
	m->stats->samples++;
	m->sample_bytes += size;
	if (pp_id(&j->host, &value))
		m->id = value;
}

/* Goes over the bytes at exp_at that are no record. */
static void resync_expanded(struct mend *m)
{
	const size_t stop = m->exp_end;
	struct pp_judged j;

	for (m->exp_at++; m->exp_at + PP_HEADER_SIZE <= stop; m->exp_at++) {
		const uint8_t *p = m->exp + m->exp_at;
		size_t size;

		if (!pp_evidence_strict_header(&m->known, p))
			continue;
		size = pp_in_order16(p + 6, m->known.foreign);
		if (size > stop - m->exp_at)
			continue;
		pp_evidence_judge(&m->known, m->exp + m->exp_at, size, &j);
		if (pp_evidence_weight(&m->known, &j) < 3)
			continue;
		m->exp_lost = false;
		return;
	}
	m->exp_at = m->exp_end;
	m->exp_lost = true;
}

/* Walks what was expanded; where all leaves plain it is written.  False: damage. */
static bool walk_expanded(struct mend *m)
{
	bool sound = true;
	struct pp_judged j;

	if (m->exp_lost && m->exp_end > m->exp_at) {
		m->exp_at--;
		resync_expanded(m);
	}
	while (m->exp_at < m->exp_end) {
		const size_t at = m->exp_at;
		const int is = judge_expanded(m, &j);

		if (!is)
			break;
		if (is < 0) {
			sound = false;
			if (!m->plain)
				return false;
			resync_expanded(m);
			continue;
		}
		m->exp_at += j.host.size;
		count_record(m, &j, j.host.size);
		if (m->plain)
			put(m, m->exp + at, j.host.size, false);
	}
	return sound;
}

/* All that went before has to be out before anything is put behind it. */
static void settle(struct mend *m)
{
	judge_rest(m, false);
	commit(m, m->at);
	m->exp_end -= m->exp_at;
	memmove(m->exp, m->exp + m->exp_at, m->exp_end);
	m->exp_at = 0;
}

static bool begins_frame(const uint8_t *data, size_t size)
{
	return size >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4);
}

static bool open_expander(struct mend *m)
{
	if (!m->exp)
		m->exp = malloc(EXPANDED);
	pp_expand_free(m->expand);
	m->expand = pp_expand_new();
	if (!m->exp || !m->expand)
		out_of_memory(m);
	return !m->failed;
}

/* Expands a piece and walks it.  1, 0: there is damage in what came out, -1: it does not expand. */
static int expand(struct mend *m, const uint8_t *data, size_t size)
{
	struct pp_error ignored = { .code = PP_OK };
	int status = 1;

	pp_expand_feed(m->expand, data, size);
	while (pp_expand_pending(m->expand)) {
		ssize_t n;

		if (EXPANDED - m->exp_end < EXPANDED / 4) {
			if (!m->plain)
				release_held(m);
			m->exp_end -= m->exp_at;
			memmove(m->exp, m->exp + m->exp_at, m->exp_end);
			m->exp_at = m->whole = 0;
		}
		n = pp_expand_more(m->expand, m->exp + m->exp_end, EXPANDED - m->exp_end, &ignored);
		if (n < 0)
			return -1;
		m->exp_end += (size_t)n;
		if (!walk_expanded(m)) {
			status = 0;
			if (!m->plain)
				return 0;
		}
	}
	return status;
}

/* From now on nothing is held: what is, and what comes, leaves plain. */
static void begin_plain(struct mend *m)
{
	if (m->plain)
		return;
	turn_plain(m);
	end_range(m, m->at);
	settle(m);
}

/* Behind damage a carrier is of use only where a frame begins.  False: it was left out. */
static bool find_frame(struct mend *m, uint32_t type, size_t size)
{
	begin_plain(m);
	m->exp_at = m->exp_end = 0;
	m->exp_lost = true;
	if (!begins_frame(here(m, m->at) + m->carrier.at, m->carrier.length)) {
		drop(m, m->at, size, "a piece of what cannot be expanded", type);
		return false;
	}
	m->z_lost = false;
	return open_expander(m);
}

/* One that is sound, whose last record may go on in the next. */
static void hold(struct mend *m, size_t size, bool fix)
{
	struct mark *k = mark(m, HELD, m->at, size);

	k->fix = fix;
	k->from = m->whole;
	k->to = m->whole = m->exp_at;
	k->z_at = m->carrier.at;
	k->z_length = m->carrier.length;
	m->stats->repaired += fix;
	if (m->exp_at != m->exp_end)
		return;
	release_held(m);
	m->exp_at = m->exp_end = m->whole = 0;
}

/* What of it was whole leaves, before the rest of it is told. */
static void lose(struct mend *m, size_t size, uint32_t type)
{
	m->exp_end = m->exp_at;
	if (!m->plain) {
		struct mark *k = mark(m, HELD, m->at, 0);

		k->from = m->whole;
		k->to = m->exp_at;
	}
	begin_plain(m);
	m->exp_at = m->exp_end = 0;
	m->exp_lost = m->z_lost = true;
	drop(m, m->at, size, "cannot be expanded", type);
}

static void open_carrier(struct mend *m, uint32_t type, size_t size, bool fix)
{
	int got;

	if (!m->expand && !open_expander(m))
		return;
	if (m->z_lost && !find_frame(m, type, size))
		return;
	if (m->plain) {
		end_range(m, m->at);
		settle(m);
	}
	got = expand(m, here(m, m->at) + m->carrier.at, m->carrier.length);
	if (got < 0 || (!got && !m->plain))
		lose(m, size, type);
	else if (!m->plain)
		hold(m, size, fix);
	else if (!got)
		drop(m, m->at, size, "records among compressed ones", type);
	else
		mark(m, DROP, m->at, size);
}

/* A carrier that is whole, at the scan. */
static void take_carrier(struct mend *m, uint32_t type, size_t size)
{
	struct pp_carrier *c = &m->carrier;
	const bool fix = type == PP_REC_COMPRESSED2 &&
		(pp_in_order64(here(m, m->at) + 8, m->known.foreign) != c->length ||
		 pp_in_order16(here(m, m->at) + 6, m->known.foreign) != c->size);

	if (type == PP_REC_COMPRESSED) {
		c->at = PP_HEADER_SIZE;
		c->length = size - PP_HEADER_SIZE;
	}
	open_carrier(m, type, size, fix);
	m->at += size;
	m->last = m->at;
}

/* ---- Seals ---- */

/* What a seal covers is not what it was made for. */
static void tell_altered(struct mend *m, const struct pp_seal *seal, uint64_t to)
{
	struct pp_mended r = { .from = m->in.from, .to = to, .altered = true,
			       .what = "altered somewhere" };
	const uint64_t distance = to - m->in.from;

	if (seal->number == m->in.number && seal->bytes > distance &&
	    seal->bytes - distance < UINT64_C(1) << 40) {
		r.what = "bytes are missing somewhere";
		r.samples = estimate(m, seal->bytes - distance);
		if (pp_attrs_count(m->known.attrs)) {
			struct mark *k = mark(m, DROP, to, 0);

			k->lost = r.samples;
			k->time = m->known.newest;
		}
		tell(m, &r);
	} else if (m->told <= r.from) {
		tell(m, &r);          /* else what was lost in between explains it */
	}
	m->told = to;
}

static bool seal_holds(struct mend *m, const struct pp_seal *seal, uint64_t pos)
{
	sum_to(m, pos);
	return seal->number == m->in.number && seal->bytes == pos - m->in.from &&
	       pp_sum_seal(&m->in, here(m, pos)) == seal->xxh3;
}

static void begin_sealed(struct mend *m)
{
	m->sealed = m->sealed_in = true;
	/* the header left already, and both hashes begin with it */
	pp_sum_start(&m->in, 0, 0, 0);
	pp_sum_start(&m->out, 0, 0, 0);
	pp_sum_add(&m->in, here(m, 0), PP_PIPE_HEADER);
	pp_sum_add(&m->out, here(m, 0), PP_PIPE_HEADER);
	m->summed = PP_PIPE_HEADER;
}

/* A seal where the input has none before it: all it can tell is that there was damage. */
static void take_stray_seal(struct mend *m, const struct pp_seal *seal)
{
	if (seal->flags & PP_SEAL_DAMAGED)
		m->stats->flagged = true;
	if (seal->flags & PP_SEAL_END || !seal->number)
		mark(m, DROP, m->at, PP_SEAL_SIZE);
	else
		mark(m, ROUND, m->at, PP_SEAL_SIZE);
	if (seal->number && !(seal->flags & PP_SEAL_END))
		count_round(m);
}

static void take_seal(struct mend *m, const struct pp_seal *seal)
{
	const uint64_t pos = m->at, next = pos + PP_SEAL_SIZE;
	bool holds;

	if (pos == PP_PIPE_HEADER && !seal->number && !m->sealed)
		begin_sealed(m);
	if (!m->sealed_in) {
		take_stray_seal(m, seal);
		return;
	}
	holds = !m->verify || seal_holds(m, seal, pos);
	if (!holds && seal->number < m->in.number) {
		drop(m, pos, PP_SEAL_SIZE, "a seal that was there before", PP_REC_FINISHED_ROUND);
		return;
	}
	if (seal->flags & PP_SEAL_END && !holds && seal->number && need(m, next, 1)) {
		drop(m, pos, PP_SEAL_SIZE, "a last seal that is not the last", PP_REC_FINISHED_ROUND);
		return;
	}
	if (!holds)
		tell_altered(m, seal, pos);
	if (round_mark(m) && seal->number > m->in.number)
		round_mark(m)->due = true;
	m->flags |= seal->flags & PP_SEAL_UNSEALED;
	m->stats->flagged |= (seal->flags & PP_SEAL_DAMAGED) != 0;
	pp_sum_start(&m->in, seal->xxh3, seal->number + 1, next);
	m->summed = next;
	m->ended = seal->flags & PP_SEAL_END && (holds || seal->number);
	if (m->ended)
		mark(m, DROP, pos, PP_SEAL_SIZE);
	else
		mark(m, SEAL, pos, PP_SEAL_SIZE)->flags = m->flags;
	count_round(m);
}

/* ---- Scanning ---- */

/* What stands at the scan is no record. */
static void broken(struct mend *m, const char *what, uint32_t type)
{
	struct pp_judged j;

	if (m->last < m->at && !m->open)
		pp_evidence_judge(&m->known, here(m, m->last), m->at - m->last, &j);
	/* the record before it may have lost its end */
	if (m->last < m->at && !m->open && !pp_evidence_weight(&m->known, &j)) {
		if (m->n_marks > m->first_mark && m->marks[m->n_marks - 1].pos == m->last &&
		    m->marks[m->n_marks - 1].kind == PENDING) {
			m->n_marks--;
			m->undecided--;
		}
		m->stats->records--;
		m->stats->samples -= j.host.type == PP_REC_SAMPLE;
		drop(m, m->last, m->at - m->last, what, type);
	}
	resync(m, m->at + 1, what, type);
}

/* Goes over a tail; false: the input ends in it. */
static bool pass_tail(struct mend *m, uint64_t length, uint32_t type)
{
	while (length) {
		uint64_t n;

		if (!need(m, m->at, 1)) {
			const struct pp_mended r = { .from = m->at, .to = m->at, .type = type,
						     .what = "the end of its data, made zeros" };

			mark(m, ZEROS, m->at, 0)->to = (size_t)length;
			tell(m, &r);
			return false;
		}
		n = limit(m) - m->at;
		n = n < length ? n : length;
		m->at += n;
		m->last = m->at;
		length -= n;
	}
	return true;
}

/* Whether the bytes that a record says to follow it may be as many. */
static bool tail_fits(struct mend *m, uint64_t behind, uint64_t length)
{
	if (length > WINDOW / 4)
		return length <= TAIL_MOST;
	return need(m, behind, length) && goes_on(m, behind + length);
}

/* Events that were lost, where this record describes them. */
static void recover_events(struct mend *m, const struct pp_judged *j)
{
	const size_t from = m->made.size;

	if (pp_evidence_recover(&m->known, &j->host, &m->made)) {
		out_of_memory(m);
	} else if (m->made.size > from) {
		struct mark *k = mark(m, MADE, m->at, 0);

		k->from = from;
		k->to = m->made.size;
	}
	m->stats->events = m->made.events;
}

/* What a sound record says is taken.  False: it is not to be passed. */
static bool take(struct mend *m, struct pp_judged *j, size_t size)
{
	const uint32_t type = j->host.type;
	struct pp_seal seal;

	if (j->timed && !take_time(m, size, type, j->time, true)) {
		drop(m, m->at, size, too_old, type);
		m->at += size;
		m->last = m->at;
		return false;
	}
	if (m->stats->ranges)
		recover_events(m, j);
	if (type >= PP_USER_TYPES && pp_evidence_take(&m->known, j)) {
		broken(m, "its fields cannot be", type);
		return false;
	}
	m->known.begun = true;
	if (type == PP_REC_FINISHED_ROUND && pp_is_seal(&j->host, &seal))
		take_seal(m, &seal);
	else if (type == PP_REC_FINISHED_ROUND && !pp_is_note(&j->host))
		count_round(m);
	count_record(m, j, size);
	if (type == PP_REC_SAMPLE)
		pp_cpu(&j->host, &m->cpu);
	return true;
}

/* A record longer than its fields, or of no known type, is believed if nothing speaks against it. */
static bool believe(struct mend *m, struct pp_judged *j, size_t size)
{
	if (!goes_on(m, m->at + size) || swallowed(m, m->at, size))
		return false;
	pp_evidence_judge(&m->known, here(m, m->at), size, j);      /* the bytes may have moved */
	return true;
}

/* Samples that need nothing but to be walked over: of a known event, of the size that it gives
 * them, and in time. */
static void scan_samples(struct mend *m)
{
	struct pp_evidence *e = &m->known;
	struct pp_mend_stats *s = m->stats;
	const uint64_t reach = near(m);
	uint8_t *p = here(m, m->at), *const begin = p, *last = NULL;
	const uint8_t *const end = m->buf + m->end;
	struct pp_record rec = { .type = PP_REC_SAMPLE, .attrs = e->attrs };
	uint64_t time, n = 0;

	if (e->foreign || e->backwards || m->undecided || m->open || m->carrier.chain)
		return;
	while (end - p >= PP_HEADER_SIZE && pp_load32(p) == PP_REC_SAMPLE) {
		rec.data = p;
		rec.size = pp_load16(p + 6);
		if (rec.size > end - p)
			break;
		rec.attr = pp_attrs_find(e->attrs, p, PP_REC_SAMPLE, rec.size);
		if (!rec.attr || !pp_evidence_plain(&rec) || !pp_time(&rec, &time) ||
		    time < e->released)
			break;
		if (time > e->newest) {
			if (time - e->newest > reach)
				break;
			e->newest = time;
		}
		last = p;
		p += rec.size;
		n++;
	}
	if (!last)
		return;
	if (e->newest > s->last_time)
		s->last_time = e->newest;
	s->records += n;
	s->samples += n;
	m->sample_bytes += (uint64_t)(p - begin);
	m->at += (uint64_t)(p - begin);
	m->last = m->base + (uint64_t)(last - m->buf);
	rec.data = last;
	rec.size = (uint16_t)(p - last);
	rec.attr = pp_attrs_find(e->attrs, last, PP_REC_SAMPLE, rec.size);
	pp_id(&rec, &m->id);
	pp_cpu(&rec, &m->cpu);
}

/* Bytes that no stream has: they do not leave, and nothing is lost with them. */
static bool pass_over(struct mend *m, uint64_t length)
{
	while (length) {
		uint64_t n;

		if (!need(m, m->at, 1))
			return false;
		n = limit(m) - m->at;
		n = n < length ? n : length;
		mark(m, DROP, m->at, n);
		m->at += n;
		m->last = m->at;
		length -= n;
	}
	return true;
}

/*
 * A record as only simpleperf writes it: one of its own is too long for a stream, and the data of a
 * TRACING_DATA stand in it.  True: it was one, and *more says whether anything follows.
 */
static bool scan_simpleperf(struct mend *m, uint32_t type, bool *more)
{
	const size_t own = own_size(m, here(m, m->at));
	const size_t size = pp_in_order16(here(m, m->at) + 6, m->known.foreign);
	uint8_t head[PP_HEADER_SIZE + 8];
	uint32_t length;
	uint8_t *p;

	if (own) {
		end_range(m, m->at);
		*more = pass_over(m, own);
		return true;
	}
	if (type != PP_REC_HEADER_TRACING_DATA || !pp_fits(PP_HEADER_SIZE, size) ||
	    !need(m, m->at, size) || !goes_on(m, m->at + size))
		return false;
	length = pp_simpleperf_tracing(head, here(m, m->at), size, m->known.foreign);
	p = length ? realloc(m->made.data, m->made.size + sizeof(head)) : NULL;
	if (!p)
		return false;
	end_range(m, m->at);
	m->made.data = p;
	memcpy(p + m->made.size, head, sizeof(head));
	mark(m, MADE, m->at, 0)->from = m->made.size;
	m->made.size += sizeof(head);
	m->marks[m->n_marks - 1].to = m->made.size;
	m->stats->records++;
	*more = pass_over(m, PP_HEADER_SIZE + 4) && pass_tail(m, length, type) &&
		pass_over(m, size - PP_HEADER_SIZE - 4 - length);
	return true;
}

/* The next record.  False at the end. */
static bool scan(struct mend *m)
{
	struct pp_judged j;
	uint32_t type;
	size_t size;
	uint8_t *p;
	bool more;

	if (m->n_marks - m->first_mark > MARKS_MOST / 2) {
		commit(m, m->open ? m->at : m->last);
		if (m->n_marks - m->first_mark > MARKS_MOST / 2)
			judge_rest(m, false);
		commit(m, m->open ? m->at : m->last);
	}
	scan_samples(m);
	if (!need(m, m->at, PP_HEADER_SIZE)) {
		if (limit(m) > m->at && !m->failed)
			drop(m, m->at, limit(m) - m->at, "a record that is cut", 0);
		m->at = m->last = limit(m);
		return false;
	}
	p = here(m, m->at);
	type = pp_in_order32(p, m->known.foreign);
	if (pp_is_stream_magic(p) || !pp_evidence_header(&m->known, p)) {
		broken(m, "no records", 0);
		return true;
	}
	if (m->simpleperf && scan_simpleperf(m, type, &more))
		return more;
	size = size_at(m, m->at, &m->carrier);
	if (type != PP_REC_COMPRESSED2)
		m->carrier.chain = 0;
	if (!size || !need(m, m->at, size)) {
		broken(m, size && m->eof ? "its end is not there" : "its size cannot be", 0);
		return !m->failed;
	}
	if (type == PP_REC_COMPRESSED || type == PP_REC_COMPRESSED2) {
		m->known.begun = true;
		if (!goes_on(m, m->at + size)) {
			broken(m, "its fields run past it", type);
			return true;
		}
		take_carrier(m, type, size);
		return !m->failed;
	}
	pp_evidence_judge(&m->known, here(m, m->at), size, &j);
	if (!j.sound || (j.doubtful && !believe(m, &j, size)) ||
	    (j.tail && !tail_fits(m, m->at + size, j.tail))) {
		broken(m, j.why ? j.why : j.tail ? "its data are not all there" : "no records",
		       pp_type(type) ? type : 0);
		return true;
	}
	if (j.tail)
		pp_evidence_judge(&m->known, here(m, m->at), size, &j);
	end_range(m, m->at);
	if (!take(m, &j, size))
		return true;
	m->last = m->at;
	m->at += size;
	if (type >= PP_USER_TYPES)
		m->last = m->at;
	return j.tail ? pass_tail(m, j.tail, type) : !m->ended;
}

/* ---- From the beginning to the end ---- */

static void drop_rest(struct mend *m)
{
	while (need(m, m->at, 1)) {
		drop(m, m->at, limit(m) - m->at, "bytes behind the last seal", 0);
		m->at = m->last = limit(m);
	}
}

/* Where it was mended, in the stream itself. */
static void put_note(struct mend *m)
{
	static const char key[] = "mended";
	enum { HEAD = PP_HEADER_SIZE + 24, KEY = sizeof(key) - 1 };
	uint8_t data[HEAD + KEY + sizeof(m->note) + 8] = { 0 };
	const char *text = m->noted ? m->note : "unknown";
	const size_t length = strlen(text), size = (size_t)pp_align8(HEAD + KEY + length);

	memcpy(data + PP_HEADER_SIZE, "PPNOTE1", 8);
	pp_store32(data + PP_HEADER_SIZE + 8, 1);
	pp_store32(data + HEAD - 8, KEY);
	pp_store32(data + HEAD - 4, (uint32_t)length);
	memcpy(data + HEAD, key, KEY);
	memcpy(data + HEAD + KEY, text, length);
	if (m->known.foreign)
		pp_seal_swap(data, size, false);
	pp_round_header(data, (uint16_t)size, m->known.foreign);
	put(m, data, size, false);
}

static void finish(struct mend *m)
{
	static const struct pp_mended nothing = { .what = "its records are missing" };
	struct pp_mended end = { .what = "its end is missing" };

	if (m->ended)
		drop_rest(m);
	if (m->exp_end > m->exp_at && !m->plain) {
		turn_plain(m);
		end.what = "the end of what is compressed is missing";
	}
	judge_rest(m, true);
	end_range(m, m->at);
	end.from = end.to = m->at;
	if (m->source_cut)
		end.what = "the end of the file is missing";
	if (m->source_cut || (m->sealed_in && !m->ended))
		tell(m, &end);
	else if (m->exp_end > m->exp_at)
		tell(m, &end);
	else if (m->at == PP_PIPE_HEADER)
		tell(m, &nothing);
	commit(m, m->at);
	if (m->stats->ranges || m->stats->flagged) {
		m->stats->changed = true;
		put_note(m);
	}
	if (m->sealed)
		put_seal(m, m->flags | PP_SEAL_END);
	if (m->writer && !m->failed && pp_writer_flush(m->writer))
		write_failed(m);
}

static void begin(struct mend *m, bool seal)
{
	static const struct pp_mended no_header = { .what = "its header is missing" };

	m->at = m->last = m->committed = m->summed = PP_PIPE_HEADER;
	m->sealed = seal;
	put(m, here(m, 0), PP_PIPE_HEADER, false);
	if (seal)
		put_seal(m, PP_SEAL_UNSEALED);
	if (m->headless)
		tell(m, &no_header);
}

/* One way through the source. */
static void run(struct mend *m, bool seal)
{
	*m->stats = (struct pp_mend_stats){ .name = m->stats->name, .bytes = m->end,
					    .container = m->stats->container };
	if (pp_evidence_open(&m->known)) {
		out_of_memory(m);
		return;
	}
	if (!need(m, 0, PP_PIPE_HEADER)) {
		if (!m->failed && m->end >= 8 && pp_is_stream_magic(m->buf))
			pp_fail(m->error, PP_E_CUT, "its header is not whole");
		else if (!m->failed)
			pp_container_unknown(m->buf, m->end, m->error);
		m->failed = true;
		return;
	}
	if (pp_container(m->buf, &m->known.foreign, m->error) < 0) {
		m->failed = true;
		return;
	}
	begin(m, seal);
	while (scan(m) && !m->failed)
		;
	if (!m->failed)
		finish(m);
}

static void forget(struct mend *m)
{
	pp_evidence_close(&m->known);
	pp_expand_free(m->expand);
	free(m->exp);
	free(m->made.data);
	m->expand = NULL;
	m->exp = NULL;
	m->made = (struct pp_recovered){ .data = NULL };
	m->rounds = m->first_round = m->last_round = 0;
	m->maybe_round = false;
	if (m->in.state && m->out.state) {
		pp_sum_start(&m->in, 0, 0, 0);
		pp_sum_start(&m->out, 0, 0, 0);
	}
	m->end = m->n_marks = m->first_mark = m->undecided = m->noted = 0;
	m->base = m->at = m->committed = m->last = m->written = m->summed = m->told = 0;
	m->exp_at = m->exp_end = m->whole = 0;
	m->eof = m->open = m->sealed = m->sealed_in = m->ended = m->plain = false;
	m->z_lost = m->exp_lost = m->source_cut = false;
	m->carrier = (struct pp_carrier){ .chain = 0 };
}

/* A file that lacks nothing leaves as it is. */
static void copy_file(struct mend *m, uint64_t length)
{
	uint64_t at = 0;

	while (at < length && !m->failed) {
		const ssize_t n = pp_source_pread(&m->source, m->buf, PIECE, at);

		if (n <= 0) {
			*m->error = (struct pp_error){ .code = PP_OK };
			pp_fail_os(m->error, "cannot read");
			m->failed = true;
			return;
		}
		if (pp_writer_put(m->writer, m->buf, (size_t)n) || pp_writer_flush(m->writer))
			write_failed(m);
		at += (uint64_t)n;
	}
}

/* A perf.data file is gone through twice: first to see whether anything is wrong with it. */
static void run_file(struct mend *m, const uint8_t *head, size_t have)
{
	struct pp_writer *writer = m->writer;
	pp_mend_found *found = m->found;
	uint64_t length;

	if (pp_source_seekable(&m->source, head, have, m->error) ||
	    pp_container_file(&m->source, m->error)) {
		m->failed = true;
		return;
	}
	m->stats->container = "perf.data file";
	m->writer = NULL;
	m->found = NULL;
	m->simpleperf = m->source.pieces.dialect == PP_DIALECT_SIMPLEPERF;
	run(m, true);
	m->writer = writer;
	m->found = found;
	if (m->failed)
		return;
	if (!m->stats->ranges && !m->stats->flagged && (!m->stats->changed || m->simpleperf) &&
	    !m->source.pieces.killed && !m->source.pieces.late.code) {
		if (pp_source_length(&m->source, &length)) {
			pp_fail_os(m->error, "cannot read");
			m->failed = true;
			return;
		}
		m->stats->changed = false;
		copy_file(m, length);
		return;
	}
	forget(m);
	m->source.pieces.next = 0;
	m->source.pieces.done = 0;
	run(m, true);
	if (m->source.pieces.killed)
		m->stats->changed = true;
}

/* perf 6.1 inject -i FILE -o - forgets the header, so that an attribute comes first. */
static void make_header(struct mend *m)
{
	if (pp_load32(m->buf) != PP_REC_HEADER_ATTR || pp_load16(m->buf + 6) % 8 ||
	    !pp_fits(PP_HEADER_SIZE + 64, pp_load16(m->buf + 6)))
		return;
	memmove(m->buf + PP_PIPE_HEADER, m->buf, m->end);
	m->end += PP_PIPE_HEADER;
	memcpy(m->buf, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "2ELIFREP" : "PERFILE2", 8);
	pp_store64(m->buf + 8, PP_PIPE_HEADER);
	m->headless = true;
}

/* What kind of input it is; zstd around all of it is taken off. */
static void run_any(struct mend *m)
{
	bool foreign;

	m->stats->container = "stream";
	m->at = m->last = m->committed = 0;
	if (!need(m, 0, PP_PIPE_HEADER)) {
		run(m, false);
		return;
	}
	make_header(m);
	switch (pp_container(m->buf, &foreign, m->error)) {
	case PP_CONTAINER_ZSTD:
		if (pp_source_unwrap(&m->source, m->buf, m->end, m->error)) {
			m->failed = true;
			return;
		}
		m->end = 0;
		m->eof = false;
		run_any(m);
		return;
	case PP_CONTAINER_FILE: {
		/* all that was read is in front of the rest */
		const size_t have = m->end;
		uint8_t *copy = malloc(have);

		if (!copy) {
			out_of_memory(m);
			return;
		}
		memcpy(copy, m->buf, have);
		m->end = 0;
		m->eof = false;
		run_file(m, copy, have);
		free(copy);
		return;
	}
	default:
		run(m, false);
	}
}

int pp_mend(const char *path, bool no_verify, int fd, pp_mend_found *found, void *arg,
	    struct pp_mend_stats *stats, struct pp_error *error)
{
	struct mend *m = calloc(1, sizeof(*m));
	bool failed = true;

	*stats = (struct pp_mend_stats){ .name = path ? path : "standard input" };
	if (!m) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return -1;
	}
	m->stats = stats;
	m->found = found;
	m->arg = arg;
	m->error = error;
	m->verify = !no_verify;
	m->buf = malloc(WINDOW);
	m->marks = malloc(MARKS_MOST * sizeof(*m->marks));
	m->writer = pp_writer_open(fd, PP_SEAL_NO);
	if (!m->buf || !m->marks || !m->writer || pp_sum_open(&m->in) || pp_sum_open(&m->out)) {
		pp_fail(error, PP_E_NOMEM, NULL);
	} else if (!pp_source_open(&m->source, path, error)) {
		stats->name = m->source.name;
		run_any(m);
		failed = m->failed;
		pp_source_close(&m->source);
	}
	forget(m);
	pp_sum_close(&m->in);
	pp_sum_close(&m->out);
	pp_writer_close(m->writer);
	free(m->marks);
	free(m->buf);
	free(m);
	return failed ? -1 : 0;
}
