/* prune_state.h - what pruning knows of a stream, for prune.c and for settled_samples.c, which asks it of
 * many samples. */
#ifndef PP_PRUNE_STATE_H
#define PP_PRUNE_STATE_H

#include "prune/prune.h"

enum { PP_PRUNE_KNOWN = 1 << 12 };    /* addresses of which nothing is due */
enum { PP_PRUNE_PIDS = 4 };           /* fields of a tracepoint that name threads, at most */
#define PP_PRUNE_HIGH UINT64_C(0xffff000000000000)      /* pointers of kernels are above */

/* An event, and the fields of its samples' raw data that name threads. */
struct pruned_event {
	bool plain;                   /* nothing is due of it, and its samples need no walk */
	bool named;                   /* its format came, which has the fields */
	uint8_t n_pids;
	const struct pp_tracepoint_field *pids[PP_PRUNE_PIDS];
};

/* Nothing is due of an address in a space, 0 being the kernel's, while none changes. */
struct known_address { uint64_t address; uint32_t owner, changes; };

struct pp_prune {
	struct pp_record_store keep;
	struct pp_head *head;
	struct pp_writer *writer;
	const struct pp_attrs *attrs;
	struct pp_prune_stats stats;
	bool all;                     /* nothing is left out any more */
	bool failed;
	uint64_t latest;              /* time that was written */
	struct pp_task_table table;
	struct pp_table groups, files;
	struct pp_maps kernel;
	bool core_due;                /* the kernel's own map came */
	uint64_t core;                /* where it begins */
	struct pp_stored **guests;
	size_t n_guests, room_guests;
	struct pp_pending_list dues;
	const struct pp_tracepoints *tracepoints;
	struct pruned_event *events;  /* by their places */
	size_t n_events;
	struct known_address known[PP_PRUNE_KNOWN];
	uint8_t buf[PP_RECORD_MAX + 1], other[PP_RECORD_MAX + 1];
};

/* With the fields that name threads, if its format came; NULL: memory. */
struct pruned_event *pp_prune_event(struct pp_prune *, const struct pp_attr *);

/* Whether what a sample needs is found by walking through it. */
static inline bool pp_prune_walks(const struct pp_attr *a)
{
	return a->sample_type & (PP_SAMPLE_READ | PP_SAMPLE_BRANCH_STACK | PP_SAMPLE_CGROUP) ||
	       (a->sample_type & PP_SAMPLE_CALLCHAIN && !a->plan.callchain);
}

/* Where it is noted that nothing is due of an address, and how. */
static inline struct known_address *pp_prune_known(struct pp_prune *p, const struct pp_maps *space,
						   uint64_t address, struct known_address *now)
{
	*now = (struct known_address){ address, space ? space->owner : 0, p->table.changes };
	return &p->known[(address * UINT64_C(0x9e3779b97f4a7c15) >> 40 ^ now->owner) & (PP_PRUNE_KNOWN - 1)];
}

static inline bool pp_prune_is_known(const struct known_address *known, const struct known_address *now)
{
	return known->address == now->address && known->owner == now->owner &&
	       known->changes == now->changes;
}

#endif
