/* capture.h - what the files of this room share: events, targets, counters, rings. */
#ifndef PP_CAPTURE_H
#define PP_CAPTURE_H

#include <perfpipe/perfpipe.h>

#include <linux/perf_event.h>
#include <stdio.h>

/* Attributes are opened and written in this size: every perf since 5.13 knows all of it, and
 * older kernels take it while the rest is zero. */
enum { PP_ATTR_SIZE = PERF_ATTR_SIZE_VER7 };
_Static_assert(sizeof(struct perf_event_attr) >= PP_ATTR_SIZE, "kernel headers before 5.13");

/* ---- events.c: from the words after -e to attributes ---- */

struct pp_event {
	char *name;                   /* as it was asked for, in full */
	struct perf_event_attr attr;
	char *system, *point;         /* of a tracepoint, or NULL */
	size_t leader;                /* ordinal of its group's leader: its own if it leads */
	bool asked_modes;             /* u, k or h was asked for, and is never changed */
	bool any_precision;           /* as precise as the machine allows */
	bool own_rate;                /* the event itself says how often it is sampled */
	uint32_t *cpus;               /* where its PMU counts; NULL: on all */
	long n_cpus;
	bool everywhere;              /* on every CPU, whatever was selected: reports tasks */
	int *fds;                     /* [cpu * threads + thread]; -1 where not open */
	uint64_t *ids;
};

struct pp_events {
	struct pp_event *items;
	size_t n, room;
};

/* Appends what `text` asks for: "cycles:u,{a,b}:k,sched:*". */
int pp_events_add(struct pp_events *, const char *text, struct pp_error *);
/* Appends the event that counts nothing and reports tasks, maps and symbols. */
int pp_events_add_dummy(struct pp_events *, bool everywhere, struct pp_error *);
/* Whether this architecture's registers are known, which unwinding needs: 0, or -1 and *error. */
int pp_events_can_unwind(struct pp_error *);
/* Sets what all attributes share, and which event reports tasks and maps. */
void pp_events_configure(struct pp_events *, const struct pp_capture_options *,
			 bool enable_on_exec);
/* Gives the event another name: what it really is. */
int pp_event_rename(struct pp_event *, const char *base, struct pp_error *);
void pp_events_free(struct pp_events *);

/* ---- pmu.c ---- */

#define PP_PMUS "/sys/bus/event_source/devices"
/* Sets the event to what the terms between the slashes of "PMU/TERMS/" say, which it cuts up. */
int pp_pmu_event(struct pp_event *, const char *pmu, char *terms, struct pp_error *);

/* ---- target.c: which threads, on which CPUs; the command ---- */

struct pp_thread {
	int32_t pid, tid;             /* tid -1: whatever runs on the CPU */
	char comm[16];
};

struct pp_target {
	struct pp_thread *threads;
	size_t n_threads, threads_room;
	uint32_t *cpus;               /* online, ascending */
	bool *selected;               /* of cpus: record here */
	size_t n_cpus, n_selected;
	bool system_wide;
	int32_t command;              /* pid of the command until it was reaped, or 0 */
	int go, failed;               /* to it: a byte lets it go; from it: errno if exec fails */
};

/* Finds CPUs and threads, forks the command: it waits for pp_target_start. */
int pp_target_open(struct pp_target *, const struct pp_capture_options *, struct pp_error *);
/* Lets the command go and waits until it has become what it should be. */
int pp_target_start(struct pp_target *, const struct pp_capture_options *, struct pp_error *);
void pp_target_close(struct pp_target *);

/* ---- ring.c: the kernel's ring buffers ---- */

struct pp_ring {
	uint32_t cpu;
	struct perf_event_mmap_page *page;
	const uint8_t *data;          /* which nobody may write to but the kernel */
	bool build_ids;               /* the kernel was asked to put them into MMAP2 records */
	uint64_t size;                /* of data: a power of two */
	uint64_t tail;                /* read up to here */
	uint64_t told;                /* the kernel knows that */
};

struct pp_rings {
	struct pp_ring *items;
	size_t n;
	uint64_t bytes;               /* of data, of each ring */
};

/* Maps a ring for `fd`.  `bytes` may shrink where memory for it is refused. */
int pp_ring_map(struct pp_ring *, int fd, uint32_t cpu, uint64_t *bytes, struct pp_error *);
/* Hands what is in the ring to the compressor, if there is one, or lends it to the writer
 * until its flush; counts.  1 if there was something, 0, -1. */
int pp_ring_read(struct pp_ring *, struct pp_writer *, struct pp_compressor *,
		 struct pp_capture_stats *, struct pp_error *);
/* Bytes that wait to be read. */
uint64_t pp_ring_used(const struct pp_ring *);
/* Gives the kernel the room back that was read. */
void pp_ring_release(struct pp_ring *);
void pp_rings_free(struct pp_rings *);

/* ---- capture.c ---- */

struct pp_capture {
	struct pp_capture_options options;
	struct pp_events events;
	struct pp_target target;
	struct pp_rings rings;
	struct pp_attrs *attrs;       /* as a reader of the stream has them */
	struct pollfd *polls;
	size_t n_polls, n_alive;
	uint64_t missing;             /* features that this kernel was found to lack (open.c) */
	bool user_only;               /* kernel samples were not permitted */
	bool took_clock;              /* cpu-clock stands for cycles */
	bool wrote;                   /* the last pass wrote something */
	bool early;                   /* tasks are reported from before /proc is read */
	char *tracing;                /* formats of the tracepoints */
	size_t tracing_size;
	struct pp_capture_stats stats;
};

/* Empties the rings if one is filling up, without ending a round: for whoever is long at something
 * else.  0 or -1. */
int pp_capture_relieve(struct pp_capture *, struct pp_writer *, struct pp_compressor *,
		       struct pp_error *);
void pp_capture_say(const struct pp_capture *, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* After a look at this machine that began with errno 0: what is not there, or not for us to see, is
 * left out; an I/O error is said; -1 and *error where memory or descriptors lack. */
int pp_capture_looked(const struct pp_capture *, const char *at, struct pp_error *);

/* ---- open.c: counters ---- */

/* Opens every counter, maps the rings, joins them. */
int pp_counters_open(struct pp_capture *, struct pp_error *);
/* Most ids that fit in the HEADER_ATTR of an event. */
size_t pp_counters_max_ids(void);
/* Starts or stops all; with `sideband`, only the event that reports tasks. */
int pp_counters_switch(struct pp_capture *, bool on, bool sideband, struct pp_error *);
/* Records that a counter lost, or 0. */
uint64_t pp_counter_lost(const struct pp_event *, size_t i);
void pp_counters_close(struct pp_capture *);

/* ---- what comes before the first sample ---- */

/* Where the records go that are made here. */
struct pp_made {
	struct pp_writer *out;
	const struct pp_attr *attr;   /* whose trailer kernel records end in; NULL while unknown */
	uint8_t buf[PP_RECORD_MAX + 1];
};
/* Ends the record being built and writes it.  0, or -1 with *error; one that does not fit is
 * left out. */
int pp_made_put(struct pp_made *, struct pp_build *, struct pp_error *);

int pp_header_attrs(struct pp_capture *, struct pp_made *, struct pp_error *);     /* header.c */
int pp_header_features(const struct pp_capture *, struct pp_made *, struct pp_compressor *,
		       struct pp_error *);
int pp_header_maps(const struct pp_capture *, struct pp_made *, struct pp_error *);
int pp_header_names(const struct pp_capture *, struct pp_made *, struct pp_error *);
/* Fills the payload of a feature that describes this machine; false: it cannot be known. */
bool pp_machine_feature(struct pp_build *, uint32_t number);                       /* machine.c */
int pp_kernel_maps(const struct pp_capture *, struct pp_made *, struct pp_error *); /* kernel.c */
int pp_synth_tasks(struct pp_capture *, struct pp_made *, struct pp_compressor *,
		   struct pp_error *);                                             /* synth.c */
/* Reads the formats of all tracepoints among the events into one blob. */
int pp_tracing_read(struct pp_capture *, struct pp_error *);                       /* tracing.c */
int pp_tracing_write(const struct pp_capture *, struct pp_made *, struct pp_error *);

/* ---- procfs.c: reading /proc, /sys and tracefs ---- */

/* The text of a small file, NUL-terminated and cut to what fits, without line feeds at the
 * end.  Its length, or -1. */
long pp_file_text(char *buf, size_t size, const char *path, ...)
	__attribute__((format(printf, 3, 4)));
/* Where a symbolic link points; its length, or -1. */
long pp_link_text(char *buf, size_t size, const char *path);
/* All of a file, terminated, to be freed; NULL and errno. */
char *pp_file_all(const char *path, size_t *length);
/* Whether this errno is no matter of the file.  These functions leave such a one in errno, whatever
 * they try after it. */
bool pp_lacking(int os);
/* A number, in any base, or `otherwise`. */
uint64_t pp_file_u64(uint64_t otherwise, const char *path, ...)
	__attribute__((format(printf, 2, 3)));
/* Names in a folder that `want` likes, sorted, to be freed with pp_names_free; 0 or -1. */
struct pp_names { char **items; size_t n, room; };
int pp_names_read(struct pp_names *, const char *path, bool (*want)(const char *name));
void pp_names_free(struct pp_names *);
bool pp_is_number(const char *);
/* Numbers as in "0-3,8" to an array, to be freed; the count, or -1. */
long pp_list_parse(const char *text, uint32_t **numbers);
/* Process, parent and name of a thread.  False: it is gone. */
struct pp_task_stat { int32_t ppid; char comm[16]; };
bool pp_task_stat(int32_t pid, int32_t tid, struct pp_task_stat *);
/* The process that a thread belongs to, or -1. */
int32_t pp_task_process(int32_t tid);
/* The folder of tracefs, or NULL: not mounted, or not to be read (errno). */
const char *pp_tracefs(void);

#endif
