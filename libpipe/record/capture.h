/* capture.h - what the files of this room share: a recording, and what is written before its samples. */
#ifndef PP_CAPTURE_H
#define PP_CAPTURE_H

#include "rings/rings.h"

/* ---- adapt_rate.c ---- */

struct pp_capture;
/* 0, or -1 and *error. */
int pp_adapt_open(struct pp_capture *, struct pp_error *);
void pp_adapt_close(struct pp_capture *);
/* After all rings were read: lowers rates if they are too high, and gives the sink a note of that, in
 * the place of a round.  1; 0: there is no need, and no note; or -1 and *error. */
int pp_adapt(struct pp_capture *, struct pp_error *);

/* ---- overhead.c ---- */

/* When all is open: what comes from now on is counted. */
void pp_cost_begin(struct pp_capture *);
/* As perf does after the last round: writes a record for each counter that lost some.  0 or -1. */
int pp_cost_end(struct pp_capture *, struct pp_error *);

/* ---- surroundings.c ---- */

/* In the header: a note of the governor, where there is one.  0, or -1 and *error. */
int pp_surroundings_begin(struct pp_capture *, const struct pp_capture_sink *, struct pp_error *);
/* When the command starts. */
void pp_surroundings_start(struct pp_capture *);
/* At the end: a note of what others did meanwhile, if a command alone was recorded, and has ended. */
int pp_surroundings_end(struct pp_capture *, struct pp_error *);
void pp_surroundings_close(struct pp_capture *);
/* When the command started. */
struct pp_surroundings {
	int stat;                     /* /proc/stat, or -1 */
	bool known;                   /* it said something */
	uint64_t busy, own, time;     /* ns: what all processors did, and this process; on the clock */
};

/* ---- capture.c ---- */

struct pp_capture {
	struct pp_keeper keeper;
	struct pp_capture_options options;      /* without what it points to: that is here */
	struct pp_sampling sampling;
	struct pp_events events;
	struct pp_target target;
	struct pp_counters counters;
	struct pp_rings rings;
	struct pp_attrs *attrs;       /* as a reader of the stream has them */
	struct pp_stream_out stream;
	bool overwrite;               /* some events write to rings that are read in snapshots only */
	bool early;                   /* tasks are reported from before /proc is read */
	struct pp_lazy *lazy;         /* or NULL */
	uint64_t cpu_begun;           /* ns of processor time, when all was open */
	uint64_t *lost_on;            /* records, of each CPU of the target; NULL before the end */
	struct pp_programs *programs; /* as they are described in the header; or NULL */
	struct pp_cpu_hotplug online;
	bool enabled;                 /* events were started, and not stopped since */
	bool commanded;               /* the last to do so was a command */
	int control;                  /* commands are waited for here, or -1 */
	char *tracing;                /* formats of the tracepoints */
	size_t tracing_size;
	struct pp_surroundings met;
};

/* ---- control_fd.c: commands from outside ---- */

/* What is commanded; all is lent. */
struct pp_commanded {
	void *arg;
	/* Starts or stops the event of this name; NULL: all.  1, 0: there is none, or -1 and *error. */
	int (*turn)(void *arg, const char *event, bool on, struct pp_error *);
	int (*snapshot)(void *arg, struct pp_error *);  /* or NULL */
	const struct pp_events *events;
	const struct pp_say *say;
	int *control;                 /* commands are waited for here, or -1 */
	bool *commanded;              /* the last to start or stop events was a command */
};

struct pp_commands {
	struct pp_commanded what;
	struct pp_control options;
	char line[128];               /* as much of one as there is; longer ones are cut, as by perf */
	size_t n;
	bool stop;                    /* was one of them */
};
/* `options` may be NULL: there will be none.  0, or -1 and *error. */
int pp_commands_open(struct pp_commands *, const struct pp_commanded *,
		     const struct pp_control *options, struct pp_error *);
/* Does what has arrived.  1: to stop, 0, or -1 and *error. */
int pp_commands_obey(struct pp_commands *, struct pp_error *);

/* ---- what comes before the first sample ---- */

int pp_header_attrs(struct pp_capture *, struct pp_synth_out *, struct pp_error *);     /* write_header.c */
/* Most ids that fit in the HEADER_ATTR of an event. */
size_t pp_header_max_ids(const struct pp_events *);
/* Parts of records and payloads of features, for what else makes streams: CPUs, PP_ANY_CPU alone or in
 * ascending order; words of a call; groups, of which there may be none (false). */
void pp_header_cpus(struct pp_build *, const char *name, const uint32_t *cpus, size_t n);
bool pp_header_cmdline(struct pp_build *, char *const *words);
bool pp_header_groups(struct pp_build *, const struct pp_events *);
int pp_header_features(const struct pp_capture *, struct pp_synth_out *, struct pp_error *);
int pp_header_tracing(const struct pp_capture *, struct pp_synth_out *, struct pp_error *);
int pp_header_maps(const struct pp_capture *, struct pp_synth_out *, struct pp_error *);
int pp_header_names(const struct pp_capture *, struct pp_synth_out *, struct pp_error *);
/* Fills the payload of a feature that describes this machine; false: it cannot be known. */
bool pp_machine_feature(struct pp_build *, uint32_t number);                       /* machine_features.c */
int pp_kernel_maps(const struct pp_capture *, struct pp_synth_out *, struct pp_error *); /* synth_kernel.c */

/* ---- synth_bpf.c: BPF programs that are loaded already ---- */

/* All that this user may see; *os is 0, or why there are no more.  NULL and *error. */
struct pp_programs *pp_programs_read(int *os, struct pp_error *);
void pp_programs_free(struct pp_programs *);    /* NULL is fine */
/* Their symbols, as records. */
int pp_programs_put(const struct pp_programs *, struct pp_synth_out *, struct pp_error *);
/* What is known of them and their types, as payloads of features; false: nothing. */
bool pp_programs_info(struct pp_build *, const struct pp_programs *);
bool pp_programs_types(struct pp_build *, const struct pp_programs *);
/* Says what of both there is no room for. */
void pp_programs_say(const struct pp_programs *, const struct pp_say *);

/* ---- synth_cgroups.c ---- */

/* The control groups that there are. */
int pp_cgroups_put(const struct pp_capture *, struct pp_synth_out *, struct pp_error *);
/* The namespaces of a thread, if any can be seen. */
int pp_namespaces_put(struct pp_synth_out *, int32_t pid, int32_t tid, struct pp_error *);

/* ---- synth_tasks.c: tasks that were there before ---- */

/* Where what is read of tasks is put; both are lent until it is closed.  NULL and *error. */
struct pp_synth *pp_synth_open(struct pp_capture *, struct pp_synth_out *, struct pp_error *);
void pp_synth_close(struct pp_synth *);         /* NULL is fine */
/* All tasks of the target.  Reads the rings meanwhile, when they fill up.  0, or -1 and *error. */
int pp_synth_tasks(struct pp_synth *, struct pp_error *);
/* A process without its other threads: a FORK that says who the parent is, then name and maps. */
int pp_synth_process(struct pp_synth *, int32_t pid, struct pp_error *);
/* Whether the process that was read last, and was there, had ended. */
bool pp_synth_ended(const struct pp_synth *);
/* FORK and name of a thread.  One that is gone is left out. */
int pp_synth_thread(struct pp_synth *, int32_t pid, int32_t tid, struct pp_error *);

/* ---- lazy_sideband.c: tasks at their first record ---- */

/* Opens what stands between the rings and a sink, which is copied.  NULL and *error. */
struct pp_lazy *pp_lazy_open(struct pp_capture *, const struct pp_capture_sink *, bool late,
			     struct pp_error *);
struct pp_capture_sink pp_lazy_sink(struct pp_lazy *);
/* Reads the tasks, unless late, and writes those that the kernel mentioned meanwhile. */
int pp_lazy_begin(struct pp_lazy *, struct pp_error *);
void pp_lazy_close(struct pp_lazy *);           /* NULL is fine */

#endif
