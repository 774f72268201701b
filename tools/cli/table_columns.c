/* table_columns.c - values of a row by a table of columns, as text, CSV and JSON. */
#include "cli/table_columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

enum {
	LABEL = 14,             /* bytes before the values of a line */
	KEY = 32,               /* bytes of a name in JSON that are written at once */
};

/* ---- choosing ---- */

static const struct column *named(const struct column *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (strlen(table->name) == length && !memcmp(table->name, name, length))
			return table;
	return NULL;
}

static void make_key(struct columns *columns, size_t i, const char *name)
{
	char *const text = columns->keys[i].text;
	const int length = snprintf(text, sizeof(columns->keys[i].text), ",\"%s\":", name);

	columns->keys[i].length = length <= KEY ? (size_t)length : 0;
}

static const char *choose(struct columns *columns, const struct column *column)
{
	if (!column)
		return "has a name that is not a column";
	if (columns->count == COLUMNS_MOST)
		return "has too many columns";
	make_key(columns, columns->count, column->name);
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

static inline const void *value_at(const struct column *column, const void *row)
{
	return (const char *)row + column->at;
}

static inline const char *load_text(const void *at)
{
	const char *text;

	memcpy(&text, at, sizeof(text));
	return text;
}

static inline uint64_t load_number(const void *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return number;
}

static inline int32_t load_integer(const void *at)
{
	int32_t integer;

	memcpy(&integer, at, sizeof(integer));
	return integer;
}

static inline double load_double(const void *at)
{
	double real;

	memcpy(&real, at, sizeof(real));
	return real;
}

static inline bool load_flag(const void *at)
{
	bool flag;

	memcpy(&flag, at, sizeof(flag));
	return flag;
}

/* Most of a wide row may be: it is asked before anything else. */
static inline bool is_absent(const struct column *column, const void *at)
{
	/* the most frequent without a table of jumps */
	if (column->kind == COLUMN_DOUBLE)
		return isnan(load_double(at));
	if (column->kind == COLUMN_TEXT)
		return !load_text(at);
	switch (column->kind) {
	case COLUMN_FLAG:   return !load_flag(at);
	case COLUMN_ANSWER: return load_integer(at) < 0;
	case COLUMN_TIME:   return load_number(at) == UINT64_MAX;
	default:            return false;
	}
}

static bool is_zero(const struct column *column, const void *at)
{
	switch (column->kind) {
	case COLUMN_TEXT:
	case COLUMN_FLAG:   return is_absent(column, at);
	case COLUMN_INT:    return !load_integer(at);
	case COLUMN_ANSWER: return load_integer(at) <= 0;
	case COLUMN_DOUBLE: return !(load_double(at) > 0 || load_double(at) < 0);
	default:            return !load_number(at);
	}
}

/* As people and CSV have it: nothing of what is absent. */
static void put_plain(struct pp_out *out, const struct column *column, const void *at)
{
	if (is_absent(column, at))
		return;
	switch (column->kind) {
	case COLUMN_TEXT:
		pp_out_printable(out, load_text(at), strlen(load_text(at)));
		break;
	case COLUMN_FLAG:
		pp_out_text(out, "true");
		break;
	case COLUMN_ANSWER:
		pp_out_text(out, load_integer(at) ? "true" : "false");
		break;
	case COLUMN_DOUBLE:
		pp_out_double(out, load_double(at));
		break;
	case COLUMN_INT:
		pp_out_int(out, load_integer(at));
		break;
	case COLUMN_NUMBER:
		pp_out_dec(out, load_number(at));
		break;
	case COLUMN_HEX:
		pp_out_hex(out, load_number(at));
		break;
	case COLUMN_TIME:
		pp_out_time(out, load_number(at));
		break;
	case COLUMN_TENTHS:
		pp_out_dec(out, load_number(at) / 10);
		pp_out_char(out, '.');
		pp_out_dec(out, load_number(at) % 10);
		break;
	}
}

/* ---- cells: what has to be seen whole before it is written ---- */

static struct pp_out cell;      /* never written: its buffer is */

static void make_cell(const struct column *column, const void *row)
{
	if (!cell.buf && pp_out_open(&cell, -1) < 0)
		cli_no_memory();
	cell.at = 0;
	put_plain(&cell, column, value_at(column, row));
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

/* Many at a time: most cells of a wide row are empty. */
static inline void put_commas(struct pp_out *out, size_t n)
{
	static const char commas[COLUMNS_MOST + 1] = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,";

	if (n <= 8 && out->room - out->at >= 8) {
		memcpy(out->buf + out->at, commas, 8);
		out->at += n;
	} else {
		pp_out_bytes(out, commas, n);
	}
}

void columns_csv(struct pp_out *out, const struct columns *columns, const void *row)
{
	size_t due = 0;

	for (size_t i = 0; i < columns->count; i++, due++) {
		const struct column *const column = columns->items[i];
		const void *const at = value_at(column, row);

		if (is_absent(column, at))
			continue;
		put_commas(out, due);
		due = 0;
		if (column->kind == COLUMN_TEXT)
			pp_out_csv(out, load_text(at), strlen(load_text(at)));
		else
			put_plain(out, column, at);
	}
	put_commas(out, due ? due - 1 : 0);
	pp_out_bytes(out, "\r\n", 2);
}

/* ---- JSON ---- */

static inline void put_key(struct pp_json *j, const struct columns *columns, size_t i)
{
	const size_t skipped = !j->more, length = columns->keys[i].length;
	struct pp_out *const out = j->out;

	if (!length || out->room - out->at < KEY) {
		pp_json_key(j, columns->items[i]->name);
		return;
	}
	/* all of it: no loop, no call */
	memcpy(out->buf + out->at, columns->keys[i].text + skipped, KEY);
	out->at += length - skipped;
	j->more = true;
}

static void put_in_quotes(struct pp_out *out, uint64_t number)
{
	pp_out_char(out, '"');
	pp_out_dec(out, number);
	pp_out_char(out, '"');
}

/* The value, after its name. */
static inline void put_json(struct pp_out *out, const struct column *column, const void *at)
{
	switch (column->kind) {
	case COLUMN_TEXT:
		if (!pp_out_json_string(out, load_text(at), strlen(load_text(at))))
			pp_out_text(out, "null");
		break;
	case COLUMN_DOUBLE:
		pp_out_double(out, load_double(at));
		break;
	case COLUMN_NUMBER:
	case COLUMN_TIME:
		if (load_number(at) >> 53)
			put_in_quotes(out, load_number(at));
		else
			pp_out_dec(out, load_number(at));
		break;
	case COLUMN_HEX:
		pp_out_char(out, '"');
		pp_out_hex(out, load_number(at));
		pp_out_char(out, '"');
		break;
	default:
		put_plain(out, column, at);
	}
}

void columns_json(struct pp_json *j, const struct columns *columns, const void *row)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *const column = columns->items[i];
		const void *const at = value_at(column, row);

		if (is_absent(column, at))
			continue;
		put_key(j, columns, i);
		put_json(j->out, column, at);
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
		const void *const at = value_at(column, row);

		if (is_absent(column, at) || (column->optional && is_zero(column, at)))
			continue;
		if (column->label && begun)
			pp_out_char(out, '\n');
		if (column->label)
			columns_label(out, column->label);
		pp_out_text(out, column->before ? column->before : "");
		put_plain(out, column, at);
		pp_out_text(out, column->after ? column->after : "");
		begun = true;
	}
	if (begun)
		pp_out_char(out, '\n');
}
