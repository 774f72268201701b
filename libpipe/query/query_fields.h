/* query_fields.h - what a comparison may ask of a sample, by which names. */
#ifndef PP_QUERY_FIELDS_H
#define PP_QUERY_FIELDS_H

#include <perfpipe/perfpipe.h>

#include "format/format.h"
#include "text/span_words.h"

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
	X(SYM,       sym,       TEXT,   "name of the function at ip, the innermost of those inlined there") \
	X(ANY_SYM,   any_sym,   TEXT,   "the same of all functions at ip and in the call chain") \
	X(PARENT_SYM, parent_sym, TEXT, "name of the function that sym was called from, or is inlined into") \
	X(SRCFILE,   srcfile,   TEXT,   "file of the source at ip, without its folders") \
	X(SRCLINE,   srcline,   TEXT,   "that file and the line: main.c:12") \
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
		uint8_t word;         /* enum pp_span_word: samples of spans say it, too */
		bool of_point;        /* a tracepoint has a field of this name */
		bool failed;          /* memory was lacking for a name */
		struct pp_call_names *calls;  /* of the word SYSCALL; NULL: there are none */
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
					 struct pp_query_path **list, struct pp_error *);
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
/* Whether the samples of an event have such a field. */
bool pp_query_has_planned(const struct pp_attr *, size_t field);

/* "no field is called", and the names that are nearest in the tables and among `known`. */
void pp_query_no_such_field(const struct pp_query_path *, const struct pp_tracepoints *known,
			    size_t at, struct pp_error *);

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

#endif
