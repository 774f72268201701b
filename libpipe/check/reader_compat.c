/*
 * reader_compat.c - what each reader of streams can read, and records made fit for it.  Facts:
 * measured with perf of these versions, and read in quipper.
 */
#include <strings.h>

#include "format/format.h"

/* Bits of sample_type and of flags that a reader knows are those below these numbers. */
struct pp_version {
	const char *name;
	uint32_t attr_size;           /* of struct perf_event_attr as it knows it */
	uint8_t flags, sample_bits;
	uint8_t last_feature;
	uint8_t end_marker;           /* feat_id that ends the features */
	uint8_t last_kernel, last_user;   /* record types; beyond them it gives up, or skips */
	uint8_t stat_terms;           /* tags of STAT_CONFIG that it knows: those below this */
	bool aligned;                 /* gives up at sizes that are no multiple of 8 */
	bool bare_rounds;             /* refuses a FINISHED_ROUND that carries anything */
	bool short_tracing;           /* reads TRACING_DATA in its form of 12 bytes only */
};

static const struct pp_version versions[] = {
	{ .name = "6.1", .attr_size = 128, .flags = 38, .sample_bits = 25, .last_feature = 31,
	  .end_marker = 32, .last_kernel = PP_REC_AUX_OUTPUT_HW_ID, .last_user = PP_REC_FINISHED_INIT,
	  .stat_terms = 3 },
	{ .name = "6.12", .attr_size = 136, .flags = 38, .sample_bits = 25, .last_feature = 31,
	  .end_marker = 32, .last_kernel = PP_REC_AUX_OUTPUT_HW_ID, .last_user = PP_REC_FINISHED_INIT,
	  .stat_terms = 4 },
	{ .name = "7.3", .attr_size = 144, .flags = 40, .sample_bits = 25, .last_feature = 34,
	  .end_marker = 35, .last_kernel = PP_REC_CALLCHAIN_DEFERRED,
	  .last_user = PP_REC_SCHEDSTAT_DOMAIN, .stat_terms = 4, .aligned = true },
	{ .name = "quipper", .attr_size = 136, .flags = 38, .sample_bits = 25, .last_feature = 31,
	  .end_marker = 32, .last_kernel = PP_REC_CGROUP, .last_user = PP_REC_COMPRESSED,
	  .stat_terms = 3, .bare_rounds = true, .short_tracing = true },
};

const struct pp_version *pp_version_named(const char *name)
{
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (!strcasecmp(versions[i].name, name))
			return &versions[i];
	return NULL;
}

const struct pp_version *pp_version_at(size_t i)
{
	return i < sizeof(versions) / sizeof(versions[0]) ? &versions[i] : NULL;
}

const char *pp_version_name(const struct pp_version *v)
{
	return v->name;
}

bool pp_version_bare_rounds(const struct pp_version *v)
{
	return v->bare_rounds;
}

static enum pp_fit changed(struct pp_record *rec, uint8_t *buf, size_t size)
{
	pp_store16(buf + 6, (uint16_t)size);
	rec->data = buf;
	rec->size = (uint16_t)size;
	return PP_FIT_CHANGED;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

static uint64_t above(unsigned bits)
{
	return bits < 64 ? UINT64_MAX << bits : 0;
}

/* Clears what lies above `bits` of a word of the attribute; true where there was something. */
static bool clear_above(uint8_t *word, unsigned bits)
{
	const uint64_t v = pp_load64(word);

	if (!(v & above(bits)))
		return false;
	pp_store64(word, v & ~above(bits));
	return true;
}

/* The attribute at the size that the reader knows: newer fields are lost, unless they are zero. */
static enum pp_fit fit_attr(const struct pp_version *v, struct pp_record *rec, uint8_t *buf, bool *lost)
{
	struct pp_record made = *rec;
	struct pp_cursor c;
	uint8_t *attr, *size = NULL;
	uint32_t have = 64;
	int token;

	memcpy(buf, rec->data, rec->size);
	made.data = buf;
	pp_walk(&c, &made);
	if (pp_walk_next(&c) != PP_OPEN)
		return PP_FIT_AS_IT_IS;
	attr = c.own.at;
	while ((token = pp_walk_next(&c)) > PP_END && token != PP_CLOSE) {
		if (token != PP_VALUE)
			continue;
		if (c.field->spans) {
			size = c.data;
			have = c.value ? (uint32_t)c.value : 64;
		} else if (c.field->kind == PP_BITS) {
			*lost |= clear_above(c.data, v->flags);
		} else if (c.field->is == PP_IS_SAMPLE_TYPE) {
			*lost |= clear_above(c.data, v->sample_bits);
		}
	}
	if (!size || token < 0)
		return PP_FIT_AS_IT_IS;
	if (have > v->attr_size) {
		uint8_t *const tail = attr + v->attr_size, *const ids = attr + have;

		*lost |= !all_zero(tail, have - v->attr_size);
		memmove(tail, ids, (size_t)(buf + rec->size - ids));
		pp_store32(size, v->attr_size);
		return changed(rec, buf, rec->size - (have - v->attr_size));
	}
	if (!pp_load32(size)) {
		pp_store32(size, have);
		return changed(rec, buf, rec->size);
	}
	return *lost ? changed(rec, buf, rec->size) : PP_FIT_AS_IT_IS;
}

static enum pp_fit fit_feature(const struct pp_version *v, struct pp_record *rec, uint8_t *buf)
{
	struct pp_record made = *rec;
	struct pp_cursor c;
	bool marker;

	memcpy(buf, rec->data, rec->size);
	made.data = buf;
	pp_walk(&c, &made);
	if (pp_walk_find(&c, PP_IS_FEATURE) != 1)
		return PP_FIT_UNKNOWN;
	/* nothing after the number: whatever it is, it ends the features */
	marker = c.own.at == buf + rec->size;
	if (!marker)
		return c.value > v->last_feature ? PP_FIT_UNKNOWN : PP_FIT_AS_IT_IS;
	if (c.value == v->end_marker)
		return PP_FIT_AS_IT_IS;
	pp_store64(c.data, v->end_marker);
	return changed(rec, buf, rec->size);
}

/* The settings of perf stat, without those of a tag that the reader warns of. */
static enum pp_fit fit_stat_config(const struct pp_version *v, struct pp_record *rec, uint8_t *buf,
				   bool *lost)
{
	enum { FIRST = PP_HEADER_SIZE + 8, ENTRY = 16 };
	bool known = false, unknown = false;
	size_t at = FIRST;
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (!strcmp(c.field->name, "tag")) {
			known = c.value < v->stat_terms;
			unknown |= !known;
		} else if (!strcmp(c.field->name, "val") && known) {
			memcpy(buf + at, c.data - ENTRY / 2, ENTRY);
			at += ENTRY;
		}
	}
	if (token < 0 || !unknown)
		return PP_FIT_AS_IT_IS;
	memcpy(buf, rec->data, PP_HEADER_SIZE);
	pp_store64(buf + PP_HEADER_SIZE, (at - FIRST) / ENTRY);
	*lost = true;
	return changed(rec, buf, at);
}

/* A sample, or what has an id in its trailer, that none of several events has: perf gives up. */
static bool is_orphan(const struct pp_record *rec)
{
	return rec->type < PP_USER_TYPES && !rec->attr && rec->attrs && pp_attrs_count(rec->attrs) > 1;
}

enum pp_fit pp_version_fit(const struct pp_version *v, struct pp_record *rec, uint8_t *buf, bool *lost)
{
	*lost = false;
	if (rec->type < PP_USER_TYPES ? rec->type > v->last_kernel || !rec->type : rec->type > v->last_user)
		return PP_FIT_UNKNOWN;
	if (is_orphan(rec))
		return PP_FIT_ORPHAN;
	if (rec->type == PP_REC_HEADER_ATTR)
		return fit_attr(v, rec, buf, lost);
	if (rec->type == PP_REC_HEADER_FEATURE)
		return fit_feature(v, rec, buf);
	if (rec->type == PP_REC_STAT_CONFIG)
		return fit_stat_config(v, rec, buf, lost);
	if (rec->type == PP_REC_HEADER_TRACING_DATA) {
		if (!v->short_tracing || rec->size <= 12)
			return PP_FIT_AS_IT_IS;
		memcpy(buf, rec->data, 12);
		return changed(rec, buf, 12);
	}
	if (v->aligned && rec->size % 8 && rec->type != PP_REC_COMPRESSED) {
		const size_t size = pp_align8(rec->size);

		if (size > PP_RECORD_MAX)
			return PP_FIT_UNKNOWN;
		memcpy(buf, rec->data, rec->size);
		memset(buf + rec->size, 0, size - rec->size);
		return changed(rec, buf, size);
	}
	return PP_FIT_AS_IT_IS;
}
