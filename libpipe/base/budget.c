/* budget.c - counts the memory that a stage needs to keep parts of a stream. */
#include "base/budget.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

static const uint64_t LIMIT = UINT64_C(256) << 20;

/* What malloc() takes for it: its own word, in units of 16. */
static uint64_t cost(size_t size)
{
	const uint64_t whole = ((uint64_t)size + 8 + 15) & ~UINT64_C(15);

	return whole < 32 ? 32 : whole;
}

static uint64_t limit_of(const struct pp_budget *b)
{
	return b->limit ? b->limit : LIMIT;
}

bool pp_budget_spills(const struct pp_budget *b, uint64_t size)
{
	const uint64_t limit = limit_of(b) / 4 * 3;

	return b->held > limit || !pp_fits(size, limit - b->held);
}

static bool allowed(struct pp_budget *b, uint64_t more)
{
	const uint64_t limit = limit_of(b) / 4 * 3 + PP_BUDGET_SPARE;

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

static void *take_more(struct pp_budget *b, void *memory, size_t old, size_t size)
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

int pp_take_grow(struct pp_budget *b, void *array, size_t *room, size_t count, size_t size)
{
	size_t wanted = *room ? *room * 2 : FIRST_ROOM;
	void *old, *larger;

	if (wanted < count)
		wanted = count;
	/* whatever `array` points to, a pointer to it is a pointer */
	memcpy(&old, array, sizeof(old));
	larger = wanted <= PTRDIFF_MAX / 2 / size ?
		 take_more(b, old, *room * size, wanted * size) : NULL;
	if (!larger)
		return -1;
	memset((uint8_t *)larger + *room * size, 0, (wanted - *room) * size);
	memcpy(array, &larger, sizeof(larger));
	*room = wanted;
	return 0;
}

int pp_budget_fail(const struct pp_budget *b, struct pp_error *error)
{
	if (!b->refused)
		return pp_fail(error, PP_E_NOMEM, NULL);
	(void)pp_fail(error, PP_E_LIMIT, "names and maps of running tasks take %llu MiB",
		       (unsigned long long)(b->held >> 20));
	return pp_error_hint(error, PP_HINT_MEMORY);
}
