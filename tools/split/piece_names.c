/* piece_names.c - names of pieces by a pattern, in which a key may be any text. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/timed_names.h"
#include "split/piece_files.h"

enum { HASH_DIGITS = 16 };

/* What gives the number in names with a time; %u is there for those who know it of -o. */
static const char numbers[] = "nu";

/* The conversion of the number in a pattern, "%u" or "%03u": its length, or 0. */
static size_t conversion(const char *at)
{
	return timed_conversion(at, "u");
}

/* ---- checks ---- */

/* No two commands can ask whether a name is taken. */
static void check_timed(const struct pieces *all)
{
	/* of strftime(3), without slashes in any locale */
	static const char parts[] = "%aAbBCdeFGgHIjklmMpsSTVwWyYzZ";
	bool number = false;

	for (const char *at = all->timed; (at = strchr(at, '%')); at++) {
		const bool is_number = timed_conversion(at, numbers);

		number |= is_number;
		if (!is_number && (!at[1] || !strchr(parts, at[1])))
			cli_misuse("--name: '%s' has a %% that is neither %%n nor one of strftime(3) for "
				   "names", all->timed);
		at += at[1] == '%';
	}
	if (!*all->timed)
		cli_misuse("--name: nothing is no name");
	if (all->keyed && !strstr(all->timed, "{}"))
		cli_misuse("--name: '%s' lacks a {} for the value of --by", all->timed);
	if (all->command && !all->keyed && !number)
		cli_misuse("--name: '%s' lacks a %%n, by which commands of --exec tell pieces apart",
			   all->timed);
}

void pieces_check_pattern(const struct pieces *all)
{
	bool number = false;

	if (all->timed) {
		check_timed(all);
		return;
	}
	for (const char *at = all->pattern; (at = strchr(at, '%')); at++) {
		if (at[1] == '%')
			at++;
		else if (conversion(at))
			number = true;
		else
			cli_misuse("--output: '%s' has a %% that is neither %%u nor such as %%03u nor %%%%",
				   all->pattern);
	}
	if (all->keyed && !strstr(all->pattern, "{}"))
		cli_misuse("--output: '%s' lacks a {} for the value of --by", all->pattern);
	if (!all->keyed && !number)
		cli_misuse("--output: '%s' lacks a %%u for the number of the piece", all->pattern);
}

/* ---- names ---- */

/* The name in the folder, if there is one; takes `name` along.  NULL and errno. */
static char *put_in_folder(const struct pieces *all, char *name)
{
	char *path = NULL;

	if (!name || !all->pattern)
		return name;
	if (asprintf(&path, "%s/%s", all->pattern, name) < 0)
		path = NULL;
	free(name);
	if (path && strlen(path) < PATH_MAX)
		return path;
	errno = path ? ENAMETOOLONG : ENOMEM;
	free(path);
	return NULL;
}

char *pieces_timed_pattern(const struct pieces *all)
{
	return put_in_folder(all, strdup(all->timed));
}

char *pieces_name(const struct pieces *all, uint64_t number, const char *key, time_t when)
{
	const struct timed_pattern timed = {
		.text = all->timed, .numbers = numbers, .key = all->keyed ? key : NULL,
	};
	char *name = NULL;
	size_t size;
	FILE *out;

	if (all->timed)
		return put_in_folder(all, timed_name(&timed, when, number));
	out = open_memstream(&name, &size);
	if (!out)
		return NULL;
	for (const char *at = all->pattern; *at; at++) {
		if (*at == '%' && at[1] != '%') {
			fprintf(out, at[1] == '0' ? "%0*" PRIu64 : "%*" PRIu64, atoi(at + 1), number);
			at += conversion(at) - 1;
		} else if (all->keyed && !strncmp(at, "{}", 2)) {
			fputs(key, out);
			at++;
		} else {
			putc(*at, out);
			at += *at == '%';
		}
	}
	return cli_text_end(out, &name) ? name : NULL;
}

void pieces_safe_key(char *key, const char *text, size_t length)
{
	/* one that is too long is cut, and distinguished from others by a hash */
	const bool cut = length >= KEY_MAX;
	const size_t kept = cut ? KEY_MAX - HASH_DIGITS - 2 : length;
	uint64_t hash = UINT64_C(14695981039346656037);
	size_t n = 0;

	for (; n < kept; n++) {
		const unsigned char c = (unsigned char)text[n];

		key[n] = c <= ' ' || c == 0x7f || c == '/' || (!n && (c == '.' || c == '-')) ? '_' : (char)c;
	}
	for (size_t i = kept; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	if (!n)
		key[n++] = '_';
	key[n] = '\0';
	if (cut)
		snprintf(key + n, KEY_MAX - n, "-%016" PRIx64, hash);
}
