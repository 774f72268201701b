/* regex.c - tries regular expressions beside a matcher that goes through a tree with sets of places, and
 * beside the C library's, with patterns and texts that are made up. */
#include "pattern/regex.h"
#include "unit.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- A pattern as a tree --------------------------------------------------------------------- */

enum kind { NONE, BYTES, THEN, OR, TIMES, HERE };

/* HERE: what has to be so at a place. */
static const char *const places[] = { "^", "$", "\\b", "\\B", "\\<", "\\>", "\\`", "\\'" };

struct node {
	enum kind kind;
	const struct node *a, *b;
	int least, most;              /* TIMES; most -1: any number of times */
	unsigned place;               /* HERE */
	const char *written;          /* BYTES */
	bool set[256];
};

static struct node nodes[200];
static unsigned n_nodes;

static const char letters[] = "ab_ -\n\xe9" "0B";

/* Sets as they are written; which bytes they have is said again, in has(). */
static const char *const written[] = {
	"a", "b", "_", "-", " ", "\xe9", "\\.", "\\*", "\\\\", "\\a", ".", "[ab]", "[^ab]", "[a-c]",
	"[]a]", "[^]b]", "[a-]", "[-a]", "[[:alpha:]]", "[^[:digit:]_]", "[[:upper:][:space:]]",
	"[[=a=][.-.]]", "\\w", "\\W", "\\s", "\\S", "[\\]", "[a^]", "[+--]", "[[.a.]-[.c.]]",
};

static bool has(unsigned which, int c)
{
	switch (which) {
	case 0: case 9: return c == 'a';
	case 1: return c == 'b';
	case 2: return c == '_';
	case 3: return c == '-';
	case 4: return c == ' ';
	case 5: return c == 0xe9;
	case 6: return c == '.';
	case 7: return c == '*';
	case 8: case 26: return c == '\\';
	case 10: return true;
	case 11: return c == 'a' || c == 'b';
	case 12: return c != 'a' && c != 'b';
	case 13: case 29: return c >= 'a' && c <= 'c';
	case 14: return c == ']' || c == 'a';
	case 15: return c != ']' && c != 'b';
	case 16: case 17: case 21: return c == 'a' || c == '-';
	case 18: return isalpha(c);
	case 19: return !isdigit(c) && c != '_';
	case 20: return isupper(c) || isspace(c);
	case 22: return isalnum(c) || c == '_';
	case 23: return !isalnum(c) && c != '_';
	case 24: return isspace(c);
	case 25: return !isspace(c);
	case 27: return c == 'a' || c == '^';
	default: return c >= '+' && c <= '-';
	}
}

static struct node *new_node(enum kind kind)
{
	struct node *const node = &nodes[n_nodes++];

	*node = (struct node){ .kind = kind };
	return node;
}

static const struct node *make(unsigned depth)
{
	const unsigned dice = depth ? below(10) : below(5);
	struct node *const node = new_node(NONE);

	if (dice == 0 && one_in(3))
		return node;
	if (dice == 1 && one_in(2)) {
		node->kind = HERE;
		node->place = below(sizeof(places) / sizeof(*places));
	} else if (dice < 5) {
		const unsigned which = one_in(2) ? below(2) : below(sizeof(written) / sizeof(*written));

		node->kind = BYTES;
		node->written = written[which];
		for (int c = 1; c < 256; c++)
			node->set[c] = has(which, c);
	} else if (dice < 9) {
		node->kind = dice == 8 ? OR : THEN;
		node->a = make(depth - 1);
		node->b = make(depth - 1);
	} else {
		node->kind = TIMES;
		node->a = make(depth - 1);
		node->least = (int)below(4);
		node->most = one_in(2) ? -1 : node->least + (int)below(4);
	}
	return node;
}

/* ---- As it is written ------------------------------------------------------------------------ */

static void write_times(const struct node *node, char *to)
{
	if (node->most < 0 && node->least < 2 && !one_in(4))
		strcat(to, node->least ? "+" : "*");
	else if (!node->least && node->most == 1)
		strcat(to, "?");
	else if (node->most < 0)
		sprintf(to + strlen(to), "{%d,}", node->least);
	else if (node->least == node->most)
		sprintf(to + strlen(to), "{%d}", node->least);
	else if (!node->least)
		sprintf(to + strlen(to), "{,%d}", node->most);
	else
		sprintf(to + strlen(to), "{%d,%d}", node->least, node->most);
}

/* `tight`: what binds tighter than "|" (1) and than one piece after the other (2) needs no brackets. */
static void write_node(const struct node *node, unsigned tight, char *to)
{
	const bool open = node->kind == OR ? tight > 0 : node->kind == BYTES ? false : tight > 1;

	strcat(to, open ? "(" : "");
	if (node->kind == BYTES) {
		strcat(to, node->written);
	} else if (node->kind == HERE) {
		strcat(to, places[node->place]);
	} else if (node->kind == TIMES) {
		write_node(node->a, 2, to);
		write_times(node, to);
	} else if (node->kind != NONE) {
		write_node(node->a, node->kind == THEN, to);
		strcat(to, node->kind == OR ? "|" : "");
		write_node(node->b, node->kind == THEN, to);
	}
	strcat(to, open ? ")" : "");
}

/* ---- What it matches: a set of places is a bit for each, to 31 ------------------------------- */

static bool is_word(unsigned char c)
{
	return isalnum(c) || c == '_';
}

static bool holds(unsigned place, const char *text, unsigned at)
{
	const bool before = at && is_word((unsigned char)text[at - 1]);
	const bool after = is_word((unsigned char)text[at]);

	switch (place) {
	case 0: case 6: return !at;
	case 1: case 7: return !text[at];
	case 2: return before != after;
	case 3: return before == after;
	case 4: return !before && after;
	default: return before && !after;
	}
}

/* Where it may end that begins at one of these places. */
static uint32_t ends(const struct node *node, const char *text, uint32_t from)
{
	uint32_t to = 0, all;

	switch (node->kind) {
	case NONE: return from;
	case BYTES:
		for (unsigned i = 0; text[i]; i++)
			to |= from >> i & 1 && node->set[(unsigned char)text[i]] ? UINT32_C(2) << i : 0;
		return to;
	case HERE:
		for (unsigned i = 0; i <= strlen(text); i++)
			to |= from >> i & 1 && holds(node->place, text, i) ? UINT32_C(1) << i : 0;
		return to;
	case THEN: return ends(node->b, text, ends(node->a, text, from));
	case OR: return ends(node->a, text, from) | ends(node->b, text, from);
	default: break;
	}
	for (int i = 0; i < node->least; i++)
		from = ends(node->a, text, from);
	all = from;
	for (int i = node->least; node->most < 0 ? i < 40 : i < node->most; i++)
		all |= from = ends(node->a, text, from);
	return all;
}

/* Anywhere, or all of the text. */
static bool matches(const struct node *node, const char *text, bool all)
{
	const size_t length = strlen(text);

	return all ? ends(node, text, 1) >> length & 1 : ends(node, text, (UINT32_C(2) << length) - 1) != 0;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The C library is not to be trusted with what is asked of a place within a pattern. */
static bool library_knows(const struct node *node)
{
	return !node || (node->kind != HERE && library_knows(node->a) && library_knows(node->b));
}

static void any_text(char *text)
{
	const unsigned length = below(13);

	for (unsigned i = 0; i < length; i++)
		text[i] = one_in(2) ? letters[below(2)] : letters[below(sizeof(letters) - 1)];
	text[length] = '\0';
}

static void differs(const char *pattern, const char *text, const char *beside)
{
	printf("\"%s\" and \"%s\" are not as with %s\n", pattern, text, beside);
	CHECK(!"the same");
}

static void trees(void)
{
	for (unsigned i = 0; i < 4000; i++) {
		char pattern[4000] = "", text[16];
		const struct node *tree;
		struct pp_regex *re;
		const char *why;
		regex_t library;
		bool known, all;

		begin_case("a tree", i);
		n_nodes = 0;
		tree = make(1 + below(5));
		all = one_in(3);
		strcat(pattern, all ? "^(" : "");
		write_node(tree, 0, pattern);
		strcat(pattern, all ? ")$" : "");
		known = library_knows(tree) && !regcomp(&library, pattern, REG_EXTENDED | REG_NOSUB);
		re = pp_regex_new(pattern, &why);
		if (!re)
			differs(pattern, why ? why : "", "what is a pattern");
		for (unsigned k = 0; k < 10; k++) {
			bool found;

			any_text(text);
			found = pp_regex_match(re, text);
			if (found != matches(tree, text, all))
				differs(pattern, text, "the tree");
			if (known && found == (regexec(&library, text, 0, NULL, 0) != 0))
				differs(pattern, text, "the C library");
		}
		pp_regex_free(re);
		if (known)
			regfree(&library);
	}
}

/* Whatever the characters: what both take for a pattern matches the same. */
static void scribbles(void)
{
	static const char signs[] = "ab()|*+?{}[]^$.\\,-1w:";
	unsigned both = 0;

	for (unsigned i = 0; i < 12000; i++) {
		const unsigned length = below(9);
		char pattern[10], text[16];
		struct pp_regex *re;
		const char *why;
		regex_t library;

		begin_case("a scribble", i);
		for (unsigned k = 0; k < length; k++)
			pattern[k] = one_in(2) ? signs[below(4)] : signs[below(sizeof(signs) - 1)];
		pattern[length] = '\0';
		re = pp_regex_new(pattern, &why);
		CHECK(!re == (why != NULL));
		if (re && !strpbrk(pattern, "^$") && !regcomp(&library, pattern, REG_EXTENDED | REG_NOSUB)) {
			both++;
			for (unsigned k = 0; k < 4; k++) {
				any_text(text);
				if (pp_regex_match(re, text) == (regexec(&library, text, 0, NULL, 0) != 0))
					differs(pattern, text, "the C library");
			}
			regfree(&library);
		}
		pp_regex_free(re);
	}
	CHECK(both > 2000);
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void refused(void)
{
	static const struct { const char *pattern, *why; } of[] = {
		{ "(", "a ( is not closed" }, { "a(b|(c)", "a ( is not closed" },
		{ "[", "a [ is not closed" }, { "[]", "a [ is not closed" }, { "[^]", "a [ is not closed" },
		{ "[[:alpha:]", "a [ is not closed" }, { "[[:alpha", "a [ is not closed" },
		{ "[a", "a [ is not closed" }, { "[[.", "a [ is not closed" },
		{ "[[:letter:]]", "there is no class of that name in [: :]" },
		{ "[[:alph:]]", "there is no class of that name in [: :]" },
		{ "[[::]]", "there is no class of that name in [: :]" },
		{ "[[.ab.]]", "[. .] and [= =] take one character" },
		{ "[[==]]", "[. .] and [= =] take one character" },
		{ "[b-a]", "a range in [ ] is empty" }, { "[a-[:alpha:]]", "a range in [ ] ends in a class" },
		{ "[[:alpha:]-z]", "a range in [ ] ends in a class" },
		{ "[a-c-e]", "a - in [ ] makes no range" },
		{ "a{", "a { } is not a number of times" }, { "a{1", "a { } is not a number of times" },
		{ "a{2,1}", "a { } is not a number of times" }, { "a{x}", "a { } is not a number of times" },
		{ "a{32768}", "it is too large" }, { "a{99999999999999999999}", "it is too large" },
		{ "a{0,99999999999999999999}", "it is too large" }, { "(a{100}){100}", "it is too large" },
		{ "((a{30000}){30000}){30000}", "it is too large" },
		{ "\\", "it ends in a backslash" }, { "(a)\\1", "it refers back to a group" },
		{ "*a", "there is nothing to repeat" }, { "a|+", "there is nothing to repeat" },
		{ "^*", "there is nothing to repeat" }, { "(?)", "there is nothing to repeat" },
		{ "\\b{2}", "there is nothing to repeat" },
	};

	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* no byte after a pattern may be read */
	char *const map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *const end = map + page;

	CHECK(map != MAP_FAILED && !mprotect(end, page, PROT_NONE));
	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char *const pattern = end - strlen(of[i].pattern) - 1;
		const char *why;
		struct pp_regex *re;

		begin_case("a pattern that is refused", i);
		strcpy(pattern, of[i].pattern);
		re = pp_regex_new(pattern, &why);
		CHECK(!re && why && !strcmp(why, of[i].why));
	}
	CHECK(!munmap(map, 2 * page));
}

/* As many ( in each other, and a text that they match. */
static struct pp_regex *nested(unsigned depth, const char **why)
{
	char pattern[512];

	memset(pattern, '(', depth);
	pattern[depth] = 'a';
	memset(pattern + depth + 1, ')', depth);
	pattern[2 * depth + 1] = '\0';
	return pp_regex_new(pattern, why);
}

static void limits(void)
{
	enum { LONG = 1 << 16 };
	/* to try one way after the other would take longer than there is time */
	static const char *const slow[] = {
		"(a|aa)+$x", "(a*)*b", "(a|a)*(a|a)*(a|a)*$x", "^(((a{1,9}){1,9})*)*b", "(x+x+)+y|a{99}b",
		"((a*)*)*b|(a|a)*c",
	};
	char *const text = malloc(LONG + 1);
	struct pp_regex *re;
	const char *why;

	begin_case("limits", 0);
	re = nested(100, &why);
	CHECK(re && pp_regex_match(re, "ba") && !pp_regex_match(re, "b"));
	pp_regex_free(re);
	CHECK(!nested(101, &why) && !strcmp(why, "it has too many ( in each other"));
	re = pp_regex_new("a{8192}", &why);
	CHECK(text && !re && !strcmp(why, "it is too large"));
	re = pp_regex_new("a{8191}", &why);
	CHECK(re);
	memset(text, 'a', LONG);
	text[8190] = '\0';
	CHECK(!pp_regex_match(re, text));
	text[8190] = 'a';
	text[8191] = '\0';
	CHECK(pp_regex_match(re, text));
	pp_regex_free(re);
	memset(text, 'a', LONG);
	text[LONG] = '\0';
	for (unsigned i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		char or[64];

		begin_case("a pattern that is slow elsewhere", i);
		re = pp_regex_new(slow[i], &why);
		CHECK(re && !pp_regex_match(re, text));
		pp_regex_free(re);
		sprintf(or, "%s|a$", slow[i]);
		re = pp_regex_new(or, &why);
		CHECK(re && pp_regex_match(re, text));
		pp_regex_free(re);
	}
	pp_regex_free(NULL);
	free(text);
}

/* More states than are remembered: what was forgotten is found out again. */
static void states(void)
{
	for (unsigned i = 0; i < 60; i++) {
		const unsigned back = 6 + below(8), length = 1000 + below(3000);
		char pattern[40], text[4001];
		struct pp_regex *re;
		const char *why;

		begin_case("more states than are remembered", i);
		sprintf(pattern, "%s(a|b){%u}%s", one_in(2) ? "a" : "(^|\\W)a", back,
			one_in(2) ? "$" : "\\'");
		re = pp_regex_new(pattern, &why);
		CHECK(re);
		for (unsigned k = 0; k < 4; k++) {
			const bool edge = pattern[0] == '(';
			const char *const from = text + length - back - 1;
			bool is;

			for (unsigned at = 0; at < length; at++)
				text[at] = edge && one_in(9) ? '-' : letters[below(2)];
			text[length] = '\0';
			is = *from == 'a' && !strchr(from, '-') && (!edge || from[-1] == '-');
			CHECK(pp_regex_match(re, text) == is);
		}
		pp_regex_free(re);
	}
}

int main(void)
{
	trees();
	scribbles();
	refused();
	limits();
	states();
	return 0;
}
