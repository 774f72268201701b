/*
 * unwinding.h - raw stacks on their way to a sink: the rest of the stream goes through a process of its own,
 * which makes call chains of them as pp-unwind does, and has given up all but what that takes.
 */
#ifndef UNWINDING_H
#define UNWINDING_H

#include "shared/run_loop.h"

/* Whether notes in this record say that a stage before made call chains of stacks. */
bool unwinding_noted(const struct pp_record *);
/* Whether the sink shows call chains, and this record of the head announces samples with stacks for which
 * no stage before has made any. */
bool unwinding_due(struct loop *, const struct pp_record *);
/* Keeps a record of the head, which has no tail, until it is known whether stacks follow: 0, 1 where no more
 * can be kept, -1: no memory. */
int head_keep(struct first_records *, const struct pp_record *);
void head_free(struct first_records *);
/*
 * Starts the process, which goes on with what was kept and with the rest of run.in, and has what it makes
 * take the place of that.  0, or -1 and run->error, without a code where the process has said it.
 */
int unwinding_start(struct loop *);
/* What it made has ended; in the middle of a record, where there is an error.  Waits for it, and takes its
 * exit status: false where it failed, which was said. */
bool unwinding_finish(struct loop *);
/* What it makes is of no more use. */
void unwinding_stop(struct loop *);

#endif
