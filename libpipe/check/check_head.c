/*
 * check_head.c - whether what a stream says of itself holds: its events, features, notes and seals.
 */
#include "check/check.h"

#include <inttypes.h>

#include "format/format.h"
#include "format/note.h"
#include "format/payload.h"

uint64_t pp_check_bits_of(const struct pp_part *part)
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
		pp_check_remark(c, rec, "unknown", field, "bits 0x%" PRIx64 " are unknown",
		       value & ~known);
}

void pp_check_attr(struct pp_checker *c, const struct pp_record *rec)
{
	const struct pp_attrs *attrs = c->stream->attrs;
	const struct pp_attr *a, *first = pp_attrs_at(attrs, 0);

	if (!first)
		return;
	a = pp_attrs_at(attrs, pp_attrs_count(attrs) - 1);
	if (a->size < 64)
		pp_check_fault(c, rec, "value", "size", "an attribute has at least 64 bytes, not %" PRIu32,
		      a->size);
	check_bits(c, rec, "sample_type", a->sample_type, c->sample_bits);
	check_bits(c, rec, "read_format", a->read_format, c->read_bits);
	check_bits(c, rec, "flags", a->flags, c->flag_bits);
	if (a->sample_type && first->sample_type && (a->plan.id != first->plan.id ||
	    (a->plan.trailer && first->plan.trailer && a->plan.t_id != first->plan.t_id)))
		pp_check_remark(c, rec, "attribute", "sample_type", "its records do not have their id where "
		       "the first event has it");
	c->backwards |= pp_attr_flag(a, PP_FLAG_write_backward);
	c->names |= pp_attr_flag(a, PP_FLAG_comm);
}

/* An id of two events: records with it count as of the later. */
void pp_check_shared_ids(struct pp_checker *c)
{
	struct pp_attrs *attrs = c->stream->attrs;
	const struct pp_attr *a;

	for (size_t i = 0; (a = pp_attrs_at(attrs, i)); i++)
		for (size_t k = 0; k < a->n_ids; k++) {
			const struct pp_attr *b = pp_attrs_by_id(attrs, a->ids[k]);

			if (b && b != a)
				pp_check_remark(c, NULL, "attribute", NULL, "id %" PRIu64 " is that of "
				       "event %" PRIu32 " and of event %" PRIu32 ", which gets "
				       "its records", a->ids[k], a->index, b->index);
		}
}

void pp_check_feature(struct pp_checker *c, const struct pp_record *rec)
{
	const uint32_t cpus = pp_attrs_cpus(c->stream->attrs);
	const char *const field = "feat_id";
	uint64_t id, mask;

	if (!pp_fits(PP_HEADER_SIZE + sizeof(id), rec->size))
		return;               /* the walk has said so */
	id = pp_load64(rec->data + PP_HEADER_SIZE);
	mask = id < 64 ? UINT64_C(1) << id : 0;
	if (c->features_ended)
		pp_check_remark(c, rec, "feature", field, "it comes after the end of features");
	if (rec->size == PP_HEADER_SIZE + sizeof(id) && id != PP_FEAT_BRANCH_STACK &&
	    id != PP_FEAT_STAT) {
		c->features_ended = true;
		return;
	}
	if (!id)
		pp_check_fault(c, rec, "value", field, "there is no feature 0");
	else if (!pp_check_is_feature(id))
		pp_check_remark(c, rec, "unknown", field, "feature %" PRIu64 " is unknown", id);
	if (c->features & mask)
		pp_check_remark(c, rec, "feature", field, "feature %" PRIu64 " was given before", id);
	else if (id < c->last_feature)
		pp_check_remark(c, rec, "feature", field, "feature %" PRIu64 " comes after feature "
		       "%" PRIu64, id, c->last_feature);
	if ((id == PP_FEAT_CPU_TOPOLOGY || id == PP_FEAT_CPU_DOMAIN_INFO) && !cpus)
		pp_check_remark(c, rec, "feature", field, "it cannot be read: NRCPUS has to come before it");
	c->features |= mask;
	c->last_feature = id;
}

/* Another record than notes and the last seal. */
void pp_check_late_note(struct pp_checker *c)
{
	if (c->late_note.size)
		pp_check_remark(c, &c->late_note, "note", NULL, "it is neither at the beginning nor at the "
		       "end of the stream");
	c->late_note.size = 0;
}

/* Notes: u32 count and flags, then two lengths and the bytes of each. */
static void check_notes(struct pp_checker *c, const struct pp_record *rec)
{
	size_t at = PP_HEADER_SIZE + 16;
	uint32_t count;

	if (c->others && !c->late_note.size && !pp_stands_for_round(rec))
		c->late_note = *rec;
	if (!pp_fits(at, rec->size)) {
		pp_check_fault(c, rec, "note", NULL, "the note has no count");
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
		pp_check_fault(c, rec, "note", NULL, "a note runs past the record");
}

/* A round releases what was there at the previous one. */
static void end_round(struct pp_checker *c)
{
	pp_promise_round(&c->times);
	pp_promise_round(&c->at);
}

static void check_names(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_named_file names;
	struct pp_error error;
	int got = pp_names_open(&names, rec, &error) ? -1 : 1;

	while (got > 0)
		got = pp_names_next(&names, &error);
	if (got < 0)
		pp_check_fault(c, rec, "names", NULL, "%s", error.detail);
}

void pp_check_round(struct pp_checker *c, const struct pp_record *rec)
{
	struct pp_seal seal;
	const bool sealed = pp_is_seal(rec, &seal);

	if (pp_is_note(rec)) {
		check_notes(c, rec);
		/* It releases what perf holds, so that it has to stand where nothing earlier follows. */
		if (pp_stands_for_round(rec))
			end_round(c);
		return;
	}
	if (pp_is_index(rec)) {
		if (!pp_payload_of(rec)->fits(rec))
			pp_check_fault(c, rec, "index", NULL, "it is longer than its record");
		return;
	}
	if (!sealed || !(seal.flags & PP_SEAL_END))
		pp_check_late_note(c);
	end_round(c);
	if (pp_is_names(rec)) {
		check_names(c, rec);
		return;
	}
	if (!sealed) {
		c->others = true;
		if (rec->size != PP_HEADER_SIZE && !pp_payload_of(rec))
			pp_check_remark(c, rec, "round", "payload", "its payload is neither a seal nor a "
			       "note");
		return;
	}
	if (c->stream->rewritten && !c->rewritten) {
		c->rewritten = true;
		pp_check_fault(c, rec, "seal", NULL, "the seal covers %" PRIu64 " bytes, which are not those "
		      "before it: a tool that does not know seals rewrote the stream", seal.bytes);
	}
	if (seal.flags & c->stream->flags & PP_SEAL_DAMAGED)
		pp_check_fault(c, rec, "seal", NULL, "an earlier stage met damage");
}
