/*
 * frames.c - the stacks of a report: names of addresses, each asked for once while its process maps
 * nothing new, and one stack of all that go through the same functions.
 */
#include "profile/hist.h"

#include <perfpipe/callchain.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- places ---- */

/* The line of an address, or what perf has in its stead. */
static int name_line(struct pp_report *r, const struct pp_location *at, uint64_t address, struct pp_spot *p,
		     struct pp_error *error)
{
	const struct pp_named_frame *const f = at->count ? &at->frames[0] : NULL;
	const struct pp_named_frame *const last = at->count ? &at->frames[at->count - 1] : NULL;
	const char *const file = f && *f->file ? f->file : NULL;
	const char *const slash = file ? strrchr(file, '/') : NULL;
	char *text;
	int length, status;

	if (file && f->line)
		length = asprintf(&text, "%s:%u", slash ? slash + 1 : file, f->line);
	else if (last && *last->symbol)
		length = asprintf(&text, "%s+%llu", last->symbol, (unsigned long long)at->into);
	else
		length = asprintf(&text, "%s[%llx]",
				  p->dso ? r->places.texts.items[p->dso].text : "[unknown]",
				  (unsigned long long)(at->dso ? at->offset : address));
	if (length < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_spots_text(&r->places, text, (size_t)length, &p->line, error);
	free(text);
	return status;
}

/* One frame of what is at an address: the function itself, or one that is inlined there. */
static int add_place(struct pp_report *r, const struct pp_location *at, uint64_t address, size_t frame,
		     struct pp_spot *p, uint32_t *number, struct pp_error *error)
{
	const char *const symbol = frame < at->count ? at->frames[frame].symbol : "";

	p->inlined = frame + 1 < at->count;
	if (*symbol) {
		p->start = at->offset - at->into;
		if (pp_spots_text(&r->places, symbol, strlen(symbol), &p->name, error))
			return -1;
	}
	p->function = p->symbol = UINT32_MAX;
	/* perf tells them apart by their files only where these are shown */
	if (!*symbol && !r->files && !r->exact) {
		const struct pp_spot bare = {
			.start = p->start, .level = p->level, .function = UINT32_MAX, .symbol = UINT32_MAX,
		};

		if (pp_spots_add(&r->places, &bare, &p->symbol, error))
			return -1;
	}
	if (r->exact) {
		p->address = address;
		p->into = *symbol ? at->into : 0;
	}
	if (p->line || p->address) {
		struct pp_spot function = *p;

		function.line = 0;
		function.address = function.into = 0;
		if (pp_spots_add(&r->places, &function, &p->function, error))
			return -1;
	}
	return pp_spots_add(&r->places, p, number, error);
}

static int look_up(struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address,
		   struct pp_location *at, struct pp_spot *p, struct pp_error *error)
{
	*p = (struct pp_spot){ .start = address, .level = pp_spots_level(mode) };
	if (pp_symbols_at(r->symbols, pid, mode, address, at, error) < 0 ||
	    pp_spots_dso(&r->places, at->dso, pid, &p->dso, error))
		return -1;
	if (!at->count) {
		p->file = at->file;
		p->offset = at->offset;
	}
	return r->lines ? name_line(r, at, address, p, error) : 0;
}

/* As perf: a file by its path, or the last part of it. */
static bool is_left_out(const struct pp_report *r, const struct pp_location *at, const struct pp_spot *p)
{
	const char *const dsos = r->only.dsos, *const symbols = r->only.symbols;
	const char *const symbol = at->count ? at->frames[at->count - 1].symbol : "";

	return (dsos && !pp_hist_listed(dsos, r->places.texts.items[p->dso].text) &&
		!(at->dso && pp_hist_listed(dsos, at->dso))) ||
	       (symbols && !pp_hist_listed(symbols, symbol));
}

/* Where the sample itself was: perf shows an address without a name as it is in its file, or, of the kernel,
 * as it is. */
static int place_sample(struct pp_report *r, uint32_t pid, unsigned mode, struct pp_address *of,
			struct pp_error *error)
{
	struct pp_location at;
	struct pp_spot p;

	if (look_up(r, pid, mode, of->address, &at, &p, error))
		return -1;
	if (at.dso && mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL)
		p.start = at.offset;
	of->left_out = is_left_out(r, &at, &p);
	return add_place(r, &at, of->address, at.count ? at.count - 1 : 0, &p, &of->place, error);
}

static int add_number(struct pp_report *r, uint32_t number, struct pp_error *error)
{
	if (r->n_inlined >= UINT32_MAX || PP_GROW(&r->inlined, &r->inlined_room, r->n_inlined + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->inlined[r->n_inlined++] = number;
	return 0;
}

/* The function of an address, and before it those that are inlined there. */
static int place_frames(struct pp_report *r, uint32_t pid, unsigned mode, struct pp_address *of,
			struct pp_error *error)
{
	struct pp_location at;
	struct pp_spot p;

	if (look_up(r, pid, mode, of->address, &at, &p, error))
		return -1;
	if (at.count > 1 && !r->how.no_inline) {
		/* 0 is that there are none */
		if (!r->n_inlined && add_number(r, 0, error))
			return -1;
		of->inlined = (uint32_t)r->n_inlined;
		if (add_number(r, (uint32_t)at.count - 1, error))
			return -1;
	}
	for (size_t i = of->inlined || !at.count ? 0 : at.count - 1; i < at.count || !i; i++) {
		struct pp_spot frame = p;

		if (add_place(r, &at, of->address, i, &frame, &of->place, error) ||
		    (i + 1 < at.count && add_number(r, of->place, error)))
			return -1;
	}
	return 0;
}

/* The place whose name has come since then. */
static int rename_place(struct pp_report *r, uint32_t *place, struct pp_error *error)
{
	struct pp_spot p = r->places.places[*place];
	struct pp_location at;
	const char *symbol;

	if (p.name || !p.file || pp_symbols_later(r->symbols, p.file, p.offset, &at) != 1 || !at.count)
		return 0;
	symbol = at.frames[at.count - 1].symbol;
	p.start = p.offset - at.into;
	p.into = r->exact ? at.into : 0;
	p.address = r->exact ? p.address : 0;
	p.symbol = p.function = UINT32_MAX;
	return pp_spots_text(&r->places, symbol, strlen(symbol), &p.name, error) ||
	       pp_spots_add(&r->places, &p, place, error) ? -1 : 0;
}

int pp_hist_learn(struct pp_report *r, struct pp_error *error)
{
	const size_t before = r->places.n_places;

	for (uint32_t i = 0; i < r->places.n_places; i++) {
		if (PP_GROW(&r->now, &r->now_room, (size_t)i + 1, error))
			return -1;
		r->now[i] = i;
		if (i < before && rename_place(r, &r->now[i], error))
			return -1;
	}
	return 0;
}

/* ---- stacks ---- */

struct pp_hist_call {
	struct pp_address of;
	unsigned mode;
};

/* The address of a sample and those of its chain are not asked the same. */
enum use { OF_CHAIN, OF_SAMPLE, OF_DATA, OF_END, OF_RAW_END };

static int find_space(struct pp_report *r, uint32_t pid, unsigned mode, enum use use, uint32_t *space,
		      struct pp_error *error)
{
	return pp_addresses_space(&r->addresses, mode == PP_MISC_KERNEL ? UINT32_MAX : pid,
				  pp_stacks_version(&r->known, pid, mode), mode << 3 | use, space, error);
}

static int add_frame(struct pp_report *r, uint32_t place, struct pp_error *error)
{
	if (r->n_frames >= UINT32_MAX || PP_GROW(&r->frames, &r->frames_room, r->n_frames + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->frames[r->n_frames++] = place;
	return 0;
}

static int add_call(struct pp_report *r, uint32_t pid, struct pp_hist_call call, struct pp_error *error)
{
	struct pp_address of = call.of;
	const struct pp_address *const known = pp_addresses_find(&r->addresses, of.address, of.space);

	if (known)
		of = *known;
	else if (place_frames(r, pid, call.mode, &of, error) || pp_addresses_add(&r->addresses, &of, error))
		return -1;
	for (uint32_t i = 0; of.inlined && i < r->inlined[of.inlined]; i++)
		if (add_frame(r, r->inlined[of.inlined + 1 + i], error))
			return -1;
	return add_frame(r, of.place, error);
}

/* How many addresses of a chain are passed over: perf takes the first --max-stack of those that it shows
 * first. */
static uint64_t passed_over(const struct pp_report *r, struct pp_chain chain)
{
	uint64_t address, n = 0;

	if (!r->how.caller)
		return 0;
	while (pp_chain_next(&chain, &address))
		n++;
	return n > r->how.max_stack ? n - r->how.max_stack : 0;
}

/* All of them are on their way to the processor's cache before the first is looked at. */
static int add_frames(struct pp_report *r, const struct pp_record *rec, uint32_t pid, struct pp_error *error)
{
	struct pp_hist_call call = { .mode = UINT_MAX };
	struct pp_chain chain;
	uint64_t pass;
	size_t n = 0;

	if (!pp_chain_open(&chain, rec))
		return 0;
	pass = passed_over(r, chain);
	if (PP_GROW(&r->chain, &r->chain_room, chain.left, error))
		return -1;
	while (n < r->how.max_stack && pp_chain_next(&chain, &call.of.address)) {
		if (pass) {
			pass--;
			continue;
		}
		if (call.mode != chain.mode &&
		    find_space(r, pid, chain.mode, OF_CHAIN, &call.of.space, error))
			return -1;
		call.mode = chain.mode;
		pp_addresses_ahead(&r->addresses, call.of.address, call.of.space);
		r->chain[n++] = call;
	}
	for (size_t i = 0; i < n; i++)
		if (add_call(r, pid, r->chain[i], error))
			return -1;
	return 0;
}

static uint32_t find_parent(struct pp_report *r, const struct pp_hist_stack *s)
{
	for (uint32_t i = 0; r->parent && i < s->count; i++) {
		const struct pp_spot *const p = &r->places.places[pp_hist_frame(r, s, i)];

		if (p->name && !p->inlined && pp_regex_match(r->parent, r->places.texts.items[p->name].text))
			return p->name;
	}
	return 0;
}

static uint64_t hash_frames(const struct pp_report *r, const struct pp_hist_stack *s)
{
	return XXH3_64bits_withSeed(r->frames + s->first, s->count * sizeof(*r->frames),
				    (uint64_t)s->place << 32 | s->mode << 1 | s->left_out);
}

static uint64_t hash_stack(const void *things, uint64_t place)
{
	const struct pp_report *const r = things;

	return hash_frames(r, &r->stacks[place - 1]);
}

int pp_hist_number(struct pp_report *r, struct pp_hist_stack *s, uint32_t *number, struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&r->by_frames, r->n_stacks + 1, hash_stack, r))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&r->by_frames, hash_frames(r, s));
	for (; r->by_frames.places[at]; at = pp_index_next(&r->by_frames, at)) {
		const struct pp_hist_stack *const other = &r->stacks[r->by_frames.places[at] - 1];

		if (other->place == s->place && other->mode == s->mode && other->count == s->count &&
		    other->left_out == s->left_out &&
		    (!s->count || !memcmp(r->frames + other->first, r->frames + s->first,
					  s->count * sizeof(*r->frames))))
			break;
	}
	if (r->by_frames.places[at]) {
		r->n_frames = s->first;
	} else {
		s->parent = find_parent(r, s);
		if (r->n_stacks >= UINT32_MAX ||
		    PP_GROW(&r->stacks, &r->stacks_room, r->n_stacks + 1, error))
			return pp_fail(error, PP_E_NOMEM, NULL);
		r->stacks[r->n_stacks++] = *s;
		r->by_frames.places[at] = r->n_stacks;
	}
	*number = (uint32_t)r->by_frames.places[at] - 1;
	return 0;
}

int pp_hist_place(struct pp_report *r, const struct pp_record *rec, uint32_t pid, struct pp_hist_stack *stack,
		  struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	struct pp_address of = { 0 };
	const struct pp_address *known;

	(void)pp_ip(rec, &of.address);
	if (find_space(r, pid, mode, OF_SAMPLE, &of.space, error))
		return -1;
	known = pp_addresses_find(&r->addresses, of.address, of.space);
	if (known)
		of = *known;
	else if (place_sample(r, pid, mode, &of, error) || pp_addresses_add(&r->addresses, &of, error))
		return -1;
	stack->place = of.place;
	stack->left_out = of.left_out;
	return 0;
}

/* The place of an address that is no part of a chain: in the first of these modes in which a file is there,
 * or else in none. */
static int place_other(struct pp_report *r, uint32_t pid, const unsigned *modes, size_t n, bool raw,
		       struct pp_address *of, struct pp_error *error)
{
	struct pp_location at = { .count = 0 };
	struct pp_spot p;

	for (size_t i = 0; i < n; i++) {
		if (look_up(r, pid, modes[i], of->address, &at, &p, error))
			return -1;
		if (at.dso)
			break;
		if (n > 1)
			p.level = 'H';
	}
	if (at.dso && !raw)
		p.start = at.offset;
	/* which is what perf compares */
	if (!at.count)
		p.address = of->address;
	return add_place(r, &at, of->address, at.count ? at.count - 1 : 0, &p, &of->place, error);
}

static int find_other(struct pp_report *r, uint32_t pid, enum use use, const unsigned *modes, size_t n,
		      uint64_t address, uint32_t *place, struct pp_error *error)
{
	struct pp_address of = { .address = address };
	const struct pp_address *known;

	if (find_space(r, pid, modes[0], use, &of.space, error))
		return -1;
	known = pp_addresses_find(&r->addresses, of.address, of.space);
	if (known)
		of = *known;
	else if (place_other(r, pid, modes, n, use != OF_END, &of, error) ||
		 pp_addresses_add(&r->addresses, &of, error))
		return -1;
	*place = of.place;
	return 0;
}

int pp_hist_at(struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address, uint32_t *place,
	       struct pp_error *error)
{
	return find_other(r, pid, OF_DATA, &mode, 1, address, place, error);
}

int pp_hist_end(struct pp_report *r, uint32_t pid, uint64_t address, bool raw, uint32_t *place,
		struct pp_error *error)
{
	static const unsigned modes[] = { PP_MISC_USER, PP_MISC_KERNEL };

	return find_other(r, pid, raw ? OF_RAW_END : OF_END, modes, 2, address, place, error);
}

int pp_hist_stack(struct pp_report *r, const struct pp_record *rec, uint32_t pid, uint32_t *number,
		  struct pp_error *error)
{
	struct pp_hist_stack s = {
		.first = (uint32_t)r->n_frames, .mode = rec->misc & PP_MISC_CPUMODE,
	};

	if (pp_hist_place(r, rec, pid, &s, error) || add_frames(r, rec, pid, error))
		return -1;
	s.count = (uint32_t)(r->n_frames - s.first);
	return pp_hist_number(r, &s, number, error);
}
