/* timed_names.c - makes names of files of a pattern and a time. */
#include "cli/timed_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { NAME_ROOM = 4096 };

size_t timed_conversion(const char *at, const char *numbers)
{
	const size_t digits = strspn(at + 1, "0123456789");

	return digits < 3 && at[1 + digits] && strchr(numbers, at[1 + digits]) ? digits + 2 : 0;
}

/* Text that strftime() leaves as it is. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		putc(*text, out);
		if (*text == '%')
			putc('%', out);
	}
}

/* What is left for strftime(): numbers and the key are there; to be freed. */
static char *put_number(const struct timed_pattern *p, uint64_t number)
{
	char *text = NULL;
	size_t size;
	FILE *const out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const char *at = p->text; *at; at++) {
		const size_t length = *at == '%' ? timed_conversion(at, p->numbers) : 0;

		if (length) {
			fprintf(out, "%0*" PRIu64, atoi(at + 1), number);
			at += length - 1;
		} else if (p->key && !strncmp(at, "{}", 2)) {
			put_escaped(out, p->key);
			at++;
		} else {
			putc(*at, out);
			if (*at == '%' && at[1])
				putc(*++at, out);
		}
	}
	return cli_text_end(out, &text) ? text : NULL;
}

char *timed_name(const struct timed_pattern *p, time_t when, uint64_t number)
{
	char name[NAME_ROOM], *const text = put_number(p, number);
	struct tm tm;
	size_t length;

	if (!text) {
		errno = ENOMEM;
		return NULL;
	}
	if (!localtime_r(&when, &tm)) {
		free(text);
		errno = EOVERFLOW;
		return NULL;
	}
	length = strftime(name, sizeof(name), text, &tm);
	free(text);
	errno = length ? ENOMEM : ENAMETOOLONG;
	return length ? strdup(name) : NULL;
}

char *timed_name_nth(const char *name, unsigned n)
{
	const char *const slash = strrchr(name, '/'), *const dot = strrchr(name, '.');
	const size_t stem = dot && dot > (slash ? slash + 1 : name) ? (size_t)(dot - name) : strlen(name);
	char *text;

	if (!n)
		return strdup(name);
	return asprintf(&text, "%.*s-%u%s", (int)stem, name, n, name + stem) < 0 ? NULL : text;
}
