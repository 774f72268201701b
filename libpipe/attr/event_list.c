/* event_list.c - a list of events: appended, named, freed. */
#include "base/array.h"
#include "attr/event_list.h"

#include <stdlib.h>
#include <string.h>

struct pp_event *pp_events_append(struct pp_events *events, const char *name,
				  struct pp_error *error)
{
	struct pp_event *e;

	if (!PP_GROW(&events->items, &events->room, events->n + 1, NULL)) {
		e = &events->items[events->n];
		memset(e, 0, sizeof(*e));
		e->name = strdup(name);
		e->leader = events->n;
		e->attr.size = PP_ATTR_SIZE;
		if (e->name) {
			events->n++;
			return e;
		}
	}
	(void)pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

int pp_events_add_dummy(struct pp_events *events, bool everywhere, struct pp_error *error)
{
	struct pp_event *const e = pp_events_append(events, "dummy", error);

	if (!e)
		return -1;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_DUMMY;
	e->everywhere = everywhere;
	return 0;
}

int pp_events_add_switches(struct pp_events *events, struct pp_error *error)
{
	struct pp_event *const e = pp_events_append(events, "context-switches", error);

	if (!e)
		return -1;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	e->attr.sample_period = 1;
	e->own_rate = e->with_chain = true;
	return 0;
}

bool pp_event_is_dummy(const struct pp_event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY;
}

int pp_events_have_counters(const struct pp_events *events, struct pp_error *error)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].time) {
			(void)pp_fail(error, PP_E_USE, "%.80s has no counter",
				      events->items[i].name);
			return pp_error_hint(error, PP_HINT_ONLY_COUNTED);
		}
	return 0;
}

void pp_events_to_front(struct pp_events *events, size_t i)
{
	const struct pp_event e = events->items[i];

	memmove(events->items + 1, events->items, i * sizeof(e));
	events->items[0] = e;
	for (size_t k = 0; k < events->n; k++) {
		size_t *const leader = &events->items[k].leader;

		*leader = *leader == i ? 0 : *leader < i ? *leader + 1 : *leader;
	}
}

/* The modifiers that an attribute stands for. */
static void mode_text(const struct pp_event *e, char text[16])
{
	char *p = text;

	if (e->attr.exclude_user || e->attr.exclude_kernel || e->attr.exclude_hv) {
		*p++ = ':';
		if (!e->attr.exclude_user)
			*p++ = 'u';
		if (!e->attr.exclude_kernel)
			*p++ = 'k';
		if (!e->attr.exclude_hv)
			*p++ = 'h';
	}
	*p = '\0';
}

int pp_event_rename(struct pp_event *e, const char *base, struct pp_error *error)
{
	char modes[16], *name;
	const size_t n = strlen(base);

	mode_text(e, modes);
	name = malloc(n + sizeof(modes));
	if (!name)
		return pp_fail(error, PP_E_NOMEM, NULL);
	memcpy(name, base, n);
	strcpy(name + n, modes);
	free(e->name);
	e->name = name;
	return 0;
}

void pp_events_free(struct pp_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct pp_event *const e = &events->items[i];
		char *const texts[] = {
			e->name, e->system, e->point, e->pmu, e->filter, e->cgroup, e->metric_id, e->unit,
		};

		for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
			free(texts[k]);
		free(e->cpus);
		free(e->own_cpus);
	}
	free(events->items);
	*events = (struct pp_events){ .n = 0 };
}
