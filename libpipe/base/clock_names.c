/* clock_names.c - names of the clocks that times of a stream may be of, as perf record -k has them. */
#include <perfpipe/event.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* In perf's order: the first name of a clock is the one that is shown. */
static const struct { const char *name; int32_t id; } clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC }, { "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME }, { "boottime", CLOCK_BOOTTIME }, { "tai", CLOCK_TAI },
	{ "mono", CLOCK_MONOTONIC }, { "raw", CLOCK_MONOTONIC_RAW }, { "real", CLOCK_REALTIME },
	{ "boot", CLOCK_BOOTTIME },
};

int pp_clock_named(const char *name, int32_t *id)
{
	static const char prefix[] = "CLOCK_";
	char *end;
	const long number = strtol(name, &end, 10);

	if (*name >= '0' && *name <= '9' && !*end && number <= INT32_MAX) {
		*id = (int32_t)number;
		return 0;
	}
	if (!strncasecmp(name, prefix, sizeof(prefix) - 1))
		name += sizeof(prefix) - 1;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (strcasecmp(name, clocks[i].name) != 0)
			continue;
		*id = clocks[i].id;
		return 0;
	}
	return -1;
}

const char *pp_clock_name(uint64_t id)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if ((uint64_t)clocks[i].id == id)
			return clocks[i].name;
	return NULL;
}
