/* perf_map.c - reads the list of code that a process made: perf-PID.map in /tmp of its own mount
 * namespace while it lives, else of this one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/spool.h"
#include "model/elf.h"
#include "symbol/kernel.h"

enum { MOST = 1 << 28, RANK = 1 };    /* bytes of such a file */

/* The number that a process has for itself: the last of its namespaces. */
static uint32_t own_number(uint32_t pid)
{
	char status[4096];
	const char *line, *last;

	if (pp_file_text(status, sizeof(status), "/proc/%" PRIu32 "/status", pid) < 0)
		return pid;
	line = strstr(status, "\nNStgid:");
	if (!line)
		return pid;
	line += strlen("\nNStgid:");
	last = line;
	for (; *line && *line != '\n'; line++)
		if (*line == '\t' || *line == ' ')
			last = line + 1;
	return (uint32_t)strtoul(last, NULL, 10);
}

/* *fd: the file, or -1.  An enum pp_elf, or -1 and errno. */
static int open_map(struct pp_finder *finder, const char *root, const char *path, int *fd)
{
	const struct pp_elf_file file = { .root = root, .path = path };
	const int got = pp_regular_open(&file, 1, fd);
	struct stat st;

	if (got == PP_ELF_SPECIAL)
		pp_finder_say(finder, path, "%s: not used: not a regular file", path);
	if (got != PP_ELF_FOUND) {
		*fd = -1;
		return got;
	}
	if (fstat(*fd, &st)) {
		const int os = errno;

		close(*fd);
		*fd = -1;
		errno = os;
		return -1;
	}
	/* in /tmp anybody may have written it */
	if ((!st.st_uid || st.st_uid == geteuid() || !geteuid()) && st.st_size <= MOST)
		return got;
	pp_finder_say(finder, path, "%s: not used: it is another user's, or too long", path);
	close(*fd);
	*fd = -1;
	return PP_ELF_SPECIAL;
}

/* Of the process's own mount namespace first. */
int pp_perf_map_find(struct pp_finder *finder, const char *root, uint32_t pid, int *fd,
		     struct pp_error *error)
{
	char own[32], path[64];
	int got;

	(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", root ? pid : own_number(pid));
	(void)snprintf(own, sizeof(own), "/proc/%" PRIu32 "/root", pid);
	got = open_map(finder, root ? root : own, path, fd);
	if (!root && got != PP_ELF_FOUND && got != PP_ELF_SPECIAL && !(got < 0 && pp_lacking(errno))) {
		(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
		got = open_map(finder, NULL, path, fd);
	}
	return got < 0 && pp_lacking(errno) ? pp_fail_os(error, "cannot read %s", path) : 0;
}

/* "START SIZE name", both numbers hexadecimal. */
static int note_line(struct pp_symtab *to, char *line)
{
	char *at;
	uint64_t start, size;

	start = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return 0;
	line = at + 1;
	size = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1])
		return 0;
	return pp_symtab_add(to, start, size, RANK, at + 1, strlen(at + 1));
}

int pp_perf_map_read(struct pp_symtab *to, struct pp_finder *finder, uint32_t pid, struct pp_error *error)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	struct pp_found_file found;
	int failed = 0;
	FILE *file;

	if (pp_finder_code(finder, pid, &found, error) < 0)
		return -1;
	file = found.fd >= 0 ? fdopen(found.fd, "r") : NULL;
	if (found.fd >= 0 && !file) {
		close(found.fd);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	errno = 0;
	while (file && !failed && (length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		failed = note_line(to, line);
	}
	if (file && !failed && (ferror(file) || errno == ENOMEM))
		failed = pp_fail_os(error, "cannot read the list of code of process %" PRIu32, pid);
	else if (failed)
		pp_fail(error, PP_E_NOMEM, NULL);
	free(line);
	if (file)
		(void)fclose(file);
	if (failed)
		return -1;
	pp_symtab_sort(to);
	return 0;
}
