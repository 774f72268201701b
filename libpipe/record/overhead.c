/*
 * overhead.c - what a recording cost: processor time, samples of itself, and what it lacks: records
 * that were lost, tasks that were looked up too late; that is written as well.
 */
#include "base/clock.h"
#include "record/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void pp_cost_begin(struct pp_capture *c)
{
	const uint64_t first = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	c->cpu_begun = pp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	c->rings.own_pid = (uint32_t)getpid();
	/* After the header come an identifier and an address, if all events have them. */
	c->rings.pid_at = PP_HEADER_SIZE + 2 * sizeof(uint64_t);
	for (size_t i = 0; i < c->events.n; i++)
		if ((c->events.items[i].attr.sample_type & first) != first)
			c->rings.pid_at = 0;
}

static int write_lost(struct pp_capture *c, size_t event, size_t i, uint64_t lost,
		      struct pp_error *error)
{
	const struct pp_capture_sink *const sink = &c->rings.sink;
	uint8_t buf[128];
	struct pp_build b;
	size_t size;

	pp_build(&b, buf, sizeof(buf), PP_REC_LOST_SAMPLES, 0, pp_attrs_at(c->attrs, event));
	pp_build_u64(&b, "lost", lost);
	pp_build_trailer(&b, 0, 0, 0, c->counters.of[event].ids[i],
			 c->target.cpus[i / c->target.n_threads]);
	size = pp_build_end(&b);
	return size && sink->made ? sink->made(sink->arg, buf, size, NULL, 0, error) : 0;
}

/* Those whose samples have no names: a reader of the stream alone would not know whose they are. */
static int note_late(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_capture_stats *const stats = &c->rings.stats;
	const struct pp_capture_sink *const sink = &c->rings.sink;
	char value[100], unread[32] = "";
	int n;

	if ((!stats->late_dead && !stats->late_execed && !stats->late_unread) || !sink->note)
		return 0;
	if (stats->late_unread)
		(void)snprintf(unread, sizeof(unread), ",\"unread\":%llu",
			       (unsigned long long)stats->late_unread);
	n = snprintf(value, sizeof(value), "{\"ended\":%llu,\"execed\":%llu%s}",
		     (unsigned long long)stats->late_dead, (unsigned long long)stats->late_execed, unread);
	return sink->note(sink->arg, PP_NOTE_LATE, value, (size_t)n, error);
}

int pp_cost_end(struct pp_capture *c, struct pp_error *error)
{
	struct pp_capture_stats *const stats = &c->rings.stats;

	c->lost_on = calloc(c->target.n_cpus, sizeof(*c->lost_on));
	if (!c->lost_on)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->events.n; i++) {
		for (size_t k = 0; k < c->counters.each; k++) {
			const uint64_t lost = pp_counter_lost(&c->counters, i, k);

			c->lost_on[k / c->target.n_threads] += lost;
			stats->lost += lost;
			if (lost && write_lost(c, i, k, lost, error))
				return -1;
		}
	}
	if (stats->lost < stats->overruns)
		stats->lost = stats->overruns;
	stats->cpu_ns = pp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - c->cpu_begun;
	return note_late(c, error);
}

bool pp_capture_lost_on(const struct pp_capture *c, size_t i, uint32_t *cpu, uint64_t *lost)
{
	for (size_t k = 0; c->lost_on && k < c->target.n_cpus; k++) {
		if (!c->lost_on[k] || i--)
			continue;
		*cpu = c->target.cpus[k];
		*lost = c->lost_on[k];
		return true;
	}
	return false;
}
