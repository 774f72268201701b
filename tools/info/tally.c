/* tally.c - counts by a number that is not dense: open addressing, grown at half full.  The library has
 * such maps for itself; its clients count what they like, as they like. */
#include "info/tally.h"

#include <stdbool.h>
#include <stdlib.h>

static struct count *find(struct tally *t, uint64_t key)
{
	size_t at = tally_place(t, key);

	while (t->items[at].n && t->items[at].key != key)
		at = (at + 1) & (t->room - 1);
	return &t->items[at];
}

static bool grow(struct tally *t)
{
	struct tally wide = { .room = t->room ? t->room * 2 : 256, .used = t->used };

	wide.items = calloc(wide.room, sizeof(*wide.items));
	if (!wide.items)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->items[i].n)
			*find(&wide, t->items[i].key) = t->items[i];
	free(t->items);
	*t = wide;
	return true;
}

int tally_search(struct tally *t, uint64_t key, uint64_t n)
{
	struct count *c;

	if (t->used * 2 >= t->room && !grow(t))
		return -1;
	c = find(t, key);
	if (!c->n) {
		c->key = key;
		t->used++;
	}
	c->n += n;
	return 0;
}

static int more_first(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->key > y->key ? 1 : x->key < y->key ? -1 : 0;
}

void tally_rank(struct tally *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->room; i++)
		if (t->items[i].n)
			t->items[n++] = t->items[i];
	if (n)
		qsort(t->items, n, sizeof(*t->items), more_first);
}

void tally_free(struct tally *t)
{
	free(t->items);
}
