/*
 * resolve_frames.c - the stacks of a report: names of addresses, each asked for once while its process maps
 * nothing new, and one stack of all that go through the same functions.
 */
#include "report/hist.h"

#include <perfpipe/callchain.h>

#include "symbol/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

/* ---- places ---- */

/* The line of a frame of an address, or what perf has in its stead; its file, or none. */
static int name_line(struct pp_report *r, const struct pp_location *at, size_t frame, struct pp_code_frame *p,
		     struct pp_error *error)
{
	const char *const file = frame < at->count ? at->frames[frame].file : "";
	const char *const source = pp_source_base(file);
	char *text;
	int length, status;

	if (r->asked.sources && *file &&
	    pp_frame_table_text(&r->places, source, strlen(source), &p->source, error))
		return -1;
	if (!r->asked.lines)
		return 0;
	length = pp_source_line(at, frame, at->dso ? r->places.texts.items[p->dso].text : NULL, &text);
	if (length < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_frame_table_text(&r->places, text, (size_t)length, &p->line, error);
	free(text);
	return status;
}

/* A frame with the name that it has by now, if any, and what stands for it where less is asked for. */
static int add_frame_place(struct pp_report *r, struct pp_code_frame *p, uint64_t address, uint64_t into,
			   uint32_t *number, struct pp_error *error)
{
	p->function = p->symbol = UINT32_MAX;
	if (!p->name && r->asked.bare) {
		const struct pp_code_frame bare = {
			.start = p->start, .level = p->level, .function = UINT32_MAX, .symbol = UINT32_MAX,
			.called = p->called,
		};

		if (pp_frame_table_add(&r->places, &bare, &p->symbol, error))
			return -1;
	}
	p->exact |= r->asked.exact;
	if (p->exact) {
		p->address = address;
		p->into = p->name ? into : 0;
	}
	if (p->line || p->source || p->size || p->address) {
		struct pp_code_frame function = *p;

		function.exact = false;
		function.line = function.source = 0;
		function.size = 0;
		function.address = function.into = 0;
		if (pp_frame_table_add(&r->places, &function, &p->function, error))
			return -1;
	}
	return pp_frame_table_add(&r->places, p, number, error);
}

/* One frame of what is at an address: the function itself, or one that is inlined there. */
static int add_place(struct pp_report *r, const struct pp_location *at, uint64_t address, size_t frame,
		     struct pp_code_frame *p, uint32_t *number, struct pp_error *error)
{
	const char *const symbol = frame < at->count ? at->frames[frame].symbol : "";

	/* perf takes what is of the same name for the function itself, as in pp-script */
	p->inlined = frame + 1 < at->count && strcmp(symbol, at->frames[at->count - 1].symbol) != 0;
	if (*symbol) {
		p->start = at->offset - at->into;
		if (pp_frame_table_text(&r->places, symbol, strlen(symbol), &p->name, error))
			return -1;
	}
	return add_frame_place(r, p, address, at->into, number, error);
}

/* What others left of it; 0: none is there. */
static uint64_t size_of_map(const struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address)
{
	const struct pp_map *const map = pp_tasks_map(r->tasks, pid, mode, address);

	return map ? map->end - map->start : 0;
}

static int look_up(struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address,
		   struct pp_location *at, struct pp_code_frame *p, struct pp_error *error)
{
	*p = (struct pp_code_frame){ .start = address, .level = pp_frame_table_level(mode) };
	if (pp_symbols_at(r->symbols, pid, mode, address, at, error) < 0 ||
	    pp_frame_table_dso(&r->places, at->dso, mode, &p->dso, error))
		return -1;
	if (!at->count) {
		p->file = at->file;
		p->offset = at->offset;
	}
	p->size = r->asked.sizes ? size_of_map(r, pid, mode, address) : 0;
	return r->asked.lines || r->asked.sources ? name_line(r, at, 0, p, error) : 0;
}

/* As perf: a file by its path, or the last part of it. */
static bool is_left_out(const struct pp_report *r, const struct pp_location *at,
			const struct pp_code_frame *p)
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
	struct pp_code_frame p;

	if (look_up(r, pid, mode, of->address, &at, &p, error))
		return -1;
	if (at.dso && mode != PP_MISC_KERNEL && mode != PP_MISC_GUEST_KERNEL)
		p.start = at.offset;
	of->left_out = is_left_out(r, &at, &p);
	of->sampled = true;
	return add_place(r, &at, of->address, at.count ? at.count - 1 : 0, &p, &of->sample, error);
}

static int add_number(struct pp_report *r, uint32_t number, struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;

	if (c->n_inlined >= UINT32_MAX || PP_GROW(&c->inlined, &c->inlined_room, c->n_inlined + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	c->inlined[c->n_inlined++] = number;
	return 0;
}

static uint64_t hash_inlined(const void *things, uint64_t place)
{
	const uint32_t *const list = (const uint32_t *)things + place;

	return XXH3_64bits(list, (list[0] + (size_t)1) * sizeof(*list));
}

/* Of the last list that was added: where it is, or one like it was before. */
static int keep_inlined(struct pp_report *r, uint32_t *list, struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;
	const uint32_t *const last = c->inlined + *list;
	const size_t size = (last[0] + (size_t)1) * sizeof(*last);
	size_t at;

	if (pp_index_reserve(&c->by_inlined, c->n_inlined_lists + 1, hash_inlined, c->inlined))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&c->by_inlined, hash_inlined(c->inlined, *list));
	for (; c->by_inlined.places[at]; at = pp_index_next(&c->by_inlined, at)) {
		const uint32_t *const other = c->inlined + c->by_inlined.places[at];

		if (other[0] == last[0] && !memcmp(other, last, size))
			break;
	}
	if (c->by_inlined.places[at]) {
		c->n_inlined = *list;
		*list = (uint32_t)c->by_inlined.places[at];
	} else {
		c->by_inlined.places[at] = *list;
		c->n_inlined_lists++;
	}
	return 0;
}

/* The function of an address, and before it those that are inlined there. */
static int place_frames(struct pp_report *r, uint32_t pid, unsigned mode, struct pp_address *of,
			struct pp_error *error)
{
	struct pp_location at;
	struct pp_code_frame p;

	if (look_up(r, pid, mode, of->address, &at, &p, error))
		return -1;
	of->called = true;
	of->apart = !at.count;
	if (at.count > 1 && !r->how.no_inline) {
		/* 0 is that there are none */
		if (!r->chains.n_inlined && add_number(r, 0, error))
			return -1;
		of->inlined = (uint32_t)r->chains.n_inlined;
		if (add_number(r, (uint32_t)at.count - 1, error))
			return -1;
	}
	for (size_t i = of->inlined || !at.count ? 0 : at.count - 1; i < at.count || !i; i++) {
		struct pp_code_frame frame = p;

		frame.called = true;
		of->apart |= i < at.count && !*at.frames[i].symbol;
		if (i && (r->asked.lines || r->asked.sources) && name_line(r, &at, i, &frame, error))
			return -1;
		if (add_place(r, &at, of->address, i, &frame, &of->place, error) ||
		    (i + 1 < at.count && add_number(r, of->place, error)))
			return -1;
	}
	return of->inlined ? keep_inlined(r, &of->inlined, error) : 0;
}

/* The place whose name has come since then. */
static int rename_place(struct pp_report *r, uint32_t *place, struct pp_error *error)
{
	struct pp_code_frame p = pp_frame_table_at(&r->places, *place);
	struct pp_location at;
	const char *symbol;

	if (p.name || !p.file || pp_symbols_later(r->symbols, p.file, p.offset, &at) != 1 || !at.count)
		return 0;
	symbol = at.frames[at.count - 1].symbol;
	p.start = p.offset - at.into;
	p.into = p.exact ? at.into : 0;
	p.address = p.exact ? p.address : 0;
	p.symbol = p.function = UINT32_MAX;
	return pp_frame_table_text(&r->places, symbol, strlen(symbol), &p.name, error) ||
	       pp_frame_table_add(&r->places, &p, place, error) ? -1 : 0;
}

int pp_hist_learn(struct pp_report *r, struct pp_error *error)
{
	const size_t before = r->places.n_places;

	for (uint32_t i = 0; i < r->places.n_places; i++) {
		if (PP_GROW(&r->names.now, &r->names.now_room, (size_t)i + 1, error))
			return -1;
		r->names.now[i] = i;
		if (i < before && rename_place(r, &r->names.now[i], error))
			return -1;
	}
	return 0;
}

/* ---- addresses ---- */

struct pp_hist_call {
	struct pp_address of;
	struct pp_address by;         /* what it is kept by: an address or an offset, and its space */
	unsigned mode;
	bool in_file;                 /* the same for all processes */
};

/* What is asked of an address. */
enum use { OF_CODE, OF_DATA, OF_LINE, OF_END, OF_RAW_END, OF_EXACT_END };

/* Fills in the space of an address. */
static int find_space(struct pp_report *r, uint32_t pid, unsigned mode, enum use use, struct pp_address *of,
		      struct pp_error *error)
{
	return pp_address_cache_in_process(&r->addresses, &r->known, pid, mode, use, of, error);
}

/* Fills in what code of a process is kept by: where it is in its file, unless more than that is asked for. */
static int find_place(struct pp_report *r, uint32_t pid, struct pp_hist_call *call, struct pp_error *error)
{
	struct pp_file_place place;

	call->by.address = call->of.address;
	call->in_file = call->mode == PP_MISC_USER && !r->asked.exact && !r->asked.sizes &&
			pp_tasks_place(r->tasks, pid, call->of.address, &place) == PP_PLACED_IN_FILE;
	return call->in_file ?
	       pp_address_cache_in_file(&r->addresses, &r->known, &place, OF_CODE, &call->by, error) :
	       find_space(r, pid, call->mode, OF_CODE, &call->by, error);
}

/* Fills in what is known of it, if anything is. */
static void recall(const struct pp_report *r, struct pp_hist_call *call)
{
	const struct pp_address *const known =
		pp_address_cache_find(&r->addresses, call->by.address, call->by.space);
	const uint64_t address = call->of.address;

	if (!known)
		return;
	call->of = *known;
	call->of.address = address;
}

static int keep_address(struct pp_report *r, const struct pp_hist_call *call, struct pp_error *error)
{
	struct pp_address kept = call->of;

	kept.address = call->by.address;
	kept.space = call->by.space;
	return pp_address_cache_set(&r->addresses, &kept, error);
}

/* Without a name it is shown as its address, which is the process's own. */
static int find_own_place(struct pp_report *r, uint32_t pid, struct pp_hist_call *call,
			  struct pp_error *error)
{
	call->in_file = false;
	call->by.address = call->of.address;
	return find_space(r, pid, call->mode, OF_CODE, &call->by, error);
}

/* The same as `other`, which another process has, and which has no name: but for the address nothing is
 * different. */
static int place_as_other(struct pp_report *r, uint32_t other, struct pp_address *of, struct pp_error *error)
{
	struct pp_code_frame p = pp_frame_table_at(&r->places, other);

	p.start = of->address;
	p.called = of->called = of->apart = true;
	return add_frame_place(r, &p, of->address, 0, &of->place, error);
}

/* Of what each process has its own: `call` is that of all. */
static int find_own_code(struct pp_report *r, uint32_t pid, struct pp_hist_call *call, struct pp_error *error)
{
	struct pp_address *const of = &call->of;
	const uint32_t other = of->place;
	const struct pp_code_frame *const kind = pp_frame_table_kind(&r->places, other);
	const bool nameless = !of->inlined && !kind->name && !kind->inlined;

	if (find_own_place(r, pid, call, error))
		return -1;
	recall(r, call);
	if (of->called)
		return 0;
	return (nameless ? place_as_other(r, other, of, error) :
			   place_frames(r, pid, call->mode, of, error)) ||
	       keep_address(r, call, error) ? -1 : 0;
}

/* Fills in what is at an address that was called, or where a sample was, by find_place(). */
static int find_code(struct pp_report *r, uint32_t pid, bool sampled, struct pp_hist_call *call,
		     struct pp_error *error)
{
	struct pp_address *const of = &call->of;

	recall(r, call);
	if (sampled ? of->sampled : of->called)
		return 0;
	if (sampled)
		return place_sample(r, pid, call->mode, of, error) || keep_address(r, call, error) ? -1 : 0;
	if (of->apart)
		return find_own_code(r, pid, call, error);
	if (place_frames(r, pid, call->mode, of, error))
		return -1;
	if (call->in_file && of->apart) {
		of->called = false;
		if (keep_address(r, call, error) || find_own_place(r, pid, call, error))
			return -1;
		of->called = true;
	}
	return keep_address(r, call, error);
}

/* ---- stacks ---- */

/* Adds so many of r->chains.frames, wherever they are. */
static int add_frames(struct pp_report *r, const uint32_t *frames, size_t n, struct pp_error *error)
{
	if (n > UINT32_MAX - r->chains.n_frames)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (PP_GROW(&r->chains.frames, &r->chains.frames_room, r->chains.n_frames + n, error))
		return -1;
	if (n)
		memcpy(r->chains.frames + r->chains.n_frames, frames, n * sizeof(*frames));
	r->chains.n_frames += n;
	return 0;
}

/* Those of an address, what is inlined there first. */
static int add_frame_call(struct pp_report *r, uint32_t place, uint32_t inlined, struct pp_error *error)
{
	if (inlined && add_frames(r, r->chains.inlined + inlined + 1, r->chains.inlined[inlined], error))
		return -1;
	return add_frames(r, &place, 1, error);
}

/* How many addresses of a chain are passed over: perf takes the first --max-stack of those that it shows
 * first. */
static uint64_t passed_over(const struct pp_report *r, struct pp_chain chain)
{
	uint64_t address, n = 0;

	if (!r->how.caller || chain.left <= r->how.max_stack)
		return 0;
	while (pp_chain_next(&chain, &address))
		n++;
	return n > r->how.max_stack ? n - r->how.max_stack : 0;
}

/* The frames of at most so many addresses: all are on their way to the processor's cache before the first
 * is looked at.  *own: some are of the process alone. */
static int add_calls(struct pp_report *r, struct pp_chain chain, uint32_t pid, size_t most, bool *own,
		     struct pp_error *error)
{
	struct pp_hist_call call = { .in_file = false };
	size_t n = 0;

	if (PP_GROW(&r->chain, &r->chain_room, chain.left, error))
		return -1;
	while (n < most && pp_chain_next(&chain, &call.of.address)) {
		call.mode = chain.mode;
		if (find_place(r, pid, &call, error))
			return -1;
		pp_address_cache_ahead(&r->addresses, call.by.address, call.by.space);
		r->chain[n++] = call;
	}
	for (size_t i = 0; i < n; i++) {
		struct pp_address *const of = &r->chain[i].of;

		if (find_code(r, pid, false, &r->chain[i], error) ||
		    add_frame_call(r, of->place, of->inlined, error))
			return -1;
		*own |= of->apart;
	}
	return 0;
}

static uint64_t hash_callers(const void *things, uint64_t place)
{
	const struct pp_report *const r = things;
	const struct pp_hist_frames *const of = &r->chains.callers[place - 1];

	return XXH3_64bits(r->chains.frames + of->first, of->count * sizeof(*r->chains.frames));
}

int pp_hist_callers(struct pp_report *r, uint32_t first, uint32_t *number, struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;
	const struct pp_hist_frames last = { first, (uint32_t)(c->n_frames - first) };
	const size_t size = last.count * sizeof(*c->frames);
	size_t at;

	/* where there are none yet, there is a place for them all the same */
	if (PP_GROW(&c->frames, &c->frames_room, c->n_frames + 1, error) ||
	    pp_index_reserve(&c->by_callers, c->n_callers + 1, hash_callers, r) ||
	    PP_GROW(&c->callers, &c->callers_room, c->n_callers + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	c->callers[c->n_callers] = last;
	at = pp_index_first(&c->by_callers, hash_callers(r, c->n_callers + 1));
	for (; c->by_callers.places[at]; at = pp_index_next(&c->by_callers, at)) {
		const struct pp_hist_frames *const other = &c->callers[c->by_callers.places[at] - 1];

		if (other->count == last.count &&
		    !memcmp(c->frames + other->first, c->frames + first, size))
			break;
	}
	if (c->by_callers.places[at])
		c->n_frames = first;
	else
		c->by_callers.places[at] = ++c->n_callers;
	*number = (uint32_t)c->by_callers.places[at] - 1;
	return 0;
}

/* Whether callers may be the same in all processes that have their files. */
static bool may_be_shared(const struct pp_report *r)
{
	return !r->asked.exact && !r->asked.sizes;
}

/* The callers of the address that was read last from a chain. */
static int find_callers(struct pp_report *r, const struct pp_chain *chain, uint32_t pid, uint32_t *number,
			struct pp_error *error)
{
	const uint32_t first = (uint32_t)r->chains.n_frames;
	/* the first of more than --max-stack is one of many that are taken */
	const bool whole = chain->left < r->how.max_stack, shared = whole && may_be_shared(r);
	bool own = false;

	if (whole && pp_stack_cache_find_callers(&r->known, chain, pid, 0, number))
		return 0;
	if (shared && pp_stack_cache_find_placed(&r->known, r->tasks, chain, pid, 0, false, number))
		return pp_stack_cache_keep_callers(&r->known, *number, error);
	if (add_calls(r, *chain, pid, r->how.max_stack - 1, &own, error) ||
	    pp_hist_callers(r, first, number, error) ||
	    (shared && !own && pp_stack_cache_keep_placed(&r->known, *number, error)))
		return -1;
	return whole ? pp_stack_cache_keep_callers(&r->known, *number, error) : 0;
}

/* Callers that are known are those of a chain that was judged, so most chains need not be: takes the first
 * address from a chain that was not, if what follows is known.  Before it is at most one mark: after one that
 * perf does not know, no callers are known. */
static bool find_known(struct pp_report *r, struct pp_chain *chain, uint32_t pid, uint64_t *address,
		       uint32_t *callers)
{
	const uint64_t left = chain->left;

	return left <= r->how.max_stack && pp_chain_next(chain, address) && left - chain->left <= 2 &&
	       pp_stack_cache_find_callers(&r->known, chain, pid, 0, callers);
}

/* Fills in the stack's frames; `at` is the sample's own address. */
static int find_chain(struct pp_report *r, const struct pp_record *rec, uint32_t pid,
		      const struct pp_hist_call *at, struct pp_hist_stack *s, struct pp_error *error)
{
	struct pp_hist_call call = { .in_file = false };
	struct pp_chain chain;
	bool known;

	if (!pp_chain_open_raw(&chain, rec))
		return 0;
	known = find_known(r, &chain, pid, &call.of.address, &s->callers);
	if (!known) {
		(void)pp_chain_open_first(&chain, rec, r->how.caller ? UINT64_MAX : r->how.max_stack);
		for (uint64_t pass = passed_over(r, chain); pass; pass--)
			(void)pp_chain_next(&chain, &call.of.address);
		if (!pp_chain_next(&chain, &call.of.address))
			return 0;
	}
	call.mode = chain.mode;
	/* nearly always it is the same */
	if (call.of.address == at->of.address && chain.mode == at->mode)
		call = *at;
	else if (find_place(r, pid, &call, error))
		return -1;
	if ((!call.of.called && find_code(r, pid, false, &call, error)) ||
	    (!known && find_callers(r, &chain, pid, &s->callers, error)))
		return -1;
	s->innermost = call.of.place;
	s->inlined = call.of.inlined;
	s->count = (s->inlined ? r->chains.inlined[s->inlined] : 0) + 1 + r->chains.callers[s->callers].count;
	return 0;
}

static uint32_t find_parent(struct pp_report *r, const struct pp_hist_stack *s)
{
	for (uint32_t i = 0; r->parent && i < s->count; i++) {
		const struct pp_code_frame *const p =
			pp_frame_table_kind(&r->places, pp_hist_frame(r, s, i));

		if (p->name && !p->inlined && pp_regex_match(r->parent, r->places.texts.items[p->name].text))
			return p->name;
	}
	return 0;
}

static uint64_t hash_of(const struct pp_hist_stack *s)
{
	uint64_t hash = pp_hash_more(s->place, (uint64_t)s->mode << 1 | s->left_out);

	hash = pp_hash_more(hash, (uint64_t)s->innermost << 32 | s->inlined);
	return pp_hash_more(hash, (uint64_t)s->callers << 32 | s->count);
}

static uint64_t hash_stack(const void *things, uint64_t place)
{
	return hash_of(&((const struct pp_hist_stack *)things)[place - 1]);
}

static int add_stack(struct pp_report *r, const struct pp_hist_stack *s, struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;
	struct pp_hist_stack *new;

	if (c->n_stacks >= UINT32_MAX || PP_GROW(&c->stacks, &c->stacks_room, c->n_stacks + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	new = &c->stacks[c->n_stacks];
	*new = *s;
	new->parent = find_parent(r, new);
	c->n_stacks++;
	return 0;
}

int pp_hist_number(struct pp_report *r, const struct pp_hist_stack *s, uint32_t *number,
		   struct pp_error *error)
{
	struct pp_hist_chains *const c = &r->chains;
	size_t at;

	if (pp_index_reserve(&c->by_stack, c->n_stacks + 1, hash_stack, c->stacks))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&c->by_stack, hash_of(s));
	for (; c->by_stack.places[at]; at = pp_index_next(&c->by_stack, at)) {
		const struct pp_hist_stack *const other = &c->stacks[c->by_stack.places[at] - 1];

		if (other->place == s->place && other->mode == s->mode && other->count == s->count &&
		    other->left_out == s->left_out && other->innermost == s->innermost &&
		    other->inlined == s->inlined && other->callers == s->callers)
			break;
	}
	if (!c->by_stack.places[at]) {
		if (add_stack(r, s, error))
			return -1;
		c->by_stack.places[at] = c->n_stacks;
	}
	*number = (uint32_t)c->by_stack.places[at] - 1;
	return 0;
}

/* Where the sample was. */
static int find_sample(struct pp_report *r, const struct pp_record *rec, uint32_t pid,
		       struct pp_hist_call *call, struct pp_hist_stack *stack, struct pp_error *error)
{
	stack->mode = call->mode = rec->misc & PP_MISC_CPUMODE;
	(void)pp_ip(rec, &call->of.address);
	if (find_place(r, pid, call, error) || find_code(r, pid, true, call, error))
		return -1;
	stack->place = call->of.sample;
	stack->left_out = call->of.left_out;
	return 0;
}

int pp_hist_place(struct pp_report *r, const struct pp_record *rec, uint32_t pid, struct pp_hist_stack *stack,
		  struct pp_error *error)
{
	struct pp_hist_call call = { .in_file = false };

	return find_sample(r, rec, pid, &call, stack, error);
}

/* That of a line of the cache, as perf 6.1 has it: whether others share what is there, or nothing is. */
static char level_of_line(const struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address)
{
	const struct pp_map *const map = pp_tasks_map(r->tasks, pid, mode, address);

	return !map ? 'X' :
	       mode != PP_MISC_KERNEL && map->ino && map->flags & MAP_SHARED && !(map->prot & PROT_EXEC) ?
	       's' : pp_frame_table_level(mode);
}

/* The place of an address that is no part of a chain: in the first of these modes in which a file is there,
 * or else in none. */
static int place_other(struct pp_report *r, uint32_t pid, enum use use, const unsigned *modes, size_t n,
		       struct pp_address *of, struct pp_error *error)
{
	struct pp_location at = { .count = 0 };
	struct pp_code_frame p;

	for (size_t i = 0; i < n; i++) {
		if (look_up(r, pid, modes[i], of->address, &at, &p, error))
			return -1;
		if (at.dso)
			break;
		if (n > 1)
			p.level = 'H';
	}
	if (at.dso && use != OF_DATA && use != OF_RAW_END)
		p.start = at.offset;
	if (use == OF_LINE)
		p.level = level_of_line(r, pid, modes[0], of->address);
	p.exact = use == OF_DATA || use == OF_LINE || use == OF_EXACT_END;
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

	if (find_space(r, pid, modes[0], use, &of, error))
		return -1;
	known = pp_address_cache_find(&r->addresses, of.address, of.space);
	if (known)
		of = *known;
	else if (place_other(r, pid, use, modes, n, &of, error) ||
		 pp_address_cache_set(&r->addresses, &of, error))
		return -1;
	*place = of.place;
	return 0;
}

int pp_hist_at(struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address, uint32_t *place,
	       struct pp_error *error)
{
	return find_other(r, pid, OF_DATA, &mode, 1, address, place, error);
}

int pp_hist_line(struct pp_report *r, uint32_t pid, unsigned mode, uint64_t address, uint32_t *place,
		 struct pp_error *error)
{
	return find_other(r, pid, OF_LINE, &mode, 1, address, place, error);
}

int pp_hist_end(struct pp_report *r, uint32_t pid, uint64_t address, enum pp_hist_end end, uint32_t *place,
		struct pp_error *error)
{
	static const unsigned modes[] = { PP_MISC_USER, PP_MISC_KERNEL };

	return find_other(r, pid, OF_END + end, modes, 2, address, place, error);
}

int pp_hist_stack(struct pp_report *r, const struct pp_record *rec, uint32_t pid, struct pp_hist_stack *stack,
		  struct pp_error *error)
{
	struct pp_hist_call call = { .in_file = false };

	return find_sample(r, rec, pid, &call, stack, error) ||
	       find_chain(r, rec, pid, &call, stack, error) ? -1 : 0;
}
