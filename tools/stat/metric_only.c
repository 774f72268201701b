/*
 * metric_only.c - rates and ratios alone, those of a place in one line, as perf stat --metric-only
 * has them; as text, with separators, and as JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stat/form.h"

enum { WIDTH = 20, INTERVALS = 25, PLACE = 23, CPUS = 5 };

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
static void put_metric(void *arg, const struct shown_metric *one)
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

/* Calls `put` for each rate of a place, counted or not, so that columns stay where they are; where metrics
 * were asked for, for each of these instead. */
static void each(const struct view *r, size_t place, put_fn *put)
{
	struct putting putting = { r, put };

	form_metrics_of(r, place, put_metric, &putting);
	if (r->metrics)
		return;
	for (size_t i = 0; i < r->table.events; i++) {
		const struct pp_count_row *const row = &r->table.rows[place * r->table.events + i];
		struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
		struct pp_count_row counted = *row;
		size_t n;

		counted.counted = true;
		/* of what was not counted it is the names alone, which say nothing of how it was counted */
		n = !row->shown ? 0 : row->counted ? form_rates(r, row, rates) :
		    pp_count_rates(&r->table, &counted, r->wall, rates);
		for (size_t k = 0; k < n; k++) {
			if (!row->counted)
				rates[k].format = NULL;
			if (is_shown(&rates[k]))
				put(r, row, &rates[k], -1);
		}
	}
}

/* "of all branches" follows the name of its event. */
static void name(const struct pp_count_row *row, const struct pp_count_rate *rate, char text[256])
{
	const bool of = !strncmp(form_unit(rate), "of all", 6);

	snprintf(text, 256, "%s%s%s", of ? row->event->name : "", of ? " " : "", form_unit(rate));
}

static bool has_rows(const struct view *r, size_t place)
{
	for (size_t i = 0; i < r->table.events; i++)
		if (r->table.rows[place * r->table.events + i].shown)
			return true;
	return false;
}

static void put_time(const struct view *r, const char *after)
{
	if (r->interval)
		form_put(r, "%6" PRIu64 ".%09" PRIu64 "%s", r->table.to / 1000000000,
			 r->table.to % 1000000000, after);
}

/* ---- text ---- */

/* Where a line is from, and of how many CPUs it is if these are added up. */
static void put_place(const struct view *r, const char *place, const char *cpus)
{
	if (r->table.by == PP_COUNT_GLOBAL)
		return;
	form_text_in(r, place, form_by_place(r) ? CPUS - PLACE : -PLACE);
	if (form_by_place(r))
		form_put(r, "%*s", CPUS, cpus);
	pp_out_char(r->out, ' ');
}

static void put_name(const struct view *r, const struct pp_count_row *row,
		     const struct pp_count_rate *rate, int over)
{
	char text[256];

	(void)over;
	name(row, rate, text);
	form_text_in(r, text, WIDTH);
	pp_out_char(r->out, ' ');
}

static void put_value(const struct view *r, const struct pp_count_row *row,
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

static void head(const struct view *r)
{
	if (!r->interval)
		form_text.head(r);
	if (r->interval && r->number % INTERVALS && !r->clear)
		return;
	if (r->interval && r->clear)
		pp_out_text(r->out, "\033[H\033[2J");
	form_put(r, r->interval ? "#           time " : "%s", "");
	if (r->interval && r->table.places && r->table.by != PP_COUNT_GLOBAL)
		put_place(r, form_place_word(r, &r->table.rows[0]), "cpus");
	else
		put_place(r, "", "");
	if (r->table.places)
		each(r, 0, put_name);
	pp_out_char(r->out, '\n');
}

static void text_lines(const struct view *r)
{
	for (size_t place = 0; place < r->table.places; place++) {
		const struct pp_count_row *const first = &r->table.rows[place * r->table.events];
		char at[FORM_PLACE], cpus[16];

		if (!has_rows(r, place))
			continue;
		put_time(r, " ");
		form_place(r, first, at);
		snprintf(cpus, sizeof(cpus), "%" PRIu32, first->cpus);
		put_place(r, at, cpus);
		each(r, place, put_value);
		pp_out_char(r->out, '\n');
	}
	form_text_times(r);
}

const struct form form_metric_text = { .start = form_use_locale, .head = head, .foot = text_lines };

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

static void separated_lines(const struct view *r)
{
	if (!r->number && r->interval)
		form_put(r, "time%s", r->separator);
	if (!r->number || !r->interval) {
		if (r->table.by != PP_COUNT_GLOBAL && r->table.places)
			form_put(r, "%s%s", form_place_word(r, &r->table.rows[0]), r->separator);
		if (form_by_place(r))
			form_put(r, "cpus%s", r->separator);
		if (r->table.places)
			each(r, 0, separated_name);
		pp_out_char(r->out, '\n');
	}
	for (size_t place = 0; place < r->table.places; place++) {
		const struct pp_count_row *const first = &r->table.rows[place * r->table.events];
		char at[FORM_PLACE];

		if (!has_rows(r, place))
			continue;
		put_time(r, r->separator);
		form_place(r, first, at);
		form_text_in(r, at, 0);
		pp_out_text(r->out, *at ? r->separator : "");
		if (form_by_place(r))
			form_put(r, "%" PRIu32 "%s", first->cpus, r->separator);
		each(r, place, separated_value);
		pp_out_char(r->out, '\n');
	}
}

const struct form form_metric_separated = { .foot = separated_lines };

/* ---- JSON, an object a line, as perf writes it since 6.13 ---- */

static void json_value(const struct view *r, const struct pp_count_row *row,
		       const struct pp_count_rate *rate, int over)
{
	char text[256];

	(void)over;
	if (!rate->format)
		return;
	name(row, rate, text);
	pp_out_text(r->out, r->out->at && r->out->buf[r->out->at - 1] == '{' ? "" : ", ");
	if (!pp_out_json_string(r->out, text, strlen(text)))
		pp_out_text(r->out, "\"\"");
	form_put(r, " : \"%f\"", rate->value);
}

static void json_lines(const struct view *r)
{
	for (size_t place = 0; place < r->table.places; place++) {
		if (!has_rows(r, place))
			continue;
		pp_out_char(r->out, '{');
		if (r->interval)
			form_put(r, "\"interval\" : %" PRIu64 ".%09" PRIu64, r->table.to / 1000000000,
				 r->table.to % 1000000000);
		if (r->interval && r->table.by != PP_COUNT_GLOBAL)
			pp_out_text(r->out, ", ");
		form_json_place(r, &r->table.rows[place * r->table.events]);
		each(r, place, json_value);
		pp_out_text(r->out, "}\n");
	}
}

const struct form form_metric_json = { .foot = json_lines };
