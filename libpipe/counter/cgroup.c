/* cgroup.c - control groups: which event is counted in which, and their folders. */
#include "base/procfs.h"
#include "counter/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int give(struct pp_event *e, const char *name, struct pp_error *error)
{
	if (e->cgroup)
		return 0;
	e->cgroup = strdup(name);
	return e->cgroup ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

int pp_cgroups_pair(struct pp_events *events, const struct pp_target_options *o,
		    struct pp_error *error)
{
	if (o->n_cgroups > 1 && o->n_cgroups > events->n)
		return pp_fail(error, PP_E_USE, "there are %zu control groups, but only %zu event%s",
			       o->n_cgroups, events->n, events->n == 1 ? "" : "s");
	for (size_t i = 0; i < events->n; i++) {
		const size_t k = o->n_cgroups == 1 ? 0 : i;

		if (k < o->n_cgroups && give(&events->items[i], o->cgroups[k], error))
			return -1;
	}
	return 0;
}

/* As perf: version 1 where it has the controller of perf_event, otherwise version 2.  False: neither. */
static bool find_mount(char folder[PP_PATH])
{
	char *const mounts = pp_file_all("/proc/self/mounts", &(size_t){ 0 });
	char *rest = NULL;
	bool found = false, old = false;

	for (char *line = mounts ? strtok_r(mounts, "\n", &rest) : NULL; line && !old;
	     line = strtok_r(NULL, "\n", &rest)) {
		char path[PP_PATH], type[32], options[1024];

		if (sscanf(line, "%*s %4095s %31s %1023s", path, type, options) != 3)
			continue;
		old = !strcmp(type, "cgroup") && strstr(options, "perf_event");
		if (!old && (found || strcmp(type, "cgroup2") != 0))
			continue;
		found = true;
		(void)snprintf(folder, PP_PATH, "%s", path);
	}
	free(mounts);
	return found;
}

int pp_cgroup_mount(char folder[PP_PATH], struct pp_error *error)
{
	errno = 0;
	if (find_mount(folder))
		return 0;
	errno = errno ? errno : ENOENT;
	return pp_fail_os(error, "cannot find control groups: as root, mount -t cgroup2 none "
			  "/sys/fs/cgroup");
}

int pp_cgroup_open(const char *name, struct pp_error *error)
{
	char mount[PP_PATH], path[2 * PP_PATH];
	int fd;

	if (pp_cgroup_mount(mount, error))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/%s", mount, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENOTDIR)
		return pp_fail(error, PP_E_USE, "there is no control group '%.60s' in %.60s", name,
			       mount);
	return pp_fail_os(error, "cannot open the control group %.100s", path);
}
