/* format.h - the format as data: record types, features, rows of fields. */
#ifndef PERFPIPE_FORMAT_H
#define PERFPIPE_FORMAT_H

#include <perfpipe/api.h>
#include <perfpipe/bytes.h>
#include <perfpipe/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PP_HEADER_SIZE  8             /* of a record: u32 type, u16 misc, u16 size */
#define PP_RECORD_MAX   65535
#define PP_PIPE_HEADER  16            /* of a stream: u64 magic, u64 size */
#define PP_USER_TYPES   64            /* types from here on are perf's, below the kernel's */

/* misc bits (perf-pipe(5)); several share a bit, each for its own record types. */
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
	PP_MISC_BUILD_ID_FILE = 1 << 14,  /* HEADER_BUILD_ID of perfpipe: says which file of that name */
	PP_MISC_BUILD_ID_SIZE = 1 << 15,  /* HEADER_BUILD_ID */
};

/* Of the file in a HEADER_BUILD_ID with PP_MISC_BUILD_ID_FILE. */
enum { PP_BUILD_ID_OF_NAME = 1 };

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
	PP_LOOK,    /* a byte that is looked at but not consumed: only sets a register */
};

/*
 * The meaning of a field, whatever its name and place: IS(X) in its row.  Only fields that are
 * looked up by their meaning have one.
 */
enum pp_meaning {
	PP_IS_NOTHING,
	/* processes and threads: pp_is_task() */
	PP_IS_PID, PP_IS_TID,                /* the task that it is about, or happened in */
	PP_IS_PPID, PP_IS_PTID,              /* the parent */
	PP_IS_OTHER_PID, PP_IS_OTHER_TID,    /* the other side of a context switch */
	PP_IS_GUEST_PID,                     /* the process that a guest is, on its host */
	PP_IS_CPU,
	PP_IS_CPU_MASK,                      /* a bit for each processor */
	PP_IS_TIME,                          /* ns of the event's clock */
	PP_IS_EVENT_ID,                      /* of an event that the record names */
	PP_IS_STREAM_ID,
	PP_IS_IDENTIFIER,                    /* of the record's own event, at a place of its own */
	PP_IS_ADDRESS,                       /* of code or of data that a sample touched */
	PP_IS_CHAIN,                         /* addresses among context marks: see callchain.h */
	PP_IS_START, PP_IS_LENGTH,           /* of a range of addresses, and in bytes */
	PP_IS_OFFSET,                        /* in a file, of what is mapped */
	PP_IS_PROT,                          /* PROT_ bits of a mapping */
	PP_IS_MAJOR, PP_IS_MINOR, PP_IS_INODE,   /* of a file; or of a namespace */
	PP_IS_GENERATION,                    /* of the inode: how often its number was given to a new file */
	PP_IS_PATH,
	PP_IS_COMM,
	PP_IS_BUILD_ID, PP_IS_BUILD_ID_SIZE, /* and how many of its bytes count */
	PP_IS_CGROUP,                        /* id of a control group */
	PP_IS_PROGRAM,                       /* id of a BPF program */
	PP_IS_RAW,                           /* laid out as the event's tracepoint says */
	PP_IS_LOST,                          /* how many records or samples were lost */
	PP_IS_COUNT,                         /* what a counter counted */
	PP_IS_ENABLED, PP_IS_RUNNING,        /* ns that it was to count, and did */
	PP_IS_KIND, PP_IS_FLAGS,             /* which of several forms or acts, as its doc says */
	PP_IS_FEATURE,                       /* number of a feature */
	PP_IS_CONFIG, PP_IS_EVENT_NAME,
	PP_IS_SAMPLE_TYPE,
	PP_IS_TAIL,                          /* bytes that follow the record */
};
static inline bool pp_is_task(unsigned meaning)
{
	return meaning >= PP_IS_PID && meaning <= PP_IS_GUEST_PID;
}

/* What is true of all records of a type: words of its entry, as bits. */
enum pp_word {
	PP_OF_USER   = 0,
	PP_OF_KERNEL = 1 << 0,        /* ends in a sample_id trailer where the event has one */
	PP_TRAILS    = 1 << 1,        /* not of the kernel, but may end in one */
	PP_SIDE_BAND = 1 << 2,        /* describes a state that later records need; once is enough */
	PP_MAPS      = 1 << 3,        /* one mapping: START, LENGTH and PATH, of PID */
	PP_TASK      = 1 << 4,        /* a thread, TID of PID, begins, ends or has a new name */
	PP_LOSES     = 1 << 5,        /* says how much was lost: LOST */
	PP_CARRIES   = 1 << 6,        /* has compressed records in it */
	PP_ODD       = 1 << 7,        /* its size need not be a multiple of 8 */
	PP_SWITCHES  = 1 << 8,        /* a thread begins to run, or stops (PP_MISC_SWITCH_OUT) */
	PP_AUX_TRACE = 1 << 9,        /* is about an AUX trace, or a piece of one */
};

/* What becomes of a field where the stream is to say nothing of whose it is: HIDE(X) in its row. */
enum pp_hide {
	PP_HIDE_NOTHING,              /* no text: it stays */
	PP_HIDE_KEEP,                 /* text that says nothing of anybody */
	PP_HIDE_TEXT,                 /* replaced as a whole */
	PP_HIDE_HOST,                 /* between its dots */
	PP_HIDE_PATH,                 /* between its slashes; by the rules of paths */
	PP_HIDE_WORDS,                /* word for word, but for those that everybody uses: events, releases */
	PP_HIDE_ARGUMENT,             /* of a command: an option, a word, a number, a path */
	PP_HIDE_SYMBOL,               /* of the kernel: what programs of BPF are called is replaced */
	PP_HIDE_NUMBER,               /* another of that width; 0 stays */
	PP_HIDE_DIGEST,               /* bytes, as numbers; a build-id stays where the file's name does */
	PP_HIDE_ZERO,
	PP_HIDE_POINTER,              /* zero where the event has an address of the recorder there */
	PP_HIDE_REMOVE,               /* taken out of its samples, and its bit of the attribute */
	PP_HIDE_MACHINE,              /* the feature may have to go; else it stays */
	PP_HIDE_DROP,                 /* cannot be rewritten: the record goes */
	PP_HIDE_REFUSE,               /* cannot be rewritten, and is what the stream is about */
	PP_HIDE_PAYLOAD,              /* by what perfpipe has there */
};

/* How a number is shown.  DEC is the default. */
enum pp_show { PP_DEC, PP_HEX, PP_ID, PP_TIME };

/* The walker's registers: what the conditions of rows may refer to. */
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
	uint8_t by;                   /* pp_reg with the number of elements (BYTES, ONE: of bytes) */
	uint8_t per;                  /* divided by this, rounded up */
	bool rest;                    /* or: as many as fit in what is left of the frame */
	bool spans;                   /* the value is the size of the enclosing struct (0: 64) */
	bool counts;                  /* the length of a list that follows: not shown, the list shows it */
	bool quiet;                   /* reserved or padding: shown only where it is not zero */
	uint16_t n;                   /* or: a fixed count (CHARS: width); 0 and no `by`: one */
	struct pp_when when, also;    /* present only if both hold */
	const struct pp_field *of;    /* rows of a ONE or LIST, ended by a NULL name */
	const struct pp_part *parts;  /* of BITS and PARTS, ended by a NULL name and width 0 */
	bool feature;                 /* ONE: its rows are those of the feature in PP_R_FEATURE */
	uint8_t is;                   /* pp_meaning */
	uint8_t kept;                 /* of an attribute: place of its copy in struct pp_attr, or 0 */
	uint8_t hide;                 /* pp_hide */
};

/* One record type, or one feature. */
struct pp_type {
	const char *name, *doc;
	uint32_t number;
	uint32_t words;               /* pp_word */
	const struct pp_field *fields;/* ended by a NULL name */
};

PP_API const struct pp_type *pp_type(uint32_t number);                 /* NULL if unknown */
PP_API const struct pp_type *pp_type_named(const char *name);          /* NULL; any case */
/* I-th row; NULL past the end */
PP_API const struct pp_type *pp_type_at(size_t i);
/* Whether one of these words applies to the type; false for an unknown type. */
PP_API bool pp_type_is(uint32_t number, unsigned words);
PP_API const struct pp_type *pp_feature(uint32_t number);              /* NULL if unknown */
PP_API const struct pp_type *pp_feature_at(size_t i);
PP_API extern const struct pp_field *const pp_sample_id_fields;        /* the trailer */
PP_API extern const struct pp_field *const pp_attr_fields;             /* struct perf_event_attr */
/* The bits of their words, each ended by a NULL name. */
PP_API extern const struct pp_part *const pp_attr_flags, *const pp_sample_bits;
PP_API extern const struct pp_part *const pp_read_bits, *const pp_branch_bits;
/* A short name of a record's type: "SAMPLE", or "UNKNOWN_113" written into buf (24 bytes). */
PP_API const char *pp_type_name(uint32_t number, char *buf);

#ifdef __cplusplus
}
#endif

#endif
