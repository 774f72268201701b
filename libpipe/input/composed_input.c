/* composed_input.c - a stream composed of new bytes and of parts of a file. */
#include "base/array.h"
#include "input/composed_input.h"

#include <stdlib.h>

void pp_composed_input_free(struct pp_composed_input *p)
{
	for (size_t i = 0; i < p->n_long; i++)
		free(p->long_features[i].data);
	free(p->long_features);
	free(p->items);
	free(p->memory);
	*p = (struct pp_composed_input){ .count = 0 };
}

static struct pp_piece *add(struct pp_composed_input *p)
{
	return PP_GROW(&p->items, &p->room, p->count + 1, NULL) ? NULL : &p->items[p->count++];
}

uint8_t *pp_composed_input_room(struct pp_composed_input *p, size_t size)
{
	struct pp_piece *last = p->count ? &p->items[p->count - 1] : NULL;

	if (PP_GROW(&p->memory, &p->memory_room, p->used + size, NULL))
		return NULL;
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

int pp_composed_input_file(struct pp_composed_input *p, uint64_t offset, uint64_t size)
{
	struct pp_piece *piece = add(p);

	if (!piece)
		return -1;
	*piece = (struct pp_piece){ .from = offset, .size = size, .file = true };
	p->total += size;
	return 0;
}

void pp_composed_input_apart(struct pp_composed_input *p, uint64_t place, uint64_t xxh3, uint64_t seal)
{
	struct pp_piece *const last = &p->items[p->count - 1];

	last->apart = true;
	last->place = place;
	last->xxh3 = xxh3;
	last->seal = seal;
}

const struct pp_piece *pp_composed_input_begins(struct pp_composed_input *p)
{
	while (p->next < p->count && p->done == p->items[p->next].size) {
		p->next++;
		p->done = 0;
	}
	return p->next < p->count && !p->done && p->items[p->next].apart ? &p->items[p->next] : NULL;
}

int pp_composed_input_keep(struct pp_composed_input *p, const struct pp_record *feature)
{
	if (PP_GROW(&p->long_features, &p->long_room, p->n_long + 1, NULL))
		return -1;
	p->long_features[p->n_long++] = *feature;
	return 0;
}

int pp_composed_input_left_out(struct pp_composed_input *p, unsigned feature)
{
	if (feature < 64)
		p->left_out |= UINT64_C(1) << feature;
	return 0;
}
