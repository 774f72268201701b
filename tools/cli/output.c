/* output.c - the output file of a tool. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/trust.h"

enum {
	NAME_LENGTH = 200,	/* bytes of a file's name that its temporary repeats */
	OWN_MODE    = 0600,	/* as perf does: recordings hold addresses of the kernel and command lines */
};

static struct {
	int fd;
	bool open;
	const char *shown;	/* for messages */
	char *name;		/* without symbolic links; NULL: standard output */
	mode_t mode;		/* of a new file */
	char *path;		/* the name it will have, where it has another now */
	char *temporary;	/* the name it has */
	bool caught;		/* signals, and exits, once for all that are opened */
	bool in_place;		/* that name is for good, once there is something in it */
	volatile sig_atomic_t pending;	/* the temporary file is there */
} output;

/* ---- while the temporary file is there ---- */

static void remove_temporary(void)
{
	struct stat status;

	if (!output.pending)
		return;
	if (!output.in_place || (fstat(output.fd, &status) == 0 && status.st_size == 0))
		unlink(output.temporary);
	output.pending = 0;
}

void output_die(int number)
{
	sigset_t only;

	remove_temporary();
	signal(number, SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, number);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(number);
}

/* Signals that were ignored stay so (nohup), and those that the tool handles are its own. */
static void catch_signals(void)
{
	static const int numbers[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction action;

		sigaction(numbers[i], NULL, &action);
		if (action.sa_handler != SIG_DFL)
			continue;
		action.sa_handler = output_die;
		action.sa_flags = 0;
		sigemptyset(&action.sa_mask);
		sigaction(numbers[i], &action, NULL);
	}
}

/* ---- opening ---- */

static void __attribute__((noreturn)) cannot_write(void)
{
	cli_die_os("cannot write %s", output.shown);
}

void output_failed(int os)
{
	errno = os ? os : EIO;
	cannot_write();
}

/* The directory of `path`, with its slash; "" for the one we are in.  To be freed. */
static char *directory_of(const char *path)
{
	const char *const slash = strrchr(path, '/');
	char *const directory = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);

	if (!directory)
		cannot_write();
	return directory;
}

/* The name after resolving all symbolic links, whether the file exists or not.  To be freed. */
static char *resolve(const char *path)
{
	char *why, *const name = trust_resolve(path, &why);

	if (!name && why)
		cli_die(EXIT_SYSTEM, "cannot write %s: %s", output.shown, why);
	if (!name)
		cannot_write();
	return name;
}

static void open_as_it_is(const char *path, const struct stat *was)
{
	output.fd = trust_open(path, was);
	if (output.fd < 0)
		cannot_write();
}

/* What took an hour to record is not lost to a command that is given again. */
static void keep_old(const char *path)
{
	char *old;

	if (asprintf(&old, "%s.old", path) < 0)
		cannot_write();
	if (rename(path, old) < 0)
		cli_die_os("cannot rename %s to %s", output.shown, old);
	free(old);
}

/* An empty file is filled, as of mktemp(1), if it is the user's alone. */
static void open_in_place(const char *path, const struct stat *was)
{
	if (was && !was->st_size && trust_is_own(was)) {
		open_as_it_is(path, was);
		return;
	}
	if (was)
		keep_old(path);
	output.fd = trust_create(path, OWN_MODE);
	if (output.fd < 0)
		cannot_write();
	output.temporary = strdup(path);
	if (!output.temporary)
		cannot_write();
	output.in_place = true;
	output.pending = true;
	atexit(remove_temporary);
}

static mode_t mode_of_new_file(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return OWN_MODE & ~mask;
}

/* Makes the temporary file: under a new name, or again under the one that it had. */
static void make_temporary(bool again)
{
	sigset_t all, before;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	output.fd = again ? trust_create(output.temporary, output.mode) :
			    mkostemp(output.temporary, O_CLOEXEC);
	output.pending = output.fd >= 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (output.fd < 0 || fchmod(output.fd, output.mode) < 0)
		cannot_write();
}

static void open_temporary(const char *path, mode_t mode)
{
	char *const directory = directory_of(path);
	const char *const name = path + strlen(directory);

	if (!*name) {
		errno = *directory ? EISDIR : ENOENT;
		cannot_write();
	}
	/* the output may be opened anew */
	free(output.path);
	free(output.temporary);
	output.temporary = NULL;
	output.path = strdup(path);
	if (!output.path ||
	    asprintf(&output.temporary, "%s.%.*s.XXXXXX", directory, NAME_LENGTH, name) < 0)
		cannot_write();
	free(directory);
	if (!output.caught)
		atexit(remove_temporary);
	output.caught = true;
	catch_signals();
	output.mode = mode;
	make_temporary(false);
}

static void open_path(const char *path, bool in_place)
{
	struct stat status;
	const bool exists = lstat(path, &status) == 0;

	if (!exists && errno != ENOENT)
		cannot_write();
	if (exists && !S_ISREG(status.st_mode)) {
		open_as_it_is(path, &status);
		return;
	}
	if (in_place) {
		open_in_place(path, exists ? &status : NULL);
		return;
	}
	/* The directory's permission would do for a rename; what > refuses is refused. */
	if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		cannot_write();
	/* The mode that another gave is not one that we chose. */
	open_temporary(path, exists && trust_is_own(&status) ? status.st_mode & 0777 : mode_of_new_file());
}

/* Writes to a descriptor that this process has already. */
static void open_duplicate(int fd)
{
	output.fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (output.fd < 0)
		cannot_write();
}

int output_open(const char *path, bool in_place)
{
	int fd;

	messages.at_death = output_close;
	output.open = true;
	output.fd = STDOUT_FILENO;
	output.shown = path && strcmp(path, "-") ? path : "standard output";
	if (output.shown != path)
		return output.fd;
	free(output.name);
	output.name = resolve(path);
	if (trust_is_descriptor(output.name, &fd))
		open_duplicate(fd);
	else
		open_path(output.name, in_place);
	return output.fd;
}

int output_again(void)
{
	const bool temporary = output.pending;
	struct stat was;
	int fd;

	if (fstat(output.fd, &was) < 0)
		cannot_write();
	output_close(EXIT_DONE);
	output.open = true;
	if (temporary)
		make_temporary(true);
	else if (trust_is_descriptor(output.name, &fd))
		open_duplicate(fd);
	else
		open_as_it_is(output.name, &was);
	return output.fd;
}

int output_beside(void)
{
	char *own;

	if (asprintf(&own, "%s.%ld", output.temporary, (long)getpid()) < 0)
		cannot_write();
	output.pending = 0;
	free(output.temporary);
	output.temporary = own;
	make_temporary(true);
	return output.fd;
}

void output_is(int fd, const char *shown)
{
	output.fd = fd;
	output.shown = shown;
	output.open = false;
	output.pending = 0;
}

/* The folder of a file, "." for the one we are in.  To be freed. */
static char *folder_path(const char *path)
{
	char *folder = directory_of(path);

	if (*folder)
		return folder;
	free(folder);
	folder = strdup(".");
	if (!folder)
		cannot_write();
	return folder;
}

char *output_folder(void)
{
	return output.pending ? folder_path(output.temporary) : NULL;
}

char *output_folder_again(void)
{
	int fd;

	return output.name && !trust_is_descriptor(output.name, &fd) ? folder_path(output.name) : NULL;
}

/* ---- closing ---- */

/* Some file systems report only now that the bytes did not fit. */
static bool closed_well(void)
{
	return close(output.fd) == 0;
}

void output_close(int status)
{
	const bool keep = status == EXIT_DONE || status == EXIT_NO || status == EXIT_DAMAGED;

	if (!output.open)
		return;
	output.open = false;
	if (keep && output.fd == STDOUT_FILENO && fflush(stdout))
		cannot_write();
	if (keep && !closed_well())
		cannot_write();
	if (keep && output.pending) {
		if (!output.in_place && rename(output.temporary, output.path) < 0)
			cannot_write();
		output.pending = 0;
	}
	remove_temporary();
}
