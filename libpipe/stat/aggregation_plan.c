/*
 * aggregation_plan.c - where the counts of each event go when they are added up by CPU, core, thread
 * ...: worked out once for a way of adding up, for as long as no new count comes.  aggregate.c adds
 * them up.
 */
#include "stat/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which CPUs ---- */

static int take_all(struct pp_count_cpus *all, const struct pp_count_cpus *some, struct pp_error *error)
{
	if (!some->n)
		return 0;
	if (PP_GROW(&all->items, &all->room, all->n + some->n, error))
		return -1;
	memcpy(all->items + all->n, some->items, some->n * sizeof(*some->items));
	all->n += some->n;
	return 0;
}

/* All that the stream names; none where only tasks were counted. */
static int find_cpus(const struct pp_counts *c, struct pp_count_cpus *all, struct pp_error *error)
{
	int32_t last = -1;

	if (take_all(all, &c->cpus, error))
		return -1;
	for (size_t i = 0; i < c->n_slots; i++) {
		const int32_t cpu = c->slots[i].cpu;

		if (cpu < 0 || cpu == last)
			continue;
		if (PP_GROW(&all->items, &all->room, all->n + 1, error))
			return -1;
		all->items[all->n++] = last = cpu;
		if (all->n > 1 << 16 && all->n % (1 << 16) == 0)
			pp_count_cpus_sort(all);
	}
	pp_count_cpus_sort(all);
	return 0;
}

/* ---- places ---- */

static const struct pp_count_place everywhere = { -1, -1, -1, -1, -1, -1, -1, -1, -1 };

/* The cache of a CPU that is shared at this level, or at the last one there is. */
static void find_cache(const struct pp_count_joined *joined, int32_t level, struct pp_count_place *place)
{
	const int32_t last = (int32_t)(sizeof(joined->cache) / sizeof(*joined->cache));

	if (!level)
		for (level = last; level > 1 && joined->cache[level - 1] < 0; level--)
			;
	place->cache = joined->cache[level - 1];
	place->level = place->cache < 0 ? -1 : level;
}

static struct pp_count_place place_of(const struct pp_counts *c, int32_t cpu, enum pp_count_by by,
				      int32_t level)
{
	struct pp_count_place place = everywhere;
	const struct pp_count_joined *joined;

	if (by == PP_COUNT_CPU)
		place.cpu = cpu;
	if ((size_t)cpu >= c->topology.n)
		return place;
	joined = &c->topology.cpus[cpu];
	if (by == PP_COUNT_NODE) {
		place.node = joined->node;
		return place;
	}
	place.socket = joined->socket;
	if (by == PP_COUNT_SOCKET)
		return place;
	place.die = joined->die;
	if (by == PP_COUNT_CLUSTER)
		place.cluster = joined->cluster;
	if (by == PP_COUNT_CACHE)
		find_cache(joined, level, &place);
	if (by == PP_COUNT_CORE || by == PP_COUNT_CPU)
		place.core = joined->core;
	return place;
}

/* In the order in which perf lists them: aggr_cpu_id__cmp(). */
static int compare_places(const void *a, const void *b)
{
	const struct pp_count_place *const x = a, *const y = b;
	const int32_t xs[] = { x->node, x->socket, x->die, x->cluster, x->level, x->cache, x->core, x->cpu };
	const int32_t ys[] = { y->node, y->socket, y->die, y->cluster, y->level, y->cache, y->core, y->cpu };

	for (size_t i = 0; i < sizeof(xs) / sizeof(*xs); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

/* By number: sockets do not stand between CPUs. */
static int compare_row_cpus(const void *a, const void *b)
{
	const struct pp_count_place *const x = a, *const y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int room_for_places(struct pp_counts *c, size_t n, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;

	plan->n_places = 0;
	return PP_TAKE_GROW(c->budget, &plan->places, &plan->places_room, n) ?
	       pp_budget_fail(c->budget, error) : 0;
}

static int places_of_cpus(struct pp_counts *c, const struct pp_count_cpus *all, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	size_t n = 0;

	if (room_for_places(c, all->n + 1, error))
		return -1;
	for (size_t i = 0; i < all->n; i++)
		plan->places[i] = place_of(c, all->items[i], plan->by, plan->as.level);
	if (all->n)
		qsort(plan->places, all->n, sizeof(*plan->places),
		      plan->by == PP_COUNT_CPU ? compare_row_cpus : compare_places);
	for (size_t i = 0; i < all->n; i++)
		if (!n || compare_places(&plan->places[n - 1], &plan->places[i]))
			plan->places[n++] = plan->places[i];
	plan->n_places = n;
	return 0;
}

static int places_of_threads(struct pp_counts *c, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	size_t n = c->n_threads;

	for (size_t i = 0; i < c->n_slots; i++)
		if (c->slots[i].thread >= n)
			n = c->slots[i].thread + 1;
	if (room_for_places(c, n, error))
		return -1;
	for (; plan->n_places < n; plan->n_places++) {
		plan->places[plan->n_places] = everywhere;
		plan->places[plan->n_places].thread = (int32_t)plan->n_places;
	}
	return 0;
}

static int make_places(struct pp_counts *c, const struct pp_count_cpus *all, struct pp_error *error)
{
	if (c->plan.by == PP_COUNT_THREAD)
		return places_of_threads(c, error);
	if (c->plan.by != PP_COUNT_GLOBAL)
		return places_of_cpus(c, all, error);
	if (room_for_places(c, 1, error))
		return -1;
	c->plan.places[c->plan.n_places++] = everywhere;
	return 0;
}

/* ---- entries ---- */

static uint32_t find_place(const struct pp_counts *c, int32_t cpu, uint32_t thread)
{
	const struct pp_count_plan *const plan = &c->plan;
	struct pp_count_place place;
	size_t low = 0, high = plan->n_places;

	if (plan->by == PP_COUNT_THREAD)
		return thread;
	if (plan->by == PP_COUNT_GLOBAL)
		return 0;
	place = place_of(c, cpu, plan->by, plan->as.level);
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = plan->by == PP_COUNT_CPU ? compare_row_cpus(&plan->places[middle], &place) :
				  compare_places(&plan->places[middle], &place);

		if (!order)
			return (uint32_t)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return UINT32_MAX;
}

static int add_entry(struct pp_counts *c, uint32_t event, int32_t cpu, uint32_t thread, uint32_t slot,
		     struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	uint32_t place;

	/* A count of tasks among those of CPUs belongs to none of them. */
	if (cpu < 0 && plan->by != PP_COUNT_GLOBAL && plan->by != PP_COUNT_THREAD)
		return 0;
	place = find_place(c, cpu, thread);
	if (place == UINT32_MAX)
		return 0;
	if (PP_TAKE_GROW(c->budget, &plan->entries, &plan->room, plan->n + 1))
		return pp_budget_fail(c->budget, error);
	plan->entries[plan->n++] = (struct pp_count_entry){ event, place, slot, cpu };
	return 0;
}

/* By event, CPU and slot, what has none last. */
static int compare_entries(const void *a, const void *b)
{
	const struct pp_count_entry *const x = a, *const y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Where an event would have been counted, too: those CPUs without a count make a sum incomplete. */
static int add_missing(struct pp_counts *c, uint32_t event, struct pp_error *error)
{
	const struct pp_count_cpus *const own = &c->events[event].cpus;
	const struct pp_count_cpus *const cpus = own->n ? own : &c->cpus;

	for (size_t i = 0; i < cpus->n; i++)
		if (add_entry(c, event, cpus->items[i], 0, PP_COUNT_NO_SLOT, error))
			return -1;
	return 0;
}

static int make_entries(struct pp_counts *c, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	size_t n = 0;

	plan->n = 0;
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct pp_count_slot *const s = &c->slots[i];

		if (add_entry(c, s->event, s->cpu, s->thread, (uint32_t)i, error))
			return -1;
	}
	/* that nothing was sampled there is known */
	if (plan->by != PP_COUNT_GLOBAL && plan->by != PP_COUNT_THREAD && !c->samples)
		for (uint32_t event = 0; event < c->n_events; event++)
			if (add_missing(c, event, error))
				return -1;
	if (plan->n)
		qsort(plan->entries, plan->n, sizeof(*plan->entries), compare_entries);
	for (size_t i = 0; i < plan->n; i++) {
		const struct pp_count_entry *const e = &plan->entries[i];

		if (e->slot == PP_COUNT_NO_SLOT && n && plan->entries[n - 1].event == e->event &&
		    plan->entries[n - 1].cpu == e->cpu)
			continue;
		plan->entries[n++] = *e;
	}
	plan->n = n;
	return 0;
}

/* ---- events that are shown as one ---- */

/* The kind of core that an event was counted on, "core" of "cpu_core"; NULL: all, or no core. */
static const char *core_kind(const struct pp_count_event *event, size_t *length)
{
	const char *const pmu = event->pmu ? event->pmu : event->name;
	const char *end;

	if (strncmp(pmu, "cpu_", 4))
		return NULL;
	end = strchr(pmu, '/');
	if (!end && !event->pmu)
		return NULL;
	*length = end ? (size_t)(end - pmu) - 4 : strlen(pmu + 4);
	return pmu + 4;
}

/* The name without the PMU: "cycles" of "cpu_core/cycles/". */
static const char *bare_name(const struct pp_count_event *event, size_t *length)
{
	const char *const slash = strncmp(event->name, "cpu_", 4) ? NULL : strchr(event->name, '/');
	const char *const name = slash ? slash + 1 : event->name;

	*length = strlen(name);
	if (slash && *length && name[*length - 1] == '/')
		--*length;
	return name;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_kind(const struct pp_count_event *a, const struct pp_count_event *b)
{
	return a->scale == b->scale && !strcmp(a->unit, b->unit) && same_text(a->cgroup, b->cgroup);
}

static bool belongs(const struct pp_counts_options *as, const struct pp_count_event *first,
		    const struct pp_count_event *event)
{
	size_t a, b;
	const char *x, *y;

	if (!same_kind(first, event))
		return false;
	if (!as->no_merge && first->alias && event->alias && !strcmp(first->alias, event->alias))
		return true;
	if (!as->hybrid_merge || !core_kind(first, &a) || !core_kind(event, &a))
		return false;
	x = bare_name(first, &a);
	y = bare_name(event, &b);
	return a == b && !memcmp(x, y, a);
}

/* The name that an event has where others of its specification stand beside it. */
static char *name_alone(const struct pp_count_event *e)
{
	const char *const slash = strchr(e->name, '/');
	char *name;

	if (slash)
		return asprintf(&name, "%s%s", e->pmu, slash) < 0 ? NULL : name;
	return asprintf(&name, "%s [%s]", e->name, e->pmu) < 0 ? NULL : name;
}

/* The name that it has with those of other kinds of cores added: no kind's, "cycles:u" of
 * "cpu_core/cycles/u". */
static char *name_of_all(const struct pp_count_event *e)
{
	size_t length;
	const char *const bare = bare_name(e, &length);
	char *const name = strndup(bare, length);
	char *const slash = name && bare != e->name ? strrchr(name, '/') : NULL;

	if (slash)
		*slash = ':';
	return name;
}

static bool adds_kinds(const struct pp_counts *c, uint32_t first)
{
	const char *kind, *other;
	size_t a = 0, b = 0;

	kind = core_kind(&c->events[first].event, &a);
	for (uint32_t i = first + 1; kind && i < c->n_events; i++) {
		if (c->plan.merged_into[i] != first)
			continue;
		other = core_kind(&c->events[i].event, &b);
		if (other && (a != b || memcmp(kind, other, a)))
			return true;
	}
	return false;
}

/* After all were compared by the names that the stream gives them. */
static int name_merges(struct pp_counts *c, struct pp_error *error)
{
	const struct pp_counts_options *const as = &c->plan.as;

	for (uint32_t i = 0; i < c->n_events; i++) {
		struct pp_count_known *const known = &c->events[i];
		struct pp_count_event *const e = &known->event;
		char *name;

		if (as->hybrid_merge && e->merged > 1 && adds_kinds(c, i))
			name = name_of_all(e);
		else if (as->no_merge && e->alias && e->pmu &&
			 strncmp(e->name, e->pmu, strlen(e->pmu)))
			name = name_alone(e);
		else
			continue;
		free(known->own_name);
		known->own_name = name;
		if (!name)
			return pp_fail(error, PP_E_NOMEM, NULL);
		e->name = name;
	}
	return 0;
}

/* Of another kind of cores than the one that was asked for. */
static bool left_out(struct pp_counts *c, const struct pp_count_event *event)
{
	const char *const type = c->plan.as.cpu_type;
	size_t length = 0;
	const char *const kind = type ? core_kind(event, &length) : NULL;

	if (!kind)
		return false;
	if (strlen(type) != length || memcmp(kind, type, length))
		return true;
	c->about.cpu_type = true;
	return false;
}

static int make_merges(struct pp_counts *c, struct pp_error *error)
{
	const struct pp_counts_options *const as = &c->plan.as;
	uint32_t *into;

	if (PP_GROW(&c->plan.merged_into, &c->plan.merged_room, c->n_events, error))
		return -1;
	into = c->plan.merged_into;
	for (uint32_t i = 0; i < c->n_events; i++) {
		struct pp_count_event *const e = &c->events[i].event;

		e->attr = pp_attrs_at(c->attrs, i);
		e->name = c->events[i].texts[6] ? c->events[i].texts[6] : e->attr->name;
		e->merged = 1;
		into[i] = left_out(c, e) ? UINT32_MAX : i;
		if (into[i] != i || (!e->alias && !as->hybrid_merge))
			continue;
		for (uint32_t first = 0; first < i && into[i] == i; first++)
			if (into[first] == first && belongs(as, &c->events[first].event, e))
				into[i] = first;
		c->events[into[i]].event.merged += into[i] != i;
	}
	return name_merges(c, error);
}

/* What rates and forms ask of each row. */
static void find_kinds(struct pp_counts *c)
{
	struct pp_count_plan *const plan = &c->plan;

	plan->cgroups = false;
	plan->clocks = plan->clocks_end = 0;
	for (size_t i = 0; i < c->n_events; i++) {
		const struct pp_count_event *const e = &c->events[i].event;

		plan->cgroups |= e->cgroup != NULL;
		if (!pp_count_is_clock(e))
			continue;
		if (!plan->clocks_end)
			plan->clocks = i;
		plan->clocks_end = i + 1;
	}
}

/* ---- the plan ---- */

static bool same_plan(const struct pp_counts_options *a, const struct pp_counts_options *b)
{
	return a->by == b->by && a->level == b->level && a->no_merge == b->no_merge &&
	       a->hybrid_merge == b->hybrid_merge && same_text(a->cpu_type, b->cpu_type);
}

int pp_count_plan(struct pp_counts *c, const struct pp_counts_options *as, struct pp_error *error)
{
	struct pp_count_plan *const plan = &c->plan;
	struct pp_count_cpus all = { 0 };
	int failed;

	if (pp_counts_sync(c, error))
		return -1;
	if (plan->made && same_plan(&plan->as, as))
		return 0;
	if (pp_counts_name_events(c, error))
		return -1;
	plan->made = false;
	plan->as = *as;
	failed = find_cpus(c, &all, error);
	plan->tasks = !all.n;
	plan->by = as->by;
	if (plan->tasks && as->by != PP_COUNT_GLOBAL && as->by != PP_COUNT_THREAD)
		plan->by = c->about.by == PP_COUNT_THREAD ? PP_COUNT_THREAD : PP_COUNT_GLOBAL;
	if (!failed)
		failed = make_places(c, &all, error) || make_entries(c, error) || make_merges(c, error);
	free(all.items);
	if (failed)
		return -1;
	find_kinds(c);
	plan->made = true;
	return 0;
}
