/* late.c - frames whose names a stream may still tell, by number; asking for the names is fold.c's. */
#include "profile/late.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const struct pp_late_frame *l)
{
	return pp_hash_number(l->address ^ pp_hash_number(l->offset ^ (uint64_t)l->file << 40 ^ l->kind));
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	return hash_of(&((const struct pp_late_frame *)things)[place - 1]);
}

static bool same(const struct pp_late_frame *a, const struct pp_late_frame *b)
{
	return a->file == b->file && a->kind == b->kind && a->offset == b->offset && a->address == b->address;
}

static int add(struct pp_late *l, const struct pp_late_frame *frame, const char *dso, struct pp_error *error)
{
	char *const copy = dso ? strdup(dso) : NULL;

	if ((dso && !copy) || l->count >= PP_LATE || PP_GROW(&l->items, &l->room, l->count + 1, error)) {
		free(copy);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	l->items[l->count] = *frame;
	l->items[l->count++].dso = copy;
	return 0;
}

int pp_late_number(struct pp_late *l, const struct pp_late_frame *frame, const char *dso, uint32_t *number,
		   struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&l->by_place, l->count + 1, hash_at, l->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&l->by_place, hash_of(frame));
	while (l->by_place.places[at] && !same(&l->items[l->by_place.places[at] - 1], frame))
		at = pp_index_next(&l->by_place, at);
	if (!l->by_place.places[at]) {
		if (add(l, frame, dso, error))
			return -1;
		l->by_place.places[at] = l->count;
	}
	*number = (uint32_t)l->by_place.places[at] - 1;
	return 0;
}

void pp_late_close(struct pp_late *l)
{
	for (size_t i = 0; i < l->count; i++)
		free((char *)(uintptr_t)l->items[i].dso);
	free(l->items);
	pp_index_close(&l->by_place);
	*l = (struct pp_late){ 0 };
}
