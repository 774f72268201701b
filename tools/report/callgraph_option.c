/* callgraph_option.c - how tables and call trees are asked for: -g, which has a grammar of its own, and
 * percents. */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

struct table_options table_options = { .mode = CHAIN_GRAPH, .chain_limit = 0.5 };

/* As perf: the beginning of a word is enough. */
static bool is_word(const char *text, size_t length, const char *word)
{
	return length && length <= strlen(word) && !strncmp(text, word, length);
}

static bool take_chain_word(const char *text, size_t length)
{
	static const char *const modes[] = { "graph", "fractal", "flat", "folded", "none" };
	static const char *const values[] = { "percent", "period", "count" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (is_word(text, length, modes[i])) {
			table_options.mode = (enum chain_mode)i;
			return true;
		}
	if (is_word(text, length, "caller"))
		table_options.order = ORDER_CALLER;
	else if (is_word(text, length, "callee"))
		table_options.order = ORDER_CALLEE;
	else if (!is_word(text, length, "function"))
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			if (is_word(text, length, values[i])) {
				table_options.value = (enum chain_value)i;
				return true;
			}
			if (i + 1 == sizeof(values) / sizeof(*values))
				return false;
		}
	return true;
}

const char *table_parse_call_graph(void *target, const char *value)
{
	bool limited = false;

	(void)target;
	while (value && *value) {
		const size_t length = strcspn(value, ",");
		char *end = NULL;

		if (length && !take_chain_word(value, length)) {
			const double number = strtod(value, &end);

			if (end != value + length || !(number >= 0))
				return "is not TYPE,LIMIT,ORDER,VALUE: graph, fractal, flat, folded or none; "
				       "percents; caller or callee; percent, period or count";
			if (!limited)
				table_options.chain_limit = number;
			else
				table_options.print_limit = (uint64_t)number;
			limited = true;
		}
		value += length + (value[length] != '\0');
	}
	return NULL;
}

const char *table_parse_percent(void *target, const char *value)
{
	char *end;
	const double percent = strtod(value, &end);

	(void)target;
	if (end == value || *end || !(percent >= 0 && percent <= 100))
		return "is not a number of percents";
	table_options.percent_limit = table_options.chain_limit = percent;
	return NULL;
}
