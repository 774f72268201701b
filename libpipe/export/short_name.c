/*
 * short_name.c - a function's name for a box: without the type that it returns, then without what its
 * templates are of, then its last two parts, its last one, and that cut in the middle.
 * What a name says most is at its end.
 * The page does the same: page/words.js.
 *
 *	void std::vector<shop::item, std::allocator<shop::item>>::insert_all<shop::item *>
 *	std::vector<shop::item, std::allocator<shop::item>>::insert_all<shop::item *>
 *	std::vector<...>::insert_all<...>
 *	vector<...>::insert_all<...>
 *	insert_all<...>
 *	insert_all
 *	inse...ll
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

static const char folded[] = "<\xe2\x80\xa6>";

static bool begins_with(const char *text, size_t size, const char *what)
{
	const size_t n = strlen(what);

	return size >= n && !memcmp(text, what, n);
}

static bool ends_with(const char *text, size_t size, const char *what)
{
	const size_t n = strlen(what);

	return size >= n && !memcmp(text + size - n, what, n);
}

/* "vtable for x<y>", "non-virtual thunk to x<y>": what is before the name is no type. */
static bool is_about(const char *text, size_t size)
{
	static const char *const words[] = { " for", " to", " thunk" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (ends_with(text, size, words[i]) ||
		    (size == strlen(words[i] + 1) && begins_with(text, size, words[i] + 1)))
			return true;
	return false;
}

/* Where a name begins after the type that it returns: only functions of templates have one. */
static size_t after_type(const char *text, size_t size)
{
	size_t from = 0, skip;
	bool template = false;
	int depth = 0;

	if (size && (*text == '[' || *text == '/'))
		return 0;
	for (size_t at = 0; at < size; at += skip ? skip : 1) {
		skip = operator_at(text + at, size - at);
		if (skip)
			continue;
		template |= text[at] == '<' && !depth;
		depth += text[at] == '(' || text[at] == '{' || text[at] == '<';
		depth -= text[at] == ')' || text[at] == '}' || (text[at] == '>' && at && text[at - 1] != '-');
		if (depth || text[at] != ' ')
			continue;
		if ((at + 1 < size && text[at + 1] == '[') || ends_with(text, at, "operator"))
			break;
		if (is_about(text + from, at - from))
			return 0;
		if (at + 1 == size || text[at + 1] != '<') {
			from = at + 1;
			template = false;
		}
	}
	return template ? from : 0;
}

/* Without what rustc puts after a name: "::h" and 16 digits. */
static size_t without_hash(const char *text, size_t size)
{
	enum { DIGITS = 16, HASH = 3 + DIGITS };

	if (size <= HASH || memcmp(text + size - HASH, "::h", 3))
		return size;
	for (size_t i = size - DIGITS; i < size; i++)
		if (!strchr("0123456789abcdef", text[i]) || !text[i])
			return size;
	return size - HASH;
}

/* Whether brackets, which have so many bytes, say less folded: those of more than five characters. */
static bool are_long(const char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size && n <= 5; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n > 5;
}

static size_t without_templates(char *to, const char *text, size_t size)
{
	static const char unnamed[] = "(anonymous namespace)", shorter[] = "{anonymous}";
	size_t made = 0, n;

	for (size_t at = 0; at < size; at += n) {
		const size_t sign = operator_at(text + at, size - at);
		const size_t brackets = !sign && text[at] == '<' ? template_at(text + at, size - at) : 0;

		n = sign ? sign : brackets ? brackets : 1;
		if (begins_with(text + at, size - at, unnamed)) {
			n = sizeof(unnamed) - 1;
			memcpy(to + made, shorter, sizeof(shorter) - 1);
			made += sizeof(shorter) - 1;
		} else if (are_long(text + at, brackets)) {
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
		if (begins_with(text + at, size - at, "operator "))
			break; /* to a type, which may have parts of its own */
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

/* Without the signs of templates, unless nothing were left. */
static size_t without_signs(char *text, size_t size)
{
	size_t made = 0, n;

	for (size_t at = 0; at < size; at += n) {
		const bool blank = text[at] == ' ';

		n = 1;
		if (begins_with(text + at + blank, size - at - blank, folded))
			n = blank + sizeof(folded) - 1;
		else
			text[made++] = text[at];
	}
	return made ? made : size;
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
	size_t size = length < MOST ? length : MOST, from = after_type(name, size);

	name += from;
	length -= from;
	size = without_hash(name, size - from);
	if (letters_of(name, size) <= room && length <= MOST) {
		pp_write_markup(out, name, size);
		return;
	}
	size = without_templates(text, name, size);
	from = 0;
	for (unsigned parts = 2; parts && letters_of(text + from, size - from) > room; parts--)
		from = last_parts(text, size, parts);
	size -= from;
	if (letters_of(text + from, size) > room)
		size = without_signs(text + from, size);
	if (letters_of(text + from, size) <= room)
		pp_write_markup(out, text + from, size);
	else if (room >= LEAST)
		write_cut(out, text + from, size, room);
}
