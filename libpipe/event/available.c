/* available.c - the events that this machine has, by their names. */
#include "base/procfs.h"
#include "event/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct telling {
	pp_known_event_fn *fn;
	void *arg;
};

static void tell(const struct telling *t, const struct pp_known_event *known)
{
	t->fn(t->arg, known);
}

static bool is_system(const char *name)
{
	/* Those of the function tracer are records of its own, nothing to be opened. */
	return name[0] != '.' && strcmp(name, "ftrace") != 0;
}

static void tell_points(const struct telling *t, const char *folder, const char *system)
{
	char path[1024], name[512], rooted[PP_PATH];
	struct pp_names points;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, system);
	if (pp_names_read(&points, path, NULL))
		return;
	for (size_t i = 0; i < points.n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s/%s/id", folder, system, points.items[i]);
		(void)snprintf(name, sizeof(name), "%s:%s", system, points.items[i]);
		if (!access(pp_rooted(rooted, path), F_OK))
			tell(t, &(struct pp_known_event){ .name = name, .kind = PP_KNOWN_TRACEPOINT });
	}
	pp_names_free(&points);
}

static void tell_systems(const struct telling *t)
{
	const char *const base = pp_tracefs();
	struct pp_names systems;
	char folder[512];

	(void)snprintf(folder, sizeof(folder), PP_TRACEPOINTS, base ? base : "");
	if (!base || pp_names_read(&systems, folder, is_system))
		return;
	for (size_t i = 0; i < systems.n; i++)
		tell_points(t, folder, systems.items[i]);
	pp_names_free(&systems);
}

static bool is_event_file(const char *name)
{
	return !strchr(name, '.');
}

/* An event that sysfs defines, with all that it says of it. */
static void tell_event(const struct telling *t, const char *pmu, const char *event)
{
	char name[300], path[400], terms[1024], scale[64] = "", unit[64] = "";
	struct pp_known_event known = { .name = name, .kind = PP_KNOWN_PMU, .pmu = pmu, .terms = terms };

	(void)snprintf(name, sizeof(name), "%s/%s/", pmu, event);
	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events/%s", pmu, event);
	if (pp_file_text(terms, sizeof(terms), "%s", path) < 0)
		*terms = '\0';
	if (pp_file_text(scale, sizeof(scale), "%s.scale", path) > 0)
		known.scale = scale;
	if (pp_file_text(unit, sizeof(unit), "%s.unit", path) > 0)
		known.unit = unit;
	tell(t, &known);
}

static void tell_pmu(const struct telling *t, const char *pmu)
{
	struct pp_names events;
	char path[300];

	(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events", pmu);
	if (pp_names_read(&events, path, is_event_file))
		return;
	for (size_t i = 0; i < events.n; i++)
		tell_event(t, pmu, events.items[i]);
	pp_names_free(&events);
}

/* Whether the processor's own counters are to be had: a PMU of a core says what cycles are. */
static bool counts_cycles(const char *pmu)
{
	static const char *const names[] = { "cpu-cycles", "cpu_cycles", "CPU_CYCLES" };
	char path[300], rooted[PP_PATH];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), PP_PMUS "/%s/events/%s", pmu, names[i]);
		if (!access(pp_rooted(rooted, path), F_OK))
			return true;
	}
	return false;
}

static void tell_generic(const struct telling *t, bool hardware)
{
	struct pp_known_event known = { .name = NULL };
	uint64_t config;
	uint32_t type;

	for (size_t i = 0; pp_event_at(i, &known.name, &type, &config); i++) {
		known.kind = type == PERF_TYPE_SOFTWARE ? PP_KNOWN_SOFTWARE :
			     type == PERF_TYPE_HARDWARE ? PP_KNOWN_HARDWARE : PP_KNOWN_CACHE;
		if (known.kind == PP_KNOWN_SOFTWARE || hardware)
			tell(t, &known);
	}
}

void pp_known_events(pp_known_event_fn *fn, void *arg)
{
	const struct telling t = { fn, arg };
	struct pp_names pmus = { .n = 0 };
	bool hardware = false;

	(void)pp_names_read(&pmus, PP_PMUS, NULL);
	for (size_t i = 0; i < pmus.n; i++)
		hardware |= counts_cycles(pmus.items[i]);
	tell_generic(&t, hardware);
	for (size_t i = 0; i < pmus.n; i++)
		tell_pmu(&t, pmus.items[i]);
	pp_names_free(&pmus);
	tell_systems(&t);
}
