/* bind.c - which of the events that were counted a metric means: by name, of one group if it can be. */
#include "base/array.h"
#include "metric/metric.h"

#include <stdlib.h>
#include <string.h>

/* What an event is called, in the forms that names of metrics are compared with. */
struct known_event {
	char *whole, *bare;           /* with and without in whose code it counts */
	char *alias;                  /* NULL: it has none */
	char *of_cores;               /* without the kind of cores that it is of; NULL: it is not of one */
};

struct binding {
	struct pp_metric_set *set;
	const struct pp_metric_event *events;
	struct known_event *known;
	size_t n;
};

static void free_known(struct binding *b)
{
	for (size_t i = 0; b->known && i < b->n; i++) {
		free(b->known[i].whole);
		free(b->known[i].bare);
		free(b->known[i].alias);
		free(b->known[i].of_cores);
	}
	free(b->known);
}

/* "cpu_core/cycles/" is cycles of one kind of cores.  0, or -1: out of memory. */
static int learn_cores(struct known_event *k)
{
	const char *const slash = strncmp(k->bare, "cpu_", 4) ? NULL : strchr(k->bare, '/');
	const size_t length = slash ? strcspn(slash + 1, "/=,") : 0;
	char *alone;

	if (!slash || strcmp(slash + 1 + length, "/") != 0)
		return 0;
	alone = strndup(slash + 1, length);
	k->of_cores = alone ? pp_metric_plain(alone, true) : NULL;
	free(alone);
	return k->of_cores ? 0 : -1;
}

static int learn(struct binding *b)
{
	b->known = calloc(b->n + 1, sizeof(*b->known));
	if (!b->known)
		return -1;
	for (size_t i = 0; i < b->n; i++) {
		struct known_event *const k = &b->known[i];

		if (!b->events[i].name)
			continue;
		k->whole = pp_metric_plain(b->events[i].name, false);
		k->bare = pp_metric_plain(b->events[i].name, true);
		k->alias = b->events[i].alias ? pp_metric_plain(b->events[i].alias, false) : NULL;
		if (!k->whole || !k->bare || (b->events[i].alias && !k->alias) || learn_cores(k))
			return -1;
	}
	return 0;
}

static bool is_event(const struct known_event *k, const char *name, bool bare)
{
	if (!name || !k->whole)
		return false;
	return bare ? !strcmp(k->bare, name) :
	       !strcmp(k->whole, name) || (k->alias && !strcmp(k->alias, name));
}

/* The names under which a metric's event may be found; the second may be NULL. */
struct wanted_count { char *name, *terms; };

static int want(const struct pp_metrics *all, const char *name, struct wanted_count *wanted)
{
	char *terms;
	int status = pp_metric_terms(all, name, &terms);

	if (!status)
		wanted->name = pp_metric_plain(name, false);
	if (terms)
		wanted->terms = pp_metric_plain(terms, false);
	if (!wanted->name || (terms && !wanted->terms))
		status = -1;
	free(terms);
	return status;
}

static bool is_wanted(const struct known_event *k, const struct wanted_count *wanted, bool bare)
{
	return is_event(k, wanted->name, bare) || is_event(k, wanted->terms, bare);
}

static size_t group_of(const struct binding *b, size_t i)
{
	return b->events[i].grouped ? b->events[i].group : SIZE_MAX;
}

/* The event of this name that was counted on one kind of cores; b->n: of none, or of several, which are not
 * the same. */
static size_t find_of_cores(const struct binding *b, const char *name, size_t group)
{
	size_t found = b->n;

	for (size_t i = 0; i < b->n; i++) {
		const struct known_event *const k = &b->known[i];

		if (!k->of_cores || strcmp(k->of_cores, name) != 0 ||
		    (group != SIZE_MAX && group_of(b, i) != group))
			continue;
		if (found == b->n)
			found = i;
		if (strcmp(k->bare, b->known[found].bare) != 0)
			return b->n;
	}
	return found;
}

/* The first such event, in the group if it is not SIZE_MAX; b->n: there is none.  One that counts in
 * somebody's code alone will do where there is no other. */
static size_t find(const struct binding *b, const struct wanted_count *wanted, size_t group)
{
	for (int bare = 0; bare < 2; bare++)
		for (size_t i = 0; i < b->n; i++)
			if ((group == SIZE_MAX || group_of(b, i) == group) &&
			    is_wanted(&b->known[i], wanted, bare))
				return i;
	return wanted->name ? find_of_cores(b, wanted->name, group) : b->n;
}

/* The group that has all that the expression asks for; SIZE_MAX: none does. */
static size_t find_group(const struct binding *b, const struct pp_metric_linked *l,
			 const struct wanted_count *wanted)
{
	size_t names = 0;

	for (size_t k = 0; k < l->code.n_names; k++)
		names += wanted[k].name != NULL;
	if (names < 2)
		return SIZE_MAX;
	for (size_t i = 0; i < b->n; i++) {
		size_t found = 0;

		if (!b->events[i].grouped || b->events[i].group != i)
			continue;
		for (size_t k = 0; k < l->code.n_names; k++)
			found += wanted[k].name && find(b, &wanted[k], i) < b->n;
		if (found == names)
			return i;
	}
	return SIZE_MAX;
}

static int add_bound_event(struct pp_metric_set *set, size_t i)
{
	if (PP_GROW(&set->events, &set->event_room, set->n_events + 1, NULL))
		return -1;
	set->events[set->n_events++] = (uint32_t)i;
	return 0;
}

/* The event, and all others that come of the same specification. */
static int bind_name(const struct binding *b, struct pp_metric_linked *l, size_t name,
		     const struct wanted_count *wanted, size_t group)
{
	struct pp_metric_set *const set = b->set;
	size_t first = find(b, wanted, group);

	if (first == b->n && group != SIZE_MAX)
		first = find(b, wanted, SIZE_MAX);
	l->bound[name].from = (uint32_t)set->n_events;
	if (first < b->n && add_bound_event(set, first))
		return -1;
	for (size_t i = first + 1; first < b->n && b->known[first].alias && i < b->n; i++)
		if (b->known[i].alias && !strcmp(b->known[i].alias, b->known[first].alias) &&
		    add_bound_event(set, i))
			return -1;
	l->bound[name].n = (uint32_t)set->n_events - l->bound[name].from;
	return 0;
}

static int bind_linked(const struct binding *b, struct pp_metric_linked *l)
{
	struct wanted_count *const wanted = calloc(l->code.n_names + 1, sizeof(*wanted));
	int status = wanted ? 0 : -1;
	size_t group;

	for (size_t k = 0; k < l->code.n_names && !status; k++)
		if (!l->refs[k] && l->code.names[k][0] != '#' &&
		    pp_metric_time(l->code.names[k]) == PP_TIME_NONE)
			status = want(b->set->all, l->code.names[k], &wanted[k]);
	group = status ? SIZE_MAX : find_group(b, l, wanted);
	for (size_t k = 0; k < l->code.n_names && !status; k++)
		if (wanted[k].name)
			status = bind_name(b, l, k, &wanted[k], group);
	for (size_t k = 0; wanted && k < l->code.n_names; k++) {
		free(wanted[k].name);
		free(wanted[k].terms);
	}
	free(wanted);
	return status;
}

static int keep_events(const struct binding *b)
{
	struct pp_metric_set *const set = b->set;

	set->bound = calloc(b->n + 1, sizeof(*set->bound));
	set->used = calloc(b->n + 1, sizeof(*set->used));
	set->uses = calloc(b->n + 1, sizeof(*set->uses));
	if (!set->bound || !set->used || !set->uses)
		return -1;
	set->n_bound = b->n;
	for (size_t i = 0; i < b->n; i++) {
		set->bound[i].group = b->events[i].group;
		set->bound[i].grouped = b->events[i].grouped;
		set->bound[i].name = strdup(b->events[i].name ? b->events[i].name : "");
		if (!set->bound[i].name)
			return -1;
	}
	return 0;
}

int pp_metric_set_bind(struct pp_metric_set *set, const struct pp_metric_event *events, size_t n)
{
	struct binding b = { .set = set, .events = events, .n = n };
	int status;

	pp_metric_bound_free(set);
	status = learn(&b) || keep_events(&b) ? -1 : 0;
	for (size_t i = 0; i < set->n && !status; i++)
		status = bind_linked(&b, &set->members[i].value) ||
			 (set->members[i].threshold.refs && bind_linked(&b, &set->members[i].threshold)) ?
			 -1 : 0;
	free_known(&b);
	return status;
}
