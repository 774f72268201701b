/*
 * event_groups.c - events that were recorded as a group share a table, as perf report has it: the rows of the
 * first, with those that only others have.  What a row weighs in another event is looked up by its values.
 */
#include "report/hist.h"

#include <perfpipe/walk.h>

#include <stdlib.h>
#include <string.h>

void pp_hist_forget_groups(struct pp_report *r)
{
	for (size_t i = 0; i < r->tables.n_recorded; i++)
		free(r->tables.recorded[i].name);
	r->tables.n_recorded = 0;
}

/* perf's word for a group without a name. */
static bool is_named(const char *name, size_t length)
{
	static const char anonymous[] = "{anon_group}";

	return length != strlen(anonymous) || memcmp(name, anonymous, length) != 0;
}

static int take_group_field(struct pp_report *r, const struct pp_cursor *c, struct pp_hist_group_of *group,
			    struct pp_error *error)
{
	size_t length;
	const char *text;

	if (!strcmp(c->field->name, "name")) {
		text = pp_walk_text(c, &length);
		free(group->name);
		group->name = strndup(is_named(text, length) ? text : "", length);
		return group->name ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
	}
	if (!strcmp(c->field->name, "leader_idx"))
		group->first = c->value;
	if (strcmp(c->field->name, "nr_members") || !group->name)
		return 0;
	group->count = c->value;
	if (PP_GROW(&r->tables.recorded, &r->tables.recorded_room, r->tables.n_recorded + 1, error))
		return -1;
	r->tables.recorded[r->tables.n_recorded++] = *group;
	*group = (struct pp_hist_group_of){ 0 };
	return 0;
}

int pp_hist_note_groups(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_hist_group_of group = { 0 };
	struct pp_cursor c;
	uint64_t number;
	int status = 0;

	if (!pp_find_feature(rec, &number) || number != PP_FEAT_GROUP_DESC)
		return 0;
	pp_hist_forget_groups(r);
	pp_walk(&c, rec);
	for (int token; !status && (token = pp_walk_next(&c)) > PP_END;)
		if (token == PP_VALUE)
			status = take_group_field(r, &c, &group, error);
	free(group.name);
	return status;
}

/* ---- tables ---- */

static struct pp_hist_group_of *group_of(const struct pp_report *r, const struct pp_hist_event *e)
{
	for (size_t i = 0; i < r->tables.n_recorded; i++) {
		struct pp_hist_group_of *const g = &r->tables.recorded[i];

		if (g->count > 1 && e->order >= g->first && e->order - g->first < g->count)
			return g;
	}
	return NULL;
}

static int add_member(struct pp_hist_event *first, uint32_t event, struct pp_error *error)
{
	if (PP_GROW(&first->members, &first->members_room, first->n_members + 1, error))
		return -1;
	first->members[first->n_members++] = event;
	return 0;
}

/* A row for all that another event of the group has. */
static int take_rows(const struct pp_report *r, struct pp_hist_event *first,
		     const struct pp_hist_event *other, struct pp_error *error)
{
	for (size_t i = 0; i < other->n_entries; i++) {
		const struct pp_entry *const of = &other->entries[i];
		const struct pp_entry row = {
			.group = of->group, .level = of->level, .unnamed = of->unnamed,
			.unnamed_from = of->unnamed_from, .unnamed_to = of->unnamed_to,
		};
		uint32_t number;

		if (pp_hist_entry(r, first, &other->values[i * r->columns.n_keys], &row, &number, error))
			return -1;
	}
	return 0;
}

/* As evlist__force_leader() of perf. */
static int put_together(struct pp_report *r, struct pp_error *error)
{
	struct pp_hist_group_of all = { .put_together = true };

	if (r->tables.n_recorded || !r->how.all_together || r->tables.n_events < 2)
		return 0;
	all.count = r->tables.events[r->tables.order[r->tables.n_events - 1]].order + 1;
	if (PP_GROW(&r->tables.recorded, &r->tables.recorded_room, 1, error))
		return -1;
	all.name = strdup("");
	if (!all.name)
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->tables.recorded[r->tables.n_recorded++] = all;
	return 0;
}

int pp_hist_join_groups(struct pp_report *r, struct pp_error *error)
{
	if (put_together(r, error))
		return -1;
	for (size_t i = 0; i < r->tables.n_recorded; i++)
		r->tables.recorded[i].event = 0;
	r->tables.n = 0;
	for (size_t i = 0; i < r->tables.n_events; i++) {
		const uint32_t number = r->tables.order[i];
		struct pp_hist_event *const e = &r->tables.events[number];
		struct pp_hist_group_of *const group = group_of(r, e);

		e->leads = group && e->order == group->first;
		if (group && !r->how.no_groups && group->event) {
			struct pp_hist_event *const first = &r->tables.events[group->event - 1];

			if (add_member(first, number, error) || take_rows(r, first, e, error))
				return -1;
			continue;
		}
		if (add_member(e, number, error))
			return -1;
		if (group && !r->how.no_groups) {
			group->event = number + 1;
			e->group = group;
		}
		r->tables.order[r->tables.n++] = number;
	}
	return 0;
}

/* ---- order ---- */

static uint64_t weight_of(const struct pp_report *r, const struct pp_hist_event *e,
			  const struct pp_column *column, uint32_t row, size_t member)
{
	const struct pp_hist_event *const of = member ? &r->tables.events[e->members[member]] : e;
	const struct pp_entry *const found =
		!member ? &e->entries[row] : pp_hist_find(r, of, &e->values[row * r->columns.n_keys]);

	return found ? column->weight(found, pp_hist_sums(of, found)) : 0;
}

static int compare(const struct pp_report *r, const struct pp_hist_event *e, const struct pp_column *column,
		   uint32_t x, uint32_t y, size_t member)
{
	const uint64_t a = weight_of(r, e, column, x, member), b = weight_of(r, e, column, y, member);

	return a < b ? 1 : -(a > b);
}

/* The one that is `number` in the group as it was recorded; n_members: it had no samples. */
static size_t member_of(const struct pp_report *r, const struct pp_hist_event *e, uint64_t number)
{
	size_t i = 0;

	while (i < e->n_members && r->tables.events[e->members[i]].order - e->group->first != number)
		i++;
	return i;
}

/* As __hpp__sort() and __hpp__group_sort_idx() of perf: where another event than the first decides, the first
 * never does. */
int pp_hist_compare_members(const struct pp_report *r, const struct pp_hist_event *e,
			    const struct pp_column *column, uint32_t x, uint32_t y)
{
	const bool others = r->how.group_sort < e->group->count;
	const size_t chosen = others ? member_of(r, e, r->how.group_sort) : 0;
	int d = chosen < e->n_members ? compare(r, e, column, x, y, chosen) : 0;

	for (size_t i = 1; !d && i < e->n_members && others; i++)
		d = compare(r, e, column, x, y, i);
	return d;
}
