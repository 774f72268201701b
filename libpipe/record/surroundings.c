/* surroundings.c - notes of what a recording met on its machine: how it is clocked, and what else ran. */
#include "base/clock.h"
#include "base/procfs.h"
#include "record/capture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GOVERNOR "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"

enum {
	LEAST = 200 * 1000000,        /* ns: in less time, ticks of 10 ms say little */
	WAITS = 100,                  /* of a ms each */
};

/* What all processors did but for waiting, in ns, as the first line of /proc/stat says in ticks. */
static bool busy_time(int stat, uint64_t *busy)
{
	static const bool counts[] = { true, true, true, false, false, true, true, true };
	enum { COUNTS = sizeof(counts) / sizeof(*counts) };
	const long ticks = sysconf(_SC_CLK_TCK);
	char text[256];
	const ssize_t n = stat < 0 ? -1 : pread(stat, text, sizeof(text) - 1, 0);
	const char *at = text;
	uint64_t sum = 0, value;
	int length;

	if (n <= 4 || memcmp(text, "cpu ", 4) != 0 || ticks <= 0)
		return false;
	text[n] = '\0';
	at += 4;
	for (size_t i = 0; i < COUNTS && sscanf(at, "%" SCNu64 "%n", &value, &length) == 1; i++) {
		sum += counts[i] ? value : 0;
		at += length;
	}
	*busy = sum * (UINT64_C(1000000000) / (uint64_t)ticks);
	return true;
}

int pp_surroundings_begin(struct pp_capture *c, const struct pp_capture_sink *sink, struct pp_error *error)
{
	char governor[64];

	/* what it does is all that is recorded: the rest is of others */
	if (pp_target_command_alone(&c->target))
		c->met.stat = pp_file_open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (!sink->note || pp_file_text(governor, sizeof(governor), GOVERNOR) <= 0)
		return 0;
	return sink->note(sink->arg, PP_NOTE_GOVERNOR, governor, strlen(governor), error);
}

void pp_surroundings_start(struct pp_capture *c)
{
	c->met.known = busy_time(c->met.stat, &c->met.busy);
	c->met.time = pp_now_ns();
	c->met.own = pp_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t spent_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* The kernel closes the counters of a command first, and reports its end and what it spent a moment later. */
static bool command_ended(struct pp_capture *c)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	const bool closed = !__atomic_load_n(&c->rings.n_alive, __ATOMIC_RELAXED);
	int waits = 0;

	while (!pp_target_ended(&c->target, NULL))
		if (!closed || waits++ == WAITS || nanosleep(&moment, NULL))
			return false;
	return true;
}

int pp_surroundings_end(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_capture_sink *const sink = &c->rings.sink;
	const struct rusage *const usage = &c->target.usage;
	const uint64_t took = pp_now_ns() - c->met.time;
	uint64_t busy, ours;
	char value[32];
	int n;

	if (!sink->note || !c->met.known || took < LEAST || !command_ended(c) ||
	    !busy_time(c->met.stat, &busy))
		return 0;
	busy -= c->met.busy;
	ours = spent_ns(usage->ru_utime) + spent_ns(usage->ru_stime) +
	       pp_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - c->met.own;
	n = snprintf(value, sizeof(value), "%.2f", busy > ours ? (double)(busy - ours) / (double)took : 0.0);
	return sink->note(sink->arg, PP_NOTE_LOAD, value, (size_t)n, error);
}

void pp_surroundings_close(struct pp_capture *c)
{
	if (c->met.stat >= 0)
		(void)close(c->met.stat);
	c->met.stat = -1;
}
