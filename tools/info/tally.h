/* tally.h - how often each number came: CPUs, processes, events. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct tally {
	struct count { uint64_t key, n; } *items;
	size_t room, used;
};

/* Where a key is looked for first; `room` is not 0. */
static inline size_t tally_place(const struct tally *t, uint64_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->room - 1);
}

/* Counts one more of `key`, wherever it is: 0, or -1: out of memory. */
int tally_search(struct tally *, uint64_t key);

/* Counts one more of `key`, which is mostly there, and at the first place: 0, or -1: out of memory. */
static inline int tally_add(struct tally *t, uint64_t key)
{
	struct count *const c = t->room ? &t->items[tally_place(t, key)] : NULL;

	if (!c || c->key != key || !c->n)
		return tally_search(t, key);
	c->n++;
	return 0;
}

/* Makes items[0 .. used] an array, the most counted first, then by key.  Nothing is added after. */
void tally_rank(struct tally *);

/* How often `key` came; after tally_rank(). */
uint64_t tally_of(const struct tally *, uint64_t key);

void tally_free(struct tally *);

#endif
