/*
 * shed_samples.c - leaves out samples while too much of the output waits for its reader, and says in
 * LOST_SAMPLES how many of each event.
 *
 * These are written at the end of the round in which the samples were: there they are as old as these.
 */
#include "select/shed_samples.h"

#include "base/array.h"
#include "write/live_output.h"

#include <perfpipe/build.h>
#include <perfpipe/walk.h>

#include <stdlib.h>

enum {
	MOST_WAITS = 4 << 20,         /* bytes from which on samples go ... */
	FEW_WAIT = 2 << 20,           /* ... until no more than these wait */
};

/* Of an event, since it was last said. */
struct shed_event {
	const struct pp_attr *attr;
	uint64_t lost, time, id;      /* the largest time; the id of the last sample, as what follows */
	uint32_t pid, tid, cpu;
};

struct pp_shed {
	struct pp_live_output *output;
	struct pp_writer *writer;
	struct shed_event *events;    /* by their places */
	size_t n_events, room;
	bool sheds, owes;             /* samples go now; something is to be said */
};

struct pp_shed *pp_shed_new(struct pp_reader *in, struct pp_writer *out, int fd)
{
	struct pp_shed *const s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->writer = out;
	s->output = pp_live_output_new(in, out, fd);
	if (s->output)
		return s;
	free(s);
	return NULL;
}

void pp_shed_free(struct pp_shed *s)
{
	if (!s)
		return;
	pp_live_output_free(s->output);
	free(s->events);
	free(s);
}

static void count_sample(struct shed_event *event, const struct pp_record *rec)
{
	uint64_t time;

	event->attr = rec->attr;
	event->lost++;
	if (pp_time(rec, &time) && time > event->time)
		event->time = time;
	(void)pp_id(rec, &event->id);
	(void)pp_task(rec, &event->pid, &event->tid);
	(void)pp_cpu(rec, &event->cpu);
}

int pp_shed_sample(struct pp_shed *s, const struct pp_record *rec)
{
	const uint64_t waits = pp_live_output_waits(s->output);

	s->sheds = waits > (s->sheds ? FEW_WAIT : MOST_WAITS);
	/* whose event is not known is of no event's number */
	if (!s->sheds || !rec->attr)
		return 0;
	if (rec->attr->index >= s->n_events) {
		if (PP_GROW_ZEROED(&s->events, &s->room, rec->attr->index + 1, NULL))
			return -1;
		s->n_events = rec->attr->index + 1;
	}
	count_sample(&s->events[rec->attr->index], rec);
	return s->owes = true;
}

int pp_shed_write(struct pp_shed *s, struct pp_error *error)
{
	for (size_t i = 0; s->owes && i < s->n_events; i++) {
		struct shed_event *const event = &s->events[i];
		uint8_t record[128];
		struct pp_build b;

		if (!event->lost)
			continue;
		pp_build(&b, record, sizeof(record), PP_REC_LOST_SAMPLES, 0, event->attr);
		pp_build_u64(&b, "lost", event->lost);
		pp_build_trailer(&b, event->pid, event->tid, event->time, event->id, event->cpu);
		if (pp_writer_copy(s->writer, record, pp_build_end(&b), error))
			return -1;
		*event = (struct shed_event){ .attr = event->attr };
	}
	s->owes = false;
	return 0;
}
