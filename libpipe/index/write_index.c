/* write_index.c - writes an index: its tables, packed, its states, and the root that leads to them. */
#include "index/index_maker.h"
#include "format/index_record.h"
#include "format/seal.h"
#include "write/writer_internal.h"

#include <stdlib.h>

/* Where the next byte of the body goes. */
struct body {
	struct pp_writer *writer;
	uint8_t record[PP_INDEX_HEAD + PP_INDEX_PART];
	uint32_t bytes, number;         /* in the part at hand, and its number */
};

static int end_part(struct body *b, struct pp_error *error)
{
	const size_t size = pp_index_part_head(b->record, b->number++, b->bytes);

	memset(b->record + PP_INDEX_HEAD + b->bytes, 0, size - PP_INDEX_HEAD - b->bytes);
	b->bytes = 0;
	return pp_writer_copy(b->writer, b->record, size, error);
}

static int add_to_body(struct body *b, const uint8_t *data, size_t size, struct pp_error *error)
{
	while (size) {
		const size_t room = PP_INDEX_PART - b->bytes, n = size < room ? size : room;

		memcpy(b->record + PP_INDEX_HEAD + b->bytes, data, n);
		b->bytes += (uint32_t)n;
		data += n;
		size -= n;
		if (b->bytes == PP_INDEX_PART && end_part(b, error))
			return -1;
	}
	return 0;
}

/* Appends a table: u32 packed, u32 plain, and one zstd frame. */
static int pack_table(ZSTD_CCtx *zstd, struct pp_buffer *to, const struct pp_buffer *table,
		      struct pp_error *error)
{
	const size_t bound = ZSTD_compressBound(table->size);
	uint8_t *const room = pp_buffer_room(to, 8 + bound, error);
	size_t packed;

	if (!room)
		return -1;
	packed = ZSTD_compress2(zstd, room + 8, bound, table->data ? table->data : room, table->size);
	if (ZSTD_isError(packed))
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_store32(room, (uint32_t)packed);
	pp_store32(room + 4, (uint32_t)table->size);
	to->size += 8 + packed;
	return 0;
}

static int write_states(struct pp_index_maker *m, struct body *body, struct pp_error *error)
{
	struct pp_spool *const packed = &m->states.packed;
	const uint64_t end = pp_spool_end(packed);
	uint8_t piece[4096];

	for (uint64_t at = 0; at < end; at += sizeof(piece)) {
		const size_t n = end - at < sizeof(piece) ? (size_t)(end - at) : sizeof(piece);

		if (pp_spool_read(packed, at, piece, n, error) || add_to_body(body, piece, n, error))
			return -1;
	}
	return body->bytes ? end_part(body, error) : 0;
}

uint64_t pp_index_sum(const uint8_t *root, const uint8_t *tables, size_t size)
{
	return XXH3_64bits_withSeed(tables, size, XXH3_64bits(root, PP_INDEX_SUM));
}

static int write_root(const uint8_t root[PP_INDEX_ROOT], struct pp_writer *w, struct pp_error *error)
{
	return pp_writer_copy(w, root, PP_INDEX_ROOT, error);
}

/* Makes the root, too. */
static int write_body(struct pp_index_maker *m, struct body *body, uint8_t root[PP_INDEX_ROOT],
		      struct pp_error *error)
{
	const struct pp_buffer none = { .size = 0 };
	const struct pp_buffer *const all[] = { &m->blocks, &m->sets, &none, &m->names, &m->states.rows };
	struct pp_buffer tables = { .size = 0 };
	int failed = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !failed; i++)
		failed = pack_table(m->states.zstd, &tables, all[i], error);
	m->root.states_at = tables.size;
	m->root.body = tables.size + pp_spool_end(&m->states.packed);
	pp_index_root_make(root, &m->root);
	if (!failed) {
		m->root.sum = pp_index_sum(root, tables.data, tables.size);
		pp_index_root_make(root, &m->root);
	}
	failed = failed || add_to_body(body, tables.data, tables.size, error) ||
		 write_states(m, body, error);
	pp_buffer_free(&tables);
	return failed ? -1 : 0;
}

int pp_index_write(struct pp_index_maker *m, struct pp_writer *w, struct pp_error *error)
{
	struct body *const body = malloc(sizeof(*body));
	uint8_t root[PP_INDEX_ROOT];
	int failed;

	if (!body)
		return pp_fail(error, PP_E_NOMEM, NULL);
	body->writer = w;
	body->bytes = body->number = 0;
	m->root.section = pp_writer_bytes(w);
	m->root.version = 1;
	m->root.states = m->states.states;
	pp_writer_last_seal(w, &m->root.seal, &m->root.xxh3);
	failed = write_body(m, body, root, error) || write_root(root, w, error);
	free(body);
	return failed ? -1 : 0;
}
