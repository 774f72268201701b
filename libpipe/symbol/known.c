/* known.c - keeps names of addresses by file and offset, each text once; where they come from, and which
 * file an address is in, is left to others. */
#include "symbol/known.h"

#include <stdlib.h>

enum { NONE = 0 };                    /* the index of the answer that there is no name */

void pp_known_free(struct pp_known *k)
{
	for (size_t i = 0; i < k->n_objects; i++) {
		free((char *)(uintptr_t)k->objects[i].of.path);
		pp_idmap_close(&k->objects[i].offsets);
		pp_space_drop(&k->spaces, k->objects[i].extents);
		free(k->objects[i].unnamed.items);
		free(k->objects[i].incomplete.items);
	}
	pp_spaces_close(&k->spaces);
	free(k->objects);
	pp_index_close(&k->by_key);
	free(k->answers);
	free(k->frames);
	pp_buffer_free(&k->text);
	pp_index_close(&k->strings);
}

/* ---- Files ---- */

static uint64_t mixed(uint64_t hash, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n; n--, p++)
		hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t text_hash(const char *text)
{
	const uint64_t hash = mixed(UINT64_C(0xcbf29ce484222325), text, strlen(text));

	return hash ^ hash >> 32;
}

/* What has a build-id goes by that; the kernel's modules have one another's at times. */
static uint64_t key_hash(const struct pp_named_file *of)
{
	uint64_t hash = mixed(UINT64_C(0xcbf29ce484222325) + of->kind, &of->pid, sizeof(of->pid));

	if (of->id_size)
		hash = mixed(hash, of->id, of->id_size);
	else
		hash = mixed(mixed(hash, of->path, strlen(of->path)), &of->ino, sizeof(of->ino));
	return hash ^ hash >> 32;
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	return key_hash(&((const struct pp_object *)things)[place - 1].of);
}

static bool same(const struct pp_named_file *a, const struct pp_named_file *b)
{
	if (a->kind != b->kind || a->pid != b->pid || a->id_size != b->id_size)
		return false;
	if (a->id_size)
		return !memcmp(a->id, b->id, a->id_size);
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min && !strcmp(a->path, b->path);
}

int pp_known_object(struct pp_known *k, const struct pp_named_file *of, size_t *object)
{
	struct pp_object *added;
	size_t at;

	if (pp_index_reserve(&k->by_key, k->n_objects + 1, hash_at, k->objects))
		return -1;
	at = pp_index_first(&k->by_key, key_hash(of));
	for (; k->by_key.places[at]; at = pp_index_next(&k->by_key, at)) {
		*object = (size_t)k->by_key.places[at] - 1;
		if (same(&k->objects[*object].of, of))
			return 0;
	}
	if (PP_GROW_ZEROED(&k->objects, &k->room_objects, k->n_objects + 1, NULL) ||
	    (!k->n_answers && PP_GROW(&k->answers, &k->room_answers, 1, NULL)))
		return -1;
	if (!k->n_answers)
		k->answers[k->n_answers++] = (struct pp_answer){ .count = 0 };
	added = &k->objects[k->n_objects];
	added->of = *of;
	added->of.path = strdup(of->path);
	if (!added->of.path)
		return -1;
	*object = k->n_objects++;
	k->by_key.places[at] = k->n_objects;
	return 0;
}

/* ---- Names ---- */

static uint64_t string_hash_at(const void *things, uint64_t place)
{
	return text_hash((const char *)((const struct pp_buffer *)things)->data + place - 1);
}

static int text_of(struct pp_known *k, const char *text, uint32_t *at)
{
	size_t place;

	if (pp_index_reserve(&k->strings, k->n_strings + 1, string_hash_at, &k->text))
		return -1;
	place = pp_index_first(&k->strings, text_hash(text));
	for (; k->strings.places[place]; place = pp_index_next(&k->strings, place)) {
		*at = (uint32_t)k->strings.places[place] - 1;
		if (!strcmp((const char *)k->text.data + *at, text))
			return 0;
	}
	if (k->text.size > UINT32_MAX - PP_RECORD_MAX)
		return -1;
	*at = (uint32_t)k->text.size;
	if (pp_buffer_add(&k->text, text, strlen(text) + 1, NULL))
		return -1;
	k->n_strings++;
	k->strings.places[place] = (uint64_t)*at + 1;
	return 0;
}

struct pp_answer *pp_known_here(const struct pp_known *k, size_t object, uint64_t offset)
{
	const struct pp_space *const extent = pp_space_at(k->objects[object].extents, offset);

	return extent ? &k->answers[extent->file] : NULL;
}

struct pp_answer *pp_known_at(const struct pp_known *k, size_t object, uint64_t offset)
{
	const uint64_t *const at = pp_idmap_find(&k->objects[object].offsets, offset);
	struct pp_answer *const here = at && *at ? NULL : pp_known_here(k, object, offset);

	return at && *at ? &k->answers[*at - 1] : here || !at ? here : &k->answers[NONE];
}

/* Keeps an answer: its index, or -1: memory. */
static int64_t keep(struct pp_known *k, const struct pp_named *named, const struct pp_named_frame *frames,
		    uint32_t flags, bool of_stream)
{
	if (k->n_answers >= UINT32_MAX || k->n_frames > UINT32_MAX - named->count ||
	    PP_GROW(&k->frames, &k->room_frames, k->n_frames + named->count, NULL) ||
	    PP_GROW(&k->answers, &k->room_answers, k->n_answers + 1, NULL))
		return -1;
	k->answers[k->n_answers] = (struct pp_answer){
		.start = named->start, .count = named->count, .flags = flags,
		.first = (uint32_t)k->n_frames, .of_stream = of_stream,
	};
	for (uint32_t i = 0; i < named->count; i++) {
		struct frame *const f = &k->frames[k->n_frames + i];

		if (text_of(k, frames[i].symbol, &f->symbol) || text_of(k, frames[i].file, &f->file))
			return -1;
		f->line = frames[i].line;
		f->inlined = frames[i].inlined;
	}
	k->n_frames += named->count;
	return (int64_t)k->n_answers++;
}

/* Whether an answer says nothing more than one that is known. */
static bool is_covered(const struct pp_answer *known, uint32_t count, uint32_t flags)
{
	return known && known->count && (!count || (flags & ~known->flags) == 0);
}

int pp_known_add(struct pp_known *k, size_t object, const struct pp_named *named,
		 const struct pp_named_frame *frames, uint32_t flags)
{
	struct pp_idmap *const offsets = &k->objects[object].offsets;
	int64_t kept;

	/* what this machine said of other offsets alone does not count */
	if (pp_idmap_find(offsets, named->offset) &&
	    is_covered(pp_known_at(k, object, named->offset), named->count, flags))
		return 0;
	kept = keep(k, named, frames, flags, true);
	return kept < 0 || pp_idmap_set(offsets, named->offset, (uint64_t)kept + 1) ? -1 : 1;
}

int pp_known_cover(struct pp_known *k, size_t object, const struct pp_extent *extent,
		   const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags)
{
	const int64_t kept = named->count ? keep(k, named, frames, flags, false) : NONE;
	const struct pp_space piece = {
		.start = extent->first, .end = extent->last < UINT64_MAX ? extent->last + 1 : UINT64_MAX,
		.file = (uint32_t)kept,
	};

	k->spaces.budget = &k->budget;
	return kept < 0 ? -1 : pp_space_put(&k->spaces, &k->objects[object].extents, &piece);
}

void pp_known_frame(const struct pp_known *k, uint32_t number, struct pp_named_frame *frame)
{
	const struct frame *const f = &k->frames[number];

	*frame = (struct pp_named_frame){
		.symbol = (const char *)k->text.data + f->symbol,
		.file = (const char *)k->text.data + f->file, .line = f->line, .inlined = f->inlined,
	};
}
