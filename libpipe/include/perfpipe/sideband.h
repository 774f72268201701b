/* sideband.h - the head of a stream that begins in the middle of another. */
#ifndef PERFPIPE_SIDEBAND_H
#define PERFPIPE_SIDEBAND_H

#ifndef PP_UNSTABLE
#error "<perfpipe/sideband.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/budget.h>
#include <perfpipe/host.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What a stream that begins in the middle of another needs at its head to be complete: everything
 * about the stream as a whole, and the present state: threads, their names and namespaces, maps,
 * kernel symbols, control groups.  What has ended is forgotten a little later. Memory is bounded by
 * the present state, and by the budget: beyond it records go to a file without a name.
 */
struct pp_sideband;
/* NULL: out of memory */
PP_API PP_MUST_CHECK struct pp_sideband *pp_sideband_new(struct pp_budget *);
PP_API void pp_sideband_free(struct pp_sideband *);    /* NULL is fine */
/* Whether records of this type are looked at.  Those without a time may wait for the next head. */
PP_API bool pp_sideband_keeps(uint32_t type);
/* The process of a thread as of now; false: there is no such thread. */
PP_API bool pp_sideband_process(const struct pp_sideband *, uint32_t tid, uint32_t *pid);
/* The stream has several hosts (the array stays the caller's): records of one host do not replace
 * those of another. */
PP_API void pp_sideband_hosts(struct pp_sideband *, const struct pp_host *hosts, size_t n);
/* The path of a sample's control group as of now, not terminated, valid until the next note; false:
 * no record gave it, or the sample has none. */
PP_API bool pp_sideband_cgroup(struct pp_sideband *, const struct pp_record *sample,
			       const char **path,
			       size_t *length);
/* True and *pid: the record is side-band of this process, and of no other. */
PP_API bool pp_sideband_pid(const struct pp_record *, uint32_t *pid);
/* Takes the next record, in time order; of records that are not side-band only the time is used.
 * 0, or -1: memory, or the limit of the budget. */
PP_API PP_MUST_CHECK int pp_sideband_note(struct pp_sideband *, const struct pp_record *,
					  struct pp_error *);
/* Takes the next piece of the tail of that record.  0, or -1 and *error (the file). */
PP_API PP_MUST_CHECK int pp_sideband_tail(struct pp_sideband *, const void *piece, size_t size,
					  struct pp_error *);
/* Advances the time to that of records that were not noted because only their time is used. */
PP_API void pp_sideband_now(struct pp_sideband *, uint64_t time);
/* Called with each record of a head before it is written; may change it and let it grow up to
 * PP_RECORD_MAX bytes; PP_KEEP, PP_DROP, or -1 and *error. */
typedef int pp_sideband_shape_fn(void *arg, struct pp_record *, struct pp_error *);
/* Writes the head, after pp_writer_header(): records without a time, then those with one in the
 * order of their times, which are unchanged.  With `pid`, only the tasks of this process; `shape`
 * may be NULL.  0, or -1 and *error, unless the writer failed. */
PP_API PP_MUST_CHECK int pp_sideband_write(struct pp_sideband *, const uint32_t *pid,
					   pp_sideband_shape_fn *shape, void *arg,
					   struct pp_writer *, struct pp_error *);

/* Writes the TRACING_DATA that a head has, with its tail; nothing, if none was noted.  0, or -1 and *error,
 * unless the writer failed. */
PP_API PP_MUST_CHECK int pp_sideband_write_tracing(struct pp_sideband *, struct pp_writer *,
						   struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
