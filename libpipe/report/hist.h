/* hist.h - distinct samples, and what is made of them: what the files of this room ask each other. */
#ifndef PP_HIST_H
#define PP_HIST_H

#include "report/report_state.h"

#include <string.h>

/* Weights of hostile streams end at the largest number. */
static inline void pp_hist_add(uint64_t *to, uint64_t weight)
{
	*to = weight > UINT64_MAX - *to ? UINT64_MAX : *to + weight;
}

/* The frame that is number `i` of a stack in the order of the call tree. */
static inline uint32_t pp_hist_frame(const struct pp_report *r, const struct pp_hist_stack *s, uint32_t i)
{
	const struct pp_hist_frames *const callers = &r->chains.callers[s->callers];
	const uint32_t own = s->count - callers->count, at = r->how.caller ? s->count - 1 - i : i;

	return at >= own ? r->chains.frames[callers->first + at - own] :
	       at + 1 == own ? s->innermost : r->chains.inlined[s->inlined + 1 + at];
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
/* Fills r->names.now: names may come later in a stream than the samples that need them.  0, or -1 and
 * *error. */
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
/* The sums of an entry. */
static inline const struct pp_entry_sums *pp_hist_sums(const struct pp_hist_event *e,
						       const struct pp_entry *entry)
{
	static const struct pp_entry_sums none;

	return entry->sums ? &e->sums[entry->sums - 1] : &none;
}
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
/* The event that has a table of this number. */
static inline const struct pp_hist_event *pp_hist_event_at(const struct pp_report *r, size_t event)
{
	return &r->tables.events[r->tables.order[event]];
}
/* Samples of which these are parts. */
static inline uint64_t pp_hist_whole(const struct pp_report *r, uint64_t parts)
{
	return (parts + r->parts / 2) / r->parts;
}
/* The entry of these values, or NULL; */
const struct pp_entry *pp_hist_find(const struct pp_report *, const struct pp_hist_event *,
				    const uint64_t *values);
/* one that is made, if it is not there.  0, or -1 and *error. */
int pp_hist_entry(const struct pp_report *, struct pp_hist_event *, const uint64_t *values,
		  const struct pp_entry *, uint32_t *number, struct pp_error *);

/* ---- report_tree.c */

/* Places have other names, or there are others. */
void pp_hist_forget_trees(struct pp_report *);

/* ---- distributions.c: 0, or -1 and *error */

/* A new group, whose number is the largest so far, has no weights. */
int pp_hist_new_range(struct pp_report *, size_t group, struct pp_error *);
/* A sample of a group weighs this. */
int pp_hist_note_weight(struct pp_report *, uint32_t group, uint64_t weight, struct pp_error *);
/* Adds what there was of n groups to those of the numbers that they have now. */
int pp_hist_move_weights(struct pp_report *, struct pp_distributions *was, const uint32_t *moved, size_t n,
			 struct pp_error *);
/* Bytes that they take, and will take. */
uint64_t pp_hist_weights_size(const struct pp_report *);
/* Before entries are made anew; and once all sums are there. */
int pp_hist_begin_spreads(struct pp_report *, struct pp_error *);
int pp_hist_make_spreads(struct pp_report *, struct pp_error *);
void pp_hist_close_distributions(struct pp_distributions *);

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
/* Leaves in r->tables.order those that have tables, which get rows for what only others of their group have.
 * 0, or -1 and *error. */
int pp_hist_join_groups(struct pp_report *, struct pp_error *);
/* Which of two rows is first by the weights of all events of the group. */
int pp_hist_compare_members(const struct pp_report *, const struct pp_hist_event *,
			    const struct pp_column *, uint32_t x, uint32_t y);

#endif
