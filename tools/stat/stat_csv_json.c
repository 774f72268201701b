/* stat_csv_json.c - counts, rates, metrics and times as lines for programs, in --csv and --json. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/table_columns.h"
#include "stat/compare.h"
#include "stat/repeat_statistics.h"

/* A row of --csv, an object of --json.  What is not known is NAN or NULL, and left out. */
struct stat_line {
	const char *kind;             /* "count", "rate", "metric", "time", "difference" */
	const char *span;             /* "interval" or "total" */
	uint64_t from, to;            /* ns since counting began; UINT64_MAX: of a difference */
	double socket, die, cluster, core, node, cpu, cache_level, cache, pid;
	const char *thread;           /* its name */
	double cpus;                  /* that were added up */
	const char *event, *cgroup, *pmu;
	const char *name;             /* of a rate, a metric or a time */
	double value;
	const char *unit;             /* of that */
	double raw;                   /* as it was counted */
	double enabled, running;      /* ns */
	double error;                 /* of the mean over repeats: its standard error */
	double runs;
	const char *state;            /* why there is no value */
	int32_t over;                 /* whether a metric is over its threshold; -1: it has none */
	double before, after;         /* of a difference: the means of both sides */
	double low, high;             /* of a difference, or of an estimate: what surely has the true one */
	const char *basis, *verdict;  /* of a difference */
	double median, deviation;     /* over repeats */
	const char *outliers;         /* numbers of runs, "3 17" */
	const char *side;             /* the command, where the stream compares two */
	const char *place;            /* likewise: of both streams */
	double samples;               /* that a count was made of */
};

typedef void line_fn(const struct view *, const struct stat_line *);

static const struct column table[] = {
	{ .name = "kind", COLUMN(TEXT, struct stat_line, kind) },
	{ .name = "span", COLUMN(TEXT, struct stat_line, span) },
	{ .name = "from", COLUMN(TIME, struct stat_line, from) },
	{ .name = "to", COLUMN(TIME, struct stat_line, to) },
	{ .name = "socket", COLUMN(DOUBLE, struct stat_line, socket) },
	{ .name = "die", COLUMN(DOUBLE, struct stat_line, die) },
	{ .name = "cluster", COLUMN(DOUBLE, struct stat_line, cluster) },
	{ .name = "core", COLUMN(DOUBLE, struct stat_line, core) },
	{ .name = "node", COLUMN(DOUBLE, struct stat_line, node) },
	{ .name = "cpu", COLUMN(DOUBLE, struct stat_line, cpu) },
	{ .name = "cache_level", COLUMN(DOUBLE, struct stat_line, cache_level) },
	{ .name = "cache", COLUMN(DOUBLE, struct stat_line, cache) },
	{ .name = "thread", COLUMN(TEXT, struct stat_line, thread) },
	{ .name = "pid", COLUMN(DOUBLE, struct stat_line, pid) },
	{ .name = "cpus", COLUMN(DOUBLE, struct stat_line, cpus) },
	{ .name = "event", COLUMN(TEXT, struct stat_line, event) },
	{ .name = "cgroup", COLUMN(TEXT, struct stat_line, cgroup) },
	{ .name = "pmu", COLUMN(TEXT, struct stat_line, pmu) },
	{ .name = "name", COLUMN(TEXT, struct stat_line, name) },
	{ .name = "value", COLUMN(DOUBLE, struct stat_line, value) },
	{ .name = "unit", COLUMN(TEXT, struct stat_line, unit) },
	{ .name = "raw", COLUMN(DOUBLE, struct stat_line, raw) },
	{ .name = "enabled", COLUMN(DOUBLE, struct stat_line, enabled) },
	{ .name = "running", COLUMN(DOUBLE, struct stat_line, running) },
	{ .name = "error", COLUMN(DOUBLE, struct stat_line, error) },
	{ .name = "runs", COLUMN(DOUBLE, struct stat_line, runs) },
	{ .name = "state", COLUMN(TEXT, struct stat_line, state) },
	{ .name = "over", COLUMN(ANSWER, struct stat_line, over) },
	{ .name = "side", COLUMN(TEXT, struct stat_line, side) },
	{ .name = "place", COLUMN(TEXT, struct stat_line, place) },
	{ .name = "before", COLUMN(DOUBLE, struct stat_line, before) },
	{ .name = "after", COLUMN(DOUBLE, struct stat_line, after) },
	{ .name = "low", COLUMN(DOUBLE, struct stat_line, low) },
	{ .name = "high", COLUMN(DOUBLE, struct stat_line, high) },
	{ .name = "basis", COLUMN(TEXT, struct stat_line, basis) },
	{ .name = "verdict", COLUMN(TEXT, struct stat_line, verdict) },
	{ .name = "median", COLUMN(DOUBLE, struct stat_line, median) },
	{ .name = "deviation", COLUMN(DOUBLE, struct stat_line, deviation) },
	{ .name = "outliers", COLUMN(TEXT, struct stat_line, outliers) },
	{ .name = "samples", COLUMN(DOUBLE, struct stat_line, samples) },
	{ .name = NULL }
};

/* ---- lines ---- */

static double known(int32_t number)
{
	return number < 0 ? (double)NAN : number;
}

static const char *text(const char *t)
{
	return t && *t ? t : NULL;
}

static struct stat_line new_line(const struct view *r, const char *kind)
{
	return (struct stat_line){
		.kind = kind, .over = -1, .span = r->interval ? "interval" : "total", .from = r->table.from,
		.to = r->table.to, .socket = NAN, .die = NAN, .cluster = NAN, .core = NAN, .node = NAN,
		.cpu = NAN, .cache_level = NAN, .cache = NAN, .pid = NAN, .cpus = NAN, .value = NAN,
		.raw = NAN, .enabled = NAN, .running = NAN, .error = NAN,
		.side = pp_counts_side(r->counts, r->side), .before = NAN, .after = NAN,
		.low = NAN, .high = NAN, .median = NAN, .deviation = NAN, .samples = NAN,
		.runs = r->runs > 1 ? (double)r->runs : (double)NAN,
	};
}

static void put_line_place(const struct view *r, const struct pp_count_place *p, struct stat_line *line)
{
	int32_t pid;

	if (r->table.by == PP_COUNT_GLOBAL)
		return;
	if (r->table.by == PP_COUNT_THREAD) {
		if (pp_counts_thread(r->counts, p->thread, &pid, &line->thread))
			line->pid = pid;
		return;
	}
	line->socket = known(p->socket);
	line->die = known(p->die);
	line->cluster = known(p->cluster);
	line->core = known(p->core);
	line->node = known(p->node);
	line->cpu = known(p->cpu);
	if (r->table.by == PP_COUNT_CACHE) {
		line->cache_level = known(p->level);
		line->cache = known(p->cache);
	}
}

/* A rate in its base unit: "1.5 M/sec" is 1.5e6 a second. */
static void put_base_rate(const struct pp_count_rate *rate, struct stat_line *line)
{
	static const char prefixes[] = "KMGTP";
	const char *const prefix = *rate->unit ? strchr(prefixes, *rate->unit) : NULL;

	line->value = rate->value;
	if (rate->name) {
		line->name = rate->name;
		line->unit = strstr(rate->format, "%%") ? "%" : NULL;
		return;
	}
	line->name = "rate";
	line->unit = "/sec";
	if (prefix)
		line->value *= pow(1000, (double)(prefix - prefixes + 1));
}

/* How a row, or the time, spreads over repeats, in a unit of which `scale` make one of what was counted. */
static void put_line_spread(const struct view *r, size_t row, const struct pp_spread *s, double scale,
			    struct stat_line *line)
{
	static char outliers[256];
	struct pp_quartiles q;
	const double *const values = r->repeats ? repeats_values(r->repeats, row, &q) : NULL;

	line->error = pp_spread_error(s) * scale;
	line->deviation = pp_spread_deviation(s) * scale;
	if (s->n > 1) {
		line->low = (s->mean - pp_spread_half(s)) * scale;
		line->high = (s->mean + pp_spread_half(s)) * scale;
	}
	if (!values)
		return;
	line->median = q.median * scale;
	if (repeats_outliers(r->repeats, values, &q, outliers, sizeof(outliers)))
		line->outliers = outliers;
}

static void lines_of_row(const struct view *r, const struct pp_count_row *row, line_fn *fn)
{
	struct pp_count_rate rates[PP_COUNT_RATES] = { { .format = NULL } };
	const size_t n = pp_count_rates(&r->table, row, r->wall, rates);
	struct stat_line line = new_line(r, "count");

	put_line_place(r, row->place, &line);
	line.cpus = row->cpus ? row->cpus : (double)NAN;
	line.event = row->event->name;
	line.cgroup = text(row->event->cgroup);
	line.pmu = text(row->event->pmu);
	line.unit = text(row->event->unit);
	if (row->enabled || !r->about.sampled) {
		line.enabled = (double)row->enabled;
		line.running = (double)row->running;
	}
	if (r->about.sampled)
		line.samples = (double)row->samples;
	if (row->counted) {
		line.value = form_value(row);
		line.raw = (double)row->raw;
	} else {
		line.state = row->event->supported ? "not counted" : "not supported";
	}
	(void)form_bounds(r, row, &line.low, &line.high);
	if (row->counted && r->spread)
		put_line_spread(r, (size_t)(row - r->table.rows), &r->spread[row - r->table.rows],
				row->event->scale, &line);
	fn(r, &line);
	for (size_t i = 0; i < n; i++) {
		struct stat_line rate = line;

		if (!rates[i].format)
			continue;
		rate.kind = "rate";
		rate.raw = rate.enabled = rate.running = rate.error = rate.low = rate.high = NAN;
		rate.median = rate.deviation = rate.samples = NAN;
		rate.outliers = NULL;
		put_base_rate(&rates[i], &rate);
		if (rates[i].apart && !r->mixed) {
			rate.value = NAN;
			rate.state = "never counted at one time";
		}
		fn(r, &rate);
	}
}

static void metric_line(const struct view *r, const struct shown_metric *one, line_fn *fn)
{
	struct stat_line line = new_line(r, "metric");
	char why[512];

	put_line_place(r, one->row->place, &line);
	line.cgroup = text(one->row->event->cgroup);
	line.name = one->metric->name;
	line.unit = text(one->value.unit);
	line.value = one->value.value;
	if (one->state != PP_METRIC_KNOWN) {
		metrics_why(one, why, sizeof(why));
		line.state = why;
	} else {
		line.over = one->value.over;
	}
	fn(r, &line);
}

static void give_time(const struct view *r, line_fn *fn, const char *name, double ns,
		      const struct pp_spread *spread)
{
	struct stat_line line = new_line(r, "time");

	line.name = name;
	line.value = ns / 1e9;
	line.unit = "s";
	if (spread)
		put_line_spread(r, r->table.places * r->table.events, spread, 1e-9, &line);
	fn(r, &line);
}

static void lines_of_times(const struct view *r, line_fn *fn)
{
	const struct pp_count_run *const run = r->runs > 1 ? NULL : r->run;

	if (r->interval)
		return;
	if (r->wall > 0)
		give_time(r, fn, "elapsed", r->wall, r->elapsed);
	if (run && run->has_usage) {
		give_time(r, fn, "user", (double)run->user, NULL);
		give_time(r, fn, "system", (double)run->sys, NULL);
	}
}

/* All in the event's unit, of intervals a second's. */
static void difference_lines(const struct view *r, const struct comparison *c, line_fn *fn)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct compared *const item = &c->items[i];
		const struct difference d = compare_result(c, item);
		struct stat_line line = new_line(r, "difference");
		char unit[64];

		if (isnan(d.before) && isnan(d.after))
			continue;
		(void)snprintf(unit, sizeof(unit), "%.50s%s", item->unit,
			       d.basis == BASIS_INTERVALS ? "/s" : "");
		line.from = line.to = UINT64_MAX;
		line.runs = NAN;
		line.place = text(item->place);
		line.event = item->is_time ? NULL : item->event;
		line.name = item->is_time ? item->event : NULL;
		line.cgroup = text(item->cgroup);
		line.unit = text(unit);
		line.value = d.is.value;
		line.before = d.before;
		line.after = d.after;
		line.low = isfinite(d.is.half) ? d.is.value - d.is.half : (double)NAN;
		line.high = isfinite(d.is.half) ? d.is.value + d.is.half : (double)NAN;
		line.basis = compare_basis_name(d.basis);
		line.verdict = compare_verdict_name(d.verdict);
		fn(r, &line);
	}
}

/* ---- CSV ---- */

static struct columns columns;

static void csv_start(const struct view *r)
{
	(void)columns_choose(&columns, table, NULL);
	columns_csv_head(r->out, &columns);
}

static void csv_line(const struct view *r, const struct stat_line *line)
{
	columns_csv(r->out, &columns, line);
}

static void csv_row(const struct view *r, const struct pp_count_row *row)
{
	lines_of_row(r, row, csv_line);
}

static void csv_metric(void *arg, const struct shown_metric *one)
{
	metric_line(arg, one, csv_line);
}

static void csv_foot(const struct view *r)
{
	form_metrics(r, csv_metric);
	lines_of_times(r, csv_line);
}

static void difference_csv(const struct view *r, const struct comparison *c)
{
	difference_lines(r, c, csv_line);
}

const struct form form_csv = {
	.start = csv_start, .row = csv_row, .foot = csv_foot, .difference = difference_csv,
};

/* ---- JSON ---- */

static void json_start(const struct view *r)
{
	struct pp_json json = { .out = r->out };

	(void)columns_choose(&columns, table, NULL);
	pp_json_open(&json, NULL, '{');
	(void)pp_json_text(&json, "schema", "perfpipe.counts/1", strlen("perfpipe.counts/1"));
	(void)pp_json_text(&json, "title", r->about.title, strlen(r->about.title));
	if (r->about.interval)
		pp_json_number(&json, "interval", r->about.interval);
	pp_json_close(&json, '}');
	pp_out_char(r->out, '\n');
}

static void json_line(const struct view *r, const struct stat_line *line)
{
	struct pp_json json = { .out = r->out };

	pp_json_open(&json, NULL, '{');
	columns_json(&json, &columns, line);
	pp_json_close(&json, '}');
	pp_out_char(r->out, '\n');
}

static void json_row(const struct view *r, const struct pp_count_row *row)
{
	lines_of_row(r, row, json_line);
}

static void json_metric(void *arg, const struct shown_metric *one)
{
	metric_line(arg, one, json_line);
}

static void json_foot(const struct view *r)
{
	form_metrics(r, json_metric);
	lines_of_times(r, json_line);
}

static void difference_json(const struct view *r, const struct comparison *c)
{
	difference_lines(r, c, json_line);
}

const struct form form_json = {
	.start = json_start, .row = json_row, .foot = json_foot, .difference = difference_json,
};
