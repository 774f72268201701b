/* address_cache.c - a table of addresses that were looked up. */
#include "profile/address_cache.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { SPACES_MOST = (1 << 28) - 1 };

_Static_assert(sizeof(struct pp_address) == 24, "it has no hole");

/* The number of a space, from 1. */
static int number_space(struct pp_address_cache *a, uint32_t whose, uint64_t version, uint32_t use,
			uint32_t *space, struct pp_error *error)
{
	const uint64_t what[] = { whose, version, use };
	const uint64_t hash = XXH3_64bits(what, sizeof(what));
	const uint64_t *const known = pp_idmap_find(&a->spaces, hash);

	if (known) {
		*space = (uint32_t)*known;
		return 0;
	}
	if (a->n_spaces == SPACES_MOST || pp_idmap_set(&a->spaces, hash, a->n_spaces + 1))
		return pp_fail(error, PP_E_NOMEM, NULL);
	*space = ++a->n_spaces;
	return 0;
}

static int find_space(struct pp_address_cache *a, uint32_t whose, uint64_t version, uint32_t use,
		      struct pp_address *of, struct pp_error *error)
{
	struct pp_address_space *const last = &a->last[(whose * 6 + use) % PP_ADDRESS_SPACES];
	uint32_t space = 0;

	if (last->version != version + 1 || last->whose != whose || last->use != use) {
		if (number_space(a, whose, version, use, &space, error))
			return -1;
		*last = (struct pp_address_space){ version + 1, whose, use, space };
	}
	of->space = last->space;
	return 0;
}

/* Beside the mode, which is a process's. */
enum { USES = 8, OF_FILE = 1 << 16 };

int pp_address_cache_in_process(struct pp_address_cache *a, struct pp_stack_cache *s, uint32_t pid,
				unsigned mode, unsigned use, struct pp_address *of, struct pp_error *error)
{
	return find_space(a, mode == PP_MISC_KERNEL ? UINT32_MAX : pid, pp_stack_cache_version(s, pid, mode),
			  mode * USES + use, of, error);
}

int pp_address_cache_in_file(struct pp_address_cache *a, const struct pp_stack_cache *s,
			     const struct pp_file_place *place, unsigned use, struct pp_address *of,
			     struct pp_error *error)
{
	of->address = place->offset;
	return find_space(a, place->file, pp_stack_cache_files_version(s), OF_FILE + use, of, error);
}

static size_t first_place(const struct pp_address_cache *a, uint64_t address, uint32_t space)
{
	return pp_hash_number(address + space * UINT64_C(0xc2b2ae3d27d4eb4f)) & (a->room - 1);
}

void pp_address_cache_ahead(const struct pp_address_cache *a, uint64_t address, uint32_t space)
{
	if (a->room)
		__builtin_prefetch(&a->items[first_place(a, address, space)]);
}

/* Where an address is, or would be; there is room. */
static size_t slot_of(const struct pp_address_cache *a, uint64_t address, uint32_t space)
{
	size_t at = first_place(a, address, space);

	while (a->items[at].space && (a->items[at].address != address || a->items[at].space != space))
		at = (at + 1) & (a->room - 1);
	return at;
}

const struct pp_address *pp_address_cache_find(const struct pp_address_cache *a, uint64_t address,
					       uint32_t space)
{
	const size_t at = a->room ? slot_of(a, address, space) : 0;

	return a->room && a->items[at].space ? &a->items[at] : NULL;
}

/* A full table of this size is emptied: what an address is can be asked for again. */
enum { ROOM_MOST = 1 << 20 };

static int grow_addresses(struct pp_address_cache *a, struct pp_error *error)
{
	struct pp_address_cache larger = { .room = a->room ? 2 * a->room : 1024 };

	if (a->room && a->room == (a->most ? a->most : ROOM_MOST)) {
		memset(a->items, 0, a->room * sizeof(*a->items));
		a->count = 0;
		return 0;
	}
	larger.items = pp_empty_table(larger.room, sizeof(*larger.items));
	if (!larger.items)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < a->room; i++)
		if (a->items[i].space)
			larger.items[slot_of(&larger, a->items[i].address, a->items[i].space)] = a->items[i];
	free(a->items);
	a->items = larger.items;
	a->room = larger.room;
	return 0;
}

int pp_address_cache_set(struct pp_address_cache *a, const struct pp_address *address, struct pp_error *error)
{
	size_t at;

	/* dense, so that more of it is in the processor's cache */
	if (a->room / 4 * 3 <= a->count && grow_addresses(a, error))
		return -1;
	at = slot_of(a, address->address, address->space);
	a->count += !a->items[at].space;
	a->items[at] = *address;
	return 0;
}

void pp_address_cache_forget(struct pp_address_cache *a)
{
	free(a->items);
	a->items = NULL;
	a->count = a->room = 0;
}

void pp_address_cache_close(struct pp_address_cache *a)
{
	pp_address_cache_forget(a);
	pp_idmap_close(&a->spaces);
	*a = (struct pp_address_cache){ .most = a->most };
}
