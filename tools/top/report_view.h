/* report_view.h - the columns and cells of a table whose lines have the keys of a report. */
#ifndef PP_REPORT_VIEW_H
#define PP_REPORT_VIEW_H

#include "top/top_rows.h"

/* Its columns: rows are struct top_line, whose cells are in their order.  Until the next call. */
const struct column *keyed_columns(const struct pp_report *);
/* The name of the order of this number: the report's own, then that of each column; NULL: there is none. */
const char *keyed_sort_name(const struct pp_report *, size_t sort);
/* The column in which callers stand: that of functions, or the last. */
size_t keyed_tree_column(const struct pp_report *);
/* The table of an event, by its name.  False: it has none. */
bool keyed_event(const struct pp_report *, const char *name, size_t *event);
/* Its entries in an order, to be freed. */
size_t *keyed_order(const struct pp_report *, size_t event, size_t sort);
/* The text of a cell, to be freed. */
char *keyed_cell(const struct pp_report *, size_t event, size_t entry, size_t column);
/* The name of a function in a cell of its column, to be freed; NULL: it is not known. */
char *keyed_function(const struct pp_report *, size_t event, size_t entry, size_t column);
/* What a line of callers has in a column of weights, to be freed; NULL: nothing. */
char *keyed_weight(const struct pp_report *, size_t column, uint64_t weight, uint64_t samples,
		   uint64_t total);

#endif
