/* payload.c - the table of what rides in FINISHED_ROUND records, and the bytes of an index there; seal.c,
 * note.c and names_record.c have the other layouts. */
#include "format/payload.h"
#include "base/byte_order.h"
#include "format/index_record.h"
#include "format/names_record.h"
#include "format/note.h"
#include "format/seal.h"

enum { MAGIC = PP_HEADER_SIZE, MAGIC_SIZE = 8 };

/* ---- index records ----
 *
 * They stand between the last records of a stream and its END: the parts of the body, in order, and the root,
 * which says where they begin.
 *
 *	header | "PPINDEX" | u32 number | u32 bytes | as many bytes of the body, zeros up to 8
 *	header | "PPINDXR" | section | seal | xxh3 | head | first | last | samples | lost | version | flags |
 *	       | blocks | states | comms | names | body | states_at | sum
 */

static const char part_magic[8] = "PPINDEX", root_magic[8] = "PPINDXR";

enum { NUMBER = 16, BYTES = 20, WIDE = 16, NARROW = 80, BODY = 104 };

size_t pp_index_part_head(uint8_t data[PP_INDEX_HEAD], uint32_t number, uint32_t bytes)
{
	const size_t size = pp_align8(PP_INDEX_HEAD + bytes);

	pp_round_header(data, (uint16_t)size, false);
	memcpy(data + MAGIC, part_magic, sizeof(part_magic));
	pp_store32(data + NUMBER, number);
	pp_store32(data + BYTES, bytes);
	return size;
}

void pp_index_root_make(uint8_t data[PP_INDEX_ROOT], const struct pp_index_root *root)
{
	const uint64_t wide[] = { root->section, root->seal, root->xxh3, root->head, root->first, root->last,
				  root->samples, root->lost };
	const uint32_t narrow[] = { root->version, root->flags, root->blocks, root->states, root->comms,
				    root->names };

	memset(data, 0, PP_INDEX_ROOT);
	pp_round_header(data, PP_INDEX_ROOT, false);
	memcpy(data + MAGIC, root_magic, sizeof(root_magic));
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		pp_store64(data + WIDE + 8 * i, wide[i]);
	for (size_t i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
		pp_store32(data + NARROW + 4 * i, narrow[i]);
	pp_store64(data + BODY, root->body);
	pp_store64(data + BODY + 8, root->states_at);
	pp_store64(data + PP_INDEX_SUM, root->sum);
}

static bool has_magic(const struct pp_record *rec, const char magic[8])
{
	return rec->type == PP_REC_FINISHED_ROUND && pp_fits(MAGIC + MAGIC_SIZE, rec->size) &&
	       !memcmp(rec->data + MAGIC, magic, MAGIC_SIZE);
}

bool pp_is_index(const struct pp_record *rec)
{
	return has_magic(rec, part_magic) || has_magic(rec, root_magic);
}

bool pp_index_root_of(const struct pp_record *rec, struct pp_index_root *root)
{
	const uint8_t *const p = rec->data;

	if (rec->size != PP_INDEX_ROOT || !has_magic(rec, root_magic))
		return false;
	*root = (struct pp_index_root){
		.section = pp_load64(p + WIDE), .seal = pp_load64(p + WIDE + 8),
		.xxh3 = pp_load64(p + WIDE + 16), .head = pp_load64(p + WIDE + 24),
		.first = pp_load64(p + WIDE + 32), .last = pp_load64(p + WIDE + 40),
		.samples = pp_load64(p + WIDE + 48), .lost = pp_load64(p + WIDE + 56),
		.version = pp_load32(p + NARROW), .flags = pp_load32(p + NARROW + 4),
		.blocks = pp_load32(p + NARROW + 8), .states = pp_load32(p + NARROW + 12),
		.comms = pp_load32(p + NARROW + 16), .names = pp_load32(p + NARROW + 20),
		.body = pp_load64(p + BODY), .states_at = pp_load64(p + BODY + 8),
		.sum = pp_load64(p + PP_INDEX_SUM),
	};
	return true;
}

bool pp_index_part_of(const struct pp_record *rec, uint32_t *number, uint32_t *bytes)
{
	if (!pp_fits(PP_INDEX_HEAD, rec->size) || !has_magic(rec, part_magic))
		return false;
	*number = pp_load32(rec->data + NUMBER);
	*bytes = pp_load32(rec->data + BYTES);
	return true;
}

static bool index_part_fits(const struct pp_record *rec)
{
	uint32_t number, bytes;

	return pp_index_part_of(rec, &number, &bytes) && pp_fits(bytes, rec->size - PP_INDEX_HEAD);
}

static bool index_root_fits(const struct pp_record *rec)
{
	return rec->size == PP_INDEX_ROOT;
}

static void swap_each(uint8_t *data, size_t from, size_t to, size_t width, size_t size)
{
	for (size_t at = from; at < to && pp_fits(at + width, size); at += width) {
		if (width == 8)
			pp_store64(data + at, pp_in_order64(data + at, true));
		else
			pp_store32(data + at, pp_in_order32(data + at, true));
	}
}

static void index_part_swap(uint8_t *data, size_t size, bool to_host)
{
	(void)to_host;
	swap_each(data, NUMBER, PP_INDEX_HEAD, 4, size);
}

static void index_root_swap(uint8_t *data, size_t size, bool to_host)
{
	(void)to_host;
	swap_each(data, WIDE, NARROW, 8, size);
	swap_each(data, NARROW, BODY, 4, size);
	swap_each(data, BODY, PP_INDEX_ROOT, 8, size);
}

/* ---- the table ---- */

static bool seal_fits(const struct pp_record *rec)
{
	return rec->size == PP_SEAL_SIZE;
}

static const struct pp_payload payloads[] = {
	{ "PPSEAL1", "seal", true, false, seal_fits, pp_seal_swap },
	{ "PPNOTE1", "notes", false, true, pp_notes_fit, pp_notes_swap },
	{ "PPNAMES", "names", true, true, pp_names_fit, pp_names_swap },
	{ "PPINDEX", "index", false, false, index_part_fits, index_part_swap },
	{ "PPINDXR", "index root", false, false, index_root_fits, index_root_swap },
};

static const struct pp_payload *find_payload(const uint8_t *data, size_t size)
{
	if (!pp_fits(MAGIC + MAGIC_SIZE, size))
		return NULL;
	for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads); i++)
		if (!memcmp(data + MAGIC, payloads[i].magic, MAGIC_SIZE))
			return &payloads[i];
	return NULL;
}

const struct pp_payload *pp_payload_of(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND ? find_payload(rec->data, rec->size) : NULL;
}

void pp_payload_swap(uint8_t *data, size_t size, bool to_host)
{
	const struct pp_payload *p = find_payload(data, size);

	if (p)
		p->swap(data, size, to_host);
}

bool pp_is_round(const struct pp_record *rec)
{
	const struct pp_payload *p = pp_payload_of(rec);

	return rec->type == PP_REC_FINISHED_ROUND && (!p || p->ends_round);
}
