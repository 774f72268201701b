/* catalog.c - metrics and events by their names. */
#include "base/array.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint64_t hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (uint64_t)(*name >= 'A' && *name <= 'Z' ? *name | 0x20 : *name)) *
		       UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static uint64_t hash_metric(const void *things, uint64_t place)
{
	return hash_name(((const struct pp_metrics *)things)->items[place - 1].is.name);
}

static uint64_t hash_event(const void *things, uint64_t place)
{
	return hash_name(((const struct pp_metrics *)things)->events[place - 1].name);
}

/* The place of a metric of this name, or a free one. */
static size_t metric_place(const struct pp_metrics *all, const char *name)
{
	size_t at = pp_index_first(&all->by_name, hash_name(name));

	while (all->by_name.places[at] &&
	       strcasecmp(all->items[all->by_name.places[at] - 1].is.name, name) != 0)
		at = pp_index_next(&all->by_name, at);
	return at;
}

static size_t event_place(const struct pp_metrics *all, const char *name)
{
	size_t at = pp_index_first(&all->event_by_name, hash_name(name));

	while (all->event_by_name.places[at] &&
	       strcasecmp(all->events[all->event_by_name.places[at] - 1].name, name) != 0)
		at = pp_index_next(&all->event_by_name, at);
	return at;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static const char **texts_of(struct pp_metric *m, size_t i)
{
	const char **const texts[] = {
		&m->name, &m->expression, &m->groups, &m->unit, &m->threshold, &m->constraint,
		&m->ungrouped, &m->pmu, &m->brief, &m->aggregation,
	};

	return i < sizeof(texts) / sizeof(texts[0]) ? texts[i] : NULL;
}

static void free_texts(struct pp_metric_stored *m)
{
	const char **text;

	for (size_t i = 0; !m->ours && (text = texts_of(&m->is, i)); i++)
		free((void *)(uintptr_t)*text);
}

static int copy_texts(struct pp_metric_stored *to, const struct pp_metric *from)
{
	struct pp_metric given = *from;
	const char **text;
	int status = 0;

	to->is = given;
	for (size_t i = 0; (text = texts_of(&given, i)); i++) {
		const char **const copy = texts_of(&to->is, i);

		*copy = *text ? strdup(*text) : NULL;
		if (*text && !*copy)
			status = -1;
	}
	if (status)
		free_texts(to);
	return status;
}

/* ---- Adding ---------------------------------------------------------------------------------- */

static bool is_same_pmu(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

static bool group_is_new(const char *groups, const char *name, size_t length)
{
	return !groups || !pp_metric_list_has(groups, name, length);
}

/* The lists of groups of both: perf list names a metric once in each.  NULL: no memory. */
static char *join_groups(const char *old, const char *new)
{
	const size_t n = old ? strlen(old) : 0;
	char *const all = malloc(n + strlen(new) + 2);

	if (!all)
		return NULL;
	memcpy(all, old ? old : "", n);
	all[n] = '\0';
	for (size_t length; *new; new += length + (new[length] == ';')) {
		length = strcspn(new, ";");
		if (!group_is_new(all, new, length) || !length)
			continue;
		if (*all)
			strcat(all, ";");
		strncat(all, new, length);
	}
	return all;
}

static int replace(struct pp_metric_stored *old, const struct pp_metric_stored *by)
{
	char *groups = NULL;

	/* another metric under an old name, or the same in another group */
	if (!strcmp(old->is.expression, by->is.expression) && old->is.groups && by->is.groups) {
		groups = join_groups(old->is.groups, by->is.groups);
		if (!groups)
			return -1;
	}
	const size_t same = old->same;

	free_texts(old);
	*old = *by;
	old->same = same;
	if (groups) {
		free((void *)(uintptr_t)old->is.groups);
		old->is.groups = groups;
	}
	return 0;
}

int pp_metrics_add(struct pp_metrics *all, const struct pp_metric *metric, bool ours)
{
	struct pp_metric_stored new = { .is = *metric, .ours = ours };
	uint64_t *place, i;

	if (PP_GROW(&all->items, &all->room, all->n + 1, NULL) ||
	    pp_index_reserve(&all->by_name, all->n + 1, hash_metric, all) ||
	    (!ours && copy_texts(&new, metric)))
		return -1;
	place = &all->by_name.places[metric_place(all, new.is.name)];
	for (i = *place; i; i = all->items[i - 1].same) {
		struct pp_metric_stored *const old = &all->items[i - 1];

		if (!old->ours && !is_same_pmu(old->is.pmu, new.is.pmu))
			continue;
		if (!replace(old, &new))
			return 0;
		free_texts(&new);
		return -1;
	}
	new.same = (size_t)*place;
	all->items[all->n++] = new;
	*place = all->n;
	return 0;
}

/* Whether both texts of events, "cpu_core/event=0xc0/", are of one PMU. */
static bool is_on_same(const char *a, const char *b)
{
	const size_t n = strcspn(a, "/");

	return n == strcspn(b, "/") && !memcmp(a, b, n);
}

int pp_metrics_add_event(struct pp_metrics *all, const char *name, const char *terms)
{
	struct pp_metric_named new = { .terms = strdup(terms) };
	uint64_t *place;

	if (!new.terms || PP_GROW(&all->events, &all->event_room, all->n_events + 1, NULL) ||
	    pp_index_reserve(&all->event_by_name, all->n_events + 1, hash_event, all)) {
		free(new.terms);
		return -1;
	}
	place = &all->event_by_name.places[event_place(all, name)];
	for (size_t i = (size_t)*place; i; i = all->events[i - 1].same)
		if (is_on_same(all->events[i - 1].terms, new.terms)) {
			free(all->events[i - 1].terms);
			all->events[i - 1].terms = new.terms;
			return 0;
		}
	new.name = strdup(name);
	new.same = (size_t)*place;
	if (!new.name) {
		free(new.terms);
		return -1;
	}
	all->events[all->n_events++] = new;
	*place = all->n_events;
	return 0;
}

void pp_metrics_hide(struct pp_metrics *all, const char *name)
{
	for (uint64_t i = all->by_name.places[metric_place(all, name)]; i; i = all->items[i - 1].same)
		all->items[i - 1].hidden |= all->items[i - 1].ours;
}

int pp_metrics_refuse(struct pp_metrics *all, const char *why)
{
	if (PP_GROW(&all->refused, &all->refused_room, all->n_refused + 1, NULL))
		return -1;
	all->refused[all->n_refused] = strdup(why);
	if (!all->refused[all->n_refused])
		return -1;
	all->n_refused++;
	return 0;
}

/* ---- Finding --------------------------------------------------------------------------------- */

const struct pp_metric_stored *pp_metrics_find(const struct pp_metrics *all, const char *name,
					       const char *pmu)
{
	const struct pp_metric_stored *found = NULL;

	if (!all->by_name.room)
		return NULL;
	for (uint64_t i = all->by_name.places[metric_place(all, name)]; i; i = all->items[i - 1].same) {
		if (all->items[i - 1].hidden)
			continue;
		found = &all->items[i - 1];
		if (is_same_pmu(found->is.pmu, pmu))
			break;
	}
	return found;
}

const struct pp_metric *pp_metrics_at(const struct pp_metrics *all, size_t i)
{
	return i < all->n ? &all->items[i].is : NULL;
}

const char *pp_metrics_refused(const struct pp_metrics *all, size_t i)
{
	return i < all->n_refused ? all->refused[i] : NULL;
}

const char *pp_metrics_event_on(const struct pp_metrics *all, const char *name, const char *pmu,
				size_t length)
{
	const char *any = NULL;

	if (!all->event_by_name.room)
		return NULL;
	for (uint64_t i = all->event_by_name.places[event_place(all, name)]; i; i = all->events[i - 1].same) {
		any = all->events[i - 1].terms;
		if (strcspn(any, "/") == length && !memcmp(any, pmu, length))
			break;
	}
	return any;
}

const char *pp_metrics_event(const struct pp_metrics *all, const char *name)
{
	return pp_metrics_event_on(all, name, "cpu", strlen("cpu"));
}

bool pp_metric_list_has(const char *list, const char *word, size_t length)
{
	for (size_t n; list && *list; list += n + (list[n] == ';')) {
		n = strcspn(list, ";");
		if (n == length && !strncasecmp(list, word, n))
			return true;
	}
	return false;
}

struct pp_metrics *pp_metrics_new(struct pp_error *error)
{
	struct pp_metrics *const all = calloc(1, sizeof(*all));
	const struct pp_metric *own;

	for (size_t i = 0; all && (own = pp_metric_own(i)); i++) {
		if (!pp_metrics_add(all, own, true))
			continue;
		pp_metrics_free(all);
		(void)pp_metric_no_memory(error);
		return NULL;
	}
	if (!all)
		(void)pp_metric_no_memory(error);
	return all;
}

void pp_metrics_free(struct pp_metrics *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		free_texts(&all->items[i]);
	for (size_t i = 0; i < all->n_events; i++) {
		free(all->events[i].name);
		free(all->events[i].terms);
	}
	free(all->items);
	for (size_t i = 0; i < all->n_refused; i++)
		free(all->refused[i]);
	free(all->refused);
	free(all->events);
	pp_index_close(&all->by_name);
	pp_index_close(&all->event_by_name);
	free(all);
}
