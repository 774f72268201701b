/* counter.h - what this room gives: whom to measure, and a counter for each event of each of them. */
#ifndef PP_COUNTER_H
#define PP_COUNTER_H

#include "base/procfs.h"
#include "base/hash.h"
#include "event/event.h"

#include <perfpipe/counter.h>

#include <pthread.h>
#include <sys/resource.h>

/* ---- target.c: which threads, on which CPUs; the command ---- */

#define PP_ANY_CPU UINT32_MAX         /* wherever a thread runs; -1 for the kernel */

struct pp_target_thread {
	int32_t pid, tid;             /* tid -1: whatever runs on the CPU */
	char comm[16];
};

struct pp_target {
	struct pp_target_options options;
	struct pp_target_thread *threads;
	size_t n_threads, threads_room;
	struct pp_idmap known;        /* ids of these and of those that were gone */
	uint32_t *cpus;               /* online, ascending; or PP_ANY_CPU alone */
	bool *selected;               /* of cpus: measure here */
	size_t n_cpus, n_selected;
	bool system_wide;
	int32_t command;              /* pid of the command until it was reaped, or 0 */
	bool ended;                   /* the command was reaped, with this wait status: */
	int status;
	struct rusage usage;          /* and that was spent by it and by what it waited for */
	int go, failed;               /* to it: a byte lets it go; from it: errno if exec fails */
};

/* Finds CPUs and threads, forks the command: it waits for pp_target_start.  NULL: all CPUs. */
int pp_target_open(struct pp_target *, const struct pp_target_options *, struct pp_error *);
/* Nothing but the command is measured: it starts when all is ready, so nothing is missed before. */
bool pp_target_command_alone(const struct pp_target *);
/* Threads are measured wherever they run: the only CPU is PP_ANY_CPU. */
static inline bool pp_target_any_cpu(const struct pp_target *t)
{
	return t->n_cpus && t->cpus[0] == PP_ANY_CPU;
}
/* So many threads that what is done for each of them counts. */
static inline bool pp_target_is_crowd(const struct pp_target *t)
{
	enum { CROWD = 256 };

	return t->n_threads >= CROWD && pp_target_any_cpu(t);
}
/* Lets the command go and waits until it has become what it should be. */
int pp_target_start(struct pp_target *, struct pp_error *);
/* 1 and its wait status once the command has ended; 0: it runs, or there is none. */
int pp_target_ended(struct pp_target *, int *status);
/* Once it has ended: forks another, which waits.  0, or -1 and *error. */
int pp_target_again(struct pp_target *, char *const *command, struct pp_error *);
/* 0, or -1 and errno. */
int pp_target_signal(const struct pp_target *, int signal);
void pp_target_close(struct pp_target *);

/* Asked anew: it was when the target was opened. */
bool pp_cpu_is_online(uint32_t cpu);

/* ---- cpu_hotplug.c: CPUs that go ---- */

struct pp_cpu_hotplug {
	int fd;                       /* of the list of them, which is not opened again */
	const char *measured;         /* what no more is: "recorded", unless the caller has a better word */
	bool *gone;                   /* of the target's: that was said; NULL: nothing is looked at */
};
/* Of a target that is all of some CPUs; nothing is said if that cannot be had. */
void pp_cpu_hotplug_open(struct pp_cpu_hotplug *, const struct pp_target *);
void pp_cpu_hotplug_look(struct pp_cpu_hotplug *, const struct pp_target *, const struct pp_say *);
void pp_cpu_hotplug_close(struct pp_cpu_hotplug *);

/* ---- cgroup.c: control groups ---- */

/* Gives events the groups that the target names: the n-th to the n-th, one alone to all.  An event
 * that has one keeps it.  0, or -1 and *error. */
int pp_cgroups_pair(struct pp_events *, const struct pp_target_options *, struct pp_error *);
/* Where they are mounted.  0, or -1 and *error. */
int pp_cgroup_mount(char folder[PP_PATH], struct pp_error *);
/* Opens the folder of a group, by its path below where they are mounted.  -1 and *error. */
int pp_cgroup_open(const char *name, struct pp_error *);

/* ---- open_on_cpu.c ---- */

struct pp_open_on_cpu;
/* If these threads are many: puts those that ran on one CPU next to each other.  NULL, which is fine for
 * the others: nothing was moved, nor will be. */
struct pp_open_on_cpu *pp_open_on_cpu_begin(struct pp_target *);
/* Moves the caller to where this one ran, until the end. */
void pp_open_on_cpu_go(struct pp_open_on_cpu *, size_t thread);
void pp_open_on_cpu_end(struct pp_open_on_cpu *);

/* ---- open_counters.c: counters ---- */

/* What counters have that are an object of their own. */
struct pp_counters_own {
	struct pp_events events;
	struct pp_target target;
	struct pp_say say;
	pthread_t reader;             /* the thread whose counters have pages */
};

struct pp_counters {
	struct pp_events *events;
	const struct pp_target *target;
	const struct pp_say *say;
	struct pp_counter {           /* of each event, each [cpu * threads + thread] */
		int *fds;             /* -1 where not open */
		uint64_t *ids;
		struct perf_event_mmap_page *page;    /* of the first, which is the caller's */
		int refused;          /* errno of the first place where it could not be had, or 0 */
	} *of;
	size_t each;                  /* CPUs times threads */
	uint64_t missing;             /* features that this kernel was found to lack (missing_features.c) */
	int cgroup;                   /* while an event of one is opened: its folder; otherwise -1 */
	uint32_t offline;             /* the CPU that was last said to be so, and 1 */
	bool user_only;               /* kernel samples were not permitted */
	bool took_clock;              /* cpu-clock stands for cycles */
	bool only_counts;             /* there are no samples: an event has to be what it is called */
	bool lenient;                 /* an event that cannot be had has no counters */
	bool from_opening;            /* they count since they were opened, and need not be started */
	struct pp_open_on_cpu *near;         /* while those of many threads are opened; or NULL */
	struct pp_counters_own *own;  /* what pp_counters_open() made; NULL: a capture has it */
};

/*
 * Opens every counter and learns its id.  All that the struct holds yet is what is asked of it:
 * only_counts, lenient, near.  What this kernel or this user may not have is left out
 * of the attributes, or an event takes another's place and name, and that is said.  All three are
 * lent until pp_counters_empty(), which is also due after a failure.
 */
int pp_counters_fill(struct pp_counters *, struct pp_events *, const struct pp_target *,
		     const struct pp_say *, struct pp_error *);
enum pp_which {
	PP_ALL_EVENTS,
	PP_TELLER,                    /* the one that reports tasks */
	PP_ALL_SAMPLED,               /* all but one that does nothing else */
};
/* Starts or stops them. */
int pp_counters_switch(const struct pp_counters *, bool on, enum pp_which, struct pp_error *);
/* Starts or stops the event of this name: how many there are, or -1 and *error. */
int pp_counters_switch_named(const struct pp_counters *, const char *name, bool on,
			     struct pp_error *);
void pp_counters_empty(struct pp_counters *);

/* ---- counters.c ---- */

/* Opens counters for these events, which it takes in any case, and of which the attributes are what they
 * should be; otherwise as pp_counters_open(), for which `o` has no events.  Where `may_run`, those of many
 * threads may count from the first, as `from_opening` then says: to start them would take as long as to
 * open them. */
struct pp_counters *pp_counters_over(struct pp_events *, const struct pp_counters_options *o,
				     bool may_run, struct pp_error *);
/* Once the command has ended: forks another, which waits.  Counters of the command alone are opened anew
 * for it, at the same places; others go on.  0, or -1 and *error. */
int pp_counters_again(struct pp_counters *, char *const *command, struct pp_error *);

/* ---- read_counters.c ---- */

/* As pp_counters_read_all(), of one place: the count of an event goes to counts[event * stride]. */
int pp_counters_read_place(const struct pp_counters *, size_t place, struct pp_count *counts,
			   size_t stride, struct pp_error *);

/* Records that an event's counter at this place lost, or 0. */
uint64_t pp_counter_lost(const struct pp_counters *, size_t event, size_t place);

/* What read(2) gave of the counter with this id, `n` bytes in the layout of `format`, which are 0 if
 * a pinned counter is in its error state.  False: the counter is not in there. */
bool pp_count_parse(const uint64_t *words, size_t n, uint64_t format, uint64_t id,
		    struct pp_count *);

/* ---- missing_features.c: what older kernels lack ---- */

/* Takes out of an attribute all features that are `missing`. */
void pp_missing_features_drop(struct perf_event_attr *, uint64_t missing);
/* Whether the newest feature may be missing, which most kernels lack; then it is added. */
bool pp_missing_features_first(const struct perf_event_attr *, uint64_t *missing);
/* Adds the next feature that may be missing; false: there is none. */
bool pp_missing_features_next(uint64_t *missing);
/* Says what an attribute asks for and is missing; *said keeps it from being said again. */
void pp_missing_features_say(const struct perf_event_attr *, uint64_t missing, uint64_t *said,
			     const struct pp_say *);

#endif
