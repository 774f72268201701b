/* target_options.h - values of the options that say whom and where to record. */
#ifndef PP_TARGET_OPTIONS_H
#define PP_TARGET_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

/* Users, by their ids. */
struct users {
	uint32_t *items;
	size_t count;
};

const char *parse_tasks(void *cli_ranges, const char *value);   /* ids of processes or threads */
const char *parse_users(void *users, const char *value);        /* names or ids, by commas */

const char *parse_cgroups(void *cli_list, const char *value);   /* paths by commas, which may be "" */

/* The numbers in the ranges, to be freed; NULL where there are none.  Exits where they are too many
 * for `option`. */
uint32_t *expand_ranges(const struct cli_ranges *, const char *option, size_t *n);

#endif
