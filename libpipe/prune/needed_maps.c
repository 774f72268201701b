/*
 * needed_maps.c - which maps of an address space readers need.
 *
 * A reader that gets a map late puts it over all that it knows, so a map that was partly covered
 * has to be written before the one that covers it: both are due together, in their order.
 */
#include "prune/prune.h"

/* What is to be written of a space: maps that are not newer than `seq` and overlap the
 * addresses. */
struct wanted {
	struct pp_spaces *spaces;
	const struct pp_maps *maps;   /* of what is written */
	uint64_t from, to, seq;
	struct pp_pending_list *dues;
};

static int add_due_map(const struct wanted *w, const struct pp_space *piece)
{
	const struct pp_pending due = pp_pending_map(w->maps, piece);

	return pp_pending_list_add(w->dues, &due);
}

static bool was_told(const struct pp_maps *maps, const struct pp_space *piece)
{
	if (piece->told == maps->owner)
		return true;
	for (size_t i = 0; i < PP_MAPS_FEW; i++)
		if (maps->few[i] == piece->kept->seq)
			return true;
	return false;
}

static bool is_wanted(const struct wanted *w, const struct pp_space *piece)
{
	return piece->from < w->to && piece->to > w->from && piece->kept->seq <= w->seq;
}

static bool may_be_below(const struct wanted *w, const struct pp_space *node)
{
	return node && node->lowest < w->to && node->highest > w->from &&
	       pp_space_oldest(w->spaces, node) <= w->seq;
}

/* Whether more than one piece is wanted. */
static bool are_several(const struct wanted *w, const struct pp_space *node, unsigned *count)
{
	if (!may_be_below(w, node))
		return false;
	*count += is_wanted(w, node);
	return *count > 1 || are_several(w, node->left, count) || are_several(w, node->right, count);
}

/* Heirs that need few maps of many continue to share them all: what was written for them is not
 * marked there. */
static bool is_one_of_few(const struct wanted *w, struct pp_maps *maps, const struct pp_space *piece)
{
	unsigned count = 0;

	for (size_t i = 0; i < PP_MAPS_FEW; i++) {
		if (maps->few[i])
			continue;
		if (are_several(w, maps->space, &count))
			return false;
		maps->few[i] = piece->kept->seq;
		return true;
	}
	return false;
}

/* A map may be due for several of its pieces: it is written once. */
static int announce_maps(const struct wanted *w, struct pp_space **at)
{
	struct pp_space *node = *at;
	int status;

	if (!may_be_below(w, node))
		return 0;
	node = *at = pp_space_own(w->spaces, node);
	if (!node)
		return -1;
	status = announce_maps(w, &node->left);
	if (!status && node->told != w->maps->owner && is_wanted(w, node)) {
		if (!was_told(w->maps, node))
			status = add_due_map(w, node);
		node->told = w->maps->owner;
	}
	if (!status)
		status = announce_maps(w, &node->right);
	pp_space_sum(w->spaces, node);
	return status;
}

/* With what is due come those that are older, of which it covers a part, and so on. */
static int tell_all(struct wanted *w, struct pp_maps *maps)
{
	for (size_t next = w->dues->count;; next++) {
		if (announce_maps(w, &maps->space))
			return -1;
		if (next == w->dues->count)
			return 0;
		w->from = w->dues->items[next].from;
		w->to = w->dues->items[next].to;
		w->seq = w->dues->items[next].kept->seq;
	}
}

int pp_maps_need(struct pp_spaces *spaces, struct pp_maps *maps, uint64_t address,
		 struct pp_pending_list *dues)
{
	const struct pp_space *const piece = pp_space_at(maps->space, address);
	struct wanted w = { .spaces = spaces, .maps = maps, .dues = dues };

	if (!piece || was_told(maps, piece))
		return 0;
	spaces->owner = maps->owner;
	w.from = piece->from;
	w.to = piece->to;
	w.seq = piece->kept->seq;
	return is_one_of_few(&w, maps, piece) ? add_due_map(&w, piece) : tell_all(&w, maps);
}

int pp_maps_need_all(struct pp_spaces *spaces, struct pp_maps *maps, struct pp_pending_list *dues)
{
	if (maps->whole)
		return 0;
	maps->whole = true;
	spaces->owner = maps->owner;
	return tell_all(&(struct wanted){ .spaces = spaces, .maps = maps, .to = UINT64_MAX,
					  .seq = UINT64_MAX, .dues = dues }, maps);
}

int pp_maps_remove(struct pp_spaces *spaces, struct pp_maps *maps, uint64_t start)
{
	const struct pp_space *const piece = pp_space_at(maps->space, start);
	const bool told = piece && was_told(maps, piece);

	if (!piece || piece->start != start)
		return 0;
	spaces->owner = maps->owner;
	return pp_space_cut_out(spaces, &maps->space, start) ? -1 : told;
}
