/* query.h - what the parts of the filter's language share: tokens, the tree, the program. */
#ifndef QUERY_H
#define QUERY_H

#include <regex.h>

#include "libpipe.h"

/* ---- Fields: what a comparison may ask of a sample ------------------------------------------- */

/* X(NAME, name, kind of value) */
#define PP_QUERY_FIELDS(X) \
	X(EVENT,  event,  TEXT) \
	X(TYPE,   type,   TEXT) \
	X(PID,    pid,    SIGNED) \
	X(TID,    tid,    SIGNED) \
	X(CPU,    cpu,    SIGNED) \
	X(TIME,   time,   TIME) \
	X(IP,     ip,     NUMBER) \
	X(ADDR,   addr,   NUMBER) \
	X(PERIOD, period, NUMBER) \
	X(COMM,   comm,   TEXT) \
	X(ID,     id,     NUMBER)

enum pp_query_field {
#define X(upper, name, kind) PP_QUERY_##upper,
	PP_QUERY_FIELDS(X)
#undef X
	PP_QUERY_FIELD_COUNT,
	PP_QUERY_SINCE = PP_QUERY_FIELD_COUNT,  /* time from the stream's first sample: "+5s" */
};

enum pp_query_kind {
	PP_IS_NUMBER,                 /* u64 */
	PP_IS_SIGNED,                 /* s32, as perf shows -1 */
	PP_IS_TIME,                   /* u64 ns; s64 ns from the first sample */
	PP_IS_TEXT,
};

/* ---- Tokens ---------------------------------------------------------------------------------- */

enum pp_token_kind {
	PP_T_END, PP_T_WORD, PP_T_NUMBER, PP_T_STRING,
	PP_T_EQ, PP_T_NE, PP_T_LT, PP_T_LE, PP_T_GT, PP_T_GE, PP_T_MATCH, PP_T_NO_MATCH,
	PP_T_AND, PP_T_OR, PP_T_NOT, PP_T_OPEN, PP_T_CLOSE, PP_T_SET_OPEN, PP_T_SET_CLOSE,
	PP_T_COMMA, PP_T_TO,
};

/* One token of the text.  `at` and `length` are bytes of it. */
struct pp_query_token {
	enum pp_token_kind kind;
	size_t at, length;
	uint64_t number;              /* of a NUMBER; ns where it has a unit */
	bool unit, plus, minus;
	size_t odd;                   /* STRING: place of the first escape that only a pattern
	                               * may have, or 0 */
};

/* Reads the token at *at and moves *at behind it.  0, or -1 and *error. */
int pp_query_lex(const char *text, size_t *at, struct pp_query_token *, struct pp_query_error *);
/* The text of a STRING without quotes and escapes; the caller frees it.  NULL: no memory. */
char *pp_query_string(const char *text, const struct pp_query_token *);
/* Sets the place and, by printf rules, the text; -1, as a value that compilers see. */
void pp_query_say(struct pp_query_error *, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define pp_query_fail(...) (pp_query_say(__VA_ARGS__), -1)

/* ---- The tree -------------------------------------------------------------------------------- */

/* Both ends included.  SIGNED fields and times from the first sample are biased so that their
 * order is that of unsigned numbers. */
struct pp_query_range { uint64_t low, high; };
#define PP_QUERY_BIAS (UINT64_C(1) << 63)

/* Verdicts of a pattern on short texts: a stream has few names, and regexec() is slow. */
enum { PP_QUERY_MEMOS = 256, PP_QUERY_MEMO_TEXT = 31 };
struct pp_query_memo {
	uint8_t verdict;              /* 0 unknown, 1 no, 2 yes */
	char text[PP_QUERY_MEMO_TEXT];/* terminated unless it fills the width */
};

enum pp_query_test_kind { PP_TEST_RANGE, PP_TEST_RANGES, PP_TEST_TEXTS, PP_TEST_PATTERN };

/*
 * One comparison.  Where the sample has no such field it fails, negated or not; the program
 * goes on at `yes` or `no`.
 */
struct pp_query_test {
	uint8_t kind, field;
	bool negate;
	uint32_t yes, no;
	uint32_t count;               /* ranges or texts */
	struct pp_query_range range;  /* RANGE */
	struct pp_query_range *ranges;/* RANGES: ascending, apart */
	char **texts;
	regex_t *pattern;
	struct pp_query_memo *memos;
};

enum pp_node_kind { PP_NODE_TEST, PP_NODE_NOT, PP_NODE_AND, PP_NODE_OR };

/* left and right are indices of nodes; `test` is moved into the program by the compiler. */
struct pp_query_node {
	uint8_t kind;
	uint32_t left, right;
	struct pp_query_test test;
};

enum { PP_QUERY_TESTS = 4096, PP_QUERY_DEPTH = 200, PP_QUERY_PATTERN = 1024 };

struct pp_query_tree {
	struct pp_query_node *nodes;
	size_t count, room;
	uint32_t root;
};

/* Reads the whole text.  0, or -1 and *error; the tree is to be freed either way. */
int pp_query_parse(const char *text, struct pp_query_tree *, struct pp_query_error *);
void pp_query_tree_free(struct pp_query_tree *);
void pp_query_test_free(struct pp_query_test *);

/* ---- The program ----------------------------------------------------------------------------- */

/*
 * Tests in the order in which they are asked.  Every `yes` and `no` leads forward or to
 * one of the two ends.
 */
enum { PP_QUERY_YES = INT32_MAX, PP_QUERY_NO = INT32_MAX - 1 };

struct pp_query {
	struct pp_query_test *tests;
	uint32_t count;
	bool needs_tasks, needs_first;
};

#endif
