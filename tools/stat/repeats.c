/* repeats.c - means and spreads of rows over runs, added up run by run. */
#include "stat/repeats.h"

#include <stdlib.h>
#include <string.h>

void repeats_free(struct repeats *r)
{
	free(r->values);
	free(r->enabled);
	free(r->running);
	free(r->rows);
	*r = (struct repeats){ 0 };
}

static int begin(struct repeats *r, size_t count, struct pp_error *error)
{
	repeats_free(r);
	r->values = calloc(count + 1, sizeof(*r->values));
	r->enabled = calloc(count + 1, sizeof(*r->enabled));
	r->running = calloc(count + 1, sizeof(*r->running));
	r->rows = calloc(count + 1, sizeof(*r->rows));
	if (!r->values || !r->enabled || !r->running || !r->rows)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->count = count;
	return 0;
}

int repeats_add(struct repeats *r, const struct pp_count_table *table, const struct pp_count_run *run,
		struct pp_error *error)
{
	const size_t count = table->places * table->events;

	if ((!r->rows || r->count != count) && begin(r, count, error))
		return -1;
	r->runs++;
	for (size_t i = 0; i < count; i++) {
		pp_spread_add(&r->values[i], table->rows[i].value);
		pp_spread_add(&r->enabled[i], (double)table->rows[i].enabled);
		pp_spread_add(&r->running[i], (double)table->rows[i].running);
	}
	pp_spread_add(&r->elapsed, (double)run->elapsed);
	pp_spread_add(&r->user, (double)run->user);
	pp_spread_add(&r->sys, (double)run->sys);
	return 0;
}

void repeats_mean(struct repeats *r, struct pp_count_table *table)
{
	if (!r->rows || table->places * table->events != r->count)
		return;
	memcpy(r->rows, table->rows, r->count * sizeof(*r->rows));
	for (size_t i = 0; i < r->count; i++) {
		struct pp_count_row *const row = &r->rows[i];

		row->value = r->values[i].mean;
		row->enabled = (uint64_t)r->enabled[i].mean;
		row->running = (uint64_t)r->running[i].mean;
		row->counted = row->enabled && row->running;
	}
	table->rows = r->rows;
}
