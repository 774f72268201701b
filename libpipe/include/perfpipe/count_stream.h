/*
 * count_stream.h - counts of this machine's own events as a stream, which perf stat report reads.
 *
 * Counters are opened, and the command is forked and waits; then come the header, and run after run
 * of the command, each of them intervals that end in a round.  What `pp-count -- true` is:
 *
 *	#include <perfpipe/count_stream.h>
 *	#include <perfpipe/writer.h>
 *
 *	int main(void)
 *	{
 *		static char *const command[] = { (char *)"true", NULL };
 *		const struct pp_target_options target = { .size = sizeof(target), .command = command };
 *		const struct pp_counting_options how = { .size = sizeof(how), .target = &target };
 *		const struct pp_counting_run run = { .size = sizeof(run) };
 *		struct pp_counting_result result = { .size = sizeof(result) };
 *		struct pp_error error;
 *		struct pp_counting *c = pp_counting_open(&how, &error);
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_YES);
 *		int status = 4;
 *
 *		if (c && out && !pp_counting_begin(c, out, &error) &&
 *		    !pp_counting_start(c, &error) && pp_counting_run(c, &run, &error) >= 0 &&
 *		    !pp_counting_stop(c, &result, &error) &&
 *		    !pp_counting_write(c, true, &error) && !pp_writer_end(out, 0, &error))
 *			status = 0;
 *		pp_writer_close(out);
 *		pp_counting_close(c);
 *		return status;
 *	}
 */
#ifndef PERFPIPE_COUNT_STREAM_H
#define PERFPIPE_COUNT_STREAM_H

#include <perfpipe/api.h>
#include <perfpipe/capture.h>
#include <perfpipe/counter.h>
#include <perfpipe/error.h>
#include <perfpipe/event.h>
#include <perfpipe/say.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_writer;

enum pp_counting_ask {
	PP_COUNTING_NO_INHERIT = 1 << 0,  /* tasks that the counted ones start are left out */
	PP_COUNTING_NULL       = 1 << 1,  /* no event: times alone */
	PP_COUNTING_USER       = 1 << 2,  /* all events in user space */
	PP_COUNTING_KERNEL     = 1 << 3,  /* all events in the kernel */
	PP_COUNTING_DELAYED    = 1 << 4,  /* events start later than the command */
	PP_COUNTING_PER_THREAD = 1 << 5,  /* what is counted is meant to be shown by thread */
	PP_COUNTING_TRANSACTION = 1 << 6, /* the events of transactional memory */
	PP_COUNTING_TOPDOWN    = 1 << 7,  /* the topdown events that the CPU's PMU has */
	PP_COUNTING_SMI        = 1 << 8,  /* what system management interrupts cost; the kernel is asked to
					   * stop counters during them until pp_counting_close() */
	PP_COUNTING_APART      = 1 << 9,  /* events are to be started and stopped one by one, by commands */
	PP_COUNTING_WHY        = 1 << 10, /* `say` is called with why an event cannot be counted */
};

/* What to count.  What `cmdline` and the target's command point to must outlive the counting; all else
 * is needed only while it is opened. */
struct pp_counting_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *const *events;    /* each as after -e: "cycles:u,{a,b}:k,sched:*" */
	size_t n_events;              /* 0: those that perf stat counts without -e */
	const size_t *pfm;            /* ordinals of those in which all names are libpfm4's */
	size_t n_pfm;
	const struct pp_event_filter *filters;
	size_t n_filters;
	const struct pp_target_options *target;    /* NULL: all CPUs */
	uint64_t asks;                /* PP_COUNTING_* */
	int detail;                   /* 1 to 3: more events of caches, as -d, -dd and -ddd of perf stat */
	int topdown_level;            /* 0: as many as there are */
	const char *cpu_type;         /* only events of this kind of cores: "core", "atom"; or NULL */
	const char *const *each_cgroup;   /* every event in each of these control groups */
	size_t n_each_cgroup;
	uint64_t interval;            /* ns between rounds; 0: a round a run */
	uint64_t delay;               /* ns, as it is noted; see struct pp_counting_run */
	uint64_t repeat;              /* runs there will be at most, as it is noted; 0: not known */
	const char *const *sides;     /* the commands that are compared, as they are noted */
	size_t n_sides;
	char *const *cmdline;         /* words of the counting program's own call, for the stream; or NULL */
	struct pp_say say;            /* called with what was changed to make it work */
	const char *const *metrics;   /* for which the events are counted, as they are noted */
	size_t n_metrics;
};

/* Calls `fn` with each control group of this machine, by its path below the mount; of the root "/".
 * 0, or -1 and *error: there is no mount, or no memory. */
PP_API PP_MUST_CHECK int pp_counting_each_cgroup(void (*fn)(void *arg, const char *name), void *arg,
						 struct pp_error *);

/*
 * Does everything that can fail: finds and opens events, threads and counters, and forks the command,
 * which waits.  An event that cannot be had here is counted nowhere, and the stream says so.  Nothing
 * runs or is written yet.  NULL and *error.
 */
struct pp_counting;
PP_API PP_MUST_CHECK struct pp_counting *pp_counting_open(const struct pp_counting_options *,
							  struct pp_error *);
/* Ends the command if it still waits, and closes the counters. */
PP_API void pp_counting_close(struct pp_counting *);         /* NULL is fine */
/* Writes the header and what precedes the first count, and flushes it.  The writer is borrowed until the
 * end.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counting_begin(struct pp_counting *, struct pp_writer *,
					   struct pp_error *);
/* Starts a run: the counters, unless delayed, and the command, if there is one.  0, or -1 and *error: it
 * cannot be run, and nothing was counted, or counting failed, which is `fatal`. */
PP_API PP_MUST_CHECK int pp_counting_start(struct pp_counting *, struct pp_error *);

/* How a run goes on until its end. */
struct pp_counting_run {
	size_t size;                  /* of this struct: what a caller sets first */
	const void *mask;             /* of signals that may end a wait, with SIGCHLD; or NULL */
	uint64_t delay;               /* ns until the events start, if they are delayed; PP_DELAY_FOREVER */
	uint64_t duration;            /* ns from their start until the end; 0: no limit */
	uint64_t intervals;           /* rounds until the end; 0: no limit */
	const struct pp_control *control;       /* or NULL */
	const volatile int *stop;     /* set by a signal handler: it ends; or NULL */
};
/* Counts until one of these (NULL: the first): the command or all counted threads have ended (0); a limit,
 * a command from outside or `stop` says so (1).  Each interval is written as a round.  -1 and *error. */
PP_API PP_MUST_CHECK int pp_counting_run(struct pp_counting *, const struct pp_counting_run *,
					 struct pp_error *);

/* A run. */
struct pp_counting_result {
	size_t size;                  /* of this struct: what a caller sets first */
	uint64_t elapsed;             /* ns from the start of the counters */
	uint64_t user, system;        /* ns of processor time of the command and what it waited for */
	int status;                   /* the command's, as of wait(2) */
	bool has_command;             /* it has ended, so that the last three are known */
};
/* Ends a run: stops the counters, and reads them.  A command that still runs is sent SIGTERM and waited for,
 * though not for long.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counting_stop(struct pp_counting *, struct pp_counting_result *,
					  struct pp_error *);
/* What an event counted in the run that was stopped last, over all places; false: there is none of this name,
 * or it was not counted. */
PP_API bool pp_counting_value(const struct pp_counting *, const char *event, double *value);
/* Writes the last round of the run that was stopped; `last`: there will be no other run.  The caller writes
 * the END.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counting_write(struct pp_counting *, bool last, struct pp_error *);
/* After a run: forks a command for the next, which may be another, a `side` of those that are compared.  Its
 * counts are added to what was counted before.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counting_again(struct pp_counting *, char *const *command, size_t side,
					   struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
