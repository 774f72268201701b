/* cache_file.c - files that are kept from one run to the next: read where they are the user's own, written as
 * a whole.  What hinders either is no failure: then nothing is kept. */
#include "image/cache_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/procfs.h"
#include "base/spool.h"

/* A file of the folder, with something after its name. */
static bool path_in(const char *folder, const char *name, const char *after, char path[PP_PATH])
{
	return snprintf(path, PP_PATH, "%s/%s%s", folder, name, after) < PP_PATH;
}

/* ---- Whose folder it is ---- */

static bool is_trusted(uid_t owner)
{
	return !owner || owner == geteuid();
}

bool pp_cache_file_own(const char *folder)
{
	struct stat link, st;

	return !lstat(folder, &link) && is_trusted(link.st_uid) && !stat(folder, &st) &&
	       is_trusted(st.st_uid) && S_ISDIR(st.st_mode);
}

/* The folder that one is in: false if it is in none that is named. */
static bool above(const char *folder, char parent[PP_PATH])
{
	const char *const slash = strrchr(folder, '/');

	if (!slash || slash == folder || slash - folder >= PP_PATH)
		return false;
	memcpy(parent, folder, (size_t)(slash - folder));
	parent[slash - folder] = '\0';
	return true;
}

/*
 * Is this folder the user's own, and nowhere that others could put another in its place?  With `make` it is
 * made, and the one that it is in, which a new home has not: in no folder of others.
 */
static bool is_own(const char *folder, bool make)
{
	char parent[PP_PATH], home[PP_PATH];
	struct stat st;

	if (!above(folder, parent))
		return false;
	if (above(parent, home)) {
		if (!pp_cache_file_own(home))
			return false;
		if (make)
			(void)mkdir(parent, 0700);
	}
	if (!pp_cache_file_own(parent))
		return false;
	if (make)
		(void)mkdir(folder, 0700);
	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- One file ---- */

void *pp_cache_file_map(const char *folder, const char *name, size_t least, size_t most, size_t *size)
{
	void *mapped = MAP_FAILED;
	char path[PP_PATH];
	struct stat st;
	int fd;

	if (!path_in(folder, name, "", path) || !is_own(folder, false))
		return NULL;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH)) && st.st_size >= (off_t)least && st.st_size <= (off_t)most) {
		*size = (size_t)st.st_size;
		mapped = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	}
	(void)close(fd);
	return mapped == MAP_FAILED ? NULL : mapped;
}

static bool write_all(int fd, const struct pp_cache_file_part *parts, size_t n, size_t most)
{
	struct rlimit limit;
	uint64_t size = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		size += parts[i].size;
	/* larger than files may be: that would end the process */
	if (size > most || getrlimit(RLIMIT_FSIZE, &limit) || size > limit.rlim_cur)
		return false;
	for (size_t i = 0; i < n; at += parts[i++].size)
		if (pp_write_at(fd, parts[i].data, parts[i].size, at))
			return false;
	return true;
}

bool pp_cache_file_write(const char *folder, const char *name, const struct pp_cache_file_part *parts,
			 size_t n, size_t most)
{
	char path[PP_PATH], made[PP_PATH];
	bool whole;
	int fd;

	if (!path_in(folder, name, "", path) || !path_in(folder, name, ".XXXXXX", made) ||
	    !is_own(folder, true))
		return false;
	fd = mkostemp(made, O_CLOEXEC);
	if (fd < 0)
		return false;
	whole = write_all(fd, parts, n, most);
	if (!close(fd) && whole && !rename(made, path))
		return true;
	(void)unlink(made);
	return false;
}

/* ---- Keeping within bounds ---- */

struct kept_one {
	struct timespec written;
	uint64_t size;
	char name[NAME_MAX + 1];
};

static int by_age(const void *a, const void *b)
{
	const struct timespec x = ((const struct kept_one *)a)->written,
			      y = ((const struct kept_one *)b)->written;

	return x.tv_sec != y.tv_sec ? (x.tv_sec > y.tv_sec) - (x.tv_sec < y.tv_sec) :
				      (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

void pp_cache_file_trim(const char *folder, const char *prefix, uint64_t most)
{
	DIR *const dir = is_own(folder, false) ? opendir(folder) : NULL;
	struct kept_one *all = NULL;
	size_t n = 0, room = 0;
	uint64_t size = 0;

	for (const struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;

		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (PP_GROW(&all, &room, n + 1, NULL))
			break;
		all[n] = (struct kept_one){ .written = st.st_mtim, .size = (uint64_t)st.st_size };
		memcpy(all[n].name, e->d_name, strlen(e->d_name) + 1);
		size += all[n++].size;
	}
	if (size > most)
		qsort(all, n, sizeof(*all), by_age);
	for (size_t i = 0; i < n && size > most; i++) {
		(void)unlinkat(dirfd(dir), all[i].name, 0);
		size -= all[i].size;
	}
	free(all);
	if (dir)
		(void)closedir(dir);
}
