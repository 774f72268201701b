/* hash.c - tables, maps and indexes that grow, and lose again what was in them. */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

void *pp_empty_table(size_t room, size_t size)
{
	enum { PAGE = 4096, HUGE_PAGE = 1 << 21 };
	const size_t bytes = room * size;
	volatile char *table;

	if (size && bytes / size == room && bytes >= HUGE_PAGE) {
		void *huge = NULL;

		if (posix_memalign(&huge, HUGE_PAGE, bytes))
			return NULL;
		(void)madvise(huge, bytes, MADV_HUGEPAGE);
		memset(huge, 0, bytes);
		return huge;
	}
	table = calloc(room, size);
	for (size_t at = 0; table && at < bytes; at += PAGE)
		table[at] = 0;
	return (void *)(uintptr_t)table;
}

static uint64_t *new_array(struct pp_budget *budget, size_t room)
{
	return budget ? pp_take(budget, room * sizeof(uint64_t)) : calloc(room, sizeof(uint64_t));
}

static void free_array(struct pp_budget *budget, uint64_t *array, size_t room)
{
	if (budget)
		pp_give_back(budget, array, room * sizeof(uint64_t));
	else
		free(array);
}

void pp_idmap_close(struct pp_idmap *map)
{
	free_array(map->budget, map->keys, map->room);
	free_array(map->budget, map->values, map->room);
	*map = (struct pp_idmap){ .budget = map->budget };
}

/* Moves what has no smaller value than `least` to where there is this room. */
static int move(struct pp_idmap *map, size_t room, bool valued, uint64_t least)
{
	struct pp_idmap moved = { .room = room, .budget = map->budget };

	moved.keys = new_array(map->budget, room);
	moved.values = valued ? new_array(map->budget, room) : NULL;
	if (!moved.keys || (valued && !moved.values)) {
		pp_idmap_close(&moved);
		return -1;
	}
	memset(moved.keys, 0xff, room * sizeof(*moved.keys));
	for (size_t i = 0; i < map->room; i++) {
		size_t at;

		if (map->keys[i] == UINT64_MAX || (valued && map->values[i] < least))
			continue;
		at = pp_idmap_place(&moved, map->keys[i]);
		moved.keys[at] = map->keys[i];
		if (valued)
			moved.values[at] = map->values[i];
		moved.count++;
	}
	pp_idmap_close(map);
	*map = moved;
	return 0;
}

static int make_room(struct pp_idmap *map, bool valued)
{
	if (map->count < map->room / 2)
		return 0;
	return move(map, map->room ? map->room * 2 : FIRST_ROOM, valued, 0);
}

int pp_idmap_set(struct pp_idmap *map, uint64_t key, uint64_t value)
{
	size_t at;

	if (key == UINT64_MAX)
		return 0;
	if (make_room(map, true))
		return -1;
	at = pp_idmap_place(map, key);
	map->count += map->keys[at] != key;
	map->keys[at] = key;
	map->values[at] = value;
	return 0;
}

int pp_idmap_add(struct pp_idmap *map, uint64_t key)
{
	size_t at;

	if (key == UINT64_MAX)
		return 0;
	if (make_room(map, false))
		return -1;
	at = pp_idmap_place(map, key);
	if (map->keys[at] == key)
		return 0;
	map->count++;
	map->keys[at] = key;
	return 1;
}

int pp_idmap_reserve(struct pp_idmap *map, size_t count)
{
	size_t room = map->room ? map->room : FIRST_ROOM;

	while (room / 2 < count && room <= SIZE_MAX / 2 / sizeof(uint64_t))
		room *= 2;
	return room > map->room ? move(map, room, true, 0) : 0;
}

int pp_idmap_sweep(struct pp_idmap *map, uint64_t least)
{
	size_t kept = 0;

	if (map->count < map->room / 2)
		return 0;
	for (size_t i = 0; i < map->room; i++)
		kept += map->keys[i] != UINT64_MAX && map->values[i] >= least;
	return move(map, kept > map->room / 4 ? map->room * 2 : map->room ? map->room : FIRST_ROOM,
		    true, least);
}

void pp_idmap_drop(struct pp_idmap *map, uint64_t key)
{
	const size_t mask = map->room - 1;
	size_t gap, home;

	if (!pp_idmap_find(map, key))
		return;
	map->count--;
	gap = pp_idmap_place(map, key);
	/* what follows it, because its own place was taken, moves up */
	for (size_t at = (gap + 1) & mask; map->keys[at] != UINT64_MAX; at = (at + 1) & mask) {
		home = pp_hash_number(map->keys[at]) & mask;
		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		map->keys[gap] = map->keys[at];
		map->values[gap] = map->values[at];
		gap = at;
	}
	map->keys[gap] = UINT64_MAX;
}

/* ---- Whatever else ---- */

int pp_index_reserve(struct pp_index *index, size_t count,
		     uint64_t (*hash)(const void *things, uint64_t place), const void *things)
{
	struct pp_index larger = { .room = index->room ? index->room : FIRST_ROOM, .budget = index->budget };

	while (larger.room / 2 < count && larger.room <= SIZE_MAX / 2 / sizeof(uint64_t))
		larger.room *= 2;
	if (larger.room == index->room)
		return 0;
	larger.places = larger.budget ? new_array(larger.budget, larger.room) :
			pp_empty_table(larger.room, sizeof(uint64_t));
	if (!larger.places)
		return -1;
	for (size_t i = 0; i < index->room; i++) {
		size_t at;

		if (!index->places[i])
			continue;
		at = pp_index_first(&larger, hash(things, index->places[i]));
		while (larger.places[at])
			at = pp_index_next(&larger, at);
		larger.places[at] = index->places[i];
	}
	pp_index_close(index);
	*index = larger;
	return 0;
}

void pp_index_close(struct pp_index *index)
{
	free_array(index->budget, index->places, index->room);
	*index = (struct pp_index){ .budget = index->budget };
}

/* ---- Whatever else, in less memory ---- */

int pp_numbers_grow(struct pp_numbers *numbers, size_t count,
		    uint64_t (*hash)(const void *things, uint64_t place), const void *things)
{
	struct pp_numbers larger = { .room = numbers->room ? numbers->room : FIRST_ROOM };

	if (count > UINT32_MAX)
		return -1;
	while (larger.room / 4 * 3 < count)
		larger.room *= 2;
	larger.places = pp_empty_table(larger.room, sizeof(*larger.places));
	if (!larger.places)
		return -1;
	for (size_t i = 0; i < numbers->room; i++) {
		size_t at;

		if (!numbers->places[i])
			continue;
		at = pp_numbers_first(&larger, hash(things, numbers->places[i]));
		while (larger.places[at])
			at = pp_numbers_next(&larger, at);
		larger.places[at] = numbers->places[i];
	}
	pp_numbers_close(numbers);
	*numbers = larger;
	return 0;
}

void pp_numbers_close(struct pp_numbers *numbers)
{
	free(numbers->places);
	*numbers = (struct pp_numbers){ 0 };
}
