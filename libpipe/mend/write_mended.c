/*
 * write_mended.c - writes what mending has decided on: unchanged records, and new ones: seals, rounds,
 * LOST, corrected compressed ones.  scan.c decides what is made where.
 */
#include "format/note.h"
#include "base/array.h"
#include "mend/mend.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- The part that is written here ---- */

int pp_mend_open_output(struct pp_mend_output *out, int fd)
{
	out->marks = malloc(MARKS_MOST * sizeof(*out->marks));
	out->writer = pp_writer_open(fd, PP_SEAL_NO);
	return !out->marks || !out->writer || pp_sum_open(&out->sum) ? -1 : 0;
}

void pp_mend_reset_output(struct pp_mend_output *out)
{
	pp_buffer_free(&out->made.bytes);
	*out = (struct pp_mend_output){ .marks = out->marks, .writer = out->writer,
					.sum = out->sum };
	if (out->sum.state)
		pp_sum_start(&out->sum, 0, 0, 0);
}

void pp_mend_close_output(struct pp_mend_output *out)
{
	pp_sum_close(&out->sum);
	pp_writer_close(out->writer);
	free(out->marks);
}

/* ---- Writing ---- */

void pp_mend_out_of_memory(struct mend *m)
{
	m->failed = true;
	pp_fail(m->error, PP_E_NOMEM, NULL);
}

bool pp_mend_grow(struct mend *m, uint8_t **buf, size_t *room)
{
	if (!PP_GROW(buf, room, *room ? *room + 1 : ROOM, NULL))
		return true;
	pp_mend_out_of_memory(m);
	return false;
}

static void write_out(struct mend *m, const uint8_t *data, size_t size, bool borrowed)
{
	m->out.written += size;
	if (!m->out.writer || m->failed)
		return;
	if (borrowed)
		m->failed = pp_writer_put(m->out.writer, data, size, m->error) < 0;
	else
		m->failed = pp_writer_copy(m->out.writer, data, size, m->error) < 0;
}

void pp_mend_sum_committed(struct mend *m)
{
	if (m->out.unsummed)
		pp_sum_add(&m->out.sum, here(m, m->out.committed - m->out.unsummed), m->out.unsummed);
	m->out.unsummed = 0;
}

void pp_mend_put(struct mend *m, const uint8_t *data, size_t size)
{
	if (!size)
		return;
	if (m->out.sealed) {
		pp_mend_sum_committed(m);
		m->out.as_read = false;
		pp_sum_add(&m->out.sum, data, size);
	}
	write_out(m, data, size, false);
}

/* What was read leaves as it is, up to `pos`. */
static void put_as_read(struct mend *m, uint64_t pos)
{
	const uint64_t size = pos - m->out.committed;

	if (size)
		write_out(m, here(m, m->out.committed), size, true);
	if (m->out.sealed)
		m->out.unsummed += size;
	m->out.committed = pos;
}

void pp_mend_flush(struct mend *m)
{
	if (m->out.writer && !m->failed)
		m->failed = pp_writer_flush(m->out.writer, m->error) < 0;
}

static void put_new_seal(struct mend *m, uint8_t data[PP_SEAL_SIZE], uint32_t flags)
{
	pp_mend_sum_committed(m);
	pp_sum_make(&m->out.sum, data, m->out.written, flags, m->known.foreign);
	write_out(m, data, PP_SEAL_SIZE, false);
}

void pp_mend_put_seal(struct mend *m, uint32_t flags)
{
	uint8_t data[PP_SEAL_SIZE];

	put_new_seal(m, data, flags);
}

/* Writes the seal of a mark.  That of the input passes where all since the one before it did. */
static void put_marked_seal(struct mend *m, const struct mark *k)
{
	struct pp_mend_output *const out = &m->out;
	uint8_t data[PP_SEAL_SIZE];

	if (out->as_read && k->right) {
		write_out(m, here(m, k->pos), PP_SEAL_SIZE, true);
		out->unsummed = 0;
		pp_sum_start(&out->sum, k->xxh3, out->sum.number + 1, out->written);
	} else {
		put_new_seal(m, data, k->flags);
		out->as_read = k->right && !memcmp(data, here(m, k->pos), PP_SEAL_SIZE);
	}
}

static void put_round(struct mend *m)
{
	uint8_t data[PP_HEADER_SIZE];

	pp_round_header(data, sizeof(data), m->known.foreign);
	pp_mend_put(m, data, sizeof(data));
}

/* Builds the LOST record of a mark, for an event; 0: readers would not assign it to that event. */
static size_t build_lost(struct mend *m, uint8_t data[256], const struct mark *k,
			 const struct pp_attr *attr, uint64_t id)
{
	struct pp_record rec;
	struct pp_build b;
	size_t size;

	if (!attr)
		return 0;
	pp_build(&b, data, 256, PP_REC_LOST, 0, attr);
	pp_build_u64(&b, "id", id);
	pp_build_u64(&b, "lost", k->lost);
	pp_build_trailer(&b, 0, 0, k->time, id, k->cpu);
	size = pp_build_end(&b);
	if (!size || pp_record_at(&rec, data, size, NULL))
		return 0;
	rec.attrs = m->known.attrs;
	rec.attr = k->attrs == 1 ? attr : pp_attrs_find(m->known.attrs, data, PP_REC_LOST, (uint16_t)size);
	if (rec.attr != attr || pp_check(&rec, NULL))
		return 0;
	return m->known.foreign && pp_convert(&rec, PP_FROM_HOST, NULL) ? 0 : size;
}

/* Says in the stream that samples are missing here.  Only what was known there counts: when it is
 * written depends on how the input comes. */
static void put_lost(struct mend *m, const struct mark *k)
{
	const struct pp_attr *first = pp_attrs_at(m->known.attrs, 0);
	uint8_t data[256];
	size_t size = 0;

	if (k->attrs > 1)
		size = build_lost(m, data, k, pp_attrs_by_id(m->known.attrs, k->id), k->id);
	if (!size)
		size = build_lost(m, data, k, first, first && first->n_ids ? first->ids[0] : 0);
	pp_mend_put(m, data, size);
}

/* A COMPRESSED2 record, or two, of a piece of zstd. */
static void put_carrier(struct mend *m, const uint8_t *data, size_t size)
{
	enum { MOST = PP_RECORD_MAX / 8 * 8 - PP_CARRIER_HEAD };
	const bool foreign = m->known.foreign;
	static const uint8_t zeros[8];

	while (size) {
		const size_t n = size < MOST ? size : MOST, padded = (size_t)pp_align8(n);
		uint8_t head[PP_CARRIER_HEAD];

		pp_round_header(head, (uint16_t)(PP_CARRIER_HEAD + padded), foreign);
		pp_store_order32(head, PP_REC_COMPRESSED2, foreign);
		pp_store_order64(head + 8, n, foreign);
		pp_mend_put(m, head, sizeof(head));
		pp_mend_put(m, data, n);
		pp_mend_put(m, zeros, padded - n);
		data += n;
		size -= n;
	}
}

static void put_zeros(struct mend *m, uint64_t n)
{
	static const uint8_t zeros[4096];

	for (; n && !m->failed; n -= n < sizeof(zeros) ? n : sizeof(zeros))
		pp_mend_put(m, zeros, n < sizeof(zeros) ? (size_t)n : sizeof(zeros));
}

/* ---- Committing ---- */

static void apply(struct mend *m, const struct mark *k)
{
	if (k->kind != SEAL) {
		pp_mend_sum_committed(m);
		m->out.as_read = false;
	}
	switch (k->kind) {
	case REPLACE: pp_mend_put(m, m->packed.exp + k->from, k->to - k->from); break;
	case FIX:     put_carrier(m, here(m, k->pos) + k->z_at, k->z_length); break;
	case SEAL:    put_marked_seal(m, k); break;
	case ROUND:   put_round(m); break;
	case MADE:    pp_mend_put(m, m->out.made.bytes.data + k->from, k->to - k->from); break;
	case ZEROS:   put_zeros(m, k->to); break;
	default:      break;
	}
	m->stats->rounds += k->made;
	if (k->lost)
		put_lost(m, k);
}

static bool is_undecided(enum mark_kind kind)
{
	return kind == PENDING || kind == HELD || kind == MAYBE_ROUND;
}

struct mark *pp_mend_undecided(struct mend *m)
{
	struct pp_mend_output *const out = &m->out;

	if (out->decided < out->first_mark)
		out->decided = out->first_mark;
	while (out->decided < out->n_marks && !is_undecided(out->marks[out->decided].kind))
		out->decided++;
	return &out->marks[out->decided];
}

/* Up to `pos`, or to what is not decided. */
void pp_mend_commit(struct mend *m, uint64_t pos)
{
	while (m->out.first_mark < m->out.n_marks) {
		const struct mark *k = &m->out.marks[m->out.first_mark];

		if (k->pos > pos || (k->pos == pos && k->length))
			break;
		put_as_read(m, k->pos);
		if (is_undecided(k->kind))
			return;
		if (k->kind != NOTHING) {
			apply(m, k);
			m->out.committed += k->length;
			m->stats->changed |= k->kind != SEAL || k->made;
		}
		m->out.first_mark++;
	}
	if (m->out.first_mark == m->out.n_marks)
		m->out.first_mark = m->out.n_marks = m->out.decided = 0;
	if (pos > m->out.committed)
		put_as_read(m, pos);
}

struct mark *pp_mend_mark(struct mend *m, enum mark_kind kind, uint64_t pos, uint64_t length)
{
	if (m->out.n_marks == MARKS_MOST && m->out.first_mark) {
		m->out.n_marks -= m->out.first_mark;
		memmove(m->out.marks, m->out.marks + m->out.first_mark,
			m->out.n_marks * sizeof(*m->out.marks));
		m->out.first_mark = m->out.decided = 0;
	}
	if (m->out.n_marks == MARKS_MOST) {
		pp_mend_out_of_memory(m);
		m->out.n_marks = m->out.undecided = m->out.decided = 0;
	}
	m->out.marks[m->out.n_marks] = (struct mark){ .kind = kind, .pos = pos, .length = length,
					     .attrs = pp_attrs_count(m->known.attrs),
					     .id = m->judge.id, .cpu = m->judge.cpu };
	m->out.undecided += is_undecided(kind);
	return &m->out.marks[m->out.n_marks++];
}
