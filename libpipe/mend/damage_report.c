/*
 * damage_report.c - what was lost, how it is reported, and what times prove: records of the future,
 * and missing rounds.  evidence.c judges whether bytes are a record at all.
 */
#include "mend/mend.h"

#include <stdio.h>

enum { ABOVE = 4 };                   /* newer records that make a time believed */

const char pp_mend_too_old[] = "it is older than what a round released";
const char pp_mend_another[] = "another stream";

void pp_mend_reset_judge(struct pp_mend_judge *judge)
{
	*judge = (struct pp_mend_judge){ .open = false };
}

/* ---- What is reported ---- */

void pp_mend_tell(struct mend *m, const struct pp_mended *r)
{
	struct pp_mend_judge *const j = &m->judge;

	m->stats->ranges++;
	if (!r->altered)
		m->stats->lost_bytes += r->to - r->from;
	m->stats->lost_samples += r->samples;
	m->stats->changed = true;
	j->told = r->to;
	if (j->noted < NOTE_MOST)
		j->noted += (size_t)snprintf(j->note + j->noted, sizeof(j->note) - j->noted, "%s%llu-%llu",
					     j->noted ? "," : "", (unsigned long long)r->from,
					     (unsigned long long)r->to);
	if (m->found)
		m->found(m->arg, r);
}

/* How many samples so many bytes may have held. */
uint64_t pp_mend_estimate(const struct mend *m, uint64_t bytes)
{
	const uint64_t each = m->stats->samples ? m->judge.sample_bytes / m->stats->samples : 64;
	const uint64_t n = bytes / (each ? each : 64);

	return n ? n : 1;
}

static bool is_zero(const uint8_t *p, uint64_t n)
{
	return !n || (!*p && !memcmp(p, p + 1, n - 1));
}

/* Bytes that do not leave; they are in the window. */
void pp_mend_drop(struct mend *m, uint64_t pos, uint64_t length, const char *what, uint32_t type)
{
	struct mark *k = m->out.n_marks > m->out.first_mark ? &m->out.marks[m->out.n_marks - 1] : NULL;
	const bool zeros = is_zero(here(m, pos), length);

	if (k && k->kind == DROP && k->pos + k->length == pos && !k->lost)
		k->length += length;
	else
		pp_mend_mark(m, DROP, pos, length);
	if (m->judge.open && m->judge.range.to == pos) {
		m->judge.range.to += length;
		if (m->judge.range.what != what) {
			m->judge.range.what = NULL;
			m->judge.range.type = 0;
		}
		m->judge.zeros &= zeros;
		return;
	}
	m->judge.range = (struct pp_mended){ .from = pos, .to = pos + length, .what = what,
					     .type = type };
	m->judge.open = true;
	m->judge.zeros = zeros;
}

/*
 * A lost FINISHED_ROUND does no harm: the previous round is longer then.  But where there is
 * evidence that one was lost, it is restored if it is correct: if nothing up to the next round is
 * older than what it releases, and nothing up to the round after that is older than what comes
 * before it.  Then the promise of rounds holds whether there was one or not.
 */
static void consider_round(struct mend *m, uint64_t pos)
{
	const struct pp_evidence *e = &m->known;
	struct mark *k;

	for (k = pp_mend_undecided(m); k < pp_mend_marks_end(m); k++)
		if (k->kind == PENDING)
			return;
	if (m->judge.maybe_round || !e->kept.next || e->backwards || m->judge.range.what == pp_mend_too_old)
		return;
	k = pp_mend_mark(m, MAYBE_ROUND, pos, 0);
	k->least = e->kept.next;
	k->then = e->kept.newest;
	k->span = e->times.released ? e->times.next - e->times.released : 0;
	/* it is as long as a round is; a sealed stream's seals show it */
	k->due = !m->in.sealed_in && m->judge.rounds > 1 && m->judge.range.to - m->judge.range.from >=
		 (m->judge.last_round - m->judge.first_round) / (m->judge.rounds - 1);
	k->flags = m->in.flags;
	m->judge.maybe_round = true;
}

static void decide_round(struct mend *m, struct mark *k, bool due)
{
	k->kind = !due ? NOTHING : m->out.sealed ? SEAL : ROUND;
	k->made = due;
	m->judge.maybe_round = false;
	m->out.undecided--;
}

struct mark *pp_mend_round_mark(struct mend *m)
{
	if (!m->judge.maybe_round)
		return NULL;
	for (struct mark *k = pp_mend_undecided(m); k < pp_mend_marks_end(m); k++)
		if (k->kind == MAYBE_ROUND)
			return k;
	return NULL;
}

/* A record of this time follows. */
static void watch_round(struct mend *m, uint64_t time)
{
	struct mark *k = pp_mend_round_mark(m);

	if (!k)
		return;
	/* a hole is seen by the time that is missing */
	if (!m->in.sealed_in && !k->above++)
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
	       !pp_type_is(type, PP_CARRIES);
}

/* A sound record follows at `pos`, or the end. */
void pp_mend_end_range(struct mend *m, uint64_t pos)
{
	struct pp_mend_judge *const judge = &m->judge;
	struct pp_mended *const r = &judge->range;

	if (!judge->open)
		return;
	judge->open = false;
	if (!r->what)
		r->what = "no records";
	if (judge->zeros && r->what != pp_mend_another && r->to - r->from > PP_HEADER_SIZE)
		r->what = "zeros";
	if (r->what == pp_mend_another)
		r->hint = PP_HINT_ADD;
	if (!in_head(m, pos) && r->what != pp_mend_another)
		r->samples = pp_mend_estimate(m, r->to - r->from);
	if (r->samples && pp_attrs_count(m->known.attrs)) {
		struct mark *k = pp_mend_mark(m, DROP, pos, 0);

		k->lost = r->samples;
		k->time = m->known.kept.newest;
	}
	pp_mend_tell(m, r);
	consider_round(m, pos);
}

void pp_mend_count_record(struct mend *m, const struct pp_judged *j, size_t size)
{
	uint64_t value;

	m->stats->records++;
	if (j->host.type != PP_REC_SAMPLE)
		return;
	m->stats->samples++;
	m->judge.sample_bytes += size;
	if (pp_id(&j->host, &value))
		m->judge.id = value;
}

/* ---- Time ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * A time that is no further ahead than this needs no proof.  Damage then brings times ahead by little more,
 * so that the sound ones after it are not late by a second.
 */
uint64_t pp_mend_near(const struct mend *m)
{
	const struct pp_promise *times = &m->known.times;
	const uint64_t span = times->released ? (times->newest - times->released) / 8 : 0;
	const uint64_t low = PP_TIME_FAR / 1000, high = PP_TIME_FAR / 4;

	return span < low ? low : least(span, high);
}

/* Its time counts as from where it stands. */
static void count_time(struct pp_promise *times, const struct mark *k)
{
	pp_promise_time(times, k->time);
	if (k->rounds >= 1 && k->time > times->next)
		times->next = k->time;
	if (k->rounds >= 2 && k->time > times->released)
		times->released = k->time;
}

static void keep(struct mend *m, struct mark *k)
{
	k->kind = NOTHING;
	m->out.undecided--;
	count_time(&m->known.kept, k);
	/* what reports losses after it is no older */
	for (struct mark *l = k + 1; l < pp_mend_marks_end(m); l++) {
		if (l->lost && l->time < k->time)
			l->time = k->time;
		if (l->kind == PENDING && l->before < k->time)
			l->before = k->time;
	}
}

static void come_true(struct mend *m, struct mark *k)
{
	keep(m, k);
	count_time(&m->known.times, k);
}

/* It is kept unless it is far from `time`; but others are not judged by it. */
static void come_false(struct mend *m, struct mark *k, uint64_t time)
{
	const struct pp_mended r = { .from = k->pos, .to = k->pos + k->length, .samples = 1,
				     .what = "its time is impossible", .type = k->type };

	if (k->time <= time + PP_TIME_FAR) {
		keep(m, k);
		return;
	}
	m->out.undecided--;
	k->kind = DROP;
	k->lost = 1;
	k->time = k->before;
	m->stats->records--;
	m->stats->samples -= k->type == PP_REC_SAMPLE;
	pp_mend_tell(m, &r);
}

/* What a record of this time proves of those that wait. */
static void judge_pending(struct mend *m, uint64_t time)
{
	const uint64_t reach = pp_mend_near(m);

	for (struct mark *k = pp_mend_undecided(m); m->out.undecided && k < pp_mend_marks_end(m); k++) {
		if (k->kind != PENDING)
			continue;
		k->above += time >= k->time;
		k->below += time < k->time;
		if (k->rounds >= 2 && time < k->time)
			come_false(m, k, least(time, m->known.times.released));
		else if (k->rounds >= 2 || k->time <= m->known.times.newest + reach ||
			 (k->above >= ABOVE && k->above > k->below) ||
			 (time + reach >= k->time && time <= k->time + reach))
			come_true(m, k);
	}
}

/* There is nothing more to decide by. */
void pp_mend_judge_rest(struct mend *m, bool at_end)
{
	const bool sound = !m->stats->ranges && !m->judge.open;

	for (struct mark *k = pp_mend_undecided(m); k < pp_mend_marks_end(m); k++) {
		if (k->kind == PENDING) {
			if (!m->known.times.next || (at_end ? sound : k->above >= k->below))
				come_true(m, k);
			else
				come_false(m, k, at_end ? m->known.times.newest : m->known.times.released);
		} else if (k->kind == HELD) {
			k->kind = k->fix ? FIX : NOTHING;
			m->out.undecided--;
		} else if (k->kind == MAYBE_ROUND) {
			decide_round(m, k, at_end && k->due);
		}
	}
}

void pp_mend_release_held(struct mend *m)
{
	for (struct mark *k = pp_mend_undecided(m); m->out.undecided && k < pp_mend_marks_end(m); k++)
		if (k->kind == HELD) {
			k->kind = k->fix ? FIX : NOTHING;
			m->out.undecided--;
		}
}

void pp_mend_count_round(struct mend *m)
{
	struct mark *maybe = pp_mend_round_mark(m);

	/* a feature that waits for what is compressed has waited long enough */
	if (!m->packed.expand)
		pp_mend_release_held(m);
	pp_promise_round(&m->known.times);
	pp_promise_round(&m->known.kept);
	if (!m->judge.rounds++)
		m->judge.first_round = m->in.at;
	m->judge.last_round = m->in.at;
	for (struct mark *k = pp_mend_undecided(m); m->out.undecided && k < pp_mend_marks_end(m); k++)
		if (k->kind == PENDING && k->rounds < 2)
			k->rounds++;
	if (maybe && ++maybe->rounds == 2)
		decide_round(m, maybe, maybe->due);
}

/* False: it is older than may be. */
bool pp_mend_take_time(struct mend *m, uint64_t length, uint32_t type, uint64_t time, bool may_wait)
{
	struct pp_evidence *e = &m->known;

	if (pp_evidence_late(e, time))
		return false;
	if (m->judge.maybe_round)
		watch_round(m, time);
	if (may_wait && m->out.undecided)
		judge_pending(m, time);
	if (time > e->times.newest) {
		if (may_wait && !e->backwards && time - e->times.newest > pp_mend_near(m)) {
			struct mark *k = pp_mend_mark(m, PENDING, m->in.at, length);

			k->type = type;
			k->time = time;
			k->before = e->kept.newest;
		} else {
			e->times.newest = time;
			pp_promise_time(&e->kept, time);
		}
	}
	if (time < m->stats->first_time || !m->stats->first_time)
		m->stats->first_time = time;
	if (time > m->stats->last_time)
		m->stats->last_time = time;
	return true;
}
