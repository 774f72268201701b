/*
 * made_events.h - events that a stage adds to a stream: their attributes, before all others, and their
 * samples, which are laid out so that every reader finds their ids where those of the other events are.
 */
#ifndef MADE_EVENTS_H
#define MADE_EVENTS_H

#include <perfpipe/rounds.h>
#include <perfpipe/span.h>

#include "base/array.h"

enum { MADE_MOST = 8 };

struct pp_made_events {
	const char *names[MADE_MOST];
	unsigned count;
	struct pp_buffer held;        /* the stream's own attributes, and their names, which come after */
	bool holding, written;
	uint64_t first_id;            /* of names[0]; those of the others follow */
	uint64_t sample_type;
	uint64_t config1;             /* of all of them */
	const struct pp_attrs *attrs; /* the stream's */
	struct pp_buffer record;      /* the last that was made */
};

/* What is not in the stream's samples, such as a CPU, is not in these. */
struct pp_made_sample {
	uint32_t pid, tid, cpu;
	uint16_t misc;
	uint64_t time, period, ip, address, weight, cgroup;
	const uint8_t *chain;         /* u64 each, as in a sample, with the marks of contexts */
	uint64_t frames;
};

/* One span more, of so many ns. */
static inline void pp_span_count(struct pp_span_sum *sum, uint64_t time)
{
	sum->count++;
	sum->time += time;
}

/* An event more, while nothing is written; `name` is borrowed. */
void pp_made_add(struct pp_made_events *, const char *name);
/* Shown each record as it comes, samples apart: 1: it is of the stream's head, and was held;
 * 0; -1 and *error. */
int pp_made_hold(struct pp_made_events *, const struct pp_record *, struct pp_error *);
/* Writes the events, unless that was done, and what was held: before the first record after the attributes.
 * 0, or -1 and *error: PP_E_USE where samples do not say which event they are of. */
int pp_made_begin(struct pp_made_events *, struct pp_writer *, struct pp_error *);
/* Writes a sample of names[event].  0, or -1 and *error. */
int pp_made_write(struct pp_made_events *, unsigned event, const struct pp_made_sample *, struct pp_writer *,
		  struct pp_error *);
void pp_made_free(struct pp_made_events *);

#endif
