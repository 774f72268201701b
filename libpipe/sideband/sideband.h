/* sideband.h - what sideband.c keeps, as sideband_head.c writes it. */
#ifndef PP_SIDEBAND_H
#define PP_SIDEBAND_H

#include "sideband/pending_records.h"
#include "base/spool.h"

enum list { NOTES, WHOLE, FILES, LIVE, LAST, LISTS };

struct thing {
	struct pp_link link;
	struct thing *before, *after; /* in its list */
	enum list list;
	struct pp_stored *kept;
	struct pp_spool *tail;        /* or NULL */
};

struct pp_sideband {
	struct pp_record_store keep;
	struct thing *first[LISTS], *last[LISTS];
	size_t count[LISTS];
	const struct pp_host *hosts;  /* the caller's: to distinguish what they share */
	size_t n_hosts;
	struct pp_table things;
	struct pp_task_table table;        /* its `now` is the largest time so far */
	struct pp_error *error;       /* of the record that is noted; its code is PP_OK before */
	struct thing *taking;         /* whose tail comes in pieces, or NULL */
	uint8_t group[PP_RECORD_MAX + 1];       /* the record of a control group that was asked for */
};

/* Lets go of what ended long enough ago.  0, or -1: out of memory. */
int pp_sideband_forget(struct pp_sideband *);

#endif
