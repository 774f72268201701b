/*
 * time_span.c - has a reader hand out some times of a stream alone, and read only what is needed for them
 * where the stream has an index:
 *
 *	head | blocks before ... | blocks that are read | blocks after ... | index | END
 *	`------------' first one  `- a state is read before                  `- that state
 */
#include "index/time_span.h"
#include "format/format.h"
#include "input/input.h"
#include "read/reader_internal.h"

#include <stdlib.h>

enum { EXTRA_MOST = 32 << 20 };         /* bytes of blocks that are read for a few records in them */

struct pp_time_span *pp_time_span_new(uint64_t from, uint64_t to)
{
	struct pp_time_span *const s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->from = from;
	s->to = to;
	s->end = s->section = UINT64_MAX;
	return s;
}

void pp_time_span_free(struct pp_time_span *s)
{
	free(s);
}

const char *pp_time_span_lack(const struct pp_time_span *s)
{
	return s->lack;
}

uint64_t pp_time_span_timeless(const struct pp_time_span *s)
{
	return s->timeless;
}

/* ---- which records ---- */

static bool is_kept_in_state(const struct pp_record *rec)
{
	return rec->type != PP_REC_FINISHED_ROUND && pp_sideband_keeps(rec->type);
}

/* Before the blocks that are read as a whole, and after them. */
static bool leaves_elsewhere(const struct pp_time_span *s, const struct pp_record *rec)
{
	return rec->type < PP_USER_TYPES || (rec->offset < s->begin && is_kept_in_state(rec));
}

static bool leaves_other_time(struct pp_time_span *s, const struct pp_record *rec)
{
	uint64_t time;
	const bool timed = rec->type < PP_USER_TYPES && pp_time(rec, &time);

	if (s->in_state && rec->type == PP_REC_FINISHED_ROUND && pp_is_round(rec))
		s->in_state = false;
	if (is_kept_in_state(rec))
		return timed ? time > s->to || (s->in_state && time <= s->before) : s->in_state;
	if (timed)
		return time < s->from || time > s->to;
	s->timeless += rec->type == PP_REC_SAMPLE;
	return rec->type == PP_REC_SAMPLE;
}

static bool leaves_span(void *arg, const struct pp_record *rec)
{
	struct pp_time_span *const s = arg;

	if (rec->offset >= s->section)
		return false;
	if (rec->offset >= s->head && (rec->offset < s->begin || rec->offset >= s->end))
		return leaves_elsewhere(s, rec);
	return rec->offset >= s->begin && leaves_other_time(s, rec);
}

/* ---- which blocks ---- */

/* The blocks that are read as a whole: from the one to before the other. */
struct chosen { uint64_t first, beyond; };

/* The newest state of a time before the span.  What came before its block is in it, or is older. */
static bool choose_state(struct pp_index_reader *r, uint64_t from, struct chosen *c)
{
	const uint8_t *best = NULL;

	for (uint64_t i = 0; i < r->root.states; i++) {
		const uint8_t *const row = r->states + i * PP_STATE_ROW;

		if (pp_load64(row + 8) < from && pp_load32(row) && pp_load32(row) < r->root.blocks)
			best = row;
	}
	c->first = best ? pp_load32(best) : 0;
	for (uint64_t i = 0; i < c->first; i++) {
		const uint8_t *const row = pp_index_row(r, i);

		if (pp_load64(row + 8) <= pp_load64(row + 16) && pp_load64(row + 16) > pp_load64(best + 8))
			return pp_index_refuse(r, "it contradicts itself");
	}
	return !best || pp_index_load_state(r, best);
}

/* Once a round has a sample after the span, what comes after the next round is later, too; a block is a
 * round, or more. */
static bool choose_end(struct pp_index_reader *r, uint64_t to, struct chosen *c)
{
	c->beyond = r->root.blocks;
	for (uint64_t i = c->first; i < r->root.blocks; i++) {
		const uint8_t *const row = pp_index_row(r, i);
		const uint64_t min = pp_load64(row + 8), max = pp_load64(row + 16);

		if (i >= c->beyond && min <= max && min <= to)
			return pp_index_refuse(r, "it contradicts itself");
		if (c->beyond == r->root.blocks && min <= max && max > to && i + 2 < r->root.blocks)
			c->beyond = i + 2;
	}
	return c->first || c->beyond < r->root.blocks || pp_index_refuse(r, "all is needed");
}

/* ---- what is read ---- */

/* Blocks from one to before another; the first of all has the head before it. */
static bool add_blocks(struct pp_index_reader *r, uint64_t from, uint64_t to, bool apart)
{
	struct pp_composed_input *const pieces = &r->input->pieces;
	const uint64_t at = from ? pp_index_place(r, from) : PP_PIPE_HEADER;
	const uint64_t size = pp_index_place(r, to) - at;

	if (from && apart && !pp_index_has_seal(r, from))
		return false;
	if (pp_composed_input_file(pieces, at, size)) {
		r->failed = true;
		(void)pp_fail(r->error, PP_E_NOMEM, NULL);
		return false;
	}
	if (from && apart)
		pp_composed_input_apart(pieces, at, pp_load64(pp_index_row(r, from) + 24),
					pp_load32(pp_index_row(r, from) + 32));
	r->read += size;
	return true;
}

/* Those of them that have records which are in no state and have no time; before the first of all is the
 * head. */
static bool add_others(struct pp_index_reader *r, uint64_t from, uint64_t to, bool follows)
{
	uint64_t sum = 0;

	for (uint64_t i = from; i < to; i++) {
		const bool needed = !i || pp_load32(pp_index_row(r, i) + 60) & PP_BLOCK_OTHERS;

		if (needed && !add_blocks(r, i, i + 1, !follows))
			return false;
		sum += i && needed ? pp_index_place(r, i + 1) - pp_index_place(r, i) : 0;
		follows = needed;
	}
	return sum <= EXTRA_MOST || pp_index_refuse(r, "names or notes stand in too many places");
}

static bool add_state(struct pp_index_reader *r)
{
	uint8_t *const room = pp_composed_input_room(&r->input->pieces, r->state_size);

	if (!room) {
		r->failed = true;
		(void)pp_fail(r->error, PP_E_NOMEM, NULL);
		return false;
	}
	memcpy(room, r->state, r->state_size);
	pp_composed_input_apart(&r->input->pieces, r->root.section, 0, 0);
	return true;
}

static bool compose_span(struct pp_index_reader *r, const struct chosen *c)
{
	return add_others(r, 0, c->first, false) && (!r->state_size || add_state(r)) &&
	       add_blocks(r, c->first, c->beyond, true) && add_others(r, c->beyond, r->root.blocks, true);
}

static void take_plan(struct pp_time_span *s, const struct pp_index_reader *r, const struct chosen *c)
{
	s->head = r->root.head;
	s->begin = c->first ? pp_index_place(r, c->first) : r->root.head;
	s->end = pp_index_place(r, c->beyond);
	s->section = r->root.section;
	s->before = r->before;
	s->in_state = r->state != NULL;
}

int pp_time_span_read(struct pp_time_span *s, struct pp_reader *in, bool by_index, uint64_t *read,
		      uint64_t *all, struct pp_error *error)
{
	struct pp_index_reader r = { .input = by_index ? pp_reader_sought(in) : NULL, .error = error };
	struct chosen c = { 0, 0 };
	bool used;

	pp_reader_leave_out(in, leaves_span, s);
	if (!r.input)
		return 0;
	used = pp_index_reader_open(&r) && choose_state(&r, s->from, &c) && choose_end(&r, s->to, &c) &&
	       compose_span(&r, &c);
	if (used) {
		take_plan(s, &r, &c);
		pp_reader_by_pieces(in, r.end_flags);
		*read = r.read;
		*all = r.size;
	} else {
		pp_composed_input_free(&r.input->pieces);
		s->lack = r.lack;
	}
	pp_index_reader_close(&r);
	return r.failed ? -1 : used;
}
