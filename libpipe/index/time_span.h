/* time_span.h - what reading some times of a stream consists of, and what its index has for that. */
#ifndef PP_TIME_SPAN_H
#define PP_TIME_SPAN_H

#include <perfpipe/perfpipe.h>

#include "base/byte_order.h"
#include "index/index_maker.h"

struct pp_input;

struct pp_time_span {
	uint64_t from, to;
	uint64_t timeless;
	const char *lack;
	/*
	 * Of a stream that is read by its index these are offsets: from `head` to `begin`, and from `end` on,
	 * it is read for what is neither the kernel's nor in the state; from `section` on come the records of
	 * the state, which has all up to the time `before`.  Else 0, 0, and UINT64_MAX.
	 */
	uint64_t head, begin, end, section, before;
	bool in_state;                /* until the next round, what is of that time or of none is in it */
};

/* An index that is looked at; nothing in it is believed before it was checked. */
struct pp_index_reader {
	struct pp_input *input;
	struct pp_error *error;
	bool failed;                  /* with *error: the system, or memory */
	const char *lack;             /* why it is not used; NULL: there is none */
	struct pp_index_root root;
	uint64_t size;                /* of the stream */
	uint32_t end_flags;           /* of its END */
	uint8_t *blocks, *states;     /* rows of the tables */
	uint8_t *state;               /* records of the state that was loaded; or NULL */
	size_t state_size;
	uint64_t before;              /* the time up to which it has all */
	uint64_t read;                /* bytes so far */
};

/* For what returns whether the index can be used still: false, and why not. */
static inline bool pp_index_refuse(struct pp_index_reader *r, const char *lack)
{
	r->lack = lack;
	return false;
}

/* Finds the index at the end of the input, and loads its tables. */
bool pp_index_reader_open(struct pp_index_reader *);
void pp_index_reader_close(struct pp_index_reader *);
/* Loads the state of this row of the table. */
bool pp_index_load_state(struct pp_index_reader *, const uint8_t *row);
/* Whether the seal is there that ends where this block begins. */
bool pp_index_has_seal(struct pp_index_reader *, uint64_t block);

/* The row of a block, and where it begins: after the last one, where it ends. */
static inline const uint8_t *pp_index_row(const struct pp_index_reader *r, uint64_t block)
{
	return r->blocks + block * PP_INDEX_ROW;
}

static inline uint64_t pp_index_place(const struct pp_index_reader *r, uint64_t block)
{
	return block < r->root.blocks ? pp_load64(pp_index_row(r, block)) : r->root.section;
}

#endif
