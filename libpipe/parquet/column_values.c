/* column_values.c - keeps values of a column that rows choose by number. */
#include "parquet/column_values.h"

#include <stdlib.h>
#include <string.h>

static int add_value(struct column_values *v, int64_t number, uint32_t index, struct pp_error *error)
{
	if (v->n >= UINT32_MAX)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (PP_GROW(&v->numbers, &v->numbers_room, v->n + 1, error) ||
	    PP_GROW(&v->indexes, &v->indexes_room, v->n + 1, error))
		return -1;
	v->numbers[v->n] = number;
	v->indexes[v->n++] = index;
	return 0;
}

int pp_column_values_number(struct column_values *v, int64_t number, struct pp_error *error)
{
	return add_value(v, number, COLUMN_UNKNOWN, error);
}

int pp_column_values_nothing(struct column_values *v, struct pp_error *error)
{
	return add_value(v, 0, COLUMN_NOTHING, error);
}

int pp_column_values_add_text(struct column_values *v, const char *text, size_t size, struct pp_error *error)
{
	const uint32_t length = (uint32_t)size;
	const size_t at = v->texts.size;

	return pp_buffer_add(&v->texts, &length, sizeof(length), error) ||
	       pp_buffer_add(&v->texts, text, size, error) ? -1 :
	       add_value(v, (int64_t)at, COLUMN_UNKNOWN, error);
}

void pp_column_values_forget(struct column_values *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->indexes[i] != COLUMN_NOTHING)
			v->indexes[i] = COLUMN_UNKNOWN;
}

void pp_column_values_close(struct column_values *v)
{
	free(v->numbers);
	free(v->indexes);
	pp_buffer_free(&v->texts);
	*v = (struct column_values){ .n = 0 };
}
