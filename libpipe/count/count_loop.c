/*
 * count_loop.c - a run of counting from its start to its end: delay, intervals, duration, commands.
 * counting.c writes the records.
 */
#include "base/clock.h"
#include "base/sized_options.h"
#include "count/counting.h"

#include <poll.h>
#include <time.h>

#define NEVER UINT64_MAX

static uint64_t after(uint64_t now, uint64_t ns)
{
	return ns < NEVER - now ? now + ns : NEVER;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Until something is due, a signal comes (true), or a command.  Tasks whose end no signal tells are looked at
 * several times a second. */
static bool wait_until(const struct pp_counting *c, uint64_t due, const void *mask)
{
	enum { LOOK_NS = 100000000 };
	const struct pp_target *const t = c->counters->target;
	struct pollfd control = { c->control, POLLIN, 0 };
	const uint64_t now = pp_now_ns();
	struct timespec rest;
	uint64_t ns;

	if (!t->system_wide && !t->options.command)
		due = least(due, after(now, LOOK_NS));
	ns = due > now ? due - now : 0;
	rest = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	return ppoll(&control, 1, due == NEVER ? NULL : &rest, mask) < 0;
}

struct timing {
	uint64_t start, next, end;    /* ns: of counting, of the next interval, of the run; or NEVER */
	uint64_t every;               /* ns: from one interval, or several that are one for us, to the next */
	uint64_t left;                /* intervals */
};

/* Once counting has begun, all else is due from then.  Intervals that the readers read by themselves are
 * written half an interval later, when the last of them has been read. */
static void plan(struct pp_counting *c, const struct pp_counting_run *run, struct timing *t)
{
	const uint64_t interval = c->options.interval;

	if (!c->begun || t->next != NEVER || t->end != NEVER)
		return;
	if (interval) {
		t->every = run->intervals ? interval : pp_counting_tick(c) * interval;
		t->next = after(c->begun, t->every + (c->ticks ? interval / 2 : 0));
	}
	if (run->duration)
		t->end = after(c->begun, run->duration);
}

/* The next that is still to come: those that were missed are one. */
static void advance(struct timing *t, uint64_t now)
{
	t->next += t->every;
	if (t->next <= now)
		t->next += (now - t->next) / t->every * t->every + t->every;
}

/* What is due now.  1: the run ends, 0, or -1 and *error. */
static int do_due(struct pp_counting *c, const struct pp_counting_run *run, struct timing *t,
		  struct pp_error *error)
{
	const uint64_t now = pp_now_ns();

	if (c->commanded)
		t->start = NEVER;
	if (now >= t->start) {
		t->start = NEVER;
		if (pp_counting_switch(c, true, error))
			return -1;
	}
	plan(c, run, t);
	if (now >= t->end)
		return 1;
	if (now < t->next)
		return 0;
	/* The last of them is the round that ends the run. */
	if (t->left && !--t->left)
		return 1;
	advance(t, now);
	return pp_counting_interval(c, error);
}

static int turn(void *arg, const char *event, bool on, struct pp_error *error)
{
	struct pp_counting *const c = arg;

	if (event)
		return pp_counters_switch_named(c->counters, event, on, error);
	return pp_counting_switch(c, on, error) ? -1 : 1;
}

static int run_until(struct pp_counting *c, const struct pp_counting_run *given, struct pp_error *error)
{
	const struct pp_commanded commanded = {
		.arg = c, .turn = turn, .events = c->counters->events, .say = &c->options.say,
		.control = &c->control, .commanded = &c->commanded,
	};
	struct timing t = { NEVER, NEVER, NEVER, 0, 0 };
	struct pp_commands commands;
	struct pp_counting_run run;
	bool signalled = true;
	int got = 0;

	if (pp_options_take(&run, sizeof(run), given, error) ||
	    pp_commands_open(&commands, &commanded, run.control, error))
		return -1;
	t.left = run.intervals;
	if (!c->begun)
		t.start = after(pp_now_ns(), run.delay);
	while (!got) {
		if (run.stop && *run.stop)
			return 1;
		/* the end of the command is a signal, if signals are let through */
		if (((signalled || !run.mask) && pp_counters_command(c->counters, NULL)) ||
		    !pp_counting_alive(c))
			return 0;
		got = do_due(c, &run, &t, error);
		if (got)
			break;
		signalled = wait_until(c, least(least(t.start, t.next), t.end), run.mask);
		got = pp_commands_obey(&commands, error);
	}
	return got;
}

/* A signal from the terminal may have ended the command, too. */
int pp_counting_run(struct pp_counting *c, const struct pp_counting_run *given, struct pp_error *error)
{
	int got = run_until(c, given, error);

	/* what comes first is what is said */
	if (pp_counting_be_still(c, got < 0 ? NULL : error))
		got = -1;
	c->cut |= got > 0;
	return got;
}
