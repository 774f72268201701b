/*
 * tracepoint.h - the fields in the raw data of tracepoint samples, by the formats in the stream.
 */
#ifndef PERFPIPE_TRACEPOINT_H
#define PERFPIPE_TRACEPOINT_H

#include <perfpipe/api.h>
#include <perfpipe/output.h>
#include <perfpipe/reader.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The fields in the raw data of tracepoint samples, according to the stream's own tracing data.
 */
enum pp_trace_kind {
	PP_TRACE_NUMBER, PP_TRACE_SIGNED,
	PP_TRACE_TEXT,                /* up to a NUL, or all of it */
	PP_TRACE_BYTES,               /* of any other type */
};
struct pp_tracepoint_field {
	const char *name, *type;      /* the type as the kernel gives it: "pid_t", "char[16]" */
	uint32_t offset, size;        /* in the raw data; for a dynamic field: of its descriptor */
	uint32_t element;             /* bytes of one element: 1, 2, 4 or 8, but for BYTES */
	uint32_t count;               /* of elements; 0: as many as the sample has */
	uint32_t name_length;
	enum pp_trace_kind kind;
	bool array;                   /* not one number: has elements, even if only one */
	bool dynamic, relative;       /* __data_loc, __rel_loc: the sample has its place */
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
/* NULL: out of memory */
PP_API PP_MUST_CHECK struct pp_tracepoints *pp_tracepoints_new(void);
PP_API void pp_tracepoints_free(struct pp_tracepoints *);      /* NULL is fine */
/* Takes the whole tail of a HEADER_TRACING_DATA record, which is not needed afterwards.  A new
 * format replaces the earlier one with the same id.  0, or -1 and *error: the sound part of it was
 * taken. */
PP_API PP_MUST_CHECK int pp_tracepoints_note(struct pp_tracepoints *, const void *tail,
					     size_t size, struct pp_error *);
/* From then on, does that for each tail that this reader reads (as its watcher). */
PP_API void pp_tracepoints_watch(struct pp_tracepoints *, struct pp_reader *);
/* What was wrong with the last unsound tail that was watched, except lack of memory, which ends
 * reading; NULL: nothing. */
PP_API const struct pp_error *pp_tracepoints_error(const struct pp_tracepoints *);
/* All that these return is valid until pp_tracepoints_free().  NULL: not known (yet). */
PP_API const struct pp_tracepoint *pp_tracepoints_by_id(const struct pp_tracepoints *, uint64_t id);
/* Of an event; NULL if it is not a tracepoint. */
PP_API const struct pp_tracepoint *pp_tracepoints_of(const struct pp_tracepoints *,
						     const struct pp_attr *);
/* `system` NULL: of any. */
PP_API const struct pp_tracepoint *pp_tracepoints_named(const struct pp_tracepoints *,
							const char *system,
							const char *name);
PP_API const struct pp_tracepoint *pp_tracepoints_at(const struct pp_tracepoints *, size_t i);
PP_API const struct pp_tracepoint_field *pp_tracepoint_field(const struct pp_tracepoint *,
							     const char *name);
/* The field's bytes in the raw data of a sample (the record's field "raw"), wherever they are.
 * False: they are not within the data. */
PP_API bool pp_tracepoint_bytes(const struct pp_tracepoint_field *, const void *raw, size_t size,
				const uint8_t **data, size_t *length);
/* Element i (0 if not an array) of a NUMBER or SIGNED field, the latter sign-extended. */
PP_API bool pp_tracepoint_u64(const struct pp_tracepoint_field *, const void *raw, size_t size,
			      size_t i,
			      uint64_t *value);
/* The text of a TEXT field, borrowed and not terminated. */
PP_API bool pp_tracepoint_text(const struct pp_tracepoint_field *, const void *raw, size_t size,
			       const char **text, size_t *length);
/* The raw data of a sample in host order, borrowed; false: it has none. */
PP_API bool pp_tracepoint_raw(const struct pp_record *, const void **raw, size_t *size);
/* All but the common fields as `prev_comm="sh" prev_pid=3`, without a newline; all fields as an
 * object of JSON.  Fields that are not within the raw data are left out. */
PP_API void pp_tracepoint_print(struct pp_out *, const struct pp_tracepoint *, const void *raw,
				size_t size);
PP_API void pp_tracepoint_json(struct pp_out *, const struct pp_tracepoint *, const void *raw,
			       size_t size);

#ifdef __cplusplus
}
#endif

#endif
