/* hot_functions.c - adds up samples by the address that they were taken at, and finds the heaviest
 * functions. */
#include "annotate/annotate_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sized_options.h"
#include "lookup/isolated.h"
#include "symbol/passing.h"

/* ---- Opening ---- */

static int open_finder(struct pp_annotate *a, struct pp_error *error)
{
	/* names are asked of the same files, and say what is wrong with these */
	static const struct pp_say nowhere = { .line = NULL };
	struct pp_finder_options places = { .root = a->how.root, .debuginfod = a->how.debuginfod };

	if (a->how.finder) {
		a->process = pp_isolated_finder_at(a->how.finder, &nowhere, error);
		if (!a->process)
			return -1;
		places.ask = pp_isolated_finder_ask;
		places.ask_arg = a->process;
	}
	a->finder = pp_finder_new(&places);
	return a->finder ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

struct pp_annotate *pp_annotate_new(const struct pp_annotate_options *how, struct pp_symbols *symbols,
				    struct pp_error *error)
{
	struct pp_annotate *const a = calloc(1, sizeof(*a));

	if (!a) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	a->symbols = symbols;
	if (!pp_options_take(&a->how, sizeof(a->how), how, error) && !open_finder(a, error))
		return a;
	pp_annotate_free(a);
	return NULL;
}

static void free_function(struct pp_hot_function *f)
{
	pp_function_code_free(&f->code);
	free(f->places);
	free(f->offsets);
	free(f->lines);
	free(f->parts);
}

/* All that came of samples. */
static void free_sums(struct pp_annotate *a)
{
	for (size_t i = 0; i < a->n_functions; i++)
		free_function(&a->functions[i]);
	for (size_t i = 0; i < a->n_files; i++)
		pp_idmap_close(&a->files[i]);
	for (size_t i = 0; i < a->n_events; i++)
		free(a->events[i].name);
	for (size_t i = 0; i < a->n_texts; i++)
		free(a->texts[i]);
	pp_group_deltas_close(&a->since);
	pp_idmap_close(&a->by_file);
	free(a->functions);
	free(a->files);
	free(a->events);
	free(a->texts);
	free(a->spots);
}

void pp_annotate_free(struct pp_annotate *a)
{
	if (!a)
		return;
	free_sums(a);
	pp_source_text_free(&a->source);
	pp_finder_free(a->finder);
	pp_isolated_finder_free(a->process);
	free(a);
}

void pp_annotate_symbols(struct pp_annotate *a, struct pp_symbols *symbols)
{
	a->symbols = symbols;
}

void pp_annotate_again(struct pp_annotate *a, const char *function, const char *dsos)
{
	const struct pp_annotate old = *a;

	free_sums(a);
	*a = (struct pp_annotate){ .how = old.how, .process = old.process,
				   .finder = old.finder, .source = old.source, .failure = old.failure };
	a->how.function = function;
	a->how.dsos = dsos;
}

void pp_annotate_load(void)
{
	pp_disassemble_load();
}

/* ---- Samples ---- */

/* Events of one name are one, as on processors with two kinds of cores. */
static int event_of(struct pp_annotate *a, const struct pp_attr *attr, uint32_t *event)
{
	size_t i = a->met == attr ? a->met_event : 0;

	while (i < a->n_events && a->met != attr && strcmp(a->events[i].name, attr->name) != 0)
		i++;
	if (i == a->n_events) {
		char *const name = strdup(attr->name);

		if (!name || PP_GROW(&a->events, &a->room_events, a->n_events + 1, NULL)) {
			free(name);
			return -1;
		}
		a->events[a->n_events++] = (struct pp_hot_event){ .name = name, .index = attr->index };
	}
	if (attr->index < a->events[i].index)
		a->events[i].index = attr->index;
	a->met = attr;
	*event = a->met_event = (uint32_t)i;
	return 0;
}

static int add_spot(struct pp_annotate *a, uint32_t event, uint32_t file, uint64_t offset, uint64_t period)
{
	const uint64_t key = (uint64_t)event << 32 | file;
	const uint64_t *number = pp_idmap_find(&a->by_file, key);
	struct pp_idmap *by_offset;

	if (!number) {
		if (PP_GROW(&a->files, &a->room_files, a->n_files + 1, NULL) ||
		    pp_idmap_set(&a->by_file, key, a->n_files))
			return -1;
		a->files[a->n_files++] = (struct pp_idmap){ .count = 0 };
		number = pp_idmap_find(&a->by_file, key);
	}
	by_offset = &a->files[*number];
	number = pp_idmap_find(by_offset, offset);
	if (!number) {
		if (PP_GROW(&a->spots, &a->room_spots, a->n_spots + 1, NULL) ||
		    pp_idmap_set(by_offset, offset, a->n_spots))
			return -1;
		a->spots[a->n_spots++] = (struct pp_hot_spot){ .event = event, .file = file,
							       .offset = offset };
		number = pp_idmap_find(by_offset, offset);
	}
	/* what has no number is no offset */
	if (!number)
		return 0;
	a->spots[*number].period += period;
	a->spots[*number].samples++;
	return 0;
}

/* Where a sample is: its file, 0 where it is in none, and the offset in that. */
static int place_of(struct pp_annotate *a, const struct pp_record *rec, uint32_t *file, uint64_t *offset,
		    struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	uint32_t pid, tid;
	uint64_t ip;
	int got;

	*file = 0;
	if (!pp_task(rec, &pid, &tid) || !pp_ip(rec, &ip) ||
	    (mode != PP_MISC_KERNEL && mode != PP_MISC_USER))
		return 0;
	got = pp_symbols_where(a->symbols, pid, mode, ip, file, offset);
	if (got < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (!got)
		*file = 0;
	if (!*file)
		return 0;
	got = pp_symbols_want(a->symbols, pid, mode, &ip, 1, error);
	return got > 0 ? pp_symbols_resolve(a->symbols, false, NULL, NULL, error) : got;
}

static int add_sample(struct pp_annotate *a, const struct pp_attr *attr, const struct pp_record *rec,
		      uint64_t period, struct pp_error *error)
{
	uint32_t event, file;
	uint64_t offset;

	if (a->how.event && strcmp(attr->name, a->how.event) != 0)
		return 0;
	if (event_of(a, attr, &event))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (place_of(a, rec, &file, &offset, error))
		return -1;
	a->events[event].samples++;
	a->events[event].period += period;
	a->events[event].elsewhere += !file;
	return file && add_spot(a, event, file, offset, period) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_annotate_note(struct pp_annotate *a, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_group_deltas_walk events;
	uint64_t period = 1;
	int got;

	if (rec->type != PP_REC_SAMPLE || !rec->attr)
		return 0;
	if (!pp_group_deltas_is_for(rec->attr)) {
		(void)pp_sample_period(rec, &period);
		return add_sample(a, rec->attr, rec, period, error);
	}
	pp_group_deltas_open(&events, &a->since, rec);
	while ((got = pp_group_deltas_next(&events, error)) > 0)
		if (events.attr && add_sample(a, events.attr, rec, events.period, error))
			return -1;
	return got;
}

/* ---- The end ---- */

/* The first that is described and has samples, as perf takes it. */
static uint32_t choose_event(const struct pp_annotate *a)
{
	size_t chosen = 0;

	for (size_t i = 1; i < a->n_events; i++)
		if (a->events[i].index < a->events[chosen].index)
			chosen = i;
	return (uint32_t)chosen;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Spots of one function follow each other; those without one come last. */
static int by_function(const void *a, const void *b)
{
	const struct pp_hot_spot *const x = a, *const y = b;

	if (x->named != y->named)
		return y->named - x->named;
	if (x->file != y->file)
		return compare_numbers(x->file, y->file);
	if (x->start != y->start)
		return compare_numbers(x->start, y->start);
	return compare_numbers(x->offset, y->offset);
}

/* Leaves the spots of one event alone, by function. */
static int name_spots(struct pp_annotate *a, uint32_t event, struct pp_error *error)
{
	size_t kept = 0;
	int got;

	a->samples = a->events[event].samples;
	a->nameless = a->events[event].elsewhere;
	for (size_t i = 0; i < a->n_spots; i++) {
		struct pp_hot_spot spot = a->spots[i];
		struct pp_location place;

		if (spot.event != event)
			continue;
		spot.file = pp_symbols_same(a->symbols, spot.file);
		got = pp_symbols_name(a->symbols, spot.file, spot.offset, &place, error);
		if (got < 0)
			return -1;
		spot.named = got && *place.frames[place.count - 1].symbol;
		spot.start = spot.named ? spot.offset - place.into : spot.offset;
		if (!spot.named)
			a->nameless += spot.samples;
		a->spots[kept++] = spot;
	}
	a->n_spots = kept;
	if (kept)
		qsort(a->spots, kept, sizeof(*a->spots), by_function);
	return 0;
}

static bool is_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = list;; at++) {
		const size_t n = strcspn(at, ",");

		if (n == length && !strncmp(at, name, n))
			return true;
		at += n;
		if (!*at)
			return false;
	}
}

static bool is_wanted(const struct pp_annotate *a, const char *name, const char *dso)
{
	const char *const function = a->how.function, *const slash = strrchr(dso, '/');
	const size_t length = function ? strlen(function) : 0;

	if (a->how.dsos && !is_listed(a->how.dsos, dso) && !(slash && is_listed(a->how.dsos, slash + 1)))
		return false;
	return !function || (!strncmp(name, function, length) && (!name[length] || name[length] == '('));
}

/* The name of a file; of code that a process made, of the list that has its names. */
static void name_file(struct pp_annotate *a, uint32_t file, char *text, size_t size)
{
	const struct pp_named_file *const of = pp_symbols_named(a->symbols, file);

	if (of->kind == PP_NAMES_PROCESS)
		(void)snprintf(text, size, "/tmp/perf-%u.map", (unsigned)of->pid);
	else
		(void)snprintf(text, size, "%s", of->path);
}

/* The function of these spots, if it is one that is wanted: 1, 0, or -1 and *error. */
static int take_function(struct pp_annotate *a, size_t first, size_t n, struct pp_hot_function *f,
			 struct pp_error *error)
{
	const struct pp_hot_spot *const spot = &a->spots[first];
	struct pp_location place;
	const char *name;
	char dso[4096];
	int got;

	name_file(a, spot->file, dso, sizeof(dso));
	got = pp_symbols_name(a->symbols, spot->file, spot->offset, &place, error);
	if (got <= 0)
		return got;
	name = place.frames[place.count - 1].symbol;
	if (!is_wanted(a, name, dso))
		return 0;
	*f = (struct pp_hot_function){ .file = spot->file, .start = spot->start, .first = first, .n = n,
				       .bias = place.linked ? place.linked - spot->offset : 0 };
	for (size_t i = first; i < first + n; i++) {
		f->shown.period += a->spots[i].period;
		f->shown.samples += a->spots[i].samples;
	}
	f->shown.name = pp_annotate_text(a, name, strlen(name));
	f->shown.dso = pp_annotate_text(a, dso, strlen(dso));
	f->shown.event = a->events[spot->event].name;
	f->shown.all_period = a->events[spot->event].period;
	f->shown.all_samples = a->events[spot->event].samples;
	return f->shown.name && f->shown.dso ? 1 : pp_fail(error, PP_E_NOMEM, NULL);
}

static int heaviest_function(const void *a, const void *b)
{
	const struct pp_hot_function *const x = a, *const y = b;
	const int names = strcmp(x->shown.name, y->shown.name), files = strcmp(x->shown.dso, y->shown.dso);

	if (x->shown.period != y->shown.period)
		return compare_numbers(y->shown.period, x->shown.period);
	if (x->shown.samples != y->shown.samples)
		return compare_numbers(y->shown.samples, x->shown.samples);
	return names ? names : files ? files : compare_numbers(x->start, y->start);
}

/* All functions that are wanted, and of these the heaviest. */
static int choose_functions(struct pp_annotate *a, struct pp_error *error)
{
	const size_t most = a->how.most ? a->how.most : 1;
	size_t room = 0, n;

	for (size_t i = 0; i < a->n_spots && a->spots[i].named; i += n) {
		int got;

		for (n = 1; i + n < a->n_spots && a->spots[i + n].named &&
			    a->spots[i + n].file == a->spots[i].file &&
			    a->spots[i + n].start == a->spots[i].start; n++)
			;
		if (PP_GROW(&a->functions, &room, a->n_functions + 1, error))
			return -1;
		got = take_function(a, i, n, &a->functions[a->n_functions], error);
		if (got < 0)
			return -1;
		a->n_functions += (size_t)got;
	}
	if (a->n_functions)
		qsort(a->functions, a->n_functions, sizeof(*a->functions), heaviest_function);
	if (a->n_functions > most)
		a->n_functions = most;
	return 0;
}

static int for_functions(struct pp_annotate *a,
			 int (*each)(struct pp_annotate *, struct pp_hot_function *, struct pp_error *),
			 struct pp_error *error)
{
	for (size_t i = 0; i < a->n_functions; i++)
		if (each(a, &a->functions[i], error))
			return -1;
	return 0;
}

int pp_annotate_settle(struct pp_annotate *a, struct pp_error *error)
{
	if (!a->n_events)
		return 0;
	if (pp_symbols_resolve(a->symbols, true, NULL, NULL, error))
		return -1;
	if (name_spots(a, choose_event(a), error) || choose_functions(a, error))
		return -1;
	if (!a->n_functions)
		return 0;
	/* lines come last: with them files are read again */
	if (for_functions(a, pp_annotate_code, error) || pp_symbols_want_lines(a->symbols, error) ||
	    for_functions(a, pp_annotate_want_lines, error) ||
	    pp_symbols_resolve(a->symbols, true, NULL, NULL, error))
		return -1;
	return for_functions(a, pp_annotate_lines, error);
}

const struct pp_annotated *pp_annotate_function(const struct pp_annotate *a, size_t i)
{
	return i < a->n_functions ? &a->functions[i].shown : NULL;
}

uint64_t pp_annotate_samples(const struct pp_annotate *a, uint64_t *nameless)
{
	*nameless = a->nameless;
	return a->samples;
}

const char *pp_annotate_source(struct pp_annotate *a, const char *file, uint32_t line, size_t *length)
{
	if (a->failure.code)
		return NULL;
	return pp_source_line(&a->source, a->finder, file, line, length, &a->failure);
}

const struct pp_error *pp_annotate_failure(const struct pp_annotate *a)
{
	return a->failure.code ? &a->failure : NULL;
}
