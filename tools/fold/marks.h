/* marks.h - what happened at some time of a recording besides samples: losses, throttling, notes. */
#ifndef FOLD_MARKS_H
#define FOLD_MARKS_H

#include "shared/run.h"

/* Takes each record as it comes: notes stand in rounds. */
void marks_early(const struct run *, const struct pp_record *);
/* Takes each record but samples in the order of their times. */
void marks_note(const struct pp_record *);
/* What there is so far, which lives until another record is taken. */
void marks_end(const struct run *, struct pp_flame_facts *);
/* Before another recording. */
void marks_forget(void);

#endif
