/* glob.c - shell patterns over whole texts, in bounded time and without a locale. */
#include "pattern/glob.h"

#include <stddef.h>
#include <string.h>

/* One character of a glob, no star, against a byte: how much of the glob it takes, or 0. */
static size_t one(const char *g, unsigned char c)
{
	const bool not = g[0] == '[' && (g[1] == '!' || g[1] == '^');
	const char *p = g + 1 + not;
	bool in = false;

	if (*g == '?')
		return 1;
	if (*g == '\\' && g[1])
		return (unsigned char)g[1] == c ? 2 : 0;
	if (*g != '[' || !*p || !strchr(p + 1, ']'))
		return (unsigned char)*g == c ? 1 : 0;
	do {
		const unsigned char low = (unsigned char)*p;

		if (p[1] == '-' && p[2] != ']' && p[2]) {
			in |= c >= low && c <= (unsigned char)p[2];
			p += 3;
		} else {
			in |= c == low;
			p++;
		}
	} while (*p && *p != ']');
	return *p && in != not ? (size_t)(p + 1 - g) : 0;
}

bool pp_query_glob(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		size_t taken;

		if (*glob == '*') {
			star = ++glob;
			from = text;
		} else if (*glob && (taken = one(glob, (unsigned char)*text))) {
			glob += taken;
			text++;
		} else if (star) {
			/* The last star takes one more. */
			glob = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}
