/* facts.h - what a page says of the recording that it shows, gathered while that is read. */
#ifndef FLAME_FACTS_H
#define FLAME_FACTS_H

#include "shared/run.h"

/* Takes each record of the stream. */
void facts_note(const struct pp_record *);
/* After the last one. */
void facts_end(const struct run *);
/* Then: the facts of samples of `event`, or NULL, which live as long as its name; `weight`: what a sample
 * weighs. */
void facts_of(struct pp_flame_facts *, const char *event, enum pp_fold_weight weight, uint64_t samples);

#endif
