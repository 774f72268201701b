/* piece_names.c - names of pieces by a pattern, in which a key may be any text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "split/piece_files.h"

enum { HASH_DIGITS = 16 };

/* The conversion of the number in a pattern, "%u" or "%03u": its length, or 0. */
static size_t conversion(const char *at)
{
	const size_t digits = strspn(at + 1, "0123456789");

	return digits < 3 && at[1 + digits] == 'u' ? digits + 2 : 0;
}

void pieces_check_pattern(const struct pieces *all)
{
	bool number = false;

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

char *pieces_name(const struct pieces *all, uint64_t number, const char *key)
{
	char *name = NULL;
	size_t size;
	FILE *const out = open_memstream(&name, &size);

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
