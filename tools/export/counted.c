/*
 * counted.c - what events had counted at which time.  A READ record says it of a task that ended, STAT
 * records of all of a round.  Neighbours become one where there are very many.
 */
#include "export/counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "fold/task_counts.h"

enum { COUNTERS_MOST = 1024, COUNTS_MOST = 1 << 16 };

static struct {
	struct pp_counts *counts;     /* of STAT records */
	struct series {
		const struct pp_attr *attr;
		bool rounds;          /* of STAT records */
		struct pp_export_count *items;
		size_t n, room;
	} *series;                    /* beside ->all */
	struct pp_export_counter *all;
	size_t n, room;
	uint64_t before, time;        /* of a round: where its run began, and since then */
} state;

/* ---- series ---- */

static char *copy_of(const char *text)
{
	return cli_text("%s", text);
}

/* NULL: there are too many. */
static struct series *find_series(const struct pp_attr *attr, bool rounds, const char *name, const char *unit)
{
	for (size_t i = 0; i < state.n; i++)
		if (state.series[i].attr == attr && state.series[i].rounds == rounds)
			return &state.series[i];
	if (state.n == COUNTERS_MOST)
		return NULL;
	if (state.n == state.room) {
		state.room = state.room ? 2 * state.room : 16;
		state.series = cli_grow(state.series, state.room, sizeof(*state.series));
		state.all = cli_grow(state.all, state.room, sizeof(*state.all));
	}
	state.series[state.n] = (struct series){ .attr = attr, .rounds = rounds };
	state.all[state.n] = (struct pp_export_counter){
		.name = copy_of(name), .unit = copy_of(unit), .since_start = rounds,
	};
	return &state.series[state.n++];
}

/* Two become one, which is where the later is. */
static void join_counts(struct series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i + 1 < series->n; i += 2)
		series->items[kept++] = (struct pp_export_count){
			.time = series->items[i + 1].time,
			.count = series->items[i].count + series->items[i + 1].count,
		};
	series->n = kept;
}

static void add_count(struct series *series, uint64_t time, double count)
{
	/* JSON has no infinity */
	if (!isfinite(count))
		return;
	if (series->n == COUNTS_MOST)
		join_counts(series);
	if (series->n == series->room) {
		series->room = series->room ? 2 * series->room : 16;
		series->items = cli_grow(series->items, series->room, sizeof(*series->items));
	}
	series->items[series->n++] = (struct pp_export_count){ time, count };
}

/* ---- READ ---- */

static void add_read(void *arg, const struct task_value *read)
{
	const uint64_t *const time = arg;
	const double value = (double)read->value;
	struct series *const series = find_series(read->attr, false, read->attr->name, "");

	if (series)
		add_count(series, *time, read->running && read->running < read->enabled ?
			  value * (double)read->enabled / (double)read->running : value);
}

static void note_read(struct run *run, const struct pp_record *rec)
{
	uint64_t time;

	if (pp_time(rec, &time) && time)
		task_counts_each(run->stream->attrs, rec, add_read, &time);
}

/* ---- STAT ---- */

static int note_round(struct run *run)
{
	const struct pp_counts_options how = {
		.size = sizeof(how), .by = PP_COUNT_GLOBAL, .since = PP_COUNT_SINCE_ROUND,
	};
	struct pp_counts_about about;
	struct pp_count_table table;

	pp_counts_about(state.counts, &about);
	if (pp_counts_table(state.counts, &how, &table, &run->error))
		return -1;
	/* each of several runs begins anew */
	state.before += about.time < state.time ? state.time : 0;
	state.time = about.time;
	for (size_t i = 0; i < table.events * table.places; i++) {
		const struct pp_count_row *const row = &table.rows[i];
		struct series *const series = row->counted && row->shown ?
			find_series(row->event->attr, true, row->event->name, row->event->unit) : NULL;

		if (series)
			add_count(series, state.before + about.time, row->value * row->event->scale);
	}
	pp_counts_shown(state.counts, PP_COUNT_SINCE_ROUND);
	return 0;
}

/* ---- all ---- */

int counters_start(struct run *run)
{
	state.counts = pp_counts_new(run->stream->attrs, NULL);
	return state.counts ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

int counters_note(struct run *run, const struct pp_record *rec)
{
	enum pp_status got;

	if (rec->type == PP_REC_READ)
		note_read(run, rec);
	got = pp_counts_note(state.counts, rec, &run->error);
	return got == PP_FAILED || (got == PP_MORE && note_round(run)) ? -1 : 0;
}

const struct pp_export_counter *counters_all(size_t *n)
{
	*n = state.n;
	for (size_t i = 0; i < state.n; i++) {
		state.all[i].counts = state.series[i].items;
		state.all[i].n_counts = state.series[i].n;
	}
	return state.all;
}

void counters_free(void)
{
	for (size_t i = 0; i < state.n; i++) {
		free((char *)(uintptr_t)state.all[i].name);
		free((char *)(uintptr_t)state.all[i].unit);
		free(state.series[i].items);
	}
	free(state.series);
	free(state.all);
	pp_counts_free(state.counts);
}
