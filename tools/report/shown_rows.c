/* shown_rows.c - which entries of a report are shown: heavy ones, that have the wanted symbol. */
#include "report/table.h"

#include <string.h>

bool table_symbol_column(const struct pp_report *report, size_t *number)
{
	struct pp_report_column column;

	for (*number = 0; *number < pp_report_columns(report); ++*number) {
		pp_report_column(report, *number, &column);
		if (!strcmp(column.name, "symbol"))
			return true;
	}
	return false;
}

bool table_may_show(const struct pp_report *report, size_t event, size_t entry)
{
	const char *const part = table_options.symbol_part;
	struct pp_report_cell cell;
	size_t column;

	if (!part || !table_symbol_column(report, &column))
		return true;
	pp_report_cell(report, event, entry, column, &cell);
	return cell.known && memmem(cell.text, cell.length, part, strlen(part));
}

bool table_shows(const struct pp_report *report, size_t event, size_t entry, uint64_t whole)
{
	struct pp_report_weights w;
	uint64_t weight;

	if (!table_may_show(report, event, entry))
		return false;
	pp_report_weights(report, event, entry, &w);
	weight = pp_report_children(report) ? w.children : w.weight;
	return (whole ? 100.0 * (double)weight / (double)whole : 0.0) >= table_options.percent_limit;
}
