/*
 * prune_maps.c - the maps of an address space, and which of them readers have to be told of; whose
 * space it is, and when they are told, is prune.c's.
 *
 * Maps lie in pieces, ascending and apart.  A reader who is told of a map late puts it over all
 * that he knows, so a map that was covered in part has to be told before the one that covers it:
 * both are due together, and in their order.
 */
#include "prune.h"

#include <stdlib.h>

enum { PIECES_MAX = 1 << 18 };        /* of a space; Linux allows 65530 maps by default */

struct piece {
	uint64_t start, end;
	uint64_t from, to;            /* what the map was when it was made */
	struct pp_kept *kept;         /* each piece has a share */
	uint32_t told;                /* the owner of the space who told of it last */
};

struct pp_ground {
	uint32_t users, count, room;
	uint32_t cuts;                /* pieces that were longer, at least */
	struct piece pieces[];
};

int pp_dues_add(struct pp_dues *dues, const struct pp_due *due)
{
	if (!due->kept)
		return 0;
	if (dues->count == dues->room) {
		const size_t room = dues->room ? dues->room * 2 : 64;
		struct pp_due *const items = reallocarray(dues->items, room, sizeof(*items));

		if (!items)
			return -1;
		dues->items = items;
		dues->room = room;
	}
	dues->items[dues->count] = *due;
	if (due->kept->time > due->time)
		dues->items[dues->count].time = due->kept->time;
	if (due->kept->seq > due->seq)
		dues->items[dues->count].seq = due->kept->seq;
	pp_kept_share(due->kept);
	dues->count++;
	return 0;
}

struct pp_ground *pp_ground_share(struct pp_ground *ground)
{
	if (ground)
		ground->users++;
	return ground;
}

void pp_ground_drop(struct pp_ground *ground, struct pp_keep *keep)
{
	if (!ground || --ground->users)
		return;
	for (uint32_t i = 0; i < ground->count; i++)
		pp_kept_drop(keep, ground->pieces[i].kept);
	free(ground);
}

/* A space of one user with room for two more pieces: this one, or a copy. */
static struct pp_ground *own(struct pp_ground *ground)
{
	const uint32_t count = ground ? ground->count : 0;
	const uint32_t room = count + 2 <= (ground ? ground->room : 0) ? ground->room :
			      count + count / 2 + 6;
	const size_t size = sizeof(*ground) + room * sizeof(ground->pieces[0]);
	struct pp_ground *mine;

	if (ground && ground->users == 1) {
		mine = room == ground->room ? ground : realloc(ground, size);
	} else {
		mine = malloc(size);
		if (mine && ground) {
			memcpy(mine, ground, sizeof(*mine) + count * sizeof(mine->pieces[0]));
			ground->users--;
		}
		for (uint32_t i = 0; mine && i < count; i++)
			pp_kept_share(mine->pieces[i].kept);
	}
	if (!mine)
		return NULL;
	if (!ground)
		mine->cuts = 0;
	mine->users = 1;
	mine->count = count;
	mine->room = room;
	return mine;
}

/* The first piece that ends behind an address. */
static uint32_t first_behind(const struct pp_ground *ground, uint64_t address)
{
	uint32_t low = 0, high = ground->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (ground->pieces[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Puts a piece in; of those that it covers in part, the rest stays. */
static void put_over(struct pp_ground *ground, struct pp_keep *keep, struct piece new)
{
	struct piece *const p = ground->pieces, fresh[3];
	const uint32_t from = first_behind(ground, new.start);
	uint32_t to = from, n = 0;

	while (to < ground->count && p[to].start < new.end)
		to++;
	if (to > from && p[from].start < new.start) {
		fresh[n] = p[from];
		pp_kept_share(fresh[n].kept);
		fresh[n++].end = new.start;
		ground->cuts++;
	}
	fresh[n++] = new;
	if (to > from && p[to - 1].end > new.end) {
		fresh[n] = p[to - 1];
		pp_kept_share(fresh[n].kept);
		fresh[n++].start = new.end;
		ground->cuts++;
	}
	/* Of a record that is covered here other pieces may be left. */
	for (uint32_t i = from; i < to; i++)
		pp_kept_drop(keep, p[i].kept);
	memmove(p + from + n, p + to, (ground->count - to) * sizeof(*p));
	memcpy(p + from, fresh, n * sizeof(*p));
	ground->count += n - (to - from);
}

int pp_ground_add(struct pp_ground **ground, struct pp_keep *keep, struct pp_kept *kept,
		  uint64_t start, uint64_t end)
{
	struct pp_ground *mine;

	if (start >= end || (*ground && (*ground)->count >= PIECES_MAX))
		return 0;
	mine = own(*ground);
	if (!mine)
		return -1;
	*ground = mine;
	put_over(mine, keep, (struct piece){ start, end, start, end, pp_kept_share(kept), 0 });
	return 0;
}

static bool is_cut(const struct piece *p)
{
	return p->start != p->from || p->end != p->to;
}

/* A map was told: so was each piece that is left of it. */
static void mark(struct pp_ground *ground, uint32_t at, uint32_t owner)
{
	const struct pp_kept *const kept = ground->pieces[at].kept;

	ground->pieces[at].told = owner;
	for (uint32_t i = 0; is_cut(&ground->pieces[at]) && i < ground->count; i++)
		if (ground->pieces[i].kept == kept)
			ground->pieces[i].told = owner;
}

static int add_due(struct pp_space_told *space, uint32_t at, struct pp_dues *dues)
{
	const struct piece *const p = &space->ground->pieces[at];
	struct pp_due due = space->due;

	due.stage = 3;
	due.kept = p->kept;
	due.from = p->from;
	due.to = p->to;
	mark(space->ground, at, space->owner);
	return pp_dues_add(dues, &due);
}

/* 1, or -1 (memory).  With it come those that are older, of which it covers a part, and so on. */
static int need_piece(struct pp_space_told *space, uint32_t at, struct pp_dues *dues)
{
	struct pp_ground *const mine = own(space->ground);
	size_t next = dues->count;

	if (!mine)
		return -1;
	space->ground = mine;
	if (add_due(space, at, dues))
		return -1;
	for (; mine->cuts && next < dues->count; next++) {
		const struct pp_due over = dues->items[next];

		for (uint32_t i = 0; i < mine->count; i++) {
			const struct piece *const p = &mine->pieces[i];

			if (p->told != space->owner && is_cut(p) && p->kept->seq < over.kept->seq &&
			    p->from < over.to && over.from < p->to && add_due(space, i, dues))
				return -1;
		}
	}
	return 1;
}

int pp_space_need(struct pp_space_told *space, uint64_t address, struct pp_dues *dues)
{
	const struct pp_ground *const ground = space->ground;
	uint32_t at;

	if (!ground)
		return 0;
	at = first_behind(ground, address);
	if (at == ground->count || ground->pieces[at].start > address ||
	    ground->pieces[at].told == space->owner)
		return 0;
	return need_piece(space, at, dues);
}

int pp_space_need_all(struct pp_space_told *space, struct pp_dues *dues)
{
	int result = 0;

	for (uint32_t i = 0; !space->whole && space->ground && i < space->ground->count; i++) {
		if (space->ground->pieces[i].told == space->owner)
			continue;
		if (need_piece(space, i, dues) < 0)
			return -1;
		result = 1;
	}
	space->whole = true;
	return result;
}

bool pp_space_remove(struct pp_space_told *space, struct pp_keep *keep, uint64_t start)
{
	struct pp_ground *const ground = space->ground;
	uint32_t at;
	bool told;

	if (!ground || ground->users > 1)
		return false;
	at = first_behind(ground, start);
	if (at == ground->count || ground->pieces[at].start != start)
		return false;
	told = ground->pieces[at].told == space->owner;
	pp_kept_drop(keep, ground->pieces[at].kept);
	ground->count--;
	memmove(ground->pieces + at, ground->pieces + at + 1,
		(ground->count - at) * sizeof(ground->pieces[0]));
	return told;
}
