/* counted_total.h - what a recording cost as a whole, by counters that it has besides its samples. */
#ifndef DIFF_COUNTED_TOTAL_H
#define DIFF_COUNTED_TOTAL_H

#include "shared/run.h"

/* What a total is made of; more of counters is a greater number. */
enum counted_by { COUNTED_BY_SAMPLES, COUNTED_BY_BOTH, COUNTED_BY_COUNTERS };

/* 0, or -1 and run->error. */
int counted_start(struct run *);
/* Takes a record of the stream; of samples, what became of them.  0, or -1 and run->error. */
int counted_note(struct run *, const struct pp_record *);
void counted_folded(const struct pp_folded *);
/* After the last one: what an event counted of all tasks, into *total.  Tasks whose counts the stream does
 * not have are counted by their samples. */
int counted_end(struct run *, const struct pp_fold *, const char *event, double *total, enum counted_by *);

#endif
