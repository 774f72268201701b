/* rings.h - what the files of this room share: rings, who reads them, and where records go. */
#ifndef PP_RINGS_H
#define PP_RINGS_H

#include "base/hash.h"
#include "counter/counter.h"
#include "rings/map_ids.h"

#include <perfpipe/perfpipe.h>

#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- auxtrace.c: what hardware traces by itself ---- */

struct pp_aux_kind;
struct pp_aux {
	const struct pp_aux_kind *kind;   /* NULL: nothing is traced */
	char pmu[64];
	uint32_t type;                /* of its PMU; the event is the first */
	struct pp_aux_options options;
	bool samples;                 /* they are read in samples only */
	bool per_thread, system_wide;
	unsigned switches;            /* how the stream reports them, as INTEL_PT_HAVE_SCHED_SWITCH */
};

/* One of a ring, for the counter that is `fd`. */
struct pp_aux_area {
	uint8_t *data;                /* NULL: the ring has none */
	uint64_t size, tail;
	int fd;
	bool full;                    /* as far as snapshots know */
};

struct pp_ring;
struct pp_rings;
struct pp_synth_out;
/* Finds the event that traces, if there is one, and makes it the first.  0, or -1 and *error. */
int pp_aux_find(struct pp_aux *, struct pp_events *, struct pp_error *);
/* Once it is known what is sampled: what decoders need besides. */
int pp_aux_sample(struct pp_aux *, struct pp_events *, struct pp_error *);
/* Maps the area of a ring whose first counter is `fd`. */
int pp_aux_map(struct pp_aux *, struct pp_ring *, int fd, struct pp_error *);
void pp_aux_unmap(struct pp_aux_area *);
/* Writes AUXTRACE_INFO, by the first ring's page, where something is traced. */
int pp_aux_info(const struct pp_aux *, const struct perf_event_mmap_page *, struct pp_synth_out *,
		struct pp_error *);
/* Writes what is new in a ring's area, in whole words; `all`: the rest of the last one, too. */
int pp_aux_read(struct pp_rings *, struct pp_ring *, bool all, struct pp_error *);
/* Writes what is in each area; `running`: its counter goes on afterwards. */
int pp_aux_snapshot(struct pp_rings *, bool running, struct pp_error *);

/* ---- ring.c: the kernel's ring buffers ---- */

struct pp_copy;
struct pp_move;
struct pp_ring {
	uint32_t cpu;                 /* or PP_ANY_CPU: that of a thread */
	size_t first;                 /* place of the first of its counters, in each event */
	int32_t tid;                  /* whose it is; -1: of all that run on the CPU */
	struct pp_aux_area area;
	struct perf_event_mmap_page *page;
	const uint8_t *bytes;         /* of the ring, which only the kernel may write to */
	const uint8_t *data;          /* what is read: these, those of a copy, or what was set aside */
	uint64_t size;                /* of the ring, a power of two */
	uint64_t span;                /* of the data: the same, or another power of two */
	uint64_t set_aside;           /* up to here it was, see set_aside.c; 0: nothing is */
	uint64_t tail;                /* read up to here */
	uint64_t until;               /* where the pass ends that reads it */
	uint64_t told;                /* the kernel knows that */
	uint8_t *joined;              /* a record that lay at both ends of data */
	size_t joined_room;
	size_t poll;                  /* in the list of pp_rings */
	int holder, spare;            /* see enlarge_rings.c; -1: none */
	bool refused;                 /* there was no memory for a larger one */
	bool gave, lost;              /* in the last pass: records, a record of lost ones */
	bool pressed;                 /* it fills so fast that it may be full before it is read */
	bool settles;                 /* what it says next was lost, was before rates were lowered */
	bool excused;                 /* what it lost next says nothing of its size */
	struct pp_move *move;         /* its counters are being sent to a larger one; or NULL */
	int leaving;                  /* passes until it is given up; 0: it is in use */
	int fd;                       /* a counter that writes to it */
	bool backward;                /* see overwrite_rings.c: `tail` is where the last snapshot began */
	struct pp_copy *copy;         /* see ring_threads.c; NULL: it is read in place */
	uint32_t reader;              /* which thread copies it */
	uint32_t place;               /* where who reads it goes, or PP_NOWHERE */
};

/* ---- record_limits.c: how much is passed on ---- */

struct pp_limit {
	bool wanted, full;
	uint64_t samples, bytes;      /* how many may still come; how large the stream may become */
	uint64_t given;               /* bytes */
	const struct pp_writer *out;  /* which knows how large it is; or NULL: as much as was given */
};
void pp_limit_open(struct pp_limit *, const struct pp_capture_options *, const struct pp_writer *);
/* ---- adapt_rate.c: how often events are sampled ---- */

struct pp_adapt {
	bool wanted;
	bool said_end;
	uint64_t time;                /* of the last record of lost ones, or 0 */
	bool *fixed;                  /* of each event: its rate cannot be changed */
};

/* ---- cpu_affinity.c: where threads run ---- */

#define PP_NOWHERE UINT32_MAX
struct pp_cpu_sets {
	enum pp_capture_place kind;
	struct pp_cpu_set { size_t size; cpu_set_t *set; } *items;     /* NULL: no place is any */
	size_t n, n_cpus;
	uint32_t *of;                 /* each CPU of the target */
	uint32_t here;                /* where this thread went last */
};
/* Finds the places of a target's CPUs; of none if its counters are on any.  0, or -1 and *error. */
int pp_places_open(struct pp_cpu_sets *, enum pp_capture_place, const struct pp_target *,
		   struct pp_error *);
/* The same of those that "CPUS/WHERE:..." says: CPUs of the target, and those where they are read. */
int pp_places_give(struct pp_cpu_sets *, const char *masks, const struct pp_target *,
		   struct pp_error *);
void pp_places_close(struct pp_cpu_sets *);
/* That of the i-th CPU of the target, or PP_NOWHERE. */
uint32_t pp_places_of(const struct pp_cpu_sets *, size_t i);
/* Makes this thread run there, for good, or if it is not there already. */
void pp_places_stay(const struct pp_cpu_sets *, uint32_t place);
void pp_places_go(struct pp_cpu_sets *, uint32_t place);

struct pp_ring_threads;

/* ---- poll_interval.c: looking before the kernel says so ---- */

/* Of one who reads rings. */
struct pp_poll_interval {
	uint64_t filled, size;        /* of the ring that was fullest in this look */
	uint64_t looked, until;       /* when that was last; when nothing is looked at unasked any more */
	uint64_t wait;                /* ns until the next look; 0: the kernel will tell */
};
/* In this look so much was found in a ring; and this was all. */
void pp_pace_look(struct pp_poll_interval *, struct pp_ring *, uint64_t filled);
void pp_pace_looked(struct pp_poll_interval *);

struct pp_rings {
	struct pp_ring *items;        /* one that takes another's place comes after it */
	size_t n;
	size_t moves;                 /* rings whose counters are being sent to larger ones */
	uint64_t bytes;               /* of data, of each ring, at first */
	uint64_t beside;              /* the same of those that are read beside others that are
				       * overwritten; 0: there are no others */
	uint64_t most;                /* that a ring may grow to */
	const struct pp_counters *counters;
	size_t together;              /* counters of each event that share a ring */
	int *holders;                 /* one for each ring, two if it may grow; -1: none */
	size_t n_holders;
	bool stalled;                 /* the sink took long, so that losses say nothing of the rings */
	bool said_limit;
	struct pp_adapt adapt;
	struct pp_aux aux;
	bool build_ids;               /* the kernel was asked to put them into MMAP2 records */
	bool learns;                  /* or they are put there as these are read */
	struct pp_map_ids ids;
	bool last;                    /* nothing comes after what is there now */
	bool gave;                    /* something was read since this was last cleared */
	struct pollfd *polls;         /* and one more, for another descriptor to be waited for */
	size_t n_polls, n_alive;
	struct pp_limit limit;
	struct pp_capture_sink sink;
	struct pp_attrs *attrs;       /* lent: for sinks that want each record by itself */
	struct pp_capture_stats stats;
	uint32_t own_pid;             /* of this process */
	uint32_t pid_at;              /* where samples have theirs; 0: not all at the same place */
	uint8_t *turned;              /* room for a ring that is written backward; NULL: none is */
	struct pp_ring_threads *drains;   /* threads that copy rings; or NULL */
	struct pp_cpu_sets affinity;    /* where who reads goes */
	bool behind;                  /* the last pass did not read all that there was */
	bool sink_asks;               /* the keeper, too: it does not flush while an answer is waited for */
	struct pp_poll_interval pace;          /* where no threads read */
};

/* Maps a ring of `bytes` for each CPU, or smaller ones where memory for them is refused, and joins
 * all counters of a CPU to its ring.  0, or -1 and *error. */
int pp_rings_open(struct pp_rings *, const struct pp_counters *, struct pp_error *);
/* Gives the sink what is in all rings; what was lent last is not given back yet.  0 or -1. */
int pp_rings_read(struct pp_rings *, struct pp_error *);
/* Lets the sink flush, and gives the kernel the room back that was read.  0 or -1. */
int pp_rings_release(struct pp_rings *, struct pp_error *);
/* Empties the rings if one is filling up, without ending a round: to be called during something
 * that takes long.  0 or -1. */
int pp_rings_relieve(struct pp_rings *, struct pp_error *);
void pp_rings_close(struct pp_rings *);
/* Up to where a ring can be read. */
uint64_t pp_ring_head(const struct pp_ring *);
/* Maps a ring through a counter.  0, or -1 and errno. */
int pp_ring_map(struct pp_ring *, int fd, uint64_t bytes);
void pp_ring_unmap(struct pp_ring *);
/* The bytes from `at` on, which may be at both ends. */
void pp_ring_copy(const struct pp_ring *, uint64_t at, uint8_t *to, uint64_t size);
/* Gives the sink what is between the ring's tail and `head`.  0 or -1. */
int pp_ring_read_until(struct pp_rings *, struct pp_ring *, uint64_t head, struct pp_error *);
/* Gives a sink records of the kernel, as it takes them.  0 or -1. */
int pp_sink_give(const struct pp_capture_sink *, struct pp_attrs *, const void *records,
		 uint64_t size, bool stays, struct pp_error *);
/* The same, to the sink of the rings, without samples that there is no room for. */
int pp_limit_give(struct pp_rings *, const uint8_t *records, uint64_t size, bool stays,
		  struct pp_error *);

/* ---- ring_threads.c: threads that read ---- */

/* Makes what threads take, where they were asked for: from then on rings are read by copies.  0, or -1
 * and *error. */
int pp_ring_threads_open(struct pp_rings *, const struct pp_capture_options *, struct pp_error *);
void pp_ring_threads_close(struct pp_rings *);
/* 0, or -1 and *error. */
int pp_ring_threads_start(struct pp_rings *, struct pp_error *);
void pp_ring_threads_stop(struct pp_rings *);
bool pp_ring_threads_run(const struct pp_rings *);
/* Copies what is in the rings now; false: there was no room for all of it. */
bool pp_ring_threads_copy(struct pp_rings *);
/* No thread reads in between. */
void pp_ring_threads_lock(struct pp_rings *);
void pp_ring_threads_unlock(struct pp_rings *);
/* While they are locked: there are other rings, or other descriptors of them. */
void pp_ring_threads_changed(struct pp_rings *);
/* A descriptor to wait for, which can be read when copies fill or somebody recorded has ended; and
 * that this was seen. */
int pp_ring_threads_news(const struct pp_rings *);
void pp_ring_threads_heard(const struct pp_rings *);
/* A copy of a ring that is mapped, which is to be read instead; -1: there is no memory. */
int pp_copy_open(struct pp_ring *);
void pp_copy_close(struct pp_ring *);
uint64_t pp_copy_head(const struct pp_copy *);
/* Gives its room back, up to there. */
void pp_copy_release(struct pp_copy *, uint64_t tail);

/* ---- set_aside.c: room while an answer is waited for ---- */

/* Whether a ring fills; not where threads read. */
bool pp_rings_want_room(const struct pp_rings *);
/* When nothing is lent: copies what is in such rings to memory, where it is read instead. */
void pp_rings_set_aside(struct pp_rings *);
/* All that was set aside was read: the ring is read in its place. */
void pp_ring_put_back(struct pp_ring *);

/* ---- overwrite_rings.c: rings that are written round and round ---- */

/* Lets `all` events, except where their terms say otherwise, write backward; false: none does. */
bool pp_overwrite_choose(struct pp_events *, bool all);
/* When the rings are mapped.  0, or -1 and *error. */
int pp_overwrite_open(struct pp_rings *, struct pp_error *);
/* Gives the sink what all such rings hold, and of the others what tells of tasks, as whole rounds.
 * 0 or -1. */
int pp_overwrite_snapshot(struct pp_rings *, struct pp_error *);

/* ---- enlarge_rings.c: larger rings where records are lost ---- */

/* Opens a counter that counts nothing, for a ring of `bytes` or more that those with such an attribute
 * write to; -1. */
int pp_ring_owner_open(const struct perf_event_attr *like, uint32_t cpu, uint64_t bytes);
/* Whether rings are mapped through such. */
bool pp_rings_have_holders(const struct pp_rings *);
/* Raises the limit on locked memory to what rings may need, where the caller asked to raise limits. */
void pp_rings_permit(const struct pp_rings *);
/* Whether the ring of the counters from this one on may have to be replaced by a larger one. */
bool pp_rings_can_grow(const struct pp_rings *, size_t first);
/* Between a pass and its release: whether records were lost and no larger ring is to be expected. */
bool pp_rings_overrun(struct pp_rings *);
/* After a pass and its release: replaces rings that lost records, or soon will.  What cannot be had is said
 * where records were lost. */
void pp_rings_grow(struct pp_rings *);
/* Before a pass: takes note of rings whose counters have all been sent to larger ones by now. */
void pp_rings_note_moves(struct pp_rings *);
/* Waits for what is still being sent. */
void pp_rings_end_moves(struct pp_rings *);
/* How long to wait for the kernel, instead of these nanoseconds: less where rings fill fast, and while
 * counters are on their way from ring to ring, since either may fill and only one can be waited for. */
#define PP_FOREVER ((uint64_t)INT64_MAX)
struct timespec pp_rings_wait(const struct pp_rings *, const struct pp_poll_interval *, uint64_t ns);

/* ---- stream_sink.c ---- */

/* A writer, and a compressor or NULL, as a sink. */
struct pp_stream_out { struct pp_writer *out; struct pp_compressor *z; };
struct pp_capture_sink pp_stream_sink(struct pp_stream_out *);

/* Where the records go that are made here. */
struct pp_synth_out {
	const struct pp_capture_sink *sink;
	const struct pp_attr *attr;   /* whose trailer kernel records end in; NULL while unknown */
	uint8_t buf[PP_RECORD_MAX + 1];
};
/* Ends the record being built and gives it away.  0, or -1 with *error; one that does not fit is
 * left out. */
int pp_synth_out_put(struct pp_synth_out *, struct pp_build *, struct pp_error *);

#endif
