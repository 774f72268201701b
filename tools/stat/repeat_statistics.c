/* repeat_statistics.c - means and spreads of rows over runs, added up run by run. */
#include "stat/repeat_statistics.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 64 << 20 };             /* bytes of values of single runs, at most */

void repeats_free(struct repeats *r)
{
	free(r->values);
	free(r->enabled);
	free(r->running);
	free(r->raw);
	free(r->all);
	free(r->sorted);
	free(r->rows);
	*r = (struct repeats){ 0 };
}

static int begin(struct repeats *r, size_t count, struct pp_error *error)
{
	repeats_free(r);
	r->values = calloc(count + 1, sizeof(*r->values));
	r->enabled = calloc(count + 1, sizeof(*r->enabled));
	r->running = calloc(count + 1, sizeof(*r->running));
	r->raw = calloc(count + 1, sizeof(*r->raw));
	r->rows = calloc(count + 1, sizeof(*r->rows));
	if (!r->values || !r->enabled || !r->running || !r->raw || !r->rows)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->count = count;
	return 0;
}

/* Keeps each value, the elapsed time after those of the rows, while that is little. */
static int keep(struct repeats *r, const struct pp_count_table *table, const struct pp_count_run *run,
		struct pp_error *error)
{
	const size_t width = r->count + 1, most = KEPT / sizeof(*r->all) / width;
	double *to;

	if (r->runs > most) {
		free(r->all);
		r->all = NULL;
		return 0;
	}
	if (r->runs > r->room) {
		const size_t room = r->room * 2 + 8 < most ? r->room * 2 + 8 : most;
		double *const more = realloc(r->all, room * width * sizeof(*more));

		if (!more)
			return pp_fail(error, PP_E_NOMEM, NULL);
		r->all = more;
		r->room = room;
	}
	to = &r->all[(r->runs - 1) * width];
	for (size_t i = 0; i < r->count; i++)
		to[i] = table->rows[i].value;
	to[r->count] = (double)run->elapsed;
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
		r->raw[i] += table->rows[i].raw;
	}
	pp_spread_add(&r->elapsed, (double)run->elapsed);
	pp_spread_add(&r->user, (double)run->user);
	pp_spread_add(&r->sys, (double)run->sys);
	return keep(r, table, run, error);
}

const double *repeats_values(struct repeats *r, size_t row, struct pp_quartiles *quartiles)
{
	const size_t width = r->count + 1;

	if (!r->all || r->runs < 2)
		return NULL;
	free(r->sorted);
	r->sorted = calloc(r->runs * 2, sizeof(*r->sorted));
	if (!r->sorted)
		cli_no_memory();
	for (size_t i = 0; i < r->runs; i++)
		r->sorted[i] = r->sorted[r->runs + i] = r->all[i * width + row];
	*quartiles = pp_quartiles(r->sorted + r->runs, r->runs);
	return r->sorted;
}

size_t repeats_outliers(const struct repeats *r, const double *values, const struct pp_quartiles *q,
			char *text, size_t size)
{
	size_t at = 0, n = 0;

	*text = '\0';
	for (size_t i = 0; i < r->runs; i++) {
		char number[32];
		const int length = snprintf(number, sizeof(number), "%s%zu", n ? " " : "", i + 1);

		if (values[i] >= q->low && values[i] <= q->high)
			continue;
		n++;
		if (at + (size_t)length + 5 < size)
			at += (size_t)snprintf(text + at, size - at, "%s", number);
		else if (at + 4 < size && text[at ? at - 1 : 0] != '.')
			at += (size_t)snprintf(text + at, size - at, " ...");
	}
	return n;
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
		row->raw = r->raw[i];
		row->counted = row->enabled && row->running;
	}
	table->rows = r->rows;
}
