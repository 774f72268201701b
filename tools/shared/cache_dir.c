/* cache_dir.c - where tools keep what takes long to find out. */
#include "shared/cache_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *cache_folder(void)
{
	static char path[PATH_MAX];
	const char *const cache = secure_getenv("XDG_CACHE_HOME"), *const home = secure_getenv("HOME");
	int length = 0;

	if (cache && *cache == '/')
		length = snprintf(path, sizeof(path), "%s/perfpipe", cache);
	else if (home && *home == '/')
		length = snprintf(path, sizeof(path), "%s/.cache/perfpipe", home);
	return length > 0 && length < (int)sizeof(path) ? path : NULL;
}
