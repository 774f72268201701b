/* array.h - arrays and bytes that grow: doubling, the checks for overflow, and the error, once. */
#ifndef PP_ARRAY_H
#define PP_ARRAY_H

#include <perfpipe/error.h>

/*
 * Makes room for `count` elements in *array (NULL at first), where there is room for *room; `array`
 * and `room` are pointers to both, and *room is a size_t.  At least doubles.  What is new is not
 * cleared, but by PP_GROW_ZEROED.  0, or -1 and *error (NULL is fine): then all is as it was.
 */
#define PP_GROW(array, room, count, error) \
	((count) <= *(room) ? 0 : pp_grow((array), (room), (count), sizeof(**(array)), (error)))
#define PP_GROW_ZEROED(array, room, count, error) \
	((count) <= *(room) ? 0 : pp_grow_zeroed((array), (room), (count), sizeof(**(array)), (error)))

int pp_grow(void *array, size_t *room, size_t count, size_t size, struct pp_error *);
int pp_grow_zeroed(void *array, size_t *room, size_t count, size_t size, struct pp_error *);

/* Bytes that grow at their end; all zero is empty. */
struct pp_buffer {
	uint8_t *data;
	size_t size, room;
};

/* Where `size` more bytes may go, which pp_buffer.size does not count yet.  NULL and *error. */
uint8_t *pp_buffer_room(struct pp_buffer *, size_t size, struct pp_error *);
/* Copies them to the end.  0, or -1 and *error. */
int pp_buffer_add(struct pp_buffer *, const void *data, size_t size, struct pp_error *);
void pp_buffer_free(struct pp_buffer *);        /* and leaves it empty */

#endif
