/* normalize_name.c - one event under several names: what a metric calls it, and what a stream does. */
#include "metric/metric.h"

#include <perfpipe/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the letters after the last colon begin that say in whose code is counted; its end without them. */
static size_t modes_at(const char *name)
{
	const char *const colon = strrchr(name, ':'), *const slash = strrchr(name, '/');

	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhGHIpPSDWeb")] && colon != name)
		return (size_t)(colon - name);
	/* "cpu/event=1/u" */
	if (slash && slash != strchr(name, '/') && !slash[1 + strspn(slash + 1, "ukhGHIpPSDWeb")])
		return (size_t)(slash + 1 - name);
	return strlen(name);
}

/* Terms that say nothing of what is counted are left out of "pmu/a,name=b/". */
static void drop_labels(char *name)
{
	char *from = strchr(name, '/'), *to;

	if (!from)
		return;
	to = ++from;
	while (*from && *from != '/') {
		const size_t length = strcspn(from, ",/");

		if (strncmp(from, "name=", 5) != 0 && strncmp(from, "metric-id=", 10) != 0) {
			if (to[-1] != '/')
				*to++ = ',';
			memmove(to, from, length);
			to += length;
		}
		from += length + (from[length] == ',');
	}
	memmove(to, from, strlen(from) + 1);
}

/* "software/cpu-clock/" and "cpu/cycles/" are events without a PMU, too. */
static void drop_pmu(char *name)
{
	char *const first = strchr(name, '/'), *const second = first ? strchr(first + 1, '/') : NULL;
	const size_t n = first ? (size_t)(first - name) : 0;
	char left;

	if (!second || second == first + 1)
		return;
	left = *second;
	*second = '\0';
	if (!strpbrk(first + 1, "=,") && ((n == 8 && !strncmp(name, "software", n)) ||
					  (n == 3 && !strncmp(name, "cpu", n)))) {
		const size_t length = strlen(first + 1);

		memmove(name, first + 1, length);
		memmove(name + length, second + 1, strlen(second + 1) + 1);
		return;
	}
	*second = left;
}

static void to_lower(char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			*text |= 0x20;
}

char *pp_metric_plain(const char *given, bool plain)
{
	char modes[32] = "", known[64], *name = strdup(given), *result;
	uint32_t type;
	uint64_t config;
	size_t at;

	if (!name)
		return NULL;
	drop_labels(name);
	drop_pmu(name);
	at = modes_at(name);
	if (!plain && strlen(name + at) < sizeof(modes) - 1) {
		modes[0] = name[at] && name[at] != ':' ? ':' : '\0';
		strcpy(modes + strlen(modes), name + at);
	}
	name[at] = '\0';
	if (!pp_event_named(name, &type, &config)) {
		free(name);
		(void)pp_event_name(type, config, known, sizeof(known));
		name = strdup(known);
		if (!name)
			return NULL;
	}
	to_lower(name);
	if (asprintf(&result, "%s%s", name, modes) < 0)
		result = NULL;
	free(name);
	return result;
}

enum pp_time pp_metric_time(const char *name)
{
	const size_t length = strlen(name);
	char word[32];

	if (strncmp(name, "tool/", 5) || name[length - 1] != '/' || length - 6 >= sizeof(word))
		return pp_event_time(name);
	(void)snprintf(word, sizeof(word), "%.*s", (int)(length - 6), name + 5);
	return pp_event_time(word);
}
