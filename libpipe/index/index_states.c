/* index_states.c - the states in an index: what the side-band up to some time leaves of tasks and maps. */
#include "index/index_maker.h"

#include <stdlib.h>

enum { LEVEL = 3, PIECE = 64 << 10 };

int pp_index_states_open(struct pp_index_states *s, struct pp_budget *budget)
{
	s->due_block = UINT64_MAX;
	s->packed.fd = -1;
	s->sideband = pp_sideband_new(budget);
	s->zstd = ZSTD_createCCtx();
	if (!s->sideband || !s->zstd || pp_spool_open(&s->packed, PIECE) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1)))
		return -1;
	return 0;
}

void pp_index_states_close(struct pp_index_states *s)
{
	pp_sideband_free(s->sideband);
	free(s->items);
	pp_buffer_free(&s->bytes);
	pp_buffer_free(&s->rows);
	pp_spool_close(&s->packed);
	ZSTD_freeCCtx(s->zstd);
}

/* ---- in the order of times ---- */

int pp_index_states_note(struct pp_index_states *s, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t time;

	if (rec->type >= PP_USER_TYPES || !pp_time(rec, &time))
		return pp_sideband_note(s->sideband, rec, error);
	if (PP_GROW(&s->items, &s->room, s->count + 1, error))
		return -1;
	s->items[s->count] = (struct pp_waiting){ time, s->bytes.size, *rec };
	if (pp_buffer_add(&s->bytes, rec->data, rec->size, error))
		return -1;
	s->count++;
	return 0;
}

static int compare_waiting(const void *a, const void *b)
{
	const struct pp_waiting *const x = a, *const y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Keeps those from number `n` on. */
static int keep_waiting(struct pp_index_states *s, size_t n, struct pp_error *error)
{
	struct pp_buffer bytes = { .size = 0 };

	for (size_t i = n; i < s->count; i++) {
		struct pp_waiting *const item = &s->items[i - n];

		*item = s->items[i];
		if (pp_buffer_add(&bytes, s->bytes.data + item->at, item->record.size, error)) {
			pp_buffer_free(&bytes);
			return -1;
		}
		item->at = bytes.size - item->record.size;
	}
	s->count -= n;
	pp_buffer_free(&s->bytes);
	s->bytes = bytes;
	return 0;
}

static int release_waiting(struct pp_index_states *s, uint64_t promised, struct pp_error *error)
{
	size_t n = 0;

	if (s->count)
		qsort(s->items, s->count, sizeof(*s->items), compare_waiting);
	while (n < s->count && s->items[n].time <= promised) {
		s->items[n].record.data = s->bytes.data + s->items[n].at;
		if (pp_sideband_note(s->sideband, &s->items[n].record, error))
			return -1;
		n++;
	}
	return n ? keep_waiting(s, n, error) : 0;
}

/* ---- a state ---- */

static int pack(struct pp_index_states *s, const void *data, size_t size, ZSTD_EndDirective how,
		struct pp_error *error)
{
	uint8_t room[4096];
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { room, sizeof(room), 0 };

		left = ZSTD_compressStream2(s->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (out.pos && pp_spool_write(&s->packed, room, out.pos, error))
			return -1;
	} while (in.pos < in.size || (left && how == ZSTD_e_end));
	return 0;
}

/* Instead of being written, each record goes into the frame. */
static int pack_record(void *arg, struct pp_record *rec, struct pp_error *error)
{
	struct pp_index_states *const s = arg;

	s->plain += rec->size;
	return pack(s, rec->data, rec->size, ZSTD_e_continue, error) ? -1 : PP_DROP;
}

static int write_state(struct pp_index_states *s, struct pp_error *error)
{
	const uint64_t from = pp_spool_end(&s->packed);
	uint8_t row[PP_STATE_ROW] = { 0 };
	uint64_t size;

	s->plain = 0;
	if (pp_sideband_write(s->sideband, NULL, pack_record, s, NULL, error) ||
	    pack(s, NULL, 0, ZSTD_e_end, error))
		return -1;
	size = pp_spool_end(&s->packed) - from;
	pp_store32(row, (uint32_t)s->due_block);
	pp_store64(row + 8, s->before);
	pp_store64(row + 16, from);
	pp_store32(row + 24, (uint32_t)size);
	pp_store32(row + 28, (uint32_t)s->plain);
	s->due_block = UINT64_MAX;
	s->least = size * PP_INDEX_SHARE;
	/* one that no row can describe is left out */
	if (size > UINT32_MAX || s->plain > UINT32_MAX)
		return 0;
	s->states++;
	return pp_buffer_add(&s->rows, row, sizeof(row), error);
}

int pp_index_states_round(struct pp_index_states *s, uint64_t promised, struct pp_error *error)
{
	if (release_waiting(s, promised, error))
		return -1;
	return s->due_block == UINT64_MAX ? 0 : write_state(s, error);
}

void pp_index_states_begin(struct pp_index_states *s, uint64_t block, uint64_t offset, uint64_t newest)
{
	const uint64_t least = s->least > PP_INDEX_STATE ? s->least : PP_INDEX_STATE;

	if (offset - s->last_at < least || s->due_block != UINT64_MAX)
		return;
	s->due_block = block;
	s->before = newest;
	s->last_at = offset;
}
