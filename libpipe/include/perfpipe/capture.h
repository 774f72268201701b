/* capture.h - this machine's own kernel as a source. */
#ifndef PERFPIPE_CAPTURE_H
#define PERFPIPE_CAPTURE_H

#include <perfpipe/api.h>
#include <perfpipe/compress.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

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
PP_API PP_MUST_CHECK struct pp_capture *pp_capture_open(const struct pp_capture_options *,
							struct pp_error *);
/* The command, if it still waits, ends; what records is closed. */
PP_API void pp_capture_close(struct pp_capture *);           /* NULL is fine */
/*
 * Writes the header and all that stands before the first sample, flushes it, starts the counters
 * (unless delayed).  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_capture_begin(struct pp_capture *, struct pp_writer *,
					  struct pp_compressor *z, struct pp_error *);
/* Starts the command, if there is one.  0, or -1 and *error: it cannot be run. */
PP_API PP_MUST_CHECK int pp_capture_start(struct pp_capture *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_capture_enable(struct pp_capture *, struct pp_error *);
/*
 * Waits for data for at most `ms`, or until a signal arrives that `mask` (as for ppoll; may be
 * NULL) lets through.  1: go on, 0: all threads that were recorded have ended.
 */
PP_API PP_MUST_CHECK int pp_capture_wait(struct pp_capture *, int ms, const void *mask);
/*
 * One pass over all buffers.  What is there is written, lent from the buffers (or compressed to
 * `z`, which may be NULL); then a round, if anything was, or if this is the first pass without.
 * All is flushed.  1 if anything was written, 0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_capture_pass(struct pp_capture *, struct pp_writer *,
					 struct pp_compressor *z, struct pp_error *);
/* Stops the counters, takes what is left and says what was lost.  The END is the caller's. */
PP_API PP_MUST_CHECK int pp_capture_end(struct pp_capture *, struct pp_writer *,
					struct pp_compressor *z, struct pp_error *);
/* 1 and its wait status once the command has ended; 0: it runs, or there is none. */
PP_API PP_MUST_CHECK int pp_capture_command(struct pp_capture *, int *status);
/* Sends the command a signal, if it still runs. */
PP_API void pp_capture_signal(struct pp_capture *, int signal);
PP_API const struct pp_capture_stats *pp_capture_stats(const struct pp_capture *);

#ifdef __cplusplus
}
#endif

#endif
