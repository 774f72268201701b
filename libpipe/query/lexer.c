/* lexer.c - the filter's language cut into tokens. */
#include "query/query.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void pp_query_say(struct pp_error *error, size_t at, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pp_fail(error, PP_E_USE, "%s", text);
	pp_error_point(error, at);
}

void pp_query_say_memory(struct pp_error *error)
{
	pp_fail(error, PP_E_NOMEM, NULL);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The value of a hexadecimal digit, or -1. */
static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* value * base + digit; false where that is more than 64 bits. */
static bool append(uint64_t *value, unsigned base, unsigned digit)
{
	if (*value > (UINT64_MAX - digit) / base)
		return false;
	*value = *value * base + digit;
	return true;
}

static bool scale(uint64_t *value, uint64_t by)
{
	if (*value > UINT64_MAX / by)
		return false;
	*value *= by;
	return true;
}

static int too_large(struct pp_error *error, size_t at)
{
	return pp_query_fail(error, at, "the number does not fit in 64 bits");
}

/* Takes the unit at `p`: its ns, and its length; 0 where there is none. */
static uint64_t unit_at(const char *p, size_t *length)
{
	static const struct { const char *name; uint64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		*length = strlen(units[i].name);
		if (!strncmp(p, units[i].name, *length))
			return units[i].ns;
	}
	return *length = 0;
}

/* The power of 1024 that the letter at `p` means, or 0. */
static uint64_t size_at(const char *p)
{
	return *p == 'K' ? 1 << 10 : *p == 'M' ? 1 << 20 : *p == 'G' ? 1 << 30 : 0;
}

/* "10%", and not the "10 % 4" of arithmetic: what follows begins no operand. */
static bool is_percent(const char *p)
{
	if (*p++ != '%')
		return false;
	p += strspn(p, " \t\n");
	return !is_letter(*p) && !is_digit(*p) && !strchr("(\"'", *p ? *p : ' ') &&
	       !((*p == '+' || *p == '-') && is_digit(p[1]));
}

static int lex_hex(const char *text, struct pp_query_token *t, struct pp_error *error)
{
	const char *p = text + t->at + t->length + 2;

	if (hex_digit(*p) < 0)
		return pp_query_fail(error, (size_t)(p - text), "a hexadecimal digit is missing");
	for (; hex_digit(*p) >= 0; p++)
		if (!append(&t->number, 16, (unsigned)hex_digit(*p)))
			return too_large(error, t->at);
	t->length = (size_t)(p - text) - t->at;
	return 0;
}

/* The digits after a point, as parts of the unit: ".5" of "12.5s" is 500000000. */
static int lex_fraction(const char *text, const char *p, const char *end, uint64_t unit,
			struct pp_query_token *t, struct pp_error *error)
{
	uint64_t fraction = 0;

	for (; p < end; p++) {
		if (unit == 1 && *p != '0')
			return pp_query_fail(error, (size_t)(p - text),
					     "a time is not finer than a nanosecond");
		unit = unit > 1 ? unit / 10 : 1;
		fraction += unit * (unsigned)(*p - '0');
	}
	if (t->number > UINT64_MAX - fraction)
		return too_large(error, t->at);
	t->number += fraction;
	return 0;
}

static int lex_decimal(const char *text, struct pp_query_token *t, struct pp_error *error)
{
	const char *p = text + t->at + t->length, *point = NULL, *end;
	uint64_t unit;
	size_t length;

	for (; is_digit(*p); p++)
		if (!append(&t->number, 10, (unsigned)(*p - '0')))
			return too_large(error, t->at);
	if (p[0] == '.' && is_digit(p[1])) {
		point = ++p;
		while (is_digit(*p))
			p++;
	}
	end = p;
	unit = unit_at(p, &length);
	p += length;
	t->unit = unit != 0;
	t->percent = !unit && is_percent(p);
	if (t->percent) {
		unit = PP_QUERY_PERCENT;
		p++;
	}
	if (unit && !scale(&t->number, unit))
		return too_large(error, t->at);
	t->size = !unit && !point && size_at(p);
	if (t->size && !scale(&t->number, size_at(p++)))
		return too_large(error, t->at);
	if (point && !unit)
		return pp_query_fail(error, t->at, "a number with a point needs a unit: s, ms or us");
	if (point && lex_fraction(text, point, end, unit, t, error))
		return -1;
	t->length = (size_t)(p - text) - t->at;
	return 0;
}

static int lex_number(const char *text, struct pp_query_token *t, struct pp_error *error)
{
	const char *p = text + t->at;
	size_t end;

	t->kind = PP_T_NUMBER;
	t->plus = *p == '+';
	t->minus = *p == '-';
	t->length = t->plus || t->minus;
	p += t->length;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		if (lex_hex(text, t, error))
			return -1;
	} else if (lex_decimal(text, t, error)) {
		return -1;
	}
	end = t->at + t->length;
	if (is_letter(text[end]) || is_digit(text[end]))
		return pp_query_fail(error, end, "not part of a number; units are s, ms, us, ns, "
				     "K, M and G");
	return 0;
}

/* ---- Strings --------------------------------------------------------------------------------- */

/*
 * One character of a string: the byte, or -1 for an escape that stays as it is written
 * (\. and the like, for patterns).  *length: how many bytes of the text it takes.
 */
static int character(const char *p, size_t *length)
{
	static const char names[] = "\\\"'ntr", values[] = "\\\"'\n\t\r";
	const char *name;

	*length = 1;
	if (*p != '\\')
		return (unsigned char)*p;
	*length = 2;
	if (p[1] == 'x' && hex_digit(p[2]) >= 0 && hex_digit(p[3]) >= 0) {
		*length = 4;
		return hex_digit(p[2]) * 16 + hex_digit(p[3]);
	}
	name = strchr(names, p[1]);
	return name ? (unsigned char)values[name - names] : -1;
}

static int lex_string(const char *text, struct pp_query_token *t, struct pp_error *error)
{
	const char quote = text[t->at];
	size_t at = t->at + 1, length;
	int c;

	t->kind = PP_T_STRING;
	for (; text[at] != quote; at += length) {
		if (!text[at] || (text[at] == '\\' && !text[at + 1]))
			return pp_query_fail(error, t->at, "the string has no end");
		c = character(text + at, &length);
		if (!c)
			return pp_query_fail(error, at, "a string cannot hold a zero byte");
		if (c < 0 && !t->odd)
			t->odd = at;
	}
	t->length = at + 1 - t->at;
	return 0;
}

char *pp_query_string(const char *text, const struct pp_query_token *t)
{
	char *value = malloc(t->length);
	size_t n = 0, length;

	if (!value)
		return NULL;
	for (size_t at = t->at + 1; at < t->at + t->length - 1; at += length) {
		const int c = character(text + at, &length);

		if (c < 0) {
			memcpy(value + n, text + at, length);
			n += length;
		} else {
			value[n++] = (char)c;
		}
	}
	value[n] = '\0';
	return value;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* Operators; a longer one is listed before those that it begins with. */
static const struct { const char *text; enum pp_token_kind kind; } operators[] = {
	{ "==", PP_T_EQ }, { "!=", PP_T_NE }, { "<=", PP_T_LE }, { ">=", PP_T_GE },
	{ "=~", PP_T_MATCH }, { "!~", PP_T_NO_MATCH }, { "~", PP_T_GLOB },
	{ "<", PP_T_LT }, { ">", PP_T_GT },
	{ "&&", PP_T_AND }, { "||", PP_T_OR }, { "!", PP_T_NOT }, { "(", PP_T_OPEN },
	{ ")", PP_T_CLOSE }, { "{", PP_T_SET_OPEN }, { "}", PP_T_SET_CLOSE },
	{ "..", PP_T_TO }, { ",", PP_T_COMMA }, { "+", PP_T_PLUS }, { "-", PP_T_MINUS },
	{ "*", PP_T_TIMES }, { "/", PP_T_OVER }, { "%", PP_T_MODULO }, { "&", PP_T_BOTH },
	{ "|", PP_T_EITHER },
};

/* What is not part of the language, with what was perhaps meant. */
static int lex_unknown(const char *text, size_t at, struct pp_error *error)
{
	const unsigned char c = (unsigned char)text[at];

	if (c == '=')
		return pp_query_fail(error, at, "'=' is not an operator; use '=='");
	if (c > ' ' && c < 0x7f)
		return pp_query_fail(error, at, "'%c' has no meaning here", c);
	return pp_query_fail(error, at, "byte 0x%02x has no meaning here", c);
}

/* The "sched:" of "sched:sched_switch.prev_pid", whose names may have a dash: its length, or 0. */
static size_t system_length(const char *p)
{
	size_t n = 0;

	while (is_letter(p[n]) || is_digit(p[n]) || p[n] == '-')
		n++;
	return p[n] == ':' && is_letter(p[n + 1]) ? n + 1 : 0;
}

/* A name, and after points the names of its parts: "branch_stack.entries[0].from". */
static size_t word_length(const char *p)
{
	size_t n = system_length(p), end;

	for (;;) {
		while (is_letter(p[n]) || is_digit(p[n]))
			n++;
		for (end = n + 1; p[n] == '[' && is_digit(p[end]); end++)
			;
		if (p[n] == '[' && end > n + 1 && p[end] == ']')
			n = end + 1;
		if (p[n] != '.' || !is_letter(p[n + 1]))
			return n;
		n++;
	}
}

int pp_query_lex(const char *text, size_t *at, struct pp_query_token *t,
		 struct pp_error *error)
{
	const char *p = text + *at;
	int status = 0;

	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	*t = (struct pp_query_token){ .kind = PP_T_END, .at = (size_t)(p - text) };
	if (is_letter(*p)) {
		t->kind = PP_T_WORD;
		t->length = word_length(p);
	} else if (is_digit(*p) || ((*p == '+' || *p == '-') && is_digit(p[1]))) {
		status = lex_number(text, t, error);
	} else if (*p == '"' || *p == '\'') {
		status = lex_string(text, t, error);
	} else if (*p) {
		size_t i = 0;
		const size_t n = sizeof(operators) / sizeof(*operators);

		while (i < n && strncmp(p, operators[i].text, strlen(operators[i].text)) != 0)
			i++;
		if (i == n)
			return lex_unknown(text, t->at, error);
		t->kind = operators[i].kind;
		t->length = strlen(operators[i].text);
	}
	*at = t->at + t->length;
	return status;
}
