/* record_types.c - lists of record types, as options name them; the names are those of the tables. */
#include "shared/record_types.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perfpipe/perfpipe.h>

static bool type_number(const char *name, uint32_t *number)
{
	const struct pp_type *const type = pp_type_named(name);
	const size_t prefix = strncasecmp(name, "UNKNOWN_", 8) ? 0 : 8;
	unsigned long value;
	char *end;

	if (type) {
		*number = type->number;
		return true;
	}
	if (name[prefix] < '0' || name[prefix] > '9')
		return false;
	value = strtoul(name + prefix, &end, 10);
	*number = (uint32_t)value;
	return !*end && value <= UINT32_MAX;
}

const char *types_add(void *target, const char *value)
{
	struct types *const list = target;
	char *names = strdup(value), *rest = names;
	const char *name, *problem = NULL;

	if (!names)
		cli_no_memory();
	while (!problem && (name = strsep(&rest, ","))) {
		list->numbers = cli_grow(list->numbers, list->count + 1, sizeof(*list->numbers));
		if (type_number(name, &list->numbers[list->count]))
			list->count++;
		else
			problem = strchr(value, ',') ? "has a name that is not a type of record"
						     : "is not a type of record";
	}
	free(names);
	return problem;
}

bool types_have(const struct types *list, uint32_t number)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->numbers[i] == number)
			return true;
	}
	return false;
}
