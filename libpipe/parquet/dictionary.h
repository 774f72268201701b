/* dictionary.h - the distinct values of a column chunk, in the order in which they came. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "base/array.h"
#include "base/byte_order.h"
#include "base/hash.h"

/* All zero is empty. */
struct parquet_dictionary {
	struct pp_numbers index;      /* 1 + where a value is in `keys` */
	uint64_t *keys;               /* integers, or hashes of texts */
	size_t count, keys_room;
	struct pp_buffer texts;       /* as PLAIN has them: 4 bytes of length, and the text */
	size_t *starts, starts_room;  /* where each is there */
};

/* The index of a value, which is added if it is new: then *count is one more than before.  -1 and *error: out
 * of memory.  A dictionary has integers, or texts of less than 2 GiB in all. */
int64_t pp_dictionary_number(struct parquet_dictionary *, int64_t number, struct pp_error *);
int64_t pp_dictionary_text(struct parquet_dictionary *, const char *text, size_t size,
			   struct pp_error *);
/* Adds a number that is known not to be there, to a dictionary that is never asked for any. */
int64_t pp_dictionary_append(struct parquet_dictionary *, int64_t number, struct pp_error *);
/* Leaves it empty, and keeps its room. */
void pp_dictionary_clear(struct parquet_dictionary *);
void pp_dictionary_free(struct parquet_dictionary *);

static inline int64_t pp_dictionary_number_at(const struct parquet_dictionary *d, uint32_t at)
{
	return (int64_t)d->keys[at];
}
/* With its length in front: so many bytes in all. */
static inline const uint8_t *pp_dictionary_text_at(const struct parquet_dictionary *d, uint32_t at,
						   size_t *size)
{
	const uint8_t *const text = d->texts.data + d->starts[at];

	*size = 4 + pp_in_order32(text, PP_HOST_BIG);
	return text;
}

#endif
