/* fleet_folder.c - the folder of a fleet, to which each recording adds files. */
#include "export/fleet_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/trust.h"

enum {
	FILES    = 4,                 /* that are open at a time */
	OWN_FILE = 0600, OWN_FOLDER = 0700,   /* recordings hold addresses of the kernel and command lines */
};

static struct fleet_file {
	struct pp_out out;            /* without a buffer: the file is closed */
	int folder;
	char name[64], temporary[80];
	bool named;                   /* as `temporary`; else it has no name, and ends with the process */
} files[FILES];

/* The folder below another, made if need be; a link is refused.  -1 and errno. */
static int open_folder(int at, const char *name)
{
	if (mkdirat(at, name, OWN_FOLDER) && errno != EEXIST)
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The one that a file is in, by its path below `top`; *name is that of the file.  -1 and errno. */
static int open_folders(const char *top, const char *path, const char **name)
{
	int folder = open_folder(AT_FDCWD, top);

	for (const char *slash; folder >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		char part[512];
		int below;

		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		below = open_folder(folder, part);
		(void)close(folder);
		folder = below;
	}
	*name = path;
	return folder;
}

/* Where the file system has no files without a name, it has another name until it is complete. */
static int open_nameless(struct fleet_file *file)
{
	const int fd = openat(file->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, OWN_FILE);

	file->named = fd < 0;
	if (fd >= 0)
		return fd;
	return openat(file->folder, file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		      OWN_FILE);
}

static void close_file(struct fleet_file *file)
{
	if (file->named)
		(void)unlinkat(file->folder, file->temporary, 0);
	if (file->out.buf) {
		file->out.at = 0;
		(void)pp_out_close(&file->out);
	}
	(void)close(file->out.fd);
	(void)close(file->folder);
	*file = (struct fleet_file){ .folder = -1 };
}

static int add_file(void *arg, const char *path, struct pp_out **out, struct pp_error *error)
{
	const char *const top = arg, *name;
	struct fleet_file *file = files;
	int fd;

	while (file->out.buf)
		file++;
	file->folder = open_folders(top, path, &name);
	if (file->folder < 0)
		return pp_fail_os(error, "cannot write in %s", top);
	snprintf(file->name, sizeof(file->name), "%s", name);
	snprintf(file->temporary, sizeof(file->temporary), ".%.60s.new", name);
	fd = open_nameless(file);
	if (fd < 0) {
		(void)pp_fail_os(error, "cannot write %s in %s", path, top);
		(void)close(file->folder);
		return -1;
	}
	if (pp_out_open(&file->out, fd)) {
		close_file(file);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	*out = &file->out;
	return 0;
}

/* Gives the file its name, which another may have now. */
static int name_file(struct fleet_file *file)
{
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->out.fd);
	if (!file->named) {
		(void)unlinkat(file->folder, file->temporary, 0);
		if (linkat(AT_FDCWD, link, file->folder, file->temporary, AT_SYMLINK_FOLLOW))
			return -1;
	}
	file->named = true;
	if (renameat(file->folder, file->temporary, file->folder, file->name))
		return -1;
	file->named = false;
	return 0;
}

static int complete_file(void *arg, struct pp_out *out, struct pp_error *error)
{
	struct fleet_file *file = files;
	int failed;

	while (&file->out != out)
		file++;
	failed = name_file(file);
	if (failed)
		(void)pp_fail_os(error, "cannot write %s in %s", file->name, (const char *)arg);
	close_file(file);
	return failed;
}

struct pp_fleet_files fleet_folder(const char *path)
{
	char *why, *const top = trust_resolve(path, &why);

	if (!top && why)
		cli_die(EXIT_SYSTEM, "cannot write %s: %s", path, why);
	if (!top)
		cli_die_os("cannot write %s", path);
	return (struct pp_fleet_files){
		.size = sizeof(struct pp_fleet_files), .open = add_file, .close = complete_file, .arg = top,
	};
}

void fleet_folder_close(void)
{
	for (struct fleet_file *file = files; file < files + FILES; file++)
		if (file->out.buf)
			close_file(file);
}
