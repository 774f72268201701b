/* grammar.h - what the grammar of -e asks the files of this room: events of PMUs, tracepoints, libpfm4. */
#ifndef PP_GRAMMAR_H
#define PP_GRAMMAR_H

#include "attr/parser.h"
#include "event/event.h"

/* ---- pmu.c ---- */

/* An event on each PMU that `pmu` names ("cha" is uncore_cha_0, uncore_cha_1 ...), by its terms. */
int pp_words_pmu(struct pp_parser *, struct pp_slice pmu, struct pp_slice terms,
		 struct pp_slice whole);
/* The event that some PMU calls so, on each that does: *found of them. */
int pp_words_alias(struct pp_parser *, struct pp_slice name, struct pp_slice whole, size_t *found);
/* The PMUs of the processor's cores, if there is more than one kind of these. */
int pp_core_pmus(struct pp_names *);
/* Takes the generic event to this PMU of a hybrid machine. */
int pp_pmu_take(struct pp_event *, const char *pmu, struct pp_error *);

/* ---- tracepoint_events.c: tracepoints ---- */

/* All that match; *found of them. */
int pp_words_points(struct pp_parser *, struct pp_slice system, struct pp_slice point, size_t *found);

/* ---- libpfm.c ---- */

/* What libpfm4 knows by this name, modifiers included: 1, 0 if it does not (or is not there), -1. */
int pp_words_pfm(struct pp_parser *, struct pp_slice);
/* Whether its header was there when this was built. */
extern const bool pp_pfm_built;

#endif
