/*
 * reading_deputy.c - a deputy that opens files for reading, and folders, at or below some paths.  It compares
 * paths as text, so that links in them lead where they led before.
 */
#include "base/procfs.h"
#include "sandbox/deputy.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

struct readable_paths { const char *const *below; size_t n; };

struct reading_question {
	int flags;
	char path[PP_PATH];
};

/* ---- the deputy ---- */

/* Takes the last name of a path away, of which the root has none.  False: it is empty or ends with "..", so
 * that one more has to be added; no path from the root does. */
static bool drop_name(char *path, size_t *length)
{
	size_t at = *length;

	while (at && path[at - 1] != '/')
		at--;
	if (!*length || !strcmp(path + at, ".."))
		return false;
	at -= at > 1;
	path[*length = at] = '\0';
	return true;
}

/* A path without "." and names that ".." takes back, and with single slashes; "" is this folder. */
static void shorten_path(char to[PP_PATH], const char *path)
{
	size_t length = *path == '/' ? 1 : 0, n;

	(void)strcpy(to, length ? "/" : "");
	for (; *(path += strspn(path, "/")); path += n) {
		n = strcspn(path, "/");
		if (n == 1 && *path == '.')
			continue;
		if (n == 2 && !strncmp(path, "..", 2) && drop_name(to, &length))
			continue;
		if (length && to[length - 1] != '/')
			to[length++] = '/';
		memcpy(to + length, path, n);
		to[length += n] = '\0';
	}
}

static bool is_at_or_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	if (!length)
		return *path != '/' && strcmp(path, "..") != 0 && strncmp(path, "../", 3) != 0;
	return !strncmp(path, folder, length) &&
	       (!path[length] || path[length] == '/' || folder[length - 1] == '/');
}

static void open_for_stage(void *arg, const void *question, size_t size, struct pp_deputy_answer *answer)
{
	const struct readable_paths *const may = arg;
	char path[PP_PATH], folder[PP_PATH], rooted[PP_PATH];
	struct reading_question q;

	answer->number = EACCES;
	if (size <= offsetof(struct reading_question, path) || size > sizeof(q))
		return;
	memset(&q, 0, sizeof(q));
	memcpy(&q, question, size);
	if (!memchr(q.path, '\0', sizeof(q.path)))
		return;
	shorten_path(path, q.path);
	for (size_t i = 0; i < may->n && answer->number == EACCES; i++) {
		if (strlen(may->below[i]) >= sizeof(folder))
			continue;
		shorten_path(folder, may->below[i]);
		if (!is_at_or_below(path, folder))
			continue;
		answer->fd = open(pp_rooted(rooted, q.path),
				  O_RDONLY | O_CLOEXEC | O_NOCTTY | (q.flags & (O_PATH | O_DIRECTORY)));
		answer->number = answer->fd < 0 ? errno : 0;
		return;
	}
}

/* ---- who asks it ---- */

static int ask_for_file(void *arg, const char *path, int flags)
{
	struct pp_deputy_answer answer;
	struct reading_question q = { .flags = flags };
	const size_t length = strlen(path);

	if (length >= sizeof(q.path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(q.path, path, length + 1);
	if (pp_deputy_ask(arg, &q, offsetof(struct reading_question, path) + length + 1, &answer))
		return -1;
	errno = answer.number;
	return answer.fd;
}

struct pp_deputy *pp_deputy_reading(const char *const *below, size_t n, struct pp_error *error)
{
	/* it has a copy of its own */
	struct readable_paths may = { below, n };
	struct pp_deputy *const d = pp_deputy_start(open_for_stage, &may, error);

	if (!d)
		return NULL;
	d->reads = true;
	pp_files_open_by(ask_for_file, d);
	return d;
}
