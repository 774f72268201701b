/* tally.h - how often each number came: CPUs, processes. */
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

/* Counts so many more of `key`, wherever it is: 0, or -1: out of memory. */
int tally_search(struct tally *, uint64_t key, uint64_t n);

/* Counts so many more of `key`, which is mostly there, and at the first place: 0, or -1: out of memory. */
static inline int tally_add(struct tally *t, uint64_t key, uint64_t n)
{
	struct count *const c = t->room ? &t->items[tally_place(t, key)] : NULL;

	if (!c || c->key != key || !c->n)
		return n ? tally_search(t, key, n) : 0;
	c->n += n;
	return 0;
}

/* Counts one more of `key`, which is mostly that of the last one: that is counted when another comes, and has
 * to be at the end, by tally_add(). */
static inline int tally_follow(struct tally *t, struct count *last, uint64_t key)
{
	const struct count before = *last;

	if (before.key == key) {
		last->n++;
		return 0;
	}
	*last = (struct count){ key, 1 };
	return tally_add(t, before.key, before.n);
}

/* Makes items[0 .. used] an array, the most counted first, then by key.  Nothing is added after. */
void tally_rank(struct tally *);

void tally_free(struct tally *);

#endif
