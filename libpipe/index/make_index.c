/*
 * make_index.c - makes the index of a stream while that is written: blocks of whole rounds, which times are
 * in each, and every so often the state of tasks and maps.
 *
 *	head | block 0: rounds ... | block 1 ... | block n | parts of the body | root | END
 *	                           `-- a seal ends before each
 */
#include "index/index_maker.h"
#include "base/varint.h"
#include "write/writer_internal.h"

#include <stdlib.h>

enum { SET_MOST = 1 << 16 };            /* numbers with repeats, before they are made fewer */

struct pp_index_maker *pp_index_maker_new(struct pp_budget *budget)
{
	struct pp_index_maker *const m = calloc(1, sizeof(*m));

	if (m && !pp_index_states_open(&m->states, budget))
		return m;
	pp_index_maker_free(m);
	return NULL;
}

void pp_index_maker_free(struct pp_index_maker *m)
{
	if (!m)
		return;
	pp_index_states_close(&m->states);
	pp_buffer_free(&m->blocks);
	pp_buffer_free(&m->sets);
	pp_buffer_free(&m->names);
	free(m->pids.items);
	free(m->parents.items);
	free(m);
}

/* ---- sets of numbers ---- */

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void settle_set(struct pp_number_set *set)
{
	size_t n = 0;

	if (set->count)
		qsort(set->items, set->count, sizeof(*set->items), compare_numbers);
	for (size_t i = 0; i < set->count; i++)
		if (!n || set->items[n - 1] != set->items[i])
			set->items[n++] = set->items[i];
	set->count = n;
}

static int add_number(struct pp_number_set *set, uint32_t number, struct pp_error *error)
{
	if (set->count && set->items[set->count - 1] == number)
		return 0;
	if (set->count == set->room && set->count >= SET_MOST)
		settle_set(set);
	if (PP_GROW(&set->items, &set->room, set->count + 1, error))
		return -1;
	set->items[set->count++] = number;
	return 0;
}

static int write_number(struct pp_buffer *to, uint64_t number, struct pp_error *error)
{
	uint8_t bytes[PP_VARINT_MOST];

	return pp_buffer_add(to, bytes, (size_t)(pp_put_varint(bytes, number) - bytes), error);
}

/* Count and ascending differences; the set is empty then. */
static int write_set(struct pp_number_set *set, struct pp_buffer *to, struct pp_error *error)
{
	uint32_t last = 0;

	settle_set(set);
	if (write_number(to, set->count, error))
		return -1;
	for (size_t i = 0; i < set->count; i++) {
		if (write_number(to, set->items[i] - last, error))
			return -1;
		last = set->items[i];
	}
	set->count = 0;
	return 0;
}

/* ---- blocks ---- */

static int end_index_block(struct pp_index_maker *m, struct pp_error *error)
{
	const struct pp_index_block *const b = &m->block;
	uint8_t row[PP_INDEX_ROW];

	if (m->sets.size > UINT32_MAX || m->root.blocks == UINT32_MAX) {
		m->why = "it is too long";
		return 0;
	}
	pp_store64(row, b->offset);
	pp_store64(row + 8, b->min);
	pp_store64(row + 16, b->max);
	pp_store64(row + 24, b->xxh3);
	pp_store32(row + 32, (uint32_t)b->seal);
	pp_store32(row + 36, b->samples);
	pp_store32(row + 40, b->others);
	pp_store32(row + 44, b->lost);
	pp_store64(row + 48, b->events);
	pp_store32(row + 56, (uint32_t)m->sets.size);
	pp_store32(row + 60, b->flags | PP_BLOCK_NO_COMMS);
	m->root.blocks++;
	m->block.begun = false;
	if (pp_buffer_add(&m->blocks, row, sizeof(row), error) || write_set(&m->pids, &m->sets, error) ||
	    write_set(&m->parents, &m->sets, error))
		return -1;
	return write_number(&m->sets, 0, error);
}

static void begin_index_block(struct pp_index_maker *m, uint64_t offset, uint64_t seal, uint64_t xxh3)
{
	m->block = (struct pp_index_block){ .offset = offset, .min = UINT64_MAX, .seal = seal, .xxh3 = xxh3,
					    .begun = true };
	if (!m->root.head)
		m->root.head = m->states.last_at = offset;
	else
		pp_index_states_begin(&m->states, m->root.blocks, offset, m->newest);
}

/* What the round before this place was: where that is a seal a block may end. */
static int pass_seal_place(struct pp_index_maker *m, const struct pp_writer *w, struct pp_error *error)
{
	const uint64_t at = pp_writer_bytes(w);
	uint64_t seal, xxh3;

	m->after_round = false;
	pp_writer_last_seal(w, &seal, &xxh3);
	if (seal == m->seal)
		return 0;
	m->seal = seal;
	if (!m->block.begun || at - m->block.offset < PP_INDEX_BLOCK)
		return 0;
	if (end_index_block(m, error))
		return -1;
	begin_index_block(m, at, seal, xxh3);
	return 0;
}

/* ---- records ---- */

static int note_indexed_sample(struct pp_index_maker *m, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_index_block *const b = &m->block;
	uint32_t pid, tid;
	uint64_t time;

	if (!rec->attr)
		m->why = "no attribute describes some of its samples";
	else if (!pp_time(rec, &time))
		m->why = "it has samples without a time";
	if (m->why)
		return 0;
	b->samples++;
	b->events |= UINT64_C(1) << (rec->attr->index < 63 ? rec->attr->index : 63);
	b->min = time < b->min ? time : b->min;
	b->max = time > b->max ? time : b->max;
	m->root.first = !m->root.samples || time < m->root.first ? time : m->root.first;
	m->root.last = time > m->root.last ? time : m->root.last;
	m->root.samples++;
	return pp_task(rec, &pid, &tid) ? add_number(&m->pids, pid, error) : 0;
}

/* Whether this is no more than the end of a round. */
static bool is_bare(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND && (rec->size == PP_HEADER_SIZE || pp_is_seal(rec, NULL));
}

/* Where names are. */
static int note_names_place(struct pp_index_maker *m, const struct pp_record *rec, uint64_t at,
			    struct pp_error *error)
{
	uint8_t row[12];

	pp_store64(row, at);
	pp_store32(row + 8, rec->size);
	m->root.names++;
	return pp_buffer_add(&m->names, row, sizeof(row), error);
}

static int note_round_end(struct pp_index_maker *m, struct pp_error *error)
{
	m->after_round = true;
	m->promised = m->last_round;
	m->last_round = m->newest;
	return pp_index_states_round(&m->states, m->promised, error);
}

static int note_indexed_other(struct pp_index_maker *m, const struct pp_record *rec, uint64_t at,
			      struct pp_error *error)
{
	uint64_t lost, parent, time;

	m->block.others++;
	if (rec->type >= PP_USER_TYPES && !is_bare(rec))
		m->block.flags |= PP_BLOCK_OTHERS;
	if (pp_type_is(rec->type, PP_LOSES) && pp_find_u64(rec, PP_IS_LOST, &lost)) {
		m->root.lost += lost;
		m->block.lost = lost > UINT32_MAX - m->block.lost ? UINT32_MAX :
				m->block.lost + (uint32_t)lost;
	}
	if (rec->type == PP_REC_FORK && pp_find_u64(rec, PP_IS_PPID, &parent) &&
	    add_number(&m->parents, (uint32_t)parent, error))
		return -1;
	if (pp_is_names(rec) && note_names_place(m, rec, at, error))
		return -1;
	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_round(rec) ? note_round_end(m, error) : 0;
	if (rec->tail)
		m->why = "it has tracing or AUX data among its samples";
	else if (rec->type < PP_USER_TYPES && m->newest && !pp_time(rec, &time))
		m->why = "it has records of tasks without a time";
	if (m->why || !m->block.begun || !pp_sideband_keeps(rec->type))
		return 0;
	return pp_index_states_note(&m->states, rec, error);
}

int pp_index_maker_note(struct pp_index_maker *m, const struct pp_writer *w, const struct pp_record *rec,
			struct pp_error *error)
{
	const uint64_t at = pp_writer_bytes(w);
	uint64_t time, seal, xxh3;

	if (m->why)
		return 0;
	if (m->after_round && pass_seal_place(m, w, error))
		return -1;
	if (!m->block.begun && rec->type < PP_USER_TYPES) {
		pp_writer_last_seal(w, &seal, &xxh3);
		begin_index_block(m, at, seal, xxh3);
	}
	if (rec->type < PP_USER_TYPES && pp_time(rec, &time)) {
		/* what a round lets go of is known by what comes after the next one */
		if (time < m->promised)
			m->why = "records come later than its rounds promise";
		m->newest = time > m->newest ? time : m->newest;
	}
	return rec->type == PP_REC_SAMPLE ? note_indexed_sample(m, rec, error) :
					    note_indexed_other(m, rec, at, error);
}

int pp_index_maker_end(struct pp_index_maker *m, struct pp_writer *w, const char **why,
		       struct pp_error *error)
{
	if (!m->why && !m->block.begun)
		m->why = "it has no records of the kernel";
	if (!m->why && !pp_writer_sealing(w))
		m->why = "it is not sealed";
	if (!m->why && end_index_block(m, error))
		return -1;
	*why = m->why;
	if (m->why)
		return 0;
	return pp_index_write(m, w, error) ? -1 : 1;
}
