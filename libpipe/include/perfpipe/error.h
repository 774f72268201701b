/* error.h - failures: what, where in the input, and the exit status that each one means. */
#ifndef PERFPIPE_ERROR_H
#define PERFPIPE_ERROR_H

#include <perfpipe/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a step that has more outcomes than success and failure: a loop goes on while it is
 * PP_MORE, or > 0. */
enum pp_status {
	/* Nothing is wrong: no more has come yet, and the caller asked not to wait (pp_reader_never_wait()).
	 * Below 0, so that a loop that does not ask for it ends; *error has PP_E_AGAIN. */
	PP_AGAIN = -2,
	PP_FAILED = -1,               /* and *error says why */
	PP_END = 0,                   /* there is no more */
	PP_MORE = 1,                  /* there was one: it was handed out */
};

/* row(code, exit status of a tool that stops for it, text) */
#define PP_ERRORS(row) \
	row(IO,        4, "I/O error") \
	row(NOMEM,     4, "out of memory") \
	row(DENIED,    4, "not permitted") \
	row(USE,       2, "wrong use") \
	row(MAGIC,     3, "not a perf stream") \
	row(CONTAINER, 3, "not a stream") \
	row(CUT,       3, "the stream ends inside a record") \
	row(CUT_TAIL,  3, "the stream ends inside the bytes that follow a record") \
	row(CUT_END,   3, "the stream is cut") \
	row(SIZE,      3, "record is smaller than its own header") \
	row(FIELD,     3, "field runs past the record") \
	row(VALUE,     3, "field has a value that cannot be") \
	row(ATTR,      3, "no event attribute describes this record") \
	row(ZSTD,      3, "cannot expand") \
	row(SEAL,      3, "the stream was altered") \
	row(ENDIAN,    3, "cannot convert the byte order of this record") \
	row(FULL,      3, "does not fit in a record") \
	row(AGAIN,     4, "nothing more has come yet") \
	row(LIMIT,     4, "more than the limit of memory allows")

#define PP_ERROR_CODE(name, status, text) PP_E_##name,
enum pp_code { PP_OK, PP_ERRORS(PP_ERROR_CODE) };

/* What would help.  How a user asks for it is not known here: the program that shows the text adds that. */
enum pp_hint {
	PP_HINT_NONE,
	PP_HINT_MEMORY,               /* a larger limit of memory */
	PP_HINT_ALL_CPUS,             /* all CPUs, or some, for a target */
	PP_HINT_FEWER_CPUS,           /* a choice of CPUs */
	PP_HINT_CPUS_OR_THREADS,      /* a choice of CPUs, or no CPUs: a counter for each thread alone */
	PP_HINT_THREADS,              /* a counter for each thread alone */
	PP_HINT_LIST_EVENTS,          /* a list of the events */
	PP_HINT_ONLY_COUNTED,         /* counting without samples */
	PP_HINT_FRAME_POINTERS,       /* call chains by frame pointers */
	PP_HINT_BRANCHES,             /* what asked for branches: leave that out */
	PP_HINT_FILTER,               /* a filter of tracepoints, made by hand */
	PP_HINT_NOT_ITSELF,           /* the events before: the wish to leave the recorder out is of them */
	PP_HINT_NO_CLOCK,             /* no other clock */
	PP_HINT_SNAPSHOT,             /* snapshots */
	PP_HINT_ADAPT_OR_OVERWRITE,   /* one of the two wishes */
	PP_HINT_BUFFER,               /* a larger buffer */
	PP_HINT_SWITCHES,             /* SWITCH records in the recording */
	PP_HINT_ONE_CLOCK,            /* a recording with the monotonic clock, or times that are moved */
	PP_HINT_KEEP_HOSTS,           /* hosts that are kept apart */
	PP_HINT_MERGE,                /* a merge of several streams */
	PP_HINT_ADD,                  /* the same, of a stream that is left out here */
	PP_HINT_FROM_JSON,            /* making a stream of what was printed */
	PP_HINT_NO_VERIFY,            /* reading without looking at seals */
	PP_HINT_LIST_FIELDS,          /* a list of the fields */
	PP_HINT_MEMORY_REPORT,        /* a report of memory accesses */
	PP_HINT_METRICS,              /* what shows metrics */
	PP_HINT_DUMP,                 /* what shows whole records */
	PP_HINT_FILES,                /* that file; of others, which lack the same, each is named */
	PP_HINT_KERNEL,               /* what lets the kernel's addresses be seen */
	PP_HINT_SPANS,                /* SWITCH records in the recording, or spans of the waits in it */
};

/*
 * One failure.  `offset` and `index` are the byte and the ordinal (from 0) of the record in the
 * input and are valid only if `located`.  `detail` is a clause that adds to the text of the code,
 * or is empty; `field` is a name from the tables, or NULL, never freed.  `need` and `have` are
 * bytes, both 0 where moot.
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
	bool         output;          /* the output failed, not the input or a temporary file */
	uint64_t     offset, index;
	uint32_t     type;            /* of the record; 0 before its header is read */
	const char  *field;
	uint64_t     need, have;
	enum pp_hint hint;            /* what would help */
	size_t       at;              /* the byte at which the text that was given is wrong */
	char         detail[240];
};

/* Writes "record 44 at byte 4948 (MMAP2): filename: field runs past the record: need 120
 * bytes, have 52" without a newline; returns the length, as snprintf does. */
PP_API int pp_error_text(const struct pp_error *, char *buf, size_t size);
/* The exit status (2, 3 or 4) that a tool ends with when it stops for this. */
PP_API int pp_error_status(const struct pp_error *);
/* Whether reading ends with it: nothing after it can be read, or it is not about the input. */
PP_API bool pp_error_ends(const struct pp_error *);
/* Makes an error from a code and `detail`, formatted as by printf (may be NULL); all else is empty.
 * Returns -1, for `return pp_fail(...)`, as all these do.  `error` may be NULL in all of them. */
PP_API int pp_fail(struct pp_error *error, enum pp_code, const char *detail, ...)
	PP_PRINTF(3, 4);
/* The same for a failed system call: takes errno. */
PP_API int pp_fail_os(struct pp_error *error, const char *detail, ...)
	PP_PRINTF(2, 3);
/* The same for the output: "cannot write". */
PP_API int pp_fail_output(struct pp_error *error);
/* Adds the place to an error: that of the record there. */
PP_API int pp_error_at(struct pp_error *error, uint64_t offset, uint64_t index, uint32_t type);
/* Adds only the type of the record, if its place means nothing. */
PP_API int pp_error_type(struct pp_error *error, uint32_t type);
/* Adds what did not fit: the field (NULL: the record, or the stream) and the bytes. */
PP_API int pp_error_room(struct pp_error *error, const char *field, uint64_t need, uint64_t have);
/* Adds what would help. */
PP_API int pp_error_hint(struct pp_error *error, enum pp_hint);
/* Adds the byte at which the text that was given is wrong. */
PP_API int pp_error_point(struct pp_error *error, size_t at);
/* Sets whether anything after it can be read. */
PP_API int pp_error_fatal(struct pp_error *error, bool fatal);

#ifdef __cplusplus
}
#endif

#endif
