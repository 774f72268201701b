/*
 * check.c - whether a stream is sound: each record against its description, and against those
 * around it: attributes, times and rounds, features, tasks.  Framing, seals and compression are
 * the reader's to judge; what becomes of a finding is its caller's.
 */
#include <perfpipe/perfpipe.h>

#include "base/grow.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TIDS = 1 << 22,               /* the kernel's own limit of PIDs */
	CPUS_MAX = 1 << 16,
	STRANGERS_MAX = 4096,         /* threads without a name that are kept with their place */
	DISORDER = 100000000,         /* ns that records of one CPU may stand in each other's way */
	BLOB_HEAD = 10,               /* bytes that tell tracing data */
	REPEATED_MAX = 256,           /* different remarks that are told once, with their number */
};

/* A sample's rows behind those of a fixed width, for one event. */
struct shape {
	const struct pp_field *rows;  /* NULL: not looked at yet */
	size_t at;                    /* where they begin */
	uint64_t reg[PP_R_COUNT];
};

/* A thread that was sampled before it had a name. */
struct stranger {
	uint32_t pid, tid;
	uint64_t offset, index;
	uint32_t type;
};

struct pp_checker {
	const struct pp_stream *stream;
	pp_checker_found *found;
	void *arg;
	struct pp_checker_stats stats;
	struct pp_finding *repeated;  /* remarks, told at the end */
	size_t n_repeated;

	struct shape *shapes;         /* by the attribute's index */
	size_t n_shapes;
	uint64_t sample_bits, read_bits, flag_bits;   /* that are known */

	/* Rounds: what came so far, what the last round lets go, what the one before let go. */
	uint64_t newest, next, released;
	uint64_t newest_index, next_index, released_index;
	bool backwards;               /* some buffers are written from their end */

	uint64_t *cpus;               /* the latest time of each CPU */
	size_t n_cpus;
	uint64_t disorder, worst;     /* in CPUs: records, ns */
	struct pp_record worst_at;

	uint64_t *known, *named;      /* a bit for each tid: met or named; named */
	bool no_memory;
	struct stranger *strangers;
	size_t n_strangers, more_strangers;
	bool names;                   /* the stream tells names of tasks */

	struct { int64_t pid; uint64_t start, end; } map;

	uint64_t features;            /* a bit for each number below 64 */
	uint64_t last_feature;
	bool features_ended;
	bool early, unlisted, rewritten, tracing, others;
	struct pp_record late_note;   /* behind other records: only the end may follow it */
	uint8_t blob[BLOB_HEAD];
	uint64_t blob_at;
};

/* ---- Findings ---- */

int pp_finding_text(const struct pp_finding *f, char *buf, size_t size)
{
	char place[96] = "", type[24], bytes[64] = "", more[48] = "";

	if (f->located && f->type)
		snprintf(place, sizeof(place), "record %" PRIu64 " at byte %" PRIu64 " (%s): ",
			 f->index, f->offset, pp_type_name(f->type, type));
	else if (f->located)
		snprintf(place, sizeof(place), "record %" PRIu64 " at byte %" PRIu64 ": ", f->index,
			 f->offset);
	if (f->need || f->have)
		snprintf(bytes, sizeof(bytes), ": need %" PRIu64 " byte%s, have %" PRIu64, f->need,
			 f->need == 1 ? "" : "s", f->have);
	if (f->more)
		snprintf(more, sizeof(more), ", and %" PRIu64 " more like it", f->more);
	return snprintf(buf, size, "%s%s%s%s%s%s", place, f->field ? f->field : "",
			f->field ? ": " : "", f->text, bytes, more);
}

static void tell(struct pp_checker *c, const struct pp_finding *f)
{
	if (f->fault)
		c->stats.faults++;
	else
		c->stats.remarks++;
	c->found(c->arg, f);
}

static struct pp_finding finding(const struct pp_record *rec, const char *kind, const char *field)
{
	struct pp_finding f = { .kind = kind, .field = field };

	if (rec) {
		f.located = true;
		f.offset = rec->offset;
		f.index = rec->index;
		f.type = rec->type;
	}
	return f;
}

__attribute__((format(printf, 5, 6)))
static void fault(struct pp_checker *c, const struct pp_record *rec, const char *kind,
		  const char *field, const char *text, ...)
{
	struct pp_finding f = finding(rec, kind, field);
	va_list args;

	f.fault = true;
	va_start(args, text);
	vsnprintf(f.text, sizeof(f.text), text, args);
	va_end(args);
	tell(c, &f);
}

/* What was said already of a record of this type and of this field is only counted. */
static bool is_repeated(struct pp_checker *c, const struct pp_record *rec, const char *kind,
			const char *field)
{
	for (size_t i = 0; i < c->n_repeated; i++) {
		struct pp_finding *const f = &c->repeated[i];

		if (strcmp(f->kind, kind) != 0 || f->type != rec->type || !f->field != !field ||
		    (field && strcmp(f->field, field) != 0))
			continue;
		f->more++;
		return true;
	}
	return false;
}

/* Remarks come with the end: the first of a kind, and how many more there were.  `rec` NULL: it
 * is about the stream, and comes at once. */
__attribute__((format(printf, 5, 6)))
static void remark(struct pp_checker *c, const struct pp_record *rec, const char *kind,
		   const char *field, const char *text, ...)
{
	struct pp_finding f;
	va_list args;

	if (rec && is_repeated(c, rec, kind, field))
		return;
	f = finding(rec, kind, field);
	va_start(args, text);
	vsnprintf(f.text, sizeof(f.text), text, args);
	va_end(args);
	if (rec && c->n_repeated < REPEATED_MAX)
		c->repeated[c->n_repeated++] = f;
	else
		tell(c, &f);
}

static void tell_remarks(struct pp_checker *c)
{
	for (size_t i = 0; i < c->n_repeated; i++)
		tell(c, &c->repeated[i]);
	c->n_repeated = 0;
}

void pp_checker_error(struct pp_checker *c, const struct pp_error *error)
{
	static const char *const kinds[] = {
		[PP_E_MAGIC] = "container", [PP_E_CONTAINER] = "container", [PP_E_CUT] = "cut",
		[PP_E_CUT_TAIL] = "cut", [PP_E_CUT_END] = "cut", [PP_E_SIZE] = "size",
		[PP_E_FIELD] = "field", [PP_E_VALUE] = "value", [PP_E_ATTR] = "attribute",
		[PP_E_ZSTD] = "compression", [PP_E_SEAL] = "seal", [PP_E_ENDIAN] = "unknown",
	};
	const size_t n = sizeof(kinds) / sizeof(*kinds);
	struct pp_error what = *error;
	struct pp_finding f = {
		.fault = error->code != PP_E_ENDIAN,
		.kind = error->code < n && kinds[error->code] ? kinds[error->code] : "input",
		.located = error->located, .offset = error->offset, .index = error->index,
		.type = error->type, .field = error->field,
		.need = error->need, .have = error->have,
	};

	what.located = false;
	what.field = NULL;
	what.need = what.have = 0;
	pp_error_text(&what, f.text, sizeof(f.text));
	tell(c, &f);
}

/* ---- One record, field by field ---- */

static bool is_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static void check_text(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	size_t length;

	pp_walk_text(w, &length);
	if (length == w->count && w->field->kind != PP_CHARS)
		remark(c, rec, "padding", w->field->name, "text without a NUL");
	else if (!is_zero(w->data + length, w->count - length))
		remark(c, rec, "padding", w->field->name, "bytes after the text are not zero");
}

/* An id that a record names beside the one in its trailer. */
static void check_id(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const uint64_t id = pp_walk_u64(w, i);

		if (id && !pp_attrs_by_id(c->stream->attrs, id))
			remark(c, rec, "id", w->field->name, "%" PRIu64 " is an id that belongs to "
			       "no event attribute", id);
	}
}

static bool is_feature(uint64_t id)
{
	return id <= UINT32_MAX && pp_feature((uint32_t)id);
}

/* Bytes behind the fields that are known.  Of a feature that is not known they are all of it. */
static void check_rest(struct pp_checker *c, const struct pp_record *rec, const struct pp_cursor *w)
{
	if (rec->type != PP_REC_HEADER_FEATURE || !pp_fits(PP_HEADER_SIZE + 8, rec->size) ||
	    is_feature(pp_load64(rec->data + PP_HEADER_SIZE)))
		remark(c, rec, "rest", NULL, "%" PRIu32 " bytes that no field covers", w->count);
}

static void check_value(struct pp_checker *c, const struct pp_record *rec,
			const struct pp_cursor *w, bool trailer)
{
	const struct pp_field *field = w->field;

	if (field == &pp_field_rest)
		check_rest(c, rec, w);
	else if (field->quiet)
		remark(c, rec, "reserved", field->name, "it is reserved, and not zero");
	else if ((field->kind >= PP_CHARS && field->kind <= PP_LSTR) || field->kind == PP_STRS)
		check_text(c, rec, w);
	else if (field->is == PP_IS_EVENT_ID && !trailer && rec->type != PP_REC_SAMPLE &&
		 rec->type != PP_REC_HEADER_ATTR && rec->type != PP_REC_HEADER_FEATURE)
		check_id(c, rec, w);
}

/* Walks all of a record. */
static void look(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_cursor w;
	bool trailer = false;
	int token;

	pp_walk(&w, rec);
	while ((token = pp_walk_next(&w)) > PP_END) {
		if (token == PP_OPEN && w.field == &pp_field_sample_id)
			trailer = true;
		else if (token == PP_VALUE)
			check_value(c, rec, &w, trailer);
	}
	if (token < 0)
		pp_checker_error(c, &w.error);
}

/* ---- Samples, proven by their size ---- */

struct measure {
	uint64_t *reg;
	const uint8_t *at, *end;
};

static bool take_rows(struct measure *m, const struct pp_field *row);

/* Bytes of a struct that is equally long wherever it stands, or 0. */
static uint64_t element_size(const struct pp_field *row)
{
	uint64_t size = 0;

	for (; row->name; row++) {
		if (pp_is_conditional(row) || row->set || row->quiet || !pp_row_width(row))
			return 0;
		size += pp_row_width(row);
	}
	return size;
}

static bool skip(struct measure *m, uint64_t n, uint64_t width)
{
	if (!width || !pp_fits_n(n, width, (uint64_t)(m->end - m->at)))
		return false;
	m->at += n * width;
	return true;
}

/* True where the row is sound without a doubt. */
static bool take_row(struct measure *m, const struct pp_field *row)
{
	const uint8_t *const at = m->at;
	uint64_t n = row->by ? m->reg[row->by] : row->n ? row->n : 1;

	if (row->rest || row->spans || row->feature || row->per > 1)
		return false;
	if (row->kind == PP_ONE)
		return !row->by && take_rows(m, row->of);
	if (row->kind == PP_LIST)
		return skip(m, n, element_size(row->of));
	if (row->kind > PP_PARTS && row->kind != PP_BYTES)
		return false;
	if (!skip(m, n, pp_kind_width[row->kind]))
		return false;
	if (row->set)
		m->reg[row->set] = row->kind == PP_U64 ? pp_load64(at) :
				   row->kind == PP_U32 ? pp_load32(at) : UINT64_MAX;
	return !row->quiet || is_zero(at, (size_t)(m->at - at));
}

static bool take_rows(struct measure *m, const struct pp_field *row)
{
	for (; row->name; row++) {
		if (pp_is_conditional(row)) {
			m->reg[PP_R_LEFT] = (uint64_t)(m->end - m->at);
			if (!pp_is_there(row, m->reg))
				continue;
		}
		if (!take_row(m, row))
			return false;
	}
	return true;
}

/* The first row of which more than the width counts. */
static const struct pp_field *rows_behind(const struct pp_attr *a, size_t *at)
{
	const struct pp_field *row = a->sample_fields;
	const size_t cpu = a->plan.cpu;

	for (*at = PP_HEADER_SIZE; row->name; row++) {
		if (pp_is_conditional(row) || row->set || !pp_row_width(row) ||
		    (row->quiet && *at != cpu + sizeof(uint32_t)))
			break;
		*at += pp_row_width(row);
	}
	return row;
}

static struct shape *shape_of(struct pp_checker *c, const struct pp_attr *a)
{
	struct shape *s;

	if (PP_GROW_ZEROED(&c->shapes, &c->n_shapes, (size_t)a->index + 1, NULL))
		return NULL;
	s = &c->shapes[a->index];
	if (!s->rows) {
		s->rows = rows_behind(a, &s->at);
		pp_event_registers(s->reg, a);
	}
	return s;
}

/* Steps over all rows of a sample; false where that takes a walk.  What is left is behind them. */
static bool measure(struct pp_checker *c, const struct pp_record *rec, struct measure *m)
{
	const struct pp_attr *a = rec->attr;
	struct shape *s = shape_of(c, a);

	if (!s || !pp_fits(s->at, rec->size))
		return false;
	if (a->plan.cpu && pp_load32(rec->data + a->plan.cpu + 4))
		return false;         /* a reserved field */
	*m = (struct measure){ s->reg, rec->data + s->at, rec->data + rec->size };
	return take_rows(m, s->rows);
}

/* A sample of which a walk would have nothing to say is not walked.  One that is longer than its
 * fields shows by its size alone if the rest is zero. */
static void check_fields(struct pp_checker *c, const struct pp_record *rec)
{
	struct measure m;
	size_t left;

	if (!measure(c, rec, &m)) {
		look(c, rec);
		return;
	}
	left = (size_t)(m.end - m.at);
	if (left)
		remark(c, rec, "rest", NULL, "%zu bytes that no field covers", left);
}

/* ---- Times ---- */

#define SECONDS "%" PRIu64 ".%09" PRIu64
#define AS_SECONDS(ns) (ns) / 1000000000, (ns) % 1000000000

static void late(struct pp_checker *c, const struct pp_record *rec, uint64_t time)
{
	if (!c->backwards)
		fault(c, rec, "round", "time", SECONDS " is before " SECONDS " of record %" PRIu64
		      ", which a round had released", AS_SECONDS(time), AS_SECONDS(c->released),
		      c->released_index);
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
		remark(c, rec, "cpu", "cpu", "there is no CPU %" PRIu32 ": NRCPUS said %" PRIu32,
		       cpu, there);
	latest = cpu_time(c, cpu);
	if (!latest)
		return;
	if (time >= *latest) {
		*latest = time;
		return;
	}
	c->disorder++;
	if (*latest - time > c->worst) {
		c->worst = *latest - time;
		c->worst_at = *rec;
	}
}

static void check_time(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t time;

	if (!pp_time(rec, &time)) {
		if (rec->type == PP_REC_SAMPLE && rec->attr->plan.time)
			remark(c, rec, "time", "time", "a sample without a time");
		return;
	}
	if (time < c->released)
		late(c, rec, time);
	if (time > c->newest) {
		c->newest = time;
		c->newest_index = rec->index;
	}
	check_cpu(c, rec, time);
}

/* A round lets go what was there at the one before. */
static void end_round(struct pp_checker *c)
{
	c->released = c->next;
	c->released_index = c->next_index;
	c->next = c->newest;
	c->next_index = c->newest_index;
}

/* ---- Tasks and maps ---- */

static inline bool bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

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

	if (!pp_task(rec, &pid, &tid) || tid >= TIDS || !tid || bit(c->known, tid))
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
		remark(c, rec, "map", "len", "the mapping runs past the end of all addresses");
	else if ((int64_t)pid == c->map.pid && start < c->map.end && c->map.start < start + length)
		remark(c, rec, "map", "start", "the mapping overlaps the one before it, though "
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

/* ---- Attributes, features, notes ---- */

static uint64_t bits_of(const struct pp_part *part)
{
	uint64_t bits = 0;

	for (; part->name || part->width; part++)
		bits |= (part->width >= 64 ? UINT64_MAX : (UINT64_C(1) << part->width) - 1)
			<< part->bit;
	return bits;
}

static void check_bits(struct pp_checker *c, const struct pp_record *rec, const char *field,
		       uint64_t value, uint64_t known)
{
	if (value & ~known)
		remark(c, rec, "unknown", field, "bits 0x%" PRIx64 " are unknown",
		       value & ~known);
}

static void check_attr(struct pp_checker *c, const struct pp_record *rec)
{
	const struct pp_attrs *attrs = c->stream->attrs;
	const struct pp_attr *a, *first = pp_attrs_at(attrs, 0);

	if (!first)
		return;
	a = pp_attrs_at(attrs, pp_attrs_count(attrs) - 1);
	if (a->size < 64)
		fault(c, rec, "value", "size", "an attribute has at least 64 bytes, not %" PRIu32,
		      a->size);
	check_bits(c, rec, "sample_type", a->sample_type, c->sample_bits);
	check_bits(c, rec, "read_format", a->read_format, c->read_bits);
	check_bits(c, rec, "flags", a->flags, c->flag_bits);
	if (a->sample_type && first->sample_type && (a->plan.id != first->plan.id ||
	    (a->plan.trailer && first->plan.trailer && a->plan.t_id != first->plan.t_id)))
		remark(c, rec, "attribute", "sample_type", "its records do not have their id where "
		       "the first event has it");
	c->backwards |= pp_attr_flag(a, PP_FLAG_write_backward);
	c->names |= pp_attr_flag(a, PP_FLAG_comm);
}

/* An id of two events: records with it count as of the later. */
static void check_shared_ids(struct pp_checker *c)
{
	struct pp_attrs *attrs = c->stream->attrs;
	const struct pp_attr *a;

	for (size_t i = 0; (a = pp_attrs_at(attrs, i)); i++)
		for (size_t k = 0; k < a->n_ids; k++) {
			const struct pp_attr *b = pp_attrs_by_id(attrs, a->ids[k]);

			if (b && b != a)
				remark(c, NULL, "attribute", NULL, "id %" PRIu64 " is that of "
				       "event %" PRIu32 " and of event %" PRIu32 ", which gets "
				       "its records", a->ids[k], a->index, b->index);
		}
}

static void check_feature(struct pp_checker *c, const struct pp_record *rec)
{
	const uint32_t cpus = pp_attrs_cpus(c->stream->attrs);
	const char *const field = "feat_id";
	uint64_t id, mask;

	if (!pp_fits(PP_HEADER_SIZE + sizeof(id), rec->size))
		return;               /* the walk has said so */
	id = pp_load64(rec->data + PP_HEADER_SIZE);
	mask = id < 64 ? UINT64_C(1) << id : 0;
	if (c->features_ended)
		remark(c, rec, "feature", field, "it comes after the end of features");
	if (rec->size == PP_HEADER_SIZE + sizeof(id) && id != PP_FEAT_BRANCH_STACK &&
	    id != PP_FEAT_STAT) {
		c->features_ended = true;
		return;
	}
	if (!id)
		fault(c, rec, "value", field, "there is no feature 0");
	else if (!is_feature(id))
		remark(c, rec, "unknown", field, "feature %" PRIu64 " is unknown", id);
	if (c->features & mask)
		remark(c, rec, "feature", field, "feature %" PRIu64 " was given before", id);
	else if (id < c->last_feature)
		remark(c, rec, "feature", field, "feature %" PRIu64 " comes after feature "
		       "%" PRIu64, id, c->last_feature);
	if ((id == PP_FEAT_CPU_TOPOLOGY || id == PP_FEAT_CPU_DOMAIN_INFO) && !cpus)
		remark(c, rec, "feature", field, "it cannot be read: NRCPUS has to come before it");
	c->features |= mask;
	c->last_feature = id;
}

/* Another record than notes and the last seal. */
static void check_late_note(struct pp_checker *c)
{
	if (c->late_note.size)
		remark(c, &c->late_note, "note", NULL, "it is neither at the beginning nor at the "
		       "end of the stream");
	c->late_note.size = 0;
}

/* Notes: u32 count and flags, then two lengths and the bytes of each. */
static void check_notes(struct pp_checker *c, const struct pp_record *rec)
{
	size_t at = PP_HEADER_SIZE + 16;
	uint32_t count;

	if (c->others && !c->late_note.size)
		c->late_note = *rec;
	if (!pp_fits(at, rec->size)) {
		fault(c, rec, "note", NULL, "the note has no count");
		return;
	}
	for (count = pp_load32(rec->data + at - 8); count; count--) {
		uint64_t length;

		if (!pp_fits(8, rec->size - at))
			break;
		length = (uint64_t)pp_load32(rec->data + at) + pp_load32(rec->data + at + 4);
		at += 8;
		if (!pp_fits(length, rec->size - at))
			break;
		at += length;
	}
	if (count)
		fault(c, rec, "note", NULL, "a note runs past the record");
}

static void check_round(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_seal seal;
	const bool sealed = pp_is_seal(rec, &seal);

	if (pp_is_note(rec)) {
		check_notes(c, rec);
		return;
	}
	if (!sealed || !(seal.flags & PP_SEAL_END))
		check_late_note(c);
	end_round(c);
	if (!sealed) {
		c->others = true;
		if (rec->size != PP_HEADER_SIZE)
			remark(c, rec, "round", "payload", "its payload is neither a seal nor a "
			       "note");
		return;
	}
	if (c->stream->rewritten && !c->rewritten) {
		c->rewritten = true;
		fault(c, rec, "seal", NULL, "the seal covers %" PRIu64 " bytes, which are not those "
		      "before it: a tool that does not know seals rewrote the stream", seal.bytes);
	}
	if (seal.flags & c->stream->flags & PP_SEAL_DAMAGED)
		fault(c, rec, "seal", NULL, "an earlier stage met damage");
}

/* ---- Records ---- */

static bool is_unknown(struct pp_checker *c, const struct pp_record *rec)
{
	if (pp_type(rec->type))
		return false;
	remark(c, rec, "unknown", NULL, "the type of this record is unknown");
	return true;
}

static void check_without_attr(struct pp_checker *c, const struct pp_record *rec)
{
	if (pp_attrs_count(c->stream->attrs)) {
		fault(c, rec, "attribute", "id", "the id of this record belongs to no event "
		      "attribute");
	} else if (rec->type == PP_REC_SAMPLE) {
		fault(c, rec, "attribute", NULL, "no event attribute comes before it");
	} else if (!c->early) {
		c->early = true;
		remark(c, rec, "attribute", NULL, "no event attribute comes before it");
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
	remark(c, rec, "id", "id", "%" PRIu64 " is not among the ids of the only event", id);
}

static int check_sample(struct pp_checker *c, const struct pp_record *rec)
{
	c->stats.samples++;
	if (!rec->attr)
		return 0;
	check_fields(c, rec);
	return check_task(c, rec);
}

static int check_kernel(struct pp_checker *c, const struct pp_record *rec)
{
	uint64_t lost;

	if ((rec->misc & PP_MISC_CPUMODE) > PP_MISC_GUEST_USER)
		remark(c, rec, "value", "misc", "there is no CPU mode %d",
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
		look(c, rec);         /* else nobody knows where its trailer begins */
	side_band(c, rec);
	return 0;
}

static void check_tracing(struct pp_checker *c, const struct pp_record *rec)
{
	if (c->tracing)
		remark(c, rec, "feature", NULL, "a second one, which perf does not read");
	c->tracing = true;
	c->blob_at = 0;
}

static void check_user(struct pp_checker *c, const struct pp_record *rec)
{
	static const struct {
		uint32_t type;
		void (*check)(struct pp_checker *, const struct pp_record *);
	} checks[] = {
		{ PP_REC_HEADER_ATTR, check_attr },
		{ PP_REC_HEADER_FEATURE, check_feature },
		{ PP_REC_FINISHED_ROUND, check_round },
		{ PP_REC_HEADER_TRACING_DATA, check_tracing },
		{ PP_REC_THREAD_MAP, name_threads },
	};

	if (is_unknown(c, rec))
		return;
	look(c, rec);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i].type == rec->type)
			checks[i].check(c, rec);
}

/* perf 7 stops at a record that is no multiple of 8 long, but for a few that always were so. */
static void check_alignment(struct pp_checker *c, const struct pp_record *rec)
{
	if (rec->type != PP_REC_HEADER_TRACING_DATA && rec->type != PP_REC_HEADER_FEATURE &&
	    rec->type != PP_REC_COMPRESSED)
		remark(c, rec, "align", NULL, "its size of %u bytes is not a multiple of 8, which "
		       "perf refuses since version 7", rec->size);
}

int pp_checker_record(struct pp_checker *c, const struct pp_record *rec, struct pp_error *error)
{
	c->stats.records++;
	if (rec->size % 8)
		check_alignment(c, rec);
	if (rec->type != PP_REC_FINISHED_ROUND) {
		c->others = true;
		check_late_note(c);
	}
	if (rec->type >= PP_USER_TYPES)
		check_user(c, rec);
	else if (check_kernel(c, rec) || c->no_memory)
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
		remark(c, rec, "tail", NULL, "what follows it is not tracing data");
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

		if (!bit(c->named, s->tid))
			remark(c, &at, "task", "tid", "thread %" PRIu32 " of process %" PRId32
			       " is never named", s->tid, (int32_t)s->pid);
	}
	if (c->more_strangers)
		remark(c, NULL, "task", NULL, "%zu more threads had no name when they were sampled",
		       c->more_strangers);
}

/* What a perf.data file has, or lacks, and a stream does not. */
static void check_container(struct pp_checker *c)
{
	const struct pp_stream *const s = c->stream;

	if (s->killed)
		remark(c, NULL, "container", NULL, "its recorder did not finish it: it has no "
		       "features, and its last records may be missing");
	if (s->features_left_out)
		remark(c, NULL, "container", NULL, "%" PRIu32 " features that no record can hold "
		       "were left out", s->features_left_out);
	if (s->left_out)
		remark(c, NULL, "container", NULL, "%" PRIu64 " records that no stream can hold "
		       "were left out", s->left_out);
}

/* The feature COMPRESSED stands where compressed records follow, and nowhere else. */
static void check_promise(struct pp_checker *c)
{
	const struct pp_stream *const s = c->stream;

	if (s->unpromised.size && !s->killed)
		remark(c, &s->unpromised, "compression", NULL, "the feature COMPRESSED is missing "
		       "before it: perf cannot expand it");
	if (s->promise.size && !s->compressed_bytes)
		remark(c, &s->promise, "compression", "feat_id", "the feature COMPRESSED, but "
		       "nothing is compressed");
}

void pp_checker_end(struct pp_checker *c)
{
	check_promise(c);
	tell_remarks(c);
	check_shared_ids(c);
	check_container(c);
	if (c->worst > DISORDER)
		remark(c, &c->worst_at, "order", "time", "%" PRIu64 " records stand after later "
		       "ones of their CPU, this one by " SECONDS " s", c->disorder,
		       AS_SECONDS(c->worst));
	tell_strangers(c);
	tell_remarks(c);
}

const struct pp_checker_stats *pp_checker_stats(const struct pp_checker *c)
{
	return &c->stats;
}

struct pp_checker *pp_checker_open(const struct pp_stream *stream, pp_checker_found *found,
				   void *arg)
{
	struct pp_checker *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->stream = stream;
	c->found = found;
	c->arg = arg;
	c->map.pid = -1;
	c->sample_bits = bits_of(pp_sample_bits);
	c->read_bits = bits_of(pp_read_bits);
	c->flag_bits = bits_of(pp_attr_flags);
	c->known = calloc(TIDS / 64, sizeof(*c->known));
	c->named = calloc(TIDS / 64, sizeof(*c->named));
	c->repeated = calloc(REPEATED_MAX, sizeof(*c->repeated));
	if (!c->known || !c->named || !c->repeated) {
		pp_checker_close(c);
		return NULL;
	}
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
