/* report_csv_json.c - the tables of a report for programs, as CSV and as JSON Lines; call trees are
 * pp-fold's. */
#include "report/table.h"

#include "cli/table_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double percent_of(uint64_t whole, uint64_t weight)
{
	return whole ? 100.0 * (double)weight / (double)whole : 0.0;
}

/* What a number means to programs: percents, seconds where people write times, addresses. */
static int write_line_number(char text[32], const struct pp_report_cell *cell)
{
	switch (cell->kind) {
	case PP_REPORT_PERCENT:
		return snprintf(text, 32, "%.4f", percent_of(cell->whole, cell->number));
	case PP_REPORT_AVERAGE:
		return snprintf(text, 32, "%.4f", cell->average);
	case PP_REPORT_CPU:
	case PP_REPORT_TASK:
		return snprintf(text, 32, "%d", (int)cell->number);
	case PP_REPORT_TIME:
		return snprintf(text, 32, "%" PRIu64 ".%09" PRIu64, cell->number / 1000000000,
				cell->number % 1000000000);
	case PP_REPORT_SYMBOL:
	case PP_REPORT_ADDRESS:
	case PP_REPORT_INTO:
		return snprintf(text, 32, "0x%" PRIx64, cell->number);
	default:
		return snprintf(text, 32, "%" PRIu64, cell->number);
	}
}

static bool is_text(const struct pp_report_cell *cell)
{
	return cell->kind == PP_REPORT_TEXT || (cell->kind == PP_REPORT_SYMBOL && cell->known);
}

/* Of what is not known there is no number. */
static bool may_be_absent(const struct pp_report_cell *cell)
{
	return cell->kind == PP_REPORT_PERCENT || cell->kind == PP_REPORT_NUMBER;
}

/* How far into a function: "main+0x10", which the caller frees. */
static char *text_into(const struct pp_report_cell *cell)
{
	return cli_text("%.*s+0x%" PRIx64, (int)cell->length, cell->text, cell->number);
}

/* ---- CSV ---- */

static void write_csv_cell(const struct pp_report_cell *cell, struct pp_out *out)
{
	char text[32], *into;

	if (is_text(cell)) {
		pp_out_csv(out, cell->text, cell->length);
	} else if (cell->kind == PP_REPORT_INTO && cell->known) {
		into = text_into(cell);
		pp_out_csv(out, into, strlen(into));
		free(into);
	} else if (cell->known || !may_be_absent(cell)) {
		pp_out_bytes(out, text, (size_t)write_line_number(text, cell));
	}
}

static void write_csv_entry(struct pp_report *report, size_t event, size_t entry,
			    const struct pp_report_event *of, struct pp_out *out)
{
	pp_out_csv(out, of->name, strlen(of->name));
	for (size_t i = 0; i < pp_report_columns(report); i++) {
		struct pp_report_cell cell;

		pp_out_char(out, ',');
		pp_report_cell(report, event, entry, i, &cell);
		write_csv_cell(&cell, out);
	}
	pp_out_text(out, "\r\n");
}

void lines_write_csv(struct pp_report *report, struct pp_out *out)
{
	struct pp_report_column column;
	struct pp_report_event of;

	pp_out_text(out, "event");
	for (size_t i = 0; i < pp_report_columns(report); i++) {
		pp_report_column(report, i, &column);
		pp_out_char(out, ',');
		pp_out_text(out, column.name);
	}
	pp_out_text(out, "\r\n");
	for (size_t event = 0; event < pp_report_events(report); event++) {
		pp_report_event(report, event, &of);
		for (size_t i = 0; i < pp_report_entries(report, event); i++)
			if (table_shows(report, event, i, of.weight))
				write_csv_entry(report, event, i, &of, out);
	}
}

/* ---- JSON ---- */

/* A text that is not UTF-8 is absent, and its bytes are there as NAME_hex. */
static void write_json_text(struct pp_json *j, const char *name, const char *text, size_t length)
{
	char hex[64];

	if (pp_json_text(j, name, text, length))
		return;
	snprintf(hex, sizeof(hex), "%s_hex", name);
	pp_json_bytes(j, hex, text, length);
}

static void write_json_into(struct pp_json *j, const char *name, const struct pp_report_cell *cell)
{
	char *text;

	if (!cell->known) {
		pp_json_hex(j, name, cell->number);
		return;
	}
	text = text_into(cell);
	write_json_text(j, name, text, strlen(text));
	free(text);
}

static void write_json_cell(struct pp_json *j, const char *name, const struct pp_report_cell *cell)
{
	char text[32];

	if (is_text(cell)) {
		if (cell->known)
			write_json_text(j, name, cell->text, cell->length);
	} else if (cell->kind == PP_REPORT_SYMBOL) {
		pp_json_hex(j, "address", cell->number);
	} else if (cell->kind == PP_REPORT_INTO) {
		write_json_into(j, name, cell);
	} else if (cell->kind == PP_REPORT_CPU) {
		if ((int)cell->number >= 0)
			pp_json_number(j, name, cell->number);
	} else if (cell->kind != PP_REPORT_PERCENT && cell->kind != PP_REPORT_AVERAGE &&
		   cell->kind != PP_REPORT_TASK) {
		if (cell->known || !may_be_absent(cell))
			pp_json_number(j, name, cell->number);
	} else if (cell->known) {
		pp_json_key(j, name);
		pp_out_bytes(j->out, text, (size_t)write_line_number(text, cell));
	}
	if (cell->kind == PP_REPORT_SYMBOL) {
		(void)pp_json_text(j, "level", &cell->level, 1);
		if (cell->inlined)
			pp_json_number(j, "inlined", 1);
	}
}

static void write_json_entry(struct pp_report *report, size_t event, size_t entry,
			     const struct pp_report_event *of, struct pp_out *out)
{
	struct pp_json j = { .out = out };

	pp_json_open(&j, NULL, '{');
	write_json_text(&j, "event", of->name, strlen(of->name));
	for (size_t i = 0; i < pp_report_columns(report); i++) {
		struct pp_report_column column;
		struct pp_report_cell cell;

		pp_report_column(report, i, &column);
		pp_report_cell(report, event, entry, i, &cell);
		write_json_cell(&j, column.name, &cell);
	}
	if (table_options.histograms)
		histogram_write_json(report, event, entry, &j);
	pp_json_close(&j, '}');
	pp_out_char(out, '\n');
}

void lines_write_json(struct pp_report *report, struct pp_out *out)
{
	struct pp_report_event of;

	pp_out_text(out, "{\"schema\":\"perfpipe.report/1\"}\n");
	for (size_t event = 0; event < pp_report_events(report); event++) {
		struct pp_json j = { .out = out };

		pp_report_event(report, event, &of);
		pp_json_open(&j, NULL, '{');
		write_json_text(&j, "event", of.name, strlen(of.name));
		pp_json_number(&j, "samples", of.samples);
		pp_json_number(&j, "total", of.weight);
		pp_json_close(&j, '}');
		pp_out_char(out, '\n');
		for (size_t i = 0; i < pp_report_entries(report, event); i++)
			if (table_shows(report, event, i, of.weight))
				write_json_entry(report, event, i, &of, out);
	}
}
