/* report_state.h - struct pp_report, what a report holds, and its parts. */
#ifndef PP_REPORT_STATE_H
#define PP_REPORT_STATE_H

#include "stat/group_deltas.h"
#include "profile/address_cache.h"
#include "report/columns.h"
#include "report/distributions.h"
#include "profile/stack_cache.h"
#include "pattern/regex.h"

/* Cycles of a branch, by its flags. */
#define PP_BRANCH_CYCLES(flags) ((flags) >> 4 & 0xffff)

/* Some of pp_hist_chains.frames, the innermost first. */
struct pp_hist_frames {
	uint32_t first, count;
};

/* A stack that was looked up: the same for the same functions. */
struct pp_hist_stack {
	uint32_t place;               /* of the sample's own address */
	uint32_t count;               /* of its frames */
	uint32_t innermost, inlined;  /* the place of its chain's first address, and what is inlined there */
	uint32_t callers;             /* which of pp_hist_chains.callers is the rest */
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
	struct pp_entry_sums *sums;
	struct pp_weight_spread *spreads;    /* of each of them; NULL: they are not asked for */
	size_t n_sums, sums_room;
	struct pp_numbers by_values;
	uint32_t *sorted;             /* entries in order */
	uint32_t *taken;              /* for each part of each group's stack, which entry took it, or none */
	size_t n_taken, taken_room;
	uint32_t *parts;              /* numbers among those of all groups, entry by entry */
	uint32_t *first_part;         /* of each entry, and one more */
	const struct pp_hist_group_of *group;         /* whose table it is; NULL: no group's */
	bool leads;                   /* it is the first of one */
	uint32_t *members;            /* events of the group, this one first */
	size_t n_members, members_room;
};

/* What the keys of a report need of each sample. */
struct pp_hist_needs {
	/* exact: addresses in functions; bare: and functions, of any file where they have no name */
	bool lines, sources, sizes, parents, files, exact, details, averages, bare;
};

/* The machine that was recorded. */
struct pp_hist_machine {
	uint32_t cpus;                /* most threads that can run at a time; 0: not known */
	int64_t running;              /* by what was noted so far, which may be less than all */
	uint32_t *parallelism;        /* that are asked for; NULL: all are */
	size_t n_parallelism;
	int32_t *sockets;             /* of each processor */
	size_t n_sockets, sockets_room;
};

/* Numbers that are too large for a half of a value. */
struct pp_hist_kept {
	uint64_t *items;
	size_t n, room;
	struct pp_idmap by_number;
};

struct pp_hist_columns {
	const struct pp_column *keys[PP_COLUMNS_MOST];
	size_t n_keys;
	const struct pp_column *shown[PP_COLUMNS_MOST], *order[PP_COLUMNS_MOST];
	size_t n_shown, n_order;
};

/* Call chains as numbers of functions, each once. */
struct pp_hist_chains {
	struct pp_hist_stack *stacks;
	size_t n_stacks, stacks_room;
	uint32_t *frames;
	size_t n_frames, frames_room;
	struct pp_hist_frames *callers;
	size_t n_callers, callers_room;
	struct pp_index by_stack, by_callers, by_inlined;
	uint32_t *inlined;            /* how many, and the places of so many; each list once */
	size_t n_inlined, n_inlined_lists, inlined_room;
};

/* Samples that have the same stack and values. */
struct pp_hist_groups {
	struct pp_hist_group *items;
	uint64_t *values;             /* n_keys of each; 0 for what a place says */
	struct pp_hist_costs *costs;  /* of each, where there are sums */
	size_t n, room, values_room, costs_room;
	uint64_t n_parts;             /* that entries will have of them, at most */
	struct pp_index by_values;
};

/* The events of the stream, and which have a table. */
struct pp_hist_tables {
	struct pp_hist_event *events;
	size_t n_events, events_room;
	uint32_t *order;              /* of the tables: which event */
	size_t order_room, n;
	struct pp_hist_group_of *recorded;            /* groups */
	size_t n_recorded, recorded_room;
	struct pp_idmap by_attr;
	const struct pp_attr *last_attr;              /* of the sample before; NULL: none */
	uint32_t last_event;
};

/* Names of threads, and of places as they are known now. */
struct pp_hist_names {
	struct pp_hist_comm named[PP_HIST_NAMED];
	struct pp_idmap comms;        /* by tid: the text of its last name */
	struct pp_idmap renamed;      /* ":7", of a thread without a name: the text of its first one */
	uint32_t *now;                /* of each place, the one that it is by the names that are known now */
	size_t now_room;
};

/* What call trees are made with, once the entries are there. */
struct pp_hist_trees {
	uint32_t *ranks;              /* of each place, by its address */
	struct pp_hist_met {
		uint32_t limb, branch;
	} *met;                       /* of each place: which node led to it last, and which call of it */
	uint32_t *first_part;         /* of each group: the number of what is its own, then come its frames */
	uint32_t n_limbs;             /* nodes that were gone through, in all trees */
};

struct pp_report {
	struct pp_report_options how;
	char *sort, *fields;          /* copies; NULL */
	struct { char *comms, *pids, *tids, *dsos, *symbols; } only;  /* copies, too */
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_regex *parent;      /* NULL: it is not asked for */
	struct pp_call_names *calls;  /* NULL: they are not asked for */
	enum pp_report_mode mode;     /* not AUTO once there was a sample */
	bool settled;                 /* there was one */
	bool traced;                  /* all events are tracepoints */
	bool latency;                 /* the stream has context switches, and it was not refused */
	bool sums;                    /* there are costs */
	bool children;
	bool halfway;                 /* no memory while the lightest stacks went: nothing is left */
	uint64_t parts;               /* what one sample counts in a group: more than 1 once it was scaled */
	uint64_t n_samples, n_alone;  /* those that were noted; while no other thread ran */
	struct pp_hist_needs asked;
	struct pp_hist_machine machine;
	struct pp_hist_kept kept;
	struct pp_hist_columns columns;
	struct pp_frame_table places;
	struct pp_stack_cache known;       /* callers that were there before, and what changes */
	struct pp_hash_set by_sample;     /* groups, by all that tells samples apart */
	struct pp_hist_chains chains;
	struct pp_address_cache addresses;
	struct pp_hist_call *chain;   /* of a sample, while its frames are found */
	size_t chain_room;
	struct pp_hist_groups groups;
	struct pp_distributions distributions;
	struct pp_sampled sampled;    /* the sample at hand, which is too large to be cleared for each */
	struct pp_hist_names names;
	struct pp_hist_tables tables;
	struct pp_hist_trees trees;
	struct pp_group_deltas since;        /* values of groups */
};

#endif
