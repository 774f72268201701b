/* frame_table.c - texts and functions by number; who asks for their names is hist.c. */
#include "profile/frame_table.h"

#include "format/format.h"
#include "symbol/dso_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- texts ---- */

int pp_frame_table_text(struct pp_frame_table *p, const char *text, size_t length, uint32_t *number,
			struct pp_error *error)
{
	uint32_t unknown;

	if (!p->texts.n && pp_strings_number(&p->texts, "", 0, 0, &unknown, error))
		return -1;
	return pp_strings_number(&p->texts, text, length, 0, number, error);
}

int pp_frame_table_value(struct pp_frame_table *p, const char *text, uint64_t upper, uint64_t *value,
			 struct pp_error *error)
{
	uint32_t number = 0;
	const int status = text ? pp_frame_table_text(p, text, strlen(text), &number, error) : 0;

	*value = upper << 32 | number;
	return status;
}

/* ---- functions ---- */

struct place_key {
	uint64_t dso, name, line, size, start, how, address;
	uint64_t file;                /* where there is no name yet: in another file there may be another */
};

static struct place_key key_of(const struct pp_code_frame *place)
{
	return (struct place_key){
		place->dso, place->name, (uint64_t)place->source << 32 | place->line, place->size,
		place->start, place->exact << 1 | place->inlined, place->address,
		place->name ? 0 : place->file,
	};
}

static uint64_t hash_place(const void *things, uint64_t place)
{
	const struct pp_code_frame at = pp_frame_table_at(things, place - 1);
	const struct place_key key = key_of(&at);

	return XXH3_64bits(&key, sizeof(key));
}

/* Where it is in the index, or would be; there is room. */
static size_t find_place(const struct pp_frame_table *p, const struct pp_code_frame *place)
{
	const struct place_key key = key_of(place);
	size_t at = pp_numbers_first(&p->by_place, XXH3_64bits(&key, sizeof(key)));

	for (; p->by_place.places[at]; at = pp_numbers_next(&p->by_place, at)) {
		const struct pp_code_frame other_place = pp_frame_table_at(p, p->by_place.places[at] - 1);
		const struct place_key other = key_of(&other_place);

		if (!memcmp(&key, &other, sizeof(key)))
			break;
	}
	return at;
}

/* ---- what many have but for where they are ---- */

enum { KINDS_MOST = INT32_MAX };

_Static_assert(sizeof(struct pp_code_frame) == 72, "it has no hole");

static uint64_t hash_kind(const void *things, uint64_t place)
{
	return XXH3_64bits((const struct pp_code_frame *)things + (place - 1), sizeof(struct pp_code_frame));
}

static struct pp_code_frame kind_of(const struct pp_code_frame *place, uint32_t number)
{
	struct pp_code_frame kind = *place;

	kind.offset -= kind.start;
	kind.start = 0;
	kind.called = false;
	kind.function = kind.function == UINT32_MAX ? 0 : number - kind.function;
	kind.symbol = kind.symbol == UINT32_MAX ? 0 : number - kind.symbol;
	return kind;
}

/* The number of a kind: the same for the same. */
static int find_kind(struct pp_frame_table *p, struct pp_code_frame kind, uint32_t *number,
		     struct pp_error *error)
{
	size_t at;

	if (p->n_kinds >= KINDS_MOST || PP_GROW(&p->kinds, &p->kinds_room, p->n_kinds + 1, error) ||
	    pp_numbers_reserve(&p->by_kind, p->n_kinds + 1, hash_kind, p->kinds))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_numbers_first(&p->by_kind, XXH3_64bits(&kind, sizeof(kind)));
	while (p->by_kind.places[at] &&
	       memcmp(&p->kinds[p->by_kind.places[at] - 1], &kind, sizeof(kind)) != 0)
		at = pp_numbers_next(&p->by_kind, at);
	if (!p->by_kind.places[at]) {
		p->kinds[p->n_kinds++] = kind;
		p->by_kind.places[at] = (uint32_t)p->n_kinds;
	}
	*number = p->by_kind.places[at] - 1;
	return 0;
}

static int set_place(struct pp_frame_table *p, uint32_t number, const struct pp_code_frame *place,
		     struct pp_error *error)
{
	uint32_t kind;

	if (find_kind(p, kind_of(place, number), &kind, error))
		return -1;
	p->places[number] = (struct pp_frame_place){
		.start = { (uint32_t)place->start, place->start >> 32 },
		.kind = kind & KINDS_MOST, .called = place->called,
	};
	return 0;
}

static int new_place(struct pp_frame_table *p, const struct pp_code_frame *place, uint32_t *number,
		     struct pp_error *error)
{
	*number = p->n_unused ? p->unused[p->n_unused - 1] : (uint32_t)p->n_places;
	if (!p->n_unused && (p->n_places >= UINT32_MAX - 1 ||
			     PP_GROW(&p->places, &p->places_room, p->n_places + 1, error)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (set_place(p, *number, place, error))
		return -1;
	if (p->n_unused)
		p->n_unused--;
	else
		p->n_places++;
	return 0;
}

int pp_frame_table_add(struct pp_frame_table *p, const struct pp_code_frame *place, uint32_t *number,
		  struct pp_error *error)
{
	size_t at;

	if (pp_numbers_reserve(&p->by_place, p->n_places + 1, hash_place, p))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = find_place(p, place);
	if (p->by_place.places[at]) {
		*number = p->by_place.places[at] - 1;
		p->places[*number].called &= place->called;
		return 0;
	}
	if (new_place(p, place, number, error))
		return -1;
	p->by_place.places[at] = *number + 1;
	return 0;
}

/* Kinds that are those of no place any more go. */
static int keep_kinds(struct pp_frame_table *p, struct pp_error *error)
{
	struct pp_frame_table kept = { 0 };
	int status = 0;

	for (uint32_t i = 0; !status && i < p->n_places; i++) {
		uint32_t number;

		status = find_kind(&kept, *pp_frame_table_kind(p, i), &number, error);
		if (!status)
			p->places[i].kind = number & KINDS_MOST;
	}
	free(p->kinds);
	pp_numbers_close(&p->by_kind);
	p->kinds = kept.kinds;
	p->n_kinds = kept.n_kinds;
	p->kinds_room = kept.kinds_room;
	p->by_kind = kept.by_kind;
	return status;
}

int pp_frame_table_keep(struct pp_frame_table *p, const bool *used, struct pp_error *error)
{
	static const struct pp_code_frame none = {
		.function = UINT32_MAX, .symbol = UINT32_MAX, .called = true,
	};
	uint32_t *const unused = calloc(p->n_places + 1, sizeof(*unused));
	size_t n = 0;

	pp_numbers_close(&p->by_place);
	if (!unused || pp_numbers_reserve(&p->by_place, p->n_places + 1, hash_place, p)) {
		free(unused);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	free(p->unused);
	p->unused = unused;
	p->n_unused = 0;
	for (uint32_t i = 0; i < p->n_places; i++) {
		const struct pp_code_frame place = pp_frame_table_at(p, i);

		if (!place.called || used[i]) {
			p->by_place.places[find_place(p, &place)] = i + 1;
			continue;
		}
		if (set_place(p, i, &none, error))
			return -1;
		unused[n++] = i;
	}
	p->n_unused = n;
	return keep_kinds(p, error);
}

uint64_t pp_frame_table_size(const struct pp_frame_table *p)
{
	return (p->n_places - p->n_unused) * sizeof(*p->places) + pp_numbers_size(&p->by_place) +
	       p->n_kinds * sizeof(*p->kinds) + pp_numbers_size(&p->by_kind);
}

/* ---- names of files ---- */

int pp_frame_table_dso(struct pp_frame_table *p, const char *name, unsigned mode, uint32_t *number,
		       struct pp_error *error)
{
	const char *const slash = name && *name != '[' ? strrchr(name, '/') : NULL;
	const char *base = slash && slash[1] ? slash + 1 : name;
	char text[PP_DSO_MODULE_ROOM];
	unsigned tid;

	if (!name)
		return pp_frame_table_text(p, "", 0, number, error);
	if (!strncmp(name, "/tmp/perf-", 10) && sscanf(name, "/tmp/perf-%u.map", &tid) == 1) {
		snprintf(text, sizeof(text), "[JIT] tid %u", tid);
		base = text;
	} else if (pp_dso_module(name, mode, text)) {
		base = text;
	}
	return pp_frame_table_text(p, base, strlen(base), number, error);
}

char pp_frame_table_level(unsigned mode)
{
	static const char levels[] = {
		[PP_MISC_KERNEL] = 'k', [PP_MISC_USER] = '.',
		[PP_MISC_GUEST_KERNEL] = 'g', [PP_MISC_GUEST_USER] = 'u',
	};

	return mode < sizeof(levels) && levels[mode] ? levels[mode] : 'H';
}

void pp_frame_table_close(struct pp_frame_table *p)
{
	pp_strings_close(&p->texts);
	free(p->places);
	free(p->kinds);
	free(p->unused);
	pp_numbers_close(&p->by_place);
	pp_numbers_close(&p->by_kind);
	*p = (struct pp_frame_table){ 0 };
}
