/* cgroup_events.c - the control groups that the events of a table were counted in. */
#include "stat/cgroup_events.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const struct pp_count_event *event(const struct pp_count_table *table, size_t i)
{
	return table->rows[i].event;
}

static const char *name_of(const struct pp_count_event *e)
{
	return e->cgroup ? e->cgroup : "";
}

/* The events of a group follow one another in what perf and pp-count write. */
static size_t find_cgroup(const struct cgroups *c, const char *name, size_t last)
{
	if (last < c->n && !strcmp(c->items[last].name, name))
		return last;
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->items[i].name, name))
			return i;
	return c->n;
}

static void add_cgroup(struct cgroups *c, const char *name)
{
	if (c->n == c->room) {
		c->room = c->room ? c->room * 2 : 16;
		c->items = cli_grow(c->items, c->room, sizeof(*c->items));
	}
	c->items[c->n] = (struct cgroup){ .name = name, .like = c->n };
	c->n++;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_like(const struct cgroups *c, const struct cgroup *a, const struct cgroup *b,
		    const struct pp_count_table *table)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct pp_count_event *const x = event(table, c->order[a->from + i]);
		const struct pp_count_event *const y = event(table, c->order[b->from + i]);

		if (strcmp(x->name, y->name) || !same_text(x->alias, y->alias) ||
		    x->index - x->leader != y->index - y->leader)
			return false;
	}
	return true;
}

void cgroups_find(struct cgroups *c, const struct pp_count_table *table)
{
	size_t group = 0;

	c->n = 0;
	if (c->order_room < table->events + 1) {
		c->order_room = 2 * (table->events + 1);
		c->order = cli_grow(c->order, c->order_room, sizeof(*c->order));
	}
	for (size_t i = 0; table->places && i < table->events; i++) {
		group = find_cgroup(c, name_of(event(table, i)), group);
		if (group == c->n)
			add_cgroup(c, name_of(event(table, i)));
		c->items[group].n++;
	}
	for (size_t i = 1; i < c->n; i++)
		c->items[i].from = c->items[i - 1].from + c->items[i - 1].n;
	for (size_t i = 0; i < c->n; i++)
		c->items[i].n = 0;
	for (size_t i = 0; c->n && i < table->events; i++) {
		group = find_cgroup(c, name_of(event(table, i)), group);
		c->order[c->items[group].from + c->items[group].n++] = i;
	}
	c->alike = true;
	for (size_t i = 1; i < c->n; i++) {
		if (is_like(c, &c->items[i], &c->items[0], table))
			c->items[i].like = 0;
		c->alike &= !c->items[i].like;
	}
}

void cgroups_free(struct cgroups *c)
{
	free(c->items);
	free(c->order);
	*c = (struct cgroups){ .n = 0 };
}

const struct pp_count_row *cgroup_row(const struct cgroups *c, size_t group,
				      const struct pp_count_table *table, size_t place)
{
	const struct cgroup *const g = &c->items[group];

	for (size_t i = 0; i < g->n; i++) {
		const struct pp_count_row *const row =
			&table->rows[place * table->events + c->order[g->from + i]];

		if (row->shown)
			return row;
	}
	return NULL;
}
