/* operands.c - what a comparison compares with: numbers, texts, sets, patterns. */
#include "base/array.h"
#include "query/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

/* What a time that is not absolute counts from becomes *field; *value gets the bias. */
static int take_base(struct pp_query_parser *p, uint64_t *value, uint8_t *field)
{
	const struct pp_query_token *const t = &p->token;

	*field = t->percent ? PP_QUERY_PART : t->plus ? PP_QUERY_SINCE : PP_QUERY_UNTIL;
	if (t->percent && (t->plus || t->minus || t->number > 100 * PP_QUERY_PERCENT))
		return pp_query_fail(p->error, t->at, "a percentage is from 0%% to 100%%");
	if (t->number > INT64_MAX)
		return pp_query_fail(p->error, t->at, "the time does not fit in 64 bits");
	*value = (t->minus ? -t->number : t->number) + PP_QUERY_BIAS;
	return 0;
}

static int take_wall_clock(struct pp_query_parser *p, uint64_t *value)
{
	char *const text = pp_query_string(p->text, &p->token);
	bool good;

	if (!text)
		return pp_query_no_memory(p);
	good = pp_query_wall_clock(text, value);
	free(text);
	return good ? pp_query_advance(p)
		    : pp_query_fail(p->error, p->token.at,
				    "expected a time of the wall clock, "
				    "such as \"2026-11-21 10:00:05.5\"");
}

/* Of events that are clocks these are nanoseconds. */
static bool may_be_duration(const char *name)
{
	return !strcmp(name, "period") || !strcmp(name, "weight");
}

/* The value of the token for the field, biased where the field is.  *field changes where a time is
 * no absolute one. */
static int number(struct pp_query_parser *p, const struct pp_query_operand *o, uint64_t *value,
		  uint8_t *field)
{
	const enum pp_query_kind kind = o->kind;
	const char *const name = o->name;
	const struct pp_query_token *const t = &p->token;

	if (t->kind == PP_T_STRING && kind == PP_AS_TIME) {
		*field = PP_QUERY_WALL;
		return take_wall_clock(p, value);
	}
	if (t->kind != PP_T_NUMBER)
		return pp_query_unexpected(p, "a number");
	*value = t->number;
	if (t->unit && kind != PP_AS_TIME && kind != PP_AS_WALKED && !may_be_duration(name))
		return pp_query_fail(p->error, t->at, "'%s' has no unit", name);
	if (t->size && kind == PP_AS_TIME)
		return pp_query_fail(p->error, t->at, "units of time are s, ms, us and ns");
	if (t->plus && kind != PP_AS_TIME)
		return pp_query_fail(p->error, t->at,
				     "only a time can count from the first sample");
	if (t->percent && kind != PP_AS_TIME)
		return pp_query_fail(p->error, t->at, "only a time can be a percentage");
	if (t->minus && kind != PP_AS_SIGNED && kind != PP_AS_TIME)
		return pp_query_fail(p->error, t->at, "'%s' is never negative", name);
	if (t->plus || t->percent || (t->minus && kind == PP_AS_TIME)) {
		if (take_base(p, value, field))
			return -1;
	} else if (kind == PP_AS_SIGNED) {
		if (t->number > (t->minus ? UINT64_C(1) << 31 : UINT32_MAX))
			return pp_query_fail(p->error, t->at, "'%s' has 32 bits", name);
		/* 4294967295 is -1, as some tools show it. */
		*value = (t->minus ? -t->number : (uint64_t)(int32_t)t->number) + PP_QUERY_BIAS;
	}
	return pp_query_advance(p);
}

static int add_range(struct pp_query_parser *p, struct pp_query_test *test,
		     struct pp_query_range range)
{
	if (PP_GROW(&test->ranges, &test->room, (size_t)test->count + 1, NULL))
		return pp_query_no_memory(p);
	test->ranges[test->count++] = range;
	return 0;
}

/* ---- Numbers that may be negative, or not, in 64 bits ---------------------------------------- */

static int wide_number(struct pp_query_parser *p, pp_query_wide *value)
{
	const struct pp_query_token *const t = &p->token;

	if (t->kind != PP_T_NUMBER)
		return pp_query_unexpected(p, "a number");
	if (t->plus)
		return pp_query_fail(p->error, t->at,
				     "only a time can count from the first sample");
	*value = t->minus ? -(pp_query_wide)t->number : (pp_query_wide)t->number;
	return pp_query_advance(p);
}

static int add_span(struct pp_query_parser *p, struct pp_query_test *test,
		    struct pp_query_span span)
{
	if (PP_GROW(&test->spans, &test->room, (size_t)test->count + 1, NULL)) {
		pp_query_test_free(test);
		return pp_query_no_memory(p);
	}
	test->spans[test->count++] = span;
	return 0;
}

static int compare_wide(struct pp_query_parser *p, enum pp_token_kind op,
			struct pp_query_test *test, uint32_t *index)
{
	struct pp_query_span span = { INT64_MIN, UINT64_MAX };
	pp_query_wide value;

	if (wide_number(p, &value))
		return -1;
	if (op == PP_T_EQ || op == PP_T_NE)
		span.low = span.high = value;
	else if (op == PP_T_LT || op == PP_T_LE)
		span.high = value - (op == PP_T_LT);
	else
		span.low = value + (op == PP_T_GT);
	test->negate = op == PP_T_NE;
	return add_span(p, test, span) ? -1 : pp_query_add_test(p, test, index);
}

static int wide_set(struct pp_query_parser *p, struct pp_query_test *test, bool braces,
		    uint32_t *index)
{
	for (;;) {
		const size_t at = p->token.at;
		struct pp_query_span span;

		if (wide_number(p, &span.low))
			break;
		span.high = span.low;
		if (p->token.kind == PP_T_TO && (pp_query_advance(p) || wide_number(p, &span.high)))
			break;
		if (span.low > span.high) {
			pp_query_say(p->error, at, "the range ends before it begins");
			break;
		}
		if (add_span(p, test, span))
			return -1;
		if (!braces || p->token.kind != PP_T_COMMA)
			return pp_query_add_test(p, test, index);
		if (pp_query_advance(p))
			break;
	}
	pp_query_test_free(test);
	return -1;
}

/* ---- Other numbers --------------------------------------------------------------------------- */

/* FIELD OP NUMBER: all of them are one range, or all but one range. */
int pp_query_compare_number(struct pp_query_parser *p, const struct pp_query_operand *o,
			    enum pp_token_kind op, struct pp_query_test test, uint32_t *index)
{
	struct pp_query_range *const r = &test.range;
	uint64_t value;

	if (o->kind == PP_AS_WIDE) {
		test.any = test.kind == PP_TEST_ANY;
		test.kind = PP_TEST_SPANS;
		return compare_wide(p, op, &test, index);
	}
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
	return pp_query_add_test(p, &test, index);
}

/* The sets of one "in": of values as they are, and of times by what they count from. */
enum { SETS = 1 + PP_QUERY_WALL - PP_QUERY_SINCE + 1 };

static struct pp_query_test *set_for(struct pp_query_test sets[SETS], uint8_t field)
{
	return &sets[field < PP_QUERY_SINCE || field > PP_QUERY_WALL ? 0
								     : 1 + field - PP_QUERY_SINCE];
}

static int take_range(struct pp_query_parser *p, const struct pp_query_operand *o,
		      struct pp_query_test sets[SETS])
{
	const size_t at = p->token.at;
	struct pp_query_range range;
	uint8_t low = sets->field, high = sets->field;

	if (number(p, o, &range.low, &low))
		return -1;
	range.high = range.low;
	if (p->token.kind == PP_T_TO) {
		if (pp_query_advance(p) || number(p, o, &range.high, &high))
			return -1;
		if (low != high)
			return pp_query_fail(p->error, at,
					     "both ends of a range count from the same point");
		if (range.low > range.high)
			return pp_query_fail(p->error, at, "the range ends before it begins");
	}
	return add_range(p, set_for(sets, low), range);
}

/* `set` is taken over; without braces it is one range. */
int pp_query_number_set(struct pp_query_parser *p, const struct pp_query_operand *o,
			struct pp_query_test set, bool braces, uint32_t *index)
{
	struct pp_query_test sets[SETS] = { set };
	bool begun = false;
	uint32_t other;
	int status;

	if (o->kind == PP_AS_WIDE) {
		set.any = set.kind == PP_TEST_ANY;
		set.kind = PP_TEST_SPANS;
		return wide_set(p, &set, braces, index);
	}
	for (uint8_t i = 1; i < SETS; i++)
		sets[i] = (struct pp_query_test){ .kind = PP_TEST_RANGES, .at = set.at,
						  .field = (uint8_t)(PP_QUERY_SINCE + i - 1) };
	while (!(status = take_range(p, o, sets)) && braces && p->token.kind == PP_T_COMMA)
		if ((status = pp_query_advance(p)))
			break;
	for (size_t i = 0; i < SETS; i++) {
		if (status || !sets[i].count) {
			pp_query_test_free(&sets[i]);
			continue;
		}
		status = pp_query_add_test(p, &sets[i], begun ? &other : index);
		if (!status && begun)
			status = pp_query_join_nodes(p, PP_NODE_OR, *index, other, index);
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
static int check_type(struct pp_query_parser *p, char *name)
{
	const struct pp_type *type = pp_type_named(name);

	if (type && strlen(type->name) == strlen(name))
		memcpy(name, type->name, strlen(name));
	else if (!is_unknown_type(name))
		return pp_query_fail(p->error, p->token.at, "no record type is called '%.40s'",
				     name);
	return 0;
}

static int check_mode(struct pp_query_parser *p, const char *name)
{
	if (pp_query_mode_named(name))
		return 0;
	return pp_query_fail(p->error, p->token.at, "no mode is called '%.40s'; there are user, "
			     "kernel, guest, guest_user and hypervisor", name);
}

/* Digits in capitals are the same. */
static int check_digits(struct pp_query_parser *p, char *digits)
{
	for (char *c = digits; *c; c++)
		*c = *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c;
	if (strspn(digits, "0123456789abcdef") == strlen(digits))
		return 0;
	return pp_query_fail(p->error, p->token.at, "a build-id has hexadecimal digits only");
}

static int check_text(struct pp_query_parser *p, uint8_t field, char *text)
{
	return field == PP_QUERY_TYPE ? check_type(p, text) :
	       field == PP_QUERY_MODE ? check_mode(p, text) :
	       field == PP_QUERY_BUILD_ID ? check_digits(p, text) : 0;
}

/* The string that is next, which is not a pattern; the caller frees it.  Where all that there can
 * be is known it needs no quotes. */
static int take_text(struct pp_query_parser *p, uint8_t field, char **text)
{
	const struct pp_query_token *const t = &p->token;
	const bool bare = t->kind == PP_T_WORD &&
			  (field == PP_QUERY_TYPE || field == PP_QUERY_MODE);

	*text = NULL;
	if (t->kind == PP_T_WORD && !bare)
		return pp_query_fail(p->error, t->at, "a string is written in quotes: \"%.*s\"",
				     t->length < 40 ? (int)t->length : 40, p->text + t->at);
	if (t->kind != PP_T_STRING && !bare)
		return pp_query_unexpected(p, "a string");
	if (t->odd)
		return pp_query_fail(p->error, t->odd,
				     "only a pattern has this escape; a backslash is \\\\");
	*text = bare ? strndup(p->text + t->at, t->length) : pp_query_string(p->text, t);
	if (!*text)
		return pp_query_no_memory(p);
	if (!check_text(p, field, *text) && !pp_query_advance(p))
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}

static int add_text(struct pp_query_parser *p, struct pp_query_test *test)
{
	char *text;

	if (take_text(p, test->field, &text))
		return -1;
	if (PP_GROW(&test->texts, &test->room, (size_t)test->count + 1, NULL)) {
		free(text);
		return pp_query_no_memory(p);
	}
	test->texts[test->count++] = text;
	return 0;
}

int pp_query_text_set(struct pp_query_parser *p, struct pp_query_test *test, bool braces,
		      uint32_t *index)
{
	int status;

	while (!(status = add_text(p, test)) && braces && p->token.kind == PP_T_COMMA)
		if ((status = pp_query_advance(p)))
			break;
	if (status) {
		pp_query_test_free(test);
		return -1;
	}
	return pp_query_add_test(p, test, index);
}

static int compile_pattern(struct pp_query_parser *p, struct pp_query_test *test)
{
	char *const text = pp_query_string(p->text, &p->token);
	const char *why = NULL;

	test->memos = calloc(PP_QUERY_MEMOS, sizeof(*test->memos));
	if (test->memos && text)
		test->pattern = pp_regex_new(text, &why);
	free(text);
	if (test->pattern)
		return 0;
	return why ? pp_query_fail(p->error, p->token.at, "not a regular expression: %s", why) :
		     pp_query_no_memory(p);
}

int pp_query_take_pattern(struct pp_query_parser *p, struct pp_query_test *test, uint32_t *index)
{
	if (p->token.kind != PP_T_STRING)
		return pp_query_unexpected(p, "a pattern in quotes");
	if (p->token.length > PP_QUERY_PATTERN)
		return pp_query_fail(p->error, p->token.at, "the pattern is longer than %d bytes",
				     PP_QUERY_PATTERN);
	if (test->kind == PP_TEST_GLOB) {
		test->texts = calloc(1, sizeof(*test->texts));
		test->count = test->texts != NULL;
		if (!test->texts || !(*test->texts = pp_query_string(p->text, &p->token))) {
			pp_query_test_free(test);
			return pp_query_no_memory(p);
		}
	}
	if ((test->kind == PP_TEST_PATTERN && compile_pattern(p, test)) || pp_query_advance(p)) {
		pp_query_test_free(test);
		return -1;
	}
	return pp_query_add_test(p, test, index);
}
