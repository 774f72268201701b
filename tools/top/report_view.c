/* report_view.c - the columns and cells of a table whose lines have the keys of a report: pp-report's
 * columns, as wide as people want to see them at once. */
#include "top/report_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfpipe/report.h>

#include "cli/message.h"

enum { NAME_MOST = 1024 };      /* bytes of a name that are shown */

static int width_of(const struct pp_report_column *column)
{
	switch (column->kind) {
	case PP_REPORT_PERCENT:
	case PP_REPORT_AVERAGE:
		return 8;
	case PP_REPORT_NUMBER:
		return strcmp(column->name, "period") ? 8 : 14;
	case PP_REPORT_CPU:
		return 3;
	case PP_REPORT_COST:
	case PP_REPORT_TIMES:
		return 12;
	case PP_REPORT_TASK:
		return -24;
	case PP_REPORT_ADDRESS:
		return -18;
	default:
		return !strcmp(column->name, "comm") ? -16 : column->kind == PP_REPORT_TEXT ? -24 : -32;
	}
}

const struct column *keyed_columns(const struct pp_report *report)
{
	static struct pp_report_column names[CELLS_MOST];
	static struct column columns[CELLS_MOST + 1];
	const size_t n = pp_report_columns(report);

	for (size_t i = 0; i < n; i++) {
		pp_report_column(report, i, &names[i]);
		columns[i] = (struct column){
			.name = names[i].name, .kind = COLUMN_TEXT, .width = width_of(&names[i]),
			.at = offsetof(struct top_line, cells) + i * sizeof(const char *),
		};
	}
	columns[n].name = NULL;
	return columns;
}

const char *keyed_sort_name(const struct pp_report *report, size_t sort)
{
	struct pp_report_column column;

	if (!sort)
		return "as asked";
	if (sort > pp_report_columns(report))
		return NULL;
	pp_report_column(report, sort - 1, &column);
	return column.name;
}

size_t keyed_tree_column(const struct pp_report *report)
{
	const size_t n = pp_report_columns(report);
	struct pp_report_column column;

	for (size_t i = 0; i < n; i++) {
		pp_report_column(report, i, &column);
		if (!strcmp(column.name, "symbol"))
			return i;
	}
	return n - 1;
}

bool keyed_event(const struct pp_report *report, const char *name, size_t *event)
{
	const size_t n = pp_report_events(report);

	for (*event = 0; name && *event < n; ++*event) {
		struct pp_report_event of;

		pp_report_event(report, *event, &of);
		if (!strcmp(of.name, name))
			return true;
	}
	return false;
}

/* ---- order ---- */

struct order {
	const struct pp_report *report;
	size_t event, column;
};

static int by_column(const void *a, const void *b, void *arg)
{
	const struct order *const o = arg;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	struct pp_report_cell x, y;
	int d;

	pp_report_cell(o->report, o->event, i, o->column, &x);
	pp_report_cell(o->report, o->event, j, o->column, &y);
	d = strcmp(x.text, y.text);
	if (!d && x.number != y.number)
		/* who, where and when from the first on; how much from the most */
		d = (x.number > y.number ? 1 : -1) *
		    (x.kind == PP_REPORT_TASK || x.kind == PP_REPORT_CPU || x.kind == PP_REPORT_ADDRESS ||
		     x.kind == PP_REPORT_SYMBOL || x.kind == PP_REPORT_INTO ? 1 : -1);
	return d ? d : (i > j) - (i < j);
}

size_t *keyed_order(const struct pp_report *report, size_t event, size_t sort)
{
	const size_t n = pp_report_entries(report, event);
	size_t *const entries = cli_grow(NULL, n + 1, sizeof(*entries));
	struct order order = { report, event, sort - 1 };

	for (size_t i = 0; i < n; i++)
		entries[i] = i;
	if (sort && n)
		qsort_r(entries, n, sizeof(*entries), by_column, &order);
	return entries;
}

/* ---- cells ---- */

static char *percent(uint64_t weight, uint64_t total)
{
	return cli_text("%.2f%%", total ? 100.0 * (double)weight / (double)total : 0.0);
}

char *keyed_cell(const struct pp_report *report, size_t event, size_t entry, size_t column)
{
	struct pp_report_event of;
	struct pp_report_cell cell;
	int length;

	pp_report_event(report, event, &of);
	pp_report_cell(report, event, entry, column, &cell);
	length = cell.length < NAME_MOST ? (int)cell.length : NAME_MOST;
	switch (cell.kind) {
	case PP_REPORT_PERCENT:
		return cell.known ? percent(cell.number, cell.whole) : cli_text("N/A");
	case PP_REPORT_SYMBOL:
		return cell.known ? cli_text("[%c] %.*s", cell.level, length, cell.text) :
				    cli_text("[%c] 0x%" PRIx64, cell.level, cell.number);
	case PP_REPORT_INTO:
		return cell.known ? cli_text("[%c] %.*s+0x%" PRIx64, cell.level, length, cell.text,
					    cell.number) :
				    cli_text("[%c] 0x%" PRIx64, cell.level, cell.number);
	case PP_REPORT_AVERAGE:
		return cli_text("%.1f", cell.average);
	case PP_REPORT_TASK:
		return cli_text("%d:%.*s", (int)cell.number, length, cell.text);
	case PP_REPORT_CPU:
		return (int)cell.number < 0 ? cli_text("-") : cli_text("%d", (int)cell.number);
	case PP_REPORT_ADDRESS:
		return cli_text("0x%" PRIx64, cell.number);
	case PP_REPORT_TEXT:
		return cli_text("%.*s", length, cell.text);
	default:
		return cell.known ? cli_text("%" PRIu64, cell.number) : cli_text("%.*s", length, cell.text);
	}
}

char *keyed_function(const struct pp_report *report, size_t event, size_t entry, size_t column)
{
	struct pp_report_cell cell;

	pp_report_cell(report, event, entry, column, &cell);
	return cell.known ? cli_text("%.*s", (int)cell.length, cell.text) : NULL;
}

char *keyed_weight(const struct pp_report *report, size_t column, uint64_t weight, uint64_t samples,
		   uint64_t total)
{
	struct pp_report_column of;

	pp_report_column(report, column, &of);
	return !strcmp(of.name, "overhead") ? percent(weight, total) :
	       !strcmp(of.name, "sample") ? cli_text("%" PRIu64, samples) :
	       !strcmp(of.name, "period") ? cli_text("%" PRIu64, weight) : NULL;
}
