/* switch_states.h - sched_switch: which thread leaves for which one, and in which state. */
#ifndef SWITCH_STATES_H
#define SWITCH_STATES_H

#include <perfpipe/tracepoint.h>

/* As the kernel has them since 4.14; and what stands for a state that is not known. */
enum {
	STATE_RUNNABLE = 0, STATE_SLEEPING = 0x1, STATE_DISK = 0x2, STATE_STOPPED = 0x4, STATE_TRACED = 0x8,
	STATE_DEAD = 0x10, STATE_ZOMBIE = 0x20, STATE_PARKED = 0x40, STATE_IDLE = 0x80,
	STATE_UNKNOWN = 1 << 30,
};

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
