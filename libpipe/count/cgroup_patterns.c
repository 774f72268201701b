/* cgroup_patterns.c - control groups by their names or by patterns of them. */
#include "count/counting.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 20 };                /* folders in folders; perf looks as deep */

static int add(struct pp_names *names, const char *name, struct pp_error *error)
{
	char *const text = strdup(name);

	if (!text || PP_GROW(&names->items, &names->room, names->n + 1, NULL)) {
		free(text);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	names->items[names->n++] = text;
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !pp_file_stat(path, &st) && S_ISDIR(st.st_mode);
}

/* All groups at and below this one, by their paths from the mount; of the root it is "/". */
static int list(struct pp_names *to, const char *mount, const char *name, int depth,
		struct pp_error *error)
{
	char path[2 * PP_PATH], below[PP_PATH];
	struct pp_names names;
	int status = add(to, *name ? name : "/", error);

	(void)snprintf(path, sizeof(path), "%s/%s", mount, name);
	if (status || depth == DEEPEST || pp_names_read(&names, path, NULL))
		return status;
	for (size_t i = 0; i < names.n && !status; i++) {
		(void)snprintf(below, sizeof(below), "%s%s%s", name, *name ? "/" : "", names.items[i]);
		(void)snprintf(path, sizeof(path), "%s/%s", mount, below);
		if (names.items[i][0] != '.' && is_folder(path))
			status = list(to, mount, below, depth + 1, error);
	}
	pp_names_free(&names);
	return status;
}

static int match(struct pp_names *to, const struct pp_names *all, const char *pattern,
		 struct pp_error *error)
{
	const size_t before = to->n;
	char why[128];
	regex_t regex;
	int status = regcomp(&regex, pattern, REG_NOSUB);

	if (status) {
		(void)regerror(status, &regex, why, sizeof(why));
		return pp_fail(error, PP_E_USE, "'%.80s' is no pattern: %.80s", pattern, why);
	}
	for (size_t i = 0; i < all->n && !status; i++)
		if (!regexec(&regex, all->items[i], 0, NULL, 0))
			status = add(to, all->items[i], error);
	regfree(&regex);
	if (!status && to->n == before)
		return pp_fail(error, PP_E_USE, "no control group matches '%.80s'", pattern);
	return status;
}

/* As perf: where one has a character of patterns, all are patterns. */
static bool are_patterns(const char *const *asked, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strpbrk(asked[i], "{}[]()|*+?^$"))
			return true;
	return false;
}

int pp_counting_groups(struct pp_names *to, const char *const *asked, size_t n,
		       struct pp_error *error)
{
	struct pp_names all = { .n = 0 };
	char mount[PP_PATH];
	int status = 0;

	*to = (struct pp_names){ .n = 0 };
	if (!are_patterns(asked, n)) {
		for (size_t i = 0; i < n && !status; i++)
			status = *asked[i] ? add(to, asked[i], error) : 0;
		return status;
	}
	status = pp_cgroup_mount(mount, error) || list(&all, mount, "", 0, error);
	for (size_t i = 0; i < n && !status; i++)
		status = *asked[i] ? match(to, &all, asked[i], error) : 0;
	pp_names_free(&all);
	return status ? -1 : 0;
}

int pp_counting_each_cgroup(void (*fn)(void *arg, const char *name), void *arg, struct pp_error *error)
{
	struct pp_names all = { .n = 0 };
	char mount[PP_PATH];
	const int status = pp_cgroup_mount(mount, error) || list(&all, mount, "", 0, error);

	for (size_t i = 0; !status && i < all.n; i++)
		fn(arg, all.items[i]);
	pp_names_free(&all);
	return status ? -1 : 0;
}
