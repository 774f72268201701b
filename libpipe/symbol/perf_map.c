/* perf_map.c - reads the list of code that a process made: perf-PID.map in /tmp of its own mount
 * namespace while it lives, else of this one. */
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

static int open_map(struct pp_finder *finder, const char *root, uint32_t pid)
{
	char own[32], path[64];
	struct pp_elf_file file = { .root = root, .path = path };
	struct stat st;
	int fd, got;

	(void)snprintf(own, sizeof(own), "/proc/%" PRIu32 "/root", pid);
	(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", root ? pid : own_number(pid));
	if (!root)
		file.root = own;
	got = pp_regular_open(&file, 1, &fd);
	if (got != PP_ELF_FOUND && got != PP_ELF_SPECIAL && !root) {
		file.root = NULL;
		(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", pid);
		got = pp_regular_open(&file, 1, &fd);
	}
	if (got == PP_ELF_SPECIAL)
		pp_finder_say(finder, path, "%s: not used: not a regular file", path);
	if (got != PP_ELF_FOUND)
		return -1;
	/* in /tmp anybody may have written it */
	if (!fstat(fd, &st) && (!st.st_uid || st.st_uid == geteuid() || !geteuid()) && st.st_size <= MOST)
		return fd;
	pp_finder_say(finder, path, "%s: not used: it is another user's, or too long", path);
	close(fd);
	return -1;
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

int pp_perf_map_read(struct pp_symtab *to, struct pp_finder *finder, const char *root, uint32_t pid,
		     struct pp_error *error)
{
	const int fd = open_map(finder, root, pid);
	FILE *const file = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int failed = 0;

	if (fd >= 0 && !file) {
		close(fd);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	while (file && !failed && (length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		failed = note_line(to, line);
	}
	free(line);
	if (file)
		(void)fclose(file);
	if (failed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_symtab_sort(to);
	return 0;
}
