/*
 * lazy_sideband.c - stands between the rings and the sink, and writes a task's names and maps only when
 * a record is about it: what was read at the start and held back, or what /proc says then.
 *
 *	rings   ... sample of 7 ... sample of 7 ... sample of 9 ...
 *	                |                               |
 *	held    7: FORK COMM MMAP2 ...              9: FORK COMM MMAP2 ...      8: never written
 *	                v                               v
 *	sink    ... [all of 7] sample ... sample ... [all of 9] sample ...
 */
#include "base/array.h"
#include "base/hash.h"
#include "record/capture.h"
#include "format/format.h"

#include <stdlib.h>

enum { MOST_TASKS = 1 << 26 };        /* far above what the kernel allows; others are not looked up */

/* What is held of a task: records one after another, the first of them its FORK. */
struct lazy_part {
	size_t at, size;
	uint32_t tid;
};

/* A task that a record was about, and of which nothing was known. */
struct asked {
	uint32_t pid, tid;
	uint64_t sampled;             /* when first, or UINT64_MAX */
	uint64_t superseded;          /* when a live record said what it is from then on */
	bool ended;                   /* only its name was left to read */
};

/* Records that wait for what will be written before them.  Those that do not stay are copied. */
struct lazy_chunk {
	const uint8_t *records;
	size_t size;
	void *copy;                   /* to be freed, or NULL */
};

/* Where in a record it is said whom it is about, who its parent is, and when: 0 where it is not. */
struct places {
	uint16_t pid, tid, ppid, ptid, time;
};

struct pp_lazy {
	struct pp_capture *capture;
	struct pp_capture_sink out;
	struct pp_synth *synth;
	struct pp_capture_sink holding;
	struct pp_synth_out made;
	struct places places[PP_USER_TYPES];   /* by type, as far as its fields are fixed */
	const struct pp_attr *attr;   /* where in samples and trailers it is, if all events agree on it */
	bool late;
	bool ready;                   /* all that is to be held is there */
	uint8_t *known;               /* a bit for each task that was asked for, or reported live */
	size_t known_room;
	struct pp_buffer held;
	struct lazy_part *parts;
	size_t n_parts, parts_room;
	struct pp_idmap by_tid;       /* of parts that are not written */
	struct pp_idmap waiting;      /* late: which of `asked` has this number */
	struct asked *asked;
	size_t n_asked, asked_room;
	struct lazy_chunk *chunks;
	size_t n_chunks, chunks_room;
};

/* ---- records ---- */

/* A record in a ring, or in memory that does not wrap; a field of it does neither. */
struct lazy_view {
	const uint8_t *base;
	uint64_t at, mask;
};

static const uint8_t *byte_of(const struct lazy_view *v, uint64_t offset)
{
	return v->base + ((v->at + offset) & v->mask);
}

struct about {
	enum { NOBODY, SAMPLED, MENTIONED, STARTED, EXECED } how;
	uint32_t pid, tid;
	uint32_t ppid, ptid;          /* where STARTED */
	uint64_t time;                /* 0: unknown */
};

/* By the id, which is first in a sample and last in a trailer wherever events differ. */
static const struct pp_attr *attr_of(const struct pp_lazy *l, const struct lazy_view *v, uint32_t type,
				     uint16_t size)
{
	const uint64_t at = type == PP_REC_SAMPLE ? PP_HEADER_SIZE : size - sizeof(uint64_t);

	if (l->attr)
		return l->attr;
	return pp_attrs_by_id(l->capture->attrs, pp_load64(byte_of(v, at)));
}

/* From the end of a record, if the event has it there. */
static uint16_t in_trailer(uint16_t size, uint8_t from_end)
{
	return from_end ? (uint16_t)(size - from_end) : 0;
}

/* Where a record says whom it is about, and when; most do so themselves, others in their trailer
 * during what they happened. */
static struct places places_of(const struct pp_lazy *l, const struct pp_attr *attr, uint32_t type,
			       uint16_t size)
{
	struct places p = l->places[type];

	if (type == PP_REC_SAMPLE) {
		p.pid = attr->plan.tid;
		p.time = attr->plan.time;
	} else {
		p.pid = p.pid ? p.pid : in_trailer(size, attr->plan.t_tid);
		p.time = in_trailer(size, attr->plan.t_time);
	}
	/* Except where each has a parent beside it, the thread follows the process. */
	p.tid = p.ptid ? p.tid : p.pid + sizeof(uint32_t);
	return p;
}

static struct about about(const struct pp_lazy *l, const struct lazy_view *v, uint32_t type,
			  uint16_t size)
{
	const struct pp_attr *const attr = size >= 32 && type < PP_USER_TYPES ?
					   attr_of(l, v, type, size) : NULL;
	const struct places p = attr ? places_of(l, attr, type, size) : (struct places){ 0 };
	struct about a = { .how = NOBODY };

	if (!p.pid || type == PP_REC_EXIT)
		return a;
	a.pid = pp_load32(byte_of(v, p.pid));
	a.tid = pp_load32(byte_of(v, p.tid));
	a.time = p.time ? pp_load64(byte_of(v, p.time)) : 0;
	a.how = type == PP_REC_SAMPLE ? SAMPLED : MENTIONED;
	if (p.ptid) {
		a.how = STARTED;
		a.ppid = pp_load32(byte_of(v, p.ppid));
		a.ptid = pp_load32(byte_of(v, p.ptid));
	} else if (type == PP_REC_COMM && pp_load16(byte_of(v, 4)) & PP_MISC_COMM_EXEC) {
		a.how = EXECED;
	}
	return a;
}

/* ---- who is known ---- */

/* Marks a task; 1 where it was not marked, 0 where it was or cannot be, or -1 and *error. */
static int mark(struct pp_lazy *l, uint32_t tid, struct pp_error *error)
{
	const size_t byte = tid / 8;
	const uint8_t bit = (uint8_t)(1 << tid % 8);

	if (!tid || tid >= MOST_TASKS)
		return 0;
	if (PP_GROW_ZEROED(&l->known, &l->known_room, byte + 1, error))
		return -1;
	if (l->known[byte] & bit)
		return 0;
	l->known[byte] |= bit;
	return 1;
}

/* Once everything is held, only that can be asked for. */
static int ask(struct pp_lazy *l, uint32_t pid, uint32_t tid, struct pp_error *error)
{
	const int fresh = mark(l, tid, error);

	if (fresh <= 0 || (l->ready && !l->late && !pp_idmap_find(&l->by_tid, tid)))
		return fresh < 0 ? -1 : 0;
	if (PP_GROW(&l->asked, &l->asked_room, l->n_asked + 1, error))
		return -1;
	l->asked[l->n_asked++] = (struct asked){
		.pid = pid, .tid = tid, .sampled = UINT64_MAX, .superseded = UINT64_MAX,
	};
	return 0;
}

/* A thread needs its process, which has the maps. */
static int ask_both(struct pp_lazy *l, uint32_t pid, uint32_t tid, struct pp_error *error)
{
	return ask(l, pid, pid, error) || (tid != pid && ask(l, pid, tid, error)) ? -1 : 0;
}

static int ask_about(struct pp_lazy *l, const struct about *a, struct pp_error *error)
{
	/* What is read late may be of after this; what follows live is all there is to know. */
	if (l->late && (a->how == STARTED || a->how == EXECED) && mark(l, a->tid, error) < 0)
		return -1;
	if (a->how == STARTED && ask_both(l, a->ppid, a->ptid, error))
		return -1;
	return a->how == NOBODY ? 0 : ask_both(l, a->pid, a->tid, error);
}

/* Calls `fn` for each record from v->at until `end`. */
typedef int each_fn(struct pp_lazy *, const struct about *, struct pp_error *);
static int each(struct pp_lazy *l, struct lazy_view v, uint64_t end, each_fn *fn, struct pp_error *error)
{
	while (v.at < end) {
		const uint16_t size = pp_load16(byte_of(&v, 6));
		struct about a;

		if (size < PP_HEADER_SIZE)
			break;
		a = about(l, &v, pp_load32(byte_of(&v, 0)), size);
		if (fn(l, &a, error))
			return -1;
		v.at += size;
	}
	return 0;
}

/* ---- what is held ---- */

static int hold(void *arg, const void *record, size_t size, const void *tail, size_t tail_size,
		struct pp_error *error)
{
	const uint8_t *const bytes = record;
	struct pp_lazy *const l = arg;
	const uint32_t tid = pp_load32(bytes + l->places[pp_load32(bytes)].tid);

	(void)tail;
	(void)tail_size;
	if (!l->n_parts || l->parts[l->n_parts - 1].tid != tid) {
		if (PP_GROW(&l->parts, &l->parts_room, l->n_parts + 1, error))
			return -1;
		if (pp_idmap_set(&l->by_tid, tid, l->n_parts))
			return pp_fail(error, PP_E_NOMEM, NULL);
		l->parts[l->n_parts++] = (struct lazy_part){ .at = l->held.size, .tid = tid };
	}
	l->parts[l->n_parts - 1].size += size;
	return pp_buffer_add(&l->held, record, size, error);
}

static const struct lazy_part *part_of(const struct pp_lazy *l, uint32_t tid)
{
	const uint64_t *const i = pp_idmap_find(&l->by_tid, tid);

	return i ? &l->parts[*i] : NULL;
}

/* Its parent, so that who descends from whom is known. */
static int ask_parent(struct pp_lazy *l, const struct lazy_part *part, struct pp_error *error)
{
	const uint8_t *const first = part ? l->held.data + part->at : NULL;
	const uint16_t place = first ? l->places[pp_load32(first)].ppid : 0;
	const uint32_t ppid = place ? pp_load32(first + place) : 0;

	return ask(l, ppid, ppid, error);
}

static int write_part(struct pp_lazy *l, uint32_t tid, struct pp_error *error)
{
	const struct lazy_part *const part = part_of(l, tid);
	const uint8_t *at = part ? l->held.data + part->at : NULL;
	const uint8_t *const end = part ? at + part->size : NULL;

	while (at != end) {
		const uint16_t size = pp_load16(at + 6);

		if (l->out.made && l->out.made(l->out.arg, at, size, NULL, 0, error))
			return -1;
		at += size;
	}
	pp_idmap_drop(&l->by_tid, tid);
	return 0;
}

/* Writes what was asked for, and of whom those descend. */
static int serve(struct pp_lazy *l, struct pp_error *error)
{
	for (size_t i = 0; i < l->n_asked; i++) {
		const uint32_t tid = l->asked[i].tid;

		if (ask_parent(l, part_of(l, tid), error) || write_part(l, tid, error))
			return -1;
	}
	l->n_asked = 0;
	return 0;
}

/* ---- late ---- */

static struct asked *asked_for(struct pp_lazy *l, const struct pp_idmap *who, uint32_t tid)
{
	const uint64_t *const i = pp_idmap_find(who, tid);

	return i ? &l->asked[*i] : NULL;
}

static void sampled_at(struct asked *a, uint64_t time)
{
	if (a && time < a->sampled)
		a->sampled = time;
}

/* When those that were asked for were sampled, and what was said of them live. */
static int note_times(struct pp_lazy *l, const struct about *about, struct pp_error *error)
{
	struct asked *const a = asked_for(l, &l->waiting, about->tid);

	(void)error;
	if (about->how == SAMPLED) {
		sampled_at(a, about->time);
		sampled_at(asked_for(l, &l->waiting, about->pid), about->time);
	} else if (a && (about->how == STARTED || about->how == EXECED) &&
		   about->time < a->superseded) {
		a->superseded = about->time;
	}
	return 0;
}

/* In a ring, and in what is not in its copy yet, if there is one. */
static int look_into(struct pp_lazy *l, const struct pp_ring *ring, struct pp_error *error)
{
	const uint64_t end = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t copied = ring->data != ring->bytes ? pp_ring_head(ring) : end;
	const struct lazy_view v = { ring->data, ring->tail, ring->span - 1 };
	const struct lazy_view rest = { ring->bytes, copied, ring->size - 1 };

	/* What is overwritten is read in snapshots. */
	if (ring->backward)
		return 0;
	return each(l, v, copied, note_times, error) || each(l, rest, end, note_times, error) ? -1 : 0;
}

/* In what waits, and in the rings: what happened before /proc was read is there. */
static int look_ahead(struct pp_lazy *l, struct pp_error *error)
{
	struct pp_rings *const r = &l->capture->rings;
	int status = 0;

	for (size_t i = 0; i < l->n_chunks; i++) {
		const struct lazy_view v = { l->chunks[i].records, 0, UINT64_MAX };

		if (each(l, v, l->chunks[i].size, note_times, error))
			return -1;
	}
	pp_ring_threads_lock(r);
	for (size_t i = 0; i < r->n && !status; i++)
		status = look_into(l, &r->items[i], error);
	pp_ring_threads_unlock(r);
	return status;
}

static int read_asked(struct pp_lazy *l, struct pp_error *error)
{
	for (size_t i = 0; i < l->n_asked; i++) {
		const struct asked a = l->asked[i];

		if (pp_idmap_set(&l->waiting, a.tid, i))
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (a.pid == a.tid ? pp_synth_process(l->synth, (int32_t)a.pid, error) :
				     pp_synth_thread(l->synth, (int32_t)a.pid, (int32_t)a.tid, error))
			return -1;
		l->asked[i].ended = a.pid == a.tid && pp_synth_ended(l->synth);
		if (ask_parent(l, part_of(l, a.tid), error))
			return -1;
	}
	return 0;
}

/*
 * Reads those that were asked for.  Of one that has become something else meanwhile, what /proc
 * says is not what the samples of before need: nothing is better than what is wrong.
 */
static int serve_late(struct pp_lazy *l, struct pp_error *error)
{
	struct pp_capture_stats *const stats = &l->capture->rings.stats;
	int status = 0;

	if (!l->n_asked)
		return 0;
	if (read_asked(l, error) || look_ahead(l, error))
		return -1;
	for (size_t i = 0; i < l->n_asked && !status; i++) {
		const struct asked *const a = &l->asked[i];
		const bool unresolved = a->sampled < a->superseded;

		if (a->superseded != UINT64_MAX) {
			stats->late_execed += unresolved;
			continue;
		}
		if (unresolved && (a->ended || !part_of(l, a->tid)))
			++*(l->capture->keeper.missed ? &stats->late_unread : &stats->late_dead);
		status = write_part(l, a->tid, error);
	}
	l->n_asked = l->n_parts = l->held.size = 0;
	pp_idmap_close(&l->by_tid);
	pp_idmap_close(&l->waiting);
	return status;
}

/* ---- as a sink ---- */

static int wait_for(struct pp_lazy *l, const void *records, size_t size, bool stays,
		    struct pp_error *error)
{
	struct lazy_chunk c = { records, size, NULL };

	if (PP_GROW(&l->chunks, &l->chunks_room, l->n_chunks + 1, error))
		return -1;
	if (!stays) {
		c.records = c.copy = malloc(size);
		if (!c.copy)
			return pp_fail(error, PP_E_NOMEM, NULL);
		memcpy(c.copy, records, size);
	}
	l->chunks[l->n_chunks++] = c;
	return 0;
}

static int pass(struct pp_lazy *l, const void *records, size_t size, bool stays,
		struct pp_error *error)
{
	return pp_sink_give(&l->out, l->capture->attrs, records, size, stays, error);
}

static int kernel(void *arg, const void *records, size_t size, bool stays, struct pp_error *error)
{
	const struct lazy_view v = { records, 0, UINT64_MAX };
	struct pp_lazy *const l = arg;

	if ((!l->ready || l->late || l->by_tid.count) && each(l, v, size, ask_about, error))
		return -1;
	if (l->late)
		return wait_for(l, records, size, stays, error);
	if (l->ready && serve(l, error))
		return -1;
	return pass(l, records, size, stays, error);
}

/* Passes on what waits, after what it needs. */
static int drain(struct pp_lazy *l, struct pp_error *error)
{
	int status = l->late ? serve_late(l, error) : 0;

	for (size_t i = 0; i < l->n_chunks; i++) {
		const struct lazy_chunk *const c = &l->chunks[i];

		if (!status)
			status = pass(l, c->records, c->size, !c->copy, error);
		free(c->copy);
	}
	l->n_chunks = 0;
	return status;
}

static int made(void *arg, const void *record, size_t size, const void *tail, size_t tail_size,
		struct pp_error *error)
{
	const struct pp_lazy *const l = arg;

	return l->out.made ? l->out.made(l->out.arg, record, size, tail, tail_size, error) : 0;
}

static int end_round(void *arg, struct pp_error *error)
{
	struct pp_lazy *const l = arg;

	if (drain(l, error))
		return -1;
	return l->out.round ? l->out.round(l->out.arg, error) : 0;
}

static int note(void *arg, const char *key, const void *value, size_t length,
		struct pp_error *error)
{
	struct pp_lazy *const l = arg;

	if (!l->out.note)
		return end_round(arg, error);
	if (drain(l, error))
		return -1;
	return l->out.note(l->out.arg, key, value, length, error);
}

static int flush(void *arg, struct pp_error *error)
{
	struct pp_lazy *const l = arg;

	if (drain(l, error))
		return -1;
	return l->out.flush ? l->out.flush(l->out.arg, error) : 0;
}

/* ---- from start to end ---- */

static bool same_places(const struct pp_attr *a, const struct pp_attr *b)
{
	return a->plan.tid == b->plan.tid && a->plan.time == b->plan.time &&
	       a->plan.t_tid == b->plan.t_tid && a->plan.t_time == b->plan.t_time;
}

int pp_lazy_begin(struct pp_lazy *l, struct pp_error *error)
{
	const struct pp_attrs *const attrs = l->capture->attrs;

	l->attr = l->made.attr = pp_attrs_at(attrs, 0);
	for (size_t i = 1; i < pp_attrs_count(attrs); i++)
		if (l->attr && !same_places(l->attr, pp_attrs_at(attrs, i)))
			l->attr = NULL;
	if (!l->late && pp_synth_tasks(l->synth, error))
		return -1;
	l->ready = true;
	return l->late ? 0 : serve(l, error);
}

struct pp_lazy *pp_lazy_open(struct pp_capture *c, const struct pp_capture_sink *out, bool late,
			     struct pp_error *error)
{
	struct pp_lazy *const l = calloc(1, sizeof(*l));

	if (!l) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	l->capture = c;
	l->out = *out;
	l->late = late;
	for (uint32_t type = 0; type < PP_USER_TYPES; type++)
		l->places[type] = (struct places){
			pp_fixed_place(type, PP_IS_PID), pp_fixed_place(type, PP_IS_TID),
			pp_fixed_place(type, PP_IS_PPID), pp_fixed_place(type, PP_IS_PTID), 0,
		};
	l->holding = (struct pp_capture_sink){ .made = hold, .arg = l };
	l->made.sink = &l->holding;
	l->synth = pp_synth_open(c, &l->made, error);
	if (!l->synth) {
		pp_lazy_close(l);
		return NULL;
	}
	return l;
}

struct pp_capture_sink pp_lazy_sink(struct pp_lazy *l)
{
	return (struct pp_capture_sink){
		.size = sizeof(struct pp_capture_sink), .made = made, .kernel = kernel,
		.round = end_round, .flush = flush, .note = note, .arg = l,
	};
}

void pp_lazy_close(struct pp_lazy *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n_chunks; i++)
		free(l->chunks[i].copy);
	free(l->chunks);
	free(l->known);
	free(l->parts);
	free(l->asked);
	pp_buffer_free(&l->held);
	pp_idmap_close(&l->by_tid);
	pp_idmap_close(&l->waiting);
	pp_synth_close(l->synth);
	free(l);
}
