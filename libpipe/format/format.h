/*
 * format.h - what the words of a row say of a record: whether the row is there, of how many elements,
 * how wide.
 */
#ifndef PP_FORMAT_H
#define PP_FORMAT_H

#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"

/* The structure of a row that says "rest": bytes that no row covers. */
extern const struct pp_field pp_field_rest;
/* The owner of a trailer's fields, named "sample_id". */
extern const struct pp_field pp_field_sample_id;
/* Bytes of one element of this kind; 1 for text and bytes, 0 for structures. */
extern const uint8_t pp_kind_width[];

/* Whether bytes that its size does not count follow a record of this type. */
bool pp_has_tail(uint32_t type);
/* Whether pp_attrs_note() takes anything from a record of this type. */
bool pp_attrs_takes(uint32_t type);
/* Notes when the file that a stream is read from was changed last, in ns since 1970; 0: it is no file, or
 * that is not known.  Of several files the latest time counts. */
void pp_attrs_of_input(struct pp_attrs *, uint64_t changed);
uint64_t pp_attrs_input_changed(const struct pp_attrs *);
/* Whether any event has this flag (PP_FLAG_*).  The attributes may be NULL. */
bool pp_attrs_any(const struct pp_attrs *, unsigned flag);
/* pp_attrs_find() of a kernel record that may be in the other byte order, and stays in it. */
const struct pp_attr *pp_attrs_find_in_order(struct pp_attrs *, const struct pp_record *, bool foreign);

/* pp_attrs_find() of `n` samples, which begin at at[i] of `data` and end where at[i + 1] says; and their
 * times, 0 of those without. */
void pp_attrs_find_samples(struct pp_attrs *, const uint8_t *data, const uint32_t *at, size_t n,
			   const struct pp_attr **found, uint64_t *times);

/* ---- Registers ---- */

/* What a record's event says: the rest of the registers is the record's own. */
static inline void pp_event_registers(uint64_t *reg, const struct pp_attr *event)
{
	reg[PP_R_SAMPLE_TYPE] = event->sample_type;
	reg[PP_R_READ_FORMAT] = event->read_format;
	reg[PP_R_BRANCH_TYPE] = event->branch_type;
	reg[PP_R_USER_REGS] = (uint64_t)__builtin_popcountll(event->regs_user);
	reg[PP_R_INTR_REGS] = (uint64_t)__builtin_popcountll(event->regs_intr);
}

/* What is known only while reading a record: how much is left, and what the stream said
 * elsewhere. */
static inline bool pp_is_readers(unsigned reg)
{
	return reg == PP_R_LEFT || reg == PP_R_CPUS || reg == PP_R_ONLINE;
}

/* ---- Whether a row is there ---- */

/*
 * LOOK: the next byte, where it is the length of a build-id and not of a device's number.  Up to 8 it may be
 * either (disks have 8); but then the minor number follows, which has 20 bits, and one of a few thousand
 * build-ids begins like that.
 */
static inline uint8_t pp_look(const uint8_t *at, uint64_t left)
{
	enum { LENGTH_LEAST = 9, MINOR_BITS = 20, BOTH = 8 };

	if (!left)
		return 0;
	return *at >= LENGTH_LEAST || (pp_fits(BOTH, left) && pp_load32(at + 4) >> MINOR_BITS) ? *at : 0;
}

/* Does a row's condition hold? */
static inline bool pp_holds(const struct pp_when *w, const uint64_t *reg)
{
	const uint64_t r = reg[w->reg];
	const uint64_t low = (uint32_t)w->value, high = w->value >> 32;

	switch (w->test) {
	case PP_ANY:       return (r & w->value) != 0;
	case PP_NOT_ANY:   return (r & w->value) == 0;
	case PP_EQUAL:     return r == w->value;
	case PP_NOT_EQUAL: return r != w->value;
	case PP_AT_LEAST:  return r >= w->value;
	case PP_WITHIN:    return r >= low && r <= high;
	case PP_OUTSIDE:   return r < low || r > high;
	default:           return true;
	}
}

static inline bool pp_is_conditional(const struct pp_field *row)
{
	return row->when.test || row->also.test;
}

static inline bool pp_is_there(const struct pp_field *row, const uint64_t *reg)
{
	return pp_holds(&row->when, reg) && pp_holds(&row->also, reg);
}

/* Whether a condition holds in all records of an event, in none, or depends on the record. */
enum pp_answer { PP_NO, PP_YES, PP_DEPENDS };
static inline enum pp_answer pp_settled(const struct pp_when *w, const struct pp_attr *event)
{
	uint64_t reg[PP_R_COUNT] = { 0 };

	if (w->test && w->reg != PP_R_SAMPLE_TYPE && w->reg != PP_R_READ_FORMAT &&
	    w->reg != PP_R_BRANCH_TYPE)
		return PP_DEPENDS;
	pp_event_registers(reg, event);
	return pp_holds(w, reg) ? PP_YES : PP_NO;
}

/* ---- How much of it ---- */

static inline bool pp_is_text(const struct pp_field *row)
{
	return row->kind >= PP_CHARS && row->kind <= PP_LSTR;
}

/* Several elements, though they may be one, or none. */
static inline bool pp_is_array(const struct pp_field *row)
{
	return row->by || row->rest || row->n > 1;
}

/* Elements of a row, bytes where it is opaque; `rest` for one that extends as far as it can. */
static inline uint64_t pp_row_count(const struct pp_field *row, const uint64_t *reg, uint64_t rest)
{
	if (row->by && row->per > 1)
		return reg[row->by] / row->per + (reg[row->by] % row->per != 0);
	if (row->by)
		return reg[row->by];
	if (row->rest)
		return rest;
	return row->n ? row->n : 1;
}

/* A number of this kind, in host order, widened. */
static inline uint64_t pp_kind_value(unsigned kind, const void *p)
{
	const uint64_t v = pp_load_width(p, pp_kind_width[kind]);

	return kind == PP_S32 ? (uint64_t)(int32_t)v : v;
}

/* Bytes of a row that is equally wide in every record that has it, or 0. */
static inline unsigned pp_row_width(const struct pp_field *row)
{
	if (row->by || row->rest || (row->kind > PP_CHARS && row->kind != PP_BYTES))
		return 0;
	return pp_kind_width[row->kind] * (row->n ? row->n : 1u);
}

/* Where in every record of this type its first field with this meaning is, from the start of the
 * record; 0: it has none, or what is before it varies. */
uint16_t pp_fixed_place(uint32_t type, enum pp_meaning is);

#endif
