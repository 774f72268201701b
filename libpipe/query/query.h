/* query.h - what the parts of the filter's language share: tokens, the tree, the program. */
#ifndef QUERY_H
#define QUERY_H


#include <perfpipe/perfpipe.h>
#include "format/format.h"
#include "pattern/glob.h"
#include "pattern/regex.h"

/* ---- Fields: what a comparison may ask of a sample ------------------------------------------- */

/* Fields with a place of their own, or a meaning beyond the tables: X(NAME, name, kind, meaning) */
#define PP_QUERY_FIELDS(X) \
	X(EVENT,     event,     TEXT,   "name of the event") \
	X(TYPE,      type,      TEXT,   "name of the record's type") \
	X(MODE,      mode,      TEXT,   "user, kernel, guest, guest_user or hypervisor") \
	X(PID,       pid,       SIGNED, "process") \
	X(TID,       tid,       SIGNED, "thread") \
	X(CPU,       cpu,       SIGNED, "processor") \
	X(TIME,      time,      TIME,   "ns of the event's clock") \
	X(IP,        ip,        NUMBER, "instruction pointer") \
	X(ADDR,      addr,      NUMBER, "address that was accessed") \
	X(PERIOD,    period,    NUMBER, "what this sample stands for") \
	X(COMM,      comm,      TEXT,   "name of the thread at that time") \
	X(ID,        id,        NUMBER, "event id") \
	X(STREAM_ID, stream_id, NUMBER, "id of the inherited event") \
	X(MISC,      misc,      NUMBER, "bits of the record's header") \
	X(FRAMES,    depth,     NUMBER, "addresses in the call chain, without context marks") \
	X(DSO,       dso,       TEXT,   "path of the mapping that ip is in") \
	X(ANY_DSO,   any_dso,   TEXT,   "the same of ip and of every address of the call chain") \
	X(BUILD_ID,  build_id,  TEXT,   "build-id of that mapping, in hexadecimal digits") \
	X(CGROUP_PATH, cgroup_path, TEXT, "path of the control group") \
	X(NS_NET,    ns.net,    NUMBER, "inode of the thread's network namespace") \
	X(NS_UTS,    ns.uts,    NUMBER, "of its namespace of host names") \
	X(NS_IPC,    ns.ipc,    NUMBER, "of its IPC namespace") \
	X(NS_PID,    ns.pid,    NUMBER, "of its namespace of processes") \
	X(NS_USER,   ns.user,   NUMBER, "of its user namespace") \
	X(NS_MNT,    ns.mnt,    NUMBER, "of its mount namespace") \
	X(NS_CGROUP, ns.cgroup, NUMBER, "of its namespace of control groups") \
	X(NS_TIME,   ns.time,   NUMBER, "of its time namespace")

enum pp_query_field {
#define X(upper, name, kind, doc) PP_QUERY_##upper,
	PP_QUERY_FIELDS(X)
#undef X
	PP_QUERY_FIELD_COUNT,
	PP_QUERY_SINCE = PP_QUERY_FIELD_COUNT,  /* time from the stream's first sample: "+5s" */
	PP_QUERY_UNTIL,               /* time from its last one: "-5s" */
	PP_QUERY_PART,                /* the part of the time between both: "10%" */
	PP_QUERY_WALL,                /* time by the wall clock: "2026-11-21 10:00:05" */
	PP_QUERY_WALKED,              /* found by walking a record's rows: struct pp_query_path */
	PP_QUERY_COMPUTED,            /* made by the test's arithmetic */
};

enum pp_query_kind {
	PP_AS_NUMBER,                 /* u64 */
	PP_AS_SIGNED,                 /* s32, as perf shows -1 */
	PP_AS_TIME,                   /* u64 ns, from 1970 by the wall clock; s64 ns from a sample */
	PP_AS_TEXT,
	PP_AS_WALKED,                 /* u64, or whatever is only asked whether it is defined */
	PP_AS_WIDE,                   /* s64 or u64 */
};

struct pp_query_field_row { const char *name; enum pp_query_kind kind; const char *doc; };
extern const struct pp_query_field_row pp_query_field_rows[PP_QUERY_FIELD_COUNT];

/* Where records of a type other than samples have a name of their own. */
struct pp_query_own {
	uint16_t at;                  /* FIXED */
	uint8_t kind;                 /* pp_kind */
	uint8_t how;                  /* 0: nowhere */
};
enum { PP_TERM_FIXED = 1, PP_TERM_WALKED };

/*
 * A name.  Those from the tables lead to a row, then to a row of its structure; to a list's
 * element, or to all of them.
 */
enum { PP_QUERY_STEPS = 4 };
struct pp_query_path {
	struct pp_query_path *next;   /* of the same program */
	struct pp_query_step {
		const char *name;     /* borrowed from the tables */
		uint32_t index;
		bool indexed;
	} steps[PP_QUERY_STEPS];
	uint8_t n;
	bool many;                    /* leads to several values */
	bool number;                  /* they are numbers, not bytes or structures */
	bool text;                    /* they are text, or bytes shown as hexadecimal digits */
	bool is_signed;
	bool in_sample;
	uint8_t is;                   /* pp_meaning of the row, where the path leads to all of it */
	bool is_trace;                /* a tracepoint's field: `trace`, and none of the others */
	const char *part;             /* a piece of the word, or NULL */
	struct pp_query_own own[PP_USER_TYPES];
	struct pp_query_spot {        /* where samples of the shape that was seen last have it */
		const struct pp_field *rows;  /* pp_attr.sample_fields; NULL: none was seen */
		const struct pp_part *part;
		uint16_t at;
		uint8_t width, how;
	} spot;
	struct pp_query_trace {
		const char *system, *event, *field;  /* in the bytes after `name`, or NULL */
		uint32_t index;
		bool indexed;
		uint8_t asked;        /* PP_ASKED_ */
		size_t at;            /* where in the expression */
		const struct pp_tracepoint_field **bound;  /* by pp_attr.index; NULL: not yet */
		size_t n_bound;
	} trace;
	char *scratch;                /* text that is made; room for that of any record */
	char name[];                  /* as it was written; there is room for it twice */
};
enum { PP_ASKED_NUMBER = 1, PP_ASKED_TEXT = 2, PP_ASKED_ANY = 4 };
enum { PP_QUERY_SCRATCH = PP_RECORD_MAX * 2 + 1 };

/* The path that these bytes of the expression name, once, in *list, which owns it.  What the tables
 * do not know may be a tracepoint's field.  NULL and *error: it is no such name, or no memory. */
struct pp_query_path *pp_query_path_find(const char *text, size_t at, size_t length,
					 struct pp_query_path **list, struct pp_query_error *);
/* The same of a field with a place of its own; NULL: no memory. */
struct pp_query_path *pp_query_path_planned(enum pp_query_field, struct pp_query_path **list);

/* ---- field_list.c: all names ---- */

enum { PP_QUERY_NAME = 96 };          /* longest name of the tables, with room */

static inline bool pp_query_is_array(const struct pp_field *row)
{
	return pp_is_array(row) || row->kind == PP_LIST;
}
static inline bool pp_query_is_number(const struct pp_field *row)
{
	return row->kind <= PP_PARTS && row->kind != PP_F64;
}
/* The records other than samples that are judged: the kernel's.  NULL: none has this number. */
const struct pp_type *pp_query_side_type(uint32_t number);
/* Whether a field with a place of its own has this name. */
bool pp_query_is_planned(const char *name);
/* Whether the samples of an event have such a field. */
bool pp_query_has_planned(const struct pp_attr *, size_t field);

/* ---- suggest_field.c ---- */

/* "no field is called", and the names that are nearest in the tables and among `known`. */
void pp_query_no_such_field(const struct pp_query_path *, const struct pp_tracepoints *known,
			    size_t at, struct pp_query_error *);

/* Goes through the values of a path in one sample; those of a structure are its places. */
struct pp_query_seek {
	struct pp_cursor cursor;
	const struct pp_query_path *path;
	const struct pp_field *row;   /* NULL: none is open */
	bool number;                  /* values are wanted, not places */
	uint32_t i, end;              /* elements of the row that are still to come */
	uint32_t skip;                /* structures open that are beside the path */
	uint32_t element[PP_QUERY_STEPS + 1];
	bool list[PP_QUERY_STEPS + 1];
	uint8_t level;
};
void pp_query_seek(struct pp_query_seek *, const struct pp_query_path *, const struct pp_record *,
		   bool number);
bool pp_query_seek_next(struct pp_query_seek *, uint64_t *value);
/* Of samples: what is deferred is another record. */
static inline bool pp_query_chain(struct pp_chain *chain, const struct pp_record *r)
{
	return r->type == PP_REC_SAMPLE && pp_chain_open(chain, r);
}

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
int pp_query_lex(const char *text, size_t *at, struct pp_query_token *, struct pp_query_error *);
/* The text of a STRING without quotes and escapes; the caller frees it.  NULL: no memory. */
char *pp_query_string(const char *text, const struct pp_query_token *);
/* Sets the place and, by printf rules, the text; -1, as a value that compilers see. */
void pp_query_say(struct pp_query_error *, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#define pp_query_fail(...) (pp_query_say(__VA_ARGS__), -1)
void pp_query_say_memory(struct pp_query_error *);

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
int pp_query_parse(const char *text, struct pp_query_tree *, struct pp_query_error *);
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
bool pp_query_text_holds(const struct pp_query_test *, const struct pp_record *,
			 const struct pp_query_facts *);

void pp_query_paths_free(struct pp_query_path *);
/* Whether a mode is called so. */
bool pp_query_mode_named(const char *name);

#endif
