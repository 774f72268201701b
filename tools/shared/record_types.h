/* record_types.h - lists of record types, as options name them. */
#ifndef PP_RECORD_TYPES_H
#define PP_RECORD_TYPES_H

#include "cli/cli.h"

struct types {
	uint32_t *numbers;            /* lives as long as the process */
	size_t count;
};

/* Adds "sample,comm": names in any case, "UNKNOWN_113" as it is shown, or "113".  For OPT_TYPES. */
const char *types_add(void *target, const char *value);
bool types_have(const struct types *, uint32_t number);

#define OPT_TYPES(letter, name, p, help) \
	{ OPTION_VALUE, letter, name, "TYPES", help, types_add, CLI_TARGET(struct types, p), 0, 0 }

#endif
