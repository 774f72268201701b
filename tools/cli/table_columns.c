/* table_columns.c - values of a row by a table of columns, as text, CSV and JSON. */
#include "cli/table_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

enum { LABEL = 14 };    /* bytes before the values of a line */

/* ---- choosing ---- */

static const struct column *named(const struct column *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (strlen(table->name) == length && !memcmp(table->name, name, length))
			return table;
	return NULL;
}

static const char *choose(struct columns *columns, const struct column *column)
{
	if (!column)
		return "has a name that is not a column";
	if (columns->count == COLUMNS_MOST)
		return "has too many columns";
	columns->items[columns->count++] = column;
	return NULL;
}

const char *columns_choose(struct columns *columns, const struct column *table, const char *names)
{
	const char *wrong = NULL;

	for (; !names && table->name && !wrong; table++)
		wrong = choose(columns, table);
	while (names && !wrong) {
		const size_t length = strcspn(names, ",");

		wrong = choose(columns, named(table, names, length));
		names = names[length] ? names + length + 1 : NULL;
	}
	return wrong;
}

/* ---- values ---- */

/* A value, in the type of its kind. */
struct value {
	uint64_t number;
	int32_t integer;
	const char *text;
	double real;
	bool absent, zero;
};

static struct value value_of(const struct column *column, const void *row)
{
	const char *const at = (const char *)row + column->at;
	struct value v = { .number = 0 };
	bool flag;

	switch (column->kind) {
	case COLUMN_TEXT:
		memcpy(&v.text, at, sizeof(v.text));
		v.absent = v.zero = !v.text;
		break;
	case COLUMN_INT:
		memcpy(&v.integer, at, sizeof(v.integer));
		v.zero = !v.integer;
		break;
	case COLUMN_FLAG:
		memcpy(&flag, at, sizeof(flag));
		v.text = "true";
		v.absent = v.zero = !flag;
		break;
	case COLUMN_ANSWER:
		memcpy(&v.integer, at, sizeof(v.integer));
		v.text = v.integer > 0 ? "true" : "false";
		v.absent = v.integer < 0;
		v.zero = v.integer <= 0;
		break;
	case COLUMN_DOUBLE:
		memcpy(&v.real, at, sizeof(v.real));
		v.absent = isnan(v.real);
		v.zero = v.absent || (v.real <= 0 && v.real >= 0);
		break;
	default:
		memcpy(&v.number, at, sizeof(v.number));
		v.absent = column->kind == COLUMN_TIME && v.number == UINT64_MAX;
		v.zero = !v.number;
	}
	return v;
}

/* As people and CSV have it. */
static void put_plain(struct pp_out *out, const struct column *column, const struct value *v)
{
	switch (column->kind) {
	case COLUMN_TEXT:
	case COLUMN_FLAG:
	case COLUMN_ANSWER:
		if (v->text && !v->absent)
			pp_out_printable(out, v->text, strlen(v->text));
		break;
	case COLUMN_DOUBLE:
		if (!v->absent)
			pp_out_double(out, v->real);
		break;
	case COLUMN_INT:
		pp_out_int(out, v->integer);
		break;
	case COLUMN_NUMBER:
		pp_out_dec(out, v->number);
		break;
	case COLUMN_HEX:
		pp_out_hex(out, v->number);
		break;
	case COLUMN_TIME:
		if (!v->absent)
			pp_out_time(out, v->number);
		break;
	case COLUMN_TENTHS:
		pp_out_dec(out, v->number / 10);
		pp_out_char(out, '.');
		pp_out_dec(out, v->number % 10);
		break;
	}
}

/* ---- cells: what has to be seen whole before it is written ---- */

static struct pp_out cell;      /* never written: its buffer is */

static void make_cell(const struct column *column, const void *row)
{
	const struct value v = value_of(column, row);

	if (!cell.buf && pp_out_open(&cell, -1) < 0)
		cli_no_memory();
	cell.at = 0;
	put_plain(&cell, column, &v);
}

/* Columns of a terminal that a text takes, where each character takes one. */
static size_t width_of(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

static void put_aligned(struct pp_out *out, const struct columns *columns, size_t i, const char *text,
			size_t length)
{
	const int width = columns->items[i]->width;
	const size_t least = (size_t)abs(width), takes = width_of(text, length);
	const size_t pad = takes < least ? least - takes : 0;
	const bool last = i + 1 == columns->count;

	for (size_t n = width > 0 ? pad : 0; n; n--)
		pp_out_char(out, ' ');
	pp_out_bytes(out, text, length);
	for (size_t n = width < 0 && !last ? pad : 0; n; n--)
		pp_out_char(out, ' ');
	pp_out_char(out, last ? '\n' : ' ');
}

void columns_head(struct pp_out *out, const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		const char *const name = columns->items[i]->name;
		char upper[64];
		size_t n = 0;

		for (; name[n] && n < sizeof(upper); n++)
			upper[n] = (char)toupper((unsigned char)name[n]);
		put_aligned(out, columns, i, upper, n);
	}
}

void columns_row(struct pp_out *out, const struct columns *columns, const void *row)
{
	for (size_t i = 0; i < columns->count; i++) {
		make_cell(columns->items[i], row);
		put_aligned(out, columns, i, cell.buf, cell.at);
	}
}

/* ---- CSV ---- */

void columns_csv_head(struct pp_out *out, const struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		pp_out_text(out, i ? "," : "");
		pp_out_text(out, columns->items[i]->name);
	}
	pp_out_text(out, "\r\n");
}

void columns_csv(struct pp_out *out, const struct columns *columns, const void *row)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *const column = columns->items[i];
		const struct value v = value_of(column, row);

		if (i)
			pp_out_char(out, ',');
		if (column->kind == COLUMN_TEXT && v.text)
			pp_out_csv(out, v.text, strlen(v.text));
		else
			put_plain(out, column, &v);
	}
	pp_out_text(out, "\r\n");
}

/* ---- JSON ---- */

static void put_json(struct pp_json *j, const struct column *column, const struct value *v)
{
	switch (column->kind) {
	case COLUMN_TEXT:
		if (pp_json_text(j, column->name, v->text, strlen(v->text)))
			break;
		pp_json_key(j, column->name);
		pp_out_text(j->out, "null");
		break;
	case COLUMN_NUMBER:
	case COLUMN_TIME:
		pp_json_number(j, column->name, v->number);
		break;
	case COLUMN_HEX:
		pp_json_hex(j, column->name, v->number);
		break;
	default:
		pp_json_key(j, column->name);
		put_plain(j->out, column, v);
	}
}

void columns_json(struct pp_json *j, const struct columns *columns, const void *row)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct value v = value_of(columns->items[i], row);

		if (!v.absent)
			put_json(j, columns->items[i], &v);
	}
}

/* ---- lines for people ---- */

void columns_label(struct pp_out *out, const char *label)
{
	const size_t length = strlen(label);

	pp_out_text(out, label);
	pp_out_bytes(out, "              ", length < LABEL ? LABEL - length : 1);
}

void columns_lines(struct pp_out *out, const struct columns *columns, const void *row)
{
	bool begun = false;

	for (size_t i = 0; i < columns->count; i++) {
		const struct column *const column = columns->items[i];
		const struct value v = value_of(column, row);

		if (v.absent || (column->optional && v.zero))
			continue;
		if (column->label && begun)
			pp_out_char(out, '\n');
		if (column->label)
			columns_label(out, column->label);
		pp_out_text(out, column->before ? column->before : "");
		put_plain(out, column, &v);
		pp_out_text(out, column->after ? column->after : "");
		begun = true;
	}
	if (begun)
		pp_out_char(out, '\n');
}
