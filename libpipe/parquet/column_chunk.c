/* column_chunk.c - the values of one column in one row group, made into pages. */
#include "parquet/column_chunk.h"
#include "parquet/pack.h"
#include "parquet/parquet_thrift.h"

#include <stdlib.h>

enum {
	PAGE_ENTRIES    = 128 * 1024,
	PAGE_BYTES      = 1024 * 1024,
	DICTIONARY_MOST = 4 * 1024 * 1024,      /* bytes; readers hold it whole */
};

void pp_chunk_open(struct parquet_chunk *c, const struct pp_parquet_column *column)
{
	const bool is_list = column->kind == PP_PARQUET_LIST;

	*c = (struct parquet_chunk){ .column = *column };
	c->most_definition = (unsigned)column->optional + is_list;
	pp_chunk_next(c);
}

void pp_chunk_close(struct parquet_chunk *c)
{
	pp_pack_list_close(&c->definitions);
	pp_pack_list_close(&c->repetitions);
	pp_pack_list_close(&c->indexes);
	pp_buffer_free(&c->plain);
	pp_dictionary_free(&c->dictionary);
	pp_column_values_close(&c->by_number);
	pp_buffer_free(&c->pages.first);
	pp_buffer_free(&c->pages.data);
	pp_buffer_free(&c->pages.bounds.least_text);
	pp_buffer_free(&c->pages.bounds.most_text);
}

static size_t dictionary_size(const struct parquet_chunk *c)
{
	const struct parquet_dictionary *const d = &c->dictionary;

	return c->column.kind == PP_PARQUET_TEXT ? d->texts.size : d->count * pp_chunk_width(c);
}

/* ---- Values ---- */

int pp_chunk_entry(struct parquet_chunk *c, unsigned definition, bool repeated, struct pp_error *error)
{
	if ((c->most_definition && pp_pack_list_repeat(&c->definitions, definition, 1, error)) ||
	    (c->column.kind == PP_PARQUET_LIST && pp_pack_list_repeat(&c->repetitions, repeated, 1, error)))
		return -1;
	c->entries++;
	c->pages.nulls += definition < c->most_definition;
	return 0;
}

static int add_index(struct parquet_chunk *c, int64_t index, size_t times, struct pp_error *error)
{
	if (index < 0 || pp_pack_list_repeat(&c->indexes, (uint32_t)index, times, error))
		return -1;
	c->values += times;
	return 0;
}

static int put_number(struct pp_buffer *to, int64_t number, size_t width, struct pp_error *error)
{
	uint8_t *const p = pp_buffer_room(to, sizeof(number), error);

	if (!p)
		return -1;
	pp_store_order64(p, (uint64_t)number, PP_HOST_BIG);
	to->size += width;
	return 0;
}

static void bound_number(struct chunk_bounds *b, int64_t number)
{
	if (!b->any || number < b->least)
		b->least = number;
	if (!b->any || number > b->most)
		b->most = number;
	b->any = true;
}

/* Where a number is in the dictionary; -1 and *error. */
static int64_t index_of_number(struct parquet_chunk *c, int64_t number, struct pp_error *error)
{
	const size_t before = c->dictionary.count;
	int64_t index;

	/* the same as the last is found without looking */
	if (c->values) {
		index = pp_pack_list_at(&c->indexes, c->values - 1);
		if (c->dictionary.keys[index] == (uint64_t)number)
			return index;
	}
	index = c->column.apart ? pp_dictionary_append(&c->dictionary, number, error) :
				  pp_dictionary_number(&c->dictionary, number, error);
	if (c->dictionary.count > before)
		bound_number(&c->pages.bounds, number);
	return index;
}

int pp_chunk_number(struct parquet_chunk *c, int64_t number, struct pp_error *error)
{
	c->plain_size += pp_chunk_width(c);
	if (c->way == CHUNK_DICTIONARY)
		return add_index(c, index_of_number(c, number, error), 1, error);
	bound_number(&c->pages.bounds, number);
	c->values++;
	return c->way == CHUNK_DELTA ? pp_buffer_add(&c->plain, &number, sizeof(number), error) :
	       put_number(&c->plain, number, pp_chunk_width(c), error);
}

static int order_of(const struct pp_buffer *one, const char *text, size_t size)
{
	const size_t both = one->size < size ? one->size : size;
	const int order = both ? memcmp(one->data, text, both) : 0;

	return order ? order : (one->size > size) - (one->size < size);
}

static int keep_text(struct pp_buffer *to, const char *text, size_t size, struct pp_error *error)
{
	to->size = 0;
	return pp_buffer_add(to, text, size, error);
}

static int bound_text(struct chunk_bounds *b, const char *text, size_t size, struct pp_error *error)
{
	const bool first = !b->any;

	b->any = true;
	if ((first || order_of(&b->least_text, text, size) > 0) &&
	    keep_text(&b->least_text, text, size, error))
		return -1;
	if ((first || order_of(&b->most_text, text, size) < 0) &&
	    keep_text(&b->most_text, text, size, error))
		return -1;
	return 0;
}

static int put_text(struct pp_buffer *to, const char *text, size_t size, struct pp_error *error)
{
	uint8_t *const p = pp_buffer_room(to, 4 + size, error);

	if (!p)
		return -1;
	pp_store_order32(p, (uint32_t)size, PP_HOST_BIG);
	memcpy(p + 4, text, size);
	to->size += 4 + size;
	return 0;
}

/* Where a text is in the dictionary; -1 and *error. */
static int64_t index_of_text(struct parquet_chunk *c, const char *text, size_t size, struct pp_error *error)
{
	const size_t before = c->dictionary.count;
	const int64_t index = pp_dictionary_text(&c->dictionary, text, size, error);

	return c->dictionary.count > before && bound_text(&c->pages.bounds, text, size, error) ? -1 : index;
}

int pp_chunk_text(struct parquet_chunk *c, const char *text, size_t size, struct pp_error *error)
{
	c->plain_size += 4 + size;
	if (c->way == CHUNK_DICTIONARY)
		return add_index(c, index_of_text(c, text, size, error), 1, error);
	c->values++;
	if (bound_text(&c->pages.bounds, text, size, error))
		return -1;
	return put_text(&c->plain, text, size, error);
}

/* ---- Many values ---- */

static bool all_equal(const void *items, size_t n, size_t size)
{
	return !memcmp(items, (const uint8_t *)items + size, (n - 1) * size);
}

/* n rows that have the same level, of a column that is no list. */
static int add_entries(struct parquet_chunk *c, unsigned definition, size_t n, struct pp_error *error)
{
	if (c->most_definition && pp_pack_list_repeat(&c->definitions, definition, n, error))
		return -1;
	c->entries += n;
	c->pages.nulls += definition < c->most_definition ? n : 0;
	return 0;
}

int pp_chunk_nothing(struct parquet_chunk *c, size_t n, struct pp_error *error)
{
	return c->column.kind == PP_PARQUET_LIST && pp_pack_list_repeat(&c->repetitions, 0, n, error) ? -1 :
	       add_entries(c, 0, n, error);
}

static int add_steady(struct parquet_chunk *c, const int64_t *numbers, size_t n, struct pp_error *error)
{
	int64_t least = numbers[0], most = numbers[0];

	for (size_t i = 1; i < n; i++) {
		least = numbers[i] < least ? numbers[i] : least;
		most = numbers[i] > most ? numbers[i] : most;
	}
	bound_number(&c->pages.bounds, least);
	bound_number(&c->pages.bounds, most);
	c->plain_size += n * sizeof(*numbers);
	c->values += n;
	return pp_buffer_add(&c->plain, numbers, n * sizeof(*numbers), error);
}

int pp_chunk_numbers(struct parquet_chunk *c, const int64_t *numbers, size_t n, struct pp_error *error)
{
	if (!n)
		return 0;
	if (add_entries(c, c->most_definition, n, error))
		return -1;
	if (c->way == CHUNK_DELTA)
		return add_steady(c, numbers, n, error);
	if (c->way == CHUNK_DICTIONARY && all_equal(numbers, n, sizeof(*numbers))) {
		c->plain_size += n * pp_chunk_width(c);
		return add_index(c, index_of_number(c, *numbers, error), n, error);
	}
	for (size_t i = 0; i < n; i++)
		if (pp_chunk_number(c, numbers[i], error))
			return -1;
	return 0;
}

/* ---- Values by their numbers ---- */

/* *index: of a value that is not known to be in the dictionary, which it is then; or COLUMN_NOTHING. */
static int learn_index(struct parquet_chunk *c, uint32_t number, uint32_t *index, struct pp_error *error)
{
	const struct column_values *const v = &c->by_number;
	int64_t at;
	size_t size;
	const char *text;

	*index = v->indexes[number];
	if (*index != COLUMN_UNKNOWN)
		return 0;
	if (c->column.kind != PP_PARQUET_TEXT) {
		at = index_of_number(c, v->numbers[number], error);
	} else {
		text = pp_column_values_text(v, number, &size);
		at = index_of_text(c, text, size, error);
	}
	if (at < 0)
		return -1;
	*index = v->indexes[number] = (uint32_t)at;
	return 0;
}

static size_t plain_size_of(const struct parquet_chunk *c, const uint32_t *numbers, size_t n)
{
	size_t sum = 0;

	if (c->column.kind != PP_PARQUET_TEXT)
		return n * pp_chunk_width(c);
	for (size_t i = 0; i < n; i++)
		sum += 4 + pp_column_values_size(&c->by_number, numbers[i]);
	return sum;
}

/* A value that there is. */
static int add_by_number(struct parquet_chunk *c, uint32_t number, struct pp_error *error)
{
	uint32_t index;
	size_t size;
	const char *text;

	if (c->way == CHUNK_DICTIONARY) {
		c->plain_size += plain_size_of(c, &number, 1);
		return learn_index(c, number, &index, error) || add_index(c, index, 1, error) ? -1 : 0;
	}
	if (c->column.kind != PP_PARQUET_TEXT)
		return pp_chunk_number(c, c->by_number.numbers[number], error);
	text = pp_column_values_text(&c->by_number, number, &size);
	return pp_chunk_text(c, text, size, error);
}

/* One after the other: some have no value, or there is no dictionary. */
static int pick_each(struct parquet_chunk *c, const uint32_t *numbers, size_t n, struct pp_error *error)
{
	for (size_t i = 0; i < n; i++) {
		const bool none = c->by_number.indexes[numbers[i]] == COLUMN_NOTHING;

		if (add_entries(c, none ? 0 : c->most_definition, 1, error) ||
		    (!none && add_by_number(c, numbers[i], error)))
			return -1;
	}
	return 0;
}

/* Adds the indexes of values, all of which are known and there: 1; 0: they are not, and nothing was added. */
static int pick_known(struct parquet_chunk *c, const uint32_t *numbers, size_t n, struct pp_error *error)
{
	const uint32_t *const indexes = c->by_number.indexes;
	uint32_t *const to = pp_pack_list_room(&c->indexes, n, error);
	uint32_t most = 0;

	if (!to)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const uint32_t index = indexes[numbers[i]];

		to[i] = index;
		most = index > most ? index : most;
	}
	if (most >= COLUMN_NOTHING)
		return 0;
	c->plain_size += plain_size_of(c, numbers, n);
	c->indexes.n += n;
	c->values += n;
	return 1;
}

static int pick_same(struct parquet_chunk *c, uint32_t number, size_t n, struct pp_error *error)
{
	uint32_t index;

	if (learn_index(c, number, &index, error))
		return -1;
	if (index == COLUMN_NOTHING)
		return add_entries(c, 0, n, error);
	c->plain_size += n * plain_size_of(c, &number, 1);
	return add_entries(c, c->most_definition, n, error) || add_index(c, index, n, error) ? -1 : 0;
}

/* Learns the indexes of all.  1: all have a value; 0: some have none. */
static int learn_all(struct parquet_chunk *c, const uint32_t *numbers, size_t n, struct pp_error *error)
{
	uint32_t index;
	int all = 1;

	for (size_t i = 0; i < n; i++) {
		if (learn_index(c, numbers[i], &index, error))
			return -1;
		all &= index != COLUMN_NOTHING;
	}
	return all;
}

int pp_chunk_picks(struct parquet_chunk *c, const uint32_t *numbers, size_t n, struct pp_error *error)
{
	int got;

	if (!n)
		return 0;
	if (c->way != CHUNK_DICTIONARY)
		return pick_each(c, numbers, n, error);
	if (all_equal(numbers, n, sizeof(*numbers)))
		return pick_same(c, *numbers, n, error);
	got = pick_known(c, numbers, n, error);
	if (!got) {
		got = learn_all(c, numbers, n, error);
		if (got > 0)
			got = pick_known(c, numbers, n, error);
	}
	if (!got)
		return pick_each(c, numbers, n, error);
	return got < 0 ? -1 : add_entries(c, c->most_definition, n, error);
}

int pp_chunk_items(struct parquet_chunk *c, const uint32_t *numbers, size_t n, struct pp_error *error)
{
	return pp_pack_list_repeat(&c->repetitions, 0, 1, error) ||
	       (n > 1 && pp_pack_list_repeat(&c->repetitions, 1, n - 1, error)) ? -1 :
	       pp_chunk_picks(c, numbers, n, error);
}

/* ---- Pages ---- */

bool pp_chunk_full(const struct parquet_chunk *c)
{
	const size_t bytes = c->way == CHUNK_DICTIONARY ? dictionary_size(c) - c->known : c->plain.size;

	return c->entries >= PAGE_ENTRIES || bytes >= PAGE_BYTES;
}

/* Levels have their size before them. */
static int put_levels(struct pp_buffer *raw, const struct pack_list *levels, unsigned most,
		      struct pp_error *error)
{
	const size_t at = raw->size;

	if (!most)
		return 0;
	if (!pp_buffer_room(raw, 4, error))
		return -1;
	raw->size += 4;
	if (pp_pack_list_put(raw, levels, pp_bits(most), error))
		return -1;
	pp_store_order32(raw->data + at, (uint32_t)(raw->size - at - 4), PP_HOST_BIG);
	return 0;
}

/* The bits of an index, which are the byte before them: at least one, since not all readers take none. */
static unsigned index_bits(const struct parquet_chunk *c)
{
	return pp_bits(c->dictionary.count > 1 ? c->dictionary.count - 1 : 1);
}

static int put_indexes(const struct parquet_chunk *c, struct pp_buffer *raw, struct pp_error *error)
{
	const uint8_t bits = (uint8_t)index_bits(c);

	return pp_buffer_add(raw, &bits, 1, error) ? -1 :
	       pp_pack_list_put(raw, &c->indexes, bits, error);
}

/* The values that the indexes are of, as they are. */
static int expand_indexes(struct parquet_chunk *c, struct pp_error *error)
{
	for (size_t i = 0; i < c->values; i++) {
		const uint32_t index = pp_pack_list_at(&c->indexes, i);
		size_t size;
		const uint8_t *text;

		if (c->column.kind != PP_PARQUET_TEXT) {
			if (put_number(&c->plain, pp_dictionary_number_at(&c->dictionary, index),
				       pp_chunk_width(c), error))
				return -1;
			continue;
		}
		text = pp_dictionary_text_at(&c->dictionary, index, &size);
		if (pp_buffer_add(&c->plain, text, size, error))
			return -1;
	}
	pp_dictionary_clear(&c->dictionary);
	return 0;
}

/* Ends the dictionary where it takes more than it saves in a page.  If that is the first, there is none;
 * after a later one it is used no more. */
static int judge_dictionary(struct parquet_chunk *c, enum chunk_way *next, struct pp_error *error)
{
	const size_t size = dictionary_size(c);
	const bool pays = size - c->known + c->values * index_bits(c) / 8 < c->plain_size;

	if (!c->values) {
		c->way = CHUNK_PLAIN;
		return 0;
	}
	*next = pays && size < DICTIONARY_MOST ? CHUNK_DICTIONARY : CHUNK_PLAIN;
	if (pays || c->pages.count[CHUNK_DICTIONARY])
		return 0;
	c->way = CHUNK_PLAIN;
	return expand_indexes(c, error);
}

static int put_values(const struct parquet_chunk *c, struct pp_buffer *raw, struct pp_error *error)
{
	if (c->way == CHUNK_DICTIONARY)
		return put_indexes(c, raw, error);
	if (c->way == CHUNK_DELTA)
		return pp_pack_deltas(raw, (const void *)c->plain.data, c->values, error);
	return pp_buffer_add(raw, c->plain.data, c->plain.size, error);
}

static void begin_page(struct parquet_chunk *c, enum chunk_way way)
{
	c->way = way;
	c->entries = c->values = c->plain_size = c->plain.size = 0;
	pp_pack_list_clear(&c->definitions);
	pp_pack_list_clear(&c->repetitions);
	pp_pack_list_clear(&c->indexes);
	c->known = dictionary_size(c);
}

int pp_chunk_end_page(struct parquet_chunk *c, struct page_press *press, struct pp_error *error)
{
	static const int encodings[CHUNK_WAYS] = {
		PARQUET_RLE_DICTIONARY, PARQUET_PLAIN, PARQUET_DELTA_BINARY_PACKED,
	};
	enum chunk_way next = c->way;
	struct parquet_page page = { .type = PARQUET_DATA_PAGE, .entries = c->entries };

	if (!c->entries)
		return 0;
	if (c->way == CHUNK_DICTIONARY && judge_dictionary(c, &next, error))
		return -1;
	page.encoding = encodings[c->way];
	press->raw.size = 0;
	if (put_levels(&press->raw, &c->repetitions, c->column.kind == PP_PARQUET_LIST, error) ||
	    put_levels(&press->raw, &c->definitions, c->most_definition, error) ||
	    put_values(c, &press->raw, error) ||
	    pp_press_page(press, &page, &c->pages.data, &c->pages.uncompressed, error))
		return -1;
	c->pages.entries += c->entries;
	c->pages.count[c->way]++;
	begin_page(c, next);
	return 0;
}

uint64_t pp_chunk_size(const struct parquet_chunk *c)
{
	return c->pages.uncompressed + dictionary_size(c);
}

/* ---- Chunks ---- */

static int put_dictionary(const struct parquet_chunk *c, struct pp_buffer *raw, struct pp_error *error)
{
	raw->size = 0;
	if (c->column.kind == PP_PARQUET_TEXT)
		return pp_buffer_add(raw, c->dictionary.texts.data, c->dictionary.texts.size, error);
	for (uint32_t i = 0; i < c->dictionary.count; i++)
		if (put_number(raw, pp_dictionary_number_at(&c->dictionary, i), pp_chunk_width(c), error))
			return -1;
	return 0;
}

int pp_chunk_finish(struct parquet_chunk *c, struct page_press *press, struct pp_error *error)
{
	struct parquet_page page = { .type = PARQUET_DICTIONARY_PAGE, .encoding = PARQUET_PLAIN };

	if (pp_chunk_end_page(c, press, error))
		return -1;
	if (!c->pages.count[CHUNK_DICTIONARY])
		return 0;
	page.entries = c->dictionary.count;
	if (put_dictionary(c, &press->raw, error))
		return -1;
	return pp_press_page(press, &page, &c->pages.first, &c->pages.uncompressed, error);
}

void pp_chunk_next(struct parquet_chunk *c)
{
	struct chunk_pages *const pages = &c->pages;
	const bool steady = c->column.sorted && c->column.kind == PP_PARQUET_INT64;

	pp_dictionary_clear(&c->dictionary);
	pp_column_values_forget(&c->by_number);
	pages->first.size = pages->data.size = 0;
	pages->uncompressed = pages->entries = pages->nulls = 0;
	pages->bounds.any = false;
	memset(pages->count, 0, sizeof(pages->count));
	begin_page(c, steady ? CHUNK_DELTA : c->column.unique ? CHUNK_PLAIN : CHUNK_DICTIONARY);
}
