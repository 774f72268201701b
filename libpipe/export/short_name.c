/*
 * short_name.c - a function's name for a box that is too narrow for it: without what its templates are of,
 * then its last two parts, its last one, and that cut in the middle.  What a name says most is at its end.
 *
 *	std::vector<shop::item, std::allocator<shop::item>>::push_back
 *	std::vector<...>::push_back
 *	vector<...>::push_back
 *	push_back
 *	push...ck
 */
#include "export/flame_layout.h"

#include <perfpipe/output.h>

#include <stdlib.h>
#include <string.h>

enum { LEAST = 6 };                   /* letters that say something of a name that is cut */
static const char dots[] = "\xe2\x80\xa6";

/* ---- how wide text is ---- */

static uint32_t code_of(const char *text, size_t n)
{
	uint32_t code = (unsigned char)*text & (n > 1 ? 0x7f >> n : 0x7f);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Those of Chinese, Japanese and Korean, and pictures, take the room of two. */
static bool is_wide(uint32_t code)
{
	static const struct { uint32_t first, last; } wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1faff },
		{ 0x20000, 0x3fffd },
	};

	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (code >= wide[i].first && code <= wide[i].last)
			return true;
	return false;
}

/* The letters that the character at a place takes, and *n, its bytes: four for what is shown as \xNN. */
static size_t letters_at(const char *text, size_t size, size_t *n)
{
	*n = pp_printable(text, size);
	if (*n)
		return is_wide(code_of(text, *n)) ? 2 : 1;
	*n = 1;
	return 4;
}

static size_t letters_of(const char *text, size_t size)
{
	size_t letters = 0, n;

	for (size_t at = 0; at < size; at += n)
		letters += letters_at(text + at, size - at, &n);
	return letters;
}

/* ---- shorter ---- */

/* How many bytes an operator takes whose name has brackets: "operator<<" begins here. */
static size_t operator_at(const char *text, size_t size)
{
	static const char word[] = "operator";
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">",
	};
	const size_t n = sizeof(word) - 1;

	if (size <= n || memcmp(text, word, n))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		const size_t length = strlen(signs[i]);

		if (size - n >= length && !memcmp(text + n, signs[i], length))
			return n + length;
	}
	return 0;
}

/* The bytes of a pair of angle brackets and all in it; 0: there is no end. */
static size_t template_at(const char *text, size_t size)
{
	size_t depth = 0, skip;

	for (size_t i = 0; i < size; i += skip ? skip : 1) {
		skip = operator_at(text + i, size - i);
		if (skip || (text[i] == '>' && i && text[i - 1] == '-'))
			continue;
		depth += text[i] == '<';
		if (text[i] == '>' && !--depth)
			return i + 1;
	}
	return 0;
}

static size_t without_templates(char *to, const char *text, size_t size)
{
	static const char folded[] = "<\xe2\x80\xa6>";
	size_t made = 0, n;

	for (size_t at = 0; at < size; at += n) {
		const size_t sign = operator_at(text + at, size - at);
		const size_t brackets = !sign && text[at] == '<' ? template_at(text + at, size - at) : 0;

		n = sign ? sign : brackets ? brackets : 1;
		if (brackets > sizeof(folded) - 1) {
			memcpy(to + made, folded, sizeof(folded) - 1);
			made += sizeof(folded) - 1;
		} else {
			memcpy(to + made, text + at, n);
			made += n;
		}
	}
	return made;
}

/* Where the last parts begin, one or two, of names with "::" between them, outside of brackets; else what
 * follows the last '/'. */
static size_t last_parts(const char *text, size_t size, unsigned parts)
{
	size_t begins[2] = { 0, 0 }, skip;
	const char *slash;
	int depth = 0;

	for (size_t at = 0; at + 1 < size; at += skip ? skip : 1) {
		skip = operator_at(text + at, size - at);
		if (skip)
			continue;
		depth += text[at] == '(' || text[at] == '{' || text[at] == '<';
		depth -= text[at] == ')' || text[at] == '}' || text[at] == '>';
		if (depth || text[at] != ':' || text[at + 1] != ':')
			continue;
		begins[1] = begins[0];
		begins[0] = at + 2;
		skip = 2;
	}
	if (begins[0])
		return begins[parts - 1];
	slash = memrchr(text, '/', size);
	return slash && slash + 1 < text + size ? (size_t)(slash + 1 - text) : 0;
}

static void write_cut(struct pp_out *out, const char *text, size_t size, size_t room)
{
	const size_t head = (room * 6 + 4) / 10, all = letters_of(text, size);
	size_t end = 0, begin, passed = 0, n, letters;

	while (end < size && (letters = letters_at(text + end, size - end, &n), passed + letters <= head)) {
		passed += letters;
		end += n;
	}
	for (begin = end; begin < size && all - passed > room - head - 1; begin += n)
		passed += letters_at(text + begin, size - begin, &n);
	pp_write_markup(out, text, end);
	pp_out_text(out, dots);
	pp_write_markup(out, text + begin, size - begin);
}

void pp_write_short_name(struct pp_out *out, const char *name, size_t length, size_t room)
{
	enum { MOST = 2048 };
	char text[MOST + 8];
	size_t size = length < MOST ? length : MOST, from = 0;

	if (letters_of(name, size) <= room && size == length) {
		pp_write_markup(out, name, size);
		return;
	}
	size = without_templates(text, name, size);
	for (unsigned parts = 2; parts && letters_of(text + from, size - from) > room; parts--)
		from = last_parts(text, size, parts);
	if (letters_of(text + from, size - from) <= room)
		pp_write_markup(out, text + from, size - from);
	else if (room >= LEAST)
		write_cut(out, text + from, size - from, room);
}
