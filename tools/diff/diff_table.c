/* diff_table.c - what pp-diff found, as text, Markdown, CSV or JSON. */
#include "diff/diff_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/table_columns.h"

#define SCHEMA "perfpipe.diff/1"

static void CLI_PRINTF(2, 3) put_format(struct pp_out *out, const char *format, ...)
{
	char text[300];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pp_out_text(out, text);
}

/* ---- order: by harm ---- */

static int rank_of(const struct diff_line *line)
{
	static const int ranks[] = {
		[PP_GATE_WORSE] = 0, [PP_GATE_BETTER] = 1, [PP_GATE_UNKNOWN] = 2, [PP_GATE_SAME] = 3,
		[PP_GATE_LIGHT] = 4,
	};

	return ranks[line->of->verdict];
}

static int by_harm(const void *a, const void *b)
{
	const struct diff_line *const x = a, *const y = b;
	const double more_x = fabs(x->of->after - x->of->before), more_y = fabs(y->of->after - y->of->before);

	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
	return more_x != more_y ? (more_x < more_y) - (more_x > more_y) : strcmp(x->name, y->name);
}

/* ---- values ---- */

enum { VALUE = 40 };

static void put_value(const struct diff_table *t, char text[VALUE], double value)
{
	static const struct { double least; const char *unit; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 0, "ns" },
	};
	size_t i = 0;

	if (t->unit) {
		snprintf(text, VALUE, value < 1e6 ? "%.6g" : "%.0f", value);
		return;
	}
	while (value < units[i].least)
		i++;
	snprintf(text, VALUE, "%.4g %s", value / (units[i].least > 0 ? units[i].least : 1), units[i].unit);
}

static void put_percent(char text[VALUE], double change)
{
	if (change >= 9)
		snprintf(text, VALUE, "x %.3g", 1 + change);
	else
		snprintf(text, VALUE, "%+.1f %%", 100 * change);
}

static void put_interval(char text[3 * VALUE], const struct pp_gate_unit *of)
{
	char low[VALUE], high[VALUE];

	put_percent(low, of->low);
	put_percent(high, of->high);
	snprintf(text, 3 * VALUE, "%s to %s", low, high);
}

/* ---- for people ---- */

struct line_cells { char change[VALUE], interval[3 * VALUE], before[VALUE], after[VALUE]; };

static struct line_cells cells_of(const struct diff_table *t, const struct pp_gate_unit *of)
{
	struct line_cells c = { .change = "" };

	put_value(t, c.before, of->before);
	put_value(t, c.after, of->after);
	if (!(of->before > 0) || !(of->after > 0)) {
		snprintf(c.change, sizeof(c.change), "%s",
			 of->after > 0 ? "new" : of->before > 0 ? "gone" : "");
	} else if (of->verdict != PP_GATE_LIGHT) {
		put_percent(c.change, of->change);
		put_interval(c.interval, of);
	}
	return c;
}

/* What a change of a cost does not say. */
static bool has_own_note(const struct diff_line *line)
{
	return line->note && line->of->before > 0 && line->of->after > 0;
}

static void put_note(struct pp_out *out, const struct diff_line *line)
{
	if (has_own_note(line))
		put_format(out, " (%s)", line->note);
}

static void put_line(const struct diff_table *t, struct pp_out *out, const struct diff_line *line)
{
	const struct line_cells c = cells_of(t, line->of);
	const char *const verdict = pp_gate_verdict_name(line->of->verdict), *const name = line->name;

	if (t->form == DIFF_MARKDOWN) {
		put_format(out, "| %s | %s | %s | %s | %s | `", verdict, c.change, c.interval, c.before,
			      c.after);
		pp_out_printable(out, name ? name : line->kind, strlen(name ? name : line->kind));
		pp_out_text(out, "`");
		put_note(out, line);
		pp_out_text(out, " |\n");
		return;
	}
	put_format(out, "%-9s %9s  %-22s %10s %10s  ", verdict, c.change, c.interval, c.before, c.after);
	pp_out_printable(out, name ? name : line->kind, strlen(name ? name : line->kind));
	put_note(out, line);
	pp_out_text(out, "\n");
}

static bool is_shown(const struct diff_table *t, const struct diff_line *line)
{
	const enum pp_gate_verdict verdict = line->of->verdict;

	return t->all || verdict == PP_GATE_WORSE || verdict == PP_GATE_BETTER || has_own_note(line) ||
	       (verdict == PP_GATE_UNKNOWN && fabs(log1p(line->of->change)) > log1p(t->limit));
}

static int compare_runs(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What is not shown line by line. */
static void put_rest(const struct diff_table *t, struct pp_out *out)
{
	uint64_t *const runs = cli_grow(NULL, t->n + 1, sizeof(*runs));
	size_t same = 0, light = 0, unknown = 0;

	for (size_t i = 0; i < t->n; i++) {
		same += t->lines[i].of->verdict == PP_GATE_SAME;
		light += t->lines[i].of->verdict == PP_GATE_LIGHT;
		if (t->lines[i].of->verdict == PP_GATE_UNKNOWN)
			runs[unknown++] = t->lines[i].of->runs;
	}
	pp_out_text(out, "\n");
	if (same)
		put_format(out, "the same, within %g %%: %zu\n", 100 * t->limit, same);
	if (unknown) {
		qsort(runs, unknown, sizeof(*runs), compare_runs);
		put_format(out, "not known: %zu; %" PRIu64 " runs of each side would tell half of them\n",
			      unknown, runs[unknown / 2]);
	}
	if (light)
		put_format(out, "too light to be judged: %zu\n", light);
	free(runs);
}

static void write_for_people(const struct diff_table *t, struct pp_out *out)
{
	const bool markdown = t->form == DIFF_MARKDOWN;
	const size_t n_after = t->n_recordings - t->n_before;
	const char *const kind = t->n ? t->lines->kind : "function";

	if (t->windows)
		pp_out_text(out, "within these two runs alone: another run of either may be as far away\n");
	put_format(out, "%zu recording%s before, %zu after%s; %s%s%s\n\n", t->n_before,
		      cli_plural(t->n_before), n_after, t->paired ? ", in pairs" : "",
		      t->unit ? t->unit : "processor time", t->per ? " per " : "", t->per ? t->per : "");
	if (markdown)
		put_format(out, "| verdict | change | interval | before | after | %s |\n"
			      "| --- | ---: | --- | ---: | ---: | --- |\n", kind);
	else
		put_format(out, "%-9s %9s  %-22s %10s %10s  %s\n", "VERDICT", "CHANGE", "INTERVAL", "BEFORE",
			      "AFTER", "NAME");
	put_line(t, out, t->total);
	for (size_t i = 0; i < t->n; i++)
		if (is_shown(t, &t->lines[i]))
			put_line(t, out, &t->lines[i]);
	put_rest(t, out);
}

/* ---- for programs ---- */

struct diff_row {
	const char *kind, *name, *verdict;
	double before, after, change, low, high, chance;
	uint64_t runs;
	const char *note;
};
static const struct column columns_of_rows[] = {
	{ .name = "kind", COLUMN(TEXT, struct diff_row, kind) },
	{ .name = "name", COLUMN(TEXT, struct diff_row, name) },
	{ .name = "verdict", COLUMN(TEXT, struct diff_row, verdict) },
	{ .name = "before", COLUMN(DOUBLE, struct diff_row, before) },
	{ .name = "after", COLUMN(DOUBLE, struct diff_row, after) },
	{ .name = "change", COLUMN(DOUBLE, struct diff_row, change) },
	{ .name = "low", COLUMN(DOUBLE, struct diff_row, low) },
	{ .name = "high", COLUMN(DOUBLE, struct diff_row, high) },
	{ .name = "chance", COLUMN(DOUBLE, struct diff_row, chance) },
	{ .name = "runs", COLUMN(NUMBER, struct diff_row, runs), .optional = true },
	{ .name = "note", COLUMN(TEXT, struct diff_row, note) },
	{ .name = NULL }
};
static const struct column columns_of_parts[] = {
	{ .name = "name", COLUMN(TEXT, struct diff_part, name) },
	{ .name = "before", COLUMN(DOUBLE, struct diff_part, before) },
	{ .name = "after", COLUMN(DOUBLE, struct diff_part, after) },
	{ .name = NULL }
};

static void put_parts(struct pp_json *json, const struct diff_line *line)
{
	struct columns columns = { .count = 0 };

	(void)columns_choose(&columns, columns_of_parts, NULL);
	pp_json_open(json, "parts", '[');
	for (size_t i = 0; i < line->n_parts; i++) {
		pp_json_open(json, NULL, '{');
		columns_json(json, &columns, &line->parts[i]);
		pp_json_close(json, '}');
	}
	pp_json_close(json, ']');
}

static void put_row(const struct diff_table *t, struct pp_out *out, const struct columns *columns,
		    const struct diff_line *line)
{
	const struct pp_gate_unit *const of = line->of;
	const bool judged = of->verdict != PP_GATE_LIGHT;
	const struct diff_row row = {
		.kind = line->kind, .name = line->name, .verdict = pp_gate_verdict_name(of->verdict),
		.before = of->before, .after = of->after, .change = judged ? of->change : NAN,
		.low = judged ? of->low : NAN, .high = judged ? of->high : NAN,
		.chance = judged ? of->chance : NAN, .runs = of->runs,
		.note = line->note,
	};
	struct pp_json json = { .out = out };

	if (t->form == DIFF_CSV) {
		columns_csv(out, columns, &row);
		return;
	}
	pp_json_open(&json, NULL, '{');
	columns_json(&json, columns, &row);
	if (line->n_parts)
		put_parts(&json, line);
	pp_json_close(&json, '}');
	pp_out_text(out, "\n");
}

static void put_recordings(const struct diff_table *t, struct pp_out *out)
{
	for (size_t i = 0; i < t->n_recordings; i++) {
		const struct diff_recording *const r = &t->recordings[i];
		struct pp_json json = { .out = out };

		pp_json_open(&json, NULL, '{');
		(void)pp_json_text(&json, "kind", "recording", 9);
		(void)pp_json_text(&json, "name", r->path, strlen(r->path));
		(void)pp_json_text(&json, "side", r->after ? "after" : "before", r->after ? 5 : 6);
		pp_json_number(&json, "run", r->run);
		pp_json_number(&json, "samples", r->samples);
		pp_json_close(&json, '}');
		pp_out_text(out, "\n");
	}
}

static void write_for_programs(const struct diff_table *t, struct pp_out *out)
{
	struct columns columns = { .count = 0 };

	(void)columns_choose(&columns, columns_of_rows, NULL);
	if (t->form == DIFF_CSV) {
		columns_csv_head(out, &columns);
	} else {
		pp_out_text(out, "{\"schema\":\"" SCHEMA "\"}\n");
		put_recordings(t, out);
	}
	put_row(t, out, &columns, t->total);
	for (size_t i = 0; i < t->n; i++)
		put_row(t, out, &columns, &t->lines[i]);
}

void diff_table_write(struct diff_table *t, struct pp_out *out)
{
	qsort(t->lines, t->n, sizeof(*t->lines), by_harm);
	(t->form == DIFF_CSV || t->form == DIFF_JSON ? write_for_programs : write_for_people)(t, out);
}
