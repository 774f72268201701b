/*
 * regex.c - extended regular expressions: a pattern becomes a program of a few kinds of instructions,
 * all of whose ways are followed in parallel.  The ways after a byte are remembered as a state, so
 * that a byte costs one look into a table wherever the same was met before.
 */
#include "base/array.h"
#include "pattern/regex.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROGRAM_MAX = 8192,           /* instructions: a repetition is as many as it says */
	DEPTH_MAX = 100,              /* of parentheses in parentheses */
	REPEAT_MAX = 32767,           /* as RE_DUP_MAX of the C library */
	STATES = 256,                 /* that are remembered; then all are forgotten */
	BUCKETS = 2 * STATES,
	END = 256,                    /* what follows the last byte of a text */
};

/* What a table has instead of a state. */
enum { UNKNOWN = 0xffff, ACCEPT = 0xfffe, DEAD = 0xfffd, NO_STATE = 0xfffc };

enum op { BYTE, SPLIT, JUMP, ASSERT, MATCH };

enum assertion { AT_BEGIN, AT_END, AT_EDGE, AT_NO_EDGE, AT_WORD_BEGIN, AT_WORD_END };

/* What precedes a place. */
enum before { NOTHING, OTHER, WORD };

/* SPLIT continues with the next one and with the one `to` further on; JUMP only there.  Being
 * relative, they may be moved and copied with what they belong to. */
struct regex_instruction {
	uint8_t op, assertion;
	uint16_t set;                 /* BYTE: one of these */
	int32_t to;
};

struct set { uint8_t bits[32]; };

/* Places in the program, before one of which the text is; as those that a byte led to. */
struct regex_state {
	uint32_t first;               /* in `places` */
	uint16_t count, next;         /* next: of the same bucket */
	uint8_t before;
};

struct pp_regex {
	struct regex_instruction *program;
	uint32_t count;
	size_t room;
	struct set *sets;
	uint32_t n_sets;
	size_t sets_room;
	bool anchored;                /* it matches only at the beginning of a text */
	bool words;                   /* it asks for words: their bytes are distinguished */

	uint16_t class[END + 1];      /* bytes that no set distinguishes */
	uint16_t sample[END + 1];     /* of each class */
	uint32_t n_classes;

	uint16_t *table;              /* by state and class: the next state */
	struct regex_state states[STATES];
	uint16_t buckets[BUCKETS];
	uint32_t n_states;
	uint16_t *places;
	uint32_t n_places, places_room;

	/* room to find the next state in */
	uint16_t *stack;
	uint64_t *seen, *found;       /* a bit for each instruction */
};

/* ---- The program ----------------------------------------------------------------------------- */

struct regex_parser {
	struct pp_regex *re;
	const char *at;
	const char *why;
	unsigned depth;
};

static int fails(struct regex_parser *p, const char *why)
{
	p->why = why;
	return -1;
}

/* Room for so many more instructions. */
static int reserve(struct regex_parser *p, uint64_t count)
{
	struct pp_regex *const re = p->re;

	if (count > PROGRAM_MAX - re->count)
		return fails(p, "it is too large");
	return PP_GROW(&re->program, &re->room, re->count + count, NULL) ? fails(p, NULL) : 0;
}

static int emit(struct regex_parser *p, struct regex_instruction i)
{
	if (reserve(p, 1))
		return -1;
	p->re->program[p->re->count++] = i;
	return 0;
}

/* Puts one before what begins at `start`. */
static int insert(struct regex_parser *p, uint32_t start, struct regex_instruction i)
{
	struct pp_regex *const re = p->re;

	if (reserve(p, 1))
		return -1;
	memmove(re->program + start + 1, re->program + start,
		(re->count - start) * sizeof(*re->program));
	re->program[start] = i;
	re->count++;
	return 0;
}

static void put(struct set *set, unsigned char c)
{
	set->bits[c / 8] |= (uint8_t)(1 << c % 8);
}

static bool has(const struct set *set, unsigned c)
{
	return set->bits[c / 8] >> c % 8 & 1;
}

static int emit_set(struct regex_parser *p, const struct set *set)
{
	struct pp_regex *const re = p->re;

	if (re->n_sets == UINT16_MAX)
		return fails(p, "it is too large");
	if (PP_GROW(&re->sets, &re->sets_room, (size_t)re->n_sets + 1, NULL))
		return fails(p, NULL);
	re->sets[re->n_sets] = *set;
	return emit(p, (struct regex_instruction){ .op = BYTE, .set = (uint16_t)re->n_sets++ });
}

static int emit_byte(struct regex_parser *p, char c)
{
	struct set set = { { 0 } };

	put(&set, (unsigned char)c);
	return emit_set(p, &set);
}

static bool is_word(unsigned c)
{
	return c != END && (isalnum((int)c) || c == '_');
}

static int is_word_byte(int c)
{
	return is_word((unsigned)c);
}

static int emit_class(struct regex_parser *p, int (*is)(int), bool negate)
{
	struct set set = { { 0 } };

	for (int c = 1; c <= UCHAR_MAX; c++)
		if (!is(c) == negate)
			put(&set, (unsigned char)c);
	return emit_set(p, &set);
}

/* ---- Brackets -------------------------------------------------------------------------------- */

static int add_class(struct regex_parser *p, struct set *set, const char *name, size_t length)
{
	static const struct { const char *name; int (*is)(int); } classes[] = {
		{ "alpha", isalpha }, { "digit", isdigit }, { "alnum", isalnum }, { "upper", isupper },
		{ "lower", islower }, { "space", isspace }, { "blank", isblank }, { "punct", ispunct },
		{ "print", isprint }, { "graph", isgraph }, { "cntrl", iscntrl }, { "xdigit", isxdigit },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (strncmp(classes[i].name, name, length) != 0 || classes[i].name[length])
			continue;
		for (int c = 0; c <= UCHAR_MAX; c++)
			if (classes[i].is(c))
				put(set, (unsigned char)c);
		return 0;
	}
	return fails(p, "there is no class of that name in [: :]");
}

/* One element of a bracket: 1 and *c, or 0 where it was a class, which is in the set then; or -1. */
static int take_element(struct regex_parser *p, struct set *set, unsigned char *c)
{
	const char *name, *end;
	char kind;

	if (!*p->at)
		return fails(p, "a [ is not closed");
	kind = p->at[1];
	if (*p->at != '[' || !kind || !strchr(":.=", kind)) {
		*c = (unsigned char)*p->at++;
		return 1;
	}
	name = p->at + 2;
	for (end = name; *end && !(end[0] == kind && end[1] == ']'); end++)
		;
	if (!*end)
		return fails(p, "a [ is not closed");
	p->at = end + 2;
	if (kind == ':')
		return add_class(p, set, name, (size_t)(end - name));
	if (end - name != 1)
		return fails(p, "[. .] and [= =] take one character");
	*c = (unsigned char)*name;
	return kind == '.' ? 1 : (put(set, *c), 0);
}

/* What follows "[". */
static int take_bracket(struct regex_parser *p)
{
	struct set set = { { 0 } };
	const bool negate = *p->at == '^';
	bool first = true;

	for (p->at += negate; first || *p->at != ']'; first = false) {
		unsigned char from, to;
		int got;

		/* a hyphen that makes no range comes first or last */
		if (*p->at == '-' && !first && p->at[1] != ']')
			return fails(p, "a - in [ ] makes no range");
		got = take_element(p, &set, &from);
		if (got < 0)
			return -1;
		to = from;
		if (*p->at == '-' && p->at[1] && p->at[1] != ']') {
			p->at++;
			if (!got || take_element(p, &set, &to) != 1)
				return p->why ? -1 : fails(p, "a range in [ ] ends in a class");
			if (to < from)
				return fails(p, "a range in [ ] is empty");
		}
		for (unsigned c = from; got && c <= to; c++)
			put(&set, (unsigned char)c);
	}
	p->at++;
	for (size_t i = 0; negate && i < sizeof(set.bits); i++)
		set.bits[i] = (uint8_t)~set.bits[i];
	return emit_set(p, &set);
}

/* ---- Repetitions ----------------------------------------------------------------------------- */

/* What begins at `start`, from `least` times to `most`; most -1: any number of times. */
static int repeat(struct regex_parser *p, uint32_t start, int least, int most)
{
	struct pp_regex *const re = p->re;
	const uint32_t length = re->count - start;
	const uint64_t more = most < 0 ? 1 : (uint64_t)(most - least) * (length + 1);
	const int32_t step = (int32_t)length + 1;
	struct regex_instruction *body;

	if (!length)
		return 0;
	if (least == 0 && most < 0)
		return insert(p, start, (struct regex_instruction){ .op = SPLIT, .to = step + 1 }) ||
		       emit(p, (struct regex_instruction){ .op = JUMP, .to = -step }) ? -1 : 0;
	if (reserve(p, (uint64_t)least * length + more))
		return -1;
	body = malloc(length * sizeof(*body));
	if (!body)
		return fails(p, NULL);
	memcpy(body, re->program + start, length * sizeof(*body));
	re->count = start;
	for (int i = 0; i < (most < 0 ? least : most); i++) {
		if (i >= least)
			re->program[re->count++] =
				(struct regex_instruction){ .op = SPLIT, .to = (most - i) * step };
		memcpy(re->program + re->count, body, length * sizeof(*body));
		re->count += length;
	}
	if (most < 0)
		re->program[re->count++] = (struct regex_instruction){ .op = SPLIT, .to = -(int32_t)length };
	free(body);
	return 0;
}

/* A number; -1: there is none. */
static int take_number(struct regex_parser *p)
{
	int n = -1;

	for (; isdigit((unsigned char)*p->at); p->at++)
		if (n <= REPEAT_MAX)
			n = (n < 0 ? 0 : n * 10) + (*p->at - '0');
	return n;
}

/* What follows "{". */
static int take_interval(struct regex_parser *p, uint32_t start)
{
	int least = take_number(p), most = least;

	if (*p->at == ',') {
		p->at++;
		most = take_number(p);
		least = least < 0 ? 0 : least;
	}
	if (*p->at != '}' || least < 0 || (most >= 0 && most < least))
		return fails(p, "a { } is not a number of times");
	if (least > REPEAT_MAX || most > REPEAT_MAX)
		return fails(p, "it is too large");
	p->at++;
	return repeat(p, start, least, most);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static int take_alternatives(struct regex_parser *p);

static int take_group(struct regex_parser *p)
{
	if (++p->depth > DEPTH_MAX)
		return fails(p, "it has too many ( in each other");
	if (take_alternatives(p))
		return -1;
	if (*p->at != ')')
		return fails(p, "a ( is not closed");
	p->depth--;
	p->at++;
	return 0;
}

static int assert_here(struct regex_parser *p, enum assertion assertion, bool *repeats)
{
	*repeats = false;
	p->re->words |= assertion > AT_END;
	return emit(p, (struct regex_instruction){ .op = ASSERT, .assertion = (uint8_t)assertion });
}

/* What follows a backslash. */
static int take_escape(struct regex_parser *p, bool *repeats)
{
	const char c = *p->at;

	if (!c)
		return fails(p, "it ends in a backslash");
	p->at++;
	switch (c) {
	case 'w': case 'W': return emit_class(p, is_word_byte, c == 'W');
	case 's': case 'S': return emit_class(p, isspace, c == 'S');
	case 'b': return assert_here(p, AT_EDGE, repeats);
	case 'B': return assert_here(p, AT_NO_EDGE, repeats);
	case '<': return assert_here(p, AT_WORD_BEGIN, repeats);
	case '>': return assert_here(p, AT_WORD_END, repeats);
	case '`': return assert_here(p, AT_BEGIN, repeats);
	case '\'': return assert_here(p, AT_END, repeats);
	default:
		return c >= '1' && c <= '9' ? fails(p, "it refers back to a group") : emit_byte(p, c);
	}
}

/* One piece without what repeats it; *repeats: it may be. */
static int take_atom(struct regex_parser *p, bool *repeats)
{
	const char c = *p->at++;
	struct set any;

	*repeats = true;
	switch (c) {
	case '(': return take_group(p);
	case '[': return take_bracket(p);
	case '\\': return take_escape(p, repeats);
	case '^': return assert_here(p, AT_BEGIN, repeats);
	case '$': return assert_here(p, AT_END, repeats);
	case '*': case '+': case '?': case '{':
		return fails(p, "there is nothing to repeat");
	case '.':
		memset(&any, 0xff, sizeof(any));
		return emit_set(p, &any);
	default: return emit_byte(p, c);
	}
}

static int take_repetitions(struct regex_parser *p, uint32_t start)
{
	int failed = 0;

	while (!failed && *p->at && strchr("*+?{", *p->at)) {
		const char c = *p->at++;

		failed = c == '{' ? take_interval(p, start) :
			 repeat(p, start, c == '+', c == '?' ? 1 : -1);
	}
	return failed;
}

static int take_branch(struct regex_parser *p)
{
	while (*p->at && *p->at != '|' && (*p->at != ')' || !p->depth)) {
		const uint32_t start = p->re->count;
		bool repeats;

		if (take_atom(p, &repeats) || (repeats && take_repetitions(p, start)))
			return -1;
	}
	return 0;
}

static int take_alternatives(struct regex_parser *p)
{
	struct pp_regex *const re = p->re;
	int32_t last = -1;            /* jump to the end; each has where the one before it is */

	for (;;) {
		const uint32_t start = re->count;

		if (take_branch(p))
			return -1;
		if (*p->at != '|')
			break;
		p->at++;
		if (insert(p, start, (struct regex_instruction){ .op = SPLIT,
							   .to = (int32_t)(re->count - start) + 2 }) ||
		    emit(p, (struct regex_instruction){ .op = JUMP, .to = last }))
			return -1;
		last = (int32_t)re->count - 1;
	}
	while (last >= 0) {
		const int32_t before = re->program[last].to;

		re->program[last].to = (int32_t)re->count - last;
		last = before;
	}
	return 0;
}

/* ---- Classes of bytes ------------------------------------------------------------------------ */

/* Puts bytes that are in the set into other classes than those that are not. */
static void refine(struct pp_regex *re, const struct set *set)
{
	uint16_t with[END];
	uint32_t n = re->n_classes;

	/* those of a class that are in it get a new one, unless all are */
	bool out[END] = { false };

	for (unsigned c = 0; c < END; c++)
		out[re->class[c]] |= !has(set, c);
	memset(with, 0xff, sizeof(with));
	for (unsigned c = 0; c < END; c++) {
		const uint16_t old = re->class[c];

		if (!has(set, c) || old >= re->n_classes || !out[old])
			continue;
		if (with[old] == UINT16_MAX)
			with[old] = (uint16_t)n++;
		re->class[c] = with[old];
	}
	re->n_classes = n;
}

static void find_classes(struct pp_regex *re)
{
	struct set word = { { 0 } };

	memset(re->class, 0, sizeof(re->class));
	re->n_classes = 1;
	for (uint32_t i = 0; i < re->n_sets && re->n_classes < END; i++)
		refine(re, &re->sets[i]);
	for (unsigned c = 0; c < END; c++)
		if (is_word(c))
			put(&word, (unsigned char)c);
	if (re->words)
		refine(re, &word);
	re->class[END] = (uint16_t)re->n_classes++;
	for (unsigned c = 0; c <= END; c++)
		re->sample[re->class[c]] = (uint16_t)c;
}

/* ---- States ---------------------------------------------------------------------------------- */

static void mark(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool is_marked(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static size_t words_of(const struct pp_regex *re)
{
	return re->count / 64 + 1;
}

/* The places in `found` as a state: an old one or a new one; DEAD: there are none; NO_STATE: there is no
 * room. */
static uint16_t find_state(struct pp_regex *re, enum before before)
{
	const uint32_t first = re->n_places;
	uint32_t hash = before, n = 0;
	struct regex_state *s;
	uint16_t *bucket;

	for (size_t w = 0; w < words_of(re); w++)
		for (uint64_t bits = re->found[w]; bits; bits &= bits - 1) {
			if (first + n == re->places_room)
				return NO_STATE;
			re->places[first + n] = (uint16_t)(w * 64 + (unsigned)__builtin_ctzll(bits));
			hash = (hash ^ re->places[first + n++]) * 16777619u;
		}
	if (!n)
		return DEAD;
	bucket = &re->buckets[hash % BUCKETS];
	for (uint16_t i = *bucket; i != NO_STATE; i = re->states[i].next) {
		s = &re->states[i];
		if (s->count == n && s->before == before &&
		    !memcmp(re->places + s->first, re->places + first, n * sizeof(*re->places)))
			return i;
	}
	if (re->n_states == STATES)
		return NO_STATE;
	s = &re->states[re->n_states];
	*s = (struct regex_state){ first, (uint16_t)n, *bucket, (uint8_t)before };
	re->n_places += n;
	*bucket = (uint16_t)re->n_states;
	return (uint16_t)re->n_states++;
}

/* But for state 0: before the first byte. */
static void forget_states(struct pp_regex *re)
{
	for (size_t i = 0; i < BUCKETS; i++)
		re->buckets[i] = NO_STATE;
	memset(re->table, 0xff, STATES * (size_t)re->n_classes * sizeof(*re->table));
	re->states[0] = (struct regex_state){ .count = 1, .next = NO_STATE, .before = NOTHING };
	re->places[0] = 0;
	re->n_states = re->n_places = 1;
}

static bool holds(enum assertion assertion, enum before before, unsigned next)
{
	const bool word = before == WORD, follows = is_word(next);

	switch (assertion) {
	case AT_BEGIN: return before == NOTHING;
	case AT_END: return next == END;
	case AT_EDGE: return word != follows;
	case AT_NO_EDGE: return word == follows;
	case AT_WORD_BEGIN: return !word && follows;
	default: return word && !follows;
	}
}

/* Goes all ways from a place on, up to what takes a byte: `found` gets where that leads.  True: one way
 * leads to a match. */
static bool follow(struct pp_regex *re, uint32_t place, enum before before, unsigned byte)
{
	uint32_t depth = 0;

	re->stack[depth++] = (uint16_t)place;
	while (depth) {
		const uint32_t at = re->stack[--depth];
		const struct regex_instruction *const i = &re->program[at];

		if (is_marked(re->seen, at))
			continue;
		mark(re->seen, at);
		if (i->op == MATCH)
			return true;
		if (i->op == BYTE && byte != END && has(&re->sets[i->set], byte))
			mark(re->found, at + 1);
		if (i->op == SPLIT || i->op == JUMP)
			re->stack[depth++] = (uint16_t)((int32_t)at + i->to);
		if (i->op == SPLIT || (i->op == ASSERT && holds(i->assertion, before, byte)))
			re->stack[depth++] = (uint16_t)(at + 1);
	}
	return false;
}

/* Whether all is found that a byte leads to: not where a way leads to a match. */
static bool leads_on(struct pp_regex *re, const struct regex_state *s, unsigned byte)
{
	memset(re->seen, 0, words_of(re) * sizeof(*re->seen));
	memset(re->found, 0, words_of(re) * sizeof(*re->found));
	for (uint32_t i = 0; i < s->count; i++)
		if (follow(re, re->places[s->first + i], s->before, byte))
			return false;
	return true;
}

/* What a byte of this class leads to, which is remembered. */
static uint16_t step(struct pp_regex *re, uint16_t from, uint16_t class)
{
	const unsigned byte = re->sample[class];
	const enum before before = re->words && is_word(byte) ? WORD : OTHER;
	uint16_t to;

	if (!leads_on(re, &re->states[from], byte)) {
		to = ACCEPT;
	} else if (byte == END) {
		to = DEAD;
	} else {
		if (!re->anchored)
			mark(re->found, 0);
		to = find_state(re, before);
	}
	if (to == NO_STATE) {
		forget_states(re);
		return find_state(re, before);
	}
	re->table[from * (size_t)re->n_classes + class] = to;
	return to;
}

bool pp_regex_match(struct pp_regex *re, const char *text)
{
	const uint8_t *at = (const uint8_t *)text;
	uint16_t state = 0;

	while (state < NO_STATE) {
		const uint16_t class = re->class[*at ? *at : END];
		const uint16_t to = re->table[state * (size_t)re->n_classes + class];

		state = to == UNKNOWN ? step(re, state, class) : to;
		at++;
	}
	return state == ACCEPT;
}

/* ---- From new to free ------------------------------------------------------------------------ */

static int make_room(struct pp_regex *re)
{
	const size_t words = words_of(re);

	re->places_room = re->count + PROGRAM_MAX;
	re->places = malloc(re->places_room * sizeof(*re->places));
	re->stack = malloc((2 * (size_t)re->count + 1) * sizeof(*re->stack));
	re->seen = malloc(words * sizeof(*re->seen));
	re->found = malloc(words * sizeof(*re->found));
	re->table = malloc(STATES * (size_t)re->n_classes * sizeof(*re->table));
	return re->places && re->stack && re->seen && re->found && re->table ? 0 : -1;
}

struct pp_regex *pp_regex_new(const char *pattern, const char **why)
{
	struct pp_regex *const re = calloc(1, sizeof(*re));
	struct regex_parser p = { .re = re, .at = pattern };

	*why = NULL;
	if (!re)
		return NULL;
	if (take_alternatives(&p) || emit(&p, (struct regex_instruction){ .op = MATCH })) {
		*why = p.why;
		pp_regex_free(re);
		return NULL;
	}
	find_classes(re);
	if (make_room(re)) {
		pp_regex_free(re);
		return NULL;
	}
	re->anchored = re->program[0].op == ASSERT && re->program[0].assertion == AT_BEGIN;
	forget_states(re);
	return re;
}

void pp_regex_free(struct pp_regex *re)
{
	if (!re)
		return;
	free(re->program);
	free(re->sets);
	free(re->table);
	free(re->places);
	free(re->stack);
	free(re->seen);
	free(re->found);
	free(re);
}
