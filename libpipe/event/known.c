/* known.c - the events that this machine has, by their names; what they mean is left to events.c. */
#include "base/procfs.h"
#include "event/event.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the processor's own counters are to be had: each PMU of a core has this event. */
static bool has_hardware(void)
{
	char rooted[PP_PATH];
	glob_t found;
	const bool has = !glob(pp_rooted(rooted, PP_PMUS "/*/events/cpu[-_]cycles"), 0, NULL, &found);

	globfree(&found);
	return has;
}

static bool is_system(const char *name)
{
	/* Those of the function tracer are records of its own, nothing to be opened. */
	return name[0] != '.' && strcmp(name, "ftrace") != 0;
}

static void tell_points(const char *folder, const char *system, pp_known_event_fn *fn, void *arg)
{
	struct pp_names points;
	char path[1024], name[512], rooted[PP_PATH];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, system);
	if (pp_names_read(&points, path, NULL))
		return;
	for (size_t i = 0; i < points.n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s/%s/id", folder, system, points.items[i]);
		(void)snprintf(name, sizeof(name), "%s:%s", system, points.items[i]);
		if (!access(pp_rooted(rooted, path), F_OK))
			fn(arg, name);
	}
	pp_names_free(&points);
}

void pp_known_events(pp_known_event_fn *fn, void *arg)
{
	const bool hardware = has_hardware();
	const char *const base = pp_tracefs(), *name;
	struct pp_names systems;
	char folder[512];
	uint64_t config;
	uint32_t type;

	for (size_t i = 0; pp_event_at(i, &name, &type, &config); i++)
		if (type == PERF_TYPE_SOFTWARE || hardware)
			fn(arg, name);
	(void)snprintf(folder, sizeof(folder), "%s/events", base ? base : "");
	if (!base || pp_names_read(&systems, folder, is_system))
		return;
	for (size_t i = 0; i < systems.n; i++)
		tell_points(folder, systems.items[i], fn, arg);
	pp_names_free(&systems);
}
