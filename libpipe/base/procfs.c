/* procfs.c - reading /proc and /sys. */
#include "base/procfs.h"
#include "base/array.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 16384 };               /* bytes of a file, to begin with */

static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const ssize_t n = read(fd, buf + at, size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		at += (size_t)n;
	}
	return (ssize_t)at;
}

static struct {
	pp_opener_fn *fn;
	void *arg;
} opener;

void pp_files_open_by(pp_opener_fn *fn, void *arg)
{
	opener.fn = fn;
	opener.arg = arg;
}

int pp_file_open(const char *path, int flags)
{
	char rooted[PP_PATH];

	if (opener.fn)
		return opener.fn(opener.arg, path, flags);
	return open(pp_rooted(rooted, path), flags);
}

bool pp_lacking(int os)
{
	return os == ENOMEM || os == EMFILE || os == ENFILE || os == EIO;
}

static long text_of(char *buf, size_t size, const char *path)
{
	const int before = errno, fd = pp_file_open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) {
		if (pp_lacking(before))
			errno = before;
		return -1;
	}
	n = read_all(fd, buf, size - 1);
	(void)close(fd);
	if (n < 0)
		return -1;
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return n;
}

long pp_file_text(char *buf, size_t size, const char *path, ...)
{
	char full[PP_PATH];
	va_list args;

	va_start(args, path);
	(void)vsnprintf(full, sizeof(full), path, args);
	va_end(args);
	return text_of(buf, size, full);
}

uint64_t pp_file_u64(uint64_t otherwise, const char *path, ...)
{
	char full[PP_PATH], text[64], *end;
	uint64_t value;
	va_list args;

	va_start(args, path);
	(void)vsnprintf(full, sizeof(full), path, args);
	va_end(args);
	if (text_of(text, sizeof(text), full) <= 0)
		return otherwise;
	value = (uint64_t)strtoull(text, &end, 0);
	return end == text ? otherwise : value;
}

int pp_file_stat(const char *path, struct stat *st)
{
	char rooted[PP_PATH];
	int fd, status;

	if (!opener.fn)
		return stat(pp_rooted(rooted, path), st);
	fd = opener.fn(opener.arg, path, O_PATH | O_CLOEXEC);
	status = fd < 0 ? -1 : fstat(fd, st);
	if (fd >= 0)
		(void)close(fd);
	return status;
}

long pp_link_text(char *buf, size_t size, const char *path)
{
	char rooted[PP_PATH];
	const ssize_t n = readlink(pp_rooted(rooted, path), buf, size - 1);

	if (n >= 0)
		buf[n] = '\0';
	return n;
}

bool pp_in_pid_namespace(void)
{
	static const char first[] = "pid:[4026531836]";
	char text[64];

	return pp_link_text(text, sizeof(text), "/proc/self/ns/pid") > 0 && strcmp(text, first) != 0;
}

char *pp_file_all(const char *path, size_t *length)
{
	const int fd = pp_file_open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 0, at = 0;
	char *buf = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	/* Sizes of such files are unknown before they are read. */
	while (!PP_GROW(&buf, &room, room ? room + 1 : FIRST, NULL)) {
		n = read_all(fd, buf + at, room - 1 - at);
		if (n < 0)
			break;
		at += (size_t)n;
		if (at < room - 1)
			break;
		n = -1;
	}
	(void)close(fd);
	if (n < 0) {
		free(buf);
		return NULL;
	}
	buf[at] = '\0';
	*length = at;
	return buf;
}

bool pp_line_value(const char *text, const char *key, char *value, size_t size)
{
	const size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		const char *at = line + length;

		if (strncmp(line, key, length) || (*at != ' ' && *at != '\t' && *at != ':'))
			continue;
		at += strspn(at, " \t:");
		(void)snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
		return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static DIR *open_folder(const char *path)
{
	char rooted[PP_PATH];
	DIR *dir;
	int fd;

	if (!opener.fn)
		return opendir(pp_rooted(rooted, path));
	fd = opener.fn(opener.arg, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		(void)close(fd);
	return dir;
}

int pp_names_read(struct pp_names *names, const char *path, bool (*want)(const char *))
{
	DIR *const dir = open_folder(path);
	struct dirent *entry;
	int os;

	*names = (struct pp_names){ .n = 0 };
	if (!dir)
		return -1;
	while ((errno = 0, entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || (want && !want(entry->d_name)))
			continue;
		if (PP_GROW(&names->items, &names->room, names->n + 1, NULL) ||
		    !(names->items[names->n] = strdup(entry->d_name)))
			break;
		names->n++;
	}
	os = errno;
	(void)closedir(dir);
	if (os) {
		pp_names_free(names);
		errno = os;
		return -1;
	}
	if (names->n)
		qsort(names->items, names->n, sizeof(*names->items), by_name);
	return 0;
}

void pp_names_free(struct pp_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct pp_names){ .n = 0 };
}

bool pp_is_number(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isdigit((unsigned char)*text))
			return false;
	return true;
}

long pp_list_parse(const char *text, uint32_t **numbers)
{
	uint32_t *list = NULL;
	size_t n = 0, room = 0;

	while (*text) {
		char *end;
		const unsigned long first = strtoul(text, &end, 10);
		unsigned long last = first;

		if (end == text)
			break;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last < first || last - first > 65535)
			break;
		if (PP_GROW(&list, &room, n + (last - first) + 1, NULL)) {
			free(list);
			return -1;
		}
		for (unsigned long i = first; i <= last; i++)
			list[n++] = (uint32_t)i;
		text = *end == ',' ? end + 1 : end;
	}
	*numbers = list;
	return (long)n;
}

bool pp_task_stat(int32_t pid, int32_t tid, struct pp_task_stat *stat)
{
	enum { PF_KTHREAD = 0x200000 };
	char text[512], *open, *close;
	unsigned flags = 0;
	size_t length;

	if (pp_file_text(text, sizeof(text), "/proc/%d/task/%d/stat", pid, tid) < 0)
		return false;
	/* "12 (a ) name) S 1 ...": the name may hold anything. */
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	length = (size_t)(close - open - 1);
	if (length > sizeof(stat->comm) - 1)
		length = sizeof(stat->comm) - 1;
	memset(stat->comm, 0, sizeof(stat->comm));
	memcpy(stat->comm, open + 1, length);
	/* what is after the parent may be missing where /proc is made up */
	if (sscanf(close + 1, " %*c %d %*d %*d %*d %*d %u", &stat->ppid, &flags) < 1)
		return false;
	stat->kernel = flags & PF_KTHREAD;
	/* field 39 of proc_pid_stat(5); the state is the third */
	for (int field = 2; field < 39 && close; field++)
		close = strchr(close + 1, ' ');
	stat->cpu = close ? (uint32_t)strtoul(close, NULL, 10) : 0;
	return true;
}

int32_t pp_task_process(int32_t tid)
{
	char text[2048];
	const char *line;
	int32_t pid;

	if (pp_file_text(text, sizeof(text), "/proc/%d/status", tid) < 0)
		return -1;
	line = strstr(text, "\nTgid:");
	return line && sscanf(line, "\nTgid: %d", &pid) == 1 ? pid : -1;
}
