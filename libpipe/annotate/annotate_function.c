/* annotate_function.c - the instructions and the lines of a function, and what each of them took. */
#include "annotate/annotate_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbol/passing.h"

enum { CODE_MOST = 1 << 20 };         /* bytes of a function that are looked at */

static int lacking(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Instructions ---- */

struct showing { struct pp_annotate *a; struct pp_hot_function *f; };

static int add_place(struct pp_hot_function *f, const struct pp_annotated_place *place, uint64_t offset)
{
	if (PP_GROW(&f->places, &f->room_places, f->n_places + 1, NULL) ||
	    PP_GROW(&f->offsets, &f->room_offsets, f->n_places + 1, NULL))
		return -1;
	f->places[f->n_places] = *place;
	f->offsets[f->n_places++] = offset;
	return 0;
}

static int add_decoded(void *arg, const struct pp_decoded *d, struct pp_error *error)
{
	const struct showing *const s = arg;
	struct pp_annotated_place place = {
		.address = d->address, .size = d->size, .jumps = d->jumps, .calls = d->calls,
		.aimed = d->aimed, .target = d->target,
	};
	char text[256];
	const int n = snprintf(text, sizeof(text), "%s%s%s", d->name, *d->operands ? " " : "", d->operands);

	place.text = pp_annotate_text(s->a, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
	return !place.text || add_place(s->f, &place, d->address - s->f->bias) ? lacking(error) : 0;
}

/* Where the code is as linked, which names in the stream do not tell. */
static void settle_bias(struct pp_hot_function *f)
{
	for (size_t i = 0; i < f->code.n_segments; i++) {
		const struct pp_code_segment *const s = &f->code.segments[i];

		if (f->start >= s->offset && f->start - s->offset < s->size)
			f->bias = s->address - s->offset;
	}
}

/* What is asked of its file: 1, 0 and ->lack, -1 and *error. */
static int disassemble_function(struct pp_annotate *a, struct pp_hot_function *f, struct pp_error *error)
{
	const struct pp_named_file *const of = pp_symbols_named(a->symbols, f->file);
	struct showing to = { a, f };
	struct pp_wanted_file wanted;
	uint64_t start, end;
	int got;

	f->shown.lack = "its code is in no file";
	if (of->kind == PP_NAMES_KERNEL)
		f->shown.lack = "code of the kernel is not looked at";
	if (of->kind != PP_NAMES_FILE)
		return 0;
	f->shown.lack = "its file is not here";
	got = pp_symbols_extent(a->symbols, f->file, a->spots[f->first].offset, &start, &end, error);
	if (got <= 0)
		return got;
	f->shown.lack = "its file has another function there";
	if (start != f->start)
		return 0;
	f->shown.lack = "its file is not here";
	f->end = end;
	pp_symbols_wanted(a->symbols, f->file, &wanted);
	got = pp_function_code_read(a->finder, &wanted, f->start, f->end - f->start, &f->code, error);
	if (got <= 0)
		return got;
	settle_bias(f);
	f->shown.lack = NULL;
	return pp_disassemble(&f->code, f->start + f->bias, add_decoded, &to, &f->shown.lack, error);
}

/* Adds what was sampled to the instruction that it is in; beyond those that are known, to one of its own. */
static int weigh_places(const struct pp_annotate *a, struct pp_hot_function *f)
{
	size_t at = 0;

	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct pp_hot_spot *const spot = &a->spots[i];
		const struct pp_annotated_place place = { .address = spot->offset + f->bias, .size = 0 };

		while (at + 1 < f->n_places && f->offsets[at + 1] <= spot->offset)
			at++;
		if (at >= f->n_places ||
		    (spot->offset != f->offsets[at] && spot->offset - f->offsets[at] >= f->places[at].size)) {
			if (add_place(f, &place, spot->offset))
				return -1;
			at = f->n_places - 1;
		}
		f->places[at].period += spot->period;
		f->places[at].samples += spot->samples;
	}
	return 0;
}

static bool is_inside(const struct pp_hot_function *f, uint64_t address)
{
	return address - f->bias >= f->start && address - f->bias < f->end;
}

/* Where in the file the target of an instruction is, if its name is wanted. */
static bool target_of(const struct pp_hot_function *f, const struct pp_annotated_place *place,
		      uint64_t *offset)
{
	return place->aimed && !(place->jumps && is_inside(f, place->target)) &&
	       pp_function_code_offset(&f->code, place->target, offset);
}

static int name_targets(struct pp_annotate *a, struct pp_hot_function *f, struct pp_error *error)
{
	uint64_t offset;

	for (size_t i = 0; i < f->n_places; i++)
		if (target_of(f, &f->places[i], &offset) &&
		    pp_symbols_want_place(a->symbols, f->file, offset))
			return lacking(error);
	if (pp_symbols_resolve(a->symbols, true, NULL, NULL, error))
		return -1;
	for (size_t i = 0; i < f->n_places; i++) {
		struct pp_location place;
		char into[32] = "", *text;
		int n;

		if (!target_of(f, &f->places[i], &offset))
			continue;
		n = pp_symbols_name(a->symbols, f->file, offset, &place, error);
		if (n < 0)
			return -1;
		if (!n)
			continue;
		if (place.into)
			(void)snprintf(into, sizeof(into), "+0x%llx", (unsigned long long)place.into);
		n = asprintf(&text, "%s%s", place.frames[place.count - 1].symbol, into);
		if (n < 0)
			return lacking(error);
		f->places[i].target_name = pp_annotate_text(a, text, (size_t)n);
		free(text);
		if (!f->places[i].target_name)
			return lacking(error);
	}
	return 0;
}

int pp_annotate_code(struct pp_annotate *a, struct pp_hot_function *f, struct pp_error *error)
{
	const int got = disassemble_function(a, f, error);

	if (got < 0)
		return -1;
	if (weigh_places(a, f))
		return lacking(error);
	f->shown.address = f->start + f->bias;
	f->shown.length = f->end ? f->end - f->start : 0;
	f->shown.places = f->places;
	f->shown.n_places = f->n_places;
	return got ? name_targets(a, f, error) : 0;
}

/* ---- Lines ---- */

/* The next offset whose line is asked for, after the `at` of the one before, from 0 on: of each instruction,
 * or where these are not known of each byte.  False: there are no more. */
static bool next_offset(const struct pp_hot_function *f, size_t *at, uint64_t *offset, bool *of_place)
{
	const size_t bytes = f->shown.lack && f->end ?
			     (size_t)(f->end - f->start < CODE_MOST ? f->end - f->start : CODE_MOST) : 0;
	const size_t i = (*at)++;

	*of_place = i < f->n_places;
	if (*of_place)
		*offset = f->offsets[i];
	else if (i - f->n_places < bytes)
		*offset = f->start + (i - f->n_places);
	else
		return false;
	return true;
}

int pp_annotate_want_lines(struct pp_annotate *a, struct pp_hot_function *f, struct pp_error *error)
{
	uint64_t offset;
	size_t at = 0;
	bool of_place;

	while (next_offset(f, &at, &offset, &of_place))
		if (pp_symbols_want_place(a->symbols, f->file, offset))
			return lacking(error);
	return 0;
}

/* What the lines of a function are found by, while they are gathered. */
struct gathering {
	struct pp_annotate *a;
	struct pp_hot_function *f;
	struct pp_idmap by_line;      /* index, by part and number */
	struct pp_idmap calls;        /* by part and line: those that were met */
	uint32_t part;                /* the last */
};

static bool is_part(const struct pp_annotated_part *p, const struct pp_location *place)
{
	return p->inlined == (place->count > 1) && !strcmp(p->function, place->frames->symbol) &&
	       !strcmp(p->file, place->frames->file);
}

static int add_part(struct gathering *g, const struct pp_location *place)
{
	struct pp_hot_function *const f = g->f;
	const struct pp_named_frame *const inner = place->frames, *const outer = inner + (place->count > 1);
	struct pp_annotated_part part = { .inlined = place->count > 1, .call_line = outer->line };

	part.function = pp_annotate_text(g->a, inner->symbol, strlen(inner->symbol));
	part.file = pp_annotate_text(g->a, inner->file, strlen(inner->file));
	part.call_file = pp_annotate_text(g->a, outer->file, strlen(outer->file));
	if (!part.function || !part.file || !part.call_file ||
	    PP_GROW(&f->parts, &f->room_parts, f->n_parts + 1, NULL))
		return -1;
	f->parts[f->n_parts++] = part;
	return 0;
}

/* Which part the innermost function of an address is: 0, or -1: memory. */
static int find_part(struct gathering *g, const struct pp_location *place)
{
	const struct pp_named_frame *const outer = place->frames + 1;
	struct pp_hot_function *const f = g->f;
	uint32_t i = g->part;

	if (i >= f->n_parts || !is_part(&f->parts[i], place))
		for (i = 0; i < f->n_parts && !is_part(&f->parts[i], place); i++)
			;
	if (i == f->n_parts && add_part(g, place))
		return -1;
	g->part = i;
	if (place->count > 1) {
		const uint64_t call = XXH3_64bits_withSeed(outer->file, strlen(outer->file),
							   (uint64_t)i << 32 | outer->line);
		const int got = pp_idmap_add(&g->calls, call);

		if (got < 0)
			return -1;
		f->parts[i].calls += (uint32_t)got;
	}
	return 0;
}

/* The line of an offset, 1 + index, or 0: it has none.  0, or -1 and *error. */
static int find_line(struct gathering *g, uint64_t offset, uint32_t *line, struct pp_error *error)
{
	struct pp_hot_function *const f = g->f;
	struct pp_location place;
	const uint64_t *known;
	uint64_t key;
	const int got = pp_symbols_name(g->a->symbols, f->file, offset, &place, error);

	*line = 0;
	if (got <= 0 || !*place.frames->file)
		return got < 0 ? -1 : 0;
	if (find_part(g, &place))
		return lacking(error);
	key = (uint64_t)g->part << 32 | place.frames->line;
	known = pp_idmap_find(&g->by_line, key);
	if (!known) {
		if (f->n_lines >= UINT32_MAX - 1 ||
		    PP_GROW(&f->lines, &f->room_lines, f->n_lines + 1, NULL) ||
		    pp_idmap_set(&g->by_line, key, f->n_lines))
			return lacking(error);
		f->lines[f->n_lines++] = (struct pp_annotated_line){ .part = g->part,
								     .line = place.frames->line };
		*line = (uint32_t)f->n_lines;
	} else {
		*line = (uint32_t)*known + 1;
	}
	return 0;
}

/* The function itself first, then the heaviest. */
static int by_weight(const void *a, const void *b)
{
	const struct pp_annotated_part *const x = a, *const y = b;

	if (x->inlined != y->inlined)
		return x->inlined - y->inlined;
	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_part(const void *a, const void *b)
{
	const struct pp_annotated_line *const x = a, *const y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Puts parts and lines in order.  Meanwhile ->period of a line is its old index, and ->first of a part its
 * own. */
static int sort_lines(struct pp_hot_function *f)
{
	uint32_t *const numbers = malloc((f->n_parts + f->n_lines + 1) * sizeof(*numbers));
	uint32_t *const of_line = numbers + f->n_parts;

	if (!numbers)
		return -1;
	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].line) {
			struct pp_annotated_part *const p = &f->parts[f->lines[f->places[i].line - 1].part];

			p->period += f->places[i].period;
			p->samples += f->places[i].samples;
		}
	for (size_t i = 0; i < f->n_parts; i++)
		f->parts[i].first = i;
	qsort(f->parts, f->n_parts, sizeof(*f->parts), by_weight);
	for (size_t i = 0; i < f->n_parts; i++)
		numbers[f->parts[i].first] = (uint32_t)i;
	for (size_t i = 0; i < f->n_lines; i++) {
		f->lines[i].part = numbers[f->lines[i].part];
		f->lines[i].period = i;
	}
	qsort(f->lines, f->n_lines, sizeof(*f->lines), by_part);
	for (size_t i = 0; i < f->n_lines; i++) {
		struct pp_annotated_part *const p = &f->parts[f->lines[i].part];

		of_line[f->lines[i].period] = (uint32_t)i;
		f->lines[i].period = 0;
		p->first = p->n++ ? p->first : i;
	}
	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].line)
			f->places[i].line = of_line[f->places[i].line - 1] + 1;
	free(numbers);
	return 0;
}

static int gather_lines(struct gathering *g, struct pp_error *error)
{
	struct pp_hot_function *const f = g->f;
	uint64_t offset;
	size_t at = 0;
	uint32_t line;
	bool of_place;

	while (next_offset(f, &at, &offset, &of_place)) {
		if (find_line(g, offset, &line, error))
			return -1;
		if (of_place)
			f->places[at - 1].line = line;
	}
	return f->n_lines && sort_lines(f) ? lacking(error) : 0;
}

int pp_annotate_lines(struct pp_annotate *a, struct pp_hot_function *f, struct pp_error *error)
{
	struct gathering g = { .a = a, .f = f };
	const int failed = gather_lines(&g, error);

	pp_idmap_close(&g.by_line);
	pp_idmap_close(&g.calls);
	if (failed)
		return -1;
	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].line) {
			f->lines[f->places[i].line - 1].period += f->places[i].period;
			f->lines[f->places[i].line - 1].samples += f->places[i].samples;
		}
	f->shown.lines = f->lines;
	f->shown.n_lines = f->n_lines;
	f->shown.parts = f->parts;
	f->shown.n_parts = f->n_parts;
	return 0;
}
