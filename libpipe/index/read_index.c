/* read_index.c - reads the index at the end of a file: its root, its tables, and a state.  All that it says
 * is checked before it is used: by sums, by the seals that it names, and by what it says elsewhere. */
#include "format/format.h"
#include "format/index_record.h"
#include "format/note.h"
#include "format/seal.h"
#include "index/time_span.h"
#include "input/input.h"

#include <stdlib.h>

enum { TABLES = 5, BLOCKS = 0, STATES = 4, PACKED_MOST = 64 << 20, PLAIN_MOST = 256 << 20 };

static const char senseless[] = "it contradicts itself", changed[] = "it was changed",
		  others[] = "it is of another stream", large[] = "it is too large";

static bool fail_reading(struct pp_index_reader *r)
{
	r->failed = true;
	(void)pp_fail_os(r->error, "cannot read");
	return false;
}

static bool fail_memory(struct pp_index_reader *r)
{
	r->failed = true;
	(void)pp_fail(r->error, PP_E_NOMEM, NULL);
	return false;
}

/* Bytes that have to be there. */
static bool load_bytes(struct pp_index_reader *r, void *to, uint64_t at, size_t size)
{
	const ssize_t n = pp_input_pread(r->input, to, size, at);

	if (n < 0)
		return fail_reading(r);
	r->read += (uint64_t)n;
	return (size_t)n == size || pp_index_refuse(r, senseless);
}

/* ---- seals ---- */

/* The seal that ends there, at an offset in the stream. */
static bool load_seal(struct pp_index_reader *r, uint64_t end, struct pp_seal *seal)
{
	uint8_t data[PP_SEAL_SIZE], header[PP_HEADER_SIZE];

	if (!pp_fits(PP_PIPE_HEADER + PP_SEAL_SIZE, end))
		return pp_index_refuse(r, senseless);
	if (!load_bytes(r, data, end - PP_SEAL_SIZE, PP_SEAL_SIZE))
		return false;
	pp_round_header(header, PP_SEAL_SIZE, false);
	return (!memcmp(header, data, sizeof(header)) && pp_seal_load(seal, data, PP_SEAL_SIZE, false)) ||
	       pp_index_refuse(r, others);
}

static bool has_seal(struct pp_index_reader *r, uint64_t end, uint64_t number, uint64_t xxh3)
{
	struct pp_seal seal;

	return load_seal(r, end, &seal) &&
	       ((seal.number == number && seal.xxh3 == xxh3) || pp_index_refuse(r, others));
}

bool pp_index_has_seal(struct pp_index_reader *r, uint64_t block)
{
	const uint8_t *const row = pp_index_row(r, block);

	return has_seal(r, pp_index_place(r, block), pp_load32(row + 32), pp_load64(row + 24));
}

/* ---- the root ---- */

static bool check_root(struct pp_index_reader *r)
{
	const struct pp_index_root *const root = &r->root;
	const uint64_t end = r->size - PP_SEAL_SIZE - PP_INDEX_ROOT;
	uint64_t parts;

	if (root->version != 1 || root->flags)
		return pp_index_refuse(r, "it is of a later version");
	if (root->section > end || root->head < PP_PIPE_HEADER || root->head >= root->section ||
	    !root->blocks || root->body > end || root->states_at > root->body)
		return pp_index_refuse(r, senseless);
	if (root->states_at > PACKED_MOST || (uint64_t)root->blocks * PP_INDEX_ROW > PLAIN_MOST)
		return pp_index_refuse(r, large);
	parts = (root->body + PP_INDEX_PART - 1) / PP_INDEX_PART;
	return root->section + parts * PP_INDEX_HEAD + pp_align8(root->body) == end ||
	       pp_index_refuse(r, senseless);
}

/* The last two records; data: the root. */
static bool find_root(struct pp_index_reader *r, uint8_t data[PP_INDEX_ROOT])
{
	const uint64_t least = PP_PIPE_HEADER + 2 * PP_SEAL_SIZE + PP_INDEX_ROOT;
	struct pp_record rec = { .data = data, .type = PP_REC_FINISHED_ROUND, .size = PP_INDEX_ROOT };
	uint8_t header[PP_HEADER_SIZE];
	struct pp_seal end;
	uint64_t last;

	if (pp_input_length(r->input, &r->size))
		return fail_reading(r);
	if (r->size < least || !load_seal(r, r->size, &end) || !(end.flags & PP_SEAL_END) ||
	    !load_bytes(r, data, r->size - PP_SEAL_SIZE - PP_INDEX_ROOT, PP_INDEX_ROOT))
		return r->failed ? false : pp_index_refuse(r, NULL);
	pp_round_header(header, PP_INDEX_ROOT, false);
	if (memcmp(header, data, sizeof(header)) != 0 || !pp_index_root_of(&rec, &r->root))
		return pp_index_refuse(r, NULL);
	if (end.flags & PP_SEAL_DAMAGED)
		return pp_index_refuse(r, "the stream is one of which something is lost");
	if (!check_root(r) || end.bytes > r->size - PP_SEAL_SIZE)
		return r->lack ? false : pp_index_refuse(r, senseless);
	r->end_flags = end.flags;
	last = r->size - PP_SEAL_SIZE - end.bytes;
	if (last > r->root.section || end.number != r->root.seal + 1)
		return pp_index_refuse(r, others);
	return has_seal(r, last, r->root.seal, r->root.xxh3);
}

/* ---- the body ---- */

/* `size` bytes of the body from `at` on, which lie in it. */
static bool load_body(struct pp_index_reader *r, uint8_t *to, uint64_t at, uint64_t size)
{
	while (size) {
		const uint64_t part = at / PP_INDEX_PART, in = at % PP_INDEX_PART;
		const size_t n = size < PP_INDEX_PART - in ? (size_t)size : (size_t)(PP_INDEX_PART - in);

		if (!load_bytes(r, to, r->root.section + part * (PP_INDEX_PART + PP_INDEX_HEAD) +
				PP_INDEX_HEAD + in, n))
			return false;
		to += n;
		at += n;
		size -= n;
	}
	return true;
}

/* What a frame expands to, which are `plain` bytes; NULL: the index is not used. */
static uint8_t *expand_frame(struct pp_index_reader *r, const uint8_t *from, size_t packed, uint32_t plain)
{
	ZSTD_DCtx *zstd;
	uint8_t *to;
	bool good;

	if (plain > PLAIN_MOST) {
		(void)pp_index_refuse(r, large);
		return NULL;
	}
	to = malloc((size_t)plain + 1);
	zstd = ZSTD_createDCtx();
	good = to && zstd;
	if (!good)
		(void)fail_memory(r);
	else if (ZSTD_decompressDCtx(zstd, to, plain, from, packed) != plain)
		good = pp_index_refuse(r, changed);
	ZSTD_freeDCtx(zstd);
	if (good)
		return to;
	free(to);
	return NULL;
}

/* The tables that are used: a row of each is so long. */
static bool take_tables(struct pp_index_reader *r, const uint8_t *tables, size_t size)
{
	const uint64_t sizes[TABLES] = {
		[BLOCKS] = (uint64_t)r->root.blocks * PP_INDEX_ROW,
		[STATES] = (uint64_t)r->root.states * PP_STATE_ROW,
	};
	uint8_t **const to[TABLES] = { [BLOCKS] = &r->blocks, [STATES] = &r->states };

	for (size_t i = 0; i < TABLES; i++) {
		uint32_t packed, plain;

		if (!pp_fits(8, size))
			return pp_index_refuse(r, senseless);
		packed = pp_load32(tables);
		plain = pp_load32(tables + 4);
		tables += 8;
		size -= 8;
		if (!pp_fits(packed, size) || (to[i] && plain != sizes[i]))
			return pp_index_refuse(r, senseless);
		if (to[i] && !(*to[i] = expand_frame(r, tables, packed, plain)))
			return false;
		tables += packed;
		size -= packed;
	}
	return true;
}

static bool check_blocks(struct pp_index_reader *r)
{
	if (pp_index_place(r, 0) != r->root.head)
		return pp_index_refuse(r, senseless);
	for (uint64_t i = 0; i < r->root.blocks; i++)
		if (pp_index_place(r, i) >= pp_index_place(r, i + 1))
			return pp_index_refuse(r, senseless);
	return true;
}

bool pp_index_reader_open(struct pp_index_reader *r)
{
	uint8_t root[PP_INDEX_ROOT], *tables;
	size_t size;
	bool good;

	if (!find_root(r, root))
		return false;
	size = (size_t)r->root.states_at;
	tables = malloc(size + 1);
	if (!tables)
		return fail_memory(r);
	good = load_body(r, tables, 0, size);
	if (good && pp_index_sum(root, tables, size) != r->root.sum)
		good = pp_index_refuse(r, changed);
	good = good && take_tables(r, tables, size) && check_blocks(r);
	free(tables);
	return good;
}

void pp_index_reader_close(struct pp_index_reader *r)
{
	free(r->blocks);
	free(r->states);
	free(r->state);
}

/* ---- a state ---- */

/* Whether these are whole records, of those that a state has. */
static bool are_of_state(const uint8_t *data, size_t size)
{
	while (size) {
		uint32_t type;
		size_t one;

		if (!pp_fits(PP_HEADER_SIZE, size))
			return false;
		type = pp_load32(data);
		one = pp_load16(data + 6);
		if (one < PP_HEADER_SIZE || !pp_fits(one, size) || type == PP_REC_FINISHED_ROUND ||
		    !pp_sideband_keeps(type) || pp_has_tail(type))
			return false;
		data += one;
		size -= one;
	}
	return true;
}

bool pp_index_load_state(struct pp_index_reader *r, const uint8_t *row)
{
	const uint64_t at = pp_load64(row + 16), room = r->root.body - r->root.states_at;
	const uint32_t packed = pp_load32(row + 24), plain = pp_load32(row + 28);
	uint8_t *from;

	if (!pp_fits(at, room) || !pp_fits(packed, room - at))
		return pp_index_refuse(r, senseless);
	if (packed > PACKED_MOST)
		return pp_index_refuse(r, large);
	from = malloc((size_t)packed + 1);
	if (!from)
		return fail_memory(r);
	if (load_body(r, from, r->root.states_at + at, packed))
		r->state = expand_frame(r, from, packed, plain);
	free(from);
	if (!r->state)
		return false;
	r->state_size = plain;
	r->before = pp_load64(row + 8);
	return are_of_state(r->state, plain) || pp_index_refuse(r, senseless);
}
