/* counted.h - what events had counted at which time, of READ and STAT records. */
#ifndef EXPORT_COUNTED_H
#define EXPORT_COUNTED_H

#include "shared/run.h"

/* Before the first record.  0, or -1 and run->error: memory. */
int counters_start(struct run *);
/* Takes each record in the order of their times.  0, or -1 and run->error. */
int counters_note(struct run *, const struct pp_record *);
/* All, which live until counters_free(). */
const struct pp_export_counter *counters_all(size_t *n);
void counters_free(void);

#endif
