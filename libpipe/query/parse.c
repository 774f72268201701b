/* parse.c - tokens to a tree of comparisons whose types are right; compile.c makes it run. */
#include "query.h"

#include <stdlib.h>

static const struct { const char *name; enum pp_query_kind kind; } fields[] = {
#define X(upper, name, kind) { #name, PP_IS_##kind },
	PP_QUERY_FIELDS(X)
#undef X
};

struct parser {
	const char *text;
	size_t at;                    /* behind `token` */
	struct pp_query_token token;  /* the next one */
	size_t tests, depth;
	struct pp_query_tree *tree;
	struct pp_query_error *error;
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

static int advance(struct parser *p)
{
	return pp_query_lex(p->text, &p->at, &p->token, p->error);
}

static int no_memory(const struct parser *p)
{
	return pp_query_fail(p->error, 0, "out of memory");
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->token.kind == PP_T_WORD && strlen(word) == p->token.length &&
	       !memcmp(p->text + p->token.at, word, p->token.length);
}

/* "WHAT is expected here, not 'foo'" */
static int unexpected(const struct parser *p, const char *what)
{
	const struct pp_query_token *t = &p->token;

	if (t->kind == PP_T_END)
		return pp_query_fail(p->error, t->at, "%s is missing", what);
	return pp_query_fail(p->error, t->at, "%s is expected here, not '%.*s'", what,
			     t->length < 40 ? (int)t->length : 40, p->text + t->at);
}

static int expect(struct parser *p, enum pp_token_kind kind, const char *what)
{
	return p->token.kind == kind ? advance(p) : unexpected(p, what);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A new node, and its index; NULL: no memory. */
static struct pp_query_node *add_node(struct parser *p, enum pp_node_kind kind, uint32_t *index)
{
	struct pp_query_tree *const tree = p->tree;

	if (tree->count == tree->room) {
		const size_t room = tree->room ? tree->room * 2 : 16;
		struct pp_query_node *nodes = realloc(tree->nodes, room * sizeof(*nodes));

		if (!nodes)
			return NULL;
		tree->nodes = nodes;
		tree->room = room;
	}
	*index = (uint32_t)tree->count++;
	tree->nodes[*index] = (struct pp_query_node){ .kind = (uint8_t)kind };
	return &tree->nodes[*index];
}

static int join(struct parser *p, enum pp_node_kind kind, uint32_t left, uint32_t right,
		uint32_t *index)
{
	struct pp_query_node *node = add_node(p, kind, index);

	if (!node)
		return no_memory(p);
	node->left = left;
	node->right = right;
	return 0;
}

/* A node that owns what the test owns; on failure it is freed. */
static int add_test(struct parser *p, struct pp_query_test *test, uint32_t *index)
{
	struct pp_query_node *node = add_node(p, PP_NODE_TEST, index);

	if (!node) {
		pp_query_test_free(test);
		return no_memory(p);
	}
	node->test = *test;
	return 0;
}

void pp_query_test_free(struct pp_query_test *test)
{
	for (uint32_t i = 0; test->texts && i < test->count; i++)
		free(test->texts[i]);
	if (test->pattern)
		regfree(test->pattern);
	free(test->texts);
	free(test->ranges);
	free(test->pattern);
	free(test->memos);
	*test = (struct pp_query_test){ .count = 0 };
}

void pp_query_tree_free(struct pp_query_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		pp_query_test_free(&tree->nodes[i].test);
	free(tree->nodes);
	*tree = (struct pp_query_tree){ .count = 0 };
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* The value of the token for the field, biased where the field is; `since` tells "+5s". */
static int number(struct parser *p, uint8_t field, uint64_t *value, bool *since)
{
	const enum pp_query_kind kind = fields[field].kind;
	const char *const name = fields[field].name;
	const struct pp_query_token *const t = &p->token;

	if (t->kind != PP_T_NUMBER)
		return unexpected(p, "a number");
	*value = t->number;
	*since = t->plus;
	if (t->unit && kind != PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "'%s' has no unit", name);
	if (t->plus && kind != PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "only a time can count from the first sample");
	if (t->minus && kind != PP_IS_SIGNED)
		return pp_query_fail(p->error, t->at, "'%s' is never negative", name);
	if (t->plus) {
		if (t->number > INT64_MAX)
			return pp_query_fail(p->error, t->at, "the time does not fit in 64 bits");
		*value = t->number + PP_QUERY_BIAS;
	} else if (kind == PP_IS_SIGNED) {
		if (t->number > (t->minus ? UINT64_C(1) << 31 : UINT32_MAX))
			return pp_query_fail(p->error, t->at, "'%s' has 32 bits", name);
		/* 4294967295 is -1, as some tools show it. */
		*value = (t->minus ? -t->number : (uint64_t)(int32_t)t->number) + PP_QUERY_BIAS;
	}
	return advance(p);
}

/* FIELD OP NUMBER: all of them are one range, or all but one range. */
static int compare_number(struct parser *p, uint8_t field, enum pp_token_kind op, uint32_t *index)
{
	struct pp_query_test test = { .kind = PP_TEST_RANGE, .field = field };
	struct pp_query_range *const r = &test.range;
	uint64_t value;
	bool since = false;

	if (number(p, field, &value, &since))
		return -1;
	if (since)
		test.field = PP_QUERY_SINCE;
	*r = (struct pp_query_range){ 0, UINT64_MAX };
	if (op == PP_T_EQ || op == PP_T_NE)
		*r = (struct pp_query_range){ value, value };
	else if (op == PP_T_LT || op == PP_T_LE)
		r->high = value;
	else
		r->low = value;
	/* All values but what is at least this: also right where none is less. */
	if (op == PP_T_LT)
		*r = (struct pp_query_range){ value, UINT64_MAX };
	else if (op == PP_T_GT)
		*r = (struct pp_query_range){ 0, value };
	test.negate = op == PP_T_NE || op == PP_T_LT || op == PP_T_GT;
	return add_test(p, &test, index);
}

static int add_range(struct parser *p, struct pp_query_test *test, struct pp_query_range range)
{
	/* The room doubles at powers of two. */
	if (!(test->count & (test->count - 1))) {
		const size_t room = test->count ? (size_t)test->count * 2 : 1;
		struct pp_query_range *ranges = realloc(test->ranges, room * sizeof(*ranges));

		if (!ranges)
			return no_memory(p);
		test->ranges = ranges;
	}
	test->ranges[test->count++] = range;
	return 0;
}

/* One item of a set, to the absolute values or to those from the first sample. */
static int take_range(struct parser *p, uint8_t field, struct pp_query_test *absolute,
		      struct pp_query_test *relative)
{
	const size_t at = p->token.at;
	struct pp_query_range range;
	bool since = false, since_high = false;

	if (number(p, field, &range.low, &since))
		return -1;
	range.high = range.low;
	if (p->token.kind == PP_T_TO) {
		if (advance(p) || number(p, field, &range.high, &since_high))
			return -1;
		if (since != since_high)
			return pp_query_fail(p->error, at,
					     "both ends of a range count from the first sample, "
					     "or neither");
		if (range.low > range.high)
			return pp_query_fail(p->error, at, "the range ends before it begins");
	}
	return add_range(p, since ? relative : absolute, range);
}

static int number_set(struct parser *p, uint8_t field, uint32_t *index)
{
	struct pp_query_test absolute = { .kind = PP_TEST_RANGES, .field = field };
	struct pp_query_test relative = { .kind = PP_TEST_RANGES, .field = PP_QUERY_SINCE };
	uint32_t other;
	int status;

	while (!(status = take_range(p, field, &absolute, &relative)) &&
	       p->token.kind == PP_T_COMMA)
		if ((status = advance(p)))
			break;
	if (status) {
		pp_query_test_free(&absolute);
		pp_query_test_free(&relative);
		return -1;
	}
	if (!relative.count)
		return add_test(p, &absolute, index);
	if (!absolute.count)
		return add_test(p, &relative, index);
	if (add_test(p, &absolute, index)) {
		pp_query_test_free(&relative);
		return -1;
	}
	return add_test(p, &relative, &other) || join(p, PP_NODE_OR, *index, other, index) ? -1 : 0;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

static bool is_unknown_type(const char *name)
{
	const char *digits = name + strlen("UNKNOWN_");

	return !strncmp(name, "UNKNOWN_", strlen("UNKNOWN_")) && *digits &&
	       strspn(digits, "0123456789") == strlen(digits);
}

/* A record type has to exist, in any case of letters: a slip would match nothing, in silence. */
static int check_type(struct parser *p, char *name)
{
	const struct pp_type *type = pp_type_named(name);

	if (type && strlen(type->name) == strlen(name))
		memcpy(name, type->name, strlen(name));
	else if (!is_unknown_type(name))
		return pp_query_fail(p->error, p->token.at, "no record type is called '%.40s'", name);
	return 0;
}

/* The string that is next, which is not a pattern; the caller frees it. */
static int take_text(struct parser *p, uint8_t field, char **text)
{
	const struct pp_query_token *const t = &p->token;

	*text = NULL;
	if (t->kind == PP_T_WORD)
		return pp_query_fail(p->error, t->at, "a string stands in quotes: \"%.*s\"",
				     t->length < 40 ? (int)t->length : 40, p->text + t->at);
	if (t->kind != PP_T_STRING)
		return unexpected(p, "a string");
	if (t->odd)
		return pp_query_fail(p->error, t->odd,
				     "only a pattern has this escape; a backslash is \\\\");
	*text = pp_query_string(p->text, t);
	if (!*text)
		return no_memory(p);
	if ((field != PP_QUERY_TYPE || !check_type(p, *text)) && !advance(p))
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}

static int add_text(struct parser *p, struct pp_query_test *test)
{
	char *text;

	if (take_text(p, test->field, &text))
		return -1;
	if (!(test->count & (test->count - 1))) {
		const size_t room = test->count ? (size_t)test->count * 2 : 1;
		char **texts = realloc(test->texts, room * sizeof(*texts));

		if (!texts) {
			free(text);
			return no_memory(p);
		}
		test->texts = texts;
	}
	test->texts[test->count++] = text;
	return 0;
}

static int text_set(struct parser *p, struct pp_query_test *test, bool braces, uint32_t *index)
{
	int status;

	while (!(status = add_text(p, test)) && braces && p->token.kind == PP_T_COMMA)
		if ((status = advance(p)))
			break;
	if (status) {
		pp_query_test_free(test);
		return -1;
	}
	return add_test(p, test, index);
}

static int compile_pattern(struct parser *p, struct pp_query_test *test)
{
	char message[100], *text;
	int code;

	test->pattern = malloc(sizeof(*test->pattern));
	test->memos = calloc(PP_QUERY_MEMOS, sizeof(*test->memos));
	text = pp_query_string(p->text, &p->token);
	code = test->pattern && test->memos && text ?
		       regcomp(test->pattern, text, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;
	free(text);
	if (!code)
		return 0;
	regerror(code, test->pattern, message, sizeof(message));
	free(test->pattern);
	test->pattern = NULL;
	return pp_query_fail(p->error, p->token.at, "not a regular expression: %s", message);
}

static int take_pattern(struct parser *p, struct pp_query_test *test, uint32_t *index)
{
	if (p->token.kind != PP_T_STRING)
		return unexpected(p, "a pattern in quotes");
	if (p->token.length > PP_QUERY_PATTERN)
		return pp_query_fail(p->error, p->token.at, "the pattern is longer than %d bytes",
				     PP_QUERY_PATTERN);
	test->kind = PP_TEST_PATTERN;
	if (compile_pattern(p, test) || advance(p)) {
		pp_query_test_free(test);
		return -1;
	}
	return add_test(p, test, index);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* FIELD in { ... } */
static int parse_set(struct parser *p, uint8_t field, uint32_t *index)
{
	struct pp_query_test test = { .kind = PP_TEST_TEXTS, .field = field };

	if (advance(p) || expect(p, PP_T_SET_OPEN, "'{'"))
		return -1;
	if (fields[field].kind == PP_IS_TEXT ? text_set(p, &test, true, index) :
					       number_set(p, field, index))
		return -1;
	return expect(p, PP_T_SET_CLOSE, "',' or '}'");
}

static int parse_field(struct parser *p, uint8_t *field)
{
	const struct pp_query_token *const t = &p->token;

	if (t->kind != PP_T_WORD)
		return unexpected(p, "a field");
	for (*field = 0; *field < PP_QUERY_FIELD_COUNT; ++*field)
		if (is_word(p, fields[*field].name))
			return advance(p);
	return pp_query_fail(p->error, t->at,
			     "no field is called '%.*s'; there are event type pid tid cpu time ip "
			     "addr period comm id", t->length < 40 ? (int)t->length : 40,
			     p->text + t->at);
}

static int parse_comparison(struct parser *p, uint32_t *index)
{
	struct pp_query_test test = { .kind = PP_TEST_TEXTS };
	struct pp_query_token op;
	uint8_t field = 0;

	if (p->tests++ == PP_QUERY_TESTS)
		return pp_query_fail(p->error, p->token.at, "more than %d comparisons",
				     PP_QUERY_TESTS);
	if (parse_field(p, &field))
		return -1;
	if (is_word(p, "in"))
		return parse_set(p, field, index);
	op = p->token;
	if (op.kind < PP_T_EQ || op.kind > PP_T_NO_MATCH)
		return unexpected(p, "an operator, such as ==,");
	if (fields[field].kind != PP_IS_TEXT) {
		if (op.kind == PP_T_MATCH || op.kind == PP_T_NO_MATCH)
			return pp_query_fail(p->error, op.at, "'%s' is a number: patterns are for "
					     "event, type and comm", fields[field].name);
		return advance(p) || compare_number(p, field, op.kind, index) ? -1 : 0;
	}
	test.field = field;
	test.negate = op.kind == PP_T_NE || op.kind == PP_T_NO_MATCH;
	if (op.kind >= PP_T_LT && op.kind <= PP_T_GE)
		return pp_query_fail(p->error, op.at, "'%s' is text: it compares with == != =~ !~ "
				     "and in", fields[field].name);
	if (advance(p))
		return -1;
	return op.kind == PP_T_EQ || op.kind == PP_T_NE ? text_set(p, &test, false, index) :
							  take_pattern(p, &test, index);
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static int parse_or(struct parser *, uint32_t *index);

/* The only recursion: its depth is bounded. */
static int parse_unary(struct parser *p, uint32_t *index)
{
	const enum pp_token_kind kind = p->token.kind;
	uint32_t inner = 0;

	*index = 0;
	if (kind != PP_T_NOT && kind != PP_T_OPEN)
		return parse_comparison(p, index);
	if (p->depth++ == PP_QUERY_DEPTH)
		return pp_query_fail(p->error, p->token.at, "nested more than %d deep",
				     PP_QUERY_DEPTH);
	if (advance(p))
		return -1;
	if (kind == PP_T_NOT) {
		if (parse_unary(p, &inner) || join(p, PP_NODE_NOT, inner, 0, index))
			return -1;
	} else if (parse_or(p, index) || expect(p, PP_T_CLOSE, "')'")) {
		return -1;
	}
	p->depth--;
	return 0;
}

static int parse_and(struct parser *p, uint32_t *index)
{
	uint32_t right = 0;

	if (parse_unary(p, index))
		return -1;
	while (p->token.kind == PP_T_AND)
		if (advance(p) || parse_unary(p, &right) ||
		    join(p, PP_NODE_AND, *index, right, index))
			return -1;
	return 0;
}

static int parse_or(struct parser *p, uint32_t *index)
{
	uint32_t right = 0;

	if (parse_and(p, index))
		return -1;
	while (p->token.kind == PP_T_OR)
		if (advance(p) || parse_and(p, &right) ||
		    join(p, PP_NODE_OR, *index, right, index))
			return -1;
	return 0;
}

int pp_query_parse(const char *text, struct pp_query_tree *tree, struct pp_query_error *error)
{
	struct parser p = { .text = text, .tree = tree, .error = error };

	*tree = (struct pp_query_tree){ .count = 0 };
	if (advance(&p))
		return -1;
	if (p.token.kind == PP_T_END)
		return pp_query_fail(error, p.token.at, "the expression is empty");
	if (parse_or(&p, &tree->root))
		return -1;
	return p.token.kind == PP_T_END ? 0 : unexpected(&p, "'&&' or '||'");
}
