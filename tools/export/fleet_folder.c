/* fleet_folder.c - the folder of a fleet, to which each recording adds files: another process makes them. */
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

struct fleet_question {
	enum { FLEET_OPEN, FLEET_NAME, FLEET_DROP } what;
	unsigned place;               /* of the file, among those that are open */
	char path[2048];              /* FLEET_OPEN: below the folder of the fleet */
};

/* ---- who makes files ---- */

static struct fleet_file {
	int fd, folder;
	char name[64], temporary[80];
	bool open;
	bool named;                   /* as `temporary`; else it has no name, and ends with the process */
} made[FILES];

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

static void close_made(struct fleet_file *file)
{
	if (file->named)
		(void)unlinkat(file->folder, file->temporary, 0);
	(void)close(file->fd);
	(void)close(file->folder);
	*file = (struct fleet_file){ .open = false };
}

/* Whether it is one of a table: a stream may have taken over the stage that asks. */
static bool is_of_fleet(const char *path)
{
	static const char suffix[] = ".parquet";
	const size_t length = strlen(path), n = sizeof(suffix) - 1;

	if (length <= n || strcmp(path + length - n, suffix) != 0)
		return false;
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += part != path;
		if (!*part || *part == '.' || *part == '/')
			return false;
	}
	return true;
}

/* 0, or errno; *folder: it is the folder that cannot be had. */
static int make_file(const char *top, struct fleet_file *file, const char *path, bool *folder)
{
	const char *name;
	int os;

	file->folder = open_folders(top, path, &name);
	*folder = file->folder < 0;
	if (*folder)
		return errno;
	snprintf(file->name, sizeof(file->name), "%s", name);
	snprintf(file->temporary, sizeof(file->temporary), ".%.60s.new", name);
	file->fd = open_nameless(file);
	file->open = file->fd >= 0;
	if (file->open)
		return 0;
	os = errno;
	(void)close(file->folder);
	*file = (struct fleet_file){ .open = false };
	return os;
}

/* Gives the file its name, which another may have now. */
static int name_file(struct fleet_file *file)
{
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
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

static void answer_question(void *arg, const void *question, size_t size, struct pp_deputy_answer *answer)
{
	struct fleet_question q;
	struct fleet_file *file;
	bool folder = false;

	answer->number = EINVAL;
	if (size != sizeof(q))
		return;
	memcpy(&q, question, sizeof(q));
	file = q.place < FILES ? &made[q.place] : NULL;
	if (!file || file->open == (q.what == FLEET_OPEN) || !memchr(q.path, '\0', sizeof(q.path)))
		return;
	if (q.what == FLEET_OPEN && is_of_fleet(q.path)) {
		answer->number = make_file(arg, file, q.path, &folder);
		answer->length = 1;
		answer->text[0] = folder;
		if (answer->number)
			return;
		answer->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
		answer->number = answer->fd < 0 ? errno : 0;
	} else if (q.what == FLEET_NAME) {
		answer->number = name_file(file) ? errno : 0;
		close_made(file);
	} else if (q.what == FLEET_DROP) {
		answer->number = 0;
		close_made(file);
	}
}

/* ---- who asks for them ---- */

static struct pp_deputy *deputy;
static struct pp_out outs[FILES];     /* without a buffer: not open */
static char names[FILES][64];

/* 0, or errno. */
static int ask_deputy(int what, const struct pp_out *out, const char *path, struct pp_deputy_answer *answer)
{
	struct fleet_question q = { .what = what, .place = (unsigned)(out - outs) };

	if (strlen(path) >= sizeof(q.path))
		return ENAMETOOLONG;
	(void)strcpy(q.path, path);
	if (pp_deputy_ask(deputy, &q, sizeof(q), answer))
		return errno;
	return answer->number;
}

static void close_out(struct pp_out *out)
{
	const int fd = out->fd;

	out->at = 0;
	(void)pp_out_close(out);
	(void)close(fd);
	*out = (struct pp_out){ .fd = -1 };
}

static int add_file(void *arg, const char *path, struct pp_out **out, struct pp_error *error)
{
	const char *const top = arg, *const slash = strrchr(path, '/');
	struct pp_deputy_answer answer = { .length = 0 };
	struct pp_out *place = outs;

	while (place->buf)
		place++;
	errno = ask_deputy(FLEET_OPEN, place, path, &answer);
	if (errno && answer.length && answer.text[0])
		return pp_fail_os(error, "cannot write in %s", top);
	if (errno)
		return pp_fail_os(error, "cannot write %s in %s", path, top);
	if (pp_out_open(place, answer.fd)) {
		(void)close(answer.fd);
		(void)ask_deputy(FLEET_DROP, place, "", &answer);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	snprintf(names[place - outs], sizeof(names[0]), "%s", slash ? slash + 1 : path);
	*out = place;
	return 0;
}

static int complete_file(void *arg, struct pp_out *out, struct pp_error *error)
{
	struct pp_deputy_answer answer;
	const int os = ask_deputy(FLEET_NAME, out, "", &answer);

	close_out(out);
	errno = os;
	return os ? pp_fail_os(error, "cannot write %s in %s", names[out - outs], (const char *)arg) : 0;
}

struct pp_fleet_files fleet_folder(const char *path)
{
	char *why, *const top = trust_resolve(path, &why);
	struct pp_error error;
	char text[512];

	if (!top && why)
		cli_die(EXIT_SYSTEM, "cannot write %s: %s", path, why);
	if (!top)
		cli_die_os("cannot write %s", path);
	deputy = pp_deputy_start(answer_question, top, &error);
	if (!deputy) {
		cli_error_text(&error, text, sizeof(text));
		cli_die(EXIT_SYSTEM, "%s", text);
	}
	return (struct pp_fleet_files){
		.size = sizeof(struct pp_fleet_files), .open = add_file, .close = complete_file, .arg = top,
	};
}

void fleet_folder_close(void)
{
	struct pp_deputy_answer answer;

	for (struct pp_out *out = outs; out < outs + FILES; out++) {
		if (!out->buf)
			continue;
		close_out(out);
		(void)ask_deputy(FLEET_DROP, out, "", &answer);
	}
}
