/* column_values.h - values of a column that rows choose by number, and their indexes. */
#ifndef COLUMN_VALUES_H
#define COLUMN_VALUES_H

#include "base/array.h"
#include "base/byte_order.h"

/* In the place of an index: the dictionary of the chunk was not asked yet; there is no value. */
#define COLUMN_UNKNOWN UINT32_MAX
#define COLUMN_NOTHING (UINT32_MAX - 1)

/* All zero is empty. */
struct column_values {
	int64_t *numbers;             /* integers; of texts: where each is in `texts` */
	uint32_t *indexes;            /* in the dictionary of the chunk */
	size_t n, numbers_room, indexes_room;
	struct pp_buffer texts;       /* 4 bytes of length, and the text */
};

/* Adds a value, whose number is how many were added before.  0, or -1 and *error: out of memory. */
int pp_column_values_number(struct column_values *, int64_t number, struct pp_error *);
int pp_column_values_add_text(struct column_values *, const char *text, size_t size, struct pp_error *);
int pp_column_values_nothing(struct column_values *, struct pp_error *);
/* The next dictionary is another one. */
void pp_column_values_forget(struct column_values *);
void pp_column_values_close(struct column_values *);

static inline size_t pp_column_values_size(const struct column_values *v, uint32_t number)
{
	return pp_load32(v->texts.data + v->numbers[number]);
}
static inline const char *pp_column_values_text(const struct column_values *v, uint32_t number, size_t *size)
{
	*size = pp_column_values_size(v, number);
	return (const char *)v->texts.data + v->numbers[number] + 4;
}

#endif
