/* record_store.h - records that are kept, shared by all who have inherited them; beyond the budget they
 * are in a file. */
#ifndef PP_RECORD_STORE_H
#define PP_RECORD_STORE_H

#include <perfpipe/perfpipe.h>

#include "base/budget.h"

/* Where records are kept, all zero but the budget at first.  What is beyond it goes to a file in
 * TMPDIR, which has no name. */
struct pp_record_store {
	struct pp_budget *budget;
	uint64_t seq;                 /* records so far */
	struct pp_stored_file *file;    /* NULL until it is needed */
};
void pp_record_store_close(struct pp_record_store *);           /* the file; records go by pp_stored_drop() */

/* A record, shared by all who have inherited it. */
struct pp_stored {
	uint64_t time, seq;           /* 0: without a time; ordinal of its arrival */
	const struct pp_attrs *attrs;
	uint32_t users, attr;         /* attr: ordinal + 1; 0: none */
	uint16_t size;
	bool spilled;
	uint8_t data[];               /* or its place in the file */
};
/* A copy without its tail; NULL and *error. */
struct pp_stored *pp_stored_new(struct pp_record_store *, const struct pp_record *, struct pp_error *);
struct pp_stored *pp_stored_share(struct pp_stored *);            /* NULL is fine */
void pp_stored_drop(struct pp_record_store *, struct pp_stored *);      /* NULL is fine */
/* Puts a copy in the place of what is there, or NULL.  0, or -1 and *error. */
int pp_stored_replace(struct pp_record_store *, struct pp_stored **place, const struct pp_record *,
		      struct pp_error *);
/* As it was read, in `buf`, which has PP_RECORD_MAX bytes.  0, or -1 and *error (the file). */
int pp_stored_read(const struct pp_record_store *, const struct pp_stored *, uint8_t *buf, struct pp_record *,
		   struct pp_error *);

/* Makes a record an heir's own: his numbers in it; a name that is inherited came with no exec, and
 * code without a file says whose symbols it has.  There is room for PP_RECORD_MAX bytes. */
void pp_record_give(struct pp_record *, uint32_t pid, uint32_t tid);
/* Sets the time of a record other than a sample, if it has one. */
void pp_record_date(struct pp_record *, uint64_t time);

#endif
