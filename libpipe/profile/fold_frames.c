/*
 * fold_frames.c - the frames that an address makes in a fold, which are the same wherever its file is mapped:
 * names come from symbol/, and named_stack.c makes frames of them.
 */
#include "profile/fold_state.h"

#include "base/array.h"
#include "profile/call_tree.h"
#include "symbol/passing.h"
#include "symbol/places.h"

#include <string.h>

void pp_fold_forget_frames(struct pp_fold *f)
{
	pp_address_cache_forget(&f->addresses);
	f->n_frames = 0;
}

/* ---- names ---- */

/* Of a function that is in several files, what is inlined into programs, the first that is met. */
static int note_line(struct pp_fold *f, uint32_t frame, const struct pp_named_frame *name,
		     struct pp_error *error)
{
	struct source_line *known;
	uint32_t source;

	if (!f->how.lines || !name->line || !*name->file)
		return 0;
	if (frame >= f->n_lines) {
		if (PP_GROW(&f->lines, &f->lines_room, (size_t)frame + 1, error))
			return -1;
		memset(f->lines + f->n_lines, 0, (frame + 1 - f->n_lines) * sizeof(*f->lines));
		f->n_lines = (size_t)frame + 1;
	}
	known = &f->lines[frame];
	if (known->source && known->line <= name->line)
		return 0;
	if (pp_strings_number(&f->sources, name->file, strlen(name->file), 0, &source, error))
		return -1;
	if (!known->source || known->source == source + 1)
		*known = (struct source_line){ source + 1, name->line };
	return 0;
}

static int add_unnamed(struct pp_fold *f, const char *dso, uint64_t address, unsigned kind,
		       struct pp_error *error)
{
	f->stats.unnamed++;
	f->stack.object = dso;
	return pp_named_stack_add_unnamed(&f->stack, address, kind, error);
}

/* A frame that no other place has, until its name is known or all was read. */
static int add_late(struct pp_fold *f, const struct pp_location *place, uint64_t address, unsigned kind,
		    struct pp_error *error)
{
	struct pp_unresolved_frame late = {
		.file = place->file, .kind = kind, .offset = place->offset, .dso = place->dso,
		/* by which it is known only where it is shown */
		.address = f->how.addresses ? address : place->offset,
	};
	uint32_t number;

	if (f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	/* that of code which a process made is not kept by others */
	if (place->dso && !strncmp(place->dso, "/tmp/perf-", strlen("/tmp/perf-"))) {
		if (pp_strings_number(&f->late_dsos, place->dso, strlen(place->dso), 0, &number, error))
			return -1;
		late.dso = f->late_dsos.items[number].text;
	}
	if (pp_unresolved_number(&f->late, &late, &number, error))
		return -1;
	f->stack.frames[f->stack.n++] = PP_LATE | number;
	return 0;
}

static bool has_name(const struct pp_location *place)
{
	return place->count && *place->frames[place->count - 1].symbol;
}

/* A place that has a name, with what is inlined there; the innermost first. */
static int add_place(struct pp_fold *f, const struct pp_location *place, unsigned kind,
		     struct pp_error *error)
{
	for (size_t i = f->how.no_inline ? place->count - 1 : 0; i < place->count; i++) {
		const size_t before = f->stack.n;

		if (f->how.by_line) {
			if (pp_named_stack_add_line(&f->stack, place, i,
						    i + 1 < place->count ? PP_FLAME_INLINED : kind, error))
				return -1;
			continue;
		}
		if (pp_named_stack_add(&f->stack, place->frames[i].symbol,
				       i + 1 < place->count ? PP_FLAME_INLINED : kind, error) ||
		    (f->stack.n > before &&
		     note_line(f, f->stack.frames[f->stack.n - 1], &place->frames[i], error)))
			return -1;
	}
	return 0;
}

/* ---- places in code ---- */

/* The frame of a place, or of its function. */
static int frame_of_place(struct pp_fold *f, uint32_t number, uint32_t *frame, struct pp_error *error)
{
	if (PP_GROW_ZEROED(&f->of_place, &f->of_place_room, (size_t)number + 1, error))
		return -1;
	if (!f->of_place[number]) {
		uint32_t first = number;

		if ((f->how.functions && pp_places_first(f->how.places, &first, error)) ||
		    pp_profile_frame(f->profile, "", 0, first, frame, error))
			return -1;
		f->of_place[number] = *frame + 1;
	}
	*frame = f->of_place[number] - 1;
	return 0;
}

/* ---- addresses ---- */

static int name_address(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address,
			struct pp_error *error)
{
	struct pp_location place;
	const int named = pp_symbols_at(f->symbols, pid, mode, address, &place, error);
	const unsigned kind = named < 0 ? 0 : pp_named_stack_kind(place.dso, mode);

	if (named < 0)
		return -1;
	f->stack.object = place.dso;
	if (has_name(&place))
		return add_place(f, &place, kind, error);
	return f->how.late_names && place.file ? add_late(f, &place, address, kind, error) :
						 add_unnamed(f, place.dso, f->how.by_line ? place.offset :
							     address, kind, error);
}

/* What the frames of an address depend on: of a process that shows no address, where it is in a file. */
static int find_address(struct pp_fold *f, uint32_t pid, unsigned mode, struct pp_address *of,
			struct pp_error *error)
{
	struct pp_file_place place = { .file = UINT32_MAX };
	const enum pp_placed placed = mode != PP_MISC_USER || pp_fold_by_process(f) ? PP_PLACED_IN_PROCESS :
				      pp_tasks_place(f->tasks, pid, of->address, &place);

	if (placed == PP_PLACED_IN_PROCESS || (placed == PP_PLACED_NOWHERE && f->how.places))
		return pp_address_cache_in_process(&f->addresses, &f->stacks, pid, mode, 0, of, error);
	/* all that is nowhere is the same, too */
	return pp_address_cache_in_file(&f->addresses, &f->stacks, &place, 0, of, error);
}

/* The last `of->inlined` frames of the stack are those of an address. */
static int keep_frames(struct pp_fold *f, struct pp_address *of, struct pp_error *error)
{
	enum { MOST = 1 << 20 };
	const uint32_t n = of->inlined, *const frames = f->stack.frames + f->stack.n - n;

	if (f->n_frames > MOST)
		pp_fold_forget_frames(f);
	of->place = n == 1 ? *frames : (uint32_t)f->n_frames;
	if (n > 1) {
		if (PP_GROW(&f->frames, &f->frames_room, f->n_frames + n, error))
			return -1;
		memcpy(f->frames + f->n_frames, frames, n * sizeof(*frames));
		f->n_frames += n;
	}
	return pp_address_cache_set(&f->addresses, of, error);
}

static int add_name(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address, struct pp_error *error)
{
	const size_t before = f->stack.n;
	const uint64_t unnamed = f->stats.unnamed;
	struct pp_address of = { .address = address };
	const struct pp_address *known;

	if (find_address(f, pid, mode, &of, error))
		return -1;
	f->stats.frames++;
	known = pp_address_cache_find(&f->addresses, of.address, of.space);
	if (known && known->inlined < PP_PROFILE_DEEPEST - before) {
		memcpy(f->stack.frames + before,
		       known->inlined == 1 ? &known->place : f->frames + known->place,
		       known->inlined * sizeof(*f->frames));
		f->stack.n += known->inlined;
		f->stats.unnamed += known->left_out;
		return 0;
	}
	if (name_address(f, pid, mode, address, error))
		return -1;
	/* where some had no room, it is not known what they are */
	if (f->stack.n == before || f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	of.inlined = (uint32_t)(f->stack.n - before);
	of.left_out = f->stats.unnamed > unnamed;
	return keep_frames(f, &of, error);
}

/* A place is looked for once, as long as it is remembered. */
static int add_code(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address, struct pp_error *error)
{
	struct pp_address of = { .address = address };
	const struct pp_place_met met = {
		.pid = pid, .cpumode = mode, .address = address, .kind_of = pp_named_stack_kind,
		.no_inline = f->how.no_inline,
	};
	const struct pp_address *known;

	f->stats.frames++;
	f->stack.cut |= f->stack.n >= PP_PROFILE_DEEPEST;
	if (f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	if (find_address(f, pid, mode, &of, error))
		return -1;
	known = pp_address_cache_find(&f->addresses, of.address, of.space);
	if (known) {
		of = *known;
	} else {
		if (pp_places_look_up(f->how.places, f->symbols, f->tasks, &met, &of.place, error))
			return -1;
		of.left_out = !pp_places_named(f->how.places, of.place);
		if (pp_address_cache_set(&f->addresses, &of, error))
			return -1;
	}
	f->stats.unnamed += of.left_out;
	return frame_of_place(f, of.place, &f->stack.frames[f->stack.n++], error);
}

int pp_fold_add_address(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address,
			struct pp_error *error)
{
	return (f->how.places ? add_code : add_name)(f, pid, mode, address, error);
}

/* ---- who woke a thread ---- */

/* One that waits for its name, as it is called where what is inlined comes first. */
static int turn_late(struct pp_fold *f, uint32_t *frame, struct pp_error *error)
{
	struct pp_unresolved_frame late = pp_unresolved_at(&f->late, *frame & ~PP_LATE);
	uint32_t number;

	late.kind |= PP_LATE_TURNED;
	if (pp_unresolved_number(&f->late, &late, &number, error))
		return -1;
	*frame = PP_LATE | number;
	return 0;
}

static size_t depth_of_node(const struct pp_profile *p, uint32_t node)
{
	size_t depth = 0;

	for (; node != PP_PROFILE_ROOT; node = p->nodes[node].parent)
		depth++;
	return depth;
}

int pp_fold_call_waker(struct pp_fold *f, uint32_t *node, struct pp_error *error)
{
	static const char between[] = "--";
	struct pp_profile *const p = f->profile;
	size_t depth = depth_of_node(p, *node);
	uint32_t frame;

	if (pp_profile_frame(p, between, sizeof(between) - 1,
			     f->how.kinds && !f->how.objects ? PP_FLAME_GROUP : 0, &frame, error) ||
	    pp_profile_call(p, *node, frame, node, error))
		return -1;
	for (uint32_t at = f->at.waker; at != PP_PROFILE_ROOT; at = p->nodes[at].parent) {
		if (++depth >= PP_PROFILE_DEEPEST) {
			p->cut++;
			return 0;
		}
		frame = p->nodes[at].frame;
		if ((frame & PP_LATE && turn_late(f, &frame, error)) ||
		    pp_profile_call(p, *node, frame, node, error))
			return -1;
	}
	return 0;
}

/* ---- names that came later ---- */

int pp_fold_settle_frame(struct pp_fold *f, const struct pp_unresolved_frame *late, struct pp_error *error)
{
	const unsigned kind = late->kind & ~PP_LATE_TURNED;
	struct pp_location place;

	f->stack.n = 0;
	f->stack.object = late->dso;
	if (pp_symbols_later(f->symbols, late->file, late->offset, &place) && has_name(&place))
		return add_place(f, &place, kind, error);
	return add_unnamed(f, late->dso, late->address, kind, error);
}
