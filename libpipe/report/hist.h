/* hist.h - what a report keeps: distinct samples, and what was made of them. */
#ifndef PP_HIST_H
#define PP_HIST_H

#include "model/group_deltas.h"
#include "profile/address_cache.h"
#include "report/columns.h"
#include "profile/stack_cache.h"
#include "pattern/regex.h"

#include <string.h>

/* Cycles of a branch, by its flags. */
#define PP_BRANCH_CYCLES(flags) ((flags) >> 4 & 0xffff)

/* Some of pp_report.frames, the innermost first. */
struct pp_hist_frames {
	uint32_t first, count;
};

/* A stack that was looked up: the same for the same functions. */
struct pp_hist_stack {
	uint32_t place;               /* of the sample's own address */
	uint32_t count;               /* of its frames */
	uint32_t innermost, inlined;  /* the place of its chain's first address, and what is inlined there */
	uint32_t callers;             /* which of pp_report.callers is the rest */
	uint32_t mode;
	uint32_t parent;              /* text */
	bool left_out;                /* its file or function is not asked for */
};

/* The name of a thread, while nothing of its process changes. */
enum { PP_HIST_NAMED = 1024 };
struct pp_hist_comm {
	uint32_t pid, tid, text;
	uint64_t changes;             /* and 1; 0: there is none */
};

/* Which addresses are the same, for as long as nothing of the process changes. */
enum { PP_HIST_SPACES = 64 };
struct pp_hist_space {
	uint32_t pid, use;
	uint64_t version;             /* and 1; 0: there is none */
	uint32_t space;
};

/* Samples that differ in nothing but their time and weight. */
struct pp_hist_group {
	uint32_t event, stack, pid, tid;
	uint32_t from, to;            /* places of its branch, or 0 */
	bool left_out;                /* only what all weigh together knows it */
	uint64_t weight, samples;
};

/* What its samples cost together: as often as there are parts of a sample. */
struct pp_hist_costs {
	uint64_t cost, ins_lat, retire_lat;
	uint64_t latency;             /* parts of what they weigh, by how many threads ran */
};

/* An entry has a part of a group's stack: from there on in the order of the call tree. */
struct pp_hist_part {
	uint32_t entry, group, from;
};

/* Events of the stream that were recorded as a group. */
struct pp_hist_group_of {
	char *name;
	uint64_t first, count;        /* of its attributes */
	bool put_together;            /* it was not recorded */
	uint32_t event;               /* and 1, whose table it has; 0: none had samples so far */
};

struct pp_hist_event {
	const struct pp_attr *attr;
	char *name;
	size_t order;                 /* among the attributes */
	uint64_t noted;               /* samples whose branches are in entries, or all of them */
	bool has_chains;
	/* what pp_report_update() makes */
	uint64_t weight, samples, all, latency;
	struct pp_entry *entries;
	uint64_t *values;             /* n_keys of each */
	size_t n_entries, entries_room, values_room;
	struct pp_numbers by_values;
	uint32_t *sorted;             /* entries in order */
	struct pp_hist_part *parts;
	size_t n_parts, parts_room;
	uint32_t *first_part;         /* of each entry, and one more */
	const struct pp_hist_group_of *group;         /* whose table it is; NULL: no group's */
	bool leads;                   /* it is the first of one */
	uint32_t *members;            /* events of the group, this one first */
	size_t n_members, members_room;
};

struct pp_report {
	struct pp_report_options how;
	char *sort, *fields;          /* copies; NULL */
	struct { char *comms, *pids, *tids, *dsos, *symbols; } only;  /* copies, too */
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_regex *parent;      /* NULL: it is not asked for */
	enum pp_report_mode mode;     /* not AUTO once there was a sample */
	bool settled;                 /* there was one */
	bool traced;                  /* all events are tracepoints */
	uint64_t parts;               /* what one sample counts in a group: more than 1 once it was scaled */
	/* they are asked for; exact: addresses in functions */
	bool lines, sources, sizes, parents, files, exact, details, averages;
	bool bare;                    /* and functions, of any file where they have no name */
	bool latency;                 /* the stream has context switches, and it was not refused */
	uint64_t n_samples, n_alone;  /* those that were noted; while no other thread ran */
	bool sums;                    /* there are costs */
	bool halfway;                 /* no memory while the lightest stacks went: nothing is left */
	uint32_t cpus;                /* most threads that can run at a time; 0: not known */
	int64_t running;              /* by what was noted so far, which may be less than all */
	uint32_t *parallelism;        /* that are asked for; NULL: all are */
	size_t n_parallelism;
	int32_t *sockets;             /* of each processor */
	size_t n_sockets, sockets_room;
	uint64_t *kept;               /* numbers that are too large for a half of a value */
	size_t n_kept, kept_room;
	struct pp_idmap by_kept;

	const struct pp_column *keys[PP_COLUMNS_MOST];
	size_t n_keys;
	const struct pp_column *shown[PP_COLUMNS_MOST], *order[PP_COLUMNS_MOST];
	size_t n_shown, n_order;
	bool children;

	struct pp_frame_table places;
	struct pp_stack_cache known;       /* callers that were there before, and what changes */
	struct pp_hash_set by_sample;     /* groups, by all that tells samples apart */
	struct pp_hist_stack *stacks;
	size_t n_stacks, stacks_room;
	uint32_t *frames;
	size_t n_frames, frames_room;
	struct pp_hist_frames *callers;               /* each once */
	size_t n_callers, callers_room;
	struct pp_index by_stack, by_callers, by_inlined;
	struct pp_address_cache addresses;
	struct pp_hist_space spaces[PP_HIST_SPACES];
	struct pp_hist_call *chain;   /* of a sample, while its frames are found */
	size_t chain_room;
	uint32_t *inlined;            /* how many, and the places of so many; each list once */
	size_t n_inlined, n_inlined_lists, inlined_room;
	struct pp_hist_group *groups;
	uint64_t *values;             /* n_keys of each group; 0 for what a place says */
	struct pp_hist_costs *costs;  /* of each, where there are sums */
	size_t n_groups, groups_room, values_room, costs_room;
	uint64_t n_parts;             /* that entries will have of them, at most */
	struct pp_index by_values;
	struct pp_sampled sampled;    /* the sample at hand, which is too large to be cleared for each */
	struct pp_hist_comm named[PP_HIST_NAMED];
	struct pp_idmap comms;        /* by tid: the text of its last name */

	struct pp_hist_event *events;
	size_t n_events, events_room;
	uint32_t *event_order;        /* of the table: which event */
	size_t event_order_room, n_tables;
	struct pp_hist_group_of *recorded;            /* groups */
	size_t n_recorded, recorded_room;
	struct pp_idmap by_attr;
	const struct pp_attr *last_attr;              /* of the sample before; NULL: none */
	uint32_t last_event;
	struct pp_group_deltas since;        /* values of groups */
	uint32_t *ranks;              /* of each place, by its address */
	uint32_t *now;                /* of each place, the one that it is by the names that are known now */
	size_t now_room;
};

/* Weights of hostile streams end at the largest number. */
static inline void pp_hist_add(uint64_t *to, uint64_t weight)
{
	*to = weight > UINT64_MAX - *to ? UINT64_MAX : *to + weight;
}

/* The frame that is number `i` of a stack in the order of the call tree. */
static inline uint32_t pp_hist_frame(const struct pp_report *r, const struct pp_hist_stack *s, uint32_t i)
{
	const struct pp_hist_frames *const callers = &r->callers[s->callers];
	const uint32_t own = s->count - callers->count, at = r->how.caller ? s->count - 1 - i : i;

	return at >= own ? r->frames[callers->first + at - own] :
	       at + 1 == own ? s->innermost : r->inlined[s->inlined + 1 + at];
}
/* What a sample cost: of all its branches, as in perf, the cycles of the newest. */
static inline uint64_t pp_hist_cost(const struct pp_sampled *s)
{
	return s->report->mode != PP_REPORT_BRANCHES ? s->details.weight : s->cycles ? s->cycles : 1;
}
/* What the stack of a sample is made of, all but `parent`.  0, or -1 and *error.  resolve_frames.c */
int pp_hist_stack(struct pp_report *, const struct pp_record *, uint32_t pid, struct pp_hist_stack *,
		  struct pp_error *);
/* Its number: the same for the same functions.  0, or -1 and *error. */
int pp_hist_number(struct pp_report *, const struct pp_hist_stack *, uint32_t *number, struct pp_error *);
/* The number of the last frames, from `first` on: these, or the same that were there before.  0, or -1 and
 * *error. */
int pp_hist_callers(struct pp_report *, uint32_t first, uint32_t *number, struct pp_error *);
/* Fills r->now: names may come later in a stream than the samples that need them.  0, or -1 and *error. */
int pp_hist_learn(struct pp_report *, struct pp_error *);
/* Where data is: of an address, its place.  0, or -1 and *error.  These, too, are resolve_frames.c's. */
int pp_hist_at(struct pp_report *, uint32_t pid, unsigned mode, uint64_t address, uint32_t *place,
	       struct pp_error *);
/* The same of where a line of the cache begins; without a name, as it is in its file. */
int pp_hist_line(struct pp_report *, uint32_t pid, unsigned mode, uint64_t address, uint32_t *place,
		 struct pp_error *);
/* What stands for an end of a branch: its function, or, without one, the address as it is in its file; or as
 * it is; or the address in any case. */
enum pp_hist_end { PP_END_IN_FILE, PP_END_RAW, PP_END_EXACT };
/* Its place, which may be in the kernel or not.  0, or -1 and *error. */
int pp_hist_end(struct pp_report *, uint32_t pid, uint64_t address, enum pp_hist_end, uint32_t *place,
		struct pp_error *);
/* Fills in the stack's place and mode, and whether it is left out: where the sample was. */
int pp_hist_place(struct pp_report *, const struct pp_record *, uint32_t pid, struct pp_hist_stack *,
		  struct pp_error *);
/* The group of these values, which is made if it is not there.  0, or -1 and *error.  hist.c, as what
 * follows. */
int pp_hist_group(struct pp_report *, const struct pp_hist_group *, const uint64_t *values, uint32_t *number,
		  struct pp_error *);
/* Parts that entries will have of groups of this stack, at most. */
static inline uint32_t pp_hist_parts(const struct pp_report *r, const struct pp_hist_stack *s)
{
	return r->how.no_children ? s->count > 0 : s->count;
}
/* The number of a number, the same for the same. */
int pp_hist_keep(struct pp_report *, uint64_t what, uint32_t *number, struct pp_error *);
/* Whether it is of what is called, too; of threads that ran at a time. */
static inline bool pp_hist_is_of_children(const struct pp_column *c)
{
	return c->weight && strstr(c->shown.name, "_children");
}
static inline bool pp_hist_is_of_latency(const struct pp_column *c)
{
	return c->weight && !strncmp(c->shown.name, "latency", strlen("latency"));
}
/* The number of this column among the keys. */
size_t pp_hist_key(const struct pp_report *, const struct pp_column *);
/* Chooses the keys by names in r->sort and r->fields, once more if called again.  0, or -1 and *error:
 * PP_E_USE. */
int pp_hist_choose_keys(struct pp_report *, struct pp_error *);
/* Whether a name is in "a,b,c". */
bool pp_hist_listed(const char *list, const char *name);
/* Whether samples of this thread are in no entry. */
bool pp_hist_thread_left_out(const struct pp_report *, const struct pp_sampled *);
/* Chooses what is shown, now that it is known whether there are children. */
void pp_hist_lay_out(struct pp_report *);
/* report_entries.c: the hash of what is the same in values; whether two are the same; */
uint64_t pp_hist_hash(const struct pp_report *, const uint64_t *values, uint64_t seed);
bool pp_hist_same(const struct pp_report *, const uint64_t *a, const uint64_t *b);
void pp_hist_forget(struct pp_hist_event *);
/* The entry of these values, or NULL; */
const struct pp_entry *pp_hist_find(const struct pp_report *, const struct pp_hist_event *,
				    const uint64_t *values);
/* one that is made, if it is not there.  0, or -1 and *error. */
int pp_hist_entry(const struct pp_report *, struct pp_hist_event *, const uint64_t *values,
		  const struct pp_entry *, uint32_t *number, struct pp_error *);

/* ---- columns_origin.c */

/* Takes what a feature tells of processors.  0, or -1 and *error. */
int pp_hist_note_machine(struct pp_report *, const struct pp_record *, struct pp_error *);
/* Counts threads that begin and stop running. */
void pp_hist_note_switch(struct pp_report *, const struct pp_record *);
/* How many run now, at least 1. */
uint32_t pp_hist_parallelism(const struct pp_report *);

/* ---- event_groups.c: events that were recorded together */

/* Takes the groups that a record tells of.  0, or -1 and *error. */
int pp_hist_note_groups(struct pp_report *, const struct pp_record *, struct pp_error *);
void pp_hist_forget_groups(struct pp_report *);
/* Leaves in r->event_order those that have tables, which get rows for what only others of their group have.
 * 0, or -1 and *error. */
int pp_hist_join_groups(struct pp_report *, struct pp_error *);
/* Which of two rows is first by the weights of all events of the group. */
int pp_hist_compare_members(const struct pp_report *, const struct pp_hist_event *,
			    const struct pp_column *, uint32_t x, uint32_t y);

#endif
