/*
 * metric_only.c - rates and ratios alone, those of a control group in a place in one line, as perf stat
 * --metric-only has them; as text, with separators, and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stat/table_form.h"

enum { WIDTH = 20, INTERVALS = 25, PLACE = 23, CPUS = 5, CGROUP = 16 };

/* What perf leaves out here: rates in time say little without their counts. */
static bool is_shown(const struct pp_count_rate *rate)
{
	const char *const unit = form_unit(rate);

	return !strstr(unit, "/sec") && !strstr(unit, "CPUs utilized");
}

/* `over`: whether it is over its threshold; -1: it has none. */
typedef void put_fn(const struct view *, const struct pp_count_row *, const struct pp_count_rate *, int over);

struct putting { const struct view *view; put_fn *put; };

/* A metric of -M as a rate. */
static void put_metric_rate(void *arg, const struct shown_metric *one)
{
	const struct putting *const p = arg;
	const char *const unit = one->value.unit;
	char text[256];
	struct pp_count_rate rate = {
		.name = text, .format = one->state == PP_METRIC_KNOWN ? "%8.2f" : NULL,
		.value = one->value.value,
	};

	snprintf(text, sizeof(text), "%s%s%s", unit, *unit ? "  " : "", one->metric->name);
	p->put(p->view, one->row, &rate, one->value.over);
}

/* `elsewhere`: the line is another control group's, in which this column stays empty. */
static void each_of_row(const struct view *r, const struct pp_count_row *row, bool elsewhere, put_fn *put)
{
	struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
	struct pp_count_row counted = *row;
	size_t n;

	counted.counted = true;
	/* of what was not counted it is the names alone, which say nothing of how it was counted */
	n = !row->shown ? 0 : row->counted && !elsewhere ? form_rates(r, row, rates) :
	    pp_count_rates(&r->table, &counted, r->wall, rates);
	for (size_t k = 0; k < n; k++) {
		if (!row->counted || elsewhere)
			rates[k].format = NULL;
		if (is_shown(&rates[k]))
			put(r, row, &rates[k], -1);
	}
}

/* Calls `put` for each rate of a line, counted or not, so that columns stay where they are; where metrics
 * were asked for, for each of these instead.  Where control groups have not all the same events, each
 * line has the columns of all. */
static void each(const struct view *r, size_t group, size_t place, put_fn *put)
{
	const struct pp_count_row *const rows = &r->table.rows[place * r->table.events];
	const struct cgroup *const g = &r->cgroups.items[group];
	struct putting putting = { r, put };

	form_metrics_of(r, group, place, put_metric_rate, &putting);
	for (size_t i = 0; !r->metrics && r->cgroups.alike && i < g->n; i++)
		each_of_row(r, &rows[r->cgroups.order[g->from + i]], false, put);
	for (size_t i = 0; !r->metrics && !r->cgroups.alike && i < r->table.events; i++)
		each_of_row(r, &rows[i], strcmp(form_cgroup(&rows[i]), g->name) != 0, put);
}

/* "of all branches" follows the name of its event. */
static void name(const struct pp_count_row *row, const struct pp_count_rate *rate, char text[256])
{
	const bool of = !strncmp(form_unit(rate), "of all", 6);

	snprintf(text, 256, "%s%s%s", of ? row->event->name : "", of ? " " : "", form_unit(rate));
}

typedef void line_fn(const struct view *, size_t group, size_t place, const struct pp_count_row *first);

static void each_line(const struct view *r, line_fn *put)
{
	for (size_t place = 0; place < r->table.places; place++)
		for (size_t group = 0; group < r->cgroups.n; group++) {
			const struct pp_count_row *const first =
				cgroup_row(&r->cgroups, group, &r->table, place);

			if (first)
				put(r, group, place, first);
		}
}

static void put_metric_time(const struct view *r, const char *after)
{
	if (r->interval)
		form_put(r, "%6" PRIu64 ".%09" PRIu64 "%s", r->table.to / 1000000000,
			 r->table.to % 1000000000, after);
}

/* ---- text ---- */

/* Where a line is from, and of how many CPUs it is if these are added up. */
static void put_row_place(const struct view *r, const char *place, const char *cpus)
{
	if (r->table.by == PP_COUNT_GLOBAL)
		return;
	form_text_in(r, place, form_by_place(r) ? CPUS - PLACE : -PLACE);
	if (form_by_place(r))
		form_put(r, "%*s", CPUS, cpus);
	pp_out_char(r->out, ' ');
}

static void put_cgroup(const struct view *r, const char *name)
{
	if (!r->table.cgroups)
		return;
	form_text_in(r, name, -CGROUP);
	pp_out_char(r->out, ' ');
}

static void put_column_name(const struct view *r, const struct pp_count_row *row,
			    const struct pp_count_rate *rate, int over)
{
	char text[256];

	(void)over;
	name(row, rate, text);
	form_text_in(r, text, WIDTH);
	pp_out_char(r->out, ' ');
}

static void put_column_value(const struct view *r, const struct pp_count_row *row,
			     const struct pp_count_rate *rate, int over)
{
	char text[256], value[FORM_RATE] = "";
	int width = WIDTH;

	name(row, rate, text);
	if (strlen(text) > WIDTH)
		width = (int)strlen(text);
	if (rate->format)
		(void)form_rate(value, rate);
	if (over >= 0)
		form_colour(r, over);
	form_put(r, "%*s", width, value);
	if (over >= 0)
		form_colour(r, -1);
	pp_out_char(r->out, ' ');
}

static void only_head(const struct view *r)
{
	if (!r->interval)
		form_text.head(r);
	if (r->interval && r->number % INTERVALS && !r->clear)
		return;
	if (r->interval && r->clear)
		pp_out_text(r->out, "\033[H\033[2J");
	form_put(r, r->interval ? "#           time " : "%s", "");
	if (r->interval && r->table.places && r->table.by != PP_COUNT_GLOBAL)
		put_row_place(r, form_place_word(r, &r->table.rows[0]), "cpus");
	else
		put_row_place(r, "", "");
	put_cgroup(r, r->interval ? "cgroup" : "");
	if (r->cgroups.n)
		each(r, 0, 0, put_column_name);
	pp_out_char(r->out, '\n');
}

static void text_line(const struct view *r, size_t group, size_t place, const struct pp_count_row *first)
{
	char at[FORM_PLACE], cpus[16];

	put_metric_time(r, " ");
	form_place(r, first, at);
	snprintf(cpus, sizeof(cpus), "%" PRIu32, first->cpus);
	put_row_place(r, at, cpus);
	put_cgroup(r, form_cgroup(first));
	each(r, group, place, put_column_value);
	pp_out_char(r->out, '\n');
}

static void text_lines(const struct view *r)
{
	each_line(r, text_line);
	form_text_times(r);
}

const struct form form_metric_text = { .start = form_use_locale, .head = only_head, .foot = text_lines };

/* ---- with separators ---- */

static void separated_name(const struct view *r, const struct pp_count_row *row,
			   const struct pp_count_rate *rate, int over)
{
	char text[256];

	(void)over;
	name(row, rate, text);
	form_text_in(r, text, 0);
	pp_out_text(r->out, r->separator);
}

static void separated_value(const struct view *r, const struct pp_count_row *row,
			    const struct pp_count_rate *rate, int over)
{
	char value[FORM_RATE] = "";
	const char *const number = value + (rate->format && form_rate(value, rate) > 0 ?
					    strspn(value, " ") : 0);

	(void)over;
	(void)row;
	pp_out_bytes(r->out, number, strspn(number, "0123456789."));
	pp_out_text(r->out, r->separator);
}

static void separated_line(const struct view *r, size_t group, size_t place,
			   const struct pp_count_row *first)
{
	char at[FORM_PLACE];

	put_metric_time(r, r->separator);
	form_place(r, first, at);
	form_text_in(r, at, 0);
	pp_out_text(r->out, *at ? r->separator : "");
	if (form_by_place(r))
		form_put(r, "%" PRIu32 "%s", first->cpus, r->separator);
	form_text_in(r, form_cgroup(first), 0);
	pp_out_text(r->out, r->table.cgroups ? r->separator : "");
	each(r, group, place, separated_value);
	pp_out_char(r->out, '\n');
}

static void separated_lines(const struct view *r)
{
	if (!r->number && r->interval)
		form_put(r, "time%s", r->separator);
	if (!r->number || !r->interval) {
		if (r->table.by != PP_COUNT_GLOBAL && r->table.places)
			form_put(r, "%s%s", form_place_word(r, &r->table.rows[0]), r->separator);
		if (form_by_place(r))
			form_put(r, "cpus%s", r->separator);
		if (r->table.cgroups)
			form_put(r, "cgroup%s", r->separator);
		if (r->cgroups.n)
			each(r, 0, 0, separated_name);
		pp_out_char(r->out, '\n');
	}
	each_line(r, separated_line);
}

const struct form form_metric_separated = { .foot = separated_lines };

/* ---- JSON, an object a line, as perf writes it since 6.13 ---- */

static void json_comma(const struct view *r)
{
	pp_out_text(r->out, r->out->at && r->out->buf[r->out->at - 1] == '{' ? "" : ", ");
}

static void json_text(const struct view *r, const char *text)
{
	if (!pp_out_json_string(r->out, text, strlen(text)))
		pp_out_text(r->out, "\"\"");
}

static void json_value(const struct view *r, const struct pp_count_row *row,
		       const struct pp_count_rate *rate, int over)
{
	char text[256];

	(void)over;
	if (!rate->format)
		return;
	name(row, rate, text);
	json_comma(r);
	json_text(r, text);
	form_put(r, " : \"%f\"", rate->value);
}

static void only_json_line(const struct view *r, size_t group, size_t place, const struct pp_count_row *first)
{
	pp_out_char(r->out, '{');
	if (r->interval)
		form_put(r, "\"interval\" : %" PRIu64 ".%09" PRIu64, r->table.to / 1000000000,
			 r->table.to % 1000000000);
	if (r->interval && r->table.by != PP_COUNT_GLOBAL)
		pp_out_text(r->out, ", ");
	form_json_place(r, first);
	if (r->table.cgroups) {
		json_comma(r);
		pp_out_text(r->out, "\"cgroup\" : ");
		json_text(r, form_cgroup(first));
	}
	each(r, group, place, json_value);
	pp_out_text(r->out, "}\n");
}

static void json_lines(const struct view *r)
{
	each_line(r, only_json_line);
}

const struct form form_metric_json = { .foot = json_lines };
