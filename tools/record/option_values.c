/* option_values.c - what the values of pp-record's options may look like.  Their meaning is the library's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "record/option_values.h"
#include <perfpipe/perfpipe.h>

enum { AUX_SAMPLE = 4096 };       /* bytes, as perf takes it */

const char *parse_frequency(void *target, const char *value)
{
	const char *wrong;

	if (!strcmp(value, "max")) {
		*(uint64_t *)target = UINT64_MAX;
		return NULL;
	}
	wrong = cli_u64(target, value);
	if (wrong)
		return wrong;
	return *(uint64_t *)target ? NULL : "is not a rate: use 1 or more, or max";
}

const char *parse_period(void *target, const char *value)
{
	const char *const wrong = cli_u64(target, value);

	if (wrong)
		return wrong;
	return *(uint64_t *)target ? NULL : "is not a period: use 1 or more";
}

const char *parse_pages(void *target, const char *value)
{
	const bool pages = value[0] && value[strspn(value, "0123456789")] == '\0';
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t *const bytes = target;
	const char *const wrong = cli_size(bytes, value);

	if (wrong)
		return wrong;
	if (pages && *bytes <= UINT32_MAX)
		*bytes *= page;
	if (*bytes > UINT64_C(1) << 40)
		return "is larger than 1T";
	if (*bytes < page || *bytes & (*bytes - 1))
		return "is not a power of two of pages";
	return NULL;
}

const char *parse_buffer(void *target, const char *value)
{
	struct buffers *const b = target;
	const size_t length = strcspn(value, ",");
	const char *wrong = NULL;
	char ring[32];

	if (length >= sizeof(ring))
		return "is not a size";
	(void)snprintf(ring, sizeof(ring), "%.*s", (int)length, value);
	if (*ring)
		wrong = parse_pages(&b->ring, ring);
	if (!wrong && value[length])
		wrong = parse_pages(&b->aux, value + length + 1);
	return *value ? wrong : "is not a size";
}

/* Bytes, with a suffix or not; none: as much as there is.  An 'e' before it: also at the end. */
const char *parse_snapshot(void *target, const char *value)
{
	struct snapshots *const s = target;

	s->wanted = true;
	s->at_end = value && *value == 'e';
	if (s->at_end)
		value++;
	return value && *value ? cli_size(&s->bytes, value) : NULL;
}

const char *parse_aux_sample(void *target, const char *value)
{
	uint64_t bytes = 0;
	const char *const wrong = value ? cli_size(&bytes, value) : NULL;

	if (!wrong && bytes > UINT32_MAX)
		return "is larger than 4G";
	*(uint32_t *)target = bytes ? (uint32_t)bytes : AUX_SAMPLE;
	return wrong;
}

const char *parse_sideband(void *target, const char *value)
{
	static const char *const names[] = {
		[PP_SIDEBAND_ALL] = "all", [PP_SIDEBAND_LAZY] = "lazy",
		[PP_SIDEBAND_LATE] = "late", [PP_SIDEBAND_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(value, names[i]))
			continue;
		*(enum pp_capture_sideband *)target = (enum pp_capture_sideband)i;
		return NULL;
	}
	return "is no time for it: use all, lazy, late or none";
}

const char *parse_clock(void *target, const char *value)
{
	if (!strcasecmp(value, "local"))
		*(int32_t *)target = -1;
	else if (pp_clock_named(value, target))
		return "is not a clock: use monotonic, monotonic_raw, boottime, realtime, tai, "
		       "its number, or local";
	return NULL;
}

const char *parse_wakeup(void *target, const char *value)
{
	uint64_t count = 1;

	if (value && (cli_u64(&count, value) || !count || count > INT32_MAX))
		return "is not a number of samples, from 1 to 2147483647";
	*(uint32_t *)target = (uint32_t)count;
	return NULL;
}

const char *parse_off(void *target, const char *value)
{
	(void)value;
	*(bool *)target = false;
	return NULL;
}

struct place_name { const char *name; enum pp_capture_place place; };

static bool find_place(const struct place_name *names, const char *value, enum pp_capture_place *place)
{
	for (; names->name; names++) {
		if (strcmp(value, names->name) != 0)
			continue;
		*place = names->place;
		return true;
	}
	return false;
}

/* Without a value one for each CPU, as perf has it. */
const char *parse_threads(void *target, const char *value)
{
	static const struct place_name names[] = {
		{ "cpu", PP_AT_CPU }, { "core", PP_AT_CORE }, { "package", PP_AT_PACKAGE },
		{ "numa", PP_AT_NODE }, { NULL, PP_AT_ANY },
	};
	struct threads *const t = target;

	*t = (struct threads){ .at = PP_AT_CPU };
	if (!value || find_place(names, value, &t->at))
		return NULL;
	t->at = PP_AT_ANY;
	if (strchr(value, '/')) {
		t->masks = value;
		return NULL;
	}
	if (cli_u64(&t->n, value) || !t->n || t->n > 4096)
		return "is not a number of threads, cpu, core, package, numa, or CPUS/WHERE:...";
	return NULL;
}

const char *parse_affinity(void *place, const char *value)
{
	static const struct place_name names[] = {
		{ "sys", PP_AT_ANY }, { "cpu", PP_AT_CPU }, { "node", PP_AT_NODE },
		{ NULL, PP_AT_ANY },
	};

	return find_place(names, value, place) ? NULL : "is not node, cpu or sys";
}
