/* event_names.c - what events are called that have no name in the stream; and back from a name. */
#include <perfpipe/perfpipe.h>

#include "format/event_ids.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const type_words[] = {
#define EVENT_TYPE(NAME, number) [number] = #NAME,
#include "format/events.def"
};

static const char *const cache_words[][7] = {
#define CACHE_WORD(byte, number, word) [byte][number] = word,
#include "format/events.def"
};

static const struct named_event {
	uint32_t type, config;
	const char *word, *name, *other;
} events[] = {
#define EVENT(TYPE, config, word, name, other) { PP_TYPE_##TYPE, config, word, name, other },
#include "format/events.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
static const size_t n_events = COUNT(events);

/* What perf counts by itself, and no kernel: type and configs of its tool PMU, since 6.13. */
static const uint32_t TYPE_TOOL = UINT32_MAX - 1;
static const char *const times[] = {
	[PP_TIME_DURATION] = "duration_time", [PP_TIME_USER] = "user_time", [PP_TIME_SYSTEM] = "system_time",
};

static const struct named_event *find_named_event(uint64_t type, uint64_t config)
{
	for (size_t i = 0; i < n_events; i++)
		if (events[i].type == type && events[i].config == config)
			return &events[i];
	return NULL;
}

const char *pp_event_name(uint32_t type, uint64_t config, char *buf, size_t size)
{
	const struct named_event *e = find_named_event(type, config);

	/* On a hybrid machine the upper half is the number of the PMU. */
	if (!e && (type == PP_TYPE_HARDWARE || type == PP_TYPE_HW_CACHE))
		e = find_named_event(type, config & UINT32_MAX);
	if (e)
		(void)snprintf(buf, size, "%s", e->name);
	else if (type == TYPE_TOOL && config && config < COUNT(times))
		(void)snprintf(buf, size, "%s", times[config]);
	else if (type == PP_TYPE_TRACEPOINT)
		(void)snprintf(buf, size, "tracepoint:%" PRIu64, config);
	else if (type == PP_TYPE_RAW)
		(void)snprintf(buf, size, "raw 0x%" PRIx64, config);
	else
		(void)snprintf(buf, size, "type %" PRIu32 " config 0x%" PRIx64, type, config);
	return buf;
}

int pp_event_named(const char *name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < n_events; i++) {
		const struct named_event *e = &events[i];

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

enum pp_time pp_event_time(const char *name)
{
	for (size_t i = PP_TIME_DURATION; i < COUNT(times); i++)
		if (!strcmp(times[i], name))
			return (enum pp_time)i;
	return PP_TIME_NONE;
}

const char *pp_event_type_word(uint64_t type)
{
	return type < COUNT(type_words) ? type_words[type] : NULL;
}

const char *pp_event_word(uint64_t type, uint64_t config)
{
	const struct named_event *const e = find_named_event(type, config);

	return e ? e->word : NULL;
}

const char *pp_event_cache_word(unsigned byte, uint64_t number)
{
	return byte < COUNT(cache_words) && number < COUNT(cache_words[0]) ? cache_words[byte][number] : NULL;
}
