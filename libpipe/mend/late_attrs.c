/*
 * late_attrs.c - streams whose attributes come last: they are looked for, and then the stream is read
 * as if they came first.
 */
#include "base/array.h"
#include "mend/mend.h"

#include <stdlib.h>

enum {
	LOOKED_AT = 64,               /* records that may come before all others: seals, notes */
	LATE_MOST = 1 << 16,          /* attributes */
};

struct pp_late_attrs {
	struct pp_late_place { uint64_t offset, size; } *places;
	size_t count, room;
};

/* The place of the first record other than those that come before attributes anyway. */
static uint64_t skip_rounds(struct mend *m)
{
	uint64_t pos = PP_PIPE_HEADER;

	for (int i = 0; i < LOOKED_AT && pp_mend_need(m, pos, PP_HEADER_SIZE); i++) {
		const uint32_t type = pp_in_order32(here(m, pos), m->known.foreign);
		const uint16_t size = pp_in_order16(here(m, pos) + 6, m->known.foreign);

		if (type != PP_REC_FINISHED_ROUND || size < PP_HEADER_SIZE ||
		    !pp_mend_need(m, pos, size))
			break;
		pos += size;
	}
	return pos;
}

bool pp_mend_begins_late(struct mend *m)
{
	const uint64_t pos = skip_rounds(m);
	uint32_t type;

	if (!pp_mend_need(m, pos, PP_HEADER_SIZE) ||
	    !pp_evidence_strict_header(&m->known, here(m, pos)))
		return false;
	type = pp_in_order32(here(m, pos), m->known.foreign);
	return type < PP_USER_TYPES || pp_type_is(type, PP_CARRIES);
}

void pp_mend_note_late(struct mend *m, size_t size)
{
	struct pp_late_attrs *const late = m->late;

	if (late->count == LATE_MOST || PP_GROW(&late->places, &late->room, late->count + 1, NULL)) {
		pp_mend_out_of_memory(m);
		return;
	}
	late->places[late->count++] = (struct pp_late_place){ m->in.at, size };
}

/* The pieces of the input in their new order. */
static int put_pieces(struct mend *m, uint64_t lead, uint64_t length)
{
	const struct pp_late_attrs *const late = m->late;
	struct pp_composed_input *const pieces = &m->source.pieces;
	uint64_t at = lead;

	pp_composed_input_free(pieces);
	if (pp_composed_input_file(pieces, 0, lead))
		return -1;
	for (size_t i = 0; i < late->count; i++)
		if (pp_composed_input_file(pieces, late->places[i].offset, late->places[i].size))
			return -1;
	for (size_t i = 0; i < late->count; i++) {
		if (pp_composed_input_file(pieces, at, late->places[i].offset - at))
			return -1;
		at = late->places[i].offset + late->places[i].size;
	}
	return pp_composed_input_file(pieces, at, length - at);
}

/* Has all of the input there for more than one reading. */
static int make_seekable(struct mend *m, uint64_t *length)
{
	uint8_t *const head = malloc(m->in.end);
	int failed = -1;

	if (!head)
		return pp_fail(m->error, PP_E_NOMEM, NULL);
	memcpy(head, m->in.buf, m->in.end);
	if (!pp_input_seekable(&m->source, head, m->in.end, m->error))
		failed = pp_input_length(&m->source, length) ? pp_fail_os(m->error, "cannot read") : 0;
	free(head);
	if (!failed && pp_composed_input_file(&m->source.pieces, 0, *length))
		failed = pp_fail(m->error, PP_E_NOMEM, NULL);
	return failed;
}

bool pp_mend_put_in_front(struct mend *m, void (*look)(struct mend *))
{
	const uint64_t lead = skip_rounds(m);
	struct pp_late_attrs late = { .places = NULL };
	uint64_t length = 0;

	if (make_seekable(m, &length)) {
		m->failed = true;
		return false;
	}
	m->late = &late;
	look(m);
	if (!m->failed && put_pieces(m, lead, length))
		pp_mend_out_of_memory(m);
	m->late = NULL;
	free(late.places);
	/* what a seal covers is elsewhere now */
	if (late.count)
		m->verify = false;
	m->moved = late.count;
	return !m->failed;
}
