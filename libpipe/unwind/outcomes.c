/* outcomes.c - how stacks ended: the words, and the files in which they did; counting is unwind.c's. */
#include "unwind/outcomes.h"

#include <stdlib.h>

static const struct { const char *key, *text; } ways[PP_UNWOUND_WAYS] = {
	[PP_UNWOUND_PROPERLY] = { "properly", "complete" },
	[PP_UNWOUND_CUT]      = { "cut", "truncated" },
	[PP_UNWOUND_PAGED]    = { "paged", "truncated at a page that was not in memory" },
	[PP_UNWOUND_NO_RULE]  = { "no_rule", "without unwind information" },
	[PP_UNWOUND_LOST]     = { "lost", "with unwind information that leads nowhere" },
	[PP_UNWOUND_MISSING]  = { "missing", "in a file that is missing" },
	[PP_UNWOUND_DIFFERS]  = { "differs", "in a file that is not the one that was recorded" },
	[PP_UNWOUND_NO_FILE]  = { "no_file", "in code without a file" },
	[PP_UNWOUND_NO_MAP]   = { "no_map", "where nothing is mapped" },
	[PP_UNWOUND_LONG]     = { "long", "ended at the limit" },
	[PP_UNWOUND_UNKNOWN]  = { "unknown", "of an unknown processor" },
};

const char *pp_unwound_text(enum pp_unwound way)
{
	return ways[way].text;
}

const char *pp_unwound_key(enum pp_unwound way)
{
	return ways[way].key;
}

static uint64_t badly(const struct module *module)
{
	uint64_t sum = 0;

	for (size_t i = PP_UNWOUND_PROPERLY + 1; i < PP_UNWOUND_WAYS; i++)
		sum += module->ends[i];
	return sum;
}

static int by_count(const void *a, const void *b)
{
	const struct module *const *const x = a, *const *const y = b;
	const uint64_t first = badly(*x), second = badly(*y);

	if (first != second)
		return first > second ? -1 : 1;
	return strcmp((*x)->path, (*y)->path);
}

int pp_unwind_modules_report(const struct modules *m, pp_unwind_file_fn *fn, void *arg,
			     struct pp_error *error)
{
	struct module **const sorted = malloc((m->count + 1) * sizeof(struct module *));
	size_t n = 0;

	if (!sorted)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < m->count; i++)
		if (badly(m->items[i]))
			sorted[n++] = m->items[i];
	qsort(sorted, n, sizeof(struct module *), by_count);
	for (size_t i = 0; i < n; i++)
		fn(arg, sorted[i]->path, sorted[i]->ends);
	free(sorted);
	return 0;
}
