/* json_parse.c - one JSON text to an array of nodes, without an allocation for each. */
#include "base/array.h"
#include "text/json_parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/format_number.h"

enum {
	DEPTH = 24,                   /* objects and lists within each other; records have 9 */
	NODES_MOST = 1 << 17,         /* more than the fields of any record */
};

struct json_parser {
	struct json_doc *doc;
	char *p, *end;                /* *end is a zero byte */
	const char *start;
};

static int wrong(struct json_parser *s, const char *expected)
{
	s->doc->wrong = expected;
	s->doc->at = (size_t)(s->p - s->start);
	return -1;
}

static inline void skip_blanks(struct json_parser *s)
{
	while (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n')
		s->p++;
}

/* ---- nodes ---- */

static int grow(struct json_parser *s)
{
	struct json_doc *doc = s->doc;

	if (doc->count == NODES_MOST)
		return wrong(s, "fewer values in one line");
	if (!PP_GROW(&doc->nodes, &doc->room, doc->count + 1, NULL))
		return 0;
	doc->no_memory = true;
	return wrong(s, "more memory");
}

/* A new node; NULL where there is no room.  What it points to may move with the next one. */
static inline struct json *add(struct json_parser *s, enum json_kind kind)
{
	struct json *node;

	if ((s->doc->count == s->doc->room || s->doc->count == NODES_MOST) && grow(s))
		return NULL;
	node = &s->doc->nodes[s->doc->count++];
	*node = (struct json){ .kind = (uint8_t)kind };
	return node;
}

/* ---- strings ---- */

/* Whether all 8 bytes are written as they are: ASCII, no control, quote or backslash. */
static inline bool plain_8(const char *p)
{
	const uint64_t ones = 0x0101010101010101, high = ones << 7;
	uint64_t v, quote, backslash;

	memcpy(&v, p, 8);
	quote = v ^ ones * '"';
	backslash = v ^ ones * '\\';
	return !((v | (v - ones * ' ') | (quote - ones) | (backslash - ones)) & high);
}

static inline bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != '"' && c != '\\' && (unsigned char)c < 0x80;
}

static int hex_4(const char *p, uint32_t *v)
{
	*v = 0;
	for (int i = 0; i < 4; i++) {
		const char c = p[i];

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*v = *v << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return 0;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* \uXXXX, or two of them for a character beyond U+FFFF.  After the text comes a zero byte, which
 * is no digit. */
static int unicode(struct json_parser *s, char **to)
{
	uint32_t c, low;

	if (hex_4(s->p + 2, &c))
		return wrong(s, "four hex digits after \\u");
	if (c >= 0xdc00 && c <= 0xdfff)
		return wrong(s, "the first half of a surrogate pair before the second");
	if (c >= 0xd800 && c <= 0xdbff) {
		if (s->p[6] != '\\' || s->p[7] != 'u' || hex_4(s->p + 8, &low) || low < 0xdc00 ||
		    low > 0xdfff)
			return wrong(s, "the second half of a surrogate pair after the first");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		s->p += 6;
	}
	s->p += 6;
	*to = put_utf8(*to, c);
	return 0;
}

static int escape(struct json_parser *s, char **to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (s->p[1] == 'u')
		return unicode(s, to);
	found = s->p[1] ? strchr(from, s->p[1]) : NULL;
	if (!found)
		return wrong(s, "an escape that JSON knows");
	*(*to)++ = into[found - from];
	s->p += 2;
	return 0;
}

/* From the opening quote to after the closing one. */
static int string(struct json_parser *s, const char **text, uint32_t *length)
{
	char *start = ++s->p, *to = NULL;

	*text = start;
	for (;;) {
		char *run = s->p;

		while (s->end - s->p >= 8 && plain_8(s->p))
			s->p += 8;
		while (is_plain(*s->p))
			s->p++;
		while ((unsigned char)*s->p >= 0x80) {
			const size_t n = pp_utf8(s->p, (size_t)(s->end - s->p));

			if (!n)
				return wrong(s, "UTF-8");
			s->p += n;
		}
		if (to) {
			memmove(to, run, (size_t)(s->p - run));
			to += s->p - run;
		}
		if (is_plain(*s->p))
			continue;
		if (*s->p == '"')
			break;
		if (*s->p != '\\')
			return wrong(s, s->p == s->end ? "the end of a string"
						       : "an escape for a control character");
		to = to ? to : s->p;
		if (escape(s, &to))
			return -1;
	}
	*length = (uint32_t)((to ? to : s->p) - start);
	s->p++;
	return 0;
}

/* ---- numbers ---- */

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int number(struct json_parser *s, struct json *node)
{
	uint64_t v = 0;
	bool whole = true;

	node->text = s->p;
	node->negative = *s->p == '-';
	s->p += node->negative;
	if (!is_digit(*s->p))
		return wrong(s, "a value");
	if (*s->p == '0' && is_digit(s->p[1]))
		return wrong(s, "a number without leading zeros");
	for (; is_digit(*s->p); s->p++) {
		const unsigned digit = (unsigned)(*s->p - '0');

		whole = whole && v <= (UINT64_MAX - digit) / 10;
		v = v * 10 + digit;
	}
	if (*s->p == '.') {
		whole = false;
		if (!is_digit(*++s->p))
			return wrong(s, "a digit");
		while (is_digit(*s->p))
			s->p++;
	}
	if ((*s->p | 0x20) == 'e') {
		whole = false;
		s->p++;
		s->p += *s->p == '+' || *s->p == '-';
		if (!is_digit(*s->p))
			return wrong(s, "a digit");
		while (is_digit(*s->p))
			s->p++;
	}
	node->value = v;
	node->whole = whole;
	node->length = (uint32_t)(s->p - node->text);
	return 0;
}

/* ---- values ---- */

static int word(struct json_parser *s, const char *name, enum json_kind kind)
{
	const size_t n = strlen(name);

	if (strncmp(s->p, name, n))
		return wrong(s, "a value");
	s->p += n;
	return add(s, kind) ? 0 : -1;
}

static int value(struct json_parser *s, unsigned depth);

static int member_name(struct json_parser *s, const char **key, uint32_t *length)
{
	skip_blanks(s);
	if (*s->p != '"')
		return wrong(s, "a name in quotes");
	if (string(s, key, length))
		return -1;
	skip_blanks(s);
	if (*s->p != ':')
		return wrong(s, "a colon");
	s->p++;
	return 0;
}

static int members(struct json_parser *s, bool object, unsigned depth)
{
	const char close = object ? '}' : ']';
	const uint32_t self = s->doc->count;
	uint32_t last = 0, count = 0;

	if (depth == DEPTH)
		return wrong(s, "less deeply nested values");
	if (!add(s, object ? JSON_OBJECT : JSON_LIST))
		return -1;
	s->p++;
	skip_blanks(s);
	if (*s->p == close) {
		s->p++;
		return 0;
	}
	for (;;) {
		const uint32_t node = s->doc->count;
		const char *key = NULL;
		uint32_t key_length = 0;

		if ((object && member_name(s, &key, &key_length)) || value(s, depth + 1))
			return -1;
		s->doc->nodes[node].key = key;
		s->doc->nodes[node].key_length = key_length;
		if (last)
			s->doc->nodes[last].next = node;
		last = node;
		count++;
		skip_blanks(s);
		if (*s->p == close)
			break;
		if (*s->p != ',')
			return wrong(s, object ? "a comma or a closing brace"
					       : "a comma or a closing bracket");
		s->p++;
	}
	s->p++;
	s->doc->nodes[self].length = count;
	return 0;
}

static int value(struct json_parser *s, unsigned depth)
{
	struct json *node;
	const char *text;
	uint32_t length;

	skip_blanks(s);
	switch (*s->p) {
	case '{':
		return members(s, true, depth);
	case '[':
		return members(s, false, depth);
	case '"':
		node = add(s, JSON_TEXT);
		if (!node || string(s, &text, &length))
			return -1;
		node->text = text;
		node->length = length;
		return 0;
	case 't':
		return word(s, "true", JSON_TRUE);
	case 'f':
		return word(s, "false", JSON_FALSE);
	case 'n':
		return word(s, "null", JSON_NULL);
	default:
		node = add(s, JSON_NUMBER);
		return node ? number(s, node) : -1;
	}
}

int pp_json_parse(struct json_doc *doc, char *text, size_t length)
{
	struct json_parser s = { .doc = doc, .p = text, .end = text + length, .start = text };

	doc->count = 0;
	doc->wrong = NULL;
	doc->no_memory = false;
	*s.end = '\0';
	if (length > UINT32_MAX)
		return wrong(&s, "a shorter line");
	if (value(&s, 0))
		return -1;
	skip_blanks(&s);
	return s.p == s.end ? 0 : wrong(&s, "the end of the line");
}

void pp_json_free(struct json_doc *doc)
{
	free(doc->nodes);
	*doc = (struct json_doc){ 0 };
}

const char *pp_json_kind_name(const struct json *node)
{
	static const char *const names[] = {
		[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true",
		[JSON_NUMBER] = "a number", [JSON_TEXT] = "a text", [JSON_LIST] = "a list",
		[JSON_OBJECT] = "an object",
	};

	return names[node->kind];
}
