/*
 * record_loop.c - a recording from its first pass to the reason for its last: delay, duration, limits,
 * commands.  control_fd.c carries out commands.
 */
#include "base/clock.h"
#include "base/sized_options.h"
#include "record/capture.h"

enum { WAIT_MS = 150 };               /* what was sampled is read after this at the latest */

#define NEVER UINT64_MAX
#define EVERY UINT64_C(1000000000)  /* ns between looks at CPUs that may go off line */

static uint64_t after(uint64_t now, uint64_t ns)
{
	return ns < NEVER - now ? now + ns : NEVER;
}

/* How long to wait: less where the events are about to start or the recording is about to end. */
static int wait_ms(uint64_t now, uint64_t due)
{
	const uint64_t ms = due > now ? (due - now + 999999) / 1000000 : 0;

	return ms < WAIT_MS ? (int)ms : WAIT_MS;
}

/* Where the time has come.  Events that a command has started or stopped wait for nothing more. */
static int start_due(struct pp_capture *c, uint64_t *start, uint64_t now, struct pp_error *error)
{
	if (c->commanded)
		*start = NEVER;
	if (now < *start)
		return 0;
	*start = NEVER;
	return pp_capture_enable(c, error);
}

static int turn(void *arg, const char *event, bool on, struct pp_error *error)
{
	struct pp_capture *const c = arg;

	if (event)
		return pp_capture_switch(c, event, on, error);
	return (on ? pp_capture_enable(c, error) : pp_capture_disable(c, error)) ? -1 : 1;
}

static int take_snapshot(void *arg, struct pp_error *error)
{
	return pp_capture_snapshot(arg, error);
}

static int run_on(struct pp_capture *c, const struct pp_run *given, struct pp_error *error)
{
	const struct pp_commanded commanded = {
		.arg = c, .turn = turn, .snapshot = take_snapshot, .events = &c->events,
		.say = &c->options.say, .control = &c->control, .commanded = &c->commanded,
	};
	const bool *const full = &c->rings.limit.full;
	uint64_t start, end = NEVER, look = 0;
	struct pp_commands commands;
	struct pp_run run;
	int got = 0, more;

	if (pp_options_take(&run, sizeof(run), given, error) ||
	    pp_commands_open(&commands, &commanded, run.control, error))
		return -1;
	start = c->enabled ? NEVER : after(pp_now_ns(), run.delay);
	for (bool goes_on = true; goes_on && !*full && !got;) {
		const uint64_t now = pp_now_ns();

		if (start_due(c, &start, now, error))
			return -1;
		if (c->enabled && end == NEVER && run.duration)
			end = after(now, run.duration);
		if (now >= end)
			return 1;
		if (now >= look) {
			pp_cpu_hotplug_look(&c->online, &c->target, &c->options.say);
			look = now + EVERY;
		}
		goes_on = pp_capture_wait(c, wait_ms(now, start < end ? start : end), run.mask) > 0;
		got = pp_commands_obey(&commands, error);
		if (got < 0 || pp_capture_pass(c, error) < 0)
			return -1;
		goes_on &= !pp_capture_command(c, NULL);
		more = run.more ? run.more(run.arg, error) : 1;
		if (more <= 0)
			return more < 0 ? -1 : 1;
	}
	return got || *full;
}

int pp_capture_run(struct pp_capture *c, const struct pp_run *run, struct pp_error *error)
{
	const int got = pp_ring_threads_start(&c->rings, error) ? -1 : run_on(c, run, error);

	pp_ring_threads_stop(&c->rings);
	return got;
}
