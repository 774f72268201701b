/*
 * places.c - places in code by number: function, line and where that is in which file.  A place is one offset
 * in a file, whose names are looked at when it is met for the first time; what is inlined there are places
 * beside it, which no other leads to.
 */
#include "symbol/places.h"

#include "base/array.h"
#include "base/hash.h"
#include "symbol/passing.h"
#include "symbol/strings.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_MOST = 1 << 30 };   /* there are numbers that are none */

/* Of words, so that it has no hole. */
struct place_item {
	uint32_t function, source;    /* 1 + the numbers of texts; 0: not known */
	uint32_t line, into, file;
	uint32_t inner;               /* the innermost of what is inlined here; 0: nothing is */
	uint32_t past;                /* bytes from the start of its symbol */
	uint32_t kind : 16, cpumode : 16;
	uint32_t offset[2], linked[2];
};

struct pp_places {
	bool own;
	struct place_item *items;
	size_t n, room;
	struct pp_numbers by_item;    /* 1 + which of the items, but those that are inlined */
	struct pp_numbers by_function; /* the same of the first in each function, for pp_places_first() */
	size_t n_functions;
	struct pp_strings texts;
	struct pp_strings dsos;       /* of the files, each with what tells files of one name apart */
	struct pp_place_file *files;  /* in their order, until files are found to be one */
	size_t n_files, files_room;
	struct place_object {
		uint32_t number;      /* for pp_symbols_later(); 0: none */
		unsigned kind;        /* of places in it */
	} *objects;                   /* beside them */
	size_t objects_room;
	uint32_t *of_object;          /* not `own`: the file of an object of symbols; 0: none */
	size_t of_object_room;
};

/* An address that was looked up. */
struct looked_up {
	const struct pp_place_met *at;
	struct pp_location is;
};

static uint64_t whole(const uint32_t halves[2])
{
	return (uint64_t)halves[1] << 32 | halves[0];
}

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
	pp_numbers_close(&p->by_function);
	pp_strings_close(&p->texts);
	pp_strings_close(&p->dsos);
	free(p->files);
	free(p->objects);
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
static int number_file(struct pp_places *p, struct pp_symbols *symbols, const struct looked_up *met,
		       uint32_t apart, uint32_t *number, struct pp_error *error)
{
	const struct pp_location *const location = &met->is;
	const size_t before = p->dsos.n;
	struct pp_place_file *file;

	if (PP_GROW(&p->files, &p->files_room, before + 1, error) ||
	    PP_GROW(&p->objects, &p->objects_room, before + 1, error) ||
	    pp_strings_number(&p->dsos, location->dso, strlen(location->dso), apart, number, error))
		return -1;
	file = &p->files[(*number)++];
	if (p->dsos.n == before)
		return 0;
	p->n_files = p->dsos.n;
	*file = (struct pp_place_file){ .dso = p->dsos.items[before].text, .begin = UINT64_MAX };
	p->objects[before] = (struct place_object){
		.number = location->file, .kind = met->at->kind_of(location->dso, met->at->cpumode),
	};
	if (location->file)
		describe_file(file, pp_symbols_named(symbols, location->file));
	return 0;
}

static int find_file(struct pp_places *p, struct pp_symbols *symbols, const struct pp_map *map,
		     const struct looked_up *met, uint32_t *number, struct pp_error *error)
{
	const uint32_t object = met->is.file;

	if (p->own || !object)
		return number_file(p, symbols, met, !object ? 0 : map ? (uint32_t)map->number : UINT32_MAX,
				   number, error);
	if (PP_GROW_ZEROED(&p->of_object, &p->of_object_room, (size_t)object + 1, error))
		return -1;
	*number = p->of_object[object];
	if (!*number && number_file(p, symbols, met, object, number, error))
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

/* Fills in what of an item tells where it is. */
static int find_where(struct pp_places *p, struct pp_symbols *symbols, struct pp_tasks *tasks,
		      const struct looked_up *met, struct place_item *item, struct pp_error *error)
{
	const struct pp_place_met *const at = met->at;
	const uint64_t offset = met->is.file ? met->is.offset : at->address;
	const struct pp_map *map = p->own && met->is.file ?
				   pp_tasks_map(tasks, at->pid, at->cpumode, at->address) : NULL;
	struct pp_place_file *file;

	item->offset[0] = (uint32_t)offset;
	item->offset[1] = offset >> 32;
	item->kind = (met->is.dso ? 0 : at->kind_of(NULL, at->cpumode)) & 0xffff;
	if (!met->is.dso)
		return 0;
	if (find_file(p, symbols, map, met, &item->file, error))
		return -1;
	item->kind = p->objects[item->file - 1].kind & 0xffff;
	file = &p->files[item->file - 1];
	if (offset < file->begin || offset >= file->end) {
		if (!map && met->is.file)
			map = pp_tasks_map(tasks, at->pid, at->cpumode, at->address);
		widen_file(file, map, offset, p->own);
	}
	return 0;
}

/* ---- places ---- */

/* Those of one file and offset are one, but names of the stream's own kernel symbols, which have no file, are
 * those of a time. */
static uint64_t hash_of_item(const struct place_item *item)
{
	return pp_hash_more(pp_hash_more(item->cpumode, (uint64_t)item->file << 32 | item->function),
			    whole(item->offset));
}

/* The item without what does not tell it apart. */
static struct place_item key_of_item(const struct pp_places *p, const struct place_item *item)
{
	const bool by_file = item->file && p->objects[item->file - 1].number;

	return (struct place_item){
		.function = by_file ? 0 : item->function, .file = item->file, .cpumode = item->cpumode,
		.offset = { item->offset[0], item->offset[1] },
	};
}

static uint64_t hash_place(const void *things, uint64_t place)
{
	const struct pp_places *const p = things;
	const struct place_item key = key_of_item(p, &p->items[place - 1]);

	return hash_of_item(&key);
}

static bool same_place(const struct place_item *key, const struct place_item *item, bool by_file)
{
	return item->offset[0] == key->offset[0] && item->offset[1] == key->offset[1] &&
	       item->file == key->file && item->cpumode == key->cpumode &&
	       (by_file || item->function == key->function);
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

static int add_item(struct pp_places *p, const struct place_item *item, struct pp_error *error)
{
	if (p->n >= PLACES_MOST || PP_GROW(&p->items, &p->room, p->n + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	p->items[p->n++] = *item;
	return 0;
}

/* The names of a place, and places for what is inlined there. */
static int name_item(struct pp_places *p, uint32_t number, const struct pp_location *is, bool no_inline,
		     struct pp_error *error)
{
	struct place_item item = p->items[number - 1];

	item.linked[0] = (uint32_t)is->linked;
	item.linked[1] = is->linked >> 32;
	item.past = is->into < UINT32_MAX ? (uint32_t)is->into : UINT32_MAX;
	p->items[number - 1] = item;
	if (item.file && is->linked && !p->files[item.file - 1].bias)
		p->files[item.file - 1].bias = is->linked - is->offset;
	for (size_t i = is->count; i-- > (no_inline && is->count ? is->count - 1 : 0);) {
		const struct pp_named_frame *const name = &is->frames[i];
		const bool inlined = i + 1 < is->count;

		item.line = name->line;
		if (number_text(p, name->symbol, &item.function, error) ||
		    number_text(p, name->file, &item.source, error) ||
		    (inlined && add_item(p, &item, error)))
			return -1;
		if (!inlined)
			p->items[number - 1] = item;
		else
			p->items[number - 1].inner = (uint32_t)p->n;
		item.into = inlined ? (uint32_t)p->n : number;
	}
	return 0;
}

/* Where an item is in the index, or would be; there is room. */
static size_t slot_of_item(const struct pp_places *p, const struct place_item *item, bool by_file)
{
	size_t at = pp_numbers_first(&p->by_item, hash_of_item(item));

	while (p->by_item.places[at] && !same_place(item, &p->items[p->by_item.places[at] - 1], by_file))
		at = pp_numbers_next(&p->by_item, at);
	return at;
}

/* The number of a place that was met before, by what pp_symbols_where() said; 0: it was not. */
static uint32_t find_place(const struct pp_places *p, uint32_t file, unsigned cpumode, uint64_t offset)
{
	const struct place_item item = {
		.file = file < p->of_object_room ? p->of_object[file] : 0, .cpumode = cpumode & 0xffff,
		.offset = { (uint32_t)offset, offset >> 32 },
	};

	if ((file && !item.file) || !p->by_item.room)
		return 0;
	return p->by_item.places[slot_of_item(p, &item, file)];
}

static int meet_place(struct pp_places *p, struct pp_symbols *symbols, struct pp_tasks *tasks,
		      const struct looked_up *met, uint32_t *number, struct pp_error *error)
{
	struct place_item item = { .cpumode = met->at->cpumode & 0xffff };
	const bool by_file = met->is.file && met->is.dso;
	size_t at;

	if (find_where(p, symbols, tasks, met, &item, error) ||
	    (!by_file && met->is.count &&
	     number_text(p, met->is.frames[met->is.count - 1].symbol, &item.function, error)))
		return -1;
	if (pp_numbers_reserve(&p->by_item, p->n + 1, hash_place, p))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = slot_of_item(p, &item, by_file);
	*number = p->by_item.places[at];
	if (*number)
		return 0;
	if (add_item(p, &item, error))
		return -1;
	*number = p->by_item.places[at] = (uint32_t)p->n;
	return name_item(p, *number, &met->is, met->at->no_inline, error);
}

int pp_places_look_up(struct pp_places *p, struct pp_symbols *symbols, struct pp_tasks *tasks,
		      const struct pp_place_met *of, uint32_t *number, struct pp_error *error)
{
	struct looked_up met;
	uint64_t offset;
	uint32_t file;
	const int got = pp_symbols_where(symbols, of->pid, of->cpumode, of->address, &file, &offset);

	if (got < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	*number = got ? find_place(p, file, of->cpumode, offset) : 0;
	if (*number)
		return 0;
	met.at = of;
	if (pp_symbols_at(symbols, of->pid, of->cpumode, of->address, &met.is, error) < 0)
		return -1;
	return meet_place(p, symbols, tasks, &met, number, error);
}

/* ---- the first place of a function ---- */

static uint64_t hash_function(const void *things, uint64_t place)
{
	const struct pp_places *const p = things;
	const struct place_item *const item = &p->items[place - 1];

	return pp_hash_more(item->file, (uint64_t)item->source << 32 | item->function);
}

static bool same_function(const struct place_item *a, const struct place_item *b)
{
	return a->function == b->function && a->source == b->source && a->file == b->file;
}

int pp_places_first(struct pp_places *p, uint32_t *number, struct pp_error *error)
{
	const struct place_item *const item = &p->items[*number - 1];
	struct pp_numbers *const index = &p->by_function;
	size_t at;

	if (!item->function || item->inner)
		return 0;
	if (pp_numbers_reserve(index, p->n_functions + 1, hash_function, p))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(index, hash_function(p, *number));
	while (index->places[at] && !same_function(item, &p->items[index->places[at] - 1]))
		at = pp_numbers_next(index, at);
	if (!index->places[at]) {
		index->places[at] = *number;
		p->n_functions++;
	}
	*number = index->places[at];
	return 0;
}

/* ---- what is known at the end ---- */

static void join_file(struct pp_place_file *to, const struct pp_place_file *file)
{
	to->begin = to->begin < file->begin ? to->begin : file->begin;
	to->end = to->end > file->end ? to->end : file->end;
	to->bias = to->bias ? to->bias : file->bias;
}

/* Whether names are asked for by its number, which is then that of the file that it was found to be. */
static bool know_file(const struct pp_places *p, struct pp_symbols *symbols, size_t i)
{
	struct place_object *const object = &p->objects[i];

	if (!object->number || p->files[i].kind == PP_NAMES_PROCESS)
		return false;
	object->number = pp_symbols_same(symbols, object->number);
	describe_file(&p->files[i], pp_symbols_named(symbols, object->number));
	return !p->own;
}

/* Fills in what number each file has now, from 1.  0, or -1: memory. */
static int unite_files(struct pp_places *p, struct pp_symbols *symbols, uint32_t *numbers)
{
	struct pp_idmap by_object = { .count = 0 };
	size_t kept = 0;
	int failed = 0;

	for (size_t i = 0; i < p->n_files && !failed; i++) {
		const bool known = know_file(p, symbols, i);
		const uint64_t *const first = known ? pp_idmap_find(&by_object, p->objects[i].number) : NULL;

		numbers[i] = (uint32_t)(first ? *first : kept);
		if (first) {
			join_file(&p->files[*first], &p->files[i]);
			continue;
		}
		p->files[kept] = p->files[i];
		p->objects[kept] = p->objects[i];
		if (known)
			failed = pp_idmap_set(&by_object, p->objects[i].number, kept);
		kept++;
	}
	pp_idmap_close(&by_object);
	p->n_files = failed ? p->n_files : kept;
	return failed;
}

static int settle_files(struct pp_places *p, struct pp_symbols *symbols, struct pp_error *error)
{
	uint32_t *const numbers = calloc(p->n_files + 1, sizeof(*numbers));

	if (!numbers || unite_files(p, symbols, numbers)) {
		free(numbers);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].file)
			p->items[i].file = numbers[p->items[i].file - 1] + 1;
	free(numbers);
	return 0;
}

int pp_places_settle(struct pp_places *p, struct pp_symbols *symbols, bool no_inline, struct pp_error *error)
{
	const size_t n = p->n;

	if (settle_files(p, symbols, error))
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct place_item *const item = &p->items[i];
		const uint32_t object = item->file && !item->function ? p->objects[item->file - 1].number : 0;
		struct pp_location is;

		if (object && pp_symbols_later(symbols, object, whole(item->offset), &is) &&
		    name_item(p, (uint32_t)i + 1, &is, no_inline, error))
			return -1;
	}
	return 0;
}

bool pp_places_own(const struct pp_places *p)
{
	return p->own;
}

bool pp_places_named(const struct pp_places *p, uint32_t number)
{
	return p->items[number - 1].function != 0;
}

/* ---- what came of it ---- */

static const char *text_of_number(const struct pp_places *p, uint32_t number)
{
	return number ? p->texts.items[number - 1].text : NULL;
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
		.line = item->line, .past = item->past, .into = item->into, .inner = item->inner,
		.file = item->file,
		.offset = whole(item->offset), .linked = whole(item->linked),
		.kind = item->kind, .cpumode = item->cpumode,
	};
}

uint32_t pp_places_files(const struct pp_places *p)
{
	return (uint32_t)p->n_files;
}

const struct pp_place_file *pp_places_file(const struct pp_places *p, uint32_t number)
{
	return number ? &p->files[number - 1] : NULL;
}
