/*
 * seal.c - seals: their bytes, and the hash in them.  The writer decides when one is due, the reader
 * what it means.
 *
 *	header | record record ... | seal 1 | record ... | seal 2 (END)
 *	         `-- bytes, XXH3 --'          `---------'     each is about the bytes since the last one
 *
 * A seal is a FINISHED_ROUND record of 48 bytes, of which perf reads the header:
 *
 *	 0       8           16       24      32     40      44
 *	 header | "PPSEAL1" | number | bytes | xxh3 | flags | 0
 */
#include "format/seal.h"
#include "base/byte_order.h"
#include "format/note.h"

/*
 * xxhash's own choice of the widest vectors that this processor has: its shared library has it, its
 * static one has not.
 */
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#define XXH_DISPATCH_DISABLE_REPLACE
#include <xxh_x86dispatch.h>
#pragma weak XXH3_64bits_update_dispatch
#define HAS_DISPATCH (XXH3_64bits_update_dispatch != NULL)
#else
#define XXH3_64bits_update_dispatch XXH3_64bits_update
#define HAS_DISPATCH false
#endif

static const uint8_t seal_magic[8] = "PPSEAL1";

enum { MAGIC = 8, NUMBER = 16, BYTES = 24, XXH3 = 32, FLAGS = 40, ZERO = 44 };

bool pp_seal_load(struct pp_seal *seal, const uint8_t *data, size_t size, bool foreign)
{
	if (size != PP_SEAL_SIZE || memcmp(data + MAGIC, seal_magic, 8))
		return false;
	seal->number = pp_in_order64(data + NUMBER, foreign);
	seal->bytes = pp_in_order64(data + BYTES, foreign);
	seal->xxh3 = pp_in_order64(data + XXH3, foreign);
	seal->flags = pp_in_order32(data + FLAGS, foreign);
	return true;
}

/* The record, in host order or the other. */
static void store_seal(uint8_t data[PP_SEAL_SIZE], const struct pp_seal *seal, bool foreign)
{
	pp_round_header(data, PP_SEAL_SIZE, foreign);
	memcpy(data + MAGIC, seal_magic, 8);
	pp_store64(data + NUMBER, seal->number);
	pp_store64(data + BYTES, seal->bytes);
	pp_store64(data + XXH3, seal->xxh3);
	pp_store32(data + FLAGS, seal->flags);
	pp_store32(data + ZERO, 0);
	if (foreign)
		pp_seal_swap(data, PP_SEAL_SIZE, false);
}

bool pp_seal_is_exact(const struct pp_seal *seal, const uint8_t data[PP_SEAL_SIZE], bool foreign)
{
	uint8_t header[PP_HEADER_SIZE];
	struct pp_seal there;

	pp_round_header(header, PP_SEAL_SIZE, foreign);
	return pp_load64(header) == pp_load64(data) && !pp_load32(data + ZERO) &&
	       pp_seal_load(&there, data, PP_SEAL_SIZE, foreign) && there.number == seal->number &&
	       there.bytes == seal->bytes && there.xxh3 == seal->xxh3 && there.flags == seal->flags;
}

static void swap_seal64(uint8_t *p)
{
	pp_store64(p, pp_in_order64(p, true));
}

static void swap_seal32(uint8_t *p)
{
	pp_store32(p, pp_in_order32(p, true));
}

void pp_seal_swap(uint8_t *data, size_t size, bool to_host)
{
	(void)to_host;
	if (size != PP_SEAL_SIZE)
		return;
	swap_seal64(data + NUMBER);
	swap_seal64(data + BYTES);
	swap_seal64(data + XXH3);
	swap_seal32(data + FLAGS);
	swap_seal32(data + ZERO);
}

bool pp_is_seal(const struct pp_record *rec, struct pp_seal *seal)
{
	struct pp_seal ignored;

	return rec->type == PP_REC_FINISHED_ROUND &&
	       pp_seal_load(seal ? seal : &ignored, rec->data, rec->size, rec->foreign);
}

/* ---- The hash ---- */

int pp_sum_open(struct pp_sum *sum)
{
	sum->state = XXH3_createState();
	sum->scratch = XXH3_createState();
	if (!sum->state || !sum->scratch) {
		pp_sum_close(sum);
		return -1;
	}
	pp_sum_start(sum, 0, 0, 0);
	return 0;
}

void pp_sum_close(struct pp_sum *sum)
{
	if (sum->state)
		XXH3_freeState(sum->state);
	if (sum->scratch)
		XXH3_freeState(sum->scratch);
	*sum = (struct pp_sum){ 0 };
}

void pp_sum_start(struct pp_sum *sum, uint64_t seed, uint64_t number, uint64_t from)
{
	sum->begun = false;
	sum->seed = seed;
	sum->number = number;
	sum->from = from;
}

static void update(XXH3_state_t *state, const void *data, size_t size)
{
	if (HAS_DISPATCH)
		XXH3_64bits_update_dispatch(state, data, size);
	else
		XXH3_64bits_update(state, data, size);
}

/* Most of what a seal of a small round costs is to begin and to end a hash: so it begins when it must. */
static void begin_sum(struct pp_sum *sum)
{
	if (!sum->begun)
		XXH3_64bits_reset_withSeed(sum->state, sum->seed);
	sum->begun = true;
}

void pp_sum_add(struct pp_sum *sum, const void *data, size_t size)
{
	begin_sum(sum);
	update(sum->state, data, size);
}

void pp_sum_copy(struct pp_sum *sum, const struct pp_sum *other)
{
	if (other->begun)
		XXH3_copyState(sum->state, other->state);
	sum->begun = other->begun;
	sum->seed = other->seed;
	sum->number = other->number;
	sum->from = other->from;
}

/* The hash in the scratch state, and of this seal. */
static uint64_t end_scratch(const struct pp_sum *sum, const uint8_t data[PP_SEAL_SIZE])
{
	uint8_t blank[PP_SEAL_SIZE];

	memcpy(blank, data, sizeof(blank));
	pp_store64(blank + XXH3, 0);
	XXH3_64bits_update(sum->scratch, blank, sizeof(blank));
	return XXH3_64bits_digest(sum->scratch);
}

uint64_t pp_sum_seal(const struct pp_sum *sum, const uint8_t data[PP_SEAL_SIZE])
{
	if (sum->begun)
		XXH3_copyState(sum->scratch, sum->state);
	else
		XXH3_64bits_reset_withSeed(sum->scratch, sum->seed);
	return end_scratch(sum, data);
}

uint64_t pp_sum_seal_after(const struct pp_sum *sum, const uint8_t *data, size_t size)
{
	XXH3_64bits_reset_withSeed(sum->scratch, sum->seed);
	update(sum->scratch, data, size);
	return end_scratch(sum, data + size);
}

void pp_sum_make(struct pp_sum *sum, uint8_t data[PP_SEAL_SIZE], uint64_t at, uint32_t flags,
		 bool foreign)
{
	struct pp_seal seal = { .number = sum->number, .bytes = at - sum->from, .flags = flags };

	store_seal(data, &seal, foreign);
	seal.xxh3 = pp_sum_seal(sum, data);
	store_seal(data, &seal, foreign);
	pp_sum_start(sum, seal.xxh3, seal.number + 1, at + PP_SEAL_SIZE);
}

bool pp_sum_make_end(struct pp_sum *sum, uint8_t data[PP_SEAL_SIZE], uint64_t at, uint32_t flags,
		     bool sealed, bool foreign)
{
	if (!sealed && !(flags & PP_SEAL_DAMAGED))
		return false;
	if (!sealed)
		pp_sum_start(sum, 0, 0, at);
	pp_sum_make(sum, data, at, flags | PP_SEAL_END, foreign);
	return true;
}

bool pp_sum_covers(const struct pp_sum *sum, const uint8_t data[PP_SEAL_SIZE], uint64_t bytes,
		   bool foreign)
{
	uint8_t fixed[PP_SEAL_SIZE];
	struct pp_seal seal;

	memcpy(fixed, data, sizeof(fixed));
	pp_store64(fixed + BYTES, pp_in_order64(&bytes, foreign));
	return pp_seal_load(&seal, data, sizeof(fixed), foreign) && pp_sum_seal(sum, fixed) == seal.xxh3;
}
