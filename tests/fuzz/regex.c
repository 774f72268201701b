/*
 * regex.c - fuzzes regular expressions, with the C library's as the oracle: patterns of a few pieces
 * that it takes are taken, and match the same short texts; whatever is no pattern is refused with a
 * reason.
 *
 * The input is one pattern after the other: nine bytes that choose its pieces, then two texts of twelve.
 */
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pattern/regex.h"

enum { PIECES = 9, TEXT = 12, TEXTS = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
	"", "a", "b", "ab", "(", ")", "(", ")", "|", "*", "+", "?", "{2}", "{1,3}", "{,2}", "{0}",
	"{2,}", ".", "^", "$", "[ab]", "[^a]", "[a-c]", "[]a]", "[[:alpha:]]", "[a-]", "[-b]", "\\b",
	"\\B", "\\<", "\\>", "\\w", "\\W", "\\s", "\\S", " ", "_", "-", "\\.", "\\`", "\\'", "[", "]",
	"{", "}", "c", "[[=a=]b]", "[[.a.]-c]", "[a-b-c]", "\\(", "[+--]", "A", "1", "[^[:digit:]_]",
	"[[:upper:]-", "[c-a]", "{3,1}", "\\", "\x80", "[\x80-\xff]",
};

static void make_pattern(char *to, const uint8_t *data)
{
	*to = '\0';
	for (size_t i = 0; i < PIECES; i++)
		strcat(to, pieces[data[i] % (sizeof(pieces) / sizeof(*pieces))]);
}

static void make_text(char *to, const uint8_t *data)
{
	/* no newline, after which glibc takes [^a]^b for matched */
	static const char bytes[] = "aabbcC _-.A1(){\x80";
	size_t n;

	for (n = 0; n < TEXT && data[n] < 0xe0; n++)
		to[n] = bytes[data[n] % (sizeof(bytes) - 1)];
	to[n] = '\0';
}

/* The C library writes out what is repeated, which may take it for ever. */
static bool is_tame(const char *pattern)
{
	size_t repetitions = 0;

	for (; *pattern; pattern++)
		repetitions += *pattern == '{' || *pattern == '*' || *pattern == '+';
	return repetitions <= 3;
}

static void compare(const uint8_t *data)
{
	char pattern[PIECES * 16], text[TEXT + 1];
	const char *why = NULL;
	struct pp_regex *ours;
	regex_t theirs;
	int refused;

	make_pattern(pattern, data);
	if (!is_tame(pattern))
		return;
	ours = pp_regex_new(pattern, &why);
	refused = regcomp(&theirs, pattern, REG_EXTENDED | REG_NOSUB);
	/* a group that is referred back to takes them exponential time */
	if (!refused && !ours && strstr(pattern, "\\1")) {
		regfree(&theirs);
		return;
	}
	if (!ours != !!refused || (!ours && !why)) {
		fprintf(stderr, "/%s/: %s\n", pattern, ours ? "taken" : why ? why : "no reason");
		abort();
	}
	for (size_t i = 0; ours && i < TEXTS; i++) {
		make_text(text, data + PIECES + i * TEXT);
		if (pp_regex_match(ours, text) != !regexec(&theirs, text, 0, NULL, 0)) {
			fprintf(stderr, "/%s/ and '%s'\n", pattern, text);
			abort();
		}
	}
	if (!refused)
		regfree(&theirs);
	pp_regex_free(ours);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t each = PIECES + TEXTS * TEXT;

	for (; size >= each; data += each, size -= each)
		compare(data);
	return 0;
}
