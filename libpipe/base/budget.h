/* budget.h - counted memory: all that keep something of a stream share one limit. */
#ifndef BUDGET_H
#define BUDGET_H

#include <perfpipe/budget.h>
#include <perfpipe/bytes.h>
#include <perfpipe/error.h>

/* As calloc() and free(); NULL also where the budget allows no more. */
void *pp_take(struct pp_budget *, size_t size);
void pp_give_back(struct pp_budget *, void *memory, size_t size);       /* NULL is fine */
/* As PP_GROW_ZEROED() of base/array.h.  0, or -1. */
#define PP_TAKE_GROW(budget, array, room, count) \
	((count) <= *(room) ? 0 : pp_take_grow((budget), (array), (room), (count), sizeof(**(array))))
int pp_take_grow(struct pp_budget *, void *array, size_t *room, size_t count, size_t size);
/* Whether so many bytes more have to go to a file, if they can. */
bool pp_budget_spills(const struct pp_budget *, uint64_t size);
/* Why there was no memory: the limit, or the system.  -1. */
int pp_budget_fail(const struct pp_budget *, struct pp_error *);

#endif
