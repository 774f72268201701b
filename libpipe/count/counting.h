/* counting.h - what the files of this room share that write a stream of counts. */
#ifndef PP_COUNTING_H
#define PP_COUNTING_H

#include "base/array.h"
#include "base/procfs.h"
#include "record/capture.h"

#include <perfpipe/count_stream.h>

/* ---- default_events.c: which events ---- */

/* Finds what is asked for, with its attributes as they are to be opened.  0, or -1 and *error. */
int pp_counting_events(struct pp_events *, const struct pp_counting_options *, struct pp_error *);
/* The metrics that show the sets of events that were asked for by what they are for: how many. */
enum { PP_COUNTING_METRICS = 16 };
size_t pp_counting_metrics(const struct pp_events *, uint64_t asks, const char **names);

/* ---- cgroup_patterns.c ---- */

/* The control groups of these names, or that match these patterns, to be freed in any case.  0, or -1 and
 * *error. */
int pp_counting_groups(struct pp_names *, const char *const *asked, size_t n, struct pp_error *);

/* ---- cache_topology.c ---- */

/* The payload of the feature that describes caches; false: none is known. */
bool pp_counting_caches(struct pp_build *);
/* A member "clusters", if this machine has such. */
void pp_counting_clusters(struct pp_json *);

/* ---- smi.c ---- */

struct pp_smi {
	bool set;                     /* it was 0, and is put back */
};
/* Lets the kernel stop counters during system management interrupts.  0, or -1 and *error. */
int pp_smi_freeze(struct pp_smi *, struct pp_error *);
void pp_smi_release(struct pp_smi *);

/* ---- counter_threads.c ---- */

struct pp_readers;
/* NULL in *readers: the caller had better read itself.  `often`: intervals are so short that the readers
 * should be able to read by themselves.  0, or -1 and *error. */
int pp_readers_open(struct pp_readers **readers, const struct pp_counters *, bool often, struct pp_error *);
/* As pp_counters_read_all(). */
int pp_readers_read(struct pp_readers *, struct pp_count *counts, struct pp_error *);
/* Lets each read by itself at every multiple of `interval` (ns) from `from`, a time of pp_now_ns(), until all
 * are to be still.  They keep as much as comes in the time that is returned; 0: they cannot do it. */
uint64_t pp_readers_tick(struct pp_readers *, uint64_t from, uint64_t interval);
void pp_readers_be_still(struct pp_readers *);
/* The next interval of those, and the time when the last of them had read it: 1; 0: there is none (yet); or
 * -1 and *error.  One that some have missed is a part of the next. */
int pp_readers_next(struct pp_readers *, struct pp_count *counts, uint64_t *time, struct pp_error *);
void pp_readers_close(struct pp_readers *);     /* NULL is fine */

/* ---- tool_events.c ---- */

struct pp_counting;
/* Takes times that are events, as of `now`, into the slots. */
void pp_counting_take_times(struct pp_counting *, uint64_t now);
/* What comes next in the run counts: what there was before is taken off. */
void pp_counting_begin_times(struct pp_counting *);

/* ---- counting.c ---- */

/* The record of a counter, which is written again with every round. */
struct pp_slot {
	uint32_t at;                  /* in pp_counting.block */
	bool used;                    /* there is such a counter */
	struct pp_count done;         /* in the runs before this one */
	struct pp_count from, now;    /* what the counter had when this run began, and has */
};

struct pp_counting {
	struct pp_counting_options options;     /* without what it points to, but for cmdline and say */
	struct pp_smi smi;
	struct pp_counters *counters;
	char *note;                   /* what was asked for, as JSON */
	size_t note_size;
	struct pp_count *counts;      /* as pp_counters_read_all() fills it */
	struct pp_slot *slots;        /* likewise: [event * places + place] */
	size_t n_slots;
	struct pp_events shown;       /* as the stream has them: what is joined is apart; the rest is lent */
	uint64_t *first_ids;          /* of each event, which any of its records may have; 0: it has none */
	struct pp_readers *readers;   /* or NULL */
	struct pp_cpu_hotplug online;
	uint8_t *block;               /* the records of a round */
	size_t block_size, round_at;  /* where its STAT_ROUND is */
	size_t numbers_at;            /* in each STAT: its val, ena and run */
	struct pp_writer *out;
	bool per_run;                 /* counters begin from 0 with each run */
	bool enabled, commanded, has_times;
	bool cut;                     /* the command of this run was not let to its end */
	int control;                  /* commands are waited for here, or -1 */
	uint64_t begun, before;       /* ns: when this run began; how long those before lasted */
	uint64_t flushed;             /* ns: when intervals were written out last */
	uint64_t often;               /* ns: how much later they are again, at the latest */
	bool ticks;                   /* the readers read intervals by themselves */
	uint64_t rounds, first_round; /* written; of this run */
	size_t side;
	struct pp_counting_result result;
};

/* Starts or stops all counters, and the clock of the run when they start first.  0, or -1 and *error. */
int pp_counting_switch(struct pp_counting *, bool on, struct pp_error *);
/* Reads the counters and writes a round; or writes those that the readers have.  0, or -1 and *error. */
int pp_counting_interval(struct pp_counting *, struct pp_error *);
/* Counting has begun, and the readers may read the intervals by themselves from now on: after how many of
 * these what they have is to be written, again and again; 1: they do not. */
uint64_t pp_counting_tick(struct pp_counting *);
/* They are to do that no more, and what they have is written.  0, or -1 and *error. */
int pp_counting_be_still(struct pp_counting *, struct pp_error *);
/* Whether anything that is counted is still there. */
bool pp_counting_alive(struct pp_counting *);

/* ---- stream_head.c: what comes before the counts ---- */

/* Keeps what was asked for as the text of a note, while the options are there. */
int pp_counting_describe(struct pp_counting *, const struct pp_counting_options *, struct pp_error *);
int pp_counting_preface(struct pp_counting *, struct pp_error *);
/* Says of each event that has no counters why. */
void pp_counting_say_why(const struct pp_counting *);
/* The note of a run, in place of its last round. */
int pp_counting_note_run(struct pp_counting *, struct pp_error *);

#endif
