/*
 * format.h - what the files of this room share beside libpipe.h: names of the tables' rows.
 */
#ifndef PP_FORMAT_H
#define PP_FORMAT_H

#include <perfpipe/perfpipe.h>

/* The structure of a row that says "rest": bytes that no row covers. */
extern const struct pp_field pp_field_rest;
/* The owner of a trailer's fields, named "sample_id". */
extern const struct pp_field pp_field_sample_id;
/* Bytes of one element of this kind; 1 for text and bytes, 0 for structures. */
extern const uint8_t pp_kind_width[];

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

#endif
