/* hash_set.c - a table of hashes of 96 bits, which stand for what has them. */
#include "profile/hash_set.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What was there before, and what became of it.  Nothing but this is touched when it is there again, so that
 * it takes one line of the processor's cache. */
struct pp_hash_set_hash {
	uint64_t low;
	uint32_t high;
	uint32_t number;              /* and 1; 0: free */
};

/* Where the one of this hash is, or would be; there is room. */
static size_t set_slot_of(const struct pp_hash_set *s, uint64_t low, uint32_t high)
{
	size_t at = (size_t)low & (s->room - 1);

	while (s->items[at].number && (s->items[at].low != low || s->items[at].high != high))
		at = (at + 1) & (s->room - 1);
	return at;
}

bool pp_hash_set_find(struct pp_hash_set *s, const void *bytes, size_t size, uint64_t seed, uint32_t *number)
{
	const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);

	s->low = hash.low64;
	s->high = (uint32_t)hash.high64;
	if (!s->room)
		return false;
	s->at = set_slot_of(s, s->low, s->high);
	if (!s->items[s->at].number)
		return false;
	*number = s->items[s->at].number - 1;
	s->again++;
	return true;
}

/* Of what forgets: whether more would be found in a larger one is not worth that most of it is in none of
 * the processor's caches. */
static bool is_large_enough(const struct pp_hash_set *s)
{
	enum { SMALL = 1 << 14 };

	return s->forgets && s->room >= SMALL && s->again < s->count / 2;
}

static int grow_set(struct pp_hash_set *s, struct pp_error *error)
{
	struct pp_hash_set larger = { .room = s->room ? 2 * s->room : 1024 };
	const bool enough = is_large_enough(s);

	s->again = 0;
	if (enough) {
		memset(s->items, 0, s->room * sizeof(*s->items));
		s->count = 0;
		s->at = set_slot_of(s, s->low, s->high);
		return 0;
	}
	larger.items = pp_empty_table(larger.room, sizeof(*larger.items));
	if (!larger.items)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < s->room; i++) {
		const struct pp_hash_set_hash *const h = &s->items[i];

		if (h->number)
			larger.items[set_slot_of(&larger, h->low, h->high)] = *h;
	}
	free(s->items);
	s->items = larger.items;
	s->room = larger.room;
	s->at = set_slot_of(s, s->low, s->high);
	return 0;
}

int pp_hash_set_keep(struct pp_hash_set *s, uint32_t number, struct pp_error *error)
{
	if (number == UINT32_MAX)
		return pp_fail(error, PP_E_NOMEM, NULL);
	/* dense, so that more of it is in the processor's cache */
	if (s->room / 4 * 3 <= s->count && grow_set(s, error))
		return -1;
	s->items[s->at] = (struct pp_hash_set_hash){ s->low, s->high, number + 1 };
	s->count++;
	return 0;
}

size_t pp_hash_set_size(const struct pp_hash_set *s)
{
	return s->room * sizeof(*s->items);
}

void pp_hash_set_close(struct pp_hash_set *s)
{
	free(s->items);
	*s = (struct pp_hash_set){ 0 };
}
