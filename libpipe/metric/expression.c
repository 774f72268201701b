/* expression.c - perf's language of metrics to operations. */
#include "base/array.h"
#include "metric/metric.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token { T_END, T_NUMBER, T_NAME, T_LITERAL, T_SIGN };

struct parser {
	struct pp_metric_expression *to;
	struct pp_error *error;
	const char *text;
	size_t at, next;              /* where the token begins, and what follows it */
	size_t values;                /* on the stack, after the operations so far */
	double number;
	unsigned runtime, nest;
	enum token token;
};

int pp_metric_fail(struct pp_error *error, size_t at, const char *format, ...)
{
	char text[sizeof(error->detail)];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)pp_fail(error, PP_E_USE, "%s", text);
	return pp_error_point(error, at);
}

int pp_metric_no_memory(struct pp_error *error)
{
	return pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static bool is_symbol(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (c && strchr("_.:@?", c));
}

/* Where the name that begins here ends.  A backslash keeps what follows it: "event\=0x1\,umask\=1". */
static size_t name_end(const char *text, size_t at)
{
	for (;; at++) {
		if (text[at] == '\\' && text[at + 1] > ' ')
			at++;
		else if (!is_symbol(text[at]))
			return at;
	}
}

/* A number, unless it goes on as a name does: "1e9", but "2nd_event". */
static bool take_number(struct parser *p)
{
	const char *const end = pp_metric_number(p->text + p->at, &p->number);

	if (!end || name_end(p->text, p->at) > (size_t)(end - p->text))
		return false;
	p->next = (size_t)(end - p->text);
	p->token = T_NUMBER;
	return true;
}

static int advance(struct parser *p)
{
	const char *const text = p->text;

	p->at = p->next;
	while (text[p->at] == ' ' || text[p->at] == '\t' || text[p->at] == '\n' || text[p->at] == '\r')
		p->at++;
	p->next = p->at + 1;
	if (!text[p->at]) {
		p->token = T_END;
		p->next = p->at;
		return 0;
	}
	if (take_number(p))
		return 0;
	p->token = text[p->at] == '#' ? T_LITERAL : T_NAME;
	p->next = name_end(text, p->at + (p->token == T_LITERAL));
	if (p->token == T_LITERAL && p->next == p->at + 1)
		return pp_metric_fail(p->error, p->at, "a name has to follow #");
	if (p->next > p->at)
		return 0;
	if (!strchr("|^&<>=-+*/%(),", text[p->at]))
		return pp_metric_fail(p->error, p->at, "'%c' belongs to no metric",
				      (unsigned char)text[p->at] < 0x7f && text[p->at] > ' ' ?
				      text[p->at] : '?');
	p->token = T_SIGN;
	p->next = p->at + 1;
	if (text[p->at] == '=') {
		if (text[p->at + 1] != '=')
			return pp_metric_fail(p->error, p->at, "= is written == here, and \\= in a name");
		p->next++;
	}
	return 0;
}

static bool is_sign(const struct parser *p, char sign)
{
	return p->token == T_SIGN && p->text[p->at] == sign;
}

static bool is_word(const struct parser *p, const char *word)
{
	return p->token == T_NAME && strlen(word) == p->next - p->at &&
	       !memcmp(p->text + p->at, word, p->next - p->at);
}

static int unexpected(const struct parser *p, const char *what)
{
	const size_t length = p->next - p->at;

	if (p->token == T_END)
		return pp_metric_fail(p->error, p->at, "%s is missing", what);
	return pp_metric_fail(p->error, p->at, "%s is expected here, not '%.*s'", what,
			      length < 40 ? (int)length : 40, p->text + p->at);
}

static int expect(struct parser *p, char sign, const char *what)
{
	return is_sign(p, sign) ? advance(p) : unexpected(p, what);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Appends an operation that takes `takes` values and puts one. */
static int emit(struct parser *p, struct pp_metric_op op, size_t takes)
{
	struct pp_metric_expression *const to = p->to;

	p->values += 1 - takes;
	if (p->values > PP_METRIC_STACK)
		return pp_metric_fail(p->error, op.at, "more than %d values wait for others",
				      PP_METRIC_STACK);
	if (PP_GROW(&to->ops, &to->op_room, to->n_ops + 1, NULL))
		return pp_metric_no_memory(p->error);
	to->ops[to->n_ops++] = op;
	return 0;
}

/* The name of the token, as the grammar of events has it; NULL: no memory. */
static char *plain_name(const struct parser *p)
{
	const char *from = p->text + p->at, *const end = p->text + p->next;
	char *const name = malloc((size_t)(end - from) * 10 + 1), *to = name;

	for (; name && from < end; from++) {
		if (*from == '?') {
			to += sprintf(to, "%u", p->runtime);
			continue;
		}
		if (*from == '\\' && from + 1 < end)
			from++;
		else if (*from == '@') {
			*to++ = '/';
			continue;
		}
		*to++ = *from;
	}
	if (name)
		*to = '\0';
	return name;
}

/* Appends an operation that asks for the name of the token. */
static int emit_name(struct parser *p, enum pp_metric_op_kind kind)
{
	struct pp_metric_expression *const to = p->to;
	struct pp_metric_op op = { .kind = (uint8_t)kind, .at = (uint32_t)p->at };
	char *const name = plain_name(p);

	if (!name)
		return pp_metric_no_memory(p->error);
	while (op.name < to->n_names && strcmp(to->names[op.name], name))
		op.name++;
	if (op.name < to->n_names) {
		free(name);
	} else if (to->n_names == PP_METRIC_NAMES) {
		free(name);
		return pp_metric_fail(p->error, p->at, "more than %d events and metrics",
				      PP_METRIC_NAMES);
	} else if (PP_GROW(&to->names, &to->name_room, to->n_names + 1, NULL)) {
		free(name);
		return pp_metric_no_memory(p->error);
	} else {
		to->names[to->n_names++] = name;
	}
	return emit(p, op, 0);
}

/* ---- Grammar --------------------------------------------------------------------------------- */

static int parse_choice(struct parser *);

/* "(a, b)" */
static int parse_two(struct parser *p, enum pp_metric_op_kind kind)
{
	const struct pp_metric_op op = { .kind = (uint8_t)kind, .at = (uint32_t)p->at };

	if (advance(p) || expect(p, '(', "'('") || parse_choice(p) || expect(p, ',', "','") ||
	    parse_choice(p) || expect(p, ')', "')'"))
		return -1;
	return emit(p, op, 2);
}

/* "(name)" */
static int parse_of_name(struct parser *p, enum pp_metric_op_kind kind)
{
	if (advance(p) || expect(p, '(', "'('"))
		return -1;
	/* "0x410fd490" may look like a number */
	if (p->token != T_NAME && p->token != T_NUMBER)
		return unexpected(p, "a name");
	return emit_name(p, kind) || advance(p) || expect(p, ')', "')'") ? -1 : 0;
}

static int parse_name(struct parser *p)
{
	static const struct { const char *word; enum pp_metric_op_kind kind; bool two; } functions[] = {
		{ "min", PP_MO_MIN, true },
		{ "max", PP_MO_MAX, true },
		{ "d_ratio", PP_MO_RATIO, true },
		{ "source_count", PP_MO_SOURCES, false },
		{ "aggr_nr", PP_MO_PARTS, false },
		{ "has_event", PP_MO_HAS, false },
		{ "strcmp_cpuid_str", PP_MO_CPUID, false },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (is_word(p, functions[i].word))
			return functions[i].two ? parse_two(p, functions[i].kind)
						: parse_of_name(p, functions[i].kind);
	if (is_word(p, "if") || is_word(p, "else"))
		return unexpected(p, "a value");
	return emit_name(p, PP_MO_VALUE) || advance(p) ? -1 : 0;
}

static int parse_value(struct parser *p)
{
	const size_t at = p->at;
	double value;

	if (p->token == T_NUMBER)
		return emit(p, (struct pp_metric_op){ .kind = PP_MO_NUMBER, .at = (uint32_t)at,
						      .number = p->number }, 0) || advance(p) ? -1 : 0;
	if (p->token == T_NAME)
		return parse_name(p);
	if (p->token == T_LITERAL) {
		if (emit_name(p, PP_MO_LITERAL))
			return -1;
		if (!pp_metric_literal(NULL, p->to->names[p->to->ops[p->to->n_ops - 1].name], &value))
			return pp_metric_fail(p->error, at, "there is no '%.*s'",
					      (int)(p->next - at < 40 ? p->next - at : 40), p->text + at);
		return advance(p);
	}
	if (is_sign(p, '(')) {
		if (advance(p) || parse_choice(p))
			return -1;
		return expect(p, ')', "')'");
	}
	return unexpected(p, "a value");
}

static int parse_minus(struct parser *p)
{
	size_t signs = 0, at = p->at;

	for (; is_sign(p, '-'); signs++)
		if (advance(p))
			return -1;
	if (parse_value(p))
		return -1;
	return signs % 2 ? emit(p, (struct pp_metric_op){ .kind = PP_MO_MINUS, .at = (uint32_t)at }, 1)
			 : 0;
}

/* How closely an operator binds, from 1, and what it does; 0: it is not one. */
static int closeness(const struct parser *p, enum pp_metric_op_kind *kind)
{
	static const struct { char sign; int8_t closeness; enum pp_metric_op_kind kind; } signs[] = {
		{ '|', 1, PP_MO_OR }, { '^', 2, PP_MO_XOR }, { '&', 3, PP_MO_AND },
		{ '<', 4, PP_MO_BELOW }, { '>', 4, PP_MO_ABOVE }, { '=', 4, PP_MO_EQUAL },
		{ '+', 5, PP_MO_ADD }, { '-', 5, PP_MO_SUBTRACT }, { '*', 6, PP_MO_MULTIPLY },
		{ '/', 6, PP_MO_DIVIDE }, { '%', 6, PP_MO_MODULO },
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (is_sign(p, signs[i].sign)) {
			*kind = signs[i].kind;
			return signs[i].closeness;
		}
	return 0;
}

/* Values, and what joins them as closely as `least`, or closer. */
static int parse_joined(struct parser *p, int least)
{
	enum pp_metric_op_kind kind = PP_MO_ADD;
	int close;

	if (parse_minus(p))
		return -1;
	while ((close = closeness(p, &kind)) >= least && close) {
		const struct pp_metric_op op = { .kind = (uint8_t)kind, .at = (uint32_t)p->at };

		if (advance(p) || parse_joined(p, close + 1) || emit(p, op, 2))
			return -1;
	}
	return 0;
}

/* "a", or "a if b else c", where c may again be such a choice. */
static int parse_choice(struct parser *p)
{
	size_t choices = 0, at = p->at;

	if (p->nest++ == PP_METRIC_NEST)
		return pp_metric_fail(p->error, p->at, "nested more than %d deep", PP_METRIC_NEST);
	if (parse_joined(p, 1))
		return -1;
	for (; is_word(p, "if"); choices++) {
		if (advance(p) || parse_joined(p, 1))
			return -1;
		if (!is_word(p, "else"))
			return unexpected(p, "'else'");
		if (advance(p) || parse_joined(p, 1))
			return -1;
	}
	while (choices--)
		if (emit(p, (struct pp_metric_op){ .kind = PP_MO_SELECT, .at = (uint32_t)at }, 3))
			return -1;
	p->nest--;
	return 0;
}

int pp_metric_compile(struct pp_metric_expression *to, const char *text, unsigned runtime,
		      struct pp_error *error)
{
	struct pp_error ignored;
	struct parser p = { .to = to, .error = error ? error : &ignored, .text = text, .runtime = runtime };

	*to = (struct pp_metric_expression){ .n_ops = 0 };
	if (strlen(text) > PP_METRIC_TEXT)
		return pp_metric_fail(p.error, PP_METRIC_TEXT, "longer than %d bytes", PP_METRIC_TEXT);
	if (!advance(&p) && !parse_choice(&p)) {
		if (p.token == T_END)
			return 0;
		(void)unexpected(&p, "an operator");
	}
	pp_metric_expression_free(to);
	return -1;
}

void pp_metric_expression_free(struct pp_metric_expression *e)
{
	for (size_t i = 0; i < e->n_names; i++)
		free(e->names[i]);
	free(e->names);
	free(e->ops);
	*e = (struct pp_metric_expression){ .n_ops = 0 };
}
