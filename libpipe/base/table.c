/* table.c - tables by a number that grow, and lose again what was in them. */
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* ---- Things ---- */

static int grow(struct pp_budget *b, struct pp_table *table)
{
	const size_t room = table->room ? table->room * 2 : FIRST_ROOM;
	struct pp_table larger = { .room = room, .count = table->count };

	larger.buckets = pp_take(b, room * sizeof(struct pp_link *));
	if (!larger.buckets)
		return -1;
	for (size_t i = 0; i < table->room; i++) {
		/* from its end on, so that those with the same key stay in their order */
		struct pp_link *reversed = NULL;

		for (struct pp_link *l = table->buckets[i], *next; l; l = next) {
			next = l->next;
			l->next = reversed;
			reversed = l;
		}
		for (struct pp_link *l = reversed, *next; l; l = next) {
			struct pp_link **const at = pp_table_bucket(&larger, l->key);

			next = l->next;
			l->next = *at;
			*at = l;
		}
	}
	pp_give_back(b, table->buckets, table->room * sizeof(struct pp_link *));
	*table = larger;
	return 0;
}

int pp_table_add(struct pp_budget *b, struct pp_table *table, struct pp_link *link)
{
	struct pp_link **at;

	if (table->count >= table->room && grow(b, table))
		return -1;
	at = pp_table_bucket(table, link->key);
	link->next = *at;
	*at = link;
	table->count++;
	return 0;
}

void pp_table_remove(struct pp_table *table, struct pp_link *link)
{
	struct pp_link **at = pp_table_bucket(table, link->key);

	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	table->count--;
}

void pp_table_close(struct pp_budget *b, struct pp_table *table)
{
	pp_give_back(b, table->buckets, table->room * sizeof(struct pp_link *));
	*table = (struct pp_table){ .room = 0 };
}

/* ---- Numbers ---- */

static size_t bytes_of(const struct pp_idmap *map)
{
	return map->room * sizeof(*map->slots);
}

static struct pp_idslot *new_slots(const struct pp_idmap *map)
{
	struct pp_idslot *const slots = map->budget ? pp_take(map->budget, bytes_of(map)) :
						      malloc(bytes_of(map));

	return slots ? memset(slots, 0xff, bytes_of(map)) : NULL;
}

void pp_idmap_close(struct pp_idmap *map)
{
	if (map->budget)
		pp_give_back(map->budget, map->slots, bytes_of(map));
	else
		free(map->slots);
	*map = (struct pp_idmap){ .budget = map->budget };
}

/* Moves what is to be kept into slots of which there are `room`. */
static int move(struct pp_idmap *map, size_t room, bool (*keep)(void *, const struct pp_idslot *),
		void *arg)
{
	struct pp_idmap moved = { .room = room, .budget = map->budget };

	moved.slots = new_slots(&moved);
	if (!moved.slots)
		return -1;
	for (size_t i = 0; i < map->room; i++) {
		const struct pp_idslot *const slot = &map->slots[i];

		if (slot->key == UINT64_MAX || (keep && !keep(arg, slot)))
			continue;
		*pp_idmap_slot(&moved, slot->key) = *slot;
		moved.count++;
	}
	pp_idmap_close(map);
	*map = moved;
	return 0;
}

static bool is_full(const struct pp_idmap *map)
{
	return map->count >= map->room / 2;
}

/* The slot of a key, which may be free; NULL: out of memory. */
static struct pp_idslot *slot_for(struct pp_idmap *map, uint64_t key)
{
	if (is_full(map) && move(map, map->room ? map->room * 2 : FIRST_ROOM, NULL, NULL))
		return NULL;
	return pp_idmap_slot(map, key);
}

int pp_idmap_set(struct pp_idmap *map, uint64_t key, uint64_t value)
{
	struct pp_idslot *const slot = key == UINT64_MAX ? NULL : slot_for(map, key);

	if (!slot)
		return key == UINT64_MAX ? 0 : -1;
	map->count += slot->key != key;
	*slot = (struct pp_idslot){ key, value };
	return 0;
}

int pp_idmap_add(struct pp_idmap *map, uint64_t key)
{
	struct pp_idslot *const slot = key == UINT64_MAX ? NULL : slot_for(map, key);

	if (!slot)
		return key == UINT64_MAX ? 0 : -1;
	if (slot->key == key)
		return 0;
	map->count++;
	slot->key = key;
	return 1;
}

int pp_idmap_reserve(struct pp_idmap *map, size_t count)
{
	size_t room = map->room ? map->room : FIRST_ROOM;

	while (room / 2 < count && room <= SIZE_MAX / 2 / sizeof(*map->slots))
		room *= 2;
	return room > map->room ? move(map, room, NULL, NULL) : 0;
}

int pp_idmap_sweep(struct pp_idmap *map, bool (*keep)(void *arg, const struct pp_idslot *), void *arg)
{
	size_t kept = 0;

	if (!is_full(map))
		return 0;
	for (size_t i = 0; i < map->room; i++)
		kept += map->slots[i].key != UINT64_MAX && keep(arg, &map->slots[i]);
	if (!map->room)
		return move(map, FIRST_ROOM, NULL, NULL);
	return move(map, kept > map->room / 4 ? map->room * 2 : map->room, keep, arg);
}

void pp_idmap_drop(struct pp_idmap *map, uint64_t key)
{
	const size_t mask = map->room - 1;
	size_t gap, home;

	if (!pp_idmap_find(map, key))
		return;
	map->count--;
	gap = (size_t)(pp_idmap_slot(map, key) - map->slots);
	/* what stands after it, and could not stand where it belongs, moves up */
	for (size_t at = (gap + 1) & mask; map->slots[at].key != UINT64_MAX; at = (at + 1) & mask) {
		home = pp_hash_number(map->slots[at].key) & mask;
		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		map->slots[gap] = map->slots[at];
		gap = at;
	}
	map->slots[gap].key = UINT64_MAX;
}
