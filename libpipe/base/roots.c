/* roots.c - where sysfs, procfs and tracefs are; reading them is left to procfs.c. */
#include "base/procfs.h"

#include <perfpipe/roots.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pp_roots roots;

void pp_roots_set(const struct pp_roots *to)
{
	roots = *to;
}

static const char *from_environment(const char *name)
{
	const char *const value = secure_getenv(name);

	return value && *value ? value : NULL;
}

void pp_roots_from_environment(void)
{
	roots.sysfs = from_environment("SYSFS_PATH");
	roots.procfs = from_environment("PROCFS_PATH");
	roots.tracefs = from_environment("TRACEFS_PATH");
}

/* Whether `path` lies in `folder`; *rest is what follows that. */
static bool is_below(const char *path, const char *folder, const char **rest)
{
	const size_t n = strlen(folder);

	*rest = path + n;
	return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

const char *pp_rooted(char buf[PP_PATH], const char *path)
{
	/* The first that fits: tracefs usually lies in sysfs, but has a root of its own. */
	const struct { const char *folder, *root; } places[] = {
		{ PP_TRACEFS, roots.tracefs ? roots.tracefs : PP_TRACEFS },
		{ PP_TRACEFS_OLD, roots.tracefs ? roots.tracefs : PP_TRACEFS_OLD },
		{ "/sys", roots.sysfs },
		{ "/proc", roots.procfs },
	};
	const char *rest;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!is_below(path, places[i].folder, &rest))
			continue;
		/* What is too long to be a path is cut, and not found. */
		if (places[i].root && snprintf(buf, PP_PATH, "%s%s", places[i].root, rest) > 0)
			return buf;
		break;
	}
	return path;
}
