/* perf_csv_json.c - counts with the fields of perf stat -x and, as JSON, of perf stat -j. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stat/table_form.h"

/* ---- -x ---- */

static void put_separator(const struct view *r)
{
	pp_out_text(r->out, r->separator);
}

static void put_text(const struct view *r, const char *text)
{
	form_text_in(r, text, 0);
	put_separator(r);
}

/* What is before the value of a row: time, place and how many CPUs. */
static void put_begin(const struct view *r, const struct pp_count_row *row)
{
	char place[FORM_PLACE];

	if (r->interval)
		form_time(r);
	else if (r->summary && !r->no_csv_summary)
		form_put(r, "%16s", "summary");
	if (r->interval || (r->summary && !r->no_csv_summary))
		put_separator(r);
	form_place(r, row, place);
	if (*place)
		put_text(r, place);
	if (form_by_place(r)) {
		form_put(r, "%" PRIu32, row->cpus);
		put_separator(r);
	}
}

/* The number alone: "3.4 %" is 3.4. */
static void put_bare_rate(const struct view *r, const struct pp_count_rate *rate)
{
	char text[FORM_RATE] = "";
	const char *number = text;
	size_t length = 0;

	if (rate->format) {
		(void)form_rate(text, rate);
		number += strspn(text, " ");
		length = strspn(number, "0123456789.");
	}
	put_separator(r);
	pp_out_bytes(r->out, number, length);
	put_separator(r);
	if (rate->format)
		pp_out_text(r->out, form_unit(rate));
}

/* A second rate has a line of its own, whose fields up to it are empty. */
static void put_second(const struct view *r, const struct pp_count_row *row,
		       const struct pp_count_rate *rate)
{
	const int empty = 4 + (r->runs > 1) + r->table.cgroups;

	pp_out_char(r->out, '\n');
	put_begin(r, row);
	for (int i = 0; i < empty; i++)
		put_separator(r);
	put_bare_rate(r, rate);
}

static void separated_row(const struct view *r, const struct pp_count_row *row)
{
	struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
	const size_t n = form_rates(r, row, rates);

	put_begin(r, row);
	if (row->counted)
		form_fixed(r, form_value(row), form_digits(row), 0, false);
	else
		pp_out_text(r->out, form_missing(row));
	put_separator(r);
	put_text(r, row->event->unit);
	form_text_in(r, row->event->name, 0);
	if (r->table.cgroups) {
		put_separator(r);
		form_text_in(r, form_cgroup(row), 0);
	}
	if (r->runs > 1) {
		put_separator(r);
		form_put(r, "%.2f%%", form_noise(r, row));
	}
	put_separator(r);
	pp_out_dec(r->out, row->running);
	put_separator(r);
	form_fixed(r, form_running(row), 2, 0, false);
	put_bare_rate(r, &rates[0]);
	if (n > 1)
		put_second(r, row, &rates[1]);
	pp_out_char(r->out, '\n');
}

/* As perf has a metric beside an event: the fields before it are empty, but for the control group. */
static void separated_metric(void *arg, const struct shown_metric *one)
{
	const struct view *const r = arg;
	const int before = 3, after = 2 + (r->runs > 1);

	put_begin(r, one->row);
	for (int i = 0; i < before; i++)
		put_separator(r);
	if (r->table.cgroups)
		put_text(r, form_cgroup(one->row));
	for (int i = 0; i < after; i++)
		put_separator(r);
	if (one->state == PP_METRIC_KNOWN)
		form_put(r, "%.2f", one->value.value);
	put_separator(r);
	form_text_in(r, one->value.unit, 0);
	pp_out_text(r->out, *one->value.unit ? "  " : "");
	form_text_in(r, one->metric->name, 0);
	pp_out_char(r->out, '\n');
}

static void separated_foot(const struct view *r)
{
	form_metrics(r, separated_metric);
}

const struct form form_separated = { .row = separated_row, .foot = separated_foot };

/* ---- -j ---- */

static void put_string(const struct view *r, const char *text)
{
	if (!pp_out_json_string(r->out, text, strlen(text)))
		pp_out_text(r->out, "\"\"");
}

static void put_interval(const struct view *r)
{
	pp_out_text(r->out, "\"interval\" : ");
	pp_out_time(r->out, r->table.to);
	pp_out_text(r->out, ", ");
}

static void put_json_begin(const struct view *r, const struct pp_count_row *row)
{
	pp_out_char(r->out, '{');
	if (r->interval)
		put_interval(r);
	form_json_place(r, row);
	pp_out_text(r->out, r->table.by == PP_COUNT_GLOBAL ? "" : ", ");
}

/* A text in perf 7.3, before that a number. */
static void put_metric_value(const struct view *r, double value)
{
	pp_out_text(r->out, r->newer ? "\"metric-value\" : \"" : "\"metric-value\" : ");
	form_fixed(r, value, 6, 0, false);
	pp_out_text(r->out, r->newer ? "\", " : ", ");
}

static void put_json_rate(const struct view *r, const struct pp_count_rate *rate)
{
	/* of what has no value perf says 0 */
	put_metric_value(r, rate->value);
	pp_out_text(r->out, "\"metric-unit\" : \"");
	pp_out_text(r->out, rate->apart && !rate->format ? "" : form_unit(rate));
	pp_out_text(r->out, "\"}\n");
}

static void put_json_cgroup(const struct view *r, const struct pp_count_row *row, const char *before,
			    const char *after)
{
	if (!r->table.cgroups)
		return;
	pp_out_text(r->out, before);
	pp_out_text(r->out, "\"cgroup\" : ");
	put_string(r, form_cgroup(row));
	pp_out_text(r->out, after);
}

static void perf_json_row(const struct view *r, const struct pp_count_row *row)
{
	struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
	const size_t n = form_rates(r, row, rates);

	put_json_begin(r, row);
	pp_out_text(r->out, "\"counter-value\" : ");
	pp_out_char(r->out, '"');
	if (row->counted)
		form_fixed(r, form_value(row), 6, 0, false);
	else
		pp_out_text(r->out, form_missing(row));
	pp_out_char(r->out, '"');
	pp_out_text(r->out, ", \"unit\" : ");
	put_string(r, row->event->unit);
	pp_out_text(r->out, ", \"event\" : ");
	put_string(r, row->event->name);
	put_json_cgroup(r, row, ", ", "");
	if (r->runs > 1)
		form_put(r, ", \"variance\" : %.2f", form_noise(r, row));
	pp_out_text(r->out, ", \"event-runtime\" : ");
	pp_out_dec(r->out, row->running);
	pp_out_text(r->out, ", \"pcnt-running\" : ");
	form_fixed(r, form_running(row), 2, 0, false);
	if (r->newer && !rates[0].format) {
		pp_out_text(r->out, "}\n");
	} else {
		pp_out_text(r->out, ", ");
		put_json_rate(r, &rates[0]);
	}
	if (n > 1) {
		put_json_begin(r, row);
		put_json_rate(r, &rates[1]);
	}
}

static void perf_json_metric(void *arg, const struct shown_metric *one)
{
	const struct view *const r = arg;
	char name[256];

	put_json_begin(r, one->row);
	put_json_cgroup(r, one->row, "", ", ");
	if (one->state == PP_METRIC_KNOWN)
		put_metric_value(r, one->value.value);
	snprintf(name, sizeof(name), "%s%s%s", one->value.unit, *one->value.unit ? "  " : "",
		 one->metric->name);
	pp_out_text(r->out, "\"metric-unit\" : ");
	put_string(r, name);
	pp_out_text(r->out, "}\n");
}

static void perf_json_foot(const struct view *r)
{
	form_metrics(r, perf_json_metric);
}

const struct form form_perf_json = { .row = perf_json_row, .foot = perf_json_foot };
