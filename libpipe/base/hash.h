/* hash.h - what is found by a number: things in order; and by hash, things in a table, where they carry
 * their link, a map of numbers to numbers, an index of whatever else, by a hash of the caller's. */
#ifndef PP_HASH_H
#define PP_HASH_H

#include "base/budget.h"

static inline size_t pp_hash_number(uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* The hash of what has this one so far, and a number more: any two of its bits are as good as others. */
static inline uint64_t pp_hash_more(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* ---- Things in order: an array of structs of `size` bytes whose first member is a uint64_t ---- */

/* How many of n, which ascend, are not above a key. */
static inline size_t pp_after(const void *items, size_t n, size_t size, uint64_t key)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)(const void *)((const char *)items + middle * size) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- Things: several may have the same key ---- */

/* The first member of what is in a table. */
struct pp_link {
	struct pp_link *next;         /* in its bucket */
	uint64_t key;
};
struct pp_table {
	struct pp_link **buckets;
	size_t room, count;           /* room: a power of two, or 0 */
};
static inline struct pp_link **pp_table_bucket(const struct pp_table *table, uint64_t key)
{
	return &table->buckets[pp_hash_number(key) & (table->room - 1)];
}
/* The one that was added last with this key, or NULL; and the one with the same key before it. */
static inline struct pp_link *pp_table_same(struct pp_link *link, uint64_t key)
{
	while (link && link->key != key)
		link = link->next;
	return link;
}
static inline struct pp_link *pp_table_find(const struct pp_table *table, uint64_t key)
{
	return table->room ? pp_table_same(*pp_table_bucket(table, key), key) : NULL;
}
int pp_table_add(struct pp_budget *, struct pp_table *, struct pp_link *);  /* 0, -1: memory */
void pp_table_remove(struct pp_table *, struct pp_link *);
void pp_table_close(struct pp_budget *, struct pp_table *);     /* what is in it stays the caller's */

/* A table of so many things that are all zero, to be freed; NULL: out of memory.  Its pages are there: those
 * of calloc() alone come at the first look, and again, as others, with the first thing that is put there.
 * They are huge in a large one, if there are such: it is looked at all over. */
void *pp_empty_table(size_t room, size_t size);

/* ---- Numbers: open addressing ---- */

/*
 * A map of numbers to numbers, filled by pp_idmap_set(), or a set of numbers, by pp_idmap_add().
 * All zero is empty; set `budget` where its memory is to be counted.  UINT64_MAX is no key: it is
 * never found, and setting it does nothing.  What is found moves with the next change.
 */
struct pp_idmap {
	uint64_t *keys;               /* UINT64_MAX: free */
	uint64_t *values;             /* NULL in a set */
	size_t count, room;           /* room: a power of two, or 0 */
	struct pp_budget *budget;     /* the caller's; NULL: not counted */
};

/* Where a key is, or would be; there is room. */
static inline size_t pp_idmap_place(const struct pp_idmap *map, uint64_t key)
{
	size_t at = pp_hash_number(key) & (map->room - 1);

	while (map->keys[at] != UINT64_MAX && map->keys[at] != key)
		at = (at + 1) & (map->room - 1);
	return at;
}
/* The value of a key; NULL: it is not there. */
static inline uint64_t *pp_idmap_find(const struct pp_idmap *map, uint64_t key)
{
	size_t at;

	if (!map->count || key == UINT64_MAX)
		return NULL;
	at = pp_idmap_place(map, key);
	return map->keys[at] == key ? &map->values[at] : NULL;
}
/* Whether a key is there, of a map or a set. */
static inline bool pp_idmap_has(const struct pp_idmap *map, uint64_t key)
{
	return map->count && key != UINT64_MAX && map->keys[pp_idmap_place(map, key)] == key;
}
int pp_idmap_set(struct pp_idmap *, uint64_t key, uint64_t value);      /* 0, or -1: out of memory */
/* Adds to a set: 1, 0: it was there, -1: out of memory. */
int pp_idmap_add(struct pp_idmap *, uint64_t key);
void pp_idmap_drop(struct pp_idmap *, uint64_t key);
/* Makes room for so many keys of a map at once.  0, or -1: out of memory. */
int pp_idmap_reserve(struct pp_idmap *, size_t count);
/* Makes room for another key of a map: values that are smaller are dropped, and where more than half
 * of the room is still in use after that it doubles.  0, or -1: out of memory. */
int pp_idmap_sweep(struct pp_idmap *, uint64_t least);
void pp_idmap_close(struct pp_idmap *);         /* and leaves it empty */

/* ---- Whatever else: what it is, and its hash, the caller knows ---- */

/*
 * Says where things are that the caller has: a place is any number but 0 that leads to one, such as
 * 1 + its index in an array.  All zero is empty; set `budget` where its memory is to be counted.  To
 * find a thing, or the free place where it belongs:
 *
 *     size_t at = pp_index_first(&index, hash);
 *
 *     while (index.places[at] && !is_it(index.places[at]))
 *             at = pp_index_next(&index, at);
 */
struct pp_index {
	uint64_t *places;             /* 0: free; there always are such */
	size_t room;                  /* a power of two, or 0 */
	struct pp_budget *budget;     /* the caller's; NULL: not counted */
};

static inline size_t pp_index_first(const struct pp_index *index, uint64_t hash)
{
	return (size_t)hash & (index->room - 1);
}
static inline size_t pp_index_next(const struct pp_index *index, size_t at)
{
	return (at + 1) & (index->room - 1);
}
/* Makes room for `count` things in all; needed before the first is looked for.  `hash` is that of
 * the thing at a place, for those that move.  0, or -1: out of memory, and all is as it was. */
int pp_index_reserve(struct pp_index *, size_t count,
		     uint64_t (*hash)(const void *things, uint64_t place), const void *things);
void pp_index_close(struct pp_index *);         /* and leaves it empty */

/* The same of things by the thousand million at most, in half of the memory; and dense. */
struct pp_numbers {
	uint32_t *places;             /* 0: free; there always are such */
	size_t room;                  /* a power of two, or 0 */
};

static inline size_t pp_numbers_first(const struct pp_numbers *numbers, uint64_t hash)
{
	return (size_t)hash & (numbers->room - 1);
}
static inline size_t pp_numbers_next(const struct pp_numbers *numbers, size_t at)
{
	return (at + 1) & (numbers->room - 1);
}
static inline size_t pp_numbers_size(const struct pp_numbers *numbers)
{
	return numbers->room * sizeof(*numbers->places);
}
int pp_numbers_grow(struct pp_numbers *, size_t count,
		    uint64_t (*hash)(const void *things, uint64_t place), const void *things);
static inline int pp_numbers_reserve(struct pp_numbers *numbers, size_t count,
				     uint64_t (*hash)(const void *things, uint64_t place), const void *things)
{
	return count <= numbers->room / 4 * 3 ? 0 : pp_numbers_grow(numbers, count, hash, things);
}
void pp_numbers_close(struct pp_numbers *);

#endif
