/* suggestions.c - the name that was perhaps meant, for values of options that are lists of names. */
#include "cli/suggestions.h"

#include <perfpipe/perfpipe.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_known(const char *word, const char *(*name)(size_t i))
{
	for (size_t i = 0; name(i); i++)
		if (!strcmp(name(i), word))
			return true;
	return false;
}

const char *suggest_in_list(const char *why, const char *value, const char *(*name)(size_t i),
			    const char *otherwise)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	static char text[512];
	char word[64], meant[PP_NEAREST_TEXT] = "";
	struct pp_nearest near = { .wanted = word };

	for (size_t n; *value; value += n) {
		value += strcspn(value, letters) + (*value == '-');
		n = strspn(value, letters);
		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : 0), value);
		if (!*word || value[n] == ':' || is_known(word, name))
			continue;
		for (size_t i = 0; name(i); i++)
			pp_nearest_consider(&near, name(i), NULL);
		pp_nearest_question(&near, meant, sizeof(meant));
		break;
	}
	snprintf(text, sizeof(text), "%s%s", why, *meant ? meant : otherwise);
	return text;
}
