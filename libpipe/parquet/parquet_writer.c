/* parquet_writer.c - rows into row groups, and those into a Parquet file. */
#include "parquet/parquet.h"
#include "parquet/column_chunk.h"
#include "parquet/parquet_footer.h"

#include "base/format_number.h"

#include <errno.h>
#include <stdlib.h>

enum {
	ROWS       = 1024 * 1024,
	BYTES      = 64 * 1024 * 1024,
	GROWING    = 1024 * 1024,           /* what a page that grows may come to */
	TEXT_MOST  = 1 << 28,           /* four times as long once it is made UTF-8 */
};

struct pp_parquet {
	struct pp_out *out;
	uint64_t size;                /* bytes of the file so far */
	struct parquet_chunk *chunks;
	size_t count;
	struct pp_parquet_limits limits;
	uint64_t rows;                /* that are complete; `footer` has those of groups that are written */
	struct page_press press;
	struct parquet_footer footer;
	struct pp_buffer text, value; /* made UTF-8 */
	struct pp_error error;        /* the first failure: nothing follows it */
};

static void write_out(struct pp_parquet *w, const void *data, size_t size)
{
	if (size)
		pp_out_bytes(w->out, data, size);
	w->size += size;
}

/* Fewer bytes than the limit, so that pages that grow do not go beyond it. */
static struct pp_parquet_limits limits_or_default(const struct pp_parquet_limits *limits, size_t columns)
{
	struct pp_parquet_limits l = limits ? *limits : (struct pp_parquet_limits){ 0 };

	l.rows = l.rows ? l.rows : ROWS;
	l.bytes = l.bytes ? l.bytes : BYTES;
	l.bytes -= columns < l.bytes / 2 / GROWING ? columns * GROWING : l.bytes / 2;
	return l;
}

struct pp_parquet *pp_parquet_open(struct pp_out *out, const struct pp_parquet_column *columns, size_t count,
				   const struct pp_parquet_limits *limits, struct pp_error *error)
{
	struct pp_parquet *const w = calloc(1, sizeof(*w));

	if (!w) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	w->out = out;
	w->limits = limits_or_default(limits, count);
	w->chunks = calloc(count + 1, sizeof(*w->chunks));
	if (pp_press_open(&w->press, error) || !w->chunks) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		pp_parquet_free(w);
		return NULL;
	}
	for (; w->count < count; w->count++)
		pp_chunk_open(&w->chunks[w->count], &columns[w->count]);
	write_out(w, PARQUET_MAGIC, strlen(PARQUET_MAGIC));
	return w;
}

void pp_parquet_free(struct pp_parquet *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->count; i++)
		pp_chunk_close(&w->chunks[i]);
	free(w->chunks);
	pp_press_close(&w->press);
	pp_footer_close(&w->footer);
	pp_buffer_free(&w->text);
	pp_buffer_free(&w->value);
	free(w);
}

/* ---- Texts ---- */

static bool text_is_ascii(const char *text, size_t size)
{
	uint64_t any = 0;

	for (; size >= 8; text += 8, size -= 8)
		any |= pp_load64(text);
	while (size)
		any |= (uint8_t)text[--size];
	return !(any & UINT64_C(0x8080808080808080));
}

/* The text with each byte that is not UTF-8 as \xNN. */
static int make_utf8(struct pp_buffer *to, const char *text, size_t size, struct pp_error *error)
{
	static const char head[2] = { '\\', 'x' };

	to->size = 0;
	while (size) {
		const size_t n = pp_utf8(text, size);
		const size_t some = n ? n : 1;

		if (n && pp_buffer_add(to, text, n, error))
			return -1;
		if (!n && (pp_buffer_add(to, head, sizeof(head), error) ||
			   pp_buffer_add(to, pp_hex_pairs + (size_t)2 * (uint8_t)*text, 2, error)))
			return -1;
		text += some;
		size -= some;
	}
	return 0;
}

/* ---- Values ---- */

static const char OTHER_KIND[] = "a value of another kind", NARROW[] = "a number of more than 32 bits",
		  NO_VALUE[] = "no value in a row";

/* Always false. */
static bool refuse(struct pp_parquet *w, const struct parquet_chunk *c, enum pp_code code, const char *why)
{
	(void)pp_fail(&w->error, code, "column %s: %s", c->column.name, why);
	return false;
}

/* The chunk of a column whose value of the current row is given; NULL: that cannot be. */
static struct parquet_chunk *begin_value(struct pp_parquet *w, size_t column, bool fits, bool again)
{
	struct parquet_chunk *const c = &w->chunks[column];

	if (w->error.code)
		return NULL;
	if (!fits)
		(void)refuse(w, c, PP_E_USE, OTHER_KIND);
	else if (c->rows > w->rows && !again)
		(void)refuse(w, c, PP_E_USE, "two values in a row");
	return w->error.code ? NULL : c;
}

static enum pp_parquet_kind kind_of(const struct pp_parquet *w, size_t column)
{
	return w->chunks[column].column.kind;
}

void pp_parquet_int(struct pp_parquet *w, size_t column, int64_t value)
{
	const enum pp_parquet_kind kind = kind_of(w, column);
	const bool fits = kind == PP_PARQUET_INT64 || kind == PP_PARQUET_INT32;
	struct parquet_chunk *const c = begin_value(w, column, fits, false);

	if (!c)
		return;
	c->rows = w->rows + 1;
	if (kind == PP_PARQUET_INT32 && value != (int32_t)value)
		(void)refuse(w, c, PP_E_VALUE, NARROW);
	else if (!pp_chunk_entry(c, c->most_definition, false, &w->error))
		(void)pp_chunk_number(c, value, &w->error);
}

void pp_parquet_item(struct pp_parquet *w, size_t column, int64_t value)
{
	struct parquet_chunk *const c = begin_value(w, column, kind_of(w, column) == PP_PARQUET_LIST, true);
	const bool first = c && c->rows <= w->rows;

	if (!c)
		return;
	c->rows = w->rows + 1;
	if (!pp_chunk_entry(c, c->most_definition, !first, &w->error))
		(void)pp_chunk_number(c, value, &w->error);
}

void pp_parquet_empty(struct pp_parquet *w, size_t column)
{
	struct parquet_chunk *const c = begin_value(w, column, kind_of(w, column) == PP_PARQUET_LIST, false);

	if (!c)
		return;
	c->rows = w->rows + 1;
	(void)pp_chunk_entry(c, c->most_definition - 1, false, &w->error);
}

/* Makes a text one that can be written; false: it cannot be. */
static bool take_text(struct pp_parquet *w, const struct parquet_chunk *c, const char **text, size_t *size)
{
	if (*size > TEXT_MOST)
		return refuse(w, c, PP_E_LIMIT, "a text that is too long");
	if (!*size)
		*text = "";
	if (text_is_ascii(*text, *size) || pp_is_utf8(*text, *size))
		return true;
	if (make_utf8(&w->text, *text, *size, &w->error))
		return false;
	*text = (const char *)w->text.data;
	*size = w->text.size;
	return true;
}

void pp_parquet_text(struct pp_parquet *w, size_t column, const char *text, size_t size)
{
	struct parquet_chunk *const c = begin_value(w, column, kind_of(w, column) == PP_PARQUET_TEXT, false);

	if (!c)
		return;
	c->rows = w->rows + 1;
	if (take_text(w, c, &text, &size) && !pp_chunk_entry(c, c->most_definition, false, &w->error))
		(void)pp_chunk_text(c, text, size, &w->error);
}

/* ---- Many rows ---- */

void pp_parquet_ints(struct pp_parquet *w, size_t column, const int64_t *values, size_t n)
{
	const enum pp_parquet_kind kind = kind_of(w, column);
	const bool fits = kind == PP_PARQUET_INT64 || kind == PP_PARQUET_INT32;
	struct parquet_chunk *const c = begin_value(w, column, fits, false);

	if (!c)
		return;
	c->rows = w->rows + n;
	for (size_t i = 0; kind == PP_PARQUET_INT32 && i < n; i++)
		if (values[i] != (int32_t)values[i]) {
			(void)refuse(w, c, PP_E_VALUE, NARROW);
			return;
		}
	(void)pp_chunk_numbers(c, values, n, &w->error);
}

void pp_parquet_picks(struct pp_parquet *w, size_t column, const uint32_t *numbers, size_t n)
{
	struct parquet_chunk *const c = begin_value(w, column, kind_of(w, column) != PP_PARQUET_LIST, false);

	if (!c)
		return;
	c->rows = w->rows + n;
	(void)pp_chunk_picks(c, numbers, n, &w->error);
}

void pp_parquet_items(struct pp_parquet *w, size_t column, const uint32_t *numbers, size_t n)
{
	struct parquet_chunk *const c = begin_value(w, column, kind_of(w, column) == PP_PARQUET_LIST, false);

	if (!c)
		return;
	c->rows = w->rows + 1;
	if (n)
		(void)pp_chunk_items(c, numbers, n, &w->error);
	else
		(void)pp_chunk_entry(c, c->most_definition - 1, false, &w->error);
}

/* The number that the next value of a column has. */
static uint32_t next_number(const struct pp_parquet *w, size_t column)
{
	return (uint32_t)w->chunks[column].by_number.n;
}

uint32_t pp_parquet_add_int(struct pp_parquet *w, size_t column, int64_t value)
{
	struct parquet_chunk *const c = &w->chunks[column];
	const enum pp_parquet_kind kind = kind_of(w, column);

	if (w->error.code)
		return 0;
	if (kind == PP_PARQUET_TEXT)
		(void)refuse(w, c, PP_E_USE, OTHER_KIND);
	else if (kind == PP_PARQUET_INT32 && value != (int32_t)value)
		(void)refuse(w, c, PP_E_VALUE, NARROW);
	else
		(void)pp_column_values_number(&c->by_number, value, &w->error);
	return next_number(w, column) - 1;
}

uint32_t pp_parquet_add_text(struct pp_parquet *w, size_t column, const char *text, size_t size)
{
	struct parquet_chunk *const c = &w->chunks[column];

	if (w->error.code)
		return 0;
	if (kind_of(w, column) != PP_PARQUET_TEXT)
		(void)refuse(w, c, PP_E_USE, OTHER_KIND);
	else if (take_text(w, c, &text, &size))
		(void)pp_column_values_add_text(&c->by_number, text, size, &w->error);
	return next_number(w, column) - 1;
}

uint32_t pp_parquet_add_none(struct pp_parquet *w, size_t column)
{
	struct parquet_chunk *const c = &w->chunks[column];

	if (w->error.code)
		return 0;
	if (!c->column.optional || kind_of(w, column) == PP_PARQUET_LIST)
		(void)refuse(w, c, PP_E_USE, NO_VALUE);
	else
		(void)pp_column_values_nothing(&c->by_number, &w->error);
	return next_number(w, column) - 1;
}

/* ---- Rows ---- */

/* What a column has of which nothing was said in n rows. */
static void complete_column(struct pp_parquet *w, struct parquet_chunk *c, size_t n)
{
	if (!c->most_definition)
		(void)refuse(w, c, PP_E_USE, NO_VALUE);
	else
		(void)pp_chunk_nothing(c, n, &w->error);
	c->rows = w->rows + n;
}

static uint64_t group_size(const struct pp_parquet *w)
{
	uint64_t size = 0;

	for (size_t i = 0; i < w->count; i++)
		size += pp_chunk_size(&w->chunks[i]);
	return size;
}

static void write_group(struct pp_parquet *w)
{
	struct parquet_group group = {
		.start = w->size, .rows = w->rows - w->footer.rows,
		.ordinal = (unsigned)w->footer.group_count,
	};

	for (size_t i = 0; i < w->count; i++)
		if (pp_chunk_finish(&w->chunks[i], &w->press, &w->error))
			return;
	if (pp_footer_group(&w->footer, &group, w->chunks, w->count, &w->error))
		return;
	for (size_t i = 0; i < w->count; i++) {
		const struct chunk_pages *const pages = &w->chunks[i].pages;

		write_out(w, pages->first.data, pages->first.size);
		write_out(w, pages->data.data, pages->data.size);
		pp_chunk_next(&w->chunks[i]);
	}
	w->footer.rows = w->rows;
	if (w->out->os) {
		errno = w->out->os;
		(void)pp_fail_output(&w->error);
	}
}

static int parquet_result(const struct pp_parquet *w, struct pp_error *error)
{
	if (!w->error.code)
		return 0;
	if (error)
		*error = w->error;
	return -1;
}

int pp_parquet_row(struct pp_parquet *w, struct pp_error *error)
{
	return pp_parquet_rows_end(w, 1, error);
}

int pp_parquet_rows_end(struct pp_parquet *w, size_t n, struct pp_error *error)
{
	bool ended = false;

	for (size_t i = 0; i < w->count && !w->error.code; i++) {
		struct parquet_chunk *const c = &w->chunks[i];

		if (c->rows <= w->rows)
			complete_column(w, c, n);
		else if (c->rows != w->rows + n)
			(void)refuse(w, c, PP_E_USE, "values of another number of rows");
		if (!pp_chunk_full(c))
			continue;
		ended = true;
		(void)pp_chunk_end_page(c, &w->press, &w->error);
	}
	if (w->error.code)
		return parquet_result(w, error);
	w->rows += n;
	if (w->rows - w->footer.rows >= w->limits.rows || (ended && group_size(w) >= w->limits.bytes))
		write_group(w);
	return parquet_result(w, error);
}

int pp_parquet_metadata(struct pp_parquet *w, const char *key, const char *value, size_t size,
			struct pp_error *error)
{
	if (w->error.code)
		return parquet_result(w, error);
	if (!make_utf8(&w->text, key, strlen(key), &w->error) &&
	    !make_utf8(&w->value, value, size, &w->error))
		(void)pp_footer_metadata(&w->footer, &w->text, &w->value, &w->error);
	return parquet_result(w, error);
}

uint64_t pp_parquet_rows(const struct pp_parquet *w)
{
	return w->rows;
}

uint64_t pp_parquet_size(const struct pp_parquet *w)
{
	return w->size;
}

int pp_parquet_finish(struct pp_parquet *w, struct pp_error *error)
{
	if (!w->error.code && w->rows > w->footer.rows)
		write_group(w);
	w->text.size = 0;
	if (w->error.code || pp_footer_make(&w->footer, w->chunks, w->count, &w->text, &w->error))
		return parquet_result(w, error);
	write_out(w, w->text.data, w->text.size);
	if (pp_out_flush(w->out)) {
		errno = w->out->os;
		(void)pp_fail_output(&w->error);
	}
	return parquet_result(w, error);
}
