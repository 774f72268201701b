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
	uint32_t number = UINT32_MAX;

	if (l->count >= PP_LATE || PP_GROW(&l->items, &l->room, l->count + 1, error) ||
	    (dso && pp_texts_number(&l->dsos, dso, strlen(dso), 0, &number, error)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	l->items[l->count] = *frame;
	l->items[l->count++].dso = number + 1;
	return 0;
}

int pp_late_number(struct pp_late *l, const struct pp_late_frame *frame, const char *dso, uint32_t *number,
		   struct pp_error *error)
{
	size_t at;

	if (pp_numbers_reserve(&l->by_place, l->count + 1, hash_at, l->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&l->by_place, hash_of(frame));
	while (l->by_place.places[at] && !same(&l->items[l->by_place.places[at] - 1], frame))
		at = pp_numbers_next(&l->by_place, at);
	if (!l->by_place.places[at]) {
		if (add(l, frame, dso, error))
			return -1;
		l->by_place.places[at] = (uint32_t)l->count;
	}
	*number = l->by_place.places[at] - 1;
	return 0;
}

const char *pp_late_dso(const struct pp_late *l, const struct pp_late_frame *frame)
{
	return frame->dso ? l->dsos.items[frame->dso - 1].text : NULL;
}

uint64_t pp_late_size(const struct pp_late *l)
{
	return l->count * sizeof(*l->items) + pp_numbers_size(&l->by_place) + pp_texts_size(&l->dsos);
}

void pp_late_close(struct pp_late *l)
{
	free(l->items);
	pp_texts_close(&l->dsos);
	pp_numbers_close(&l->by_place);
	*l = (struct pp_late){ 0 };
}
