/* fold_state.h - what a fold has, for fold.c, and for fold_frames.c, which names the frames of its stacks. */
#ifndef PP_FOLD_STATE_H
#define PP_FOLD_STATE_H

#include <perfpipe/fold.h>

#include "profile/address_cache.h"
#include "profile/named_stack.h"
#include "profile/stack_cache.h"
#include "profile/unresolved.h"
#include "stat/group_deltas.h"
#include "symbol/places.h"

/* A thread: the frame that its stacks begin with, for as long as its process does not change, and its last
 * sample, where they weigh time. */
struct task {
	uint32_t pid, frame;
	uint32_t number;              /* among those that were seen */
	uint32_t run;                 /* 1 + that of its last sample; 0: there is none */
	uint64_t changes;
	struct pp_folded last;
};

struct pp_fold {
	struct pp_fold_options how;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_profile *profile;
	const struct pp_attr *event;
	struct {
		const struct pp_attr *passed;   /* one that is not wanted */
		const struct pp_attr *joined;   /* one that is, where a pattern asks for several */
		const struct pp_attr *unlike;   /* one that is, and whose periods count something else */
	} other;                      /* than `event` */
	const struct pp_attr *weighed;   /* the event that `leaves` is about */
	bool leaves;                  /* its samples are of threads that leave their CPU */
	bool bare;                    /* the stack at hand has no chain */
	bool anew;                    /* the sample at hand is the first of another event */
	struct pp_fold_stats stats;
	struct pp_group_deltas since;        /* values of groups */
	struct pp_stack_cache stacks;      /* the nodes of those that were there before, or which weights
					    * they have, see remembers_weights(), and BARE */
	struct pp_address_cache addresses; /* and their frames: ->inlined is how many, ->left_out whether
					    * they have no name, ->place the one, or the first of */
	uint32_t *frames;             /* those of addresses that have several */
	size_t n_frames, frames_room;
	struct pp_idmap tids;         /* which of `threads` */
	struct task *threads;
	size_t n_threads, threads_room;
	size_t task;                  /* which of them has the sample at hand */
	struct {
		uint32_t weights;     /* which of the profile's it has, see remembers_weights() */
		uint32_t waker;       /* the node of who woke its thread; 0: not known */
	} at;
	uint32_t *times;              /* `unweighed`: how often each node was there */
	size_t times_room;
	struct pp_strings seen;       /* threads: "PID/TID NAME" */
	struct pp_strings sources;
	struct source_line {
		uint32_t source;      /* 1 + its number; 0: not known */
		uint32_t line;
	} *lines;                     /* by frame of the profile */
	size_t n_lines, lines_room;
	uint32_t *of_place;           /* 1 + the frame of each place; 0: none yet */
	size_t of_place_room;
	struct run_of { uint32_t thread, cpu, frame; } *runs;      /* with `places`: what stacks end in */
	size_t n_runs, runs_room;
	struct pp_idmap by_run;       /* which of them: thread << 32 | cpu */
	struct pp_unresolved late;          /* frames that wait for a name */
	struct pp_strings late_dsos;  /* and what those of memory without a file are in: "/tmp/perf-7.map" */
	struct pp_buffer text;
	struct pp_named_stack stack;    /* the one at hand */
};

/* Whether frames show what is of a process alone: its addresses. */
static inline bool pp_fold_by_process(const struct pp_fold *f)
{
	return f->how.addresses || (f->how.places && pp_places_own(f->how.places));
}

/* Adds the frames of an address to the stack at hand, or, with `places`, that of its place in code.  0, or -1
 * and *error. */
int pp_fold_add_address(struct pp_fold *, uint32_t pid, unsigned mode, uint64_t address, struct pp_error *);
/* From a node on, calls the frames of the stack of f->at.waker, the innermost first.  0, or -1 and *error. */
int pp_fold_call_waker(struct pp_fold *, uint32_t *node, struct pp_error *);
/* Makes the stack at hand the frames, the innermost first, that one which waited for its name has become.  0,
 * or -1 and *error. */
int pp_fold_settle_frame(struct pp_fold *, const struct pp_unresolved_frame *, struct pp_error *);
/* Frames have other numbers from now on. */
void pp_fold_forget_frames(struct pp_fold *);

#endif
