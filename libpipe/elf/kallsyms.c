/* kallsyms.c - reads /proc/kallsyms: it has more than 100,000 lines, which are parsed in the buffer that they
 * were read into. */
#include "elf/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfs.h"

enum { ROOM = 65536 };                /* more than a line has */

/* A hexadecimal number at the start of a line; where it ends, or NULL. */
static const char *hex_number(const char *p, const char *end, uint64_t *value)
{
	const char *const start = p;

	for (*value = 0; p < end && p - start < 17; p++) {
		const unsigned digit = (unsigned char)*p - (unsigned)'0';
		const unsigned letter = ((unsigned char)*p | 32) - (unsigned)'a';

		if (digit > 9 && letter > 5)
			break;
		*value = *value << 4 | (digit <= 9 ? digit : letter + 10);
	}
	return p == start ? NULL : p;
}

/* "ffffffff81000000 T _text", then maybe a tab and "[module]". */
static bool parse(const char *line, const char *end, struct pp_kallsym *to)
{
	const char *const p = hex_number(line, end, &to->address);
	const char *tab;

	if (!p || end - p < 4 || *p != ' ' || p[2] != ' ')
		return false;
	to->type = p[1];
	to->name = p + 3;
	tab = memchr(to->name, '\t', (size_t)(end - to->name));
	to->length = (size_t)((tab ? tab : end) - to->name);
	to->module = tab && end - tab > 3 && tab[1] == '[' ? tab + 2 : NULL;
	to->module_length = to->module ? (size_t)(end - to->module) - 1 : 0;
	return true;
}

/* The lines that are whole; *used says how many bytes they take. */
static int show_lines(const char *text, size_t size, size_t *used, pp_kallsym_fn *each, void *arg,
		      struct pp_error *error)
{
	const char *line = text, *end;
	struct pp_kallsym symbol;
	int got = 0;

	while (!got && (end = memchr(line, '\n', size - (size_t)(line - text)))) {
		if (parse(line, end, &symbol))
			got = each(arg, &symbol, error);
		line = end + 1;
	}
	*used = (size_t)(line - text);
	return got;
}

static int read_lines(int fd, char *text, pp_kallsym_fn *each, void *arg, struct pp_error *error)
{
	size_t left = 0, used;
	int status = 0;

	while (!status && left < ROOM) {
		const ssize_t got = read(fd, text + left, ROOM - left);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return pp_fail_os(error, "cannot read /proc/kallsyms");
		if (!got)
			break;
		left += (size_t)got;
		status = show_lines(text, left, &used, each, arg, error);
		left -= used;
		memmove(text, text + used, left);
	}
	return status;
}

int pp_kallsyms_read(pp_kallsym_fn *each, void *arg, struct pp_error *error)
{
	const int fd = pp_file_open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	char *text;
	int status;

	if (fd < 0)
		return pp_fail_os(error, "cannot read /proc/kallsyms");
	text = malloc(ROOM);
	status = text ? read_lines(fd, text, each, arg, error) : pp_fail(error, PP_E_NOMEM, NULL);
	free(text);
	(void)close(fd);
	return status;
}

bool pp_kallsym_is(const struct pp_kallsym *s, const char *name)
{
	return !s->module && s->length == strlen(name) && !memcmp(s->name, name, s->length);
}
