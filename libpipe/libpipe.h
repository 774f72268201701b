/*
 * libpipe.h - read, order, describe and write Linux perf pipe-mode streams.
 *
 * The one public header, in reading order: errors, bytes, the format as data, attributes,
 * walking, building and printing one record, reading, mending and writing streams, rounds, what a
 * stream is about, the filter's language, capturing.  The format itself stands in
 * format/records.def, format/features.def and format/attr.def.
 *
 * Nothing in the library prints, exits or keeps global state.  An object belongs to one
 * thread.  Functions that can fail return -1 (or NULL) and fill a struct pp_error that is
 * complete enough for one line of message; "1 / 0 / -1" means: there is one, there is none,
 * it failed.  Times are nanoseconds, sizes are bytes.
 */
#ifndef LIBPIPE_H
#define LIBPIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Errors: what, and where in the input ------------------------------------------- */

/* X(code, exit status of a tool that stops for it, text) */
#define PP_ERRORS(X) \
	X(IO,        4, "I/O error") \
	X(NOMEM,     4, "out of memory") \
	X(DENIED,    4, "not permitted") \
	X(USE,       2, "wrong use") \
	X(MAGIC,     3, "not a perf stream") \
	X(CONTAINER, 3, "not a stream") \
	X(CUT,       3, "the stream ends inside a record") \
	X(CUT_TAIL,  3, "the stream ends inside the bytes that follow a record") \
	X(CUT_END,   3, "the stream is cut") \
	X(SIZE,      3, "record is smaller than its own header") \
	X(FIELD,     3, "field runs past the record") \
	X(VALUE,     3, "field has a value that cannot be") \
	X(ATTR,      3, "no event attribute describes this record") \
	X(ZSTD,      3, "cannot expand") \
	X(SEAL,      3, "the stream was altered") \
	X(ENDIAN,    3, "cannot convert the byte order of this record") \
	X(FULL,      3, "does not fit in a record") \
	X(AGAIN,     4, "nothing more has come yet") \
	X(LIMIT,     4, "more than the limit of memory (--size) allows")

enum pp_code {
	PP_OK,
#define X(name, status, text) PP_E_##name,
	PP_ERRORS(X)
#undef X
};

/*
 * One failure.  `offset` and `index` are the byte and the ordinal (from 0) of the record in
 * the input and count only while `located`.  `detail` is a clause that says more than the
 * code does, or is empty; `field` is a name from the tables, or NULL, never freed.  `need`
 * and `have` are bytes, both 0 where moot.
 *
 * It is only ever made whole: pp_fail() and its kin assign every member, and pp_error_at() and
 * its kin add to what they made.  So what an error held before does not matter, and who wants to
 * know whether one was made clears `code` alone.
 */
struct pp_error {
	enum pp_code code;
	int          os;              /* errno, for PP_E_IO and PP_E_DENIED */
	bool         located;
	bool         fatal;           /* nothing after it can be read */
	bool         output;          /* what failed is the output, not the input nor what is put aside */
	uint64_t     offset, index;
	uint32_t     type;            /* of the record; 0 before its header is read */
	const char  *field;
	uint64_t     need, have;
	char         detail[200];
};

/* Writes "record 44 at byte 4948 (MMAP2): filename: field runs past the record: need 120
 * bytes, have 52" without a newline; returns the length, as snprintf does. */
int pp_error_text(const struct pp_error *, char *buf, size_t size);
/* The exit status (2, 3 or 4) that a tool ends with when it stops for this. */
int pp_error_status(const struct pp_error *);
/* Whether reading ends with it: nothing after it can be read, or it is not the input's. */
bool pp_error_ends(const struct pp_error *);
/* Makes an error of a code, and of `detail` by printf rules (may be NULL); all else is empty.
 * Returns -1, for `return pp_fail(...)`, as all these do.  `error` may be NULL in all of them. */
int pp_fail(struct pp_error *error, enum pp_code, const char *detail, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for a system call that failed: takes errno. */
int pp_fail_os(struct pp_error *error, const char *detail, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for the output: "cannot write". */
int pp_fail_output(struct pp_error *error);
/* Adds the place to an error that was made: of the record that is there. */
int pp_error_at(struct pp_error *error, uint64_t offset, uint64_t index, uint32_t type);
/* Adds the type of the record alone, where its place says nothing. */
int pp_error_type(struct pp_error *error, uint32_t type);
/* Adds what did not fit: the field (NULL: the record, or the stream) and the bytes. */
int pp_error_room(struct pp_error *error, const char *field, uint64_t need, uint64_t have);
/* Says whether anything after it can be read. */
int pp_error_fatal(struct pp_error *error, bool fatal);

/* ---- Bytes: records are not aligned, so every load is a copy ------------------------- */

static inline uint16_t pp_load16(const void *p) { uint16_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline uint32_t pp_load32(const void *p) { uint32_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline uint64_t pp_load64(const void *p) { uint64_t v; memcpy(&v, p, sizeof(v)); return v; }
static inline void pp_store16(void *p, uint16_t v) { memcpy(p, &v, sizeof(v)); }
static inline void pp_store32(void *p, uint32_t v) { memcpy(p, &v, sizeof(v)); }
static inline void pp_store64(void *p, uint64_t v) { memcpy(p, &v, sizeof(v)); }

/* THE bounds check: do `need` bytes fit in the `have` that are left?  Every number found in
 * the input is asked through this, or through pp_fits_n, before it is used. */
static inline bool pp_fits(uint64_t need, uint64_t have) { return need <= have; }
/* The same for `n` elements of `width` bytes, without a product that could wrap. */
static inline bool pp_fits_n(uint64_t n, uint64_t width, uint64_t have)
{
	return !width || n <= have / width;
}
static inline uint64_t pp_align8(uint64_t n) { return (n + 7) & ~UINT64_C(7); }

/* ---- The format, as data -------------------------------------------------------------- */

#define PP_HEADER_SIZE  8             /* of a record: u32 type, u16 misc, u16 size */
#define PP_RECORD_MAX   65535
#define PP_PIPE_HEADER  16            /* of a stream: u64 magic, u64 size */
#define PP_USER_TYPES   64            /* types from here on are perf's, below the kernel's */

enum pp_record_type {                 /* PP_REC_SAMPLE = 9 ... */
#define STRUCT(name, ...)
#define RECORD(name, number, ...) PP_REC_##name = number,
#include "format/records.def"
#undef RECORD
#undef STRUCT
};

enum pp_feature_number {              /* PP_FEAT_HOSTNAME = 3 ... */
#define STRUCT(name, ...)
#define FEATURE(name, number, ...) PP_FEAT_##name = number,
#include "format/features.def"
#undef FEATURE
#undef STRUCT
};

/* PP_SAMPLE_IP, PP_READ_GROUP, PP_BRANCH_HW_INDEX: masks.  PP_FLAG_sample_id_all: bit
 * numbers in the flags word of an attribute (precise_ip is two bits wide). */
#define SAMPLE_BIT(name, bit, doc) enum { PP_SAMPLE_##name = 1 << (bit) };
#define READ_BIT(name, bit, doc)   enum { PP_READ_##name = 1 << (bit) };
#define BRANCH_BIT(name, bit, doc) enum { PP_BRANCH_##name = 1 << (bit) };
#define FLAG(name, bit, width, doc) enum { PP_FLAG_##name = (bit) };
#define STRUCT(name, ...)
#include "format/attr.def"
#undef SAMPLE_BIT
#undef READ_BIT
#undef BRANCH_BIT
#undef FLAG
#undef STRUCT

/* misc bits (FORMAT.md 1b.1); several share a bit, each for its own record types. */
enum {
	PP_MISC_CPUMODE       = 7,
	PP_MISC_KERNEL        = 1,
	PP_MISC_USER          = 2,
	PP_MISC_GUEST_KERNEL  = 4,
	PP_MISC_GUEST_USER    = 5,
	PP_MISC_PARSE_TIMEOUT = 1 << 12,  /* MMAP2: the maps of this task are incomplete */
	PP_MISC_MMAP_DATA     = 1 << 13,  /* MMAP, MMAP2 */
	PP_MISC_COMM_EXEC     = 1 << 13,  /* COMM */
	PP_MISC_FORK_EXEC     = 1 << 13,  /* FORK made by perf itself */
	PP_MISC_SWITCH_OUT    = 1 << 13,  /* SWITCH, SWITCH_CPU_WIDE */
	PP_MISC_EXACT_IP      = 1 << 14,  /* SAMPLE */
	PP_MISC_MMAP_BUILD_ID = 1 << 14,  /* MMAP2 */
	PP_MISC_PREEMPT       = 1 << 14,  /* SWITCH, SWITCH_CPU_WIDE */
	PP_MISC_BUILD_ID_SIZE = 1 << 15,  /* HEADER_BUILD_ID */
};

/*
 * How a field lies in the bytes.  Scalars (U8 to F64) repeat where `count` says so.
 */
enum pp_kind {
	PP_U8, PP_U16, PP_U32, PP_U64, PP_S32, PP_S64, PP_F64,
	PP_BITS,    /* u64 of C bit-fields: mirrored, not only swapped, on a producer of the other order */
	PP_PARTS,   /* u64 whose parts keep their place in the value on every producer */
	PP_CHARS,   /* text in a fixed width, zero padded, perhaps unterminated */
	PP_STR,     /* text, zero padded, up to the end of the frame (before the trailer) */
	PP_STR8,    /* text, zero padded to a multiple of 8 from the record's start */
	PP_LSTR,    /* u32 length, then text in that width */
	PP_BYTES,   /* opaque bytes */
	PP_ONE,     /* a struct */
	PP_LIST,    /* `count` structs */
	PP_STRS,    /* `count` LSTRs */
	PP_LOOK,    /* a byte that is looked at, not taken: sets a register only */
};

/* How a number is shown.  DEC is the default. */
enum pp_show { PP_DEC, PP_HEX, PP_ID, PP_TIME };

/* The walker's registers: what rows may ask of the record and of its event. */
enum pp_reg {
	PP_R_NONE,            /* no condition */
	PP_R_MISC,            /* of the record's header */
	PP_R_SAMPLE_TYPE,     /* of the record's event ... */
	PP_R_READ_FORMAT,
	PP_R_BRANCH_TYPE,
	PP_R_USER_REGS,       /* how many registers are set in sample_regs_user */
	PP_R_INTR_REGS,
	PP_R_LEFT,            /* bytes left in the frame */
	PP_R_CPUS,            /* CPUs available, as HEADER_NRCPUS said; for CPU_TOPOLOGY */
	PP_R_ONLINE,          /* CPUs online, as HEADER_NRCPUS said; for CPU_DOMAIN_INFO */
	PP_R_FEATURE,         /* feat_id of a HEADER_FEATURE */
	PP_R_TAIL,            /* set: bytes that follow the record */
	PP_R_A, PP_R_B, PP_R_C, PP_R_D,   /* set by rows: counts, versions, forms */
	PP_R_COUNT
};

enum pp_test { PP_ALWAYS, PP_ANY, PP_NOT_ANY, PP_EQUAL, PP_NOT_EQUAL, PP_AT_LEAST,
	       PP_WITHIN, PP_OUTSIDE };  /* value: lowest | highest << 32 */
struct pp_when { uint8_t reg, test; uint64_t value; };

/* A named piece of a BITS or PARTS word. */
struct pp_part { const char *name; uint8_t bit, width; const char *doc; };

/* One row of a table: one field.  Written in the .def files, explained at the top of
 * records.def. */
struct pp_field {
	const char *name;             /* as in the kernel's headers, or tools/perf */
	const char *doc;
	uint8_t kind, show;
	uint8_t set;                  /* pp_reg that takes the value, or PP_R_NONE */
	uint8_t by;                   /* pp_reg that holds the count of elements (bytes for BYTES; of ONE: its size) */
	uint8_t per;                  /* and that is divided by this, rounded up */
	bool rest;                    /* or: as many as fit in what is left of the frame */
	bool spans;                   /* the value is the size of the enclosing struct (0: 64) */
	bool counts;                  /* the length of a list that follows: not shown, the list shows it */
	bool quiet;                   /* reserved or padding: shown only where it is not zero */
	uint16_t n;                   /* or: a fixed count (CHARS: width); 0 and no `by`: one */
	struct pp_when when, also;    /* present only if both hold */
	const struct pp_field *of;    /* rows of a ONE or LIST, ended by a NULL name */
	const struct pp_part *parts;  /* of BITS and PARTS, ended by a NULL name and width 0 */
	bool feature;                 /* ONE: its rows are those of the feature in PP_R_FEATURE */
};

/* One record type, or one feature. */
struct pp_type {
	const char *name, *doc;
	uint32_t number;
	bool kernel;                  /* ends in a sample_id trailer where the event has one */
	bool may_trail;               /* a user type that may nevertheless end in one */
	const struct pp_field *fields;/* ended by a NULL name */
};

const struct pp_type *pp_type(uint32_t number);                 /* NULL if unknown */
const struct pp_type *pp_type_named(const char *name);          /* NULL; any case */
const struct pp_type *pp_type_at(size_t i);                     /* i-th row; NULL past the end */
const struct pp_type *pp_feature(uint32_t number);              /* NULL if unknown */
const struct pp_type *pp_feature_at(size_t i);
extern const struct pp_field *const pp_sample_id_fields;        /* the trailer */
extern const struct pp_field *const pp_attr_fields;             /* struct perf_event_attr */
extern const struct pp_part pp_attr_flags[], pp_sample_bits[], pp_read_bits[], pp_branch_bits[];
/* A short name of a record's type: "SAMPLE", or "UNKNOWN_113" written into buf (24 bytes). */
const char *pp_type_name(uint32_t number, char *buf);

/* Names of events: (type, config) as perf calls them ("cpu-clock", "cycles"), written to
 * buf; tracepoints as "tracepoint:123", unknown ones as "type 9 config 0x1".  Returns buf. */
const char *pp_event_name(uint32_t type, uint64_t config, char *buf, size_t size);
/* The other way: 0, or -1 where there is no such generic event (software, hardware, cache). */
int pp_event_named(const char *name, uint32_t *type, uint64_t *config);
/* The i-th generic event's name, type and config; false past the last. */
bool pp_event_at(size_t i, const char **name, uint32_t *type, uint64_t *config);
/* Calls `fn` with the name of each event that this machine has: generic ones and tracepoints,
 * "SYSTEM:NAME"; of those only the ones that the caller may read of.  The name is lent. */
typedef void pp_known_event_fn(void *arg, const char *name);
void pp_known_events(pp_known_event_fn *, void *arg);

/* ---- Attributes: what a stream has said of its events so far -------------------------- */

/*
 * One event's attribute, and the plan made from it: where things lie.  Offsets count from
 * the record's start in a SAMPLE, from its end in a trailer (so 8 is the last u64); 0 means
 * that it is not there.
 */
struct pp_attr {
	uint32_t index;               /* ordinal among the stream's attributes, from 0 */
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format, flags, branch_type;
	uint64_t regs_user, regs_intr;
	uint32_t stack_user, bp_type;
	uint64_t config1, config2;
	int32_t clockid;
	struct pp_plan {
		uint8_t id, ip, tid, time, addr, stream_id, cpu, period;   /* in a SAMPLE */
		uint8_t callchain;            /* its count; 0 also where it has no fixed place */
		uint8_t fixed;                /* bytes of header and fixed fields of a SAMPLE */
		uint8_t t_id, t_tid, t_time, t_cpu;                       /* in a trailer */
		uint8_t trailer;              /* bytes of a trailer */
	} plan;
	const struct pp_field *sample_fields;   /* rows of SAMPLE that this event has */
	const struct pp_field *trailer_fields;
	const uint64_t *ids;
	size_t n_ids;
	const char *name;             /* EVENT_UPDATE, EVENT_DESC, EVENT_TYPE or by config; never NULL */
};
static inline bool pp_attr_flag(const struct pp_attr *a, unsigned bit) { return a->flags >> bit & 1; }

struct pp_attrs;
struct pp_attrs *pp_attrs_new(void);            /* NULL: out of memory */
void pp_attrs_free(struct pp_attrs *);          /* NULL is fine */
struct pp_record;
/* Takes what a HEADER_ATTR, EVENT_UPDATE, HEADER_EVENT_TYPE or HEADER_FEATURE (NRCPUS,
 * EVENT_DESC) record in host order says; others are ignored.  0, or -1 and *error. */
int pp_attrs_note(struct pp_attrs *, const struct pp_record *, struct pp_error *);
size_t pp_attrs_count(const struct pp_attrs *);
const struct pp_attr *pp_attrs_at(const struct pp_attrs *, size_t i);
/* The attribute with this id, or NULL. */
const struct pp_attr *pp_attrs_by_id(struct pp_attrs *, uint64_t id);
/* The attribute of a kernel record, as perf finds it (FORMAT.md 2.2), or NULL: none has its
 * id, or no attribute came yet.  `data` holds `size` bytes, header included. */
const struct pp_attr *pp_attrs_find(struct pp_attrs *, const uint8_t *data, uint32_t type, uint16_t size);
uint32_t pp_attrs_cpus(const struct pp_attrs *);    /* available, by HEADER_NRCPUS, or 0 */
uint32_t pp_attrs_online(const struct pp_attrs *);

/* ---- Records ---------------------------------------------------------------------------- */

/*
 * A record, borrowed: `data` is valid until the next call of what handed it out.  All in
 * host byte order unless it came from a raw reader with ->foreign.
 */
struct pp_record {
	uint8_t *data;                /* header included; alignment not promised */
	uint32_t type;
	uint16_t misc, size;
	bool foreign;                 /* data are in the other byte order (raw readers only) */
	uint64_t offset, index;       /* place in the input; of the carrier, if it came compressed */
	uint64_t tail;                /* bytes that follow it (AUXTRACE, TRACING_DATA) */
	const struct pp_attr *attr;   /* its event; NULL for user records, or where unknown */
	const struct pp_attrs *attrs; /* of the stream; NULL where there are none */
};

/* Fills type, misc, size from the header at `data`, which has `have` bytes; checks that the
 * record is whole.  The rest of *rec becomes zero.  0, or -1 and *error. */
int pp_record_at(struct pp_record *rec, uint8_t *data, uint64_t have, struct pp_error *);

/* Values at planned places: one load each.  False: the record has none. */
#define PP_LOADER(fn, member, t_member, value_type, load) \
static inline bool fn(const struct pp_record *r, value_type *value) \
{ \
	const struct pp_attr *a = r->attr; \
	size_t at; \
	if (!a) \
		return false; \
	if (r->type == PP_REC_SAMPLE) { \
		at = a->plan.member; \
		if (!at || !pp_fits(at + sizeof(uint64_t), r->size)) \
			return false; \
	} else { \
		at = a->plan.t_member; \
		if (!at || r->type >= PP_USER_TYPES || !pp_fits((uint64_t)a->plan.trailer + PP_HEADER_SIZE, r->size)) \
			return false; \
		at = r->size - at; \
	} \
	*value = load(r->data + at); \
	return true; \
}
PP_LOADER(pp_time_raw, time, t_time, uint64_t, pp_load64)
PP_LOADER(pp_id, id, t_id, uint64_t, pp_load64)
PP_LOADER(pp_cpu, cpu, t_cpu, uint32_t, pp_load32)
PP_LOADER(pp_pid_tid, tid, t_tid, uint64_t, pp_load64)  /* two u32 in memory order; see below */

/* The time of a record; false where it has none, or 0 or all ones, which perf treats as none. */
static inline bool pp_time(const struct pp_record *r, uint64_t *ns)
{
	return pp_time_raw(r, ns) && *ns && *ns != UINT64_MAX;
}
/* Process and thread that the record happened in (of the sample, or of the trailer). */
static inline bool pp_task(const struct pp_record *r, uint32_t *pid, uint32_t *tid)
{
	uint64_t both;
	uint32_t two[2];

	if (!pp_pid_tid(r, &both))
		return false;
	memcpy(two, &both, sizeof(two));
	*pid = two[0];
	*tid = two[1];
	return true;
}
/* Values that only samples have. */
#define PP_SAMPLE_LOADER(fn, member) \
static inline bool fn(const struct pp_record *r, uint64_t *value) \
{ \
	if (r->type != PP_REC_SAMPLE || !r->attr || !r->attr->plan.member || \
	    !pp_fits(r->attr->plan.member + sizeof(uint64_t), r->size)) \
		return false; \
	*value = pp_load64(r->data + r->attr->plan.member); \
	return true; \
}
PP_SAMPLE_LOADER(pp_ip, ip)
PP_SAMPLE_LOADER(pp_addr, addr)
PP_SAMPLE_LOADER(pp_period, period)
PP_SAMPLE_LOADER(pp_stream_id, stream_id)
/* The call chain, where it has a fixed place: `n` u64, unaligned, at *ips.  False: there is none
 * there, or the record is damaged; a walk tells. */
static inline bool pp_callchain(const struct pp_record *r, const uint8_t **ips, uint64_t *n)
{
	const size_t at = r->type == PP_REC_SAMPLE && r->attr ? r->attr->plan.callchain : 0;

	if (!at || !pp_fits(at + sizeof(uint64_t), r->size))
		return false;
	*n = pp_load64(r->data + at);
	*ips = r->data + at + sizeof(uint64_t);
	return pp_fits_n(*n, sizeof(uint64_t), r->size - at - sizeof(uint64_t));
}

/* ---- Walking a record by its description -------------------------------------------------- */

enum pp_token {
	PP_END,       /* the record is through */
	PP_VALUE,     /* a scalar, an array of scalars, text or bytes */
	PP_OPEN,      /* a struct begins: a ONE, or the next element of a LIST */
	PP_CLOSE,
	PP_LIST_OPEN, /* `count` structs (LIST) or texts (STRS: VALUEs) follow, until ... */
	PP_LIST_CLOSE,
};

enum pp_order { PP_HOST, PP_TO_HOST, PP_FROM_HOST };

#define PP_DEPTH 10

/*
 * Steps through a record field by field.  After PP_VALUE: `field` its row, `data` its bytes
 * (bounds checked), `count` elements of `width` bytes each (text and bytes: count bytes,
 * width 1), `value` the number where there is exactly one.  Bytes that no row covers come
 * as a BYTES field named "rest".  The rest of the struct is the walker's own.
 */
struct pp_cursor {
	const struct pp_field *field;
	uint8_t *data;
	uint64_t value;
	uint32_t count;
	uint8_t width;
	bool array;                   /* count was given by the row: several, though it may be 1 */
	struct pp_error error;
	/* private */
	const struct pp_record *rec;
	enum pp_order order;
	uint8_t *at;
	uint64_t reg[PP_R_COUNT];
	int depth;
	uint8_t stage;
	struct pp_frame {
		const struct pp_field *row, *rows, *owner;
		uint8_t *start, *end;
		uint32_t left;            /* elements still to come, this one included */
		bool spans;               /* ends where the struct said it does */
		bool list;
	} frame[PP_DEPTH];
};

/* Starts at the first field after the header. */
void pp_walk(struct pp_cursor *, const struct pp_record *);
/* The next pp_token, or -1 and ->error (located at the record). */
int pp_walk_next(struct pp_cursor *);
/* Goes on to the next PP_VALUE of this name at any depth; 1, 0 (no more), -1. */
int pp_walk_to(struct pp_cursor *, const char *name);
/* Element i of an array of scalars, widened, in host order.  i < count. */
uint64_t pp_walk_u64(const struct pp_cursor *, uint32_t i);
/* The text of the token: bytes up to the first NUL; *length gets their number.  Not terminated
 * when it fills its width. */
const char *pp_walk_text(const struct pp_cursor *, size_t *length);

/* Walks all of it and asks nothing more.  0, or -1 and *error. */
int pp_check(const struct pp_record *, struct pp_error *);
/* Converts the bytes of a whole record (not of its tail) between host order and the other,
 * in place; rec->data must be in the order that `order` starts from, rec->attr known for
 * kernel types.  Header included.  0, or -1 and *error (PP_E_ENDIAN for unknown types). */
int pp_convert(const struct pp_record *, enum pp_order, struct pp_error *);

/* True, the clock and the ns from a time of it to that of the wall clock: a CLOCK_DATA feature. */
bool pp_clock_data(const struct pp_record *, uint64_t *clockid, int64_t *to_wall_clock);

/* Convenience for models: the first value of that name, or false. */
bool pp_get_u64(const struct pp_record *, const char *name, uint64_t *value);
/* Text is borrowed from the record and not terminated. */
bool pp_get_text(const struct pp_record *, const char *name, const char **text, size_t *length);

/* ---- Building a record: the walk, backwards ----------------------------------------------- */

/*
 * Builds one record field by field in the order of its rows.  Fields left out become zero
 * (empty where text).  Usage:
 *
 *	struct pp_build b;
 *	pp_build(&b, buf, sizeof(buf), PP_REC_COMM, 0, attr);
 *	pp_build_u64(&b, "pid", 1);
 *	pp_build_u64(&b, "tid", 1);
 *	pp_build_text(&b, "comm", "init");
 *	pp_build_trailer(&b, 1, 1, 0, 0, 0);      only where the event has one
 *	size = pp_build_end(&b);                  0: it does not fit, or a name is not of this type
 *
 * The header is filled in; kernel and user records but HEADER_FEATURE are padded with zeros
 * to a multiple of 8 (before the trailer).  A failure sticks and is told by pp_build_end.
 */
struct pp_build {
	uint8_t *buf;
	size_t room, at;
	const struct pp_type *type;
	const struct pp_attr *attr;
	bool failed, trailed, padded;
	int depth;
	uint64_t reg[PP_R_COUNT];
	struct pp_build_frame {
		const struct pp_field *row;     /* the next to be written */
		size_t start;
		uint64_t limit;                 /* bytes the struct must have; 0: what its rows need */
		size_t span_at;                 /* where its size is to be told; 0: nowhere */
		const struct pp_field *span;
		uint64_t done;                  /* elements of `row` written so far */
	} frame[PP_DEPTH];
};

void pp_build(struct pp_build *, void *buf, size_t room, uint32_t type, uint16_t misc,
	      const struct pp_attr *attr);
/* HEADER_FEATURE with this number; its payload's fields follow. */
void pp_build_feature(struct pp_build *, void *buf, size_t room, uint32_t feature);
void pp_build_u64(struct pp_build *, const char *name, uint64_t value);      /* any scalar */
void pp_build_f64(struct pp_build *, const char *name, double value);
void pp_build_text(struct pp_build *, const char *name, const char *text);   /* CHARS STR STR8 LSTR */
/* BYTES, an array of scalars in host order (size in bytes), or a whole struct's bytes. */
void pp_build_bytes(struct pp_build *, const char *name, const void *data, size_t size);
/* ONE: opens its struct.  LIST: opens its next element (call it again for each).  Close each. */
void pp_build_open(struct pp_build *, const char *name);
void pp_build_close(struct pp_build *);
/* The next text of a STRS list `name`. */
void pp_build_item(struct pp_build *, const char *name, const char *text);
/* The sample_id trailer as the event wants it; nothing where it wants none. */
void pp_build_trailer(struct pp_build *, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id,
		      uint32_t cpu);
/* Size of the finished record, or 0. */
size_t pp_build_end(struct pp_build *);

/* ---- Readers, and what each can read ------------------------------------------------------- */

/* perf of a version ("6.1", "6.12", "7.3"), or "quipper". */
struct pp_version;
const struct pp_version *pp_version_named(const char *name);    /* NULL if unknown */
const struct pp_version *pp_version_at(size_t i);               /* NULL past the last */
const char *pp_version_name(const struct pp_version *);
/* It refuses a FINISHED_ROUND that carries a seal or a note. */
bool pp_version_bare_rounds(const struct pp_version *);

enum pp_fit {
	PP_FIT_AS_IT_IS,
	PP_FIT_CHANGED,               /* made fit for it: rec->data is in `buf` now */
	PP_FIT_UNKNOWN,               /* it would choke on it, or skip it */
	PP_FIT_ORPHAN,                /* it gives up at an id that no event has */
};
/* What becomes of a record in host order.  `buf` has PP_RECORD_MAX + 8 bytes; *lost: something that is
 * not zero had to be left out of it. */
enum pp_fit pp_version_fit(const struct pp_version *, struct pp_record *rec, uint8_t *buf, bool *lost);

/* ---- Output of text: one large buffer, no stdio --------------------------------------------- */

struct pp_out {
	int fd;
	int os;                       /* first errno of a failed write, 0 while healthy */
	char *buf;
	size_t at, room;
};
/* After a read or write that failed: whether to try again.  A descriptor that somebody made
 * non-blocking is waited for: `events` is POLLIN or POLLOUT. */
bool pp_try_again(int fd, short events);
int pp_out_open(struct pp_out *, int fd);       /* 0, or -1: out of memory */
/* Makes sure of `n` free bytes and returns where they start; never NULL (n <= 256 KiB). */
char *pp_out_room(struct pp_out *, size_t n);
void pp_out_bytes(struct pp_out *, const void *, size_t);
void pp_out_text(struct pp_out *, const char *);
void pp_out_char(struct pp_out *, char);
void pp_out_dec(struct pp_out *, uint64_t);
void pp_out_int(struct pp_out *, int64_t);
void pp_out_hex(struct pp_out *, uint64_t);                     /* "0x1f" */
void pp_out_hex_bytes(struct pp_out *, const void *, size_t);   /* "00ff" */
void pp_out_time(struct pp_out *, uint64_t ns);                 /* "12.345678901" */
void pp_out_double(struct pp_out *, double);                    /* shortest that reads back */
/* "text" with JSON escapes, or false and nothing written if it is not UTF-8. */
bool pp_out_json_string(struct pp_out *, const char *, size_t);
/* Any text made printable: control characters and bytes that are not UTF-8 as \xNN. */
void pp_out_printable(struct pp_out *, const char *, size_t);
int pp_out_flush(struct pp_out *);              /* 0, or -1 and ->os */
int pp_out_close(struct pp_out *);              /* flushes and frees; does not close fd */

/* ---- Printing one record ----------------------------------------------------------------- */

enum { PP_PRINT_BYTES = 1, PP_PRINT_LONG = 2 };  /* with hex bytes; a field a line */
/* The line(s) of text of a record; damaged fields are said in the text, status is -1 then. */
int pp_print_text(struct pp_out *, const struct pp_record *, unsigned how, struct pp_error *);
/* The JSON line of a record (schema perfpipe.records/1).  -1: the record is damaged; its line
 * then carries "damaged":true and "raw" instead of fields. */
int pp_print_json(struct pp_out *, const struct pp_record *, struct pp_error *);
/* The first line of a JSON dump, and a tail's line. */
void pp_print_json_start(struct pp_out *, const char *schema);
void pp_print_json_tail(struct pp_out *, const void *, size_t);

/* ---- Parsing one record: the way back from JSON ----------------------------------------------- */

enum pp_line_kind {
	PP_LINE_BLANK,
	PP_LINE_HEADER,               /* the first line: `version_1` and `foreign` */
	PP_LINE_RECORD,               /* `record` */
	PP_LINE_TAIL,                 /* bytes that follow the last record: `tail`, `tail_size` */
	PP_LINE_END,                  /* pp-dump met damage */
};

/* What a line of schema perfpipe.records/1 says. */
struct pp_line {
	enum pp_line_kind kind;
	struct pp_record record;      /* as it stands in the stream: ->foreign if the header said so */
	size_t tail_unsaid;           /* it has a tail and its line did not say how long: the byte of the
	                                 record where that belongs, for pp_parse_tail(); or 0 */
	bool version_1;               /* the magic is PERFFILE */
	bool foreign;                 /* the stream is of the byte order that is not the host's */
	const uint8_t *tail;
	size_t tail_size;
};

/*
 * Makes records of the lines that pp_print_json() writes, by the same tables.  Keeps what the
 * records so far said of events.  Lines written by hand may leave out what can be known
 * without: sizes, counts, ids of an event that is named, trailers.
 */
struct pp_parse;
struct pp_parse *pp_parse_new(void);            /* NULL: out of memory */
void pp_parse_free(struct pp_parse *);          /* NULL is fine */
/*
 * Parses `length` bytes without their newline; they are overwritten, the byte behind them too.
 * What *line points to is valid until the next call (record) or as long as `text` (tail).
 * -1 and *error: ->detail tells the field and what was expected, ->type the type of the record
 * if it is known.  The next line may be parsed all the same.
 */
int pp_parse_line(struct pp_parse *, char *text, size_t length, struct pp_line *line,
		  struct pp_error *);
/* Puts the length of its tail into a record at line.tail_unsaid. */
void pp_parse_tail(struct pp_record *, size_t unsaid, uint64_t size);

/* ---- Reading a stream: records in place, out of one large buffer --------------------------- */

struct pp_reader;
struct pp_writer;

struct pp_reader_options {
	bool raw;                     /* records as they stand: no expanding, no byte order, no seals */
	bool no_verify;               /* do not look at seals */
	bool twice;                   /* pp_reader_again() is to come: refuse what is no file or folder */
};

/* What the stream is, and what was met on the way.  Grows while reading. */
struct pp_stream {
	const char *name;             /* the path, or "standard input" */
	const char *container;        /* "stream", "perf.data file", "perf.data folder" */
	const char *dialect;          /* of a writer who does it his own way, or NULL */
	bool killed;                  /* a file whose recorder did not end it: it has no features */
	bool spooled;                 /* a file that came through a pipe was copied */
	uint64_t left_out;            /* records that no stream can hold */
	uint32_t features_left_out;   /* features of a file that no record can hold */
	bool foreign;                 /* the stream's byte order is not the host's */
	bool big_endian;              /* the stream's */
	bool version_1;               /* its magic is PERFFILE */
	bool sealed;                  /* seal 0 was seen (and not yet found to be rewritten) */
	bool ended;                   /* an END seal was seen */
	uint32_t flags;               /* ORed flags of the seals (PP_SEAL_*) */
	bool rewritten;               /* a seal's distance was wrong: a tool between does not know seals */
	uint64_t bytes, records;      /* read so far */
	uint64_t compressed_bytes, expanded_bytes;
	/* Where the first stood (size 0: there was none; no data) of what does not show, read
	 * cooked: the feature COMPRESSED, and compressed records that it does not stand before. */
	struct pp_record promise, unpromised;
	uint64_t dropped;             /* records that could not be converted */
	uint64_t orphans;             /* samples whose id no attribute has */
	uint64_t rounds;              /* FINISHED_ROUNDs, seals included, notes not */
	uint64_t first_time, last_time;   /* smallest and largest so far; 0 before the first */
	struct pp_attrs *attrs;
};

/*
 * Opens a path, or standard input where `path` is NULL or "-".  NULL and *error: cannot be
 * opened, or is no stream.  The header is read (so this may block).
 */
struct pp_reader *pp_reader_open(const char *path, const struct pp_reader_options *, struct pp_error *);
void pp_reader_close(struct pp_reader *);                    /* NULL is fine */
/* Closes a reader that was opened to be read `twice`, and reads its input once more from where it
 * began, by the descriptor that it has.  NULL and *error. */
struct pp_reader *pp_reader_again(struct pp_reader *, const struct pp_reader_options *,
				  struct pp_error *);
/*
 * 1 and a record, valid until the next call; 0 at the end; -1 and *error.  After an error
 * that is not ->fatal the next call goes on behind the damage; a fatal one repeats.  The
 * bytes of a tail that were not read are skipped.
 */
int pp_reader_next(struct pp_reader *, struct pp_record *, struct pp_error *);
/* The next piece of the last record's tail: 1 and bytes valid until the next call, 0, -1. */
int pp_reader_tail(struct pp_reader *, const void **piece, size_t *size, struct pp_error *);
/* Has `fn` called with each piece of the tails of records of this type, whoever reads or skips
 * them; `left` bytes of the same tail follow, 0 at its end.  One watcher a reader; fn NULL: none.
 * Where it returns -1 and *error, that is what reading the tail fails with. */
typedef int pp_tail_fn(void *arg, const void *piece, size_t size, uint64_t left, struct pp_error *);
void pp_reader_watch_tail(struct pp_reader *, uint32_t type, pp_tail_fn *fn, void *arg);
const struct pp_stream *pp_reader_stream(const struct pp_reader *);
/* Flushes `w` before the buffer that it borrows from moves and before a read that may block; what
 * was tied last is flushed first.  Where that fails pp_reader_next returns a fatal error. */
void pp_reader_tie(struct pp_reader *, struct pp_writer *w);
/*
 * From now on pp_reader_next() and pp_reader_tail() fail with PP_E_AGAIN where they would have to
 * wait for bytes, and go on from there when they are called again.  `w` and others that are tied
 * are flushed all the same.
 */
void pp_reader_never_wait(struct pp_reader *);
/* What poll() is to be asked meanwhile; -1: it never waits. */
int pp_reader_fd(const struct pp_reader *);
/* Another flusher for the same moments (text output): called with `arg`. */
void pp_reader_tie_call(struct pp_reader *, int (*flush)(void *arg), void *arg);

/* ---- Mending: a sound stream of a damaged one ------------------------------------------------ */

/* A range of the input that did not arrive, or not as it was. */
struct pp_mended {
	uint64_t from, to;            /* bytes; in a perf.data file as the stream that it becomes */
	uint64_t samples;             /* that are lost, by estimate; 0: none */
	bool altered;                 /* its records were kept, since nobody knows which is wrong */
	const char *what;             /* "no records", "its fields run past it" ... */
	uint32_t type;                /* of the record that it was, or 0 */
};
typedef void pp_mend_found(void *arg, const struct pp_mended *);

struct pp_mend_stats {
	const char *name, *container;
	uint64_t bytes, records, samples;   /* read; that were kept; that were kept */
	uint64_t first_time, last_time;
	uint64_t ranges, lost_bytes, lost_samples;   /* altered ranges count among ranges */
	uint64_t repaired;            /* COMPRESSED2 records of perf 6.16 to 7.1 */
	uint64_t rounds, events;      /* made again where they were lost: FINISHED_ROUND, HEADER_ATTR */
	uint64_t moved;               /* HEADER_ATTRs that came last, and were put in front */
	bool flagged;                 /* a stage before met damage, and said so */
	bool changed;                 /* what was written is not what was read */
};

/*
 * Mends the stream or perf.data file at `path` (NULL or "-": standard input) and writes it to
 * `fd`, which stays the caller's.  What is sound leaves as it came, byte for byte; a file that
 * lacks nothing as well, of any other it makes a stream.  `found` is called for each range that
 * was lost, `*stats` may be looked at meanwhile.  0, or -1 and *error: it cannot be read at all,
 * or its detail begins with "cannot write".
 */
int pp_mend(const char *path, bool no_verify, int fd, pp_mend_found *found, void *arg,
	    struct pp_mend_stats *stats, struct pp_error *);

/* ---- Seals and notes: what rides in FINISHED_ROUND records ---------------------------------- */

enum { PP_SEAL_SIZE = 48 };
enum { PP_SEAL_END = 1, PP_SEAL_UNSEALED = 2, PP_SEAL_DAMAGED = 4 };
struct pp_seal { uint64_t number, bytes, xxh3; uint32_t flags; };
/* True and *seal if this FINISHED_ROUND carries a seal (data in host order). */
bool pp_is_seal(const struct pp_record *, struct pp_seal *);
/* True if this FINISHED_ROUND carries notes: then it is no round. */
bool pp_is_note(const struct pp_record *);
/* True for a FINISHED_ROUND that ends a round in perf's sense: a plain one, or a seal. */
bool pp_is_round(const struct pp_record *);

/* One label, borrowed from its record and not terminated. */
struct pp_note {
	const char *key, *value;
	size_t key_length, value_length;
	bool continues;               /* the value goes on in the next note record, with no key */
};
/* The next label of a note (data in host order); *at is 0 for the first, and the place to go on
 * from after.  False: there are no more. */
bool pp_note_next(const struct pp_record *, size_t *at, struct pp_note *);

/* ---- Hosts: several may share a stream ------------------------------------------------------- */

enum { PP_HOSTS_MOST = 512, PP_HOST_NAME = 128 };
/*
 * A host, as its note tells (pp-merge(1) has the format).  While `apart`, `pid` and `cpu` were
 * added to the numbers of its processes and threads (but 0 and -1) and of its processors.
 */
struct pp_host {
	char name[PP_HOST_NAME];      /* without blanks */
	bool apart;
	uint32_t pid, cpu;            /* cpu: a multiple of 64 */
	uint32_t pids, cpus;          /* its own are smaller than that; 0: who knows.  Not in the note */
};
/* Its note, behind those that there are: 0, or -1 as pp_writer_note(). */
int pp_host_write(struct pp_writer *, size_t number, const struct pp_host *, struct pp_error *);
/* True, *number (smaller than PP_HOSTS_MOST) and *host: this label tells a host. */
bool pp_host_parse(const struct pp_note *, size_t *number, struct pp_host *);
/* Makes a name of any text. */
void pp_host_name(struct pp_host *, const char *text, size_t length);
/*
 * Adds what keeps a host apart to all numbers of processes and processors of its record, or takes
 * it `back`, in place; a mask of processors changes its size, for which there are `room` bytes.
 * Attributes and features stay as they are, and what RAW data hold.  0, or -1 and *error: a number
 * is none of that host's, or the record is damaged.
 */
int pp_host_move(const struct pp_host *, bool back, struct pp_record *, size_t room,
		 struct pp_error *);
/* Whose this record is: an index, by its process, else by its processor; or -1: nobody knows, it
 * is of all. */
int pp_host_of(const struct pp_host *hosts, size_t n, const struct pp_record *);

/* ---- Writing a stream: borrowed bytes, one writev a batch ----------------------------------- */

enum pp_sealing {
	PP_SEAL_AUTO,                 /* as the input was: pp_writer_header() is told */
	PP_SEAL_YES, PP_SEAL_NO,
};

/* `fd` stays the caller's.  NULL: out of memory. */
struct pp_writer *pp_writer_open(int fd, enum pp_sealing);
void pp_writer_close(struct pp_writer *);       /* without a flush; NULL is fine */
/* The 16-byte stream header, and seal 0 where sealing.  For PP_SEAL_AUTO `sealed` decides. */
int pp_writer_header(struct pp_writer *, bool sealed);
/* Before the header: what pp_writer_pass is given, in host order, leaves in the other byte order,
 * in place.  What cannot be converted is left out and counted. */
void pp_writer_foreign(struct pp_writer *);
uint64_t pp_writer_dropped(const struct pp_writer *);
/* Bytes that stay where they are until the flush. */
int pp_writer_put(struct pp_writer *, const void *, size_t);
/* Bytes that were made or changed: copied. */
int pp_writer_copy(struct pp_writer *, const void *, size_t);
/* A record as it came: FINISHED_ROUNDs become seals where the output is sealed and seals
 * become plain rounds where it is not (an END seal vanishes there; in sealed output the END
 * is written by pp_writer_end alone); notes pass.  Its tail is read from `r` and passed. */
int pp_writer_pass(struct pp_writer *, struct pp_reader *r, const struct pp_record *, struct pp_error *);
/* A round that is truly due: a FINISHED_ROUND, or a seal. */
int pp_writer_round(struct pp_writer *);
/* A note, in as many records as its value needs; its place is behind those that there are and
 * before any other record.  0, or -1 and *error: the key does not fit in a record, or
 * pp_writer_os(). */
int pp_writer_note(struct pp_writer *, const char *key, const void *value, size_t length,
		   struct pp_error *);
int pp_writer_flush(struct pp_writer *);        /* 0, or -1: pp_writer_os() */
/* The last record: an END seal with these flags (PP_SEAL_*), where sealing, or where
 * `flags` has DAMAGED.  Then flushes. */
int pp_writer_end(struct pp_writer *, uint32_t flags);
int pp_writer_os(const struct pp_writer *);     /* first errno, 0 while healthy */
uint64_t pp_writer_bytes(const struct pp_writer *);
bool pp_writer_sealing(const struct pp_writer *);

/* ---- Restoring a stream: records that were made, in either byte order, with seals anew ------- */

/*
 * Where a record is a seal, a new one is written that fits what was written before it; END stands
 * last, whatever followed it.  A stream is sealed if its first record is a seal, or by YES; by NO
 * seals become plain rounds.
 */
struct pp_restore;
/* `w` seals nothing itself (PP_SEAL_NO), has written nothing, and stays the caller's. */
struct pp_restore *pp_restore_open(struct pp_writer *w, enum pp_sealing);  /* NULL: out of memory */
void pp_restore_close(struct pp_restore *);     /* NULL is fine */
/* These return 0, or -1: pp_writer_os().  The header comes first, once. */
int pp_restore_header(struct pp_restore *, bool version_1, bool foreign);
int pp_restore_record(struct pp_restore *, const struct pp_record *);
int pp_restore_tail(struct pp_restore *, const void *, size_t);
/* The END, where the stream is sealed and had one, or by YES, or where a flag is DAMAGED: those of
 * the END that there was, and these.  Then flushes. */
int pp_restore_end(struct pp_restore *, uint32_t flags);
/* The flags of all seals so far. */
uint32_t pp_restore_flags(const struct pp_restore *);
/* Whether the first record was a seal; and whether no END came then. */
bool pp_restore_was_sealed(const struct pp_restore *);
bool pp_restore_lacks_end(const struct pp_restore *);

/* ---- Memory: what a stream makes a stage keep -------------------------------------------------- */

/*
 * What all that keep something of one stream may take together: names, maps, records that wait.  It
 * is the caller's, and outlives them.  What can go to a file goes there before the limit is reached;
 * what cannot (who lives, which maps there are) may take PP_BUDGET_SPARE beyond it, and then fails
 * with PP_E_LIMIT.
 */
struct pp_budget {
	uint64_t limit;               /* bytes; 0: 256 MiB */
	uint64_t held;                /* bytes in use, counted by those that keep */
	bool refused;                 /* somebody asked for more than there is */
};
#define PP_BUDGET_SPARE (UINT64_C(11) << 20)

/* ---- Rounds: held, ordered by merging runs, let go ------------------------------------------- */

enum pp_rounds_order { PP_ROUNDS_STREAM, PP_ROUNDS_TIME };
enum pp_verdict { PP_DROP, PP_KEEP, PP_STOP };

/* Where new rounds stand in what leaves in order: before the record with a time that comes behind
 * so many of them, or so many bytes of them, or when so many ns have passed since the first; what
 * is 0 does not count.  One more stands at the end. */
struct pp_cadence { uint64_t records, bytes, time; };

/*
 * Holds round n until FINISHED_ROUND n+1 (perf's rule: what a round lets go is no older than
 * what the round before it let go), shows its records to `judge` in time order, and writes
 * those that it keeps, in stream order or in time order.
 */
struct pp_rounds_options {
	enum pp_rounds_order order;
	uint64_t limit;               /* bytes held at most; 0 means 256 MiB */
	const struct pp_budget *budget; /* what others hold counts too, but a quarter is left; or NULL */
	bool thrifty;                 /* order TIME: what left gives its memory back: the judge keeps it */
	struct pp_cadence every;      /* order TIME: new rounds in place of the old ones; all 0: those */
	bool lazy;                    /* order TIME: what is due goes as pp_rounds_more() asks for it */
	/* Called for every record in time order (user records and untimed ones at their place).
	 * NULL keeps all.  May write records of its own through the writer before the one shown
	 * is written (order TIME, or before the whole round in order STREAM). -1: *error. */
	int (*judge)(void *arg, struct pp_record *, struct pp_error *);   /* a pp_verdict or -1 */
	void *arg;
};
struct pp_rounds;
struct pp_rounds *pp_rounds_open(const struct pp_rounds_options *, struct pp_reader *,
				 struct pp_writer *);
void pp_rounds_close(struct pp_rounds *);
/* Takes a record (its tail is read from the reader).  0, 1 (judge said STOP), -1. */
int pp_rounds_put(struct pp_rounds *, const struct pp_record *, struct pp_error *);
/* For a judge, where there is no writer (and all is dropped): the next piece of the tail of the
 * record that it is shown, valid until the next call: 1, 0 (no more), -1. */
int pp_rounds_tail(struct pp_rounds *, const void **piece, size_t *size, struct pp_error *);
/* Lets go of all that is held. */
int pp_rounds_end(struct pp_rounds *, struct pp_error *);
/* Lazy: lets go of some `enough` bytes of what is due; as long as it returns 1 there is more, and
 * nothing may be put.  0, or -1 and *error. */
int pp_rounds_more(struct pp_rounds *, uint64_t enough, struct pp_error *);
struct pp_rounds_stats {
	uint64_t rounds, largest;     /* rounds seen; bytes of the largest two held */
	uint64_t late;                /* records older than what was already let go */
	uint64_t worst;               /* by how many ns */
	uint64_t overflows;           /* how often the limit forced half out */
	uint64_t disorder;            /* records before which a later one stood in the input */
};
const struct pp_rounds_stats *pp_rounds_stats(const struct pp_rounds *);

/* ---- Sorting: a stream as a whole, with rounds or without ------------------------------------ */

enum pp_sort_by { PP_BY_TIME, PP_BY_CPU, PP_BY_PID, PP_BY_TID };

/*
 * Holds all of a stream, in memory and, where that is full, as sorted runs in a file without a
 * name in TMPDIR or /tmp; at the end they are merged, as often as it takes.  Records with a time
 * leave in its order, equal ones as they came; one without a time leaves before the smallest time
 * that came after it, those before any time at once.  Old rounds vanish, new ones are written.
 *
 * By CPU, process or thread (as they happened in) all of one leaves after all of another, each in
 * time order, by rising numbers, those that have none first.  Then no round would be true and none
 * is written; records without a time leave before all others.
 */
struct pp_sorter_options {
	uint64_t memory;              /* bytes, 512 KiB at least; 0 means 256 MiB */
	enum pp_sort_by by;
	struct pp_cadence every;      /* all 0: a round behind each MiB of records */
};
struct pp_sorter;
struct pp_sorter *pp_sorter_open(const struct pp_sorter_options *, struct pp_reader *,
				 struct pp_writer *);        /* NULL: out of memory */
void pp_sorter_close(struct pp_sorter *);                    /* NULL is fine */
/* Takes a record (its tail is read from the reader).  0, or -1 and *error; after one whose status
 * is 3 the next may follow. */
int pp_sorter_put(struct pp_sorter *, const struct pp_record *, struct pp_error *);
/* Writes all of them; nothing where they could not be held. */
int pp_sorter_end(struct pp_sorter *, struct pp_error *);
struct pp_sorter_stats {
	uint64_t disorder;            /* records before which a later one stood in the input */
	uint64_t runs, passes;        /* put aside; merges before the last one */
	uint64_t aside;               /* bytes that were put aside, again in each pass */
};
const struct pp_sorter_stats *pp_sorter_stats(const struct pp_sorter *);

/* ---- Merging: several streams as one --------------------------------------------------------- */

struct pp_merge_options {
	uint64_t limit;               /* bytes held at most of each input for its order; 0: 256 MiB */
	bool no_verify;               /* do not look at seals */
	bool hosts;                   /* keep processes and processors apart by host: struct pp_host */
	/* ns: for so long an input that has begun and says nothing holds up the others; UINT64_MAX:
	 * for ever. */
	uint64_t patience;
	/* Told of what is damaged in an input; the rest is merged all the same. */
	void (*damaged)(void *arg, size_t input, const struct pp_error *);
	/* Told what the output is not, or is otherwise; a clause. */
	void (*say)(void *arg, size_t input, const char *text);
	void *arg;
};
struct pp_merge_stats {
	uint64_t records, bytes, samples;   /* written; bytes without tails */
	uint64_t first_time, last_time;     /* 0 before the first */
	uint64_t renamed;             /* ids that clashed and became other ones */
	uint64_t tracepoints;         /* numbers of tracepoints that became other ones */
	bool identified;              /* samples were rewritten so that all tell their id in one place */
};
/* Records that came after the rounds of the output had promised that none so old would. */
struct pp_merge_late { uint64_t count, worst; };     /* worst: by how many ns */
/*
 * Reads the inputs cooked, orders each by its own rounds, merges them by time and writes rounds
 * that are true of the whole.  Nothing of an input is written before all others have come as far,
 * but for those that say nothing for longer than `patience`.
 */
struct pp_merge;
struct pp_merge *pp_merge_new(const struct pp_merge_options *);     /* NULL: out of memory */
void pp_merge_free(struct pp_merge *);          /* NULL is fine */
/* Opens one more input, as pp_reader_open() does: 0, or -1 and *error. */
int pp_merge_add(struct pp_merge *, const char *path, struct pp_error *);
/* Adds `ns` to all times of an input (counted from 0). */
void pp_merge_shift(struct pp_merge *, size_t input, int64_t ns);
/* Writes the whole stream to `w`, but for the END: 0, or -1 and *error, or -1 and
 * pp_writer_os(w).  PP_E_USE: they do not go together, and nothing was written. */
int pp_merge_run(struct pp_merge *, struct pp_writer *w, struct pp_error *);
/* The flags for pp_writer_end(): what the inputs' seals say.  DAMAGED is the caller's too. */
uint32_t pp_merge_flags(const struct pp_merge *);
const struct pp_merge_stats *pp_merge_stats(const struct pp_merge *);
/* Of an input; NULL past the last. */
const struct pp_stream *pp_merge_stream(const struct pp_merge *, size_t input);
const struct pp_rounds_stats *pp_merge_rounds(const struct pp_merge *, size_t input);
const struct pp_merge_late *pp_merge_late(const struct pp_merge *, size_t input);

/* ---- Compressing: records to COMPRESSED or COMPRESSED2 carriers -------------------------------- */

struct pp_compressor;
/* format 1: type 81; 2: type 83.  NULL: out of memory, or a level zstd does not know. */
struct pp_compressor *pp_compressor_open(int format, int level, struct pp_writer *);
void pp_compressor_close(struct pp_compressor *);
/* Before anything is taken: what is put is in the other byte order, and so is what comes out. */
void pp_compressor_foreign(struct pp_compressor *);
/* Takes bytes of whole kernel records, in stream order. */
int pp_compressor_put(struct pp_compressor *, const void *, size_t, struct pp_error *);
/* Lets everything taken so far out as carriers; call it before any plain record. */
int pp_compressor_flush(struct pp_compressor *, struct pp_error *);
/* The HEADER_FEATURE COMPRESSED record that must stand before the first carrier: 0/-1. */
int pp_compressor_feature(struct pp_compressor *);

/* ---- Saving: a stream to a perf.data file -------------------------------------------------- */

/*
 * Writes the on-disk file that perf record would have written, from the records of a stream that
 * is read cooked, in one pass: records of the data section as they come, borrowed until
 * pp_save_flush(); what a file keeps in sections (attributes, features, names, tracing data,
 * build-ids, times, the index of AUX traces) after them; the header last.  Seals become plain
 * rounds.  Notes are the first records of the data, those that come later the last.  `fd` is at offset 0, can seek, and stays the caller's.
 */
struct pp_save;
struct pp_save_stats {
	uint64_t data;                /* bytes of the data section */
	uint32_t events, features, build_ids, aux;   /* in the file; aux: in the index */
	uint64_t notes_dropped;       /* records of notes, beyond the room for them */
	uint64_t tracing_dropped;     /* tracing data: a second one, or too much behind data */
	uint64_t features_dropped;    /* with a number that the header has no bit for */
	uint64_t build_ids_dropped;   /* beyond the room for them */
	bool aux_dropped;             /* the index, since there were too many */
	bool unlike;                  /* events disagree on where ids lie: perf refuses such a file */
};
struct pp_save *pp_save_open(int fd, struct pp_error *);     /* NULL and *error */
void pp_save_close(struct pp_save *);                        /* without pp_save_end(); NULL is fine */
/* Takes the next record.  0, or -1 and *error; one that is damaged is left out, the next may
 * follow.  Its tail has to follow in pieces, borrowed too. */
int pp_save_record(struct pp_save *, const struct pp_record *, struct pp_error *);
int pp_save_tail(struct pp_save *, const void *piece, size_t size, struct pp_error *);
int pp_save_flush(struct pp_save *);                         /* 0, or -1 and errno */
/* The sections and the header; the stream's attributes (record->attrs) must still be there.  A
 * record whose tail is not there in full is left out. */
int pp_save_end(struct pp_save *, struct pp_error *);
const struct pp_save_stats *pp_save_stats(const struct pp_save *);

/* ---- What a stream is about --------------------------------------------------------------- */

/* Names and maps of tasks through time; feed records in time order. */
struct pp_tasks;
struct pp_map {
	uint64_t start, end, pgoff;
	const char *filename;
	uint32_t maj, min;
	uint64_t ino;
	bool has_build_id, kernel;
	uint8_t build_id_size, build_id[20];
	uint32_t file;                /* small number, equal for equal filenames */
};
enum {                                /* what is to be known beside names */
	PP_TASKS_MAPS       = 1 << 0,
	PP_TASKS_BUILD_IDS  = 1 << 1, /* of maps whose files have them told apart */
	PP_TASKS_KIN        = 1 << 2,
	PP_TASKS_NAMESPACES = 1 << 3,
	PP_TASKS_CGROUPS    = 1 << 4,
};
/* NULL: out of memory. */
struct pp_tasks *pp_tasks_new(unsigned with, struct pp_budget *);
void pp_tasks_free(struct pp_tasks *);
/* COMM, FORK, EXIT, MMAP, MMAP2, and as asked for NAMESPACES, CGROUP, HEADER_BUILD_ID and the
 * feature BUILD_ID; others are ignored, THREAD_MAP too, from which perf takes no names either.
 * 0, or -1 and *error: memory, or the limit of the budget. */
int pp_tasks_note(struct pp_tasks *, const struct pp_record *, struct pp_error *);
/* The name of a thread now, as perf script shows it (":123" where none is known, "swapper"
 * for tid 0).  Valid until the next call of pp_tasks_note or pp_tasks_comm. */
const char *pp_tasks_comm(struct pp_tasks *, uint32_t pid, uint32_t tid);
/* The map that holds an address now, by cpumode of the sample's misc; NULL if none.  Valid until
 * the next call of pp_tasks_map or pp_tasks_note. */
const struct pp_map *pp_tasks_map(struct pp_tasks *, uint32_t pid, unsigned cpumode, uint64_t ip);
/* Is a process this one, or was it forked by it, or by one that was? */
bool pp_tasks_descends(struct pp_tasks *, uint32_t pid, uint32_t from);
/* The namespace that a thread is in now, or its process: 0 net, 1 uts, 2 ipc, 3 pid, 4 user, 5 mnt,
 * 6 cgroup, 7 time, by its inode; false: not known. */
bool pp_tasks_namespace(struct pp_tasks *, uint32_t pid, uint32_t tid, unsigned kind, uint64_t *inode);
/* The path of the control group with this id, or NULL; valid until the next call of pp_tasks_note. */
const char *pp_tasks_cgroup(struct pp_tasks *, uint64_t id);

/*
 * What must stand at the head of a stream that begins in the middle of another, so that it stands
 * alone: what was said of the stream as a whole, and of what lives as of now: threads, their names
 * and namespaces, maps, kernel symbols, control groups.  What ended is forgotten, a little later.
 * Memory is bounded by what lives, and by the budget: beyond it records go to a file without a name.
 */
struct pp_sideband;
struct pp_sideband *pp_sideband_new(struct pp_budget *);  /* NULL: out of memory */
void pp_sideband_free(struct pp_sideband *);    /* NULL is fine */
/* Whether records of this type are looked at.  Those without a time may wait for the next head. */
bool pp_sideband_keeps(uint32_t type);
/* The process of a thread as of now; false: there is no such thread. */
bool pp_sideband_process(const struct pp_sideband *, uint32_t tid, uint32_t *pid);
/* Several hosts are in the stream, which stay the caller's: what one says does not take the place
 * of what another said. */
void pp_sideband_hosts(struct pp_sideband *, const struct pp_host *hosts, size_t n);
/* The path of a sample's control group as of now, not terminated, valid until the next note; false:
 * no record told it, or it has none. */
bool pp_sideband_cgroup(struct pp_sideband *, const struct pp_record *sample, const char **path,
			size_t *length);
/* True and *pid: the record is side-band of this process, and of no other. */
bool pp_sideband_pid(const struct pp_record *, uint32_t *pid);
/* Takes the next record, in time order; of others than those only the time counts.  0, or -1: memory, or
 * the limit of the budget. */
int pp_sideband_note(struct pp_sideband *, const struct pp_record *, struct pp_error *);
/* Takes the next piece of the tail of that record.  0, or -1 and *error (the file). */
int pp_sideband_tail(struct pp_sideband *, const void *piece, size_t size, struct pp_error *);
/* The time went on to there, by records that were not noted since only their time counts. */
void pp_sideband_now(struct pp_sideband *, uint64_t time);
/* Shown each record of a head before it is written, which it may change and let grow up to
 * PP_RECORD_MAX bytes; PP_KEEP or PP_DROP. */
typedef int pp_sideband_shape(void *arg, struct pp_record *);
/* Writes the head, behind pp_writer_header(): records without a time, then those with one in the
 * order of their times, which stay as they were.  With `pid` of tasks only those of this process;
 * `shape` may be NULL.  0, or -1 and *error, where that is not the writer's. */
int pp_sideband_write(struct pp_sideband *, const uint32_t *pid, pp_sideband_shape *shape, void *arg,
		      struct pp_writer *, struct pp_error *);

/*
 * What the raw data of tracepoint samples are, as the stream's own tracing data tell it.
 */
enum pp_trace_kind {
	PP_TRACE_NUMBER, PP_TRACE_SIGNED,
	PP_TRACE_TEXT,                /* up to a NUL, or all of it */
	PP_TRACE_BYTES,               /* of a type that is none of these */
};
struct pp_tracepoint_field {
	const char *name, *type;      /* the type as the kernel tells it: "pid_t", "char[16]" */
	uint32_t offset, size;        /* in the raw data; of a dynamic field: of what tells its place */
	uint32_t element;             /* bytes of one element: 1, 2, 4 or 8, but for BYTES */
	uint32_t count;               /* of elements; 0: as many as the sample has */
	uint32_t name_length;
	enum pp_trace_kind kind;
	bool array;                   /* not one number: has elements, even if only one */
	bool dynamic, relative;       /* __data_loc, __rel_loc: where it lies is told by the sample */
	bool common;                  /* one that all tracepoints have: common_pid ... */
	bool pointer;                 /* an address, shown in hexadecimal */
	bool foreign;                 /* its bytes are not in the host's order */
};
struct pp_tracepoint {
	const char *system, *name;    /* "sched", "sched_switch" */
	uint64_t id;                  /* pp_attr.config of its events */
	const struct pp_tracepoint_field *fields;
	size_t n_fields;
};
struct pp_tracepoints;
struct pp_tracepoints *pp_tracepoints_new(void);        /* NULL: out of memory */
void pp_tracepoints_free(struct pp_tracepoints *);      /* NULL is fine */
/* Takes the whole tail of a HEADER_TRACING_DATA record, which is not needed any longer then.  What
 * it tells anew replaces what was known of the same id.  0, or -1 and *error: all of it that is
 * sound was taken. */
int pp_tracepoints_note(struct pp_tracepoints *, const void *tail, size_t size, struct pp_error *);
/* Has that done for each tail that this reader comes by (as its watcher), from then on. */
void pp_tracepoints_watch(struct pp_tracepoints *, struct pp_reader *);
/* What was wrong with the last tail that was watched and not sound, other than that memory lacked,
 * which ends reading; NULL: nothing. */
const struct pp_error *pp_tracepoints_error(const struct pp_tracepoints *);
/* All that these return is valid until pp_tracepoints_free().  NULL: not known (yet). */
const struct pp_tracepoint *pp_tracepoints_by_id(const struct pp_tracepoints *, uint64_t id);
/* Of an event; NULL as well where that is no tracepoint. */
const struct pp_tracepoint *pp_tracepoints_of(const struct pp_tracepoints *, const struct pp_attr *);
/* `system` NULL: of any. */
const struct pp_tracepoint *pp_tracepoints_named(const struct pp_tracepoints *, const char *system,
						 const char *name);
const struct pp_tracepoint *pp_tracepoints_at(const struct pp_tracepoints *, size_t i);
const struct pp_tracepoint_field *pp_tracepoint_field(const struct pp_tracepoint *, const char *name);
/* The field's bytes in the raw data of a sample (the record's field "raw"), wherever they lie.
 * False: they do not lie in it. */
bool pp_tracepoint_bytes(const struct pp_tracepoint_field *, const void *raw, size_t size,
			 const uint8_t **data, size_t *length);
/* Element i (0 of what is no array) of a NUMBER or SIGNED field, the latter sign-extended. */
bool pp_tracepoint_u64(const struct pp_tracepoint_field *, const void *raw, size_t size, size_t i,
		       uint64_t *value);
/* The text of a TEXT field, borrowed and not terminated. */
bool pp_tracepoint_text(const struct pp_tracepoint_field *, const void *raw, size_t size,
			const char **text, size_t *length);
/* The raw data of a sample in host order, borrowed; false: it has none. */
bool pp_tracepoint_raw(const struct pp_record *, const void **raw, size_t *size);
/* All but the common fields as `prev_comm="sh" prev_pid=3`, without a newline; all fields as an
 * object of JSON.  Fields that do not lie in the raw data are left out. */
void pp_tracepoint_print(struct pp_out *, const struct pp_tracepoint *, const void *raw, size_t size);
void pp_tracepoint_json(struct pp_out *, const struct pp_tracepoint *, const void *raw, size_t size);

/*
 * Side-band that the samples of a stream need, and no other: held back until one needs it, then
 * written before it.  So are what is told of events, and the head of the stream, up to the first
 * record that stays.  model/prune.c says what a sample needs.
 */
struct pp_prune;
struct pp_prune_stats {
	uint64_t side_band, kept;     /* records of it; that were written */
	bool spilled;                 /* more was held than memory may hold */
};
/* Records that are held beyond the budget go to a file without a name in TMPDIR.  Records come from the
 * reader and go to the writer; `tracepoints` watch the reader, and tell which threads their data name.
 * All stay the caller's.  NULL: out of memory. */
struct pp_prune *pp_prune_new(struct pp_budget *, const struct pp_tracepoints *, struct pp_reader *,
			      struct pp_writer *);
void pp_prune_free(struct pp_prune *);          /* NULL is fine */
/*
 * Shows it the next record, in the order of times, of samples only those that stay: PP_KEEP: it has
 * to be written now, behind what was written here; PP_DROP: it is not needed, or not yet, or (a
 * sample) was written, or waits for the head; -1 and *error (the file, memory) or pp_writer_os(),
 * after which it is PP_STOP.
 */
int pp_prune_judge(struct pp_prune *, const struct pp_record *, struct pp_error *);
/* Writes what is left of the head, where nothing stayed.  0 or -1, as above. */
int pp_prune_end(struct pp_prune *, struct pp_error *);
const struct pp_prune_stats *pp_prune_stats(const struct pp_prune *);

/* Features and attributes in words, as `perf report --header-only` shows them. */
struct pp_features;
struct pp_features *pp_features_new(void);
void pp_features_free(struct pp_features *);
int pp_features_note(struct pp_features *, const struct pp_record *, struct pp_error *);
/* Lines "# hostname : ..." to `out`; `attrs` may be NULL. */
void pp_features_text(const struct pp_features *, const struct pp_attrs *, struct pp_out *);
/* The values of the notes with this key, each a line, in the order of the stream: of equal keys the
 * last one counts.  False: there is none. */
bool pp_features_values(const struct pp_features *, const char *key, struct pp_out *);
/* One JSON object of all of it. */
void pp_features_json(const struct pp_features *, const struct pp_attrs *, struct pp_out *);

/* A file as a stream tells of it: beneath the folder `root` (NULL: this process's own), and where
 * `ino` is not 0, the one that the kernel saw there. */
struct pp_elf_file {
	const char *root, *path;
	uint64_t ino;
	uint32_t maj, min;
};
enum pp_elf {                         /* beside -1: cannot be read (errno) */
	PP_ELF_NONE,                  /* has no build-id, or is no ELF file */
	PP_ELF_FOUND,
	PP_ELF_OTHER,                 /* another file stands there now */
	PP_ELF_SPECIAL,               /* no regular file, or made up by the kernel: not opened */
};
/* The build-id in its notes (20 bytes at most), and *size. */
int pp_elf_build_id(const struct pp_elf_file *, uint8_t id[20], uint8_t *size);
/* In a blob of ELF notes, such as /sys/kernel/notes.  1 or 0. */
int pp_notes_build_id(const void *notes, size_t length, uint8_t id[20], uint8_t *size);
/* Of the running kernel; of the vdso mapped into this process; of a loaded module. */
int pp_kernel_build_id(uint8_t id[20], uint8_t *size);
int pp_vdso_build_id(uint8_t id[20], uint8_t *size);
int pp_module_build_id(const char *module, uint8_t id[20], uint8_t *size);

/* ---- Whether a stream is sound ------------------------------------------------------------ */

/*
 * Something about a stream: a fault, after which it is not sound, or a remark, since a reader
 * may stumble.  `kind` is one of the words that pp-check(1) lists.  The place counts only while
 * `located`; `field` may be NULL; `need` and `have` are bytes, both 0 where moot.
 */
struct pp_finding {
	bool fault, located;
	const char *kind;
	uint64_t offset, index;
	uint32_t type;                /* 0 before the record's header is read */
	const char *field;
	uint64_t need, have;
	uint64_t more;                /* records of that type of which it could be said as well */
	char text[240];
};
/* "record 44 at byte 4948 (MMAP2): filename: ..." without a newline; as snprintf does. */
int pp_finding_text(const struct pp_finding *, char *buf, size_t size);

struct pp_checker_stats {
	uint64_t faults, remarks, records, samples;
	uint64_t lost;                /* as the records of lost samples say */
};
typedef void pp_checker_found(void *arg, const struct pp_finding *);
/*
 * Judges the records of one stream that is read cooked, in the order of the stream; `found` is
 * called for each finding.  `stream` is that of the reader, or NULL where nothing could be opened:
 * then only pp_checker_error() may be called.  NULL: out of memory.
 */
struct pp_checker;
struct pp_checker *pp_checker_open(const struct pp_stream *, pp_checker_found *found, void *arg);
void pp_checker_close(struct pp_checker *);                  /* NULL is fine */
int pp_checker_record(struct pp_checker *, const struct pp_record *, struct pp_error *); /* 0, -1 */
/* A piece of that record's tail. */
void pp_checker_tail(struct pp_checker *, const struct pp_record *, const void *piece, size_t size);
/* What the reader met. */
void pp_checker_error(struct pp_checker *, const struct pp_error *);
/* What can be said only at the end. */
void pp_checker_end(struct pp_checker *);
const struct pp_checker_stats *pp_checker_stats(const struct pp_checker *);

/* ---- The filter's language ------------------------------------------------------------------ */

struct pp_query;
/* What is wrong with an expression at this byte of it; or nothing is, but that memory lacks. */
struct pp_query_error { size_t at; bool no_memory; char text[160]; };
/* NULL and *error: not an expression. */
struct pp_query *pp_query_compile(const char *text, struct pp_query_error *);
void pp_query_free(struct pp_query *);
bool pp_query_needs_tasks(const struct pp_query *);     /* judge in time order, feed tasks */
unsigned pp_query_tasks_with(const struct pp_query *);  /* made for pp_tasks_new() with this */
bool pp_query_needs_tracepoints(const struct pp_query *);     /* see pp_query_settle() */
bool pp_query_needs_first(const struct pp_query *);     /* has a "+5s" or "10%": asks for `first` */
bool pp_query_needs_last(const struct pp_query *);      /* has a "-5s" or "10%": asks for `last` */
bool pp_query_needs_wall_clock(const struct pp_query *);/* asks for `wall_clock` */
/* Whether records of this type are to be judged: samples, and all that the kernel writes where the
 * query asks for what only these have.  Others pass, and so do those without a record->attr. */
bool pp_query_judges(const struct pp_query *, uint32_t type);
/* Before the first sample is asked about: has the stream the fields of tracepoints that are asked
 * for?  -1 and *error: an expression that is wrong for this stream. */
int pp_query_settle(struct pp_query *, const struct pp_tracepoints *, struct pp_query_error *);
/* What a query may ask beyond the record: what is not needed may stay 0. */
struct pp_query_facts {
	struct pp_tasks *tasks;       /* that took note of all up to this record, and of it */
	const struct pp_tracepoints *tracepoints;
	uint64_t first, last;         /* times of the stream's first and last sample */
	int64_t wall_clock;           /* ns from a time of the stream to that of the wall clock */
};
/* Does it match?  The record is of a type that is judged. */
bool pp_query_match(const struct pp_query *, const struct pp_record *, const struct pp_query_facts *);
/* Reports, in words, the names and patterns of events and the fields of samples that the query asks
 * for and that none of these events has; nothing where there are no events. */
void pp_query_unmet(const struct pp_query *, const struct pp_attrs *,
		    void (*report)(void *arg, const char *text), void *arg);
/* Its comparisons in the order in which they are asked, how, and what follows: a line each. */
void pp_query_explain(const struct pp_query *, struct pp_out *);
/* Tells every field that a sample of this event has; of any event, where it is NULL.  `kind` is
 * "number", "time", "text", "bytes" or "group"; a name with [N] leads to several.  Names are
 * borrowed for the call; the same may come twice without an event. */
typedef void pp_query_field_fn(void *arg, const char *name, const char *kind, const char *doc);
void pp_query_fields(const struct pp_attr *, pp_query_field_fn *, void *arg);
/* The same of a tracepoint's own fields, in their long form. */
enum { PP_QUERY_TRACE_NAME = 256 };   /* bytes of the longest name told */
void pp_query_trace_fields(const struct pp_tracepoint *, pp_query_field_fn *, void *arg);
/* The same of the records of another type; of none that is not judged. */
void pp_query_side_fields(uint32_t type, pp_query_field_fn *, void *arg);

/*
 * The first record of each value of a field, or of each combination of several.  Remembers a hash
 * of 64 bits of each.
 */
struct pp_first;
/* "comm" or "pid,cpu": fields that have one value.  NULL and *error. */
struct pp_first *pp_first_open(const char *fields, struct pp_query_error *);
void pp_first_close(struct pp_first *);         /* NULL is fine */
/* Whether one of pp_query_needs_tasks() and its like holds for one of the fields. */
bool pp_first_asks(const struct pp_first *, bool (*needs)(const struct pp_query *));
unsigned pp_first_tasks_with(const struct pp_first *);
/* As pp_query_settle(). */
int pp_first_settle(struct pp_first *, const struct pp_tracepoints *, struct pp_query_error *);
/* 1: no record before had these values (that there is none is a value too), 0, -1 and *error. */
int pp_first_of(struct pp_first *, const struct pp_record *, const struct pp_query_facts *,
		struct pp_error *);

/*
 * What is near a match in time, on the same thread or the same CPU: its context.  Takes the
 * records of a stream in the order of their times and lets go of those that stay in that order;
 * each waits until all that is at most `span` ns younger was seen.
 */
struct pp_context;
/* Takes a record that stays, which is valid during this call only: 0, or -1, which is handed on. */
typedef int pp_context_out(void *arg, struct pp_record *, struct pp_error *);
struct pp_context_stats {
	uint64_t near;                /* samples that stay and match nothing themselves */
};
/* What waits beyond the budget is in a file without a name in TMPDIR.  NULL: out of memory. */
struct pp_context *pp_context_open(uint64_t span, struct pp_budget *, pp_context_out *, void *arg);
void pp_context_close(struct pp_context *);     /* NULL is fine */
/* Copies a record that has no tail; `match`: it is a sample that matches.  Samples that do not
 * match stay if they are near one, all others always.  0, or -1: *error, or as `out` returned. */
int pp_context_put(struct pp_context *, struct pp_record *, bool match, struct pp_error *);
/* No more comes.  0, or -1 as above. */
int pp_context_end(struct pp_context *, struct pp_error *);
const struct pp_context_stats *pp_context_stats(const struct pp_context *);

/* ---- Capturing: this machine's own kernel as a source ---------------------------------------- */

/* What to record.  Everything pointed to is the caller's and outlives the capture. */
struct pp_capture_options {
	const char *const *events;    /* each as behind -e: "cycles:u,{a,b}:k,sched:*" */
	size_t n_events;              /* 0: cycles */
	uint64_t frequency;           /* samples a second; 0: 4000, UINT64_MAX: as many as permitted */
	uint64_t period;              /* or: events between samples */
	const uint32_t *pids, *tids;  /* what to record, where not all CPUs or the command alone */
	size_t n_pids, n_tids;
	const uint32_t *cpus;         /* only on these */
	size_t n_cpus;                /* 0: on all that are online */
	uint64_t buffer;              /* bytes of each CPU's buffer; a power of two of pages; 0: 512 KiB */
	char *const *command;         /* to run, ended by NULL; or NULL */
	char *const *cmdline;         /* words of the recorder's own call, for the stream; or NULL */
	bool all_cpus, callchains, no_inherit;
	uint32_t user_stack;          /* bytes of it in each sample, and the registers, for unwinding;
				       * a multiple of 8, 65528 at most; 0: chains by frame pointers */
	int32_t clockid;              /* CLOCK_MONOTONIC ...: times are of this clock; -1: the kernel's own */
	bool buildid_mmap;            /* let the kernel put build-ids in MMAP2 records */
	bool delayed;                 /* events start with pp_capture_enable(), later */
	bool stdout_taken;            /* by the stream: the command's goes to standard error */
	/* Told what was changed to make it work, a line each; may be NULL. */
	void (*say)(void *arg, const char *text);
	void *arg;
};

struct pp_capture_stats {
	uint64_t samples, records;    /* from the kernel */
	uint64_t overruns;            /* lost, as LOST records said */
	uint64_t lost;                /* lost, as counters say at the end (or overruns) */
};

/*
 * Finds, opens and maps all that can fail: events, threads, counters, buffers; forks the command,
 * which waits.  Nothing runs or is written yet.  NULL and *error.
 */
struct pp_capture;
struct pp_capture *pp_capture_open(const struct pp_capture_options *, struct pp_error *);
/* The command, if it still waits, ends; what records is closed. */
void pp_capture_close(struct pp_capture *);           /* NULL is fine */
/*
 * Writes the header and all that stands before the first sample, flushes it, starts the counters
 * (unless delayed).  0, or -1 and *error.
 */
int pp_capture_begin(struct pp_capture *, struct pp_writer *, struct pp_compressor *z, struct pp_error *);
/* Starts the command, if there is one.  0, or -1 and *error: it cannot be run. */
int pp_capture_start(struct pp_capture *, struct pp_error *);
int pp_capture_enable(struct pp_capture *, struct pp_error *);
/*
 * Waits for data for at most `ms`, or until a signal arrives that `mask` (as for ppoll; may be
 * NULL) lets through.  1: go on, 0: all threads that were recorded have ended.
 */
int pp_capture_wait(struct pp_capture *, int ms, const void *mask);
/*
 * One pass over all buffers.  What is there is written, lent from the buffers (or compressed to
 * `z`, which may be NULL); then a round, if anything was, or if this is the first pass without.
 * All is flushed.  1 if anything was written, 0, or -1 and *error.
 */
int pp_capture_pass(struct pp_capture *, struct pp_writer *, struct pp_compressor *z, struct pp_error *);
/* Stops the counters, takes what is left and says what was lost.  The END is the caller's. */
int pp_capture_end(struct pp_capture *, struct pp_writer *, struct pp_compressor *z, struct pp_error *);
/* 1 and its wait status once the command has ended; 0: it runs, or there is none. */
int pp_capture_command(struct pp_capture *, int *status);
/* Sends the command a signal, if it still runs. */
void pp_capture_signal(struct pp_capture *, int signal);
const struct pp_capture_stats *pp_capture_stats(const struct pp_capture *);

/* ---- Making streams up: valid ones of any shape, for tests ------------------------------------ */

/* The shape; every member counts as it stands. */
struct pp_generate_options {
	uint64_t seed;                /* the same seed and shape give the same bytes */
	uint64_t samples;
	uint64_t duration;            /* ns from the first to the last; 0: 1000 samples a second and CPU */
	uint64_t disorder;            /* ns by which samples come late at most, inside their CPU's run */
	uint64_t rounds;              /* FINISHED_ROUNDs; 0: none; UINT64_MAX: one for 1000 samples */
	uint64_t sample_type;         /* PP_SAMPLE_ bits of every event; tracepoints have RAW as well */
	uint32_t events, tracepoints; /* how many of each; together 1 or more */
	uint32_t cpus, processes, threads;   /* threads: of each process */
	uint32_t maps;                /* files that each process maps */
	uint32_t forks, exits;        /* processes that begin, that end, during the recording */
	uint32_t renames;             /* processes that change their names */
	uint32_t losses;              /* LOST records */
	uint32_t callchain;           /* longest call chain, where CALLCHAIN is asked for ... */
	uint32_t raw, stack, branches;/* ... bytes of RAW and of STACK_USER, entries of BRANCH_STACK */
	bool break_rounds;            /* a sample of each round, from the third on, is older than may be */
	bool big_endian;              /* or little */
	bool no_seal;
	int level;                    /* of zstd: compressed; 0: not */
};
struct pp_generate_stats { uint64_t records, samples, bytes; };   /* written so far */
/*
 * Writes a whole stream to `fd`, which stays the caller's.  Every sample is in a process that was
 * named, at an address that it maps; times follow what rounds promise.  `stats` may be looked at
 * meanwhile.  0, or -1 and *error: PP_E_USE where no stream has this shape.
 */
int pp_generate(const struct pp_generate_options *, int fd, struct pp_generate_stats *stats,
		struct pp_error *);

/*
 * Damage to a stream, or to any bytes.  All places count in the input, whatever else is done to
 * it.  Where none is given the seed chooses one behind the first `keep` bytes; these are
 * spared by flips too.
 */
enum pp_edit_kind {
	PP_EDIT_INSERT,               /* random bytes */
	PP_EDIT_SPLICE,               /* bytes that stand elsewhere in the input */
	PP_EDIT_ZERO, PP_EDIT_DROP, PP_EDIT_CUT,
};
enum pp_place { PP_PLACE_ANY, PP_PLACE_BYTE, PP_PLACE_FROM_END, PP_PLACE_FRACTION };
struct pp_edit {
	enum pp_edit_kind what;
	enum pp_place place;
	uint64_t size;
	uint64_t at;                  /* bytes from the begin, or the end */
	double fraction;              /* of the size, from 0 to 1 */
	uint64_t from;                /* of a SPLICE, chosen by the seed */
};
struct pp_damage {
	uint64_t seed, keep;
	double flip;                  /* probability that a byte is changed */
	struct pp_edit *edits;
	size_t n_edits;
	uint64_t changed;             /* bytes that were, told by pp_damage() */
};
/* Replaces the edits (there is room for one) and flips by what the seed chooses. */
void pp_damage_choose(struct pp_damage *, uint64_t size);
/* Makes all places bytes of an input of this size.  -1 and *error: it has none there. */
int pp_damage_plan(struct pp_damage *, uint64_t size, struct pp_error *);
/* Copies `size` bytes from `start` of the file `in` to `out`, damaged as planned.  0, or -1 and
 * *error, whose detail is "cannot read" or "cannot write". */
int pp_damage(struct pp_damage *, int in, int64_t start, uint64_t size, int out, struct pp_error *);

#endif
