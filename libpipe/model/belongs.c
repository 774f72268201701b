/*
 * belongs.c - what tasks belong to: the processes that they descend from, namespaces, control
 * groups; when a task comes to belong to them is tasks.c's.
 */
#include "model.h"

#include <stdlib.h>

/* ---- Ancestors ------------------------------------------------------------------------------- */

enum { GENERATIONS = 4096 };          /* that are looked back */

struct pp_descent {
	struct pp_descent *parent;
	uint32_t users, pid;
};

struct pp_descent *pp_descent_new(uint32_t pid, struct pp_descent *parent)
{
	struct pp_descent *d = malloc(sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct pp_descent){ .parent = parent, .users = 1, .pid = pid };
	if (parent)
		parent->users++;
	return d;
}

void pp_descent_drop(struct pp_descent *d)
{
	while (d && !--d->users) {
		struct pp_descent *const parent = d->parent;

		free(d);
		d = parent;
	}
}

struct pp_descent *pp_descent_adopt(struct pp_descent *d, struct pp_descent *parent)
{
	const struct pp_descent *up = parent;

	if (!d || d->parent)
		return NULL;
	for (int i = 0; i < GENERATIONS && up && up != d; i++)
		up = up->parent;
	if (up)
		return NULL;
	d->parent = parent;
	parent->users++;
	d->users++;
	return d;
}

bool pp_descent_has(const struct pp_descent *d, uint32_t pid)
{
	for (int i = 0; i < GENERATIONS && d; i++, d = d->parent)
		if (d->pid == pid)
			return true;
	return false;
}

/* ---- Namespaces ------------------------------------------------------------------------------ */

enum { KINDS = 8 };

struct pp_namespaces {
	uint32_t users, count;
	uint64_t inodes[KINDS];
};

struct pp_namespaces *pp_namespaces_of(const struct pp_record *rec, struct pp_namespaces *same)
{
	struct pp_namespaces found = { .count = 0 }, *namespaces;
	struct pp_cursor c;

	pp_walk(&c, rec);
	while (found.count < KINDS && pp_walk_to(&c, "ino") == 1)
		found.inodes[found.count++] = c.value;
	if (same && same->count == found.count &&
	    !memcmp(same->inodes, found.inodes, sizeof(found.inodes)))
		return pp_namespaces_share(same);
	namespaces = malloc(sizeof(*namespaces));
	if (namespaces) {
		*namespaces = found;
		namespaces->users = 1;
	}
	return namespaces;
}

struct pp_namespaces *pp_namespaces_share(struct pp_namespaces *namespaces)
{
	if (namespaces)
		namespaces->users++;
	return namespaces;
}

void pp_namespaces_drop(struct pp_namespaces *namespaces)
{
	if (namespaces && !--namespaces->users)
		free(namespaces);
}

bool pp_namespaces_get(const struct pp_namespaces *namespaces, unsigned kind, uint64_t *inode)
{
	if (!namespaces || kind >= namespaces->count)
		return false;
	*inode = namespaces->inodes[kind];
	return true;
}

/* ---- Control groups -------------------------------------------------------------------------- */

struct group {
	uint64_t id;
	char *path;                   /* NULL: the place is free */
};

struct pp_groups {
	struct group *slots;          /* by id, in the next free place behind their hash */
	size_t room, count;           /* room: a power of two, or 0 */
};

static struct group *slot_of(const struct pp_groups *groups, uint64_t id)
{
	size_t at = (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (groups->room - 1);

	while (groups->slots[at].path && groups->slots[at].id != id)
		at = (at + 1) & (groups->room - 1);
	return &groups->slots[at];
}

static int grow(struct pp_groups *groups)
{
	struct group *const old = groups->slots;
	const size_t n = groups->room;
	struct group *slots = calloc(n ? n * 2 : 64, sizeof(*slots));

	if (!slots)
		return -1;
	groups->slots = slots;
	groups->room = n ? n * 2 : 64;
	for (size_t i = 0; i < n; i++)
		if (old[i].path)
			*slot_of(groups, old[i].id) = old[i];
	free(old);
	return 0;
}

struct pp_groups *pp_groups_new(void)
{
	return calloc(1, sizeof(struct pp_groups));
}

void pp_groups_free(struct pp_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->room; i++)
		free(groups->slots[i].path);
	free(groups->slots);
	free(groups);
}

int pp_groups_add(struct pp_groups *groups, uint64_t id, const char *path, size_t length)
{
	struct group *group;
	char *copy;

	if (groups->count >= groups->room / 4 * 3 && grow(groups))
		return -1;
	copy = strndup(path, length);
	if (!copy)
		return -1;
	group = slot_of(groups, id);
	groups->count += !group->path;
	free(group->path);
	*group = (struct group){ id, copy };
	return 0;
}

const char *pp_groups_path(const struct pp_groups *groups, uint64_t id)
{
	return groups->room ? slot_of(groups, id)->path : NULL;
}
