/* parquet_thrift.c - puts values into Thrift's compact protocol. */
#include "parquet/parquet_thrift.h"
#include "parquet/pack.h"

#include <string.h>

enum { MOST = 16 };                   /* bytes of a field's head and a number */

static uint8_t *thrift_room(struct thrift_pen *pen, size_t size)
{
	uint8_t *const to = pen->failed ? NULL : pp_buffer_room(pen->to, size, NULL);

	pen->failed = !to;
	return to;
}

static void thrift_took(struct thrift_pen *pen, const uint8_t *end)
{
	pen->to->size = (size_t)(end - pen->to->data);
}

/* The head of a field: how far it is from the one before, and its type; both in a byte, for none is farther
 * than 15. */
static uint8_t *put_field(struct thrift_pen *pen, uint8_t *p, enum parquet_field field, unsigned type)
{
	const unsigned number = (unsigned)field >> 4;

	if (field == THRIFT_ITEM)
		return p;
	*p++ = (uint8_t)((number - pen->last[pen->depth - 1]) << 4 | type);
	pen->last[pen->depth - 1] = number;
	return p;
}

void pp_thrift_number(struct thrift_pen *pen, enum parquet_field field, int64_t number)
{
	uint8_t *p = thrift_room(pen, MOST);

	if (!p)
		return;
	p = put_field(pen, p, field, field & 15);
	thrift_took(pen, pp_put_varint(p, pp_zigzag(number)));
}

void pp_thrift_bool(struct thrift_pen *pen, enum parquet_field field, bool value)
{
	uint8_t *const p = thrift_room(pen, MOST);

	if (p)
		thrift_took(pen, put_field(pen, p, field, value ? THRIFT_TRUE : THRIFT_BOOL));
}

void pp_thrift_bytes(struct thrift_pen *pen, enum parquet_field field, const void *data, size_t size)
{
	uint8_t *p = thrift_room(pen, size < SIZE_MAX - MOST ? MOST + size : SIZE_MAX);

	if (!p)
		return;
	p = put_field(pen, p, field, THRIFT_BYTES);
	p = pp_put_varint(p, size);
	if (size)
		memcpy(p, data, size);
	thrift_took(pen, p + size);
}

void pp_thrift_text(struct thrift_pen *pen, enum parquet_field field, const char *text)
{
	pp_thrift_bytes(pen, field, text, strlen(text));
}

void pp_thrift_list(struct thrift_pen *pen, enum parquet_field field, enum thrift_type of, size_t count)
{
	uint8_t *p = thrift_room(pen, MOST);

	if (!p)
		return;
	p = put_field(pen, p, field, THRIFT_LIST);
	if (count < 15) {
		*p++ = (uint8_t)(count << 4 | of);
	} else {
		*p++ = (uint8_t)(0xf0 | of);
		p = pp_put_varint(p, count);
	}
	thrift_took(pen, p);
}

void pp_thrift_struct(struct thrift_pen *pen, enum parquet_field field)
{
	uint8_t *const p = thrift_room(pen, MOST);

	if (p)
		thrift_took(pen, put_field(pen, p, field, THRIFT_STRUCT));
	pen->last[pen->depth++] = 0;
}

void pp_thrift_end(struct thrift_pen *pen)
{
	uint8_t *const p = thrift_room(pen, MOST);

	if (p) {
		*p = 0;
		thrift_took(pen, p + 1);
	}
	pen->depth--;
}

void pp_thrift_made(struct thrift_pen *pen, const struct pp_buffer *made)
{
	pen->failed = pen->failed || pp_buffer_add(pen->to, made->data, made->size, NULL);
}
