/* maps.c - which files are mapped in an address space; where is left to space.c, whose space it is,
 * and when, to tasks.c. */
#include "model/model.h"

#include <xxhash.h>

/* What identifies a file; without holes, so that bytes can be compared. */
struct object {
	uint64_t ino;
	uint32_t name;                /* index of names */
	uint32_t maj, min;
	uint8_t has_build_id, kernel, build_id_size;
	uint8_t build_id[20];
	uint8_t zero;
	uint32_t prot, flags;
};
_Static_assert(sizeof(struct object) == 52 + 4, "a hole would be compared");

/* The build-id that was given for a name; size 0: none. */
struct file_id {
	uint8_t size, id[20];
};

/* The kernel's map is named for this and for the symbol that it was measured by. */
static const char kernel_name[] = "[kernel.kallsyms]";

struct pp_files {
	struct pp_spaces *spaces;     /* in which they are mapped, and whose budget this takes */
	char **names;
	struct object *objects;
	size_t n_names, n_objects, names_room, objects_room;
	struct pp_index by_name, by_object;     /* 1 + the number */
	struct file_id *ids;          /* by number of name, as far as given */
	size_t n_ids;
	struct file_id kernel;        /* of the kernel itself */
	uint64_t n_maps;              /* numbers that were given away */
	struct pp_map found;
};

/* ---- Files ----------------------------------------------------------------------------------- */

static uint64_t hash_name(const void *names, uint64_t place)
{
	const char *const name = ((char *const *)names)[place - 1];

	return XXH3_64bits(name, strlen(name));
}

static uint64_t hash_object(const void *objects, uint64_t place)
{
	return XXH3_64bits((const struct object *)objects + place - 1, sizeof(struct object));
}

static int name_number(struct pp_files *files, const char *name, size_t length, uint32_t *number)
{
	struct pp_budget *const budget = files->spaces->budget;
	struct pp_index *const index = &files->by_name;
	size_t at;

	if (PP_TAKE_GROW(budget, &files->names, &files->names_room, files->n_names + 1) ||
	    pp_index_reserve(index, files->n_names + 1, hash_name, files->names))
		return -1;
	at = pp_index_first(index, XXH3_64bits(name, length));
	for (; index->places[at]; at = pp_index_next(index, at)) {
		*number = (uint32_t)index->places[at] - 1;
		if (!strncmp(files->names[*number], name, length) && !files->names[*number][length])
			return 0;
	}
	*number = (uint32_t)files->n_names;
	files->names[*number] = pp_take(budget, length + 1);
	if (!files->names[*number])
		return -1;
	memcpy(files->names[*number], name, length);
	index->places[at] = ++files->n_names;
	return 0;
}

static int object_number(struct pp_files *files, const struct object *object, uint32_t *number)
{
	struct pp_index *const index = &files->by_object;
	size_t at;

	if (PP_TAKE_GROW(files->spaces->budget, &files->objects, &files->objects_room,
			 files->n_objects + 1) ||
	    pp_index_reserve(index, files->n_objects + 1, hash_object, files->objects))
		return -1;
	at = pp_index_first(index, XXH3_64bits(object, sizeof(*object)));
	for (; index->places[at]; at = pp_index_next(index, at)) {
		*number = (uint32_t)index->places[at] - 1;
		if (!memcmp(&files->objects[*number], object, sizeof(*object)))
			return 0;
	}
	*number = (uint32_t)files->n_objects;
	files->objects[*number] = *object;
	index->places[at] = ++files->n_objects;
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
	if (PP_TAKE_GROW(files->spaces->budget, &files->ids, &files->n_ids, (size_t)number + 1))
		return -1;
	files->ids[number] = told;
	return 0;
}

struct pp_files *pp_files_new(struct pp_spaces *spaces)
{
	struct pp_files *const files = pp_take(spaces->budget, sizeof(*files));

	if (!files)
		return NULL;
	files->spaces = spaces;
	files->by_name.budget = files->by_object.budget = spaces->budget;
	return files;
}

void pp_files_free(struct pp_files *files)
{
	struct pp_budget *const b = files ? files->spaces->budget : NULL;

	if (!files)
		return;
	for (size_t i = 0; i < files->n_names; i++)
		pp_give_back(b, files->names[i], strlen(files->names[i]) + 1);
	pp_give_back(b, files->names, files->names_room * sizeof(*files->names));
	pp_give_back(b, files->ids, files->n_ids * sizeof(*files->ids));
	pp_give_back(b, files->objects, files->objects_room * sizeof(*files->objects));
	pp_index_close(&files->by_name);
	pp_index_close(&files->by_object);
	pp_give_back(b, files, sizeof(*files));
}

/* ---- Maps ------------------------------------------------------------------------------------ */

int pp_files_map(struct pp_files *files, struct pp_space **space, const struct pp_map *map,
		 const char *name, size_t length)
{
	struct pp_space piece = { .start = map->start, .end = map->end, .from = map->start,
				  .to = map->end, .pgoff = map->pgoff,
				  .number = ++files->n_maps };
	struct object object;

	if (map->start >= map->end)
		return 0;
	memset(&object, 0, sizeof(object));
	object.ino = map->ino;
	object.maj = map->maj;
	object.min = map->min;
	object.has_build_id = map->has_build_id;
	object.kernel = map->kernel;
	object.prot = map->prot;
	object.flags = map->flags;
	object.build_id_size = map->build_id_size;
	memcpy(object.build_id, map->build_id, sizeof(object.build_id));
	if (name_number(files, name, length, &object.name) ||
	    object_number(files, &object, &piece.file))
		return -1;
	return pp_space_put(files->spaces, space, &piece);
}

/* What was given for the name, if the map has nothing of its own. */
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

const struct pp_map *pp_files_find(struct pp_files *files, const struct pp_space *space,
				   uint64_t address)
{
	const struct pp_space *const piece = pp_space_at(space, address);
	const struct object *object;

	if (!piece)
		return NULL;
	object = &files->objects[piece->file];
	files->found = (struct pp_map){
		.start = piece->start, .end = piece->end,
		.pgoff = piece->pgoff + (piece->start - piece->from),
		.filename = files->names[object->name], .file = object->name,
		.maj = object->maj, .min = object->min, .ino = object->ino,
		.has_build_id = object->has_build_id, .kernel = object->kernel,
		.build_id_size = object->build_id_size,
		.number = piece->number, .prot = object->prot, .flags = object->flags,
	};
	memcpy(files->found.build_id, object->build_id, sizeof(object->build_id));
	identify(files, &files->found);
	return &files->found;
}
