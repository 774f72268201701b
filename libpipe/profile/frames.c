/*
 * frames.c - the stacks of a report: names of addresses, each asked for once while its process maps
 * nothing new, and one stack of all that go through the same functions.
 */
#include "profile/hist.h"

#include <perfpipe/callchain.h>

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
		length = asprintf(&text, "%s[%llx]", p->dso ? r->places.texts[p->dso].text : "[unknown]",
				  (unsigned long long)(at->dso ? at->offset : address));
	if (length < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_spots_text(&r->places, text, (size_t)length, &p->line, error);
	free(text);
	return status;
}

/* One frame of what is at an address: the function itself, or one that is inlined there. */
static int add_place(struct pp_report *r, const struct pp_location *at, size_t frame, struct pp_spot *p,
		     uint32_t *number, struct pp_error *error)
{
	const char *const symbol = frame < at->count ? at->frames[frame].symbol : "";

	p->inlined = frame + 1 < at->count;
	if (*symbol) {
		p->start = at->offset - at->into;
		if (pp_spots_text(&r->places, symbol, strlen(symbol), &p->name, error))
			return -1;
	}
	p->function = UINT32_MAX;
	if (p->line) {
		struct pp_spot function = *p;

		function.line = 0;
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
	return r->lines ? name_line(r, at, address, p, error) : 0;
}

/* Where the sample itself was: perf shows an address without a name as it is in its file. */
static int place_sample(struct pp_report *r, uint32_t pid, struct pp_hist_address *of, struct pp_error *error)
{
	struct pp_location at;
	struct pp_spot p;

	if (look_up(r, pid, of->mode, of->address, &at, &p, error))
		return -1;
	if (at.dso)
		p.start = at.offset;
	return add_place(r, &at, at.count ? at.count - 1 : 0, &p, &of->place, error);
}

/* The function of an address, and before it those that are inlined there. */
static int place_frames(struct pp_report *r, uint32_t pid, struct pp_hist_address *of, struct pp_error *error)
{
	struct pp_location at;
	struct pp_spot p;

	if (look_up(r, pid, of->mode, of->address, &at, &p, error))
		return -1;
	of->inlined = (uint32_t)r->n_inlined;
	for (size_t i = r->how.no_inline && at.count ? at.count - 1 : 0; i < at.count || !i; i++) {
		struct pp_spot frame = p;

		if (add_place(r, &at, i, &frame, &of->place, error))
			return -1;
		if (i + 1 >= at.count)
			break;
		if (r->n_inlined >= UINT32_MAX ||
		    PP_GROW(&r->inlined, &r->inlined_room, r->n_inlined + 1, error))
			return pp_fail(error, PP_E_NOMEM, NULL);
		r->inlined[r->n_inlined++] = of->place;
	}
	of->n_inlined = (uint32_t)(r->n_inlined - of->inlined);
	return 0;
}

/* ---- addresses ---- */

static uint64_t hash_of(const struct pp_hist_address *a)
{
	return pp_hash_number(a->address ^ pp_hash_number((uint64_t)a->pid << 32 ^ a->version << 4 ^
							  (uint64_t)a->mode << 1 ^ a->own));
}

static uint64_t hash_address(const void *things, uint64_t place)
{
	return hash_of(&((const struct pp_hist_address *)things)[place - 1]);
}

static bool is_same(const struct pp_hist_address *a, const struct pp_hist_address *b)
{
	return a->address == b->address && a->version == b->version && a->pid == b->pid &&
	       a->mode == b->mode && a->own == b->own;
}

/* The one that is like `want`, with its places, for a sample of this process. */
static int find_address(struct pp_report *r, uint32_t pid, struct pp_hist_address want,
			const struct pp_hist_address **found, struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&r->by_address, r->n_addresses + 1, hash_address, r->addresses))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&r->by_address, hash_of(&want));
	while (r->by_address.places[at] && !is_same(&r->addresses[r->by_address.places[at] - 1], &want))
		at = pp_index_next(&r->by_address, at);
	if (!r->by_address.places[at]) {
		if (want.own ? place_sample(r, pid, &want, error) : place_frames(r, pid, &want, error))
			return -1;
		if (PP_GROW(&r->addresses, &r->addresses_room, r->n_addresses + 1, error))
			return -1;
		r->addresses[r->n_addresses++] = want;
		r->by_address.places[at] = r->n_addresses;
	}
	*found = &r->addresses[r->by_address.places[at] - 1];
	return 0;
}

/* ---- stacks ---- */

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

static int add_frames(struct pp_report *r, const struct pp_record *rec, uint32_t pid, struct pp_error *error)
{
	struct pp_hist_address of = { .pid = pid };
	struct pp_chain chain;
	uint64_t pass, taken = 0;

	if (!pp_chain_open(&chain, rec))
		return 0;
	pass = passed_over(r, chain);
	while (taken < r->how.max_stack && pp_chain_next(&chain, &of.address)) {
		const struct pp_hist_address *found;

		if (pass) {
			pass--;
			continue;
		}
		taken++;
		if (of.mode != chain.mode || taken == 1) {
			of.mode = chain.mode;
			of.version = pp_stacks_version(&r->known, pid, chain.mode);
			of.pid = chain.mode == PP_MISC_KERNEL ? UINT32_MAX : pid;
		}
		if (find_address(r, pid, of, &found, error))
			return -1;
		if (r->n_frames >= UINT32_MAX - found->n_inlined - 1 ||
		    PP_GROW(&r->frames, &r->frames_room, r->n_frames + found->n_inlined + 1, error))
			return pp_fail(error, PP_E_NOMEM, NULL);
		for (uint32_t i = 0; i < found->n_inlined; i++)
			r->frames[r->n_frames++] = r->inlined[found->inlined + i];
		r->frames[r->n_frames++] = found->place;
	}
	return 0;
}

static uint32_t find_parent(struct pp_report *r, const struct pp_hist_stack *s)
{
	for (uint32_t i = 0; r->parent && i < s->count; i++) {
		const struct pp_spot *const p = &r->places.places[pp_hist_frame(r, s, i)];

		if (p->name && !p->inlined && pp_regex_match(r->parent, r->places.texts[p->name].text))
			return p->name;
	}
	return 0;
}

static uint64_t hash_frames(const struct pp_report *r, const struct pp_hist_stack *s)
{
	return XXH3_64bits_withSeed(r->frames + s->first, s->count * sizeof(*r->frames),
				    (uint64_t)s->place << 32 | s->mode);
}

static uint64_t hash_stack(const void *things, uint64_t place)
{
	const struct pp_report *const r = things;

	return hash_frames(r, &r->stacks[place - 1]);
}

/* The number of a stack whose frames are the last ones: its own, or that of one with the same frames. */
static int number_stack(struct pp_report *r, struct pp_hist_stack *s, uint32_t *number, struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&r->by_frames, r->n_stacks + 1, hash_stack, r))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&r->by_frames, hash_frames(r, s));
	for (; r->by_frames.places[at]; at = pp_index_next(&r->by_frames, at)) {
		const struct pp_hist_stack *const other = &r->stacks[r->by_frames.places[at] - 1];

		if (other->place == s->place && other->mode == s->mode && other->count == s->count &&
		    !memcmp(r->frames + other->first, r->frames + s->first,
			    s->count * sizeof(*r->frames)))
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

int pp_hist_stack(struct pp_report *r, const struct pp_record *rec, uint32_t pid, uint32_t *number,
		  struct pp_error *error)
{
	const unsigned mode = rec->misc & PP_MISC_CPUMODE;
	struct pp_hist_stack s = { .first = (uint32_t)r->n_frames, .mode = mode };
	struct pp_hist_address of = { .pid = pid, .mode = mode, .own = true };
	const struct pp_hist_address *found;
	const int known = pp_stacks_find(&r->known, rec, pid, 0, number, error);

	if (known)
		return known < 0 ? -1 : 0;
	of.version = pp_stacks_version(&r->known, pid, mode);
	(void)pp_ip(rec, &of.address);
	if (find_address(r, pid, of, &found, error))
		return -1;
	s.place = found->place;
	if (add_frames(r, rec, pid, error))
		return -1;
	s.count = (uint32_t)(r->n_frames - s.first);
	return number_stack(r, &s, number, error) || pp_stacks_keep(&r->known, *number, error) ? -1 : 0;
}
