/* known.c - keeps names of addresses by file and offset, each text once; where they come from, and which
 * file an address is in, is left to others. */
#include "symbol/known.h"

#include <stdlib.h>

void pp_known_free(struct pp_known *k)
{
	for (size_t i = 0; i < k->n_objects; i++) {
		free((char *)(uintptr_t)k->objects[i].of.path);
		pp_idmap_close(&k->objects[i].offsets);
		free(k->objects[i].unnamed.items);
		free(k->objects[i].incomplete.items);
	}
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
	if (PP_GROW_ZEROED(&k->objects, &k->room_objects, k->n_objects + 1, NULL))
		return -1;
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

const struct pp_answer *pp_known_at(const struct pp_known *k, size_t object, uint64_t offset)
{
	const uint64_t *const at = pp_idmap_find(&k->objects[object].offsets, offset);

	return at && *at ? &k->answers[*at - 1] : NULL;
}

/* Whether an answer says nothing more than one that is known. */
static bool is_covered(const struct pp_answer *known, uint32_t count, uint32_t flags)
{
	return known && known->count && (!count || (flags & ~known->flags) == 0);
}

int pp_known_add(struct pp_known *k, size_t object, const struct pp_named *named,
		 const struct pp_named_frame *frames, uint32_t flags, bool of_stream)
{
	const struct pp_answer *const old = pp_known_at(k, object, named->offset);
	struct pp_answer answer = { .start = named->start, .count = named->count, .flags = flags,
				    .first = (uint32_t)k->n_frames, .of_stream = of_stream };

	if (is_covered(old, named->count, flags))
		return 0;
	if (PP_GROW(&k->frames, &k->room_frames, k->n_frames + named->count, NULL))
		return -1;
	for (uint32_t i = 0; i < named->count; i++) {
		struct frame *const f = &k->frames[k->n_frames + i];

		if (text_of(k, frames[i].symbol, &f->symbol) || text_of(k, frames[i].file, &f->file))
			return -1;
		f->line = frames[i].line;
		f->inlined = frames[i].inlined;
	}
	k->n_frames += named->count;
	if (old) {
		k->answers[old - k->answers] = answer;
		return 1;
	}
	if (PP_GROW(&k->answers, &k->room_answers, k->n_answers + 1, NULL))
		return -1;
	k->answers[k->n_answers++] = answer;
	return pp_idmap_set(&k->objects[object].offsets, named->offset, k->n_answers) ? -1 : 1;
}

void pp_known_frame(const struct pp_known *k, uint32_t number, struct pp_named_frame *frame)
{
	const struct frame *const f = &k->frames[number];

	*frame = (struct pp_named_frame){
		.symbol = (const char *)k->text.data + f->symbol,
		.file = (const char *)k->text.data + f->file, .line = f->line, .inlined = f->inlined,
	};
}
