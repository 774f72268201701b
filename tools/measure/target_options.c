/* target_options.c - values of the options that say whom and where to record; what they select is the
 * library's. */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/target_options.h"

enum {
	MOST_NUMBERS = 1 << 20,       /* of processes or CPUs that ranges may stand for */
	NAME_MOST = 64,               /* bytes of a name that is shown */
};
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

/* Whether it may be the name of a program. */
static bool is_name(const char *value)
{
	return isalpha((unsigned char)*value) && !value[strspn(value, NAME_LETTERS)];
}

const char *parse_tasks(void *target, const char *value)
{
	static char text[128];
	const char *const wrong = cli_ranges(target, value);

	if (!wrong || !is_name(value) || strlen(value) > NAME_MOST)
		return wrong;
	(void)snprintf(text, sizeof(text), "is a name, not a number: use -p $(pgrep -d, %s)", value);
	return text;
}

static const char *add_user(struct users *users, const char *name)
{
	uint32_t *const more = realloc(users->items, (users->count + 1) * sizeof(*more));
	const struct passwd *user;
	uint64_t number;

	if (!more)
		cli_no_memory();
	users->items = more;
	/* a name may look like a number, and comes first */
	user = getpwnam(name);
	if (!user && (cli_u64(&number, name) || number >= UINT32_MAX))
		return "is not a user: use a name or a number";
	users->items[users->count++] = user ? user->pw_uid : (uint32_t)number;
	return NULL;
}

const char *parse_users(void *target, const char *value)
{
	const char *wrong = NULL;

	while (!wrong) {
		const size_t n = strcspn(value, ",");
		char *const name = strndup(value, n);

		if (!name)
			cli_no_memory();
		wrong = add_user(target, name);
		free(name);
		if (!value[n])
			break;
		value += n + 1;
	}
	return wrong;
}

const char *parse_cgroups(void *target, const char *value)
{
	for (;; value++) {
		const size_t n = strcspn(value, ",");
		char *const name = strndup(value, n);

		if (!name)
			cli_no_memory();
		(void)cli_add(target, name);
		value += n;
		if (!*value)
			return NULL;
	}
}

uint32_t *expand_ranges(const struct cli_ranges *ranges, const char *option, size_t *n)
{
	uint64_t total = 0;
	uint32_t *list;

	for (size_t i = 0; i < ranges->count; i++)
		total += (uint64_t)ranges->items[i].last - ranges->items[i].first + 1;
	*n = 0;
	if (!total)
		return NULL;
	if (total > MOST_NUMBERS)
		cli_misuse("%s: too many numbers", option);
	list = malloc((size_t)total * sizeof(*list));
	if (!list)
		cli_die_os("cannot keep %llu numbers", (unsigned long long)total);
	for (size_t i = 0; i < ranges->count; i++)
		for (uint64_t k = ranges->items[i].first; k <= ranges->items[i].last; k++)
			list[(*n)++] = (uint32_t)k;
	return list;
}
