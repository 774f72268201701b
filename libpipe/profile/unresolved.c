/* unresolved.c - frames whose names a stream may still tell, by number; asking for the names is fold.c's. */
#include "profile/unresolved.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Where addresses of a file are in memory. */
struct pp_unresolved_map {
	uint64_t bias;                /* of an address, from its place in the file */
	uint32_t file;
	unsigned kind;
	const char *dso;
};

/* Of two halves, so that it has no hole. */
struct pp_unresolved_item {
	uint32_t offset[2];
	uint32_t map;
};

static uint64_t offset_of(const struct pp_unresolved_item *item)
{
	return (uint64_t)item->offset[1] << 32 | item->offset[0];
}

static uint64_t hash_of_late(const struct pp_unresolved_item *item)
{
	return pp_hash_more(item->map, offset_of(item));
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	return hash_of_late(&((const struct pp_unresolved_item *)things)[place - 1]);
}

static int add_map(struct pp_unresolved *l, const struct pp_unresolved_frame *frame, uint64_t bias,
		   uint32_t *number, struct pp_error *error)
{
	if (l->n_maps >= UINT32_MAX - 1 || PP_GROW(&l->maps, &l->maps_room, l->n_maps + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	*number = (uint32_t)l->n_maps;
	if (pp_hash_set_keep(&l->by_map, *number, error))
		return -1;
	l->maps[l->n_maps++] = (struct pp_unresolved_map){ bias, frame->file, frame->kind, frame->dso };
	return 0;
}

static int find_map(struct pp_unresolved *l, const struct pp_unresolved_frame *frame, uint32_t *number,
		    struct pp_error *error)
{
	const uint64_t key[] = { frame->address - frame->offset, (uint64_t)frame->kind << 32 | frame->file };

	return pp_hash_set_find(&l->by_map, key, sizeof(key), 0, number) ? 0 :
	       add_map(l, frame, key[0], number, error);
}

int pp_unresolved_number(struct pp_unresolved *l, const struct pp_unresolved_frame *frame, uint32_t *number,
			 struct pp_error *error)
{
	struct pp_unresolved_item item = { .offset = { (uint32_t)frame->offset, frame->offset >> 32 } };
	size_t at;

	if (find_map(l, frame, &item.map, error))
		return -1;
	if (pp_numbers_reserve(&l->by_place, l->count + 1, hash_at, l->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&l->by_place, hash_of_late(&item));
	while (l->by_place.places[at] &&
	       memcmp(&l->items[l->by_place.places[at] - 1], &item, sizeof(item)) != 0)
		at = pp_numbers_next(&l->by_place, at);
	if (!l->by_place.places[at]) {
		if (l->count >= PP_LATE || PP_GROW(&l->items, &l->room, l->count + 1, error))
			return pp_fail(error, PP_E_NOMEM, NULL);
		l->items[l->count++] = item;
		l->by_place.places[at] = (uint32_t)l->count;
	}
	*number = l->by_place.places[at] - 1;
	return 0;
}

struct pp_unresolved_frame pp_unresolved_at(const struct pp_unresolved *l, size_t number)
{
	const struct pp_unresolved_item *const item = &l->items[number];
	const struct pp_unresolved_map *const map = &l->maps[item->map];

	return (struct pp_unresolved_frame){
		.file = map->file, .kind = map->kind, .offset = offset_of(item),
		.address = offset_of(item) + map->bias,
		.dso = map->dso,
	};
}

uint64_t pp_unresolved_size(const struct pp_unresolved *l)
{
	return l->count * sizeof(*l->items) + pp_numbers_size(&l->by_place) +
	       l->n_maps * sizeof(*l->maps) + pp_hash_set_size(&l->by_map);
}

void pp_unresolved_close(struct pp_unresolved *l)
{
	free(l->items);
	free(l->maps);
	pp_hash_set_close(&l->by_map);
	pp_numbers_close(&l->by_place);
	*l = (struct pp_unresolved){ 0 };
}
