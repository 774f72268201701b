/* functions.c - the functions that the places of a recording are in. */
#include "exchange/functions.h"

#include "base/hash.h"
#include "exchange/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function_numbers {
	struct pp_idmap sources;      /* by the numbers of function and source */
	struct pp_idmap files;        /* by what that gives, and file: a function */
};

/* The number that a map has for a key, or `fresh`, which it gets.  0, or -1: memory. */
static int find_or_set(struct pp_idmap *map, uint32_t high, uint32_t low, uint64_t fresh, uint64_t *found)
{
	const uint64_t key = (uint64_t)high << 32 | low;
	const uint64_t *const known = pp_idmap_find(map, key);

	*found = known ? *known : fresh;
	return known ? 0 : pp_idmap_set(map, key, fresh);
}

/* Which function a place is in: f->n, if in none that is there. */
static int find_function(const struct pp_export_functions *f, struct function_numbers *numbers,
			 const struct pp_code_place *place, uint64_t *function)
{
	uint64_t name;

	*function = f->n;
	if (!place->function)
		return 0;
	return find_or_set(&numbers->sources, place->function_number, place->source_number,
			   numbers->sources.count, &name) ||
	       find_or_set(&numbers->files, (uint32_t)name, place->file, f->n, function) ? -1 : 0;
}

static int number_functions(struct pp_export_functions *f, struct function_numbers *numbers,
			    struct pp_error *error)
{
	const uint32_t n = pp_places_count(f->all->places);
	struct pp_code_place place;
	uint64_t function;

	for (uint32_t i = 1; i <= n; i++) {
		pp_places_at(f->all->places, i, &place);
		if (find_function(f, numbers, &place, &function))
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (PP_GROW(&f->items, &f->room, f->n + 1, error))
			return -1;
		if (function == f->n)
			f->items[f->n++] = (struct pp_export_function){ .place = i };
		if (!f->items[function].line)
			f->items[function].line = place.line;
		f->of_place[i] = (uint32_t)function;
	}
	return 0;
}

int pp_export_functions_open(struct pp_export_functions *f, const struct pp_export *all,
			     struct pp_error *error)
{
	struct function_numbers numbers = { .sources.count = 0 };
	int status;

	*f = (struct pp_export_functions){ .all = all };
	f->of_place = calloc((size_t)pp_places_count(all->places) + 1, sizeof(*f->of_place));
	if (!f->of_place)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = number_functions(f, &numbers, error);
	pp_idmap_close(&numbers.sources);
	pp_idmap_close(&numbers.files);
	return status;
}

void pp_export_functions_close(struct pp_export_functions *f)
{
	free(f->of_place);
	free(f->items);
	f->of_place = NULL;
	f->items = NULL;
}

int pp_export_function_name(const struct pp_export_functions *f, size_t function, bool bare,
			    struct pp_buffer *to, struct pp_error *error)
{
	const struct pp_place_file *file;
	struct pp_code_place place;
	const char *slash = NULL;
	char address[24];

	to->size = 0;
	pp_places_at(f->all->places, f->items[function].place, &place);
	if (place.function)
		return pp_clean_text(to, place.function, error);
	file = pp_places_file(f->all->places, place.file);
	if (file && !bare)
		slash = strrchr(file->dso, '/');
	if (file && !bare && pp_clean_text(to, slash && slash[1] ? slash + 1 : file->dso, error))
		return -1;
	snprintf(address, sizeof(address), "%s0x%" PRIx64, file && !bare ? "+" : "",
		 pp_recording_address(f->all, &place));
	return pp_clean_text(to, address, error);
}
