/* stream_to_profile.h - a stream on its way into a profile: what pp-fold and pp-flame do with each record.
 *  */
#ifndef PP_STREAM_TO_PROFILE_H
#define PP_STREAM_TO_PROFILE_H

#include "shared/run.h"
#include "shared/sample_filter.h"

struct stacks_event;
extern struct stacks_options {
	struct pp_fold_options fold;
	struct pp_symbols_options symbols;
	uint64_t memory;              /* for stacks: bytes */
	bool in_order;                /* make a profile that keeps the order of calls */
	bool timeless;                /* where each event has a profile: no times are kept */
	bool every_sample;            /* where times are kept: those of each sample */
	unsigned tasks;               /* PP_TASKS_: what else is kept of tasks */
	/* Shown what became of each sample of an event; and new numbers of its nodes, after the last, or
	 * where light ones were dropped, whose number is 0: 0, or -1 and *error.  Or NULL. */
	int (*folded)(const struct stacks_event *, const struct pp_folded *, struct pp_error *);
	int (*settled)(const struct stacks_event *, const uint32_t *places, size_t n, struct pp_error *);
} stacks_options;

/* The options of a tool that all take, */
#define OPT_STACKS_WEIGHT \
	OPT_CALL(0, "weight", "period|count|time", &stacks_options.fold.weight, stacks_parse_weight, \
		 "what a sample weighs: its period, count (all the same), or time (the ns until the " \
		 "next of its thread) (default: period)")
#define OPT_STACKS_ROOM \
	OPT_SIZE(0, "stacks", "SIZE", &stacks_options.memory, \
		 "use at most SIZE bytes for stacks, of which the lightest are dropped (default: 1G)")
#define OPT_STACKS_INLINED \
	OPT_SWITCH(0, "no-inline", &stacks_options.symbols.no_inline, "leave out inlined functions")
#define OPT_STACKS_FILES \
	OPT_FOLDER(0, "root", "DIR", &stacks_options.symbols.root, \
		   "read files below DIR, and nothing of the running kernel"), \
	OPT_SWITCH(0, "debuginfod", &stacks_options.symbols.debuginfod, \
		   "ask the servers of DEBUGINFOD_URLS for missing files"), \
	OPT_SIZE(0, "memory", "SIZE", &stacks_options.symbols.memory, \
		 "keep at most SIZE bytes of what was read of files, and as many of " \
		 "names (default: 256M)")
/* and of those whose stacks are named. */
#define OPT_STACKS \
	OPT_GROUP("Which stacks"), \
	OPT_STRING('e', "event", "EVENT", &stacks_options.fold.event, \
		   "samples of EVENT, or of all that match a glob (default: of the first that has any)"), \
	OPT_SHOWN_TIMES, \
	OPT_STACKS_WEIGHT, \
	OPT_SWITCH(0, "pid", &stacks_options.fold.pid, "begin stacks with the process: comm-pid"), \
	OPT_SWITCH(0, "tid", &stacks_options.fold.tid, "begin stacks with the thread: comm-pid/tid"), \
	OPT_SWITCH(0, "wakers", &stacks_options.fold.wakers, \
		   "let stacks of waits go on to those of who woke the thread"), \
	OPT_STACKS_ROOM, \
	OPT_GROUP("What frames are called"), \
	OPT_STACKS_INLINED, \
	OPT_SWITCH(0, "addrs", &stacks_options.fold.addresses, \
		   "give addresses of frames that have no name"), \
	OPT_STACKS_FILES

const char *stacks_parse_weight(void *target, const char *value);

/* An event whose samples have a profile of their own. */
struct stacks_event {
	char *name;                   /* NULL: that of the first that has any */
	uint32_t place;               /* among those that the stream describes */
	uint64_t samples;
	struct pp_profile *profile;
	struct pp_fold *fold;
	struct pp_timeline *cells;    /* where times are kept, */
	struct pp_sample_times *times;        /* and where that is of every sample */
	bool refused;                 /* its samples cannot be weighed as is asked for, */
	struct pp_error why;
};
/* More than these are left out. */
enum { STACKS_EVENTS = 16 };

/* Where stacks go; NULL: no memory. */
struct pp_profile *stacks_profile(void);
/* 0, or -1 and run->error.  `timed`: times are kept. */
int stacks_start(struct run *, bool timed);
/* The same where times are kept, and each event of the stream has a profile, or the one that is asked for. */
int stacks_start_events(struct run *);
/* After stacks_end(): one at least, in the order in which the stream describes them, until stacks_close(). */
const struct stacks_event *stacks_events(size_t *n);
/* Cells follow the nodes of their profile, which have new numbers. */
void stacks_renumber(const struct pp_profile *, const uint32_t *places);
/* What keeps the names and maps of its tasks, and the names of its addresses, after that. */
struct pp_tasks *stacks_tasks(void);
struct pp_symbols *stacks_symbols(void);
/* Names that a stream carries stand in rounds, and are of use to samples that wait for theirs to end. */
int stacks_early(struct run *, const struct pp_record *);
int stacks_record(struct run *, struct pp_record *);
/* Says what there is to say: 0, or -1 and run->error. */
int stacks_end(struct run *);
/* The event whose samples the last stream has, until stacks_close(); or NULL.  The fold that made the
 * profile. */
const char *stacks_event(void);
const struct pp_fold *stacks_fold(void);
/* What weights of the streams so far are, in the plural, and how many samples had them. */
const char *stacks_unit(void);
const char *stacks_unit_of(const char *event);
uint64_t stacks_samples(void);
/* From the first sample of a side to the last, in ns; 0: they have no times. */
uint64_t stacks_duration(enum pp_profile_side);
/* When there was what in the stream before this one, if times of both are kept, until stacks_free(); or
 * NULL. */
struct stacks_event *stacks_before(void);
/* Lets go of all but the profile, before another stream is added to it. */
void stacks_close(void);
void stacks_free(void);
/* Says what is not in a profile as it came. */
void stacks_say_losses(const struct pp_profile *);
/* Says what there is to say of the samples of an input, and remembers their event.  `damaged`: that was said
 * of it already.  0, or -1 and *error: memory. */
int stacks_note_stats(const char *name, const struct pp_fold_stats *, bool damaged, struct pp_error *);
/* Drops the lightest stacks of a profile that is too large and that comes from no stream, but from a text or
 * folded stacks, where `text` is NULL. */
int stacks_bound(struct pp_profile *, struct pp_script_text *text, struct pp_error *);

#endif
