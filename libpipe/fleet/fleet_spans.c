/* fleet_spans.c - adds up the samples of a fleet that are of one span of time and differ in nothing else. */
#include "fleet/fleet_spans.h"

#include "base/array.h"
#include "profile/call_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 * 1024 };           /* sums that wait at most: 16 MB */

static uint64_t row_hash(const struct fleet_row *row)
{
	uint64_t hash = pp_hash_more(0, row->time);

	hash = pp_hash_more(hash, (uint64_t)row->event << 32 | row->node);
	hash = pp_hash_more(hash, row->cpu);
	return pp_hash_more(hash, (uint64_t)row->group << 32 | row->thread);
}

static uint64_t place_hash(const void *spans, uint64_t place)
{
	return row_hash(&((const struct fleet_spans *)spans)->sums[place - 1].of);
}

static bool is_alike(const struct fleet_row *a, const struct fleet_row *b)
{
	return a->time == b->time && a->event == b->event && a->node == b->node && a->thread == b->thread &&
	       a->cpu == b->cpu && a->group == b->group;
}

int pp_fleet_spans_add(struct fleet_spans *s, const struct fleet_row *row, struct pp_error *error)
{
	size_t at;

	if (pp_numbers_reserve(&s->index, s->n + 1, place_hash, s) ||
	    PP_GROW(&s->sums, &s->room, s->n + 1, NULL))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&s->index, row_hash(row));
	for (uint32_t place; (place = s->index.places[at]); at = pp_numbers_next(&s->index, at)) {
		struct fleet_sum *const sum = &s->sums[place - 1];

		if (!is_alike(&sum->of, row))
			continue;
		sum->of.weight = pp_tree_sum(sum->of.weight, row->weight);
		sum->count++;
		return 0;
	}
	s->sums[s->n] = (struct fleet_sum){ .of = *row, .count = 1, .number = s->n };
	s->index.places[at] = (uint32_t)++s->n;
	return 0;
}

bool pp_fleet_spans_full(const struct fleet_spans *s)
{
	return s->n >= MOST;
}

static int by_time(const void *a, const void *b)
{
	const struct fleet_sum *const x = a, *const y = b;

	return x->of.time != y->of.time ? (x->of.time > y->of.time) - (x->of.time < y->of.time) :
					  (x->number > y->number) - (x->number < y->number);
}

void pp_fleet_spans_sort(struct fleet_spans *s)
{
	if (s->n)
		qsort(s->sums, s->n, sizeof(*s->sums), by_time);
}

void pp_fleet_spans_clear(struct fleet_spans *s)
{
	if (s->n)
		memset(s->index.places, 0, pp_numbers_size(&s->index));
	s->n = 0;
}

void pp_fleet_spans_close(struct fleet_spans *s)
{
	free(s->sums);
	pp_numbers_close(&s->index);
	*s = (struct fleet_spans){ .n = 0 };
}
