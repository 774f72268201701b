/*
 * check.c - whether a stream is sound: each record against its description, and against those around
 * it: attributes, times and rounds, features, tasks.
 */
#include "check/check.h"

#include "base/array.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	CPUS_MAX = 1 << 16,
	STRANGERS_MAX = 4096,         /* threads without a name that are kept with their place */
	DISORDER = 100000000,         /* ns by which records of one CPU may be out of order */
};

/* ---- Times ---- */

#define SECONDS "%" PRIu64 ".%09" PRIu64
#define AS_SECONDS(ns) (ns) / 1000000000, (ns) % 1000000000

static void count_late(struct lateness *l, const struct pp_record *rec, uint64_t by)
{
	l->count++;
	if (by <= l->worst)
		return;
	l->worst = by;
	l->worst_at = *rec;
}

/* A writer that is a little late breaks its promise: then records are out of order, but whole. */
static void check_promise(struct pp_checker *c, const struct pp_record *rec, uint64_t time)
{
	const uint64_t late = pp_promise_late(&c->times, time);

	if (!late || c->backwards)
		return;
	if (late > PP_TIME_FAR)
		pp_check_fault(c, rec, "round", "time", SECONDS " is before " SECONDS " of record %" PRIu64
		      ", which a round had released", AS_SECONDS(time), AS_SECONDS(c->times.released),
		      c->at.released);
	else
		count_late(&c->late, rec, late);
}

static uint64_t *cpu_time(struct pp_checker *c, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		return NULL;
	if (!PP_GROW_ZEROED(&c->cpus, &c->n_cpus, (size_t)cpu + 1, NULL))
		return &c->cpus[cpu];
	c->no_memory = true;
	return NULL;
}

static void check_cpu(struct pp_checker *c, const struct pp_record *rec, uint64_t time)
{
	const uint32_t there = pp_attrs_cpus(c->stream->attrs);
	uint64_t *latest;
	uint32_t cpu;

	if (!pp_cpu(rec, &cpu))
		return;
	if (there && cpu >= there && cpu != UINT32_MAX)
		pp_check_remark(c, rec, "cpu", "cpu", "there is no CPU %" PRIu32 ": NRCPUS said %" PRIu32,
		       cpu, there);
	latest = cpu_time(c, cpu);
	if (!latest)
		return;
	if (time >= *latest) {
		*latest = time;
		return;
	}
	count_late(&c->disorder, rec, *latest - time);
}

static void check_time(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t time;

	if (!pp_time(rec, &time)) {
		if (rec->type == PP_REC_SAMPLE && rec->attr->plan.time)
			pp_check_remark(c, rec, "time", "time", "a sample without a time");
		return;
	}
	check_promise(c, rec, time);
	if (time > c->times.newest) {
		c->times.newest = time;
		c->at.newest = rec->index;
	}
	check_cpu(c, rec, time);
}

/* ---- Tasks and maps ---- */

static inline void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void name_task(struct pp_checker *c, uint64_t tid)
{
	c->names = true;
	if (tid >= TIDS)
		return;
	set_bit(c->known, (uint32_t)tid);
	set_bit(c->named, (uint32_t)tid);
}

static int meet_stranger(struct pp_checker *c, const struct pp_record *rec, uint32_t pid,
			 uint32_t tid)
{
	set_bit(c->known, tid);
	if (!c->strangers) {
		c->strangers = calloc(STRANGERS_MAX, sizeof(*c->strangers));
		if (!c->strangers)
			return -1;
	}
	if (c->n_strangers == STRANGERS_MAX)
		c->more_strangers++;
	else
		c->strangers[c->n_strangers++] =
			(struct stranger){ pid, tid, rec->offset, rec->index, rec->type };
	return 0;
}

static int check_task(struct pp_checker *c, const struct pp_record *rec)
{
	uint32_t pid, tid;

	if (!pp_task(rec, &pid, &tid) || tid >= TIDS || pp_check_bit(c->known, tid))
		return 0;
	return meet_stranger(c, rec, pid, tid);
}

/* Of two mappings that were there when the recording began neither replaced the other. */
static void check_map(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t pid, start, length, time;

	if (pp_time(rec, &time) || !pp_find_u64(rec, PP_IS_PID, &pid) ||
	    !pp_find_u64(rec, PP_IS_START, &start) || !pp_find_u64(rec, PP_IS_LENGTH, &length))
		return;
	if (length > UINT64_MAX - start)
		pp_check_remark(c, rec, "map", "len", "the mapping runs past the end of all addresses");
	else if ((int64_t)pid == c->map.pid && start < c->map.end && c->map.start < start + length)
		pp_check_remark(c, rec, "map", "start", "the mapping overlaps the one before it, though "
		       "both existed when the recording began");
	c->map.pid = (int64_t)pid >= 0 ? (int64_t)pid : -1;
	c->map.start = start;
	c->map.end = c->map.pid < 0 ? 0 : start + length;
}

static void name_threads(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_cursor w;

	pp_walk(&w, rec);
	while (pp_walk_find(&w, PP_IS_TID) == 1)
		name_task(c, w.value);
}

/* What a record of the kernel says of tasks. */
static void side_band(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t tid;

	if (pp_type_is(rec->type, PP_MAPS))
		check_map(c, rec);
	else if ((rec->type == PP_REC_COMM || rec->type == PP_REC_FORK) &&
		 pp_find_u64(rec, PP_IS_TID, &tid))
		name_task(c, tid);
}

/* ---- Records ---- */

static bool is_unknown(struct pp_checker *c, const struct pp_record *rec)
{
	if (pp_type(rec->type))
		return false;
	pp_check_remark(c, rec, "unknown", NULL, "the type of this record is unknown");
	return true;
}

static void check_without_attr(struct pp_checker *c, const struct pp_record *rec)
{
	if (pp_attrs_count(c->stream->attrs)) {
		pp_check_fault(c, rec, "attribute", "id", "the id of this record belongs to no event "
		      "attribute");
	} else if (rec->type == PP_REC_SAMPLE) {
		pp_check_fault(c, rec, "attribute", NULL, "no event attribute comes before it");
	} else if (!c->early) {
		c->early = true;
		pp_check_remark(c, rec, "attribute", NULL, "no event attribute comes before it");
	}
}

/* perf takes each record for the only event's, whatever its id: it is said once. */
static void check_only_event(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t id;

	if (c->unlisted || !rec->attr->n_ids || !pp_id(rec, &id) || !id ||
	    pp_attrs_by_id(c->stream->attrs, id))
		return;
	c->unlisted = true;
	pp_check_remark(c, rec, "id", "id", "%" PRIu64 " is not among the ids of the only event", id);
}

static int check_sample(struct pp_checker *c, const struct pp_record *rec)
{
	c->stats.samples++;
	if (!rec->attr)
		return 0;
	pp_check_fields(c, rec);
	return check_task(c, rec);
}

int pp_check_kernel(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t lost;

	if ((rec->misc & PP_MISC_CPUMODE) > PP_MISC_GUEST_USER)
		pp_check_remark(c, rec, "value", "misc", "there is no CPU mode %d",
		       rec->misc & PP_MISC_CPUMODE);
	if (rec->type != PP_REC_SAMPLE && is_unknown(c, rec))
		return 0;
	if (rec->attr) {
		check_time(c, rec);
		if (pp_attrs_count(c->stream->attrs) == 1)
			check_only_event(c, rec);
	} else {
		check_without_attr(c, rec);
	}
	if (rec->type == PP_REC_SAMPLE)
		return check_sample(c, rec);
	if (pp_type_is(rec->type, PP_LOSES) && pp_find_u64(rec, PP_IS_LOST, &lost))
		c->stats.lost += lost;
	if (rec->attr || !pp_attrs_count(c->stream->attrs))
		pp_check_look(c, rec);         /* else it is unknown where its trailer begins */
	side_band(c, rec);
	return 0;
}

static void check_tracing(struct pp_checker *c, const struct pp_record *rec)
{
	if (c->tracing)
		pp_check_remark(c, rec, "feature", NULL, "a second one, which perf does not read");
	c->tracing = true;
	c->blob_at = 0;
}

static void check_user(struct pp_checker *c, const struct pp_record *rec)
{
	static const struct {
		uint32_t type;
		void (*check)(struct pp_checker *, const struct pp_record *);
	} checks[] = {
		{ PP_REC_HEADER_ATTR, pp_check_attr },
		{ PP_REC_HEADER_FEATURE, pp_check_feature },
		{ PP_REC_FINISHED_ROUND, pp_check_round },
		{ PP_REC_HEADER_TRACING_DATA, check_tracing },
		{ PP_REC_THREAD_MAP, name_threads },
	};

	if (is_unknown(c, rec))
		return;
	pp_check_look(c, rec);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i].type == rec->type)
			checks[i].check(c, rec);
}

/* perf 7 stops at a record that is no multiple of 8 long, except a few types that always were so. */
void pp_check_alignment(struct pp_checker *c, const struct pp_record *rec)
{
	if (rec->type != PP_REC_HEADER_TRACING_DATA && rec->type != PP_REC_HEADER_FEATURE &&
	    rec->type != PP_REC_COMPRESSED)
		pp_check_remark(c, rec, "align", NULL, "its size of %u bytes is not a multiple of 8, which "
		       "perf refuses since version 7", rec->size);
}

int pp_checker_record(struct pp_checker *c, const struct pp_record *rec, struct pp_error *error)
{
	c->stats.records++;
	if (rec->size % 8)
		pp_check_alignment(c, rec);
	if (rec->type != PP_REC_FINISHED_ROUND) {
		c->others = true;
		pp_check_late_note(c);
	}
	if (rec->type >= PP_USER_TYPES)
		check_user(c, rec);
	else if (pp_check_kernel(c, rec) || c->no_memory)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

void pp_checker_tail(struct pp_checker *c, const struct pp_record *rec, const void *piece,
		     size_t size)
{
	static const char head[] = "\x17\x08\x44" "tracing";
	const size_t n = size < BLOB_HEAD - c->blob_at ? size : BLOB_HEAD - c->blob_at;

	if (rec->type != PP_REC_HEADER_TRACING_DATA || c->blob_at == BLOB_HEAD)
		return;
	memcpy(c->blob + c->blob_at, piece, n);
	c->blob_at += n;
	if (c->blob_at == BLOB_HEAD && memcmp(c->blob, head, BLOB_HEAD) != 0)
		pp_check_remark(c, rec, "tail", NULL, "what follows it is not tracing data");
}

/* ---- The end, and the beginning ---- */

static void tell_strangers(struct pp_checker *c)
{
	if (!c->names)
		return;
	for (size_t i = 0; i < c->n_strangers; i++) {
		const struct stranger *s = &c->strangers[i];
		const struct pp_record at = { .offset = s->offset, .index = s->index,
					      .type = s->type };

		if (!pp_check_bit(c->named, s->tid))
			pp_check_remark(c, &at, "task", "tid", "thread %" PRIu32 " of process %" PRId32
			       " is never named", s->tid, (int32_t)s->pid);
	}
	if (c->more_strangers)
		pp_check_remark(c, NULL, "task", NULL, "%zu more threads had no name when they were sampled",
		       c->more_strangers);
}

/* What a perf.data file has, or lacks, and a stream does not. */
static void check_container(struct pp_checker *c)
{
	const struct pp_stream *const s = c->stream;

	if (s->killed)
		pp_check_remark(c, NULL, "container", NULL, "its recorder did not finish it: it has no "
		       "features, and its last records may be missing");
	if (s->features_left_out)
		pp_check_remark(c, NULL, "container", NULL, "%d features that no record can hold "
		       "were left out", __builtin_popcountll(s->features_left_out));
	if (s->left_out)
		pp_check_remark(c, NULL, "container", NULL, "%" PRIu64 " records that no stream can hold "
		       "were left out", s->left_out);
}

/* The feature COMPRESSED is there where compressed records follow, and nowhere else. */
static void check_compressed(struct pp_checker *c)
{
	const struct pp_stream *const s = c->stream;

	if (s->unpromised.size && !s->killed)
		pp_check_remark(c, &s->unpromised, "compression", NULL, "the feature COMPRESSED is missing "
		       "before it: perf cannot expand it");
	if (s->promise.size && !s->compressed_bytes)
		pp_check_remark(c, &s->promise, "compression", "feat_id", "the feature COMPRESSED, but "
		       "nothing is compressed");
}

void pp_checker_end(struct pp_checker *c)
{
	check_compressed(c);
	pp_check_tell_remarks(c);
	pp_check_shared_ids(c);
	check_container(c);
	if (c->late.count)
		pp_check_remark(c, &c->late.worst_at, "round", "time", "%" PRIu64 " record%s came after "
		       "later ones had been released, this one by " SECONDS " s", c->late.count,
		       c->late.count == 1 ? "" : "s", AS_SECONDS(c->late.worst));
	if (c->disorder.worst > DISORDER)
		pp_check_remark(c, &c->disorder.worst_at, "order", "time", "%" PRIu64 " record%s after "
		       "later ones of the same CPU, this one by " SECONDS " s", c->disorder.count,
		       c->disorder.count == 1 ? " stands" : "s stand", AS_SECONDS(c->disorder.worst));
	tell_strangers(c);
	pp_check_tell_remarks(c);
}

const struct pp_checker_stats *pp_checker_stats(const struct pp_checker *c)
{
	return &c->stats;
}

struct pp_checker *pp_checker_open(const struct pp_stream *stream, pp_checker_found_fn *found,
				   void *arg)
{
	struct pp_checker *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->stream = stream;
	c->found = found;
	c->arg = arg;
	c->map.pid = -1;
	c->sample_bits = pp_check_bits_of(pp_sample_bits);
	c->read_bits = pp_check_bits_of(pp_read_bits);
	c->flag_bits = pp_check_bits_of(pp_attr_flags);
	c->known = calloc(TIDS / 64, sizeof(*c->known));
	c->named = calloc(TIDS / 64, sizeof(*c->named));
	c->repeated = calloc(REPEATED_MAX, sizeof(*c->repeated));
	if (!c->known || !c->named || !c->repeated) {
		pp_checker_close(c);
		return NULL;
	}
	set_bit(c->known, 0);         /* idle: no thread */
	return c;
}

void pp_checker_close(struct pp_checker *c)
{
	if (!c)
		return;
	free(c->shapes);
	free(c->cpus);
	free(c->known);
	free(c->named);
	free(c->strangers);
	free(c->repeated);
	free(c);
}
