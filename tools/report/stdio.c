/* stdio.c - a report as perf report --stdio prints it, byte for byte; call trees are callgraph.c's. */
#include "report/hierarchy.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_WIDTH = 16 };

/* The table of one event. */
struct table {
	struct pp_report *report;
	size_t event, columns, members;
	struct pp_report_event of;
	struct pp_report_column *column;
	size_t *number;               /* in the report */
	size_t *width;
	struct looks {
		bool overlong, ragged, of_data, of_end;
		bool of_file, of_thread;
	} *looks;                     /* of each column */
	bool fills_last;              /* a column that is the same in all rows would come after */
	struct pp_out *out;
};

/* ---- columns: as sort__setup_elide() has it ---- */

/* What is the same in all rows, since only that was asked for; NULL: there is no such thing. */
static const char *same_in_all(const char *column)
{
	const char *const list = !strncmp(column, "comm", 4) ? table_options.comms :
				 !strcmp(column, "dso") ? table_options.dsos :
				 !strcmp(column, "symbol") ? table_options.symbols : NULL;

	return list && *list && !strchr(list, ',') ? list : NULL;
}

/* Whether keys are left that are not the same in all rows: otherwise all are shown. */
static bool has_other_keys(const struct pp_report *report)
{
	struct pp_report_column column;

	for (size_t i = 0; i < pp_report_columns(report); i++) {
		pp_report_column(report, i, &column);
		if (column.key && !same_in_all(column.name))
			return true;
	}
	return false;
}

static bool is_file(const char *column)
{
	return !strncmp(column, "dso", 3);
}

static bool is_of_data(const char *column)
{
	return !strcmp(column, "symbol_daddr") || !strcmp(column, "symbol_iaddr") ||
	       !strcmp(column, "dcacheline");
}

static bool is_of_end(const char *column)
{
	return !strcmp(column, "addr_from") || !strcmp(column, "addr_to");
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Columns that perf makes no room for, and lets what is longer stand out of; */
static const char *const overlong[] = {
	"mem", "tlb", "snoop", "transaction", "in_tx", "abort", "code_page_size", "data_page_size",
	"type", "typeoff", "typecln",
};
/* and those whose text it cuts: names of files of branches, too, where no function is known. */
static const char *const cut[] = { "locked", "blocked", "mispredict" };
/* Where they are the last, they are not filled up. */
static const char *const ragged[] = {
	"srcline", "srcfile", "cgroup", "cgroup_id", "locked", "blocked", "trace", "typeoff", "typecln",
};
#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof(*(names)))

static struct looks looks_of(const char *name)
{
	return (struct looks){
		.overlong = IS_ONE_OF(name, overlong), .ragged = IS_ONE_OF(name, ragged),
		.of_data = is_of_data(name), .of_end = is_of_end(name), .of_file = is_file(name),
		.of_thread = !strcmp(name, "comm"),
	};
}

static void find_columns(struct table *t)
{
	/* a tree has its levels in any case */
	const bool all = table_options.hierarchy || !has_other_keys(t->report);

	t->columns = 0;
	for (size_t i = 0; i < pp_report_columns(t->report); i++) {
		struct pp_report_column column;

		pp_report_column(t->report, i, &column);
		t->fills_last = column.key && !all && same_in_all(column.name);
		if (t->fills_last)
			continue;
		t->column[t->columns] = column;
		t->looks[t->columns] = looks_of(column.name);
		t->number[t->columns++] = i;
	}
}

static void write_same(struct pp_report *report, struct pp_out *out)
{
	struct pp_report_column column;

	for (size_t i = 0; i < pp_report_columns(report); i++) {
		const char *same;

		pp_report_column(report, i, &column);
		same = same_in_all(column.name);
		if (!column.key || !same)
			continue;
		pp_out_text(out, "# ");
		/* as perf has it, also of comm_nodigit */
		pp_out_text(out, !strncmp(column.name, "comm", 4) ? "comm" : column.name);
		pp_out_text(out, ": ");
		pp_out_printable(out, same, strlen(same));
		pp_out_char(out, '\n');
	}
}

/* ---- widths: hists__calc_col_len() ---- */

static void widen(size_t *width, size_t to)
{
	if (*width < to)
		*width = to;
}

static size_t symbol_width(const struct pp_report_cell *cell)
{
	return cell->known ? cell->length + strlen("[.] ") : ADDRESS_WIDTH + strlen("[.] 0x");
}

static bool grows(const char *column, const struct pp_report_cell *cell)
{
	return !IS_ONE_OF(column, overlong) && !IS_ONE_OF(column, cut) &&
	       (!cell->unnamed || (strcmp(column, "dso_from") && strcmp(column, "dso_to")));
}

/* Names of threads have the width of the last one that a thread had. */
static void widen_column(struct table *t, size_t entry, size_t column)
{
	const struct pp_report_column *const c = &t->column[column];
	const struct looks *const looks = &t->looks[column];
	struct pp_report_weights weights;
	struct pp_report_cell cell;

	/* what they weigh has room */
	if (!c->key)
		return;
	pp_report_cell(t->report, t->event, entry, t->number[column], &cell);
	if (looks->of_thread || c->kind == PP_REPORT_TASK)
		pp_report_weights(t->report, t->event, entry, &weights);
	if (looks->of_thread)
		widen(&t->width[column], strlen(weights.comm));
	else if (c->kind == PP_REPORT_TASK)
		widen(&t->width[column], strlen(weights.comm) + strlen("1234567:"));
	else if (c->kind == PP_REPORT_SYMBOL || looks->of_data)
		widen(&t->width[column], symbol_width(&cell) + (cell.known && looks->of_data ?
								ADDRESS_WIDTH + strlen("0x") +
								!strcmp(c->name, "dcacheline") : 0));
	else if (looks->of_end && !cell.known)
		widen(&t->width[column], ADDRESS_WIDTH + strlen("[.] 0x"));
	else if (!strcmp(c->name, "transaction") && cell.length)
		widen(&t->width[column], strlen("EL ASYNC RETRY CON CAP-READ :XX "));
	else if (c->kind == PP_REPORT_TEXT && cell.known && grows(c->name, &cell))
		widen(&t->width[column], cell.length);
	/* where a function is not known, that of its file is as wide as an address, unless -d chooses */
	if (cell.unnamed && !table_options.separator && !table_options.dsos && looks->of_file)
		widen(&t->width[column], ADDRESS_WIDTH);
}

static void find_widths(struct table *t)
{
	const size_t entries = pp_report_entries(t->report, t->event);

	for (size_t i = 0; i < t->columns; i++) {
		t->width[i] = strlen(t->column[i].header);
		/* perf makes room for keys when it meets an entry */
		if (!t->column[i].key)
			widen(&t->width[i], t->column[i].width * t->members);
		else if (entries)
			widen(&t->width[i], t->column[i].width);
	}
	for (size_t e = 0; e < entries; e++)
		for (size_t i = 0; i < t->columns && table_may_show(t->report, t->event, e); i++)
			widen_column(t, e, i);
}

/* ---- what is above the rows ---- */

static void write_spaces(struct pp_out *out, size_t n, char c)
{
	if (c == ' ')
		pp_out_blanks(out, n);
	else
		while (n-- > 0)
			pp_out_char(out, c);
}

/* 12345 is "12K": one letter, or a space. */
static void write_count(struct pp_out *out, uint64_t n)
{
	static const char units[] = " KMG";
	unsigned unit = 0;

	for (; n > 1000 && unit < 3; unit++)
		n /= 1000;
	pp_out_dec(out, n);
	pp_out_char(out, units[unit]);
}

static void write_event_name(struct pp_out *out, const char *name)
{
	pp_out_printable(out, name, strlen(name));
}

/* "anon group { cycles, instructions }"; events that only --group puts together are without a frame */
static void write_events(const struct table *t)
{
	const bool framed = t->of.group && !t->of.put_together;

	if (framed) {
		write_event_name(t->out, *t->of.group ? t->of.group : "anon group");
		pp_out_text(t->out, " { ");
	}
	for (size_t i = 0; i < t->members; i++) {
		struct pp_report_event member;

		pp_report_member(t->report, t->event, i, &member);
		pp_out_text(t->out, i ? ", " : "");
		write_event_name(t->out, member.name);
	}
	if (framed)
		pp_out_text(t->out, " }");
}

/* What all events of the table have together. */
static void sum_up(const struct table *t, uint64_t *samples, uint64_t *weight)
{
	*samples = *weight = 0;
	for (size_t i = 0; i < t->members; i++) {
		struct pp_report_event member;

		pp_report_member(t->report, t->event, i, &member);
		*samples += member.samples;
		*weight += member.weight;
	}
}

static void write_head(const struct table *t)
{
	struct pp_out *const out = t->out;
	uint64_t samples, weight;

	sum_up(t, &samples, &weight);
	pp_out_text(out, "# Samples: ");
	write_count(out, samples);
	pp_out_text(out, t->of.leads || t->of.group ? " of events '" : " of event '");
	write_events(t);
	pp_out_text(out, pp_report_mode(t->report) == PP_REPORT_MEMORY ? "'\n# Total weight : " :
		    "'\n# Event count (approx.): ");
	pp_out_dec(out, weight);
	if (pp_report_mode(t->report) == PP_REPORT_MEMORY && pp_report_sort(t->report)) {
		pp_out_text(out, "\n# Sort order   : ");
		pp_out_printable(out, pp_report_sort(t->report), strlen(pp_report_sort(t->report)));
	}
	pp_out_text(out, "\n#\n# ");
	if (table_options.hierarchy)
		return;
	for (size_t i = 0; i < t->columns; i++) {
		const size_t length = strlen(t->column[i].header);

		if (i)
			pp_out_text(out, table_options.separator ? table_options.separator : "  ");
		if (!t->column[i].key)
			write_spaces(out, t->width[i] - length, ' ');
		pp_out_text(out, t->column[i].header);
		if (t->column[i].key)
			write_spaces(out, t->width[i] - length, ' ');
	}
	pp_out_char(out, '\n');
	if (table_options.separator)
		return;
	pp_out_text(out, "# ");
	for (size_t i = 0; i < t->columns; i++) {
		if (i)
			pp_out_text(out, "  ");
		write_spaces(out, t->width[i], '.');
	}
	pp_out_text(out, "\n#\n");
}

/* ---- rows ---- */

/* Text of a stream, as wide as it says; a separator in it is '.', as in perf's repsep_snprintf(). */
static size_t write_text(struct pp_out *out, const char *text, size_t length, size_t most)
{
	const char separator = table_options.separator ? *table_options.separator : '\0';
	size_t n = length < most ? length : most;

	for (size_t at = 0; at < n;) {
		const char *const end = separator ? memchr(text + at, separator, n - at) : NULL;
		const size_t piece = end ? (size_t)(end - text) - at : n - at;

		pp_out_printable(out, text + at, piece);
		at += piece;
		if (end) {
			pp_out_char(out, '.');
			at++;
		}
	}
	return n;
}

static size_t write_format(struct pp_out *out, const char *text, int length)
{
	pp_out_bytes(out, text, (size_t)length);
	return (size_t)length;
}

static size_t write_percent(struct pp_out *out, const struct pp_report_cell *cell, int width)
{
	char text[PP_FIXED_MOST];
	const size_t n = pp_fixed(text, cell->whole ? 100.0 * (double)cell->number / (double)cell->whole :
						     0.0, 2);
	const size_t blanks = 1 + (width > 0 && (size_t)width > n ? (size_t)width - n : 0);

	pp_out_blanks(out, blanks);
	pp_out_bytes(out, text, n);
	pp_out_char(out, '%');
	return blanks + n + 1;
}

/* What an entry weighs in one event, as wide as its part of the column. */
static size_t write_cell_number(const struct table *t, size_t column, const struct pp_report_cell *cell)
{
	/* of one event alone the column may be as wide as its header */
	const int part = (int)(t->members > 1 ? t->column[column].width : t->width[column]);
	const bool separated = table_options.separator;
	char text[64];
	int n;

	if (t->column[column].kind == PP_REPORT_PERCENT)
		return write_percent(t->out, cell, separated ? 1 : part - 2);
	if (cell->kind == PP_REPORT_AVERAGE)
		n = snprintf(text, sizeof(text), " %*.1f", separated ? 1 : part - 1, cell->average);
	else
		n = snprintf(text, sizeof(text), " %*" PRIu64, separated ? 1 : part - 1, cell->number);
	return write_format(t->out, text, n);
}

static size_t write_weight(const struct table *t, size_t column, size_t entry,
			   const struct pp_report_cell *cell)
{
	char text[64];
	size_t n;

	if (!cell->known)
		/* once, however many events there are; perf aligns it in one of two columns */
		return write_format(t->out, text,
				    snprintf(text, sizeof(text), " %*s",
					     strcmp(t->column[column].name, "overhead_children") ? 0 :
					     (int)t->column[column].width - 1, "N/A"));
	n = write_cell_number(t, column, cell);
	for (size_t i = 1; i < t->members; i++) {
		struct pp_report_cell part;

		pp_report_of_member(t->report, t->event, entry, t->number[column], i, &part);
		n += write_cell_number(t, column, &part);
	}
	return n;
}

/* "0x" and 16 digits; as printf(), 0 has none before them. */
static size_t write_address(struct pp_out *out, uint64_t address)
{
	uint8_t bytes[sizeof(address)];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(address >> (56 - 8 * i));
	pp_out_bytes(out, "0x", address ? 2 : 0);
	pp_out_hex_bytes(out, bytes, sizeof(bytes));
	return (address ? 2 : 0) + ADDRESS_WIDTH;
}

static size_t write_symbol(const struct table *t, const struct pp_report_cell *cell)
{
	const char level[] = { '[', cell->level, ']', ' ' };
	size_t n = write_format(t->out, level, sizeof(level));

	if (!cell->known)
		return n + write_address(t->out, cell->number);
	n += write_text(t->out, cell->text, cell->length, SIZE_MAX);
	if (cell->inlined)
		n += write_format(t->out, " (inlined)", 10);
	return n;
}

/* Perf makes room for addresses without a name, and cuts names to that, but for how far into them it is. */
static size_t write_end(const struct table *t, size_t column, const struct pp_report_cell *cell)
{
	struct pp_report_cell name = *cell;
	char text[64];
	size_t n;

	if (cell->length > t->width[column] - 4)
		name.length = t->width[column] - 4;
	n = write_symbol(t, &name);
	return n + write_format(t->out, text, cell->known && cell->number ?
				snprintf(text, sizeof(text), "+0x%" PRIx64, cell->number) : 0);
}

static size_t write_key(const struct table *t, size_t column, const struct pp_report_cell *cell)
{
	const size_t width = t->width[column];
	char text[64];
	size_t n;

	switch (cell->kind) {
	case PP_REPORT_SYMBOL:
		return write_symbol(t, cell);
	case PP_REPORT_TASK:
		n = write_format(t->out, text, snprintf(text, sizeof(text), "%7d:", (int)cell->number));
		n += write_text(t->out, cell->text, cell->length, width - 8);
		break;
	case PP_REPORT_CPU:
		return write_format(t->out, text,
				    snprintf(text, sizeof(text), "%*.3d", (int)width, (int)cell->number));
	case PP_REPORT_NUMBER:
		return write_format(t->out, text, cell->known ?
				    snprintf(text, sizeof(text), "%*" PRIu64, (int)width, cell->number) :
				    snprintf(text, sizeof(text), "%*s", (int)width, cell->text));
	case PP_REPORT_TIME:
		return write_format(t->out, text,
				    snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64,
					     cell->number / 1000000000, cell->number / 1000 % 1000000));
	case PP_REPORT_COST:
	case PP_REPORT_TIMES:
		if (!cell->known)
			return write_format(t->out, text, snprintf(text, sizeof(text), "%-*s", (int)width,
								   cell->text));
		return write_format(t->out, text, snprintf(text, sizeof(text), "%-*" PRIu64, (int)width,
							   cell->number));
	case PP_REPORT_ADDRESS:
		return write_format(t->out, text, snprintf(text, sizeof(text), "%-#*" PRIx64, (int)width,
							   cell->number));
	case PP_REPORT_INTO:
		if (t->looks[column].of_end)
			return write_end(t, column, cell);
		n = write_format(t->out, text, snprintf(text, sizeof(text), "[%c] ", cell->level));
		n += write_text(t->out, cell->text, cell->length, SIZE_MAX);
		/* without a name, as many digits as perf has room for in a column that does not grow */
		return n + write_format(t->out, text, cell->known ?
					snprintf(text, sizeof(text), "+0x%" PRIx64, cell->number) :
					snprintf(text, sizeof(text), "%#.*" PRIx64,
						 t->looks[column].of_data ? ADDRESS_WIDTH :
						 (int)width - 4, cell->number));
	default:
		n = write_text(t->out, cell->text, cell->length,
			       t->looks[column].overlong ? SIZE_MAX : width);
	}
	if (n < width && !t->looks[column].ragged) {
		write_spaces(t->out, width - n, ' ');
		n = width;
	}
	return n;
}

static void write_row(const struct table *t, size_t entry)
{
	for (size_t i = 0; i < t->columns; i++) {
		struct pp_report_cell cell;
		size_t n;

		if (i || !table_options.separator)
			pp_out_text(t->out, table_options.separator ? table_options.separator : "  ");
		pp_report_cell(t->report, t->event, entry, t->number[i], &cell);
		n = t->column[i].key ? write_key(t, i, &cell) : write_weight(t, i, entry, &cell);
		if ((i + 1 < t->columns || t->fills_last) && n < t->width[i])
			write_spaces(t->out, t->width[i] - n, ' ');
	}
	pp_out_char(t->out, '\n');
}

/* ---- a tree: as print_hierarchy_header() and hist_entry__hierarchy_fprintf() have it ---- */

enum { INDENT = 3 };                  /* of a level */

/* Room for all levels but the first, before what is in one line for all. */
static void write_indent(const struct table *t, size_t levels)
{
	write_spaces(t->out, table_options.separator ? 0 : levels * INDENT, ' ');
}

static void write_levels_head(const struct table *t, size_t n_weights)
{
	const char *const separator = table_options.separator ? table_options.separator : "  ";
	const size_t keys = t->columns - n_weights;
	size_t width = 0;

	write_indent(t, keys - 1);
	for (size_t i = 0; i < n_weights; i++) {
		write_spaces(t->out, t->width[i] - strlen(t->column[i].header), ' ');
		pp_out_text(t->out, t->column[i].header);
		pp_out_text(t->out, separator);
	}
	for (size_t i = n_weights; i < t->columns; i++) {
		const char *const header = t->column[i].header + strspn(t->column[i].header, " ");
		size_t length = strlen(header);

		while (length && header[length - 1] == ' ')
			length--;
		pp_out_text(t->out, i > n_weights ? " / " : "");
		pp_out_bytes(t->out, header, length);
		width += length + (i > n_weights ? strlen(" / ") : 0);
	}
	pp_out_text(t->out, "\n# ");
	if (!table_options.separator)
		write_spaces(t->out, (keys - 1) * INDENT, '.');
	for (size_t i = 0; i < n_weights; i++) {
		pp_out_text(t->out, !i ? "" : table_options.separator ? separator : "..");
		write_spaces(t->out, t->width[i], '.');
	}
	for (size_t i = n_weights; i < t->columns; i++)
		if (t->width[i] + (i - n_weights) * INDENT > width)
			width = t->width[i] + (i - n_weights) * INDENT;
	pp_out_text(t->out, separator);
	write_spaces(t->out, width, '.');
	pp_out_text(t->out, "\n#\n");
}

static void write_level_row(const struct table *t, const struct hierarchy *tree, size_t row, size_t n_weights)
{
	const char *const separator = table_options.separator ? table_options.separator : "  ";
	const struct hierarchy_row *const r = &tree->rows[row];
	const uint64_t *sum = tree->sums + row * n_weights * t->members;
	const size_t key = n_weights + r->depth;
	struct pp_report_cell cell;

	write_spaces(t->out, r->depth * INDENT, ' ');
	for (size_t i = 0; i < n_weights; i++) {
		size_t n = 0;

		pp_out_text(t->out, i || !table_options.separator ? separator : "");
		pp_report_cell(t->report, t->event, r->entry, t->number[i], &cell);
		for (size_t m = 0; m < t->members; m++) {
			if (m)
				pp_report_of_member(t->report, t->event, r->entry, t->number[i], m, &cell);
			cell.number = *sum++;
			n += write_cell_number(t, i, &cell);
		}
		if (n < t->width[i])
			write_spaces(t->out, t->width[i] - n, ' ');
	}
	write_indent(t, t->columns - n_weights - 1);
	pp_out_text(t->out, separator);
	pp_report_cell(t->report, t->event, r->entry, t->number[key], &cell);
	(void)write_key(t, key, &cell);
	pp_out_char(t->out, '\n');
}

static bool is_heavy(const struct table *t, const struct hierarchy_row *row)
{
	return (t->of.weight ? 100.0 * (double)row->weight / (double)t->of.weight : 0.0) >=
	       table_options.percent_limit;
}

/* Rows below one that is not shown are lighter than that. */
static int write_tree(const struct table *t, const struct hierarchy *tree, size_t n_weights,
		      struct pp_error *error)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct hierarchy_row *const row = &tree->rows[i];
		char text[64];

		if (!is_heavy(t, row))
			continue;
		write_level_row(t, tree, i, n_weights);
		/* the heaviest of those below is the next */
		if (!row->leaf && !is_heavy(t, row + 1)) {
			write_indent(t, t->columns - n_weights + row->depth);
			for (size_t c = 0; c < n_weights; c++)
				write_spaces(t->out, t->width[c] + strlen("  "), ' ');
			(void)write_format(t->out, text,
					   snprintf(text, sizeof(text), "  no entry >= %.2f%%\n",
						    table_options.percent_limit));
		}
		if (row->leaf && t->of.has_chains && table_options.mode != CHAIN_NONE &&
		    callgraph_write(t->report, t->event, row->entry, t->out, error))
			return -1;
	}
	return 0;
}

static int write_hierarchy(const struct table *t, struct pp_error *error)
{
	struct hierarchy_of of = {
		.report = t->report, .event = t->event, .members = t->members, .weights = t->number,
	};
	struct hierarchy tree;
	int failed;

	while (of.n_weights < t->columns && !t->column[of.n_weights].key)
		of.n_weights++;
	of.keys = t->number + of.n_weights;
	of.n_keys = t->columns - of.n_weights;
	write_levels_head(t, of.n_weights);
	hierarchy_make(&tree, &of);
	failed = write_tree(t, &tree, of.n_weights, error);
	hierarchy_free(&tree);
	pp_out_text(t->out, "\n\n");
	return failed;
}

static int write_event(struct table *t, struct pp_error *error)
{
	const size_t entries = pp_report_entries(t->report, t->event);

	pp_report_event(t->report, t->event, &t->of);
	t->members = pp_report_members(t->report, t->event);
	find_columns(t);
	find_widths(t);
	write_head(t);
	if (table_options.hierarchy)
		return write_hierarchy(t, error);
	for (size_t i = 0; i < entries; i++) {
		if (!table_shows(t->report, t->event, i, t->of.weight))
			continue;
		write_row(t, i);
		if (table_options.histograms)
			histogram_write(t->report, t->event, i, t->out);
		if (t->of.has_chains && table_options.mode != CHAIN_NONE &&
		    callgraph_write(t->report, t->event, i, t->out, error))
			return -1;
	}
	pp_out_text(t->out, "\n\n");
	return 0;
}

int table_write(struct pp_report *report, uint64_t lost, struct pp_out *out, struct pp_error *error)
{
	const size_t columns = pp_report_columns(report);
	struct table t = { .report = report, .out = out };
	int failed = 0;

	t.column = calloc(columns, sizeof(*t.column));
	t.number = calloc(columns, sizeof(*t.number));
	t.width = calloc(columns, sizeof(*t.width));
	t.looks = calloc(columns, sizeof(*t.looks));
	if (!t.column || !t.number || !t.width || !t.looks)
		cli_no_memory();
	if (!table_options.headed)
		pp_out_text(out, "# To display the perf.data header info, please use "
				 "--header/--header-only options.\n#\n");
	write_same(report, out);
	pp_out_text(out, "#\n# Total Lost Samples: ");
	pp_out_dec(out, lost);
	pp_out_text(out, "\n#\n");
	for (t.event = 0; !failed && t.event < pp_report_events(report); t.event++)
		failed = write_event(&t, error);
	free(t.column);
	free(t.number);
	free(t.width);
	free(t.looks);
	return failed;
}
