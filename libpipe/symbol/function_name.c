/* function_name.c - which part of a function's name is left without the types of its parameters. */
#include "symbol/function_name.h"

#include <stdbool.h>
#include <string.h>

/* Whether what follows parameters is but a qualifier, a part of the function, or a version. */
static bool ends_name(const char *at, const char *end)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept", " [clone " };

	while (at < end && *at != '@') {
		size_t i = 0, length;

		while (i < sizeof(words) / sizeof(*words) &&
		       strncmp(at, words[i], length = strlen(words[i])) != 0)
			i++;
		if (i == sizeof(words) / sizeof(*words))
			return false;
		at += length;
		if (words[i][1] == '[') {
			at = memchr(at, ']', (size_t)(end - at));
			at = at ? at + 1 : end;
		}
	}
	return true;
}

/* Where the bracket opens that ends here; NULL: nowhere. */
static const char *opens(const char *name, const char *closes)
{
	size_t depth = 0;

	for (const char *at = closes + 1; at-- > name;) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			return at;
	}
	return NULL;
}

static bool follows(const char *name, const char *at, const char *word)
{
	const size_t length = strlen(word);

	return (size_t)(at - name) >= length && !memcmp(at - length, word, length);
}

size_t pp_name_without_parameters(const char *name)
{
	const size_t length = strlen(name);
	const char *const last = memrchr(name, ')', length);
	const char *const at = last && ends_name(last + 1, name + length) ? opens(name, last) : NULL;

	if (!at || at == name || (last == at + 1 && follows(name, at, "operator")) ||
	    follows(name, last + 1, "(anonymous namespace)"))
		return length;
	return (size_t)(at - name);
}

size_t pp_name_without_signature(const char *name)
{
	const char *const at = strchr(name, '(');

	return at && at != name ? (size_t)(at - name) : strlen(name);
}
