/* switch_states.h - sched_switch: which thread leaves for which one, and in which state. */
#ifndef SWITCH_STATES_H
#define SWITCH_STATES_H

#include <perfpipe/tracepoint.h>

#include "text/span_words.h"

enum { STATES_MOST = 32 };

/* A tracepoint sched_switch, and its states: bit i of prev_state is the letter[i], 0: none. */
struct pp_switch_states {
	const struct pp_tracepoint *point;
	const struct pp_tracepoint_field *prev, *next, *state;
	char letters[STATES_MOST];
};

/* False: it has not the fields that are needed. */
bool pp_switch_states_of(struct pp_switch_states *, const struct pp_tracepoint *);
struct pp_switch_facts { uint32_t prev, next, state; };
/* What a sample's raw data say: false where they do not reach so far. */
bool pp_switch_read(const struct pp_switch_states *, const struct pp_record *, struct pp_switch_facts *);

#endif
