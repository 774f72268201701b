/* mapped_files.c - which files are mapped in an address space.  address_space.c knows where in it. */
#include "base/hash.h"
#include "model/map_names.h"
#include "model/mapped_files.h"

#include <xxhash.h>

/* What maps have in common; without holes, so that bytes can be compared. */
struct object {
	uint64_t ino, generation;
	uint32_t name;                /* index of names */
	uint32_t maj, min;
	uint32_t same_file;           /* 1 + index of struct one_file; 0: nothing is known of which it is */
	uint8_t has_build_id, kernel, build_id_size;
	uint8_t build_id[20];
	uint8_t of_process;           /* no file: the name says so */
	uint32_t prot, flags;
};
_Static_assert(sizeof(struct object) == 16 + 16 + 24 + 8, "a hole would be compared");

struct file_id {
	uint8_t size, id[20];         /* size 0: none */
};

/* One of the files of a name, and the build-id that was given for it. */
struct one_file {
	struct pp_identity is;        /* ->ino 0: only its maps' own build-id is known */
	uint32_t next;                /* 1 + index of the next of this name; 0 */
	enum given {
		NOT_GIVEN,
		OF_NAME,              /* for the name, when no other file without one was known */
		GUESSED,              /* for the name, before any file: it is the first one's */
		OF_FILE,              /* for this file, or by its maps */
		CONTRADICTED,         /* two different ones */
	} given;
	struct file_id id;
};

/* The files of a name. */
struct namesakes {
	uint32_t first;               /* 1 + index of struct one_file; 0 */
	uint32_t count;               /* of those whose inode is known */
	struct file_id given;         /* for the name, the last one */
	bool waiting;                 /* it was given before any file that it may be of */
	bool ambiguous;               /* another one was given before */
};

/* Only the newest files of a name are kept apart: some programs are built anew thousands of times. */
enum { NEWEST = 64 };
#define EACH_NEWEST(files, of, i) \
	(uint32_t i = (of)->first, left_ = NEWEST; i && left_; i = (files)->files[i - 1].next, left_--)

/* The kernel's map is named for this and for the symbol that it was measured by. */
static const char kernel_name[] = "[kernel.kallsyms]";

struct pp_files {
	struct pp_spaces *spaces;     /* in which they are mapped, and whose budget this takes */
	char **names;
	struct object *objects;
	size_t n_names, n_objects, names_room, objects_room;
	struct pp_index by_name, by_object;     /* 1 + the number */
	struct namesakes *of_name;    /* by number of name, as far as needed */
	struct one_file *files;
	size_t room_of_name, n_files, room_files;
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

/* ---- Which of the files of one name ---------------------------------------------------------- */

/* NULL: memory. */
static struct namesakes *namesakes(struct pp_files *files, uint32_t name)
{
	return PP_TAKE_GROW(files->spaces->budget, &files->of_name, &files->room_of_name, (size_t)name + 1) ?
	       NULL : &files->of_name[name];
}

static bool same_id(const struct file_id *a, const struct file_id *b)
{
	return a->size == b->size && !memcmp(a->id, b->id, a->size);
}

/* Maps that are read from /proc do not tell the generation. */
static bool is_same(const struct pp_identity *a, const struct pp_identity *b)
{
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       (a->generation == b->generation || !a->generation || !b->generation);
}

/* NULL: memory. */
static struct one_file *add_file(struct pp_files *files, struct namesakes *of, const struct pp_identity *is)
{
	struct one_file *file;

	if (PP_TAKE_GROW(files->spaces->budget, &files->files, &files->room_files, files->n_files + 1))
		return NULL;
	file = &files->files[files->n_files];
	*file = (struct one_file){ .is = *is, .next = of->first };
	of->first = (uint32_t)++files->n_files;
	of->count += is->ino != 0;
	return file;
}

/* The file of that name and identity, which is new if it has to be: NULL: memory. */
static struct one_file *find_file(struct pp_files *files, struct namesakes *of, const struct pp_identity *is)
{
	struct one_file *file;

	for EACH_NEWEST(files, of, i) {
		file = &files->files[i - 1];
		if (!file->is.ino || !is_same(&file->is, is))
			continue;
		if (!file->is.generation)
			file->is.generation = is->generation;
		return file;
	}
	return add_file(files, of, is);
}

/* A second file of a name: what was guessed of the first may be of either. */
static void take_back(struct pp_files *files, struct namesakes *of)
{
	for EACH_NEWEST(files, of, i)
		if (files->files[i - 1].given == GUESSED)
			files->files[i - 1].given = NOT_GIVEN;
	of->waiting = false;
}

/* The file of a map: 1 + its index, 0: the map does not tell, or -1: memory. */
static int64_t file_of(struct pp_files *files, const struct pp_map *map, uint32_t name)
{
	const struct pp_identity is = { .ino = map->ino, .generation = map->ino_generation,
					.maj = map->maj, .min = map->min };
	struct namesakes *of;
	struct one_file *file;
	size_t before = files->n_files;

	if (!map->ino || map->has_build_id || map->kernel)
		return 0;
	of = namesakes(files, name);
	file = of ? find_file(files, of, &is) : NULL;
	if (!file)
		return -1;
	if (files->n_files > before && of->count > 1) {
		take_back(files, of);
	} else if (files->n_files > before && of->waiting && !of->ambiguous) {
		file->given = GUESSED;
		file->id = of->given;
	}
	return file - files->files + 1;
}

/* Notes that maps of this name have a build-id of their own: it is not that of others.  0, -1: memory. */
static int note_own(struct pp_files *files, const struct pp_map *map, uint32_t name)
{
	static const struct pp_identity unknown = { .ino = 0 };
	struct namesakes *const of = namesakes(files, name);
	struct file_id id = { .size = map->build_id_size };
	struct one_file *file;

	if (!of)
		return -1;
	memcpy(id.id, map->build_id, id.size);
	for EACH_NEWEST(files, of, i)
		if (!files->files[i - 1].is.ino && same_id(&files->files[i - 1].id, &id))
			return 0;
	file = add_file(files, of, &unknown);
	if (!file)
		return -1;
	file->id = id;
	file->given = OF_FILE;
	if (of->waiting && same_id(&of->given, &id))
		of->waiting = false;
	return 0;
}

static void give_file(struct one_file *file, const struct file_id *id, enum given given)
{
	if (file->given == given && !same_id(&file->id, id))
		file->given = CONTRADICTED;
	if (file->given == CONTRADICTED || (file->given == OF_FILE && given == OF_NAME))
		return;
	file->given = given;
	file->id = *id;
}

/* It belongs to the file that has none yet; to none where there are several. */
static void give_name(struct pp_files *files, struct namesakes *of, const struct file_id *id)
{
	struct one_file *without = NULL;
	unsigned n = 0;

	for EACH_NEWEST(files, of, i) {
		struct one_file *const file = &files->files[i - 1];

		if (file->given != NOT_GIVEN && same_id(&file->id, id))
			return;
		if (file->given == NOT_GIVEN) {
			without = file;
			n++;
		}
	}
	if (n == 1) {
		without->given = OF_NAME;
		without->id = *id;
	} else if (!n && !of->count) {
		of->waiting = true;
	} else if (!n) {
		for EACH_NEWEST(files, of, i)
			if (files->files[i - 1].given == OF_NAME || files->files[i - 1].given == GUESSED)
				files->files[i - 1].given = CONTRADICTED;
	}
}

int pp_files_identify(struct pp_files *files, const struct pp_given_id *g)
{
	struct file_id given = { .size = g->size };
	struct namesakes *of;
	struct one_file *file;
	uint32_t number;

	memcpy(given.id, g->id, sizeof(given.id));
	if (g->length == sizeof(kernel_name) - 1 && !memcmp(g->name, kernel_name, g->length))
		files->kernel = given;
	if (name_number(files, g->name, g->length, &number))
		return -1;
	of = namesakes(files, number);
	if (!of)
		return -1;
	if (of->given.size && !same_id(&of->given, &given))
		of->ambiguous = true;
	of->given = given;
	if (!g->file.ino) {
		give_name(files, of, &given);
		return 0;
	}
	file = find_file(files, of, &g->file);
	if (!file)
		return -1;
	give_file(file, &given, g->file.of_name ? OF_NAME : OF_FILE);
	return 0;
}

int pp_files_note(struct pp_files *files, const struct pp_map *map, const char *name, size_t length)
{
	uint32_t number;

	if (name_number(files, name, length, &number))
		return -1;
	if (map->has_build_id && !map->kernel)
		return note_own(files, map, number);
	return file_of(files, map, number) < 0 ? -1 : 0;
}

enum pp_whose pp_files_whose(struct pp_files *files, const struct pp_given_id *g, struct pp_identity *is)
{
	struct file_id wanted = { .size = g->size };
	const struct namesakes *of;
	uint32_t number;

	memcpy(wanted.id, g->id, sizeof(wanted.id));
	if (name_number(files, g->name, g->length, &number) || number >= files->room_of_name)
		return PP_WHOSE_UNKNOWN;
	of = &files->of_name[number];
	for EACH_NEWEST(files, of, i) {
		const struct one_file *const file = &files->files[i - 1];

		if (file->given == NOT_GIVEN || file->given == CONTRADICTED || !same_id(&file->id, &wanted))
			continue;
		*is = file->is;
		is->of_name = file->given != OF_FILE;
		return file->is.ino ? PP_WHOSE_FILE : PP_WHOSE_OWN;
	}
	return of->count || of->ambiguous ? PP_WHOSE_NOBODYS : PP_WHOSE_UNKNOWN;
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
	pp_give_back(b, files->of_name, files->room_of_name * sizeof(*files->of_name));
	pp_give_back(b, files->files, files->room_files * sizeof(*files->files));
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
	int64_t same_file;

	if (map->start >= map->end)
		return 0;
	memset(&object, 0, sizeof(object));
	object.ino = map->ino;
	object.generation = map->ino_generation;
	object.maj = map->maj;
	object.min = map->min;
	object.has_build_id = map->has_build_id;
	object.kernel = map->kernel;
	object.prot = map->prot;
	object.flags = map->flags;
	object.build_id_size = map->build_id_size;
	memcpy(object.build_id, map->build_id, sizeof(object.build_id));
	if (name_number(files, name, length, &object.name))
		return -1;
	object.of_process = pp_map_is_of_process(files->names[object.name]);
	same_file = file_of(files, map, object.name);
	if (same_file < 0 || (map->has_build_id && !map->kernel && note_own(files, map, object.name)))
		return -1;
	object.same_file = (uint32_t)same_file;
	if (object_number(files, &object, &piece.file))
		return -1;
	return pp_space_put(files->spaces, space, &piece);
}

/* What was given for it apart from the maps: NULL: nothing. */
static const struct file_id *given_for(const struct pp_files *files, const struct object *object,
				       const struct pp_map *map, bool *of_name)
{
	const struct namesakes *const of = object->name < files->room_of_name ?
					   &files->of_name[object->name] : NULL;
	const struct one_file *const file = object->same_file ? &files->files[object->same_file - 1] : NULL;

	*of_name = false;
	if (map->kernel && !strncmp(map->filename, kernel_name, sizeof(kernel_name) - 1))
		return &files->kernel;
	if (map->kernel)
		return of ? &of->given : NULL;
	*of_name = !file || file->given == OF_NAME || file->given == GUESSED;
	if (file)
		return *of_name || file->given == OF_FILE ? &file->id : NULL;
	return of && !of->ambiguous && of->count < 2 ? &of->given : NULL;
}

static void identify(const struct pp_files *files, const struct object *object, struct pp_map *map)
{
	const struct file_id *given;
	bool of_name;

	if (map->has_build_id)
		return;
	given = given_for(files, object, map, &of_name);
	if (!given || !given->size)
		return;
	map->has_build_id = true;
	map->id_of_name = of_name;
	map->build_id_size = given->size;
	memcpy(map->build_id, given->id, sizeof(map->build_id));
}

bool pp_files_of_process(const struct pp_files *files, const struct pp_space *piece)
{
	return files->objects[piece->file].of_process;
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
		.ino_generation = object->generation,
		.has_build_id = object->has_build_id, .kernel = object->kernel,
		.build_id_size = object->build_id_size,
		.number = piece->number, .prot = object->prot, .flags = object->flags,
	};
	memcpy(files->found.build_id, object->build_id, sizeof(object->build_id));
	identify(files, object, &files->found);
	return &files->found;
}
