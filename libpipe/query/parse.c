/* parse.c - tokens to a tree of comparisons whose types are right; compile.c makes it run. */
#include "base/array.h"
#include "query/parse.h"

#include <stdlib.h>

/* Arithmetic as it is read. */
struct code {
	struct pp_query_op ops[PP_QUERY_OPS];
	uint32_t n, loads;
	struct pp_query_operand last;          /* the field that was loaded last */
	size_t joint;                 /* place of the last & or |, which && and || resemble; or 0 */
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

int pp_query_advance(struct pp_query_parser *p)
{
	p->end = p->at;
	return pp_query_lex(p->text, &p->at, &p->token, p->error);
}

int pp_query_no_memory(const struct pp_query_parser *p)
{
	pp_query_say_memory(p->error);
	return -1;
}

static bool is_word(const struct pp_query_parser *p, const char *word)
{
	return p->token.kind == PP_T_WORD && strlen(word) == p->token.length &&
	       !memcmp(p->text + p->token.at, word, p->token.length);
}

/* "WHAT is expected here, not 'foo'" */
int pp_query_unexpected(const struct pp_query_parser *p, const char *what)
{
	const struct pp_query_token *t = &p->token;

	if (t->kind == PP_T_END)
		return pp_query_fail(p->error, t->at, "%s is missing", what);
	return pp_query_fail(p->error, t->at, "%s is expected here, not '%.*s'", what,
			     t->length < 40 ? (int)t->length : 40, p->text + t->at);
}

static int expect(struct pp_query_parser *p, enum pp_token_kind kind, const char *what)
{
	return p->token.kind == kind ? pp_query_advance(p) : pp_query_unexpected(p, what);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

/* A new node, and its index; NULL: no memory. */
static struct pp_query_node *add_node(struct pp_query_parser *p, enum pp_node_kind kind,
				      uint32_t *index)
{
	struct pp_query_tree *const tree = p->tree;

	if (PP_GROW(&tree->nodes, &tree->room, tree->count + 1, NULL))
		return NULL;
	*index = (uint32_t)tree->count++;
	tree->nodes[*index] = (struct pp_query_node){ .kind = (uint8_t)kind };
	return &tree->nodes[*index];
}

int pp_query_join_nodes(struct pp_query_parser *p, enum pp_node_kind kind, uint32_t left,
			uint32_t right, uint32_t *index)
{
	struct pp_query_node *node = add_node(p, kind, index);

	if (!node)
		return pp_query_no_memory(p);
	node->left = left;
	node->right = right;
	return 0;
}

/* A node that owns what the test owns; on failure it is freed. */
int pp_query_add_test(struct pp_query_parser *p, struct pp_query_test *test, uint32_t *index)
{
	struct pp_query_node *node = add_node(p, PP_NODE_TEST, index);

	if (!node) {
		pp_query_test_free(test);
		return pp_query_no_memory(p);
	}
	node->test = *test;
	return 0;
}

void pp_query_test_free(struct pp_query_test *test)
{
	for (uint32_t i = 0; test->texts && i < test->count; i++)
		free(test->texts[i]);
	pp_regex_free(test->pattern);
	free(test->texts);
	free(test->ranges);
	free(test->spans);
	free(test->memos);
	free(test->names);
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

/* ---- Fields ---------------------------------------------------------------------------------- */

/* Is a field whose kind only the stream knows compared with text?  The operator is next. */
static bool meets_text(const struct pp_query_parser *p)
{
	struct pp_error ignored;
	struct pp_query_parser ahead = *p;
	const bool set = is_word(p, "in");

	if (p->token.kind >= PP_T_MATCH && p->token.kind <= PP_T_GLOB)
		return true;
	ahead.error = &ignored;
	return (set || p->token.kind == PP_T_EQ || p->token.kind == PP_T_NE) &&
	       !pp_query_advance(&ahead) && (!set || !pp_query_advance(&ahead)) &&
	       ahead.token.kind == PP_T_STRING;
}

/* The field that is next, whatever it is. */
static int take_field(struct pp_query_parser *p, struct pp_query_operand *o)
{
	const struct pp_query_token *const t = &p->token;

	if (t->kind != PP_T_WORD)
		return pp_query_unexpected(p, "a field");
	*o = (struct pp_query_operand){ .at = t->at };
	for (o->field = 0; o->field < PP_QUERY_FIELD_COUNT; ++o->field) {
		o->name = pp_query_field_rows[o->field].name;
		o->kind = pp_query_field_rows[o->field].kind;
		if (!is_word(p, o->name))
			continue;
		o->path = pp_query_path_planned(o->field, &p->tree->paths);
		return o->path ? pp_query_advance(p) : pp_query_no_memory(p);
	}
	o->path = pp_query_path_find(p->text, t->at, t->length, &p->tree->paths, p->error);
	if (!o->path)
		return -1;
	o->name = o->path->name;
	o->kind = o->path->text ? PP_AS_TEXT : o->path->is_signed ? PP_AS_WIDE : PP_AS_WALKED;
	o->field = PP_QUERY_WALKED;
	if (pp_query_advance(p))
		return -1;
	if (o->path->is_trace)
		o->kind = meets_text(p) ? PP_AS_TEXT : PP_AS_WIDE;
	return 0;
}

/* One whose value is a number, or one of several in any(). */
static int take_number_field(struct pp_query_parser *p, struct pp_query_operand *o, bool any)
{
	if (take_field(p, o))
		return -1;
	if (o->kind == PP_AS_TEXT)
		return pp_query_fail(p->error, o->at, "'%s' is text, not a number", o->name);
	if (!o->path->number)
		return pp_query_fail(p->error, o->at, "'%.40s' is not a number; only defined() "
				     "accepts it", o->name);
	if (any && !o->path->many)
		return pp_query_fail(p->error, o->at, "'%.40s' has one value, so any() is not "
				     "needed",
				     o->name);
	o->path->trace.asked |= any ? PP_ASKED_ANY : PP_ASKED_NUMBER;
	if (!any && o->path->many && !o->path->is_trace)
		return pp_query_fail(p->error, o->at, "'%.40s' has several values: use any(%.40s), "
				     "or select one with [0]", o->name, o->name);
	return 0;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static int emit(struct pp_query_parser *p, struct code *code, struct pp_query_op op)
{
	if (code->n == PP_QUERY_OPS)
		return pp_query_fail(p->error, p->token.at, "more than %d parts on one side",
				     PP_QUERY_OPS);
	code->ops[code->n++] = op;
	return 0;
}

/* How closely an operator binds its two sides, from 1; 0: it is not arithmetic. */
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

static int parse_arithmetic(struct pp_query_parser *, struct code *, int least);

static int parse_term(struct pp_query_parser *p, struct code *code)
{
	const struct pp_query_token t = p->token;

	if (t.kind == PP_T_OPEN) {
		if (p->depth++ == PP_QUERY_DEPTH)
			return pp_query_fail(p->error, t.at, "nested more than %d deep",
					     PP_QUERY_DEPTH);
		if (pp_query_advance(p) || parse_arithmetic(p, code, 1) ||
		    expect(p, PP_T_CLOSE, "')'"))
			return -1;
		p->depth--;
		return 0;
	}
	if (t.kind == PP_T_NUMBER) {
		if (t.plus || t.percent)
			return pp_query_fail(p->error, t.at, t.plus ?
					     "a time from the first sample cannot be computed "
					     "with" :
					     "a percentage cannot be computed with");
		return pp_query_advance(p) ||
		       emit(p, code,
			    (struct pp_query_op){.kind = PP_OP_PUSH,
						 .value = t.minus ? -(pp_query_wide)t.number
								  : (pp_query_wide)t.number});
	}
	if (is_word(p, "any"))
		return pp_query_fail(p->error, t.at, "any() cannot be computed with");
	if (take_number_field(p, &code->last, false))
		return -1;
	code->loads++;
	return emit(p, code, (struct pp_query_op){ .kind = PP_OP_LOAD, .path = code->last.path,
						   .field = code->last.field });
}

/* Terms and what joins them as closely as `least`, or closer. */
static int parse_arithmetic(struct pp_query_parser *p, struct code *code, int least)
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
		} else if (pp_query_advance(p)) {
			return -1;
		}
		if (parse_arithmetic(p, code, close + 1) || emit(p, code, op))
			return -1;
	}
	return 0;
}

/* Is here a number by itself, or nothing that begins arithmetic? */
static bool is_plain(const struct pp_query_parser *p)
{
	struct pp_error ignored;
	struct pp_query_parser ahead = *p;

	ahead.error = &ignored;
	if (p->token.kind != PP_T_NUMBER)
		return p->token.kind != PP_T_WORD && p->token.kind != PP_T_OPEN;
	return pp_query_advance(&ahead) || !closeness(&ahead.token);
}

/* Is this parenthesis arithmetic: does an operator for numbers follow its end? */
static bool is_arithmetic(const struct pp_query_parser *p)
{
	struct pp_error ignored;
	struct pp_query_parser ahead = *p;
	size_t depth = 0;

	ahead.error = &ignored;
	do {
		depth += ahead.token.kind == PP_T_OPEN;
		depth -= ahead.token.kind == PP_T_CLOSE;
		if (ahead.token.kind == PP_T_END || pp_query_advance(&ahead))
			return false;
	} while (depth);
	return closeness(&ahead.token) || is_word(&ahead, "in") ||
	       (ahead.token.kind >= PP_T_EQ && ahead.token.kind <= PP_T_GE);
}

/* Moves the code into the test. */
static int keep_code(struct pp_query_parser *p, const struct code *code, struct pp_query_test *test)
{
	struct pp_query_op *ops = realloc(test->ops, (test->n_ops + code->n) * sizeof(*ops));

	if (!ops) {
		pp_query_test_free(test);
		return pp_query_no_memory(p);
	}
	memcpy(ops + test->n_ops, code->ops, code->n * sizeof(*ops));
	test->ops = ops;
	test->n_ops += code->n;
	return 0;
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* What comes after a number, which the test has to load by itself. */
static int parse_set(struct pp_query_parser *p, const struct pp_query_operand *o,
		     struct pp_query_test *test, uint32_t *index)
{
	if (test->kind == PP_TEST_RANGE)
		test->kind = PP_TEST_RANGES;
	if (pp_query_advance(p))
		goto fail;
	if (p->token.kind == PP_T_NUMBER || p->token.kind == PP_T_STRING) {
		struct pp_query_parser ahead = *p;

		if (pp_query_advance(&ahead))
			goto fail;
		if (ahead.token.kind == PP_T_TO)
			return pp_query_number_set(p, o, *test, false, index);
	}
	if (expect(p, PP_T_SET_OPEN, "'{'"))
		goto fail;
	return pp_query_number_set(p, o, *test, true, index)
		       ? -1
		       : expect(p, PP_T_SET_CLOSE, "',' or '}'");
fail:
	pp_query_test_free(test);
	return -1;
}

static int parse_text(struct pp_query_parser *p, const struct pp_query_operand *o,
		      struct pp_query_test test, uint32_t *index)
{
	const enum pp_token_kind op = p->token.kind;

	test.kind = op == PP_T_GLOB ? PP_TEST_GLOB :
		    op == PP_T_MATCH || op == PP_T_NO_MATCH ? PP_TEST_PATTERN : PP_TEST_TEXTS;
	test.negate = op == PP_T_NE || op == PP_T_NO_MATCH;
	if (is_word(p, "in"))
		return pp_query_advance(p) || expect(p, PP_T_SET_OPEN, "'{'") ||
		       pp_query_text_set(p, &test, true, index) ?
			       -1 : expect(p, PP_T_SET_CLOSE, "',' or '}'");
	if (op < PP_T_EQ || op > PP_T_GLOB)
		return pp_query_unexpected(p, "an operator, such as ==,");
	if (op >= PP_T_LT && op <= PP_T_GE)
		return pp_query_fail(p->error, p->token.at, "'%s' is text: it compares with == != "
				     "=~ !~ ~ and in", o->name);
	if (pp_query_advance(p))
		return -1;
	return test.kind == PP_TEST_TEXTS ? pp_query_text_set(p, &test, false, index) :
					    pp_query_take_pattern(p, &test, index);
}

/* NUMBER OP ARITHMETIC */
static int compare_code(struct pp_query_parser *p, const struct code *left, enum pp_token_kind op,
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
	return keep_code(p, &right, &test) ? -1 : pp_query_add_test(p, &test, index);
}

/* The left side is read; the test says how to load it. */
static int parse_number(struct pp_query_parser *p, const struct pp_query_operand *o,
			const struct code *left, struct pp_query_test test, uint32_t *index)
{
	const struct pp_query_token op = p->token;

	if (is_word(p, "in"))
		return parse_set(p, o, &test, index);
	if (op.kind < PP_T_EQ || op.kind > PP_T_GLOB)
		pp_query_unexpected(p, "an operator, such as ==,");
	else if (op.kind > PP_T_GE && test.ops)
		pp_query_say(p->error, op.at,
			     "a computed value is a number: patterns are for text");
	else if (op.kind > PP_T_GE)
		pp_query_say(p->error, op.at, "'%.40s' is a number: patterns are for text",
			     o->name);
	else if (!pp_query_advance(p))
		return left && (test.ops || !is_plain(p)) ?
			       compare_code(p, left, op.kind, test, index) :
			       pp_query_compare_number(p, o, op.kind, test, index);
	pp_query_test_free(&test);
	return -1;
}

/* FIELD or any(FIELD), followed by an operator; or arithmetic. */
static int parse_left(struct pp_query_parser *p, struct pp_query_test test, uint32_t *index)
{
	const struct pp_query_token first = p->token;
	struct code code = { .n = 0 };
	struct pp_query_operand computed = { .name = "the left side", .kind = PP_AS_WALKED };

	if (parse_arithmetic(p, &code, 1))
		return -1;
	if (!code.loads) {
		p->token = first;
		return pp_query_unexpected(p, "a field");
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
static bool is_call(const struct pp_query_parser *p, const char *name)
{
	struct pp_error ignored;
	struct pp_query_parser ahead = *p;

	ahead.error = &ignored;
	return is_word(p, name) && !pp_query_advance(&ahead) &&
	       ahead.token.kind == PP_T_OPEN;
}

static int parse_call(struct pp_query_parser *p, struct pp_query_test test, uint32_t *index)
{
	const bool any = is_word(p, "any");
	struct pp_query_operand o;

	if (pp_query_advance(p) || expect(p, PP_T_OPEN, "'('") ||
	    (any ? take_number_field(p, &o, true) : take_field(p, &o)) ||
	    expect(p, PP_T_CLOSE, "')'"))
		return -1;
	test.kind = any ? PP_TEST_ANY : PP_TEST_DEFINED;
	test.field = o.field;
	test.path = o.path;
	return any ? parse_number(p, &o, NULL, test, index) : pp_query_add_test(p, &test, index);
}

/* children_of(PID) */
static int parse_descent(struct pp_query_parser *p, struct pp_query_test test, uint32_t *index)
{
	if (pp_query_advance(p) || expect(p, PP_T_OPEN, "'('"))
		return -1;
	if (p->token.kind != PP_T_NUMBER || p->token.plus || p->token.minus ||
	    p->token.number > INT32_MAX)
		return pp_query_unexpected(p, "the number of a process");
	test.kind = PP_TEST_DESCENT;
	test.field = PP_QUERY_PID;
	test.range.low = p->token.number;
	test.path = pp_query_path_planned(PP_QUERY_PID, &p->tree->paths);
	if (!test.path)
		return pp_query_no_memory(p);
	return pp_query_advance(p) || expect(p, PP_T_CLOSE, "')'") ?
		       -1 : pp_query_add_test(p, &test, index);
}

/* A comparison that begins with a name, or with what computes. */
static int parse_plain(struct pp_query_parser *p, struct pp_query_test test, uint32_t *index)
{
	const struct pp_query_parser before = *p;
	struct pp_query_operand o;

	if (p->token.kind == PP_T_WORD) {
		if (take_field(p, &o))
			return -1;
		if (o.kind == PP_AS_TEXT) {
			o.path->trace.asked |= PP_ASKED_TEXT;
			test.field = o.field;
			test.path = o.path;
			return parse_text(p, &o, test, index);
		}
		*p = before;
	}
	return parse_left(p, test, index);
}

static int parse_comparison(struct pp_query_parser *p, uint32_t *index)
{
	const struct pp_query_test test = { .kind = PP_TEST_RANGE, .at = p->token.at };
	const size_t before = p->tree->count;
	int status;

	if (p->tests++ == PP_QUERY_TESTS)
		return pp_query_fail(p->error, p->token.at, "more than %d comparisons",
				     PP_QUERY_TESTS);
	status = is_call(p, "any") || is_call(p, "defined") ? parse_call(p, test, index) :
		 is_call(p, "children_of") ? parse_descent(p, test, index) :
					     parse_plain(p, test, index);
	for (size_t i = before; i < p->tree->count; i++)
		p->tree->nodes[i].test.length = p->end - test.at;
	return status;
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static int parse_or(struct pp_query_parser *, uint32_t *index);

/* The only recursion: its depth is bounded. */
static int parse_unary(struct pp_query_parser *p, uint32_t *index)
{
	const enum pp_token_kind kind = p->token.kind;
	uint32_t inner = 0;

	*index = 0;
	if (kind != PP_T_NOT && (kind != PP_T_OPEN || is_arithmetic(p)))
		return parse_comparison(p, index);
	if (p->depth++ == PP_QUERY_DEPTH)
		return pp_query_fail(p->error, p->token.at, "nested more than %d deep",
				     PP_QUERY_DEPTH);
	if (pp_query_advance(p))
		return -1;
	if (kind == PP_T_NOT) {
		if (parse_unary(p, &inner) || pp_query_join_nodes(p, PP_NODE_NOT, inner, 0, index))
			return -1;
	} else if (parse_or(p, index) || expect(p, PP_T_CLOSE, "')'")) {
		return -1;
	}
	p->depth--;
	return 0;
}

static int parse_and(struct pp_query_parser *p, uint32_t *index)
{
	uint32_t right = 0;

	if (parse_unary(p, index))
		return -1;
	while (p->token.kind == PP_T_AND)
		if (pp_query_advance(p) || parse_unary(p, &right) ||
		    pp_query_join_nodes(p, PP_NODE_AND, *index, right, index))
			return -1;
	return 0;
}

static int parse_or(struct pp_query_parser *p, uint32_t *index)
{
	uint32_t right = 0;

	if (parse_and(p, index))
		return -1;
	while (p->token.kind == PP_T_OR)
		if (pp_query_advance(p) || parse_and(p, &right) ||
		    pp_query_join_nodes(p, PP_NODE_OR, *index, right, index))
			return -1;
	return 0;
}

int pp_query_parse(const char *text, struct pp_query_tree *tree, struct pp_error *error)
{
	struct pp_query_parser p = { .text = text, .tree = tree, .error = error };

	*tree = (struct pp_query_tree){ .count = 0 };
	if (pp_query_advance(&p))
		return -1;
	if (p.token.kind == PP_T_END)
		return pp_query_fail(error, p.token.at, "the expression is empty");
	if (parse_or(&p, &tree->root))
		return -1;
	return p.token.kind == PP_T_END ? 0 : pp_query_unexpected(&p, "'&&' or '||'");
}
