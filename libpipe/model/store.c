/*
 * store.c - memory for what a stream makes a stage keep, counted, and tables of things that have a
 * number; what is kept, and until when, is left to others.
 */
#include "model/model.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

static const uint64_t LIMIT = UINT64_C(256) << 20;

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What malloc() takes for it: its own word, in units of 16. */
static uint64_t cost(size_t size)
{
	const uint64_t whole = ((uint64_t)size + 8 + 15) & ~UINT64_C(15);

	return whole < 32 ? 32 : whole;
}

uint64_t pp_budget_limit(const struct pp_budget *b)
{
	return b->limit ? b->limit : LIMIT;
}

bool pp_budget_spills(const struct pp_budget *b, uint64_t size)
{
	const uint64_t limit = pp_budget_limit(b) / 4 * 3;

	return b->held > limit || !pp_fits(size, limit - b->held);
}

static bool allowed(struct pp_budget *b, uint64_t more)
{
	const uint64_t limit = pp_budget_limit(b) / 4 * 3 + PP_BUDGET_SPARE;

	if (b->held <= limit && pp_fits(more, limit - b->held))
		return true;
	b->refused = true;
	return false;
}

void *pp_take(struct pp_budget *b, size_t size)
{
	void *memory;

	if (!allowed(b, cost(size)))
		return NULL;
	memory = calloc(1, size);
	if (memory)
		b->held += cost(size);
	return memory;
}

void *pp_take_more(struct pp_budget *b, void *memory, size_t old, size_t size)
{
	/* both may be there while one is copied into the other */
	if (!allowed(b, cost(size)))
		return NULL;
	memory = realloc(memory, size);
	if (!memory)
		return NULL;
	b->held += cost(size) - (old ? cost(old) : 0);
	return memory;
}

void pp_give_back(struct pp_budget *b, void *memory, size_t size)
{
	if (!memory)
		return;
	b->held -= cost(size);
	free(memory);
}

int pp_budget_fail(const struct pp_budget *b, struct pp_error *error)
{
	if (!b->refused)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_fail(error, PP_E_LIMIT, "names and maps of running tasks take %llu MiB",
		       (unsigned long long)(b->held >> 20));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

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
