/* table.h - a report as text: tables with call trees, as perf report --stdio has them. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "shared/run.h"

enum chain_mode { CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FLAT, CHAIN_FOLDED, CHAIN_NONE };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };
enum chain_order { ORDER_DEFAULT, ORDER_CALLER, ORDER_CALLEE };

extern struct table_options {
	const char *separator;        /* between columns; NULL: they are aligned */
	double percent_limit;         /* entries below are left out */
	enum chain_mode mode;
	enum chain_value value;
	enum chain_order order;
	double chain_limit;           /* in percent: calls below are left out */
	uint64_t print_limit;         /* calls of a level; 0: all */
	bool headed;                  /* what the recording says of itself was shown */
	bool hierarchy;               /* a level for each key */
	bool histograms;              /* of the periods of each entry */
	bool starts_with_symbol;      /* -s begins with it: trees do not repeat it */
	const char *comms, *dsos, *symbols;  /* which are shown, "a,b"; NULL: all */
	const char *symbol_part;      /* entries whose symbol lacks this are left out; NULL: none */
} table_options;

/* Options that set them: NULL, or what is wrong.  callgraph_option.c */
const char *table_parse_call_graph(void *, const char *value);
const char *table_parse_percent(void *, const char *value);
/* The i-th word of -g; NULL past the last. */
const char *table_call_graph_word(size_t i);

/* Writes all events' tables.  0, or -1 and *error. */
int table_write(struct pp_report *, uint64_t lost, struct pp_out *, struct pp_error *);

/* The same for programs: CSV with a header of the columns' names, or JSON Lines, schema perfpipe.report/1.
 * report_csv_json.c */
void lines_write_csv(struct pp_report *, struct pp_out *);
void lines_write_json(struct pp_report *, struct pp_out *);

/* ---- which entries are shown: shown_rows.c */
/* Whether the column `symbol` is there, and its number. */
bool table_symbol_column(const struct pp_report *, size_t *number);
/* Whether the entry has the wanted symbol; and whether it is heavy enough, too, of a whole. */
bool table_may_show(const struct pp_report *, size_t event, size_t entry);
bool table_shows(const struct pp_report *, size_t event, size_t entry, uint64_t whole);

/* How the periods of an entry's samples are spread: bars below its row; an array of [least, largest,
 * samples], which is called "buckets".  histogram.c */
void histogram_write(const struct pp_report *, size_t event, size_t entry, struct pp_out *);
void histogram_write_json(const struct pp_report *, size_t event, size_t entry, struct pp_json *);

/* ---- parts of tables: callgraph.c */
int callgraph_write(struct pp_report *, size_t event, size_t entry, struct pp_out *, struct pp_error *);

#endif
