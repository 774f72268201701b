/* count.h - the counts of a stream as they are kept, for the files of this room. */
#ifndef PP_COUNT_H
#define PP_COUNT_H

#include <perfpipe/count.h>

#include "base/budget.h"
#include "base/array.h"
#include "base/hash.h"

#include <perfpipe/seal.h>
#include <perfpipe/walk.h>

/* What a hostile stream may make us keep, beside the budget. */
enum {
	PP_COUNT_CPUS = 1 << 20,              /* numbers of CPUs below this */
	PP_COUNT_THREADS = 1 << 20,
	PP_COUNT_RUNS = 1 << 20,
	PP_COUNT_SIDES = 2,                   /* of a comparison */
	PP_COUNT_NOTE = 16 << 20,             /* bytes of the value of a note */
};

/* Steps to the next value of a record; false: there is none. */
static inline bool pp_count_value(struct pp_cursor *c)
{
	int token;

	while ((token = pp_walk_next(c)) > 0)
		if (token == PP_VALUE)
			return true;
	return false;
}

struct pp_count_value { uint64_t val, ena, run; };

/* One event on one CPU and in one thread. */
struct pp_count_slot {
	uint64_t id;
	int32_t cpu;
	uint32_t thread;
	uint32_t event;
	struct pp_count_value now, shown, run, round;
	uint64_t samples;                     /* that made it */
};

/* Numbers of CPUs, ascending. */
struct pp_count_cpus { int32_t *items; size_t n, room; bool any; };

struct pp_count_known {                       /* of an event: the rest of pp_count_event */
	struct pp_count_event event;
	char *texts[7];                       /* owned: unit, cgroup, pmu, alias, metric, why, name */
	char *own_name;                       /* owned: with its PMU, or of all kinds of cores */
	struct pp_count_cpus cpus;            /* where its PMU is; n 0: everywhere */
	bool has_leader;
	bool periodless;                      /* samples of it do not say how many they stand for */
};

struct pp_count_thread { int32_t pid; char comm[17]; };

/* How one CPU is joined; -1: not known. */
struct pp_count_joined {
	int32_t socket, die, cluster, core, node;
	int32_t cache[9];                     /* first CPU that shares the cache of level i + 1 */
};

struct pp_count_topology {
	struct pp_count_joined *cpus;
	size_t n, room;
	bool said;                            /* by the stream */
};

/* Where the counts of an event go in a table: what was planned for one way of adding up. */
struct pp_count_entry { uint32_t event, place, slot; int32_t cpu; };
#define PP_COUNT_NO_SLOT UINT32_MAX
struct pp_count_plan {
	bool made;
	struct pp_counts_options as;          /* for which it was made */
	enum pp_count_by by;
	bool tasks, cgroups;
	size_t clocks, clocks_end;            /* events between which clocks are */
	uint32_t *merged_into;                /* of each event: another, or itself */
	size_t merged_room;
	struct pp_count_entry *entries;       /* by event, then by CPU, then by thread */
	size_t n, room;
	struct pp_count_place *places;
	size_t n_places, places_room;
	struct pp_count_row *rows;
	size_t rows_room;
};

struct pp_counts {
	struct pp_attrs *attrs;
	size_t attrs_with_ids;                /* so many of the first */
	struct pp_budget *budget, own_budget;
	struct pp_counts_about about;
	struct pp_count_known *events;
	size_t n_events, events_room;
	struct pp_count_slot *slots;
	size_t n_slots, slots_room, guess;
	struct pp_index by_place;             /* slots by id, CPU and thread: 1 + index */
	struct pp_count_samples *samples;     /* NULL: counts are read, not made of samples */
	struct pp_count_cpus cpus;            /* CPU_MAP */
	struct pp_count_thread *threads;      /* as far as they are described */
	size_t n_threads, threads_room;
	uint64_t threads_said;                /* how many there are; 0: not known */
	bool threads_go_on;                   /* in another THREAD_MAP: the last was full */
	struct pp_count_topology topology;
	struct pp_count_run *runs;
	size_t runs_room;
	struct pp_buffer note_key, note_value, about_note, events_note;
	char *title;
	char *metrics;                        /* as pp_counts_about has them; NULL */
	char *sides[PP_COUNT_SIDES];           /* commands that are compared; NULL: none */
	bool titled;                          /* by a note, which knows best */
	bool note_continues;
	uint64_t shown_time, run_time, round_time;    /* of the rounds at which those begin */
	struct pp_count_plan plan;
};

/* ---- count_index.c: where each count is kept ---- */

static inline bool pp_count_slot_is(const struct pp_count_slot *slot, uint64_t id, int32_t cpu,
				    uint32_t thread)
{
	return slot->id == id && slot->cpu == cpu && slot->thread == thread;
}
/* The count of that id, CPU and thread, until another is added; NULL: there is none. */
struct pp_count_slot *pp_count_slot_find(const struct pp_counts *, uint64_t id, int32_t cpu, uint32_t thread);
/* Adds it; NULL and *error. */
struct pp_count_slot *pp_count_slot_add(struct pp_counts *, uint64_t id, int32_t cpu, uint32_t thread,
					uint32_t event, struct pp_error *);

/* ---- counts_from_samples.c: counts that samples make ---- */

void pp_count_samples_free(struct pp_counts *);
/* Takes any record, where counts are made of samples. */
int pp_counts_sample(struct pp_counts *, const struct pp_record *, struct pp_error *);
/* Gives threads the names that they have by now. */
void pp_count_samples_name(struct pp_counts *);
/* Whether a row that was added up is counted and shown; `all`: it is of all places. */
void pp_count_samples_finish(const struct pp_counts *, struct pp_count_row *, bool all);

/* ---- shadow_stats.c ---- */

/* Whether it counts the time that CPUs, or tasks on them, have run. */
bool pp_count_is_clock(const struct pp_count_event *);

/* ---- aggregation_plan.c: where the counts of each event go ---- */

/* Makes the plan for these options, unless there is one.  0, or -1 and *error. */
int pp_count_plan(struct pp_counts *, const struct pp_counts_options *, struct pp_error *);

/* ---- stat_records.c: what the stream says around the counts ---- */

int pp_counts_said(struct pp_counts *, const struct pp_record *, struct pp_error *);
/* Brings the events up to what the stream's attributes are by now.  0, or -1 and *error. */
int pp_counts_sync(struct pp_counts *, struct pp_error *);
/* Sorts, and leaves out what is there twice. */
void pp_count_cpus_sort(struct pp_count_cpus *);
void pp_count_known_free(struct pp_count_known *);

/* ---- count_notes.c ---- */

int pp_counts_notes(struct pp_counts *, const struct pp_record *, struct pp_error *);
/* Gives the events that there are by now what the note about them says.  0, or -1 and *error. */
int pp_counts_name_events(struct pp_counts *, struct pp_error *);

/* ---- topology.c ---- */

/* Takes a feature that says how processors are joined. */
int pp_count_topology_note(struct pp_count_topology *, const struct pp_record *, uint64_t feature,
			   struct pp_error *);
/* How a CPU is joined, made if need be; NULL and *error. */
struct pp_count_joined *pp_count_joined(struct pp_count_topology *, int64_t cpu, struct pp_error *);

#endif
