/* array.c - arrays and bytes that grow. */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 256 };                 /* bytes, at least */

int pp_grow(void *array, size_t *room, size_t count, size_t size, struct pp_error *error)
{
	const size_t least = (FIRST + size - 1) / size;
	size_t wanted = count;
	void *old, *larger = NULL;

	if (wanted < least)
		wanted = least;
	if (*room <= SIZE_MAX / 2 && wanted < *room * 2)
		wanted = *room * 2;
	/* whatever `array` points to, a pointer to it is a pointer */
	memcpy(&old, array, sizeof(old));
	if (wanted <= PTRDIFF_MAX / size)
		larger = realloc(old, wanted * size);
	if (!larger) {
		errno = ENOMEM;
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	memcpy(array, &larger, sizeof(larger));
	*room = wanted;
	return 0;
}

int pp_grow_zeroed(void *array, size_t *room, size_t count, size_t size, struct pp_error *error)
{
	const size_t before = *room;
	uint8_t *bytes;

	if (pp_grow(array, room, count, size, error))
		return -1;
	memcpy(&bytes, array, sizeof(bytes));
	memset(bytes + before * size, 0, (*room - before) * size);
	return 0;
}

uint8_t *pp_buffer_room(struct pp_buffer *b, size_t size, struct pp_error *error)
{
	const size_t wanted = size <= SIZE_MAX - b->size ? b->size + size : SIZE_MAX;

	/* no bytes have an address, too: NULL is an error */
	return PP_GROW(&b->data, &b->room, wanted ? wanted : 1, error) ? NULL : b->data + b->size;
}

int pp_buffer_add(struct pp_buffer *b, const void *data, size_t size, struct pp_error *error)
{
	uint8_t *to;

	if (!size)
		return 0;             /* memcpy() wants addresses even of 0 bytes */
	to = pp_buffer_room(b, size, error);
	if (!to)
		return -1;
	memcpy(to, data, size);
	b->size += size;
	return 0;
}

void pp_buffer_free(struct pp_buffer *b)
{
	free(b->data);
	*b = (struct pp_buffer){ .data = NULL };
}
