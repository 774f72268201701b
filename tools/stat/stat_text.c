/*
 * stat_text.c - counts as text for people, laid out as perf stat 6.1 does; by cluster and cache, which it
 * does not know, as 6.12 does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/compare.h"
#include "stat/repeat_statistics.h"

/* How wide things are, by what counts are added up by: aggr_printout() of 6.1, aggr_header_lens[]
 * of 6.12. */
static const struct layout {
	const char *time;             /* the header of intervals, after "#           time" */
	const char *counts;
	int place;                    /* columns of a place, below 0: to the left */
	int rate;                     /* columns of a rate */
	bool cpus;                    /* their number follows the place */
	bool newer;                   /* as 6.12, where names are as wide beside what was not counted */
} layouts[] = {
	[PP_COUNT_GLOBAL] = { "", "             counts", 0, 35, false, false },
	[PP_COUNT_CPU] = { " CPU    ", "                counts", -10, 35, false, false },
	[PP_COUNT_CORE] = { " core            cpus", "             counts", -14, 35, true, false },
	[PP_COUNT_CLUSTER] = { " cluster              cpus", "             counts", -20, 38, true,
			       true },
	[PP_COUNT_CACHE] = { " cache                  cpus", "             counts", -22, 38, true, true },
	[PP_COUNT_DIE] = { " die          cpus", "             counts", -12, 35, true, false },
	[PP_COUNT_SOCKET] = { " socket cpus", "             counts", -6, 35, true, false },
	[PP_COUNT_NODE] = { " node   cpus", "             counts", -6, 35, true, false },
	[PP_COUNT_THREAD] = { "             comm-pid", "                  counts", -25, 35, false, false },
};
enum { UNIT = 4, NAME = 32, NAME_MISSING = 25, INTERVALS = 25, COUNT = 18 };

/* ---- a row ---- */

/* The number after the letters has its own width in perf: "S0-D0-C0       ", "S0-D12-C0      ". */
static int width_of_place(const struct view *r, const struct pp_count_row *row, const char *place)
{
	const bool core = r->table.by == PP_COUNT_CPU && row->event->percore && !r->percore_threads;

	if (core)
		return -(int)(strrchr(place, 'C') - place + 1 + 3);
	if (r->table.by == PP_COUNT_CORE)
		return -(int)(strrchr(place, 'C') - place + 1 + 8);
	if (r->table.by == PP_COUNT_DIE)
		return -(int)(strrchr(place, 'D') - place + 1 + 8);
	return layouts[r->table.by].place;
}

/* A thread's name to the right of 16 columns, its number to the left of 8. */
static void put_thread(const struct view *r, const struct pp_count_row *row)
{
	const char *comm = "";
	int32_t pid = -1;

	(void)pp_counts_thread(r->counts, row->place->thread, &pid, &comm);
	form_text_in(r, comm, 16);
	form_put(r, "-%-8" PRId32 " ", pid);
}

/* ASCII of ours, to the left in at least so many columns. */
static void put_left(const struct view *r, const char *text, int width)
{
	const size_t length = strlen(text);

	pp_out_bytes(r->out, text, length);
	pp_out_blanks(r->out, (size_t)width > length ? (size_t)width - length : 0);
}

static void put_text_place(const struct view *r, const struct pp_count_row *row)
{
	char place[FORM_PLACE];

	if (r->table.by == PP_COUNT_GLOBAL)
		return;
	if (r->table.by == PP_COUNT_THREAD) {
		put_thread(r, row);
		return;
	}
	form_place(r, row, place);
	put_left(r, place, -width_of_place(r, row, place));
	pp_out_char(r->out, ' ');
	if (!layouts[r->table.by].cpus)
		return;
	form_fixed(r, row->cpus, 0, 4, false);
	pp_out_char(r->out, ' ');
}

static void put_text_time(const struct view *r)
{
	if (!r->interval)
		return;
	form_time(r);
	pp_out_char(r->out, ' ');
}

static void put_event(const struct view *r, const struct pp_count_row *row, bool narrow)
{
	pp_out_char(r->out, ' ');
	form_text_in(r, row->event->unit, -UNIT);
	pp_out_char(r->out, ' ');
	form_text_in(r, row->event->name, narrow ? -NAME_MISSING : -NAME);
}

/* What was put of the last event: most tables have one in many places. */
static struct {
	const struct pp_count_event *event;   /* NULL: none */
	bool narrow;
	size_t length;
	char text[128];
} put_last;

/* The same, from the last row of this table where that is of the event. */
static void put_event_again(const struct view *r, const struct pp_count_row *row, bool narrow)
{
	size_t from;

	if (row->event == put_last.event && narrow == put_last.narrow) {
		pp_out_bytes(r->out, put_last.text, put_last.length);
		return;
	}
	(void)pp_out_room(r->out, sizeof(put_last.text));     /* so that it is in the buffer whole */
	from = r->out->at;
	put_event(r, row, narrow);
	put_last.event = NULL;
	if (r->out->at < from || r->out->at - from > sizeof(put_last.text))
		return;
	put_last.event = row->event;
	put_last.narrow = narrow;
	put_last.length = r->out->at - from;
	memcpy(put_last.text, r->out->buf + from, put_last.length);
}

static void put_count(const struct view *r, const struct pp_count_row *row)
{
	const bool narrow = !row->counted && !layouts[r->table.by].newer;

	if (row->counted)
		form_fixed(r, form_value(row), form_digits(row), COUNT, r->big_numbers);
	else
		form_text_in(r, form_missing(row), COUNT);
	put_event_again(r, row, narrow);
	if (r->table.cgroups) {
		pp_out_char(r->out, ' ');
		form_text_in(r, form_cgroup(row), 0);
	}
}

static void put_text_rate(const struct view *r, const struct pp_count_row *row, size_t i,
			  const struct pp_count_rate *rate)
{
	const int width = layouts[r->table.by].rate;
	char text[FORM_RATE];
	size_t length;

	if (!rate->format) {
		pp_out_blanks(r->out, (size_t)width);
		return;
	}
	if (i) {
		pp_out_char(r->out, '\n');
		put_text_time(r);
		put_text_place(r, row);
		pp_out_blanks(r->out, r->table.by == PP_COUNT_CPU ? 57 : 49);
	}
	length = form_rate(text, rate);
	pp_out_bytes(r->out, " # ", 3);
	pp_out_bytes(r->out, text, length);
	pp_out_char(r->out, ' ');
	put_left(r, form_unit(rate), abs(width - 4 - (int)length));
}

static void put_bounds(const struct view *r, const struct pp_count_row *row)
{
	char apart[] = "  [%'.*f to %'.*f]";  /* POSIX has the ', ISO C has not */
	const int digits = form_digits(row);
	double low, high;

	if (!form_bounds(r, row, &low, &high))
		return;
	form_put(r, r->big_numbers ? apart : "  [%.*f to %.*f]", digits, low, digits, high);
}

/* How one row, or the time, spread over the runs; in a unit of which `scale` make one of what was counted. */
static void put_spread(const struct view *r, size_t row, const struct pp_spread *s, double scale, int digits)
{
	struct pp_quartiles q;
	const double *const values = repeats_values(r->repeats, row, &q);
	const double half = pp_spread_half(s) * scale;
	char outliers[128];

	form_put(r, "%*s # mean %.*f (%.*f to %.*f), deviation %.*f", COUNT, "", digits, s->mean * scale,
		 digits, s->mean * scale - half, digits, s->mean * scale + half, digits,
		 pp_spread_deviation(s) * scale);
	if (values)
		form_put(r, ", median %.*f", digits, q.median * scale);
	if (values && repeats_outliers(r->repeats, values, &q, outliers, sizeof(outliers)))
		form_put(r, ", outliers: %s", outliers);
	pp_out_char(r->out, '\n');
}

static void row(const struct view *r, const struct pp_count_row *row)
{
	struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
	const size_t n = form_rates(r, row, rates);
	const double noise = form_noise(r, row);

	put_text_time(r);
	put_text_place(r, row);
	put_count(r, row);
	for (size_t i = 0; i < n || !i; i++)
		put_text_rate(r, row, i, &rates[i]);
	if (noise > 0 || noise < 0)
		form_put(r, "  ( +-%6.2f%% )", noise);
	if (row->running != row->enabled) {
		pp_out_text(r->out, "  (");
		form_fixed(r, 100.0 * (double)row->running / (double)row->enabled, 2, 0, false);
		pp_out_text(r->out, "%)");
	}
	put_bounds(r, row);
	pp_out_char(r->out, '\n');
	if (r->spreads && r->spread && r->repeats && row->counted)
		put_spread(r, (size_t)(row - r->table.rows), &r->spread[row - r->table.rows],
			   row->event->scale, form_digits(row) + 2);
}

/* ---- around the rows ---- */

static void head(const struct view *r)
{
	const struct layout *const l = &layouts[r->table.by];

	put_last.event = NULL;
	if (r->interval && r->clear)
		pp_out_text(r->out, "\033[H\033[2J");
	if (r->interval && (r->clear || r->number % INTERVALS == 0))
		form_put(r, "#           time%s%s %*s events\n", l->time, l->counts, UNIT, "unit");
	if (r->interval)
		return;
	pp_out_text(r->out, "\n Performance counter stats for ");
	pp_out_printable(r->out, r->about.title, strlen(r->about.title));
	if (r->runs > 1)
		form_put(r, " (%zu runs)", r->runs);
	if (r->about.sampled)
		form_put(r, " (from %" PRIu64 " samples)", r->about.samples);
	pp_out_text(r->out, ":\n\n");
}

static void put_runs(const struct view *r, int digits, double mean)
{
	char text[64];
	int indent;

	snprintf(text, sizeof(text), " %17.*f", digits, mean);
	indent = (int)strspn(text, " ");
	form_put(r, "%*s# Table of individual measurements:\n", indent, "");
	for (size_t i = 0; i < r->about.runs; i++) {
		const struct pp_count_run *const one = pp_counts_run(r->counts, i);
		const double run = (double)one->elapsed / 1e9;
		const double off = run > 0 ? 100.0 * (run - mean) / run : 0;
		double bars = off < 0 ? -off / 5 : off / 5;

		if (r->side >= 0 && one->side != r->side)
			continue;
		form_put(r, " %17.*f (%+.*f) ", digits, run, digits, run - mean);
		for (bars = bars > 100 ? 100 : bars; bars >= 1; bars--)
			pp_out_char(r->out, '#');
		pp_out_text(r->out, "#\n");
	}
	form_put(r, "\n%*s# Final result:\n", indent, "");
}

static void put_elapsed_of_runs(const struct view *r)
{
	const double error = pp_spread_error(r->elapsed) / 1e9, mean = r->elapsed->mean / 1e9;
	const int digits = pp_spread_digits(r->elapsed, 1e9);

	if (r->table_of_runs)
		put_runs(r, digits, mean);
	form_put(r, " %17.*f +- %.*f seconds time elapsed", digits, mean, digits, error);
	if (error > 0)
		form_put(r, "  ( +-%6.2f%% )", form_spread(r->elapsed));
	if (r->spreads && r->repeats) {
		pp_out_char(r->out, '\n');
		put_spread(r, r->table.places * r->table.events, r->elapsed, 1e-9, digits);
	}
}

/* Metrics that were asked for come after all counts, each in a line of its own. */
static void put_metric_line(void *arg, const struct shown_metric *one)
{
	const struct view *const r = arg;
	char why[512];

	put_text_time(r);
	put_text_place(r, one->row);
	if (r->table.cgroups) {
		pp_out_blanks(r->out, COUNT + 1 + UNIT + 1 + NAME + 1);
		form_text_in(r, form_cgroup(one->row), 0);
	} else {
		pp_out_blanks(r->out, r->table.by == PP_COUNT_CPU ? 57 : 49);
	}
	pp_out_text(r->out, " # ");
	if (one->state == PP_METRIC_KNOWN) {
		if (one->value.over >= 0)
			form_colour(r, one->value.over);
		form_put(r, "%8.2f", one->value.value);
		if (one->value.over >= 0)
			form_colour(r, -1);
		pp_out_char(r->out, ' ');
		form_text_in(r, one->value.unit, 0);
	} else {
		form_put(r, "%8s", "");
	}
	pp_out_text(r->out, *one->value.unit && one->state == PP_METRIC_KNOWN ? "  " : " ");
	form_text_in(r, one->metric->name, 0);
	if (one->value.over > 0)
		pp_out_text(r->out, " (!)");
	if (one->state != PP_METRIC_KNOWN) {
		metrics_why(one, why, sizeof(why));
		pp_out_text(r->out, ": ");
		form_text_in(r, why, 0);
	}
	pp_out_char(r->out, '\n');
}

static void foot(const struct view *r)
{
	form_metrics(r, put_metric_line);
	form_text_times(r);
}

void form_text_times(const struct view *r)
{
	const struct pp_count_run *const run = r->run;

	if (r->interval)
		return;
	if (!r->about.null)
		pp_out_char(r->out, '\n');
	if (r->about.sampled && r->wall <= 0)
		return;                       /* samples need not have times */
	if (r->runs > 1) {
		put_elapsed_of_runs(r);
	} else {
		form_put(r, " %17.9f seconds time elapsed", r->wall / 1e9);
		if (run && run->has_usage) {
			form_put(r, "\n\n %17.9f seconds user\n", (double)run->user / 1e9);
			form_put(r, " %17.9f seconds sys\n", (double)run->sys / 1e9);
		}
	}
	pp_out_text(r->out, "\n\n");
}

const struct form form_text = {
	.start = form_use_locale, .head = head, .row = row, .foot = foot, .difference = difference_text,
};
