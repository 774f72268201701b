/* parse.c - tokens to a tree of comparisons whose types are right; compile.c makes it run. */
#include "query.h"

#include <stdlib.h>

/* What a comparison asks for. */
struct operand {
	const char *name;
	const struct pp_query_path *path;  /* of a WALKED field */
	enum pp_query_kind kind;
	uint8_t field;
	size_t at;
};

/* Arithmetic as it is read. */
struct code {
	struct pp_query_op ops[PP_QUERY_OPS];
	uint32_t n, loads;
	struct operand last;          /* the field that was loaded last */
	size_t joint;                 /* place of the last & or |, which && and || resemble; or 0 */
};

struct parser {
	const char *text;
	size_t at;                    /* behind `token` */
	size_t end;                   /* behind the one before it */
	struct pp_query_token token;  /* the next one */
	size_t tests, depth;
	struct pp_query_tree *tree;
	struct pp_query_error *error;
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

static int advance(struct parser *p)
{
	p->end = p->at;
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
	free(test->ops);
	*test = (struct pp_query_test){ .count = 0 };
}

void pp_query_tree_free(struct pp_query_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		pp_query_test_free(&tree->nodes[i].test);
	free(tree->nodes);
	pp_query_paths_free(tree->paths);
	*tree = (struct pp_query_tree){ .count = 0 };
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* What a time that is not absolute counts from becomes *field; *value gets the bias. */
static int take_base(struct parser *p, uint64_t *value, uint8_t *field)
{
	const struct pp_query_token *const t = &p->token;

	*field = t->percent ? PP_QUERY_PART : t->plus ? PP_QUERY_SINCE : PP_QUERY_UNTIL;
	if (t->percent && (t->plus || t->minus || t->number > 100 * PP_QUERY_PERCENT))
		return pp_query_fail(p->error, t->at, "a part is from 0%% to 100%%");
	if (t->number > INT64_MAX)
		return pp_query_fail(p->error, t->at, "the time does not fit in 64 bits");
	*value = (t->minus ? -t->number : t->number) + PP_QUERY_BIAS;
	return 0;
}

static int take_wall_clock(struct parser *p, uint64_t *value)
{
	char *const text = pp_query_string(p->text, &p->token);
	bool good;

	if (!text)
		return no_memory(p);
	good = pp_query_wall_clock(text, value);
	free(text);
	return good ? advance(p) : pp_query_fail(p->error, p->token.at, "no time of the wall clock, "
						 "such as \"2026-11-21 10:00:05.5\"");
}

/* The value of the token for the field, biased where the field is.  *field changes where a time is
 * no absolute one. */
static int number(struct parser *p, const struct operand *o, uint64_t *value, uint8_t *field)
{
	const enum pp_query_kind kind = o->kind;
	const char *const name = o->name;
	const struct pp_query_token *const t = &p->token;

	if (t->kind == PP_T_STRING && kind == PP_IS_TIME) {
		*field = PP_QUERY_WALL;
		return take_wall_clock(p, value);
	}
	if (t->kind != PP_T_NUMBER)
		return unexpected(p, "a number");
	*value = t->number;
	if (t->unit && kind != PP_IS_TIME && kind != PP_IS_WALKED)
		return pp_query_fail(p->error, t->at, "'%s' has no unit", name);
	if (t->size && kind == PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "units of time are s, ms, us and ns");
	if (t->plus && kind != PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "only a time can count from the first sample");
	if (t->percent && kind != PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "only a time can be a part of the whole");
	if (t->minus && kind != PP_IS_SIGNED && kind != PP_IS_TIME)
		return pp_query_fail(p->error, t->at, "'%s' is never negative", name);
	if (t->plus || t->percent || (t->minus && kind == PP_IS_TIME)) {
		if (take_base(p, value, field))
			return -1;
	} else if (kind == PP_IS_SIGNED) {
		if (t->number > (t->minus ? UINT64_C(1) << 31 : UINT32_MAX))
			return pp_query_fail(p->error, t->at, "'%s' has 32 bits", name);
		/* 4294967295 is -1, as some tools show it. */
		*value = (t->minus ? -t->number : (uint64_t)(int32_t)t->number) + PP_QUERY_BIAS;
	}
	return advance(p);
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

/* FIELD OP NUMBER: all of them are one range, or all but one range. */
static int compare_number(struct parser *p, const struct operand *o, enum pp_token_kind op,
			  struct pp_query_test test, uint32_t *index)
{
	struct pp_query_range *const r = &test.range;
	uint64_t value;

	if (number(p, o, &value, &test.field))
		return -1;
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
	if (test.kind == PP_TEST_ANY && add_range(p, &test, *r))
		return -1;
	return add_test(p, &test, index);
}

/* The sets of one "in": of values as they are, and of times by what they count from. */
enum { SETS = 1 + PP_QUERY_WALL - PP_QUERY_SINCE + 1 };

static struct pp_query_test *set_for(struct pp_query_test sets[SETS], uint8_t field)
{
	return &sets[field < PP_QUERY_SINCE || field > PP_QUERY_WALL ? 0 : 1 + field - PP_QUERY_SINCE];
}

static int take_range(struct parser *p, const struct operand *o, struct pp_query_test sets[SETS])
{
	const size_t at = p->token.at;
	struct pp_query_range range;
	uint8_t low = sets->field, high = sets->field;

	if (number(p, o, &range.low, &low))
		return -1;
	range.high = range.low;
	if (p->token.kind == PP_T_TO) {
		if (advance(p) || number(p, o, &range.high, &high))
			return -1;
		if (low != high)
			return pp_query_fail(p->error, at, "both ends of a range count from the same point");
		if (range.low > range.high)
			return pp_query_fail(p->error, at, "the range ends before it begins");
	}
	return add_range(p, set_for(sets, low), range);
}

/* `set` is taken over; without braces it is one range. */
static int number_set(struct parser *p, const struct operand *o, struct pp_query_test set,
		      bool braces, uint32_t *index)
{
	struct pp_query_test sets[SETS] = { set };
	bool begun = false;
	uint32_t other;
	int status;

	for (uint8_t i = 1; i < SETS; i++)
		sets[i] = (struct pp_query_test){ .kind = PP_TEST_RANGES, .at = set.at,
						  .field = (uint8_t)(PP_QUERY_SINCE + i - 1) };
	while (!(status = take_range(p, o, sets)) && braces && p->token.kind == PP_T_COMMA)
		if ((status = advance(p)))
			break;
	for (size_t i = 0; i < SETS; i++) {
		if (status || !sets[i].count) {
			pp_query_test_free(&sets[i]);
			continue;
		}
		status = add_test(p, &sets[i], begun ? &other : index);
		if (!status && begun)
			status = join(p, PP_NODE_OR, *index, other, index);
		begun = true;
	}
	return status;
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

static int check_mode(struct parser *p, const char *name)
{
	if (pp_query_mode_named(name))
		return 0;
	return pp_query_fail(p->error, p->token.at, "no mode is called '%.40s'; there are user, "
			     "kernel, guest, guest_user and hypervisor", name);
}

static int check_text(struct parser *p, uint8_t field, char *text)
{
	return field == PP_QUERY_TYPE ? check_type(p, text) :
	       field == PP_QUERY_MODE ? check_mode(p, text) : 0;
}

/* The string that is next, which is not a pattern; the caller frees it.  Where all that there can
 * be is known it needs no quotes. */
static int take_text(struct parser *p, uint8_t field, char **text)
{
	const struct pp_query_token *const t = &p->token;
	const bool bare = t->kind == PP_T_WORD &&
			  (field == PP_QUERY_TYPE || field == PP_QUERY_MODE);

	*text = NULL;
	if (t->kind == PP_T_WORD && !bare)
		return pp_query_fail(p->error, t->at, "a string stands in quotes: \"%.*s\"",
				     t->length < 40 ? (int)t->length : 40, p->text + t->at);
	if (t->kind != PP_T_STRING && !bare)
		return unexpected(p, "a string");
	if (t->odd)
		return pp_query_fail(p->error, t->odd,
				     "only a pattern has this escape; a backslash is \\\\");
	*text = bare ? strndup(p->text + t->at, t->length) : pp_query_string(p->text, t);
	if (!*text)
		return no_memory(p);
	if (!check_text(p, field, *text) && !advance(p))
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
	if (test->kind == PP_TEST_GLOB) {
		test->texts = calloc(1, sizeof(*test->texts));
		test->count = test->texts != NULL;
		if (!test->texts || !(*test->texts = pp_query_string(p->text, &p->token))) {
			pp_query_test_free(test);
			return no_memory(p);
		}
	}
	if ((test->kind == PP_TEST_PATTERN && compile_pattern(p, test)) || advance(p)) {
		pp_query_test_free(test);
		return -1;
	}
	return add_test(p, test, index);
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* The field that is next, whatever it is. */
static int take_field(struct parser *p, struct operand *o)
{
	const struct pp_query_token *const t = &p->token;

	if (t->kind != PP_T_WORD)
		return unexpected(p, "a field");
	*o = (struct operand){ .at = t->at };
	for (o->field = 0; o->field < PP_QUERY_FIELD_COUNT; ++o->field) {
		o->name = pp_query_field_rows[o->field].name;
		o->kind = pp_query_field_rows[o->field].kind;
		if (is_word(p, o->name))
			return advance(p);
	}
	o->path = pp_query_path_find(p->text, t->at, t->length, &p->tree->paths, p->error);
	if (!o->path)
		return -1;
	o->name = o->path->name;
	o->kind = PP_IS_WALKED;
	o->field = PP_QUERY_WALKED;
	return advance(p);
}

/* One whose value is a number, or one of several in any(). */
static int take_number_field(struct parser *p, struct operand *o, bool any)
{
	if (take_field(p, o))
		return -1;
	if (o->kind == PP_IS_TEXT)
		return pp_query_fail(p->error, o->at, "'%s' is text, not a number", o->name);
	if (o->path && !o->path->number)
		return pp_query_fail(p->error, o->at, "'%.40s' is no number; only defined() "
				     "asks for it", o->name);
	if (any && !(o->path && o->path->many))
		return pp_query_fail(p->error, o->at, "'%.40s' has one value, which needs no any()",
				     o->name);
	if (!any && o->path && o->path->many)
		return pp_query_fail(p->error, o->at, "'%.40s' has many values: ask any(%.40s), or "
				     "one of them by [0]", o->name, o->name);
	return 0;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static int emit(struct parser *p, struct code *code, struct pp_query_op op)
{
	if (code->n == PP_QUERY_OPS)
		return pp_query_fail(p->error, p->token.at, "more than %d parts on one side",
				     PP_QUERY_OPS);
	code->ops[code->n++] = op;
	return 0;
}

/* How close an operator binds its two sides, from 1; 0: it is none of arithmetic. */
static int closeness(const struct pp_query_token *t)
{
	switch (t->kind) {
	case PP_T_TIMES: case PP_T_OVER: case PP_T_MODULO:
		return 4;
	case PP_T_PLUS: case PP_T_MINUS:
		return 3;
	case PP_T_NUMBER:             /* the +1 of "ip +1" */
		return t->plus || t->minus ? 3 : 0;
	case PP_T_BOTH:
		return 2;
	default:
		return t->kind == PP_T_EITHER;
	}
}

static int parse_arithmetic(struct parser *, struct code *, int least);

static int parse_term(struct parser *p, struct code *code)
{
	const struct pp_query_token t = p->token;

	if (t.kind == PP_T_OPEN) {
		if (p->depth++ == PP_QUERY_DEPTH)
			return pp_query_fail(p->error, t.at, "nested more than %d deep",
					     PP_QUERY_DEPTH);
		if (advance(p) || parse_arithmetic(p, code, 1) || expect(p, PP_T_CLOSE, "')'"))
			return -1;
		p->depth--;
		return 0;
	}
	if (t.kind == PP_T_NUMBER) {
		if (t.plus || t.percent)
			return pp_query_fail(p->error, t.at, t.plus ?
					     "a time from the first sample stands alone" :
					     "a part of the whole stands alone");
		return advance(p) || emit(p, code, (struct pp_query_op){ .kind = PP_OP_PUSH,
			.value = t.minus ? -(pp_query_wide)t.number : (pp_query_wide)t.number });
	}
	if (is_word(p, "any"))
		return pp_query_fail(p->error, t.at, "any() stands alone before an operator");
	if (take_number_field(p, &code->last, false))
		return -1;
	code->loads++;
	return emit(p, code, (struct pp_query_op){ .kind = PP_OP_LOAD, .path = code->last.path,
						   .field = code->last.field });
}

/* Terms and what joins them as closely as `least`, or closer. */
static int parse_arithmetic(struct parser *p, struct code *code, int least)
{
	static const uint8_t kinds[] = {
		[PP_T_PLUS] = PP_OP_ADD, [PP_T_MINUS] = PP_OP_SUBTRACT,
		[PP_T_TIMES] = PP_OP_MULTIPLY, [PP_T_OVER] = PP_OP_DIVIDE,
		[PP_T_MODULO] = PP_OP_MODULO, [PP_T_BOTH] = PP_OP_AND, [PP_T_EITHER] = PP_OP_OR,
	};
	int close;

	if (parse_term(p, code))
		return -1;
	while ((close = closeness(&p->token)) >= least) {
		struct pp_query_op op = { .kind = kinds[p->token.kind] };

		if (close < 3)
			code->joint = p->token.at;
		if (p->token.kind == PP_T_NUMBER) {
			op.kind = p->token.plus ? PP_OP_ADD : PP_OP_SUBTRACT;
			p->token.plus = p->token.minus = false;
		} else if (advance(p)) {
			return -1;
		}
		if (parse_arithmetic(p, code, close + 1) || emit(p, code, op))
			return -1;
	}
	return 0;
}

/* Does a number stand here by itself, or nothing that begins arithmetic? */
static bool is_plain(const struct parser *p)
{
	struct pp_query_error ignored;
	struct parser ahead = *p;

	ahead.error = &ignored;
	if (p->token.kind != PP_T_NUMBER)
		return p->token.kind != PP_T_WORD && p->token.kind != PP_T_OPEN;
	return advance(&ahead) || !closeness(&ahead.token);
}

/* Is the parenthesis here one of arithmetic: what follows its end goes on with a number? */
static bool is_arithmetic(const struct parser *p)
{
	struct pp_query_error ignored;
	struct parser ahead = *p;
	size_t depth = 0;

	ahead.error = &ignored;
	do {
		depth += ahead.token.kind == PP_T_OPEN;
		depth -= ahead.token.kind == PP_T_CLOSE;
		if (ahead.token.kind == PP_T_END || advance(&ahead))
			return false;
	} while (depth);
	return closeness(&ahead.token) || is_word(&ahead, "in") ||
	       (ahead.token.kind >= PP_T_EQ && ahead.token.kind <= PP_T_GE);
}

/* Moves the code into the test. */
static int keep_code(struct parser *p, const struct code *code, struct pp_query_test *test)
{
	struct pp_query_op *ops = realloc(test->ops, (test->n_ops + code->n) * sizeof(*ops));

	if (!ops) {
		pp_query_test_free(test);
		return no_memory(p);
	}
	memcpy(ops + test->n_ops, code->ops, code->n * sizeof(*ops));
	test->ops = ops;
	test->n_ops += code->n;
	return 0;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* What comes behind a number, which the test has to load by itself. */
static int parse_set(struct parser *p, const struct operand *o, struct pp_query_test *test,
		     uint32_t *index)
{
	if (test->kind == PP_TEST_RANGE)
		test->kind = PP_TEST_RANGES;
	if (advance(p))
		goto fail;
	if (p->token.kind == PP_T_NUMBER || p->token.kind == PP_T_STRING) {
		struct parser ahead = *p;

		if (advance(&ahead))
			goto fail;
		if (ahead.token.kind == PP_T_TO)
			return number_set(p, o, *test, false, index);
	}
	if (expect(p, PP_T_SET_OPEN, "'{'"))
		goto fail;
	return number_set(p, o, *test, true, index) ? -1 : expect(p, PP_T_SET_CLOSE, "',' or '}'");
fail:
	pp_query_test_free(test);
	return -1;
}

static int parse_text(struct parser *p, const struct operand *o, struct pp_query_test test,
		      uint32_t *index)
{
	const enum pp_token_kind op = p->token.kind;

	test.kind = op == PP_T_GLOB ? PP_TEST_GLOB :
		    op == PP_T_MATCH || op == PP_T_NO_MATCH ? PP_TEST_PATTERN : PP_TEST_TEXTS;
	test.negate = op == PP_T_NE || op == PP_T_NO_MATCH;
	if (is_word(p, "in"))
		return advance(p) || expect(p, PP_T_SET_OPEN, "'{'") ||
		       text_set(p, &test, true, index) ?
			       -1 : expect(p, PP_T_SET_CLOSE, "',' or '}'");
	if (op < PP_T_EQ || op > PP_T_GLOB)
		return unexpected(p, "an operator, such as ==,");
	if (op >= PP_T_LT && op <= PP_T_GE)
		return pp_query_fail(p->error, p->token.at, "'%s' is text: it compares with == != "
				     "=~ !~ ~ and in", o->name);
	if (advance(p))
		return -1;
	return test.kind == PP_TEST_TEXTS ? text_set(p, &test, false, index) :
					    take_pattern(p, &test, index);
}

/* NUMBER OP ARITHMETIC */
static int compare_code(struct parser *p, const struct code *left, enum pp_token_kind op,
			struct pp_query_test test, uint32_t *index)
{
	struct code right = { .n = 0 };

	if (parse_arithmetic(p, &right, 1)) {
		pp_query_test_free(&test);
		return -1;
	}
	if (right.joint && p->token.kind >= PP_T_EQ && p->token.kind <= PP_T_GLOB) {
		const char c = p->text[right.joint];

		pp_query_test_free(&test);
		return pp_query_fail(p->error, right.joint, "'%c' joins numbers; '%c%c' joins "
				     "comparisons", c, c, c);
	}
	if ((!test.ops && keep_code(p, left, &test)))
		return -1;
	test.left = test.n_ops;
	test.kind = PP_TEST_COMPARE;
	test.field = PP_QUERY_COMPUTED;
	test.compare = (uint8_t)op;
	return keep_code(p, &right, &test) ? -1 : add_test(p, &test, index);
}

/* The left side is read; the test tells how to load it. */
static int parse_number(struct parser *p, const struct operand *o, const struct code *left,
			struct pp_query_test test, uint32_t *index)
{
	const struct pp_query_token op = p->token;

	if (is_word(p, "in"))
		return parse_set(p, o, &test, index);
	if (op.kind < PP_T_EQ || op.kind > PP_T_GLOB)
		unexpected(p, "an operator, such as ==,");
	else if (op.kind > PP_T_GE && test.ops)
		pp_query_say(p->error, op.at,
			     "a computed value is a number: patterns are for text");
	else if (op.kind > PP_T_GE)
		pp_query_say(p->error, op.at, "'%.40s' is a number: patterns are for text",
			     o->name);
	else if (!advance(p))
		return left && (test.ops || !is_plain(p)) ?
			       compare_code(p, left, op.kind, test, index) :
			       compare_number(p, o, op.kind, test, index);
	pp_query_test_free(&test);
	return -1;
}

/* FIELD or any(FIELD), behind which an operator comes; or arithmetic. */
static int parse_left(struct parser *p, struct pp_query_test test, uint32_t *index)
{
	const struct pp_query_token first = p->token;
	struct code code = { .n = 0 };
	struct operand computed = { .name = "the left side", .kind = PP_IS_WALKED };

	if (parse_arithmetic(p, &code, 1))
		return -1;
	if (!code.loads) {
		p->token = first;
		return unexpected(p, "a field");
	}
	if (code.n == 1) {
		test.field = code.last.field;
		test.path = code.last.path;
		return parse_number(p, &code.last, &code, test, index);
	}
	test.field = PP_QUERY_COMPUTED;
	return keep_code(p, &code, &test) ? -1 : parse_number(p, &computed, &code, test, index);
}

/* any(FIELD) or defined(FIELD): the name of the function is next. */
static bool is_call(const struct parser *p, const char *name)
{
	struct pp_query_error ignored;
	struct parser ahead = *p;

	ahead.error = &ignored;
	return is_word(p, name) && !advance(&ahead) && ahead.token.kind == PP_T_OPEN;
}

static int parse_call(struct parser *p, struct pp_query_test test, uint32_t *index)
{
	const bool any = is_word(p, "any");
	struct operand o;

	if (advance(p) || expect(p, PP_T_OPEN, "'('") ||
	    (any ? take_number_field(p, &o, true) : take_field(p, &o)) ||
	    expect(p, PP_T_CLOSE, "')'"))
		return -1;
	/* An array without elements is defined as well. */
	if (!any && o.path && o.path->many)
		p->tree->paths->number = false;
	test.kind = any ? PP_TEST_ANY : PP_TEST_DEFINED;
	test.field = o.field;
	test.path = o.path;
	return any ? parse_number(p, &o, NULL, test, index) : add_test(p, &test, index);
}

/* Is the next word a field of text? */
static bool is_text_field(const struct parser *p)
{
	for (size_t i = 0; i < PP_QUERY_FIELD_COUNT; i++)
		if (is_word(p, pp_query_field_rows[i].name))
			return pp_query_field_rows[i].kind == PP_IS_TEXT;
	return false;
}

static int parse_comparison(struct parser *p, uint32_t *index)
{
	struct pp_query_test test = { .kind = PP_TEST_RANGE, .at = p->token.at };
	const size_t before = p->tree->count;
	struct operand o;
	int status;

	if (p->tests++ == PP_QUERY_TESTS)
		return pp_query_fail(p->error, p->token.at, "more than %d comparisons",
				     PP_QUERY_TESTS);
	if (is_call(p, "any") || is_call(p, "defined")) {
		status = parse_call(p, test, index);
	} else if (is_text_field(p)) {
		if (take_field(p, &o))
			return -1;
		test.field = o.field;
		status = parse_text(p, &o, test, index);
	} else {
		status = parse_left(p, test, index);
	}
	for (size_t i = before; i < p->tree->count; i++)
		p->tree->nodes[i].test.length = p->end - test.at;
	return status;
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static int parse_or(struct parser *, uint32_t *index);

/* The only recursion: its depth is bounded. */
static int parse_unary(struct parser *p, uint32_t *index)
{
	const enum pp_token_kind kind = p->token.kind;
	uint32_t inner = 0;

	*index = 0;
	if (kind != PP_T_NOT && (kind != PP_T_OPEN || is_arithmetic(p)))
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
