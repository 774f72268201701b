/* prune.h - what the files that prune a stream share: who needs side-band, and what is due. */
#ifndef PRUNE_H
#define PRUNE_H

#include "format/event_ids.h"
#include "sideband/pending_records.h"

/* ---- needed_maps.c: which maps of an address space are needed ---- */

/* What holds the address becomes due, if it was not written.  0, or -1 (memory). */
int pp_maps_need(struct pp_spaces *, struct pp_maps *, uint64_t address, struct pp_pending_list *);
/* All of it. */
int pp_maps_need_all(struct pp_spaces *, struct pp_maps *, struct pp_pending_list *);
/* Takes out what begins there: 1: it was written, 0, -1 (memory). */
int pp_maps_remove(struct pp_spaces *, struct pp_maps *, uint64_t start);

/* ---- needed_events.c: which attributes and ids are needed ---- */

struct pp_head;
/* `reader` is where tails are; NULL: out of memory. */
struct pp_head *pp_head_new(struct pp_record_store *, struct pp_reader *);
/* Records without a tail that have one are in this side-band, which outlives the head. */
void pp_head_from(struct pp_head *, struct pp_sideband *);
void pp_head_free(struct pp_head *);        /* NULL is fine */
/* Holds the record back, where it is about events: PP_DROP; or PP_KEEP: it is not, or may go. */
int pp_head_note(struct pp_head *, const struct pp_record *, struct pp_writer *,
		   struct pp_error *);
/* The event of a record is needed, or that with an id: what was said of it is written, if it was
 * not.  0, or -1 and *error, where it is not the writer's. */
int pp_head_need(struct pp_head *, const struct pp_record *, struct pp_writer *,
		   struct pp_error *);
int pp_head_need_id(struct pp_head *, const struct pp_attrs *, uint64_t id, struct pp_writer *,
		      struct pp_error *);
/* Whether what was said of an event was, or waits for the head: nothing is due of it. */
bool pp_head_told(const struct pp_head *, const struct pp_attr *);
/* Writes a record that stays, or lets it wait for the round to end. */
int pp_head_write(struct pp_head *, const struct pp_record *, struct pp_writer *,
		    struct pp_error *);
/* Whether the head is yet to be written: then what stays has to be written by pp_head_write(),
 * unless it is a round. */
bool pp_head_closed(const struct pp_head *);
/* All that waits; the features, where no event was needed. */
int pp_head_end(struct pp_head *, const struct pp_attrs *, struct pp_writer *,
		  struct pp_error *);

#endif
