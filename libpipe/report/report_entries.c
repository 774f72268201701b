/*
 * report_entries.c - the tables of a report: entries made of what hist.c added up, their order, and what is
 * in their columns.
 */
#include "report/hist.h"

#include "format/format.h"

#include <stdlib.h>
#include <string.h>

void pp_hist_forget(struct pp_hist_event *e)
{
	free(e->entries);
	free(e->values);
	free(e->sums);
	free(e->spreads);
	free(e->sorted);
	free(e->taken);
	free(e->parts);
	free(e->first_part);
	free(e->members);
	pp_numbers_close(&e->by_values);
	*e = (struct pp_hist_event){
		.attr = e->attr, .name = e->name, .order = e->order, .has_chains = e->has_chains,
		.noted = e->noted,
	};
}

/* ---- entries ---- */

/* What an index of an event's entries has to know. */
struct entries {
	const struct pp_report *r;
	const struct pp_hist_event *e;
};

uint64_t pp_hist_hash(const struct pp_report *r, const uint64_t *values, uint64_t seed)
{
	uint64_t hash = seed;

	for (size_t i = 0; i < r->columns.n_keys; i++)
		hash = pp_hash_more(hash, pp_column_identity(r->columns.keys[i], values[i]));
	return hash;
}

bool pp_hist_same(const struct pp_report *r, const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < r->columns.n_keys; i++)
		if (a[i] != b[i] && (r->columns.keys[i]->order < BY_CLASS || a[i] >> 32 != b[i] >> 32))
			return false;
	return true;
}

static uint64_t hash_entry(const void *things, uint64_t place)
{
	const struct entries *const of = things;

	return pp_hist_hash(of->r, &of->e->values[(place - 1) * of->r->columns.n_keys], 0);
}

static int add_entry(const struct pp_report *r, struct pp_hist_event *e, const uint64_t *values,
		     const struct pp_entry *entry, struct pp_error *error)
{
	const size_t n = e->n_entries;

	if (n >= UINT32_MAX - 1 || PP_GROW(&e->entries, &e->entries_room, n + 1, error) ||
	    PP_GROW(&e->values, &e->values_room, (n + 1) * r->columns.n_keys, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	e->entries[n] = *entry;
	if (r->columns.n_keys)
		memcpy(&e->values[n * r->columns.n_keys], values, r->columns.n_keys * sizeof(*values));
	e->n_entries++;
	return 0;
}

static uint64_t value_of(const struct pp_report *r, size_t key, size_t group, const struct pp_code_frame *p,
			 uint32_t place)
{
	const struct pp_column *const column = r->columns.keys[key];
	const uint64_t value = r->groups.values[group * r->columns.n_keys + key];

	if (column->place)
		return column->place(p, place);
	if (r->names.renamed.count && !strcmp(column->shown.name, "comm")) {
		const uint64_t *const name = pp_idmap_find(&r->names.renamed, value);

		return name ? *name : value;
	}
	return column->shown.kind != PP_REPORT_SYMBOL && column->shown.kind != PP_REPORT_INTO ? value :
	       (value & ~(uint64_t)UINT32_MAX) | r->names.now[(uint32_t)value];
}

/* Where the entry of these values is in the index, or would be. */
static size_t place_of(const struct pp_report *r, const struct pp_hist_event *e, const uint64_t *values)
{
	size_t at = pp_numbers_first(&e->by_values, pp_hist_hash(r, values, 0));

	for (; e->by_values.places[at]; at = pp_numbers_next(&e->by_values, at))
		if (pp_hist_same(r, &e->values[(e->by_values.places[at] - 1) * r->columns.n_keys], values))
			break;
	return at;
}

const struct pp_entry *pp_hist_find(const struct pp_report *r, const struct pp_hist_event *e,
				    const uint64_t *values)
{
	const uint32_t number = e->n_entries ? e->by_values.places[place_of(r, e, values)] : 0;

	return number ? &e->entries[number - 1] : NULL;
}

int pp_hist_entry(const struct pp_report *r, struct pp_hist_event *e, const uint64_t *values,
		  const struct pp_entry *entry, uint32_t *number, struct pp_error *error)
{
	const struct entries of = { r, e };
	size_t at;

	if (pp_numbers_reserve(&e->by_values, e->n_entries + 1, hash_entry, &of))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = place_of(r, e, values);
	if (!e->by_values.places[at]) {
		if (add_entry(r, e, values, entry, error))
			return -1;
		e->by_values.places[at] = (uint32_t)e->n_entries;
	}
	*number = e->by_values.places[at] - 1;
	return 0;
}

/* The entry of a group that is at a place. */
static int find_entry(const struct pp_report *r, struct pp_hist_event *e, size_t group, uint32_t seen,
		      uint32_t *number, struct pp_error *error)
{
	const uint32_t place = r->names.now[seen];
	const struct pp_code_frame *const p = pp_frame_table_kind(&r->places, place);
	const struct pp_hist_group *const g = &r->groups.items[group];
	const struct pp_entry entry = {
		.group = (uint32_t)group, .unnamed = !p->name,
		.level = r->mode == PP_REPORT_BRANCHES ?
				 pp_frame_table_level(r->chains.stacks[g->stack].mode) : p->level,
		.unnamed_from = !pp_frame_table_kind(&r->places, r->names.now[g->from])->name,
		.unnamed_to = !pp_frame_table_kind(&r->places, r->names.now[g->to])->name,
	};
	uint64_t values[PP_COLUMNS_MOST];

	for (size_t i = 0; i < r->columns.n_keys; i++)
		values[i] = value_of(r, i, group, p, place);
	return pp_hist_entry(r, e, values, &entry, number, error);
}

/* What can be added to an entry's sums; NULL and *error. */
static struct pp_entry_sums *sums_of(struct pp_hist_event *e, struct pp_entry *entry, struct pp_error *error)
{
	if (!entry->sums) {
		if (PP_GROW_ZEROED(&e->sums, &e->sums_room, e->n_sums + 1, error))
			return NULL;
		entry->sums = (uint32_t)++e->n_sums;
	}
	return &e->sums[entry->sums - 1];
}

static int weigh(const struct pp_report *r, struct pp_hist_event *e, struct pp_entry *entry, size_t group,
		 unsigned mode, struct pp_error *error)
{
	const struct pp_hist_group *const g = &r->groups.items[group];
	struct pp_entry_sums *const sums = sums_of(e, entry, error);
	uint64_t *const by_mode = !sums ? NULL : mode == PP_MISC_KERNEL ? &sums->sys :
				  mode == PP_MISC_USER ? &sums->us :
				  mode == PP_MISC_GUEST_KERNEL ? &sums->guest_sys :
				  mode == PP_MISC_GUEST_USER ? &sums->guest_us : NULL;

	if (!sums)
		return -1;
	if (r->distributions.asked)
		r->distributions.sums_of[group] = entry->sums;
	pp_hist_add(&sums->weight, g->weight);
	sums->samples += g->samples;
	if (by_mode)
		pp_hist_add(by_mode, g->weight);
	if (!r->sums)
		return 0;
	pp_hist_add(&sums->latency, r->groups.costs[group].latency);
	sums->counted += g->samples;
	pp_hist_add(&sums->cost, r->groups.costs[group].cost);
	pp_hist_add(&sums->ins_lat, r->groups.costs[group].ins_lat);
	pp_hist_add(&sums->retire_lat, r->groups.costs[group].retire_lat);
	return 0;
}

/* Some have a part already. */
static const uint32_t nobody = UINT32_MAX;

static int note_taken(struct pp_hist_event *e, uint32_t entry, struct pp_error *error)
{
	if (e->n_taken >= UINT32_MAX - 1 || PP_GROW(&e->taken, &e->taken_room, e->n_taken + 1, error))
		return pp_fail(error, PP_E_NOMEM, NULL);
	e->taken[e->n_taken++] = entry;
	return 0;
}

/* Has an entry take a part of the group's stack: each counts once, however often it is in the stack. */
static int add_part(const struct pp_report *r, struct pp_hist_event *e, uint32_t number, size_t group,
		    uint32_t from, struct pp_error *error)
{
	const struct pp_hist_stack *const s = &r->chains.stacks[r->groups.items[group].stack];
	struct pp_entry *const entry = &e->entries[number];

	if (entry->last_group == group + 1)
		return note_taken(e, nobody, error);
	entry->last_group = (uint32_t)group + 1;
	pp_hist_add(&entry->children, r->groups.items[group].weight);
	if (r->sums) {
		struct pp_entry_sums *const sums = sums_of(e, entry, error);

		if (!sums)
			return -1;
		pp_hist_add(&sums->latency_children, r->groups.costs[group].latency);
	}
	if (!s->count)
		return 0;
	if (entry->deepest < s->count - from)
		entry->deepest = s->count - from;
	return note_taken(e, number, error);
}

/* Groups that have entries. */
static bool is_shown(const struct pp_hist_group *g)
{
	return g->samples && !g->left_out;
}

static int add_entry_of_group(const struct pp_report *r, size_t group, struct pp_error *error)
{
	const struct pp_hist_group *const g = &r->groups.items[group];
	const struct pp_hist_stack *const s = &r->chains.stacks[g->stack];
	struct pp_hist_event *const e = &r->tables.events[g->event];
	uint32_t entry;

	/* nothing is left of it */
	if (!g->samples)
		return 0;
	pp_hist_add(&e->all, g->weight);
	if (g->left_out && r->how.relative)
		return 0;
	pp_hist_add(&e->weight, g->weight);
	pp_hist_add(&e->latency, r->sums ? r->groups.costs[group].latency : 0);
	e->samples += g->samples;
	if (g->left_out)
		return 0;
	if (find_entry(r, e, group, s->place, &entry, error))
		return -1;
	if (weigh(r, e, &e->entries[entry], group, s->mode, error) || add_part(r, e, entry, group, 0, error))
		return -1;
	for (uint32_t i = 0; r->children && i < s->count; i++)
		if (find_entry(r, e, group, pp_hist_frame(r, s, i), &entry, error) ||
		    add_part(r, e, entry, group, i, error))
			return -1;
	return 0;
}

/* ---- order ---- */

/* What is asked again and again of the columns that decide, once. */
struct ordering {
	struct entries of;
	size_t keys[PP_COLUMNS_MOST];
	bool of_children[PP_COLUMNS_MOST];
};

static int compare_weights(const struct entries *of, const struct pp_column *column, bool children,
			   uint32_t i, uint32_t j)
{
	const struct pp_report *const r = of->r;
	const struct pp_entry *const x = &of->e->entries[i], *const y = &of->e->entries[j];
	const uint64_t a = column->weight(x, pp_hist_sums(of->e, x));
	const uint64_t b = column->weight(y, pp_hist_sums(of->e, y));

	if (children && !r->children)
		return 0;
	if (of->e->n_members > 1 && !children)
		return pp_hist_compare_members(r, of->e, column, i, j);
	if (a != b)
		return a < b ? 1 : -1;
	if (!children || r->how.no_trees)
		return 0;
	/* Of one thread callers come before what they call, as perf's __hpp__sort_acc() has it.  perf goes on
	 * to the next column where threads differ, which is no order: of three entries each may be before the
	 * next. */
	if (r->groups.items[x->group].tid != r->groups.items[y->group].tid)
		return r->groups.items[x->group].tid < r->groups.items[y->group].tid ? -1 : 1;
	if (x->deepest == y->deepest)
		return 0;
	return (x->deepest < y->deepest) == r->how.caller ? 1 : -1;
}

/* What decides where all that is shown is equal: where the function is. */
static int compare_places(const struct pp_report *r, uint64_t a, uint64_t b)
{
	const struct pp_code_frame *const x = pp_frame_table_kind(&r->places, a);
	const struct pp_code_frame *const y = pp_frame_table_kind(&r->places, b);
	const uint64_t from = pp_frame_table_start(&r->places, a), to = pp_frame_table_start(&r->places, b);

	/* perf takes addresses for numbers with a sign: the kernel's come first */
	if (!x->name && !y->name)
		return ((int64_t)from > (int64_t)to) - ((int64_t)from < (int64_t)to);
	if (x->dso != y->dso)
		return pp_column_compare_texts(&r->places, x->dso, y->dso);
	return (from > to) - (from < to);
}

static int compare_entries(const void *a, const void *b, void *arg)
{
	const struct ordering *const ordering = arg;
	const struct entries *const of = &ordering->of;
	const struct pp_report *const r = of->r;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const uint64_t *const x = &of->e->values[i * r->columns.n_keys];
	const uint64_t *const y = &of->e->values[j * r->columns.n_keys];
	int d = 0;

	for (size_t k = 0; !d && k < r->columns.n_order; k++) {
		const struct pp_column *const column = r->columns.order[k];
		const size_t key = ordering->keys[k];

		d = column->weight ? compare_weights(of, column, ordering->of_children[k], i, j) :
		    column->order == LAST_FIRST ? (x[key] != y[key] ? (i < j) - (i > j) : 0) :
				     pp_column_compare(column, r, x[key], y[key]);
	}
	for (size_t k = 0; !d && k < r->columns.n_keys; k++)
		if (r->columns.keys[k]->shown.kind == PP_REPORT_SYMBOL && x[k] != y[k])
			d = compare_places(r, (uint32_t)x[k], (uint32_t)y[k]);
	return d ? d : (i > j) - (i < j);
}

static int sort_entries(const struct pp_report *r, struct pp_hist_event *e, struct pp_error *error)
{
	struct ordering ordering = { .of = { r, e } };

	for (size_t k = 0; k < r->columns.n_order; k++) {
		ordering.keys[k] = pp_hist_key(r, r->columns.order[k]);
		ordering.of_children[k] = pp_hist_is_of_children(r->columns.order[k]);
	}
	e->sorted = calloc(e->n_entries + 1, sizeof(*e->sorted));
	if (!e->sorted)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < e->n_entries; i++)
		e->sorted[i] = i;
	qsort_r(e->sorted, e->n_entries, sizeof(*e->sorted), compare_entries, &ordering);
	return 0;
}

/* Makes room for the parts of each entry, next to each other. */
static int begin_parts(struct pp_hist_event *e, struct pp_error *error)
{
	e->parts = calloc(e->n_taken + 1, sizeof(*e->parts));
	e->first_part = calloc(e->n_entries + 2, sizeof(*e->first_part));
	if (!e->parts || !e->first_part)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < e->n_taken; i++)
		if (e->taken[i] != nobody)
			e->first_part[e->taken[i] + 2]++;
	for (size_t i = 2; i < e->n_entries + 2; i++)
		e->first_part[i] += e->first_part[i - 1];
	e->n_taken = 0;
	return 0;
}

/* Puts a part where those of its entry are. */
static void sort_part(struct pp_hist_event *e, uint32_t part)
{
	const uint32_t entry = e->taken[e->n_taken++];

	if (entry != nobody)
		e->parts[e->first_part[entry + 1]++] = part;
}

/* Those of a group: of the sample itself, and of each frame, if callers have entries. */
static int sort_group(struct pp_report *r, uint32_t group, uint32_t *n_parts, struct pp_error *error)
{
	const struct pp_hist_group *const g = &r->groups.items[group];
	const struct pp_hist_stack *const s = &r->chains.stacks[g->stack];
	const uint32_t n = !is_shown(g) || !s->count ? 0 : r->children ? 1 + s->count : 1;

	r->trees.first_part[group] = *n_parts;
	if (n > UINT32_MAX - *n_parts)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < n; i++)
		sort_part(&r->tables.events[g->event], (*n_parts)++);
	return 0;
}

/* Parts of one entry next to each other, in the order in which they came: that of add_entry_of_group(). */
static int sort_parts(struct pp_report *r, struct pp_error *error)
{
	uint32_t n_parts = 0;

	r->trees.first_part = malloc((r->groups.n + 1) * sizeof(*r->trees.first_part));
	if (!r->trees.first_part)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < r->tables.n_events; i++)
		if (begin_parts(&r->tables.events[i], error))
			return -1;
	for (uint32_t i = 0; i < r->groups.n; i++)
		if (sort_group(r, i, &n_parts, error))
			return -1;
	for (size_t i = 0; i < r->tables.n_events; i++) {
		struct pp_hist_event *const e = &r->tables.events[i];

		free(e->taken);
		e->taken = NULL;
		e->n_taken = e->taken_room = 0;
	}
	return 0;
}

static int by_order(const void *a, const void *b, void *arg)
{
	const struct pp_report *const r = arg;
	const struct pp_hist_event *const x = &r->tables.events[*(const uint32_t *)a];
	const struct pp_hist_event *const y = &r->tables.events[*(const uint32_t *)b];

	return (x->order > y->order) - (x->order < y->order);
}

/* Entries that were added up of parts of samples. */
static void count_whole_samples(const struct pp_report *r)
{
	for (size_t i = 0; r->parts > 1 && i < r->tables.n_events; i++) {
		struct pp_hist_event *const e = &r->tables.events[i];

		e->samples = pp_hist_whole(r, e->samples);
		for (size_t k = 0; k < e->n_sums; k++)
			e->sums[k].samples = pp_hist_whole(r, e->sums[k].samples);
	}
}

enum { MANY_ADDRESSES = 1 << 18 };

int pp_report_update(struct pp_report *r, struct pp_error *error)
{
	if (r->halfway)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_hist_forget_trees(r);
	r->children = false;
	for (uint32_t i = 0; i < r->tables.n_events; i++) {
		pp_hist_forget(&r->tables.events[i]);
		r->tables.order[i] = i;
		r->children |= r->tables.events[i].has_chains && !r->how.no_children &&
			       r->mode == PP_REPORT_PLAIN;
	}
	if (r->tables.n_events)
		qsort_r(r->tables.order, r->tables.n_events, sizeof(*r->tables.order), by_order, r);
	pp_hist_lay_out(r);
	/* where there are many, entries need it more: what an address is can be asked for again */
	if (r->addresses.room > MANY_ADDRESSES)
		pp_address_cache_forget(&r->addresses);
	if (pp_hist_learn(r, error) || pp_hist_begin_spreads(r, error))
		return -1;
	for (size_t i = 0; i < r->groups.n; i++)
		if (add_entry_of_group(r, i, error))
			return -1;
	count_whole_samples(r);
	if (pp_hist_make_spreads(r, error) || pp_hist_join_groups(r, error))
		return -1;
	if (sort_parts(r, error))
		return -1;
	for (size_t i = 0; i < r->tables.n_events; i++)
		if (sort_entries(r, &r->tables.events[i], error))
			return -1;
	return 0;
}

/* ---- what is shown ---- */

size_t pp_report_events(const struct pp_report *r)
{
	return r->tables.n;
}

void pp_report_member(const struct pp_report *r, size_t event, size_t member, struct pp_report_event *of)
{
	const struct pp_hist_event *const first = pp_hist_event_at(r, event);
	const struct pp_hist_event *const e = member ? &r->tables.events[first->members[member]] : first;

	*of = (struct pp_report_event){
		e->name, r->mode == PP_REPORT_BRANCHES ? e->noted : e->samples, e->weight,
		e->has_chains && r->mode != PP_REPORT_BRANCHES, e->all, e->leads,
		e->group && e->group->put_together, e->group ? e->group->name : NULL,
	};
}

void pp_report_event(const struct pp_report *r, size_t event, struct pp_report_event *of)
{
	pp_report_member(r, event, 0, of);
}

size_t pp_report_members(const struct pp_report *r, size_t event)
{
	return pp_hist_event_at(r, event)->n_members;
}

static void show_weight(const struct pp_report *r, const struct pp_hist_event *e,
			const struct pp_column *column, const struct pp_entry *entry,
			struct pp_report_cell *cell)
{
	const struct pp_entry_sums *const sums = entry ? pp_hist_sums(e, entry) : NULL;

	cell->number = entry ? column->weight(entry, sums) : 0;
	cell->whole = pp_hist_is_of_latency(column) ? e->latency : e->weight;
	if (cell->kind != PP_REPORT_AVERAGE || !entry)
		return;
	cell->average = sums->counted ? (double)cell->number / (double)sums->counted : 0.0;
	cell->number = pp_hist_whole(r, cell->number);
}

void pp_report_of_member(const struct pp_report *r, size_t event, size_t entry, size_t column,
			 size_t member, struct pp_report_cell *cell)
{
	const struct pp_hist_event *const first = pp_hist_event_at(r, event);
	const struct pp_hist_event *const e = &r->tables.events[first->members[member]];
	const struct pp_column *const c = r->columns.shown[column];
	const uint64_t *const values = &first->values[first->sorted[entry] * r->columns.n_keys];

	*cell = (struct pp_report_cell){ .kind = c->shown.kind, .text = "", .known = true };
	show_weight(r, e, c, pp_hist_find(r, e, values), cell);
}

bool pp_report_children(const struct pp_report *r)
{
	return r->children;
}

size_t pp_report_columns(const struct pp_report *r)
{
	return r->columns.n_shown;
}

void pp_report_column(const struct pp_report *r, size_t column, struct pp_report_column *of)
{
	*of = r->columns.shown[column]->shown;
	if (r->children && !r->fields && !strcmp(of->name, "overhead"))
		of->header = "Self";
}

size_t pp_report_entries(const struct pp_report *r, size_t event)
{
	return pp_hist_event_at(r, event)->n_entries;
}

static void show_text(const struct pp_report *r, uint64_t text, struct pp_report_cell *cell)
{
	cell->text = r->places.texts.items[text].text;
	cell->length = r->places.texts.items[text].length;
	cell->known = text;
}

static uint64_t last_comm(const struct pp_report *r, uint32_t tid)
{
	const uint64_t *const text = pp_idmap_find(&r->names.comms, tid);

	return text ? *text : 0;
}

static void show_key(const struct pp_report *r, const struct pp_hist_event *e,
		     const struct pp_column *column, uint64_t value, const struct pp_entry *entry,
		     struct pp_report_cell *cell)
{
	cell->number = value;
	cell->known = true;
	if (cell->kind == PP_REPORT_TEXT) {
		show_text(r, (uint32_t)value, cell);
		cell->unnamed = !strcmp(column->shown.name, "dso") ? entry->unnamed :
				!strcmp(column->shown.name, "dso_from") ? entry->unnamed_from :
				!strcmp(column->shown.name, "dso_to") ? entry->unnamed_to : !value;
	} else if (cell->kind == PP_REPORT_TASK) {
		show_text(r, last_comm(r, (uint32_t)value), cell);
	} else if (cell->kind == PP_REPORT_SYMBOL || cell->kind == PP_REPORT_INTO) {
		const struct pp_code_frame *const p = pp_frame_table_kind(&r->places, (uint32_t)value);

		show_text(r, p->name, cell);
		cell->number = cell->kind == PP_REPORT_INTO && p->name ? p->into :
			       pp_frame_table_start(&r->places, (uint32_t)value);
		cell->inlined = p->inlined;
		/* perf has the level of the sample where it shows addresses, but for lines of the cache */
		cell->level = (column->needs == BRANCHES && cell->kind == PP_REPORT_SYMBOL) ||
			      column->order == CLASS_OF_LINE ? p->level : entry->level;
	} else if (cell->kind == PP_REPORT_TIMES) {
		cell->number = value * pp_hist_sums(e, entry)->samples;
	}
	if (!value && column->shown.unknown) {
		cell->text = column->shown.unknown;
		cell->length = strlen(cell->text);
		cell->known = false;
	}
}

void pp_report_cell(const struct pp_report *r, size_t event, size_t entry, size_t column,
		    struct pp_report_cell *cell)
{
	const struct pp_hist_event *const e = pp_hist_event_at(r, event);
	const uint32_t i = e->sorted[entry];
	const struct pp_column *const c = r->columns.shown[column];

	*cell = (struct pp_report_cell){ .kind = c->shown.kind, .text = "", .known = true };
	if (c->shown.key) {
		show_key(r, e, c, e->values[i * r->columns.n_keys + pp_hist_key(r, c)], &e->entries[i], cell);
		return;
	}
	show_weight(r, e, c, &e->entries[i], cell);
	cell->known = r->children || !pp_hist_is_of_children(c);
}

void pp_report_weights(const struct pp_report *r, size_t event, size_t entry,
		       struct pp_report_weights *weights)
{
	const struct pp_hist_event *const e = pp_hist_event_at(r, event);
	const struct pp_entry *const of = &e->entries[e->sorted[entry]];

	const struct pp_entry_sums *const sums = pp_hist_sums(e, of);
	const uint32_t tid = r->groups.items[of->group].tid;

	*weights = (struct pp_report_weights){
		sums->weight, sums->samples, of->children, r->places.texts.items[last_comm(r, tid)].text,
	};
}
