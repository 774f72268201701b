/* name_store.c - keeps names of addresses by file and offset, each text once. */
#include "symbol/name_store.h"
#include "symbol/shown.h"

#include <stdlib.h>

enum { NONE = 0 };                    /* the index, of those here, of the answer that there is no name */

static const uint64_t NO_LIMIT = UINT64_MAX / 2;

static void free_answers(struct pp_answers *a)
{
	free(a->items);
	free(a->frames);
	pp_buffer_free(&a->text);
	pp_index_close(&a->strings);
	*a = (struct pp_answers){ .n = 0 };
}

static uint64_t size_of(const struct pp_answers *a)
{
	return a->room * sizeof(*a->items) + a->room_frames * sizeof(*a->frames) + a->text.room +
	       a->strings.room * sizeof(*a->strings.places);
}

static void free_offsets(struct pp_name_store *k, struct pp_offsets *o)
{
	pp_give_back(&k->of_here, o->items, o->room * sizeof(*o->items));
	*o = (struct pp_offsets){ .n = 0 };
}

void pp_name_store_free(struct pp_name_store *k)
{
	for (size_t i = 0; i < k->n_objects; i++) {
		struct pp_object *const o = &k->objects[i];

		if (o->of.path && !o->lasts)
			pp_give_back(&k->of_stream, (char *)(uintptr_t)o->of.path, strlen(o->of.path) + 1);
		pp_idmap_close(&o->offsets);
		pp_idmap_close(&o->asked);
		pp_space_drop(&k->spaces, o->extents);
		free_offsets(k, &o->unnamed);
		free_offsets(k, &o->incomplete);
	}
	pp_spaces_close(&k->spaces);
	free(k->objects);
	pp_index_close(&k->by_key);
	free_answers(&k->stream);
	free_answers(&k->here);
}

/* ---- Memory ---- */

static uint64_t size_of_stream(const struct pp_name_store *k)
{
	return size_of(&k->stream) + k->of_stream.held + k->room_objects * sizeof(*k->objects) +
	       k->by_key.room * sizeof(*k->by_key.places);
}

/* Places in texts have 32 bits. */
static bool is_long(const struct pp_answers *a)
{
	return a->text.size > UINT32_MAX / 2 || a->n_frames > UINT32_MAX / 2;
}

bool pp_name_store_has_no_room(const struct pp_name_store *k)
{
	return size_of_stream(k) > k->memory / 2 || is_long(&k->stream);
}

bool pp_name_store_is_full(const struct pp_name_store *k)
{
	const uint64_t kept = size_of_stream(k), half = k->memory / 2;

	return size_of(&k->here) + k->of_here.held > (kept < half ? k->memory - kept : half) ||
	       is_long(&k->here);
}

void pp_name_store_forget(struct pp_name_store *k)
{
	for (size_t i = 0; i < k->n_objects; i++) {
		struct pp_object *const o = &k->objects[i];

		pp_idmap_close(&o->asked);
		pp_space_drop(&k->spaces, o->extents);
		o->extents = NULL;
		if (!o->unnamed.n)
			free_offsets(k, &o->unnamed);
		if (!o->incomplete.n)
			free_offsets(k, &o->incomplete);
	}
	pp_spaces_close(&k->spaces);
	free_answers(&k->here);
	for (size_t i = 0; i < k->stream.n; i++)
		k->stream.items[i].asked = k->stream.items[i].outdone = false;
}

int pp_name_store_want(struct pp_name_store *k, struct pp_offsets *to, uint64_t offset)
{
	if (PP_TAKE_GROW(&k->of_here, &to->items, &to->room, to->n + 1))
		return -1;
	to->items[to->n++] = offset;
	return 0;
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

/* What has a build-id for sure goes by that; the kernel's modules have one another's at times. */
static bool is_sure(const struct pp_named_file *of)
{
	return of->id_size && !of->id_of_name;
}

static uint64_t key_hash(const struct pp_named_file *of)
{
	uint64_t hash = mixed(UINT64_C(0xcbf29ce484222325) + of->kind, &of->pid, sizeof(of->pid));

	if (is_sure(of))
		hash = mixed(hash, of->id, of->id_size);
	else
		hash = mixed(mixed(hash, of->path, strlen(of->path)), &of->ino, sizeof(of->ino));
	return hash ^ hash >> 32;
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	return key_hash(&((const struct pp_object *)things)[place - 1].of);
}

bool pp_name_store_same(const struct pp_named_file *a, const struct pp_named_file *b)
{
	if (a->kind != b->kind || a->pid != b->pid || is_sure(a) != is_sure(b))
		return false;
	if (is_sure(a))
		return a->id_size == b->id_size && !memcmp(a->id, b->id, a->id_size);
	return a->ino == b->ino && a->ino_generation == b->ino_generation && a->maj == b->maj &&
	       a->min == b->min && !strcmp(a->path, b->path);
}

/* What an object was found to be since. */
static size_t now(const struct pp_name_store *k, size_t object)
{
	while (k->objects[object].is)
		object = k->objects[object].is - 1;
	return object;
}

int pp_name_store_object(struct pp_name_store *k, const struct pp_named_file *of, bool lasts, size_t *object)
{
	const size_t length = strlen(of->path) + 1;
	struct pp_object *added;
	size_t at;
	char *path;

	if (pp_index_reserve(&k->by_key, k->n_objects + 1, hash_at, k->objects))
		return -1;
	at = pp_index_first(&k->by_key, key_hash(of));
	for (; k->by_key.places[at]; at = pp_index_next(&k->by_key, at)) {
		*object = (size_t)k->by_key.places[at] - 1;
		if (pp_name_store_same(&k->objects[*object].of, of)) {
			*object = now(k, *object);
			return 0;
		}
	}
	if (PP_GROW_ZEROED(&k->objects, &k->room_objects, k->n_objects + 1, NULL))
		return -1;
	k->of_stream.limit = k->of_here.limit = NO_LIMIT;
	added = &k->objects[k->n_objects];
	*added = (struct pp_object){ .of = *of, .lasts = lasts };
	added->offsets.budget = &k->of_stream;
	added->asked.budget = &k->of_here;
	if (!lasts) {
		added->of.path = path = pp_take(&k->of_stream, length);
		if (!path)
			return -1;
		memcpy(path, of->path, length);
	}
	*object = k->n_objects++;
	k->by_key.places[at] = k->n_objects;
	return 0;
}

/* What the stream says of an offset, unless a better answer is known.  0, or -1: memory. */
static int move_name(struct pp_name_store *k, struct pp_object *to, uint64_t offset, uint64_t answer)
{
	const uint64_t *const there = pp_idmap_find(&to->offsets, offset);

	if (there && k->stream.items[*there - 1].count &&
	    !(k->stream.items[answer - 1].flags & ~k->stream.items[*there - 1].flags))
		return 0;
	return pp_idmap_set(&to->offsets, offset, answer);
}

void pp_name_store_hint(struct pp_object *o, const struct pp_named_file *of)
{
	if (o->of.id_size || !of->id_of_name)
		return;
	o->of.id_of_name = true;
	o->of.id_size = of->id_size;
	memcpy(o->of.id, of->id, sizeof(o->of.id));
}

struct pp_named_file pp_name_store_named(const struct pp_object *o)
{
	struct pp_named_file of = o->of;

	if (is_sure(&of)) {
		of.ino = of.ino_generation = 0;
		of.maj = of.min = 0;
	} else {
		of.id_size = 0;
		memset(of.id, 0, sizeof(of.id));
	}
	return of;
}

int pp_name_store_unite(struct pp_name_store *k, const struct pp_named_file *other, size_t object)
{
	struct pp_object *from;
	size_t number;
	int failed = 0;

	if (pp_name_store_object(k, other, true, &number))
		return -1;
	from = &k->objects[number];
	/* it was found to be another by now */
	if (number == object || !pp_name_store_same(&from->of, other))
		return 0;
	for (size_t at = 0; !failed && at < from->offsets.room; at++)
		if (from->offsets.keys[at] != UINT64_MAX)
			failed = move_name(k, &k->objects[object], from->offsets.keys[at],
					   from->offsets.values[at]);
	for (size_t i = 0; !failed && i < from->unnamed.n; i++)
		failed = pp_name_store_want(k, &k->objects[object].unnamed, from->unnamed.items[i]);
	for (size_t i = 0; !failed && i < from->incomplete.n; i++)
		failed = pp_name_store_want(k, &k->objects[object].incomplete, from->incomplete.items[i]);
	if (failed)
		return -1;
	from->is = object + 1;
	pp_idmap_close(&from->offsets);
	pp_idmap_close(&from->asked);
	pp_space_drop(&k->spaces, from->extents);
	from->extents = NULL;
	free_offsets(k, &from->unnamed);
	free_offsets(k, &from->incomplete);
	return 0;
}

/* ---- Names ---- */

static uint64_t string_hash_at(const void *things, uint64_t place)
{
	return text_hash((const char *)((const struct pp_buffer *)things)->data + place - 1);
}

static bool is_too_long(const char *text)
{
	return strlen(text) > PP_SHOWN_MOST;
}

/* What is shown of a text that is too long has its place right before it. */
static int add_shown(struct pp_answers *a, const char *text)
{
	char shown[PP_SHOWN_ROOM] = "";

	if (!is_too_long(text))
		return 0;
	pp_shown_cut(shown, text, strlen(text));
	return pp_buffer_add(&a->text, shown, sizeof(shown), NULL);
}

static int text_of(struct pp_answers *a, const char *text, uint32_t *at)
{
	size_t place;

	if (pp_index_reserve(&a->strings, a->n_strings + 1, string_hash_at, &a->text))
		return -1;
	place = pp_index_first(&a->strings, text_hash(text));
	for (; a->strings.places[place]; place = pp_index_next(&a->strings, place)) {
		*at = (uint32_t)a->strings.places[place] - 1;
		if (!strcmp((const char *)a->text.data + *at, text))
			return 0;
	}
	if (a->text.size > UINT32_MAX - PP_RECORD_MAX - PP_SHOWN_ROOM || add_shown(a, text))
		return -1;
	*at = (uint32_t)a->text.size;
	if (pp_buffer_add(&a->text, text, strlen(text) + 1, NULL))
		return -1;
	a->n_strings++;
	a->strings.places[place] = (uint64_t)*at + 1;
	return 0;
}

struct pp_lookup *pp_name_store_said(const struct pp_name_store *k, size_t object, uint64_t offset)
{
	const uint64_t *const at = pp_idmap_find(&k->objects[now(k, object)].offsets, offset);

	return at ? &k->stream.items[*at - 1] : NULL;
}

struct pp_lookup *pp_name_store_here(const struct pp_name_store *k, size_t object, uint64_t offset)
{
	const struct pp_space *const extent = pp_space_at(k->objects[now(k, object)].extents, offset);

	return extent ? &k->here.items[extent->file] : NULL;
}

const struct pp_lookup *pp_name_store_at(const struct pp_name_store *k, size_t object, uint64_t offset)
{
	static const struct pp_lookup none = { .count = 0 };
	const struct pp_lookup *const said = pp_name_store_said(k, object, offset);
	const struct pp_lookup *here;

	if (said && !said->outdone)
		return said;
	here = pp_name_store_here(k, object, offset);
	if (here || said)
		return here ? here : said;
	return pp_idmap_has(&k->objects[now(k, object)].asked, offset) ? &none : NULL;
}

bool pp_name_store_extent(const struct pp_name_store *k, size_t object, uint64_t offset,
			  struct pp_address_range *extent)
{
	const struct pp_space *const piece = pp_space_at(k->objects[now(k, object)].extents, offset);

	if (piece)
		*extent = (struct pp_address_range){ piece->start, piece->end - 1 };
	return piece != NULL;
}

/* Keeps an answer: its index, or -1: memory. */
static int64_t keep(struct pp_answers *a, const struct pp_named *named, const struct pp_named_frame *frames,
		    uint32_t flags, bool of_stream)
{
	if (a->n >= UINT32_MAX || a->n_frames > UINT32_MAX - named->count ||
	    PP_GROW(&a->frames, &a->room_frames, a->n_frames + named->count, NULL) ||
	    PP_GROW(&a->items, &a->room, a->n + 1, NULL))
		return -1;
	a->items[a->n] = (struct pp_lookup){
		.start = named->start, .bias = named->bias, .count = named->count, .flags = flags,
		.first = (uint32_t)a->n_frames, .of_stream = of_stream,
	};
	for (uint32_t i = 0; i < named->count; i++) {
		struct pp_answer_frame *const f = &a->frames[a->n_frames + i];

		if (text_of(a, frames[i].symbol, &f->symbol) || text_of(a, frames[i].file, &f->file))
			return -1;
		f->long_symbol = is_too_long(frames[i].symbol);
		f->long_file = is_too_long(frames[i].file);
		f->line = frames[i].line;
		f->inlined = frames[i].inlined;
	}
	a->n_frames += named->count;
	return (int64_t)a->n++;
}

/* Whether an answer says nothing more than one that is known. */
static bool is_covered(const struct pp_lookup *known, uint32_t count, uint32_t flags)
{
	return known && known->count && (!count || (flags & ~known->flags) == 0);
}

int pp_name_store_add(struct pp_name_store *k, size_t object, const struct pp_named *named,
		      const struct pp_named_frame *frames, uint32_t flags)
{
	struct pp_object *const o = &k->objects[object];
	int64_t kept;

	/* what this machine said of other offsets alone does not count */
	if ((pp_idmap_find(&o->offsets, named->offset) || pp_idmap_has(&o->asked, named->offset)) &&
	    is_covered(pp_name_store_at(k, object, named->offset), named->count, flags))
		return 0;
	kept = keep(&k->stream, named, frames, flags, true);
	return kept < 0 || pp_idmap_set(&o->offsets, named->offset, (uint64_t)kept + 1) ? -1 : 1;
}

/* Index NONE of those here. */
static int keep_none(struct pp_name_store *k)
{
	const struct pp_named none = { .count = 0 };

	return k->here.n ? 0 : keep(&k->here, &none, NULL, 0, false) < 0 ? -1 : 0;
}

int pp_name_store_cover(struct pp_name_store *k, size_t object, const struct pp_address_range *extent,
			const struct pp_named *named, const struct pp_named_frame *frames, uint32_t flags)
{
	const int64_t kept = keep_none(k) ? -1 : named->count || named->bias ?
			     keep(&k->here, named, frames, flags, false) : NONE;
	const struct pp_space piece = {
		.start = extent->first, .end = extent->last < UINT64_MAX ? extent->last + 1 : UINT64_MAX,
		.file = (uint32_t)kept,
	};

	k->spaces.budget = &k->of_here;
	return kept < 0 ? -1 : pp_space_put(&k->spaces, &k->objects[object].extents, &piece);
}

void pp_name_store_frame(const struct pp_name_store *k, const struct pp_lookup *of, uint32_t number,
			 struct pp_named_frame *frame)
{
	const struct pp_answers *const a = of->of_stream ? &k->stream : &k->here;
	const struct pp_answer_frame *const f = &a->frames[of->first + number];

	*frame = (struct pp_named_frame){
		.symbol = (const char *)a->text.data + f->symbol,
		.file = (const char *)a->text.data + f->file, .line = f->line, .inlined = f->inlined,
	};
}

void pp_name_store_shown(const struct pp_name_store *k, const struct pp_lookup *of, uint32_t number,
			 struct pp_named_frame *frame)
{
	const struct pp_answers *const a = of->of_stream ? &k->stream : &k->here;
	const struct pp_answer_frame *const f = &a->frames[of->first + number];

	pp_name_store_frame(k, of, number, frame);
	if (f->long_symbol)
		frame->symbol -= PP_SHOWN_ROOM;
	if (f->long_file)
		frame->file -= PP_SHOWN_ROOM;
}
