/* facts.h - what is said of the recording that is shown, gathered while that is read. */
#ifndef FOLD_FACTS_H
#define FOLD_FACTS_H

#include "shared/run.h"

/* Takes each record of the stream. */
void facts_note(const struct pp_record *);
/* After the last one. */
void facts_end(const struct run *);
/* Then: the facts of samples of `event`, or NULL, which live as long as its name; `weight`: what a sample
 * weighs. */
void facts_of(struct pp_flame_facts *, const char *event, enum pp_fold_weight weight, uint64_t samples);

/* What a sample of it weighs, as that was asked for, in the unit that is for weights; 0: not known. */
uint64_t facts_period(const char *event);
/* Whether it counts what a program does, however fast the machine is: page faults, tracepoints. */
bool facts_counted(const char *event);
/* Whether the times of samples are those of CLOCK_MONOTONIC. */
bool facts_monotonic(void);
/* The value of the last note with this key, of those about the whole and those of a time; or NULL. */
const char *facts_note_value(const struct pp_flame_facts *, const char *key);
/* Before another recording: what was said of this one is not there any more. */
void facts_forget(void);

#endif
