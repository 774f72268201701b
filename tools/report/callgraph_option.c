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

static const struct { const char *name; enum { MODE, ORDER, VALUE, OTHER } of; int is; } chain_words[] = {
	{ "graph", MODE, CHAIN_GRAPH }, { "fractal", MODE, CHAIN_FRACTAL }, { "flat", MODE, CHAIN_FLAT },
	{ "folded", MODE, CHAIN_FOLDED }, { "none", MODE, CHAIN_NONE },
	{ "caller", ORDER, ORDER_CALLER }, { "callee", ORDER, ORDER_CALLEE },
	{ "function", OTHER, 0 },
	{ "percent", VALUE, CHAIN_PERCENT }, { "period", VALUE, CHAIN_PERIOD }, { "count", VALUE, CHAIN_COUNT },
};
enum { CHAIN_WORDS = sizeof(chain_words) / sizeof(*chain_words) };

const char *table_call_graph_word(size_t i)
{
	return i < CHAIN_WORDS ? chain_words[i].name : NULL;
}

static bool take_chain_word(const char *text, size_t length)
{
	for (size_t i = 0; i < CHAIN_WORDS; i++) {
		if (!is_word(text, length, chain_words[i].name))
			continue;
		if (chain_words[i].of == MODE)
			table_options.mode = (enum chain_mode)chain_words[i].is;
		else if (chain_words[i].of == ORDER)
			table_options.order = (enum chain_order)chain_words[i].is;
		else if (chain_words[i].of == VALUE)
			table_options.value = (enum chain_value)chain_words[i].is;
		return true;
	}
	return false;
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
