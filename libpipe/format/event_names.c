/* event_names.c - what events are called that have no name in the stream; and back from a name. */
#include <perfpipe/perfpipe.h>

#include <inttypes.h>
#include <stdio.h>

enum {
#define EVENT_TYPE(NAME, number, name) TYPE_##NAME = number,
#include "format/events.def"
};

static const struct event {
	uint32_t type, config;
	const char *name, *other;
} events[] = {
#define EVENT(TYPE, config, name, other) { TYPE_##TYPE, config, name, other },
#include "format/events.def"
};

static const size_t n_events = sizeof(events) / sizeof(events[0]);

/* What perf counts by itself, and no kernel: type and configs of its tool PMU, since 6.13. */
static const uint32_t TYPE_TOOL = UINT32_MAX - 1;
static const char *const tools[] = { NULL, "duration_time", "user_time", "system_time" };

static const struct event *find(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < n_events; i++)
		if (events[i].type == type && events[i].config == config)
			return &events[i];
	return NULL;
}

const char *pp_event_name(uint32_t type, uint64_t config, char *buf, size_t size)
{
	const struct event *e = find(type, config);

	/* On a hybrid machine the upper half is the number of the PMU. */
	if (!e && (type == TYPE_HARDWARE || type == TYPE_HW_CACHE))
		e = find(type, config & UINT32_MAX);
	if (e)
		(void)snprintf(buf, size, "%s", e->name);
	else if (type == TYPE_TOOL && config && config < sizeof(tools) / sizeof(tools[0]))
		(void)snprintf(buf, size, "%s", tools[config]);
	else if (type == TYPE_TRACEPOINT)
		(void)snprintf(buf, size, "tracepoint:%" PRIu64, config);
	else if (type == TYPE_RAW)
		(void)snprintf(buf, size, "raw 0x%" PRIx64, config);
	else
		(void)snprintf(buf, size, "type %" PRIu32 " config 0x%" PRIx64, type, config);
	return buf;
}

int pp_event_named(const char *name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < n_events; i++) {
		const struct event *e = &events[i];

		if (strcmp(e->name, name) != 0 && (!e->other || strcmp(e->other, name) != 0))
			continue;
		*type = e->type;
		*config = e->config;
		return 0;
	}
	return -1;
}

bool pp_event_at(size_t i, const char **name, uint32_t *type, uint64_t *config)
{
	if (i >= n_events)
		return false;
	*name = events[i].name;
	*type = events[i].type;
	*config = events[i].config;
	return true;
}
