/*
 * switch_states.c - what sched_switch says of the thread that leaves.
 *
 * The numbers of the states are the kernel's own: 4.14 has given dead, zombie and parked threads other ones.
 * So the letters are taken from what the stream says of how the kernel prints them:
 *
 *	__print_flags(REC->prev_state & ..., "|", { 0x0001, "S" }, { 0x0002, "D" }, ...
 */
#include "span/switch_states.h"

#include "model/tracing_data.h"

#include <stdlib.h>
#include <string.h>

/* As printed by Linux from 4.14 on. */
static const char usual[] = "SDTtXZPI";

static void take_usual(struct pp_switch_states *s)
{
	memset(s->letters, 0, sizeof(s->letters));
	memcpy(s->letters, usual, sizeof(usual) - 1);
}

/* `0x0001, "S" }`: takes the letter, whatever else it is. */
static bool take_letter(struct pp_switch_states *s, const char *text)
{
	char *end;
	const unsigned long bit = strtoul(text, &end, 0);
	unsigned place = 0;

	if (end == text || strncmp(end, ", \"", 3) || !end[3] || end[4] != '"' || !bit || bit & (bit - 1))
		return false;
	while (place < STATES_MOST && bit >> place != 1)
		place++;
	if (place < STATES_MOST)
		s->letters[place] = end[3];
	return true;
}

static void take_letters(struct pp_switch_states *s, const char *shown)
{
	bool any = false;

	for (const char *at = shown; at && (at = strchr(at, '{')); at++)
		any |= take_letter(s, at + 1);
	if (!any)
		take_usual(s);
}

bool pp_switch_states_of(struct pp_switch_states *s, const struct pp_tracepoint *point)
{
	memset(s, 0, sizeof(*s));
	s->point = point;
	s->prev = pp_tracepoint_field(point, "prev_pid");
	s->next = pp_tracepoint_field(point, "next_pid");
	s->state = pp_tracepoint_field(point, "prev_state");
	take_letters(s, pp_tracepoint_shown_as(point));
	return s->prev && s->next && s->state;
}

static uint32_t state_of(char letter)
{
	static const struct { char letter; uint32_t state; } all[] = {
		{ 'S', STATE_SLEEPING }, { 'D', STATE_DISK }, { 'T', STATE_STOPPED }, { 't', STATE_TRACED },
		{ 'X', STATE_DEAD }, { 'x', STATE_DEAD }, { 'Z', STATE_ZOMBIE }, { 'P', STATE_PARKED },
		{ 'I', STATE_IDLE },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].letter == letter)
			return all[i].state;
	return 0;
}

/* Before 4.14 a thread that waits for no load (N) in D was idle, and only printed as both. */
static uint32_t translate(const struct pp_switch_states *s, uint64_t prev_state)
{
	uint32_t state = 0;
	bool no_load = false;

	for (unsigned i = 0; i < STATES_MOST && prev_state >> i; i++) {
		if (!(prev_state >> i & 1) || !s->letters[i])
			continue;
		state |= state_of(s->letters[i]);
		no_load |= s->letters[i] == 'N';
	}
	return no_load && state == STATE_DISK ? STATE_IDLE : state;
}

bool pp_switch_read(const struct pp_switch_states *s, const struct pp_record *rec,
		    struct pp_switch_facts *facts)
{
	uint64_t prev, next, state;
	const void *raw;
	size_t size;

	if (!pp_tracepoint_raw(rec, &raw, &size) || !pp_tracepoint_u64(s->prev, raw, size, 0, &prev) ||
	    !pp_tracepoint_u64(s->next, raw, size, 0, &next) ||
	    !pp_tracepoint_u64(s->state, raw, size, 0, &state))
		return false;
	*facts = (struct pp_switch_facts){ (uint32_t)prev, (uint32_t)next, translate(s, state) };
	return true;
}
