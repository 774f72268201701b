/* ring_output.c - files that have their names once they are complete, and `.part` after them until then. */
#include "ring/ring_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/timed_names.h"
#include "cli/trust.h"

enum { OWN_MODE = 0600 };

const char *ring_output_name(const struct ring_output *o)
{
	return o->name ? o->name : o->pattern ? o->pattern : "standard output";
}

/* A device or fifo is written as it is.  Whether it is one. */
static bool open_special(struct ring_output *o)
{
	char *why = NULL, *const path = trust_resolve(o->pattern, &why);
	struct stat was;

	if (!path && why)
		cli_die(EXIT_SYSTEM, "cannot write %s: %s", o->pattern, why);
	if (!path)
		cli_die_os("cannot write %s", o->pattern);
	if (lstat(path, &was) || S_ISREG(was.st_mode)) {
		free(path);
		return false;
	}
	o->fd = trust_is_descriptor(path, &o->fd) ? open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) :
		trust_open(path, &was);
	if (o->fd < 0)
		cli_die_os("cannot write %s", o->pattern);
	free(path);
	return true;
}

void ring_output_open(struct ring_output *o)
{
	const char *slash;

	o->fd = STDOUT_FILENO;
	if (!o->pattern || !strcmp(o->pattern, "-"))
		o->pattern = NULL;
	if (!o->pattern || open_special(o)) {
		cli_refuse_terminal(o->fd);
		return;
	}
	o->fd = -1;
	slash = strrchr(o->pattern, '/');
	if (!slash)
		o->folder = strdup(".");
	else
		o->folder = strndup(o->pattern, slash == o->pattern ? 1 : (size_t)(slash - o->pattern));
	if (!o->folder)
		cli_no_memory();
	if (strchr(o->folder, '%'))
		cli_misuse("--output: the folder of '%s' has to be one, without %%", o->pattern);
	if (access(o->folder, W_OK | X_OK))
		cli_die_os("cannot write to folder %s", o->folder);
}

/* Closes and removes a file that is not complete.  Safe at exit. */
static void remove_part(struct ring_output *o)
{
	if (o->fd >= 0)
		(void)close(o->fd);
	if (unlink(o->part))
		cli_say("%s is incomplete: it cannot be removed: %s", o->part, strerror(errno));
	free(o->part);
	free(o->name);
	o->name = o->part = NULL;
	o->fd = -1;
}

/* Whether there is something of that name, in a folder where a file could be made; else errno, ENOENT where
 * there is none.  The sandbox permits no stat(). */
static bool is_taken(const char *name)
{
	const int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0) {
		(void)close(fd);
		return true;
	}
	/* a link, a folder, a fifo without a reader, a file without permission or that runs */
	return errno == ELOOP || errno == EISDIR || errno == ENXIO || errno == EACCES || errno == EPERM ||
	       errno == EROFS || errno == ETXTBSY;
}

/* Makes the file unless the name, which is then freed, or that of its part is taken.  Only who has made the
 * part looks for the name, so that no other pp-ring gives it away in between. */
static bool make_part(struct ring_output *o, char *name)
{
	char *part;
	int fd;

	if (asprintf(&part, "%s.part", name) < 0)
		cli_no_memory();
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, OWN_MODE);
	if (fd < 0) {
		if (errno != EEXIST)
			cli_die_os("cannot write %s", part);
		free(part);
		free(name);
		return false;
	}
	o->fd = fd;
	o->name = name;
	o->part = part;
	if (is_taken(name)) {
		remove_part(o);
		return false;
	}
	if (errno != ENOENT)
		cli_die_os("cannot write %s", name);
	return true;
}

void ring_output_begin(struct ring_output *o, time_t when, uint64_t number)
{
	const struct timed_pattern pattern = { .text = o->pattern, .numbers = "u" };
	char *name;

	if (!o->folder)
		return;
	name = timed_name(&pattern, when, number);
	if (!name)
		cli_die_os("cannot write %s", o->pattern);
	for (unsigned n = 0; n < SAME_NAMES; n++) {
		char *const nth = timed_name_nth(name, n);

		if (!nth)
			cli_no_memory();
		if (make_part(o, nth)) {
			free(name);
			return;
		}
	}
	errno = EEXIST;
	cli_die_os("cannot write %s", name);
}

void ring_output_finish(struct ring_output *o)
{
	const int fd = o->fd;

	if (!o->folder)
		return;
	o->fd = -1;
	if (close(fd))
		cli_die_os("cannot write %s", o->part);
	if (rename(o->part, o->name))
		cli_die_os("cannot rename %s", o->part);
	free(o->part);
	free(o->name);
	o->name = o->part = NULL;
}

void ring_output_discard(struct ring_output *o)
{
	if (o->part)
		remove_part(o);
}
