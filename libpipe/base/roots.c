/* roots.c - where sysfs, procfs and tracefs are. */
#include "base/procfs.h"

#include <perfpipe/roots.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pp_roots roots;

/* "" is no folder, and no one means the root by it. */
static const char *folder(const char *name)
{
	return name && *name ? name : NULL;
}

void pp_roots_set(const struct pp_roots *to)
{
	roots.sysfs = folder(to->sysfs);
	roots.procfs = folder(to->procfs);
	roots.tracefs = folder(to->tracefs);
}

void pp_roots_from_environment(void)
{
	pp_roots_set(&(struct pp_roots){ .sysfs = secure_getenv("SYSFS_PATH"),
					 .procfs = secure_getenv("PROCFS_PATH"),
					 .tracefs = secure_getenv("TRACEFS_PATH") });
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
