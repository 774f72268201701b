/* maps.c - address spaces: which file lies where; whose space it is, and when, is tasks.c's. */
#include "model.h"

#include <stdlib.h>
#include <xxhash.h>

enum { PIECES_MAX = 1 << 20 };        /* of a space; Linux allows 65530 maps by default */

/* What identifies a file; without holes, so that bytes can be compared. */
struct object {
	uint64_t ino;
	uint32_t name;                /* index of names */
	uint32_t maj, min;
	uint8_t has_build_id, kernel, build_id_size;
	uint8_t build_id[20];
	uint8_t zero;
};
_Static_assert(sizeof(struct object) == 44 + 4, "a hole would be compared");

/* The build-id that was told of a name; size 0: none. */
struct file_id {
	uint8_t size, id[20];
};

/* The kernel's map is named for this and for the symbol that it was measured by. */
static const char kernel_name[] = "[kernel.kallsyms]";

/* Numbers of things with a key, found by hash: 0 is an empty place, n is thing n - 1. */
struct index {
	uint32_t *places;
	size_t room;                  /* a power of two, or 0 */
};

struct pp_files {
	char **names;
	struct object *objects;
	uint32_t n_names, n_objects, names_room, objects_room;
	struct index by_name, by_object;
	struct file_id *ids;          /* by number of name, as far as told */
	uint32_t n_ids;
	struct file_id kernel;        /* of the kernel itself */
	struct pp_map found;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static uint64_t hash_name(const char *name, size_t length)
{
	return XXH3_64bits(name, length);
}

static uint64_t hash_object(const struct object *object)
{
	return XXH3_64bits(object, sizeof(*object));
}

/* Makes room for one more in an array of things and in its index; `hash` is of thing i. */
static int make_room(void **things, size_t width, uint32_t count, uint32_t *room,
		     struct index *index, uint64_t (*hash)(const void *things, uint32_t i))
{
	const uint32_t more = *room ? *room * 2 : 64;
	void *larger;
	uint32_t *places;

	if (count < *room)
		return 0;
	larger = realloc(*things, more * width);
	if (!larger)
		return -1;
	*things = larger;
	places = calloc((size_t)more * 2, sizeof(*places));
	if (!places)
		return -1;
	free(index->places);
	*index = (struct index){ places, (size_t)more * 2 };
	*room = more;
	for (uint32_t i = 0; i < count; i++) {
		size_t at = hash(larger, i) & (index->room - 1);

		while (places[at])
			at = (at + 1) & (index->room - 1);
		places[at] = i + 1;
	}
	return 0;
}

static uint64_t hash_name_at(const void *names, uint32_t i)
{
	const char *const name = ((char *const *)names)[i];

	return hash_name(name, strlen(name));
}

static uint64_t hash_object_at(const void *objects, uint32_t i)
{
	return hash_object((const struct object *)objects + i);
}

static int name_number(struct pp_files *files, const char *name, size_t length, uint32_t *number)
{
	void *names = files->names;
	size_t at;

	if (make_room(&names, sizeof(*files->names), files->n_names, &files->names_room,
		      &files->by_name, hash_name_at)) {
		files->names = names;
		return -1;
	}
	files->names = names;
	at = hash_name(name, length) & (files->by_name.room - 1);
	for (; files->by_name.places[at]; at = (at + 1) & (files->by_name.room - 1)) {
		*number = files->by_name.places[at] - 1;
		if (!strncmp(files->names[*number], name, length) && !files->names[*number][length])
			return 0;
	}
	*number = files->n_names;
	files->names[*number] = strndup(name, length);
	if (!files->names[*number])
		return -1;
	files->by_name.places[at] = ++files->n_names;
	return 0;
}

static int object_number(struct pp_files *files, const struct object *object, uint32_t *number)
{
	void *objects = files->objects;
	size_t at;

	if (make_room(&objects, sizeof(*files->objects), files->n_objects, &files->objects_room,
		      &files->by_object, hash_object_at)) {
		files->objects = objects;
		return -1;
	}
	files->objects = objects;
	at = hash_object(object) & (files->by_object.room - 1);
	for (; files->by_object.places[at]; at = (at + 1) & (files->by_object.room - 1)) {
		*number = files->by_object.places[at] - 1;
		if (!memcmp(&files->objects[*number], object, sizeof(*object)))
			return 0;
	}
	*number = files->n_objects;
	files->objects[*number] = *object;
	files->by_object.places[at] = ++files->n_objects;
	return 0;
}

int pp_files_identify(struct pp_files *files, const char *name, size_t length, const uint8_t id[20],
		      uint8_t size)
{
	struct file_id told = { .size = size };
	uint32_t number;

	memcpy(told.id, id, size <= sizeof(told.id) ? size : 0);
	if (length == sizeof(kernel_name) - 1 && !memcmp(name, kernel_name, length))
		files->kernel = told;
	if (name_number(files, name, length, &number))
		return -1;
	if (number >= files->n_ids) {
		const uint32_t room = files->names_room;
		struct file_id *ids = realloc(files->ids, room * sizeof(*ids));

		if (!ids)
			return -1;
		memset(ids + files->n_ids, 0, (room - files->n_ids) * sizeof(*ids));
		files->ids = ids;
		files->n_ids = room;
	}
	files->ids[number] = told;
	return 0;
}

struct pp_files *pp_files_new(void)
{
	return calloc(1, sizeof(struct pp_files));
}

void pp_files_free(struct pp_files *files)
{
	if (!files)
		return;
	for (uint32_t i = 0; i < files->n_names; i++)
		free(files->names[i]);
	free(files->names);
	free(files->ids);
	free(files->objects);
	free(files->by_name.places);
	free(files->by_object.places);
	free(files);
}

/* ---- Spaces ---------------------------------------------------------------------------------- */

struct piece {
	uint64_t start, end, pgoff;
	uint32_t object;
};

struct pp_space {
	uint32_t users;
	uint32_t count, room;
	struct piece pieces[];        /* ascending, apart */
};

struct pp_space *pp_space_share(struct pp_space *space)
{
	if (space)
		space->users++;
	return space;
}

void pp_space_drop(struct pp_space *space)
{
	if (space && !--space->users)
		free(space);
}

/* A space of one user with room for two more pieces: this one, or a copy. */
static struct pp_space *own(struct pp_space *space)
{
	const uint32_t count = space ? space->count : 0;
	const uint32_t room = count + 2 <= (space ? space->room : 0) ? space->room :
			      count + count / 2 + 14;
	const size_t size = sizeof(*space) + room * sizeof(space->pieces[0]);
	struct pp_space *mine;

	if (space && space->users == 1) {
		if (room == space->room)
			return space;
		mine = realloc(space, size);
	} else {
		mine = malloc(size);
		if (mine && space) {
			memcpy(mine->pieces, space->pieces, count * sizeof(space->pieces[0]));
			space->users--;
		}
	}
	if (!mine)
		return NULL;
	mine->users = 1;
	mine->count = count;
	mine->room = room;
	return mine;
}

/* The first piece that ends behind an address. */
static uint32_t first_behind(const struct pp_space *space, uint64_t address)
{
	uint32_t low = 0, high = space->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (space->pieces[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Puts a piece in; of those that it covers in part, the rest stays. */
static void put_over(struct pp_space *space, struct piece new)
{
	struct piece *const p = space->pieces, fresh[3];
	const uint32_t from = first_behind(space, new.start);
	uint32_t to = from, n = 0;

	while (to < space->count && p[to].start < new.end)
		to++;
	if (to > from && p[from].start < new.start) {
		fresh[n] = p[from];
		fresh[n++].end = new.start;
	}
	fresh[n++] = new;
	if (to > from && p[to - 1].end > new.end) {
		fresh[n] = p[to - 1];
		fresh[n].pgoff += new.end - fresh[n].start;
		fresh[n++].start = new.end;
	}
	memmove(p + from + n, p + to, (space->count - to) * sizeof(*p));
	memcpy(p + from, fresh, n * sizeof(*p));
	space->count += n - (to - from);
}

int pp_space_add(struct pp_space **space, struct pp_files *files, const struct pp_map *map,
		 const char *name, size_t length)
{
	struct piece piece = { map->start, map->end, map->pgoff, 0 };
	struct object object;
	struct pp_space *mine;

	if (map->start >= map->end || (*space && (*space)->count >= PIECES_MAX))
		return 0;
	memset(&object, 0, sizeof(object));
	object.ino = map->ino;
	object.maj = map->maj;
	object.min = map->min;
	object.has_build_id = map->has_build_id;
	object.kernel = map->kernel;
	object.build_id_size = map->build_id_size;
	memcpy(object.build_id, map->build_id, sizeof(object.build_id));
	if (name_number(files, name, length, &object.name) ||
	    object_number(files, &object, &piece.object))
		return -1;
	mine = own(*space);
	if (!mine)
		return -1;
	*space = mine;
	put_over(mine, piece);
	return 0;
}

/* What was told of the name, where the map has nothing of its own. */
static void identify(struct pp_files *files, struct pp_map *map)
{
	const struct file_id *told = map->file < files->n_ids ? &files->ids[map->file] : NULL;

	if (map->kernel && !strncmp(map->filename, kernel_name, sizeof(kernel_name) - 1))
		told = &files->kernel;
	if (map->has_build_id || !told || !told->size)
		return;
	map->has_build_id = true;
	map->build_id_size = told->size;
	memcpy(map->build_id, told->id, sizeof(map->build_id));
}

const struct pp_map *pp_space_find(const struct pp_space *space, struct pp_files *files,
				   uint64_t address)
{
	const struct piece *piece;
	const struct object *object;
	uint32_t at;

	if (!space)
		return NULL;
	at = first_behind(space, address);
	if (at == space->count || space->pieces[at].start > address)
		return NULL;
	piece = &space->pieces[at];
	object = &files->objects[piece->object];
	files->found = (struct pp_map){
		.start = piece->start, .end = piece->end, .pgoff = piece->pgoff,
		.filename = files->names[object->name], .file = object->name,
		.maj = object->maj, .min = object->min, .ino = object->ino,
		.has_build_id = object->has_build_id, .kernel = object->kernel,
		.build_id_size = object->build_id_size,
	};
	memcpy(files->found.build_id, object->build_id, sizeof(object->build_id));
	identify(files, &files->found);
	return &files->found;
}
