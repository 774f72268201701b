/* pieces.c - a stream put together of bytes that were made and of parts of a file; what goes
 * into it is the containers', and reading it source.c's. */
#include "read/pieces.h"

#include <stdlib.h>

void pp_pieces_free(struct pp_pieces *p)
{
	free(p->items);
	free(p->memory);
	*p = (struct pp_pieces){ .count = 0 };
}

static struct pp_piece *add(struct pp_pieces *p)
{
	if (p->count == p->room) {
		const size_t room = p->room ? p->room * 2 : 16;
		struct pp_piece *items = realloc(p->items, room * sizeof(*items));

		if (!items)
			return NULL;
		p->items = items;
		p->room = room;
	}
	return &p->items[p->count++];
}

uint8_t *pp_pieces_room(struct pp_pieces *p, size_t size)
{
	struct pp_piece *last = p->count ? &p->items[p->count - 1] : NULL;

	if (!pp_fits(size, p->memory_room - p->used)) {
		const size_t room = p->memory_room * 2 + size + 4096;
		uint8_t *memory = realloc(p->memory, room);

		if (!memory)
			return NULL;
		p->memory = memory;
		p->memory_room = room;
	}
	if (!last || last->file) {
		last = add(p);
		if (!last)
			return NULL;
		*last = (struct pp_piece){ .from = p->used };
	}
	last->size += size;
	p->used += size;
	p->total += size;
	return p->memory + p->used - size;
}

int pp_pieces_file(struct pp_pieces *p, uint64_t offset, uint64_t size)
{
	struct pp_piece *piece = add(p);

	if (!piece)
		return -1;
	*piece = (struct pp_piece){ .from = offset, .size = size, .file = true };
	p->total += size;
	return 0;
}

int pp_pieces_left_out(struct pp_pieces *p, unsigned feature)
{
	if (feature < 64)
		p->left_out |= UINT64_C(1) << feature;
	return 0;
}
