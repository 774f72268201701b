/* trust.c - where the path of an output leads, through the links of those alone who may lead there. */
#include "cli/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };              /* that are followed, as in the kernel */

/* A path on the way: everything before `at` has no links. */
struct trust_way {
	char *path;
	size_t at;
	int links;
};

bool trust_is_descriptor(const char *path, int *fd)
{
	int end = 0;

	return (sscanf(path, "/proc/self/fd/%d%n", fd, &end) == 1 ||
		sscanf(path, "/dev/fd/%d%n", fd, &end) == 1) && !path[end];
}

bool trust_is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && st->st_nlink == 1;
}

/* The folder of the name at `way->at`, with its slash; "." for the one we are in.  To be freed. */
static char *folder_of(const struct trust_way *way)
{
	return way->at ? strndup(way->path, way->at) : strdup(".");
}

/* Does it belong to the user, or to who can put anything into that folder?  1, 0, or -1 and errno. */
static int is_trusted(const char *folder, const struct stat *it)
{
	struct stat st;

	if (it->st_uid == geteuid())
		return 1;
	return stat(folder, &st) ? -1 : st.st_uid == it->st_uid;
}

/* /proc/PID/root and its like: their texts are no paths. */
static bool is_of_proc(const char *folder)
{
	struct statfs fs;

	return !statfs(folder, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Puts what the link says in its place.  0, or -1 and errno. */
static int take_link(struct trust_way *way, const char *link, const char *rest)
{
	char text[PATH_MAX], *next;
	const ssize_t length = readlink(link, text, sizeof(text) - 1);
	const size_t kept = length > 0 && *text == '/' ? 0 : way->at;

	if (length < 0)
		return -1;
	if (++way->links > MAX_LINKS) {
		errno = ELOOP;
		return -1;
	}
	text[length] = '\0';
	if (asprintf(&next, "%.*s%s%s", (int)kept, way->path, text, rest) < 0) {
		errno = ENOMEM;
		return -1;
	}
	free(way->path);
	way->path = next;
	way->at = kept;
	return 0;
}

/*
 * Looks at the name at `way->at`, which ends where `rest` begins, and goes past it or where it
 * leads.  1: that is all; 0; -1, and *why or errno.
 */
static int step(struct trust_way *way, const char *name, const char *folder, const char *rest, char **why)
{
	struct stat st;
	int trusted;

	if (lstat(name, &st))
		/* that it is not there, or may not be entered, the caller will find, and say */
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 1 : -1;
	if (S_ISLNK(st.st_mode) ? *rest && is_of_proc(folder) : *rest || !S_ISFIFO(st.st_mode)) {
		way->at += strlen(name) - way->at;
		return 0;
	}
	trusted = is_trusted(folder, &st);
	if (!trusted && asprintf(why, "the %s %s is another user's", S_ISLNK(st.st_mode) ? "symbolic link" :
				 "fifo", name) < 0)
		*why = NULL;
	if (trusted <= 0)
		return -1;
	return S_ISLNK(st.st_mode) ? take_link(way, name, rest) : 1;
}

/* The next name on the way; as step(). */
static int go_on(struct trust_way *way, char **why)
{
	const size_t start = way->at + strspn(way->path + way->at, "/");
	const size_t end = start + strcspn(way->path + start, "/");
	char *name, *folder;
	int got = -1, os, fd;

	if (start == end || trust_is_descriptor(way->path, &fd))
		return 1;
	way->at = start;
	name = strndup(way->path, end);
	folder = folder_of(way);
	if (name && folder)
		got = step(way, name, folder, way->path + end, why);
	os = errno;
	free(name);
	free(folder);
	errno = os;
	return got;
}

char *trust_resolve(const char *path, char **why)
{
	struct trust_way way = { .path = strdup(path) };
	int got = way.path ? 0 : -1, os;

	*why = NULL;
	while (!got)
		got = go_on(&way, why);
	if (got > 0)
		return way.path;
	os = errno;
	free(way.path);
	errno = os;
	return NULL;
}

/* ---- opening ---- */

enum { HOW = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY };

int trust_create(const char *path, mode_t mode)
{
	return open(path, HOW | O_CREAT | O_EXCL, mode);
}

/* O_CREAT on a fifo is refused in folders like /tmp (fs.protected_fifos). */
int trust_open(const char *path, const struct stat *was)
{
	const int fd = open(path, HOW);
	struct stat st;
	int os;

	if (fd < 0)
		return -1;
	os = fstat(fd, &st) ? errno : ESTALE;
	if (os == ESTALE && st.st_dev == was->st_dev && st.st_ino == was->st_ino)
		return fd;
	close(fd);
	errno = os;
	return -1;
}
