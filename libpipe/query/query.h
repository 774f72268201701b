/* query.h - what the parts of the filter's language share: tokens, the tree, the program. */
#ifndef QUERY_H
#define QUERY_H

#include <perfpipe/perfpipe.h>
#include "pattern/glob.h"
#include "pattern/regex.h"
#include "query/query_fields.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

enum pp_token_kind {
	PP_T_END, PP_T_WORD, PP_T_NUMBER, PP_T_STRING,
	PP_T_EQ, PP_T_NE, PP_T_LT, PP_T_LE, PP_T_GT, PP_T_GE, PP_T_MATCH, PP_T_NO_MATCH, PP_T_GLOB,
	PP_T_PLUS, PP_T_MINUS, PP_T_TIMES, PP_T_OVER, PP_T_MODULO, PP_T_BOTH, PP_T_EITHER,
	PP_T_AND, PP_T_OR, PP_T_NOT, PP_T_OPEN, PP_T_CLOSE, PP_T_SET_OPEN, PP_T_SET_CLOSE,
	PP_T_COMMA, PP_T_TO,
};

/* One token of the text.  `at` and `length` are bytes of it. */
struct pp_query_token {
	enum pp_token_kind kind;
	size_t at, length;
	uint64_t number;              /* of a NUMBER; ns, or times 1024 ..., where it has a unit */
	bool unit, plus, minus;       /* unit: of time */
	bool percent;                 /* number is in units of PP_QUERY_PERCENT to the 1 */
	bool size;                    /* K, M or G */
	size_t odd;                   /* STRING: place of the first escape that only a pattern
	                               * may have, or 0 */
};

#define PP_QUERY_PERCENT UINT64_C(1000000000)

/* Reads the token at *at and moves *at past it.  0, or -1 and *error. */
int pp_query_lex(const char *text, size_t *at, struct pp_query_token *, struct pp_error *);
/* The text of a STRING without quotes and escapes; the caller frees it.  NULL: no memory. */
char *pp_query_string(const char *text, const struct pp_query_token *);
/* Sets the place and, by printf rules, the text; -1, as a value that compilers see. */
void pp_query_say(struct pp_error *, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define pp_query_fail(...) (pp_query_say(__VA_ARGS__), -1)
void pp_query_say_memory(struct pp_error *);

/* ns from 1970 of "2026-11-21T10:00:05.5Z", "2026-11-21 10:00" (local time) or "@1795255205.5";
 * false: it has another form. */
bool pp_query_wall_clock(const char *text, uint64_t *ns);

/* ---- The tree -------------------------------------------------------------------------------- */

/* Both ends included.  SIGNED fields, times from a sample and parts are biased so that their
 * order is that of unsigned numbers. */
struct pp_query_range { uint64_t low, high; };
#define PP_QUERY_BIAS (UINT64_C(1) << 63)
/* Any number of 64 bits, signed or not, and whatever their arithmetic makes. */
__extension__ typedef __int128 pp_query_wide;
struct pp_query_span { pp_query_wide low, high; };

/* Verdicts of a pattern on short texts: a stream has few names. */
enum { PP_QUERY_MEMOS = 256, PP_QUERY_MEMO_TEXT = 31 };
struct pp_query_memo {
	uint8_t verdict;              /* 0 unknown, 1 no, 2 yes */
	char text[PP_QUERY_MEMO_TEXT];/* terminated unless it fills the width */
};

/* Verdicts of a test on places: a stream has few of them, too. */
enum { PP_QUERY_VERDICTS = 1 << 13 };
struct pp_query_names {
	bool asked, found, failed;    /* for a name; there was one; memory was lacking */
	struct pp_query_verdict {
		uint64_t offset;
		uint32_t file;
		uint32_t said;        /* names that the stream had said until then */
		uint8_t verdict;      /* 0: none */
	} verdicts[PP_QUERY_VERDICTS];
};

/* Arithmetic in reverse Polish notation.  Where a result does not fit in 64 bits, signed or not,
 * or divides by zero, there is no value. */
enum pp_query_op_kind { PP_OP_PUSH, PP_OP_LOAD, PP_OP_ADD, PP_OP_SUBTRACT, PP_OP_MULTIPLY,
			PP_OP_DIVIDE, PP_OP_MODULO, PP_OP_AND, PP_OP_OR };
struct pp_query_op {
	pp_query_wide value;
	struct pp_query_path *path;
	uint8_t kind, field;
};
enum { PP_QUERY_OPS = 64 };

enum pp_query_test_kind {
	PP_TEST_RANGE, PP_TEST_RANGES, PP_TEST_TEXTS, PP_TEST_PATTERN, PP_TEST_GLOB,
	PP_TEST_ANY,                  /* RANGES of any of the values of a path */
	PP_TEST_SPANS,                /* the same of WIDE numbers, of one or of any value */
	PP_TEST_COMPARE,              /* what the code of the left and of the right make */
	PP_TEST_DEFINED,
	PP_TEST_DESCENT,              /* the process is range.low, or descends from it */
};

/*
 * One comparison.  If the sample has no such field it fails, negated or not; the program continues
 * at `yes` or `no`.
 */
struct pp_query_test {
	uint8_t kind, field;
	bool negate;
	bool any;                     /* SPANS: of all the values of a path */
	uint8_t compare;              /* COMPARE: pp_token_kind */
	uint32_t yes, no;
	uint32_t count;               /* ranges, spans or texts */
	size_t room;                  /* for as many of one of these */
	struct pp_query_range range;  /* RANGE */
	struct pp_query_range *ranges;/* RANGES: ascending, apart */
	struct pp_query_span *spans;  /* SPANS */
	char **texts;
	struct pp_regex *pattern;
	struct pp_query_memo *memos;
	struct pp_query_names *names; /* of a field that is about names of functions; or NULL */
	struct pp_query_path *path;
	struct pp_query_op *ops;      /* COMPUTED; of a COMPARE first `left`, then the others */
	uint32_t n_ops, left;
	size_t at, length;            /* in the text of the query */
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
	struct pp_query_path *paths;
};

/* Reads the whole text.  0, or -1 and *error; the tree is to be freed either way. */
int pp_query_parse(const char *text, struct pp_query_tree *, struct pp_error *);
void pp_query_tree_free(struct pp_query_tree *);
void pp_query_test_free(struct pp_query_test *);

/* The value of a test's field; of text a hash.  False: the record has none. */
bool pp_query_value(const struct pp_query_test *, const struct pp_record *,
		    const struct pp_query_facts *, uint64_t *value);
/* Whether there is one at most. */
bool pp_query_has_one_value(const struct pp_query_test *);

/* ---- The program ----------------------------------------------------------------------------- */

/*
 * Tests in the order in which they are asked.  Every `yes` and `no` leads forward or to
 * one of the two ends.
 */
enum { PP_QUERY_YES = INT32_MAX, PP_QUERY_NO = INT32_MAX - 1 };

struct pp_query {
	struct pp_query_test *tests;
	uint32_t count;
	bool needs_tasks, needs_first, needs_last, needs_wall;
	bool judges_all;              /* that the kernel writes, not only samples */
	unsigned tasks_with;
	struct pp_query_path *paths;
	char *text;
};
/* ---- Asking a record ------------------------------------------------------------------------- */

/* The facts of a caller who may have been compiled with an older header. */
static inline const struct pp_query_facts *pp_query_whole(const struct pp_query_facts *facts,
							  struct pp_query_facts *whole)
{
	if (facts->size >= sizeof(*whole))
		return facts;
	*whole = (struct pp_query_facts){ .size = sizeof(*whole) };
	memcpy((uint8_t *)whole + sizeof(size_t), (const uint8_t *)facts + sizeof(size_t),
	       facts->size > sizeof(size_t) ? facts->size - sizeof(size_t) : 0);
	return whole;
}

/* The first value of a path; without `number` only whether there is one. */
bool pp_query_load_walked(const struct pp_record *, struct pp_query_path *, bool number,
			  uint64_t *value);
/* Does a record other than a sample have its own field of this name? */
bool pp_query_has_own(const struct pp_record *, const struct pp_query_path *);
/* The process and thread that a record is about; false: unknown. */
bool pp_query_task(const struct pp_record *, uint32_t *pid, uint32_t *tid);
bool pp_query_is_text(const struct pp_query_test *);

/* A number that is equal where the text is; false: there is none. */
bool pp_query_text_hash(const struct pp_query_test *, const struct pp_record *,
			const struct pp_query_facts *, uint64_t *value);

/* Splits the name of a tracepoint's field; false: it has another form. */
bool pp_query_trace_name(struct pp_query_path *);
/* What a sample's tracepoint has under this name; false, NULL: nothing. */
bool pp_query_trace_number(struct pp_query_path *, const struct pp_record *,
			   const struct pp_query_facts *, pp_query_wide *value);
bool pp_query_trace_any(struct pp_query_path *, const struct pp_record *,
			const struct pp_query_facts *,
			bool (*holds)(const struct pp_query_test *, pp_query_wide),
			const struct pp_query_test *);
bool pp_query_trace_defined(struct pp_query_path *, const struct pp_record *,
			    const struct pp_query_facts *);
const char *pp_query_trace_text(struct pp_query_path *, const struct pp_record *,
				const struct pp_query_facts *);
/* Another text for the same: the letter of a thread's state; NULL: there is none. */
const char *pp_query_trace_letter(struct pp_query_path *, const struct pp_record *);
bool pp_query_text_holds(const struct pp_query_test *, const struct pp_record *,
			 const struct pp_query_facts *);

/* ---- name_operands.c: names of functions ----------------------------------------------------- */

bool pp_query_is_of_names(uint8_t field);
bool pp_query_name_holds(const struct pp_query_test *, const struct pp_record *,
			 const struct pp_query_facts *);
/* As pp_query_text_hash(). */
bool pp_query_name_hash(const struct pp_query_test *, const struct pp_record *,
			const struct pp_query_facts *, uint64_t *value);
/* text_operands.c: whether a text is as was asked. */
bool pp_query_text_is(const struct pp_query_test *, const char *text);

void pp_query_paths_free(struct pp_query_path *);
/* Whether a mode is called so. */
bool pp_query_mode_named(const char *name);

#endif
