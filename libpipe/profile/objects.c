/* objects.c - the files that frames are of, by number; whose they are is left to fold.c. */
#include "profile/objects.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t hash_of(const void *things, uint64_t place)
{
	const struct pp_object *const o = &((const struct pp_object *)things)[place - 1];

	return XXH3_64bits_withSeed(o->name, o->length, o->kind);
}

static int add(struct pp_objects *o, const char *name, size_t length, unsigned kind, struct pp_error *error)
{
	char *copy;

	if (o->count >= UINT32_MAX || PP_GROW(&o->items, &o->room, o->count + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	copy = strdup(name);
	if (!copy)
		return pp_fail(error, PP_E_NOMEM, NULL);
	o->items[o->count++] = (struct pp_object){ copy, length, kind };
	return 0;
}

int pp_objects_number(struct pp_objects *o, const char *name, unsigned kind, unsigned *number,
		      struct pp_error *error)
{
	const size_t length = strlen(name);
	size_t at;

	if (pp_index_reserve(&o->by_name, o->count + 1, hash_of, o->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&o->by_name, XXH3_64bits_withSeed(name, length, kind));
	for (; o->by_name.places[at]; at = pp_index_next(&o->by_name, at)) {
		const struct pp_object *const is = &o->items[o->by_name.places[at] - 1];

		if (is->kind == kind && is->length == length && !memcmp(is->name, name, length))
			break;
	}
	if (!o->by_name.places[at]) {
		if (add(o, name, length, kind, error))
			return -1;
		o->by_name.places[at] = o->count;
	}
	*number = (unsigned)o->by_name.places[at] - 1;
	return 0;
}

void pp_objects_close(struct pp_objects *o)
{
	for (size_t i = 0; i < o->count; i++)
		free(o->items[i].name);
	free(o->items);
	pp_index_close(&o->by_name);
	*o = (struct pp_objects){ 0 };
}
