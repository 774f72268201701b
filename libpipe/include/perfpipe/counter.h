/*
 * counter.h - counters of events: whom to measure, and how often each event happened.
 *
 * Counters are opened for events by "places": a thread, a CPU, or a thread on a CPU.  They stand
 * still until they are enabled, and go on counting from there when they are enabled again.  Of a
 * thread that measures itself they are read without a system call where the kernel offers that
 * (rdpmc on x86, for events of the CPU).  What a piece of one's own code costs:
 *
 *	#include <perfpipe/counter.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	static volatile char work[10000][4096];
 *
 *	int main(void)
 *	{
 *		static const char *const events[] = { "task-clock", "page-faults" };
 *		struct pp_counters_options how = { sizeof(how), events, 2 };
 *		struct pp_error error;
 *		struct pp_counters *c = pp_counters_open(&how, &error);
 *		struct pp_count counts[2];
 *
 *		if (!c || pp_counters_enable(c, PP_EVERY, &error))
 *			return 4;
 *		for (size_t i = 0; i < 10000; i++)
 *			work[i][0]++;
 *		if (pp_counters_disable(c, PP_EVERY, &error) ||
 *		    pp_counters_read_all(c, counts, 2, &error))
 *			return 4;
 *		for (size_t i = 0; i < 2; i++)
 *			printf("%s %" PRIu64 "\n", pp_counters_event(c, i), counts[i].value);
 *		pp_counters_close(c);
 *		return 0;
 *	}
 */
#ifndef PERFPIPE_COUNTER_H
#define PERFPIPE_COUNTER_H

#include <perfpipe/api.h>
#include <perfpipe/error.h>
#include <perfpipe/say.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All empty: all processors.  The caller keeps what is pointed to; lists are read when the target
 * is opened, and `command` and its words must outlive it. */
struct pp_target_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const uint32_t *pids, *tids;  /* these processes with all their threads, and these threads */
	size_t n_pids, n_tids;
	const uint32_t *users;        /* and all processes of these, by their effective user ids */
	size_t n_users;
	const char *const *cgroups;   /* control groups, by their paths below the mount: the n-th is that
				       * of the n-th event, a single one that of all, "" that of none */
	size_t n_cgroups;
	const uint32_t *cpus;         /* only on these */
	size_t n_cpus;                /* 0: on all that are online */
	char *const *command;         /* to run, ended by NULL; or NULL */
	bool all_cpus;                /* whatever runs there, besides the command */
	bool stdout_taken;            /* the command's standard output goes to standard error */
	bool raise_limit;             /* on open files and locked memory, as far as is needed and
				       * permitted */
	bool self;                    /* the thread that opens it, and nothing else */
	bool per_thread;              /* one counter follows a thread from CPU to CPU, rather than one
				       * on each CPU; not with `cpus` */
	bool few_names;               /* the names of threads are left out where a process has more than
				       * a thousand */
	bool all_tasks;               /* all threads there are, the command among them */
};

enum pp_counters_ask {
	PP_COUNTERS_INHERIT = 1 << 0, /* tasks that the counted ones start are counted with them */
	PP_COUNTERS_LENIENT = 1 << 1, /* an event that cannot be counted here is left without
				       * counters: its counts are PP_COUNT_NONE */
	PP_COUNTERS_DELAYED = 1 << 2, /* those of a command start when they are enabled, not with it */
	PP_COUNTERS_READ    = 1 << 3, /* always by read(2), also where it can be done without: no page
				       * of the calling thread's counters is mapped */
};

/* What to count.  What the target's command points to must outlive the counters; all else is needed
 * only while they are opened. */
struct pp_counters_options {
	size_t size;                  /* of this struct: what a caller sets first */
	const char *const *events;    /* each as after -e: "cycles:u,{a,b}:k,sched:*" */
	size_t n_events;
	const struct pp_target_options *target;  /* NULL: the calling thread */
	uint64_t asks;                /* PP_COUNTERS_* */
	struct pp_say say;            /* called with what was changed to make it work */
};

/*
 * Opens the counters, which stand still, and forks the command, which waits.  Threads have one
 * counter for each event wherever they run, unless CPUs are given.  NULL and *error: an event is
 * unknown (PP_E_USE) or cannot be counted, a task is gone, or the system refused.
 *
 * It is read and controlled by one thread.  With the calling thread as the target it is that thread
 * that reads fast; others may read it, if not at the same time, by system calls.  A child process
 * must not use it.
 */
struct pp_counters;
PP_API PP_MUST_CHECK struct pp_counters *pp_counters_open(const struct pp_counters_options *,
							  struct pp_error *);
/* Ends the command if it still waits, and closes the counters. */
PP_API void pp_counters_close(struct pp_counters *);         /* NULL is fine */

/* ---- what is counted, and where */

/* How many events there are: groups and patterns stand for several. */
PP_API size_t pp_counters_events(const struct pp_counters *);
/* The name of the i-th event, which lives as long as the counters; NULL past the last. */
PP_API const char *pp_counters_event(const struct pp_counters *, size_t event);
/* The unit in which people read an event, and what its counts are multiplied by for it, as its PMU
 * says in sysfs; NULL and 1: events. */
PP_API const char *pp_counters_unit(const struct pp_counters *, size_t event, double *scale);
/* The first event of the group that this one is in: itself if it is in none.  The members of a group
 * follow it, one after another, and are counted at the same times. */
PP_API size_t pp_counters_leader(const struct pp_counters *, size_t event);
/* Whether the event has the term percore, which asks the caller to add up the counts of a core's CPUs. */
PP_API bool pp_counters_percore(const struct pp_counters *, size_t event);

/* Where a counter counts. */
struct pp_counter_place {
	int32_t cpu;                  /* -1: wherever the thread runs */
	int32_t pid, tid;             /* -1: whatever runs on the CPU */
	const char *comm;             /* of the thread when it was found; lives as long as the counters */
};
/* How many places there are: CPUs times threads.  Not every event has a counter at each. */
PP_API size_t pp_counters_places(const struct pp_counters *);
/* False: there is no such place. */
PP_API bool pp_counters_place(const struct pp_counters *, size_t place, struct pp_counter_place *);

/* ---- reading */

enum pp_count_state {
	PP_COUNT_NONE,                /* there is no counter: its thread had ended, its PMU is on
				       * other CPUs, or the event cannot be counted here */
	PP_COUNT_NEVER,               /* it has not been on the PMU: not enabled yet, no turn so far */
	PP_COUNT_VALUE,               /* it has counted, while it ran */
	PP_COUNT_ERROR,               /* it is pinned and there was no room on the PMU: it stands still
				       * until it is enabled again (after it was disabled) */
};

/* What a counter says.  All is 0 where there is nothing to say. */
struct pp_count {
	uint64_t value;               /* as it was counted: nothing is added for times without a turn */
	uint64_t enabled, running;    /* ns; running is less where counters took turns on the PMU */
	uint64_t lost;                /* samples that found no room (Linux 6.0), or 0 */
	enum pp_count_state state;
};

/* The value for all of the time that it was enabled, as perf stat estimates it; 0: it never ran. */
static inline uint64_t pp_count_scaled(const struct pp_count *count)
{
	if (!count->running || count->running == count->enabled)
		return count->running ? count->value : 0;
	return (uint64_t)((double)count->value * (double)count->enabled / (double)count->running);
}

/*
 * Reads one counter: without a system call for a thread that measures itself, where the kernel
 * offers that; otherwise by one read(2), which of a member of a group reads the group.  0, or -1 and
 * *error: PP_E_USE if there is no such event or place.
 */
PP_API PP_MUST_CHECK int pp_counters_read(const struct pp_counters *, size_t event, size_t place,
					  struct pp_count *, struct pp_error *);
/* Reads a group by one system call, its times being one: counts[0] is that of its leader `event`, and
 * the other members follow.  Hardware counters are read at one moment; software events go on while
 * the kernel reads them, so that two alike may differ by hits of that moment, unless they are stopped
 * or the caller runs on their CPU.  `room` is how many there is room for.  How many there are, or -1
 * and *error. */
PP_API PP_MUST_CHECK int pp_counters_read_group(const struct pp_counters *, size_t event,
						size_t place, struct pp_count *counts, size_t room,
						struct pp_error *);
/* Reads all: event by event, of each all places, so that the count of an event at a place is
 * counts[event * places + place].  Groups are read as by pp_counters_read_group().  `room` must be
 * enough for all.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counters_read_all(const struct pp_counters *, struct pp_count *counts,
					      size_t room, struct pp_error *);
/* Adds up an event over all places.  The state is PP_COUNT_ERROR if it is anywhere, or else
 * PP_COUNT_VALUE if it is anywhere.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counters_sum(const struct pp_counters *, size_t event,
					 struct pp_count *, struct pp_error *);
/* Whether the event is, at this moment, read without a system call by the thread that asks. */
PP_API bool pp_counters_fast(const struct pp_counters *, size_t event);

/* ---- control: of one event, at all its places, or of all (PP_EVERY) */

#define PP_EVERY SIZE_MAX

/* Starts or stops them.  The members of a group follow its leader, and can be switched apart from it
 * while it runs.  0, or -1 and *error, as of all of these. */
PP_API PP_MUST_CHECK int pp_counters_enable(struct pp_counters *, size_t event, struct pp_error *);
PP_API PP_MUST_CHECK int pp_counters_disable(struct pp_counters *, size_t event, struct pp_error *);
/* Sets values to 0, of a leader those of its group; the times go on. */
PP_API PP_MUST_CHECK int pp_counters_reset(struct pp_counters *, size_t event, struct pp_error *);
/* Enables an event that is sampled for `samples` more of them, after which it stands still.  Not for
 * counters that are inherited. */
PP_API PP_MUST_CHECK int pp_counters_refresh(struct pp_counters *, size_t event, uint32_t samples,
					     struct pp_error *);
/* Sets the period of an event that is sampled, or its frequency if it has one. */
PP_API PP_MUST_CHECK int pp_counters_period(struct pp_counters *, size_t event, uint64_t period,
					    struct pp_error *);
/* Stops the kernel writing to the ring of the event, or lets it go on. */
PP_API PP_MUST_CHECK int pp_counters_pause(struct pp_counters *, size_t event, bool paused,
					   struct pp_error *);
/* Only what passes the filter is counted: of tracepoints an expression over their fields, of PMUs
 * that trace ranges of addresses.  These replace what was in force; a tracepoint keeps its first filter
 * until it is closed, and a second one fails (EEXIST). */
PP_API PP_MUST_CHECK int pp_counters_filter(struct pp_counters *, size_t event, const char *filter,
					    struct pp_error *);
/* Runs a BPF program, of which `program` is a descriptor, whenever the event happens. */
PP_API PP_MUST_CHECK int pp_counters_bpf(struct pp_counters *, size_t event, int program,
					 struct pp_error *);
/* The ids of the BPF programs that run with a tracepoint, its first counter asked; `room` is how many
 * `ids` has room for.  How many there are, which may be more, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_counters_query_bpf(const struct pp_counters *, size_t event,
					       uint32_t *ids, size_t room, struct pp_error *);
/* Makes a breakpoint watch what another, written as after -e, would: "mem:0x1234/8:w"; enables it,
 * and counts on. */
PP_API PP_MUST_CHECK int pp_counters_modify(struct pp_counters *, size_t event,
					    const char *breakpoint, struct pp_error *);
/* Sends the samples of one counter to the ring of another, of which `fd` is the descriptor, on the
 * same CPU, or of the same thread; -1: nowhere. */
PP_API PP_MUST_CHECK int pp_counters_output(struct pp_counters *, size_t event, size_t place,
					    int fd, struct pp_error *);
/* The descriptor of one counter, for poll(2), mmap(2) or what else is not here.  It belongs to the
 * counters.  -1: there is none.  One of the calling thread that is not sampled gets a ring only after
 * PP_COUNTERS_READ. */
PP_API int pp_counters_fd(const struct pp_counters *, size_t event, size_t place);
/* The id by which its records are known; 0: there is none. */
PP_API uint64_t pp_counters_id(const struct pp_counters *, size_t event, size_t place);
/* Starts or stops, by one system call, every group of counters that the calling thread has opened,
 * whatever object has it.  0, or -1 and *error. */
PP_API PP_MUST_CHECK int pp_thread_counters(bool on, struct pp_error *);

/* ---- the command */

/* Starts it, if there is one.  0, or -1 and *error: it cannot be run. */
PP_API PP_MUST_CHECK int pp_counters_start(struct pp_counters *, struct pp_error *);
/* 1 and its wait status once the command has ended; 0: it runs, or there is none. */
PP_API PP_MUST_CHECK int pp_counters_command(struct pp_counters *, int *status);
/* Sends the command a signal, if it still runs. */
PP_API void pp_counters_signal(struct pp_counters *, int signal);

#ifdef __cplusplus
}
#endif

#endif
