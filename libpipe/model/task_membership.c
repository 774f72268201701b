/*
 * task_membership.c - what tasks belong to: the processes that they descend from, namespaces, control
 * groups.
 */
#include "base/hash.h"
#include "model/task_membership.h"

/* ---- Ancestors ------------------------------------------------------------------------------- */

enum { GENERATIONS = 4096 };          /* that are looked back */

struct pp_descent {
	struct pp_descent *parent;
	uint32_t users, pid;
};

struct pp_descent *pp_descent_new(struct pp_budget *b, uint32_t pid, struct pp_descent *parent)
{
	struct pp_descent *d = pp_take(b, sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct pp_descent){ .parent = parent, .users = 1, .pid = pid };
	if (parent)
		parent->users++;
	return d;
}

void pp_descent_drop(struct pp_budget *b, struct pp_descent *d)
{
	while (d && !--d->users) {
		struct pp_descent *const parent = d->parent;

		pp_give_back(b, d, sizeof(*d));
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
	struct pp_namespace of[KINDS];
};

struct pp_namespaces *pp_namespaces_of(struct pp_budget *b, const struct pp_record *rec,
				       struct pp_namespaces *same)
{
	struct pp_namespaces found = { .count = 0 }, *namespaces;
	uint64_t device = 0;
	struct pp_cursor c;

	pp_walk(&c, rec);
	for (int token; found.count < KINDS && (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_INODE)
			found.of[found.count++] = (struct pp_namespace){ device, c.value };
		else if (!strcmp(c.field->name, "dev"))
			device = c.value;
	}
	if (same && same->count == found.count && !memcmp(same->of, found.of, sizeof(found.of)))
		return pp_namespaces_share(same);
	namespaces = pp_take(b, sizeof(*namespaces));
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

void pp_namespaces_drop(struct pp_budget *b, struct pp_namespaces *namespaces)
{
	if (namespaces && !--namespaces->users)
		pp_give_back(b, namespaces, sizeof(*namespaces));
}

bool pp_namespaces_get(const struct pp_namespaces *namespaces, unsigned kind, struct pp_namespace *of)
{
	if (!namespaces || kind >= namespaces->count)
		return false;
	*of = namespaces->of[kind];
	return true;
}

/* ---- Control groups -------------------------------------------------------------------------- */

struct cgroup_path {
	struct pp_link link;          /* by id */
	size_t size;
	char path[];
};

struct pp_groups {
	struct pp_budget *budget;
	struct pp_table table;
};

struct pp_groups *pp_groups_new(struct pp_budget *budget)
{
	struct pp_groups *const groups = pp_take(budget, sizeof(*groups));

	if (groups)
		groups->budget = budget;
	return groups;
}

static void forget(struct pp_groups *groups, struct pp_link *link)
{
	struct cgroup_path *const group = (struct cgroup_path *)link;

	pp_table_remove(&groups->table, link);
	pp_give_back(groups->budget, group, group->size);
}

void pp_groups_free(struct pp_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; i < groups->table.room; i++)
		while (groups->table.buckets[i])
			forget(groups, groups->table.buckets[i]);
	pp_table_close(groups->budget, &groups->table);
	pp_give_back(groups->budget, groups, sizeof(*groups));
}

int pp_groups_add(struct pp_groups *groups, uint64_t id, const char *path, size_t length)
{
	struct pp_link *const old = pp_table_find(&groups->table, id);
	struct cgroup_path *const group = pp_take(groups->budget, sizeof(*group) + length + 1);

	if (!group)
		return -1;
	group->link.key = id;
	group->size = sizeof(*group) + length + 1;
	memcpy(group->path, path, length);
	if (old)
		forget(groups, old);
	if (!pp_table_add(groups->budget, &groups->table, &group->link))
		return 0;
	pp_give_back(groups->budget, group, group->size);
	return -1;
}

const char *pp_groups_path(const struct pp_groups *groups, uint64_t id)
{
	const struct cgroup_path *const group = (const struct cgroup_path *)pp_table_find(&groups->table, id);

	return group ? group->path : NULL;
}
