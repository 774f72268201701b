/*
 * places.c - places in code by number: function, line and where that is in which file.  A place is met once
 * for each of its functions, so that what is kept grows with the distinct addresses of a stream alone.
 */
#include "symbol/places.h"

#include "base/array.h"
#include "base/hash.h"
#include "symbol/passing.h"
#include "symbol/strings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Of words, so that it has no hole. */
struct place_item {
	uint32_t function, source;    /* 1 + the numbers of texts; 0: not known */
	uint32_t line, into, file;
	uint32_t kind : 16, cpumode : 16;
	uint32_t offset[2], linked[2];
};

struct pp_places {
	bool own;
	struct place_item *items;
	size_t n, room;
	struct pp_numbers by_item;    /* 1 + which of the items */
	struct pp_strings texts;
	struct pp_strings dsos;       /* of the files, each with what tells files of one name apart */
	struct pp_place_file *files;  /* in their order */
	size_t files_room;
	uint32_t *of_object;          /* not `own`: the file of an object of symbols; 0: none */
	size_t objects_room;
};

struct pp_places *pp_places_new(bool own)
{
	struct pp_places *const p = calloc(1, sizeof(*p));

	if (p)
		p->own = own;
	return p;
}

void pp_places_free(struct pp_places *p)
{
	if (!p)
		return;
	free(p->items);
	pp_numbers_close(&p->by_item);
	pp_strings_close(&p->texts);
	pp_strings_close(&p->dsos);
	free(p->files);
	free(p->of_object);
	free(p);
}

/* ---- files ---- */

/* What symbols know of a file, but for its name. */
static void describe_file(struct pp_place_file *file, const struct pp_named_file *of)
{
	file->kind = of->kind;
	file->pid = of->kind == PP_NAMES_PROCESS ? of->pid : 0;
	file->maj = of->maj;
	file->min = of->min;
	file->ino = of->ino;
	file->ino_generation = of->ino_generation;
	file->build_id_size = of->id_size;
	memcpy(file->build_id, of->id, sizeof(file->build_id));
}

/* The number of a file, by its name and what tells it apart.  0, or -1 and *error. */
static int number_file(struct pp_places *p, struct pp_symbols *symbols, const struct pp_location *location,
		       uint32_t apart, uint32_t *number, struct pp_error *error)
{
	const size_t before = p->dsos.n;
	struct pp_place_file *file;

	if (PP_GROW(&p->files, &p->files_room, before + 1, error) ||
	    pp_strings_number(&p->dsos, location->dso, strlen(location->dso), apart, number, error))
		return -1;
	file = &p->files[(*number)++];
	if (p->dsos.n == before)
		return 0;
	*file = (struct pp_place_file){ .dso = p->dsos.items[before].text, .begin = UINT64_MAX };
	if (location->file)
		describe_file(file, pp_symbols_named(symbols, location->file));
	return 0;
}

static int find_file(struct pp_places *p, struct pp_symbols *symbols, const struct pp_map *map,
		     const struct pp_location *location, uint32_t *number, struct pp_error *error)
{
	const uint32_t object = location->file;

	if (p->own || !object)
		return number_file(p, symbols, location, map && object ? (uint32_t)map->number : 0, number,
				   error);
	if (PP_GROW_ZEROED(&p->of_object, &p->objects_room, (size_t)object + 1, error))
		return -1;
	*number = p->of_object[object];
	if (!*number && number_file(p, symbols, location, object, number, error))
		return -1;
	p->of_object[object] = *number;
	return 0;
}

/* An address in a file that is outside of what is known of it. */
static void widen_file(struct pp_place_file *file, const struct pp_map *map, uint64_t offset, bool own)
{
	uint64_t begin = offset, end = offset + 1;

	if (map && file->kind == PP_NAMES_PROCESS) {
		begin = map->start;
		end = map->end;
	} else if (map) {
		begin = map->kernel ? 0 : map->pgoff;
		end = begin + (map->end - map->start);
	}
	/* code that the kernel runs once is beyond its map */
	end = end > offset ? end : offset + 1;
	file->begin = file->begin < begin ? file->begin : begin;
	file->end = file->end > end ? file->end : end;
	if (map && own && file->kind != PP_NAMES_PROCESS)
		file->base = map->start - begin;
}

int pp_places_meet(struct pp_places *p, struct pp_symbols *symbols, struct pp_tasks *tasks, uint32_t pid,
		   uint64_t address, const struct pp_location *location, struct pp_place_at *at,
		   struct pp_error *error)
{
	const struct pp_map *map = p->own && location->file ? pp_tasks_map(tasks, pid, at->cpumode, address) :
							      NULL;
	struct pp_place_file *file;

	at->file = 0;
	at->offset = location->file ? location->offset : address;
	at->linked = location->linked;
	if (!location->dso)
		return 0;
	if (find_file(p, symbols, map, location, &at->file, error))
		return -1;
	file = &p->files[at->file - 1];
	if (at->offset < file->begin || at->offset >= file->end) {
		map = location->file ? pp_tasks_map(tasks, pid, at->cpumode, address) : NULL;
		widen_file(file, map, at->offset, p->own);
	}
	if (at->linked && !file->bias)
		file->bias = at->linked - at->offset;
	return 0;
}

/* ---- places ---- */

static uint64_t hash_place_item(const void *things, uint64_t place)
{
	return XXH3_64bits((const struct place_item *)things + (place - 1), sizeof(struct place_item));
}

static int number_text(struct pp_places *p, const char *text, uint32_t *number, struct pp_error *error)
{
	*number = 0;
	if (!*text)
		return 0;
	if (pp_strings_number(&p->texts, text, strlen(text), 0, number, error))
		return -1;
	++*number;
	return 0;
}

int pp_places_number(struct pp_places *p, const struct pp_place_at *of, const struct pp_named_frame *name,
		     uint32_t into, uint32_t *number, struct pp_error *error)
{
	struct place_item item = {
		.line = name ? name->line : 0, .into = into, .file = of->file, .kind = of->kind & 0xffff,
		.cpumode = of->cpumode & 0xffff, .offset = { (uint32_t)of->offset, of->offset >> 32 },
		.linked = { (uint32_t)of->linked, of->linked >> 32 },
	};
	size_t at;

	if ((name && (number_text(p, name->symbol, &item.function, error) ||
		      number_text(p, name->file, &item.source, error))))
		return -1;
	if (p->n >= INT32_MAX || PP_GROW(&p->items, &p->room, p->n + 1, error) ||
	    pp_numbers_reserve(&p->by_item, p->n + 1, hash_place_item, p->items))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&p->by_item, XXH3_64bits(&item, sizeof(item)));
	while (p->by_item.places[at] &&
	       memcmp(&p->items[p->by_item.places[at] - 1], &item, sizeof(item)) != 0)
		at = pp_numbers_next(&p->by_item, at);
	if (!p->by_item.places[at]) {
		p->items[p->n++] = item;
		p->by_item.places[at] = (uint32_t)p->n;
	}
	*number = p->by_item.places[at];
	return 0;
}

/* ---- what came of it ---- */

static const char *text_of_number(const struct pp_places *p, uint32_t number)
{
	return number ? p->texts.items[number - 1].text : NULL;
}

static uint64_t whole(const uint32_t halves[2])
{
	return (uint64_t)halves[1] << 32 | halves[0];
}

uint32_t pp_places_count(const struct pp_places *p)
{
	return (uint32_t)p->n;
}

void pp_places_at(const struct pp_places *p, uint32_t number, struct pp_code_place *place)
{
	const struct place_item *const item = &p->items[number - 1];

	*place = (struct pp_code_place){
		.function = text_of_number(p, item->function), .source = text_of_number(p, item->source),
		.function_number = item->function, .source_number = item->source,
		.line = item->line, .into = item->into, .file = item->file,
		.offset = whole(item->offset), .linked = whole(item->linked),
		.kind = item->kind, .cpumode = item->cpumode,
	};
}

uint32_t pp_places_files(const struct pp_places *p)
{
	return (uint32_t)p->dsos.n;
}

const struct pp_place_file *pp_places_file(const struct pp_places *p, uint32_t number)
{
	return number ? &p->files[number - 1] : NULL;
}
