/* renames.c - what has other names on two sides that are compared: OLD=NEW, and programs as one. */
#include "diff/renames.h"

#include <stdlib.h>
#include <string.h>

struct rename_options rename_options;

const char *renames_parse(void *target, const char *value)
{
	const char *const equals = strchr(value, '=');

	if (!equals || equals == value || !equals[1])
		return "is not OLD=NEW";
	return cli_add(target, value);
}

bool renames_asked(void)
{
	if (rename_options.no_comm && rename_options.maps.count)
		cli_misuse("--no-comm leaves nothing for --map to compare");
	return rename_options.no_comm || rename_options.maps.count;
}

const char *renames_part(const char *both, size_t *length)
{
	const char *const equals = strchr(both, '=');

	*length = (size_t)(equals - both);
	return equals + 1;
}

/* Whether a name, from `at` on, is OLD as a whole: alone, or after a '/' of a path. */
static bool is_old(const char *name, size_t at, const char *old, size_t length, bool path)
{
	return strlen(name) == at + length && !memcmp(name + at, old, length) &&
	       (!at || (path && (name[at - 1] == '/' || *old == '/')));
}

const char *renames_apply(const char *name, bool path)
{
	static char *made;
	const size_t all = strlen(name);

	for (size_t i = 0; i < rename_options.maps.count; i++) {
		const char *const old = rename_options.maps.items[i];
		size_t length;
		const char *const new = renames_part(old, &length);

		if (length > all || !is_old(name, all - length, old, length, path))
			continue;
		free(made);
		made = cli_text("%.*s%s", (int)(all - length), name, new);
		return made;
	}
	return name;
}
