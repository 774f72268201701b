/*
 * capture.h - this machine's own kernel as a source.
 *
 * All that can fail is found, opened and mapped before anything is written or run.  The command, if
 * there is one, waits until it is started; what it does, and what is written, is the caller's to say.
 *
 * A recording is opened, begun, started (if there is a command), passed over until it is enough, ended
 * and closed, by one thread.  What the kernel records lies in its buffers, one a CPU, and is read
 * there: pp_capture_pass() hands it out and gives the space back.  It goes into a stream that every
 * tool and perf take, or into functions of the caller's (struct pp_capture_sink), which may ask for
 * each record by itself.  Between two passes a program can do other work, as long as the buffers have
 * room; what finds none is counted.
 *
 * A program that samples its own code is its own target (`self` of struct pp_target_options), and asks
 * for samples by a sink's `record`; the counters that take them are pp_capture_counters().  Some events
 * and all CPUs are not everyone's: what is refused is an error that says what it needs.
 *
 * One command, at the default rate:
 *
 *	#include <perfpipe/capture.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_target_options whom = { sizeof(whom) };
 *		struct pp_capture_options how = { sizeof(how) };
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_YES);
 *		struct pp_capture *capture;
 *		struct pp_error error;
 *		int failed;
 *
 *		whom.command = argc > 1 ? argv + 1 : NULL;
 *		how.target = &whom;
 *		capture = out ? pp_capture_open(&how, &error) : NULL;
 *		failed = !capture || pp_capture_begin(capture, out, NULL, &error) ||
 *			 pp_capture_start(capture, &error) ||
 *			 pp_capture_run(capture, NULL, &error) < 0 ||
 *			 pp_capture_end(capture, &error) || pp_writer_end(out, 0, &error);
 *		pp_capture_close(capture);
 *		pp_writer_close(out);
 *		return failed ? 4 : 0;
 *	}
 */
#ifndef PERFPIPE_CAPTURE_H
#define PERFPIPE_CAPTURE_H

#include <perfpipe/api.h>
#include <perfpipe/compress.h>
#include <perfpipe/counter.h>
#include <perfpipe/event.h>
#include <perfpipe/record.h>
#include <perfpipe/say.h>
#include <perfpipe/writer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* When names and maps of the tasks that were there before are read from /proc, and written. */
enum pp_capture_sideband {
	PP_SIDEBAND_ALL,              /* at the start */
	PP_SIDEBAND_LAZY,             /* read at the start; written before the first record about the task */
	PP_SIDEBAND_LATE,             /* read and written then */
	PP_SIDEBAND_NONE,             /* never: only what the kernel reports from the start on */
};

/* CPUs that belong together: what the threads that read the kernel's buffers are shared out by. */
enum pp_capture_place {
	PP_AT_ANY,                 /* nothing */
	PP_AT_CPU, PP_AT_CORE, PP_AT_PACKAGE,
	PP_AT_NODE,                /* of memory */
};

/* What to record.  What `cmdline` and the target's command point to must outlive the capture; all
 * else is needed only while it is opened. */
struct pp_capture_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *const *events;    /* each as after -e: "cycles:u,{a,b}:k,sched:*" */
	size_t n_events;              /* 0: cycles */
	const size_t *pfm;            /* ordinals of those in which all names are libpfm4's */
	size_t n_pfm;
	const struct pp_event_filter *filters;
	size_t n_filters;
	const struct pp_sampling *sampling;        /* NULL: 4000 samples a second, without more */
	const struct pp_target_options *target;    /* NULL: all CPUs */
	uint64_t buffer;              /* bytes of each CPU's buffer; a power of two of pages; 0: 512 KiB */
	char *const *cmdline;         /* words of the recorder's own call, for the stream; or NULL */
	enum pp_capture_sideband sideband;
	bool delayed;                 /* events start with pp_capture_enable(), later */
	bool paused;                  /* they will be disabled meanwhile; tasks go on being reported */
	uint64_t max_samples;         /* no more of them are passed on; 0: all */
	uint64_t max_bytes;           /* nor samples that would make the stream larger; 0: all */
	struct pp_say say;            /* called with what was changed to make it work */
	const struct pp_aux_options *aux;          /* NULL: the usual area where an event has one */
	/* Where a CPU's buffer fills fast, or records are lost since it is full, it is replaced by larger
	 * ones, up to this many bytes, by a thread that lives until that is done; but not while the reader
	 * of the stream is slow.  0: it stays. */
	uint64_t buffer_most;
	/* Where records are lost and larger buffers do not help, events are sampled half as often, again
	 * and again, and a note (PP_NOTE_RATE) says so. */
	bool adapt;
	/* Buffers are written round and round: they keep the last samples, which are passed on by
	 * pp_capture_snapshot() and at the end.  Records of tasks are passed on at once, but no round ends
	 * before the next snapshot.  Events whose terms say overwrite or no-overwrite do as they say. */
	bool overwrite;
	/* Threads that empty the kernel's buffers while pp_capture_run() lasts, so that these never wait
	 * for the sink; each buffer then has a copy of its size.  There is one stream, whose rounds mean
	 * the same.  0: the caller's own reads, too. */
	unsigned readers;
	/* Instead of a number: one for each of these, which runs there. */
	enum pp_capture_place readers_at;
	/* Where there is one that reads, it goes to the CPU or node of each buffer before it reads that. */
	enum pp_capture_place affinity;
	/* Or as perf's --threads has it, lent while it opens: "CPUS/WHERE:CPUS/WHERE...", lists such as
	 * "0,2-4": of each pair a thread reads the buffers of the first and runs on the second.  Every CPU
	 * that is recorded has to be in one; others are ignored. */
	const char *readers_masks;
	/* What the stream says of itself besides, "KEY=VALUE" each, after its header; like `cmdline` they
	 * outlive the capture. */
	const char *const *notes;
	size_t n_notes;
};

/* Of an event whose hardware writes what it traces to an AUX area: intel_pt//, arm_spe// ... */
struct pp_aux_options {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t buffer;              /* bytes of each CPU's area, a power of two of pages; 0: 4 MiB, or
				       * 128 KiB for who may not lock as much as he likes */
	uint64_t snapshot;            /* most bytes of it that a snapshot takes; 0: all of it */
	uint32_t sample;              /* bytes of it in each sample of the other events, 61440 at most */
	bool snapshots;               /* it is written round and round, and read by
				       * pp_capture_snapshot() */
	bool snapshot_at_end;         /* and once more when the recording ends */
};

/*
 * Where the records go: functions that return 0, or -1 and *error, which ends the recording.  Each
 * may be NULL.  They get whole records, in the order of a stream; these are borrowed and must not
 * be changed.
 */
struct pp_capture_sink {
	size_t size;                  /* of this struct: what a caller sets first */
	/* Before the first record. */
	int (*begin)(void *arg, struct pp_error *);
	/* A record that was made here, and the bytes that follow it (TRACING_DATA) or NULL. */
	int (*made)(void *arg, const void *record, size_t size, const void *tail, size_t tail_size,
		    struct pp_error *);
	/* The place of HEADER_FEATURE `number`, for a sink that writes its own. */
	int (*feature)(void *arg, uint32_t number, struct pp_error *);
	/* Records of the kernel, one after another.  If `stays`, they stay there until `flush`. */
	int (*kernel)(void *arg, const void *records, size_t size, bool stays, struct pp_error *);
	/* What comes from now on is not older than what came before the last round. */
	int (*round)(void *arg, struct pp_error *);
	/* The space in the kernel's buffers is given back. */
	int (*flush)(void *arg, struct pp_error *);
	void *arg;
	/* Each record of the kernel, where it lies, after `kernel` had it: pp_time(), pp_ip(), pp_walk()
	 * and their kin read it.  It is lent for this call. */
	int (*record)(void *arg, const struct pp_record *, struct pp_error *);
	/* In the place of `round`: a note, which is one to perf.  NULL: `round` is called. */
	int (*note)(void *arg, const char *key, const void *value, size_t length, struct pp_error *);
};

struct pp_capture_stats {
	uint64_t samples, records;    /* from the kernel */
	uint64_t overruns;            /* lost, according to LOST records */
	uint64_t lost;                /* lost, according to counters at the end (or overruns) */
	/* PP_SIDEBAND_LATE: tasks that were sampled, but had ended, or run another program, before
	 * they were read. */
	uint64_t late_dead, late_execed;
	uint64_t late_unread;         /* and that were not read, since the process that does it was killed */
	uint64_t grown;               /* buffers that were replaced by larger ones */
	uint64_t buffer;              /* bytes of the largest buffer of a CPU */
	/* What the recording itself cost, from when all was open. */
	uint64_t cpu_ns;              /* processor time of this process, at the end */
	uint64_t own_samples;         /* of this process, where samples tell */
	uint64_t adapted;             /* times that the rates of events were lowered */
};

/*
 * Does everything that can fail: finds and opens events, threads and counters, maps buffers, and
 * forks the command, which waits.  Nothing runs or is written yet.  NULL and *error.
 */
struct pp_capture;
PP_API PP_MUST_CHECK struct pp_capture *pp_capture_open(const struct pp_capture_options *,
							struct pp_error *);
/* Ends the command if it still waits, and closes the counters. */
PP_API void pp_capture_close(struct pp_capture *);           /* NULL is fine */
/*
 * Writes the header and everything that precedes the first sample, flushes it, starts the counters
 * (unless delayed).  What the kernel records is written directly from its buffers, or compressed
 * (`z` may be NULL); writer and `z` are borrowed until the end.  0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_capture_begin(struct pp_capture *, struct pp_writer *,
					  struct pp_compressor *z, struct pp_error *);
/* The same with another sink, which is copied. */
PP_API PP_MUST_CHECK int pp_capture_begin_into(struct pp_capture *, const struct pp_capture_sink *,
					       struct pp_error *);
/*
 * Gives up, for the whole process and for good, what a recording needs no more after its begin: every
 * capability, privileges of programs that it would execute, and every system call but some sixty,
 * of which none opens a file (libpipe/record/capture_sandbox.c lists them).  Others kill the process.  The
 * command keeps all.  To be called before the process makes threads.  1; 0: calls cannot be filtered
 * here, and the rest is done; or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_capture_confine(struct pp_capture *, struct pp_error *);
/* Starts the command, if there is one.  0, or -1 and *error: it cannot be run. */
PP_API PP_MUST_CHECK int pp_capture_start(struct pp_capture *, struct pp_error *);
/* All events start, or stop; the one that reports tasks goes on. */
PP_API PP_MUST_CHECK int pp_capture_enable(struct pp_capture *, struct pp_error *);
PP_API PP_MUST_CHECK int pp_capture_disable(struct pp_capture *, struct pp_error *);
/* One of them, by its name: 1, 0: there is no such event, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_capture_switch(struct pp_capture *, const char *event, bool on,
					   struct pp_error *);
/*
 * Waits for data for at most `ms`, or until a signal arrives that `mask` (as for ppoll; may be
 * NULL) lets through.  1: go on, 0: all recorded threads have ended.
 */
PP_API PP_MUST_CHECK int pp_capture_wait(struct pp_capture *, int ms, const void *mask);
/*
 * One pass over all buffers, which passes on their contents; then a round, if there was anything or
 * this is the first pass without; then a flush.  Buffers that are overwritten are left out, and where
 * there are such no round ends.  1 if there was anything, 0, or -1 and *error.
 */
PP_API PP_MUST_CHECK int pp_capture_pass(struct pp_capture *, struct pp_error *);

/*
 * Commands that arrive while a recording runs, one a line, as perf record takes them: enable,
 * disable (one event by its name, or all), evlist with -v, -g or -F, snapshot, ping, stop.
 */
struct pp_control {
	size_t size;                  /* of this struct: what a caller sets first */
	int fd;                       /* commands are read here */
	int ack;                      /* "ack\n" and a zero byte are written here after each; -1: nowhere */
	bool whole_lines;             /* a line may come in pieces; otherwise what is there is a command */
	struct pp_say list;           /* called with the lines of evlist */
};

#define PP_DELAY_FOREVER UINT64_MAX   /* until the events are enabled by a command */

/* How a recording goes on until its end. */
struct pp_run {
	size_t size;                  /* of this struct: what a caller sets first */
	const void *mask;             /* of signals that may end a wait, as for ppoll; or NULL */
	uint64_t delay;               /* ns until the events start, if they are `delayed` */
	uint64_t duration;            /* ns from their start until the end; 0: no limit */
	const struct pp_control *control;       /* or NULL */
	/* Called after each pass: 1, it goes on; 0, it ends; -1 and *error.  NULL: it goes on. */
	int (*more)(void *arg, struct pp_error *);
	void *arg;
};

/*
 * Waits and passes, again and again, until one of these (NULL: the first): the command or all
 * recorded threads have ended (0); `more`, the duration, a limit or a command says so (1).  -1 and
 * *error.  The command's end is then known to pp_capture_command().
 */
PP_API PP_MUST_CHECK int pp_capture_run(struct pp_capture *, const struct pp_run *,
					struct pp_error *);
/* Passes on what is in the AUX areas now, or in buffers that are overwritten: what came since the last
 * snapshot.  Those record nothing while it lasts, and what they miss counts as lost.  0, or -1 and
 * *error. */
PP_API PP_MUST_CHECK int pp_capture_snapshot(struct pp_capture *, struct pp_error *);
/* Stops the counters, passes on what is left and says what was lost.  The caller writes the END, which says
 * PP_SEAL_DAMAGED if this fails: that may be because a process was killed that the recording needs. */
PP_API PP_MUST_CHECK int pp_capture_end(struct pp_capture *, struct pp_error *);
/* 1 and its wait status once the command has ended; 0: it runs, or there is none. */
PP_API PP_MUST_CHECK int pp_capture_command(struct pp_capture *, int *status);
/* Sends the command a signal, if it still runs. */
PP_API void pp_capture_signal(struct pp_capture *, int signal);
/* Whether max_samples or max_bytes was reached: there is nothing more to be had but the end. */
PP_API bool pp_capture_full(const struct pp_capture *);
PP_API const struct pp_capture_stats *pp_capture_stats(const struct pp_capture *);
/* After pp_capture_end(): the i-th of the CPUs that lost records, and how many; false past the last.
 * Kernels before 6.0 say only how many there were in all. */
PP_API bool pp_capture_lost_on(const struct pp_capture *, size_t i, uint32_t *cpu, uint64_t *lost);
/* Its counters, which are lent: to be read, filtered, refreshed, paused as <perfpipe/counter.h> says,
 * but not closed. */
PP_API struct pp_counters *pp_capture_counters(struct pp_capture *);

#ifdef __cplusplus
}
#endif

#endif
