/* branches.c - the branches that samples have: how often the program went from where to where. */
#include "exchange/branches.h"

#include "base/array.h"
#include "base/hash.h"
#include "model/sample_details.h"
#include "profile/call_tree.h"
#include "profile/named_stack.h"
#include "symbol/places.h"

#include <stdlib.h>

struct pp_branches {
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_places *places;
	struct pp_code_branch *items;
	size_t n, room;
	struct pp_idmap by_places;    /* from << 32 | to: which of them */
};

struct pp_branches *pp_branches_new(struct pp_tasks *tasks, struct pp_symbols *symbols,
				    struct pp_places *places)
{
	struct pp_branches *const b = tasks && symbols && places ? calloc(1, sizeof(*b)) : NULL;

	if (!b)
		return NULL;
	b->tasks = tasks;
	b->symbols = symbols;
	b->places = places;
	return b;
}

void pp_branches_free(struct pp_branches *b)
{
	if (!b)
		return;
	free(b->items);
	pp_idmap_close(&b->by_places);
	free(b);
}

static int place_of_end(struct pp_branches *b, uint32_t pid, uint64_t address, uint32_t *place,
			struct pp_error *error)
{
	const struct pp_place_met met = {
		.pid = pid, .cpumode = pp_mode_of_address(address), .address = address,
		.kind_of = pp_named_stack_kind, .no_inline = true,
	};

	return pp_places_look_up(b->places, b->symbols, b->tasks, &met, place, error);
}

static int add_branch(struct pp_branches *b, uint32_t from, uint32_t to, bool mispredicted,
		      struct pp_error *error)
{
	const uint64_t key = (uint64_t)from << 32 | to;
	const uint64_t *const known = pp_idmap_find(&b->by_places, key);
	struct pp_code_branch *branch;

	if (!known) {
		if (PP_GROW(&b->items, &b->room, b->n + 1, error))
			return -1;
		if (pp_idmap_set(&b->by_places, key, b->n))
			return pp_fail(error, PP_E_NOMEM, NULL);
		b->items[b->n] = (struct pp_code_branch){ .from = from, .to = to };
	}
	branch = &b->items[known ? *known : b->n++];
	branch->times++;
	branch->mispredicted += mispredicted;
	return 0;
}

int pp_branches_note(struct pp_branches *b, const struct pp_record *rec, struct pp_error *error)
{
	uint32_t pid, tid, from, to;
	struct pp_details details;

	if (rec->type != PP_REC_SAMPLE || !rec->attr || !(rec->attr->sample_type & PP_SAMPLE_BRANCH_STACK) ||
	    !pp_task(rec, &pid, &tid))
		return 0;
	pp_details(&details, rec);
	for (uint32_t i = 0; details.branches && i < details.n_branches; i++) {
		const struct pp_branch branch = pp_branch_at(&details, i);

		/* entries that the processor did not fill */
		if (!branch.from && !branch.to)
			continue;
		if (place_of_end(b, pid, branch.from, &from, error) ||
		    place_of_end(b, pid, branch.to, &to, error) ||
		    add_branch(b, from, to, branch.flags & PP_BRANCH_MISPREDICTED, error))
			return -1;
	}
	return 0;
}

size_t pp_branches_count(const struct pp_branches *b)
{
	return b ? b->n : 0;
}

const struct pp_code_branch *pp_branches_item(const struct pp_branches *b, size_t i)
{
	return &b->items[i];
}
