/* prometheus.c - totals of events as counters for Prometheus: its text format 0.0.4, and OpenMetrics. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "stat/table_form.h"

enum { NAME = 200 };

/* One value of a family, which is all that has one name. */
struct gauge_sample {
	char family[NAME];            /* without _total */
	const char *what;             /* for HELP */
	bool counter;
	double value;
	const struct pp_count_event *event;     /* NULL: a metric, or a time */
	const char *metric, *unit;    /* of a metric; NULL */
	const char *cgroup;           /* "": none */
	const struct pp_count_place *place;     /* NULL: of all */
	unsigned copy;                /* of an event that was asked for more than once, from 1 */
	size_t index;                 /* in which order they came */
};

static struct gauge_sample *samples;
static size_t n_samples, room;
static bool open_metrics;
static bool has_gauges;               /* those of an interval have come, before the totals */

/* ---- names ---- */

/* Letters, digits and single underscores: "cpu/event=1/" is cpu_event_1. */
static void put_prometheus_name(char *to, size_t size, const char *text)
{
	size_t n = strlen(to);

	if (n + 1 < size && n && to[n - 1] != '_')
		to[n++] = '_';
	for (; *text && n + 1 < size; text++) {
		const bool plain = isalnum((unsigned char)*text) && (unsigned char)*text < 0x80;

		if (plain || (n && to[n - 1] != '_'))
			to[n++] = plain ? *text : '_';
	}
	while (n && to[n - 1] == '_')
		n--;
	to[n] = '\0';
}

/* Units are base units: what is scaled to milliseconds is in seconds here. */
static double base_unit(const char *unit, char *family, size_t size)
{
	static const struct { const char *unit, *suffix; double scale; } units[] = {
		{ "msec", "seconds", 1e-3 }, { "ns", "seconds", 1e-9 }, { "s", "seconds", 1 },
		{ "Joules", "joules", 1 }, { "MiB", "bytes", 1 << 20 }, { "KiB", "bytes", 1 << 10 },
		{ "Bytes", "bytes", 1 }, { "MB", "bytes", 1e6 }, { "GHz", "hertz", 1e9 },
		{ "%", "ratio", 1e-2 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].unit, unit) || (*unit == '%' && *units[i].unit == '%')) {
			put_prometheus_name(family, size, units[i].suffix);
			return units[i].scale;
		}
	return 1;
}

static struct gauge_sample *add(const char *prefix, const char *name, const char *what)
{
	struct gauge_sample *s;

	if (n_samples == room) {
		room = room ? room * 2 : 64;
		samples = cli_grow(samples, room, sizeof(*samples));
	}
	s = &samples[n_samples];
	*s = (struct gauge_sample){ .what = what, .index = n_samples++, .copy = 1, .cgroup = "" };
	put_prometheus_name(s->family, sizeof(s->family) - 20, prefix);
	put_prometheus_name(s->family, sizeof(s->family) - 20, name);
	return s;
}

/* ---- values ---- */

/* Events that were asked for twice have the same labels, but for this number. */
static unsigned copy_of(const struct view *r, const struct pp_count_row *row)
{
	const struct pp_count_row *const first = row - (row - r->table.rows) % (long)r->table.events;
	unsigned copy = 1;

	for (const struct pp_count_row *other = first; other < row; other++)
		copy += other->shown && !strcmp(other->event->name, row->event->name) &&
			!strcmp(form_cgroup(other), form_cgroup(row));
	return copy;
}

static void add_row(const struct view *r, const struct pp_count_row *row)
{
	const struct pp_count_place *const place = r->table.by == PP_COUNT_GLOBAL ? NULL : row->place;
	const unsigned copy = copy_of(r, row);
	struct gauge_sample *s;
	char bare[NAME];

	(void)snprintf(bare, sizeof(bare), "%s", row->event->name);
	if (row->counted && !r->interval) {
		s = add("perf", bare, "what this event counted");
		s->value = form_value(row) *
			   base_unit(row->event->unit, s->family, sizeof(s->family));
		s->counter = true;
		s->event = row->event;
		s->cgroup = form_cgroup(row);
		s->place = place;
		s->copy = copy;
	}
	if (has_gauges || (r->about.sampled && !row->enabled))
		return;
	s = add("perf", "event_running_ratio", "share of the time that the event was to be counted and was");
	s->value = row->enabled ? (double)row->running / (double)row->enabled : 0;
	s->event = row->event;
	s->cgroup = form_cgroup(row);
	s->place = place;
	s->copy = copy;
}

static void add_metric(void *arg, const struct shown_metric *one)
{
	const struct view *const r = arg;
	struct gauge_sample *s;

	if (one->state != PP_METRIC_KNOWN)
		return;
	s = add("perf_metric", one->metric->name,
		one->metric->brief ? one->metric->brief : "a metric of perf");
	s->value = one->value.value * base_unit(one->value.unit, s->family, sizeof(s->family));
	s->metric = one->metric->name;
	s->unit = one->value.unit;
	s->cgroup = form_cgroup(one->row);
	s->place = r->table.by == PP_COUNT_GLOBAL ? NULL : one->row->place;
}

static void add_time(const char *name, const char *what, double ns)
{
	struct gauge_sample *const s = add("perf", name, what);

	s->value = ns / 1e9;
	s->counter = true;
}

static void add_times(const struct view *r)
{
	const struct pp_count_run *const run = r->runs > 1 ? NULL : r->run;

	if (r->wall > 0)
		add_time("elapsed_seconds", "time that was counted for", r->wall);
	if (run && run->has_usage) {
		add_time("user_seconds", "time of the command in user mode", (double)run->user);
		add_time("system_seconds", "time of the command in the kernel", (double)run->sys);
	}
}

/* ---- writing ---- */

/* A backslash is escaped, and where it is `quoted` a quote, too.  Ends of lines, and what is no UTF-8
 * and would make the whole file unreadable, are \xNN. */
static void put_escaped(const struct view *r, const char *text, bool quoted)
{
	static struct pp_out plain;           /* never written: its buffer is */

	if (!plain.buf && pp_out_open(&plain, -1) < 0)
		cli_no_memory();
	plain.at = 0;
	pp_out_printable(&plain, text, strlen(text));
	for (size_t i = 0; i < plain.at; i++) {
		if (plain.buf[i] == '\\' || (quoted && plain.buf[i] == '"'))
			pp_out_char(r->out, '\\');
		pp_out_char(r->out, plain.buf[i]);
	}
}

static void put_label(const struct view *r, bool *any, const char *name, const char *value)
{
	pp_out_char(r->out, *any ? ',' : '{');
	*any = true;
	form_put(r, "%s=\"", name);
	put_escaped(r, value, true);
	pp_out_char(r->out, '"');
}

static void put_number(const struct view *r, bool *any, const char *name, int32_t number)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)number);
	if (number >= 0)
		put_label(r, any, name, text);
}

static void put_place_labels(const struct view *r, bool *any, const struct pp_count_place *p)
{
	const char *comm;
	int32_t pid;

	if (r->table.by == PP_COUNT_THREAD) {
		if (!pp_counts_thread(r->counts, p->thread, &pid, &comm))
			return;
		put_label(r, any, "thread", comm);
		put_number(r, any, "pid", pid);
		return;
	}
	put_number(r, any, "socket", p->socket);
	put_number(r, any, "die", p->die);
	put_number(r, any, "cluster", p->cluster);
	put_number(r, any, "core", p->core);
	put_number(r, any, "node", p->node);
	put_number(r, any, "cpu", p->cpu);
	if (r->table.by == PP_COUNT_CACHE) {
		put_number(r, any, "cache_level", p->level);
		put_number(r, any, "cache", p->cache);
	}
}

static void put_sample(const struct view *r, const struct gauge_sample *s)
{
	bool any = false;

	pp_out_text(r->out, s->family);
	pp_out_text(r->out, s->counter ? "_total" : "");
	if (s->event)
		put_label(r, &any, "event", s->event->name);
	if (s->metric)
		put_label(r, &any, "metric", s->metric);
	if (*s->cgroup)
		put_label(r, &any, "cgroup", s->cgroup);
	if (s->event && s->event->pmu && *s->event->pmu)
		put_label(r, &any, "pmu", s->event->pmu);
	if (s->place)
		put_place_labels(r, &any, s->place);
	if (s->copy > 1)
		put_number(r, &any, "copy", (int32_t)s->copy);
	pp_out_text(r->out, any ? "} " : " ");
	if (isinf(s->value))
		pp_out_text(r->out, s->value < 0 ? "-Inf" : "+Inf");
	else
		pp_out_double(r->out, s->value);
	pp_out_char(r->out, '\n');
}

static void put_family(const struct view *r, const struct gauge_sample *s)
{
	const char *const total = s->counter && !open_metrics ? "_total" : "";

	form_put(r, "# HELP %s%s ", s->family, total);
	put_escaped(r, s->what, open_metrics);
	form_put(r, "\n# TYPE %s%s %s\n", s->family, total, s->counter ? "counter" : "gauge");
}

/* Families one after the other, each in the order in which its samples came; counters first, so that
 * a gauge whose name is that of a counter does not get between. */
static int compare(const void *a, const void *b)
{
	const struct gauge_sample *const x = a, *const y = b;
	const int order = strcmp(x->family, y->family);

	if (order)
		return order;
	if (x->counter != y->counter)
		return x->counter ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void gauge_row(const struct view *r, const struct pp_count_row *row)
{
	add_row(r, row);
}

static void gauge_foot(const struct view *r)
{
	if (!has_gauges)
		form_metrics(r, add_metric);
	has_gauges = r->interval;
	if (has_gauges)
		return;
	add_times(r);
	if (n_samples)
		qsort(samples, n_samples, sizeof(*samples), compare);
	for (size_t i = 0; i < n_samples; i++) {
		if (!i || strcmp(samples[i].family, samples[i - 1].family) ||
		    samples[i].counter != samples[i - 1].counter)
			put_family(r, &samples[i]);
		put_sample(r, &samples[i]);
	}
	if (open_metrics)
		pp_out_text(r->out, "# EOF\n");
	free(samples);
	samples = NULL;
	n_samples = room = 0;
}

static void start_open_metrics(const struct view *r)
{
	(void)r;
	open_metrics = true;
}

const struct form form_prometheus = { .row = gauge_row, .foot = gauge_foot };
const struct form form_openmetrics = { .start = start_open_metrics, .row = gauge_row, .foot = gauge_foot };
