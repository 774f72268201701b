/* facts.h - what a page says of the recording that it shows, gathered while that is read. */
#ifndef FLAME_FACTS_H
#define FLAME_FACTS_H

#include "shared/run.h"

/* Takes each record of the stream. */
void facts_note(const struct pp_record *);
/* After the last one. */
void facts_end(const struct run *);
/* Then: the facts, which live as long as the tool runs, of one of STACKS_EVENTS events; `event`: whose
 * samples are shown, or NULL; `weight`: what a sample weighs. */
const struct pp_flame_facts *facts_of(const char *event, enum pp_fold_weight weight, uint64_t samples);

#endif
