/* waiters.c - threads, by their numbers, and the stacks with which they wait. */
#include "span/waiters.h"

#include <stdlib.h>
#include <string.h>

struct pp_waiter *pp_waiter_find(const struct pp_waiters *w, uint32_t tid)
{
	return (struct pp_waiter *)pp_table_find(&w->all, tid);
}

struct pp_waiter *pp_waiter_take(struct pp_waiters *w, uint32_t tid)
{
	struct pp_waiter *t = pp_waiter_find(w, tid);

	if (t)
		return t;
	t = pp_take(w->budget, sizeof(*t));
	if (!t)
		return NULL;
	t->link.key = tid;
	if (!pp_table_add(w->budget, &w->all, &t->link))
		return t;
	pp_give_back(w->budget, t, sizeof(*t));
	return NULL;
}

static void free_waiter(struct pp_waiters *w, struct pp_waiter *t)
{
	pp_chain_forget(w->budget, &t->chain);
	if (t->waker)
		pp_chain_forget(w->budget, &t->waker->chain);
	pp_give_back(w->budget, t->waker, sizeof(*t->waker));
	pp_give_back(w->budget, t, sizeof(*t));
}

void pp_waiter_drop(struct pp_waiters *w, struct pp_waiter *t)
{
	pp_table_remove(&w->all, &t->link);
	free_waiter(w, t);
}

void pp_waiter_end(struct pp_waiters *w, struct pp_waiter *t)
{
	const unsigned most = sizeof(w->ended) / sizeof(*w->ended);
	uint32_t *const oldest = &w->ended[w->next_ended++ % most];
	struct pp_waiter *const long_ended = pp_waiter_find(w, *oldest);

	t->ended = true;
	t->step = WAIT_NONE;
	pp_chain_forget(w->budget, &t->chain);
	if (long_ended && long_ended != t && long_ended->ended)
		pp_waiter_drop(w, long_ended);
	*oldest = (uint32_t)t->link.key;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = (*(struct pp_waiter *const *)a)->link.key;
	const uint64_t y = (*(struct pp_waiter *const *)b)->link.key;

	return x < y ? -1 : x > y;
}

struct pp_waiter **pp_waiters_waiting(const struct pp_waiters *w, size_t *n)
{
	struct pp_waiter **waiting = malloc(w->all.count * sizeof(struct pp_waiter *) + 1);
	size_t count = 0;

	*n = w->all.count;
	if (!waiting)
		return NULL;
	for (size_t i = 0; i < w->all.room; i++)
		for (struct pp_link *link = w->all.buckets[i]; link; link = link->next)
			if (((struct pp_waiter *)link)->step != WAIT_NONE)
				waiting[count++] = (struct pp_waiter *)link;
	*n = count;
	qsort(waiting, count, sizeof(struct pp_waiter *), by_number);
	return waiting;
}

void pp_waiters_free(struct pp_waiters *w)
{
	for (size_t i = 0; i < w->all.room; i++)
		for (struct pp_link *link = w->all.buckets[i], *next; link; link = next) {
			next = link->next;
			free_waiter(w, (struct pp_waiter *)link);
		}
	pp_table_close(w->budget, &w->all);
}
