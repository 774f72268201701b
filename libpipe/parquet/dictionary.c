/* dictionary.c - the distinct values of a column chunk. */
#include "parquet/dictionary.h"

#include <stdlib.h>
#include <xxhash.h>

static uint64_t key_hash(uint64_t key)
{
	return pp_hash_more(0, key);
}

static uint64_t place_hash(const void *dictionary, uint64_t place)
{
	const struct parquet_dictionary *const d = dictionary;

	return key_hash(d->keys[place - 1]);
}

int64_t pp_dictionary_append(struct parquet_dictionary *d, int64_t number, struct pp_error *error)
{
	if (PP_GROW(&d->keys, &d->keys_room, d->count + 1, error))
		return -1;
	d->keys[d->count] = (uint64_t)number;
	return (int64_t)d->count++;
}

/* The new value at `at`, a free place. */
static int64_t add_key(struct parquet_dictionary *d, size_t at, uint64_t key, struct pp_error *error)
{
	const int64_t index = pp_dictionary_append(d, (int64_t)key, error);

	if (index >= 0)
		d->index.places[at] = (uint32_t)d->count;
	return index;
}

static int room_for_key(struct parquet_dictionary *d, struct pp_error *error)
{
	if (!pp_numbers_reserve(&d->index, d->count + 1, place_hash, d))
		return 0;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static bool same_text(const struct parquet_dictionary *d, uint32_t at, const char *text, size_t size)
{
	size_t its;
	const uint8_t *const there = pp_dictionary_text_at(d, at, &its);

	return its == 4 + size && !memcmp(there + 4, text, size);
}

/* The index of a key, of this text where it is not NULL; -1: it is new, and *at is where it belongs. */
static int64_t find_key(const struct parquet_dictionary *d, uint64_t key, const char *text, size_t size,
			size_t *at)
{
	uint32_t place;

	*at = pp_numbers_first(&d->index, key_hash(key));
	while ((place = d->index.places[*at])) {
		if (d->keys[place - 1] == key && (!text || same_text(d, place - 1, text, size)))
			return place - 1;
		*at = pp_numbers_next(&d->index, *at);
	}
	return -1;
}

int64_t pp_dictionary_number(struct parquet_dictionary *d, int64_t number, struct pp_error *error)
{
	int64_t known;
	size_t at;

	if (room_for_key(d, error))
		return -1;
	known = find_key(d, (uint64_t)number, NULL, 0, &at);
	return known >= 0 ? known : add_key(d, at, (uint64_t)number, error);
}

int64_t pp_dictionary_text(struct parquet_dictionary *d, const char *text, size_t size,
			   struct pp_error *error)
{
	const uint64_t key = XXH3_64bits(text, size);
	int64_t known;
	uint8_t *to;
	size_t at;

	if (room_for_key(d, error))
		return -1;
	known = find_key(d, key, text, size, &at);
	if (known >= 0)
		return known;
	to = pp_buffer_room(&d->texts, 4 + size, error);
	if (!to || PP_GROW(&d->starts, &d->starts_room, d->count + 1, error))
		return -1;
	pp_store_order32(to, (uint32_t)size, PP_HOST_BIG);
	memcpy(to + 4, text, size);
	d->starts[d->count] = d->texts.size;
	d->texts.size += 4 + size;
	return add_key(d, at, key, error);
}

void pp_dictionary_clear(struct parquet_dictionary *d)
{
	if (d->index.room && d->count)
		memset(d->index.places, 0, pp_numbers_size(&d->index));
	d->count = 0;
	d->texts.size = 0;
}

void pp_dictionary_free(struct parquet_dictionary *d)
{
	pp_numbers_close(&d->index);
	pp_buffer_free(&d->texts);
	free(d->keys);
	free(d->starts);
	*d = (struct parquet_dictionary){ .count = 0 };
}
