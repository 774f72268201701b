/*
 * tool_events.c - times that are counted as events: how long it took, and what of it was spent in user
 * space and in the kernel.  No counter has them; what they are added up from is what /proc and the end of
 * the command say.
 */
#include "base/procfs.h"
#include "count/counting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was spent, in ns. */
struct spent {
	uint64_t user, system;
};

static uint64_t ns_of_ticks(uint64_t ticks)
{
	const long hz = sysconf(_SC_CLK_TCK);

	return ticks * (1000000000 / (uint64_t)(hz > 0 ? hz : 100));
}

static uint64_t ns_of_usage(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* By a thread, or by a whole process with the children that it has waited for.  False: it is gone. */
static bool spent_by(int32_t pid, int32_t tid, bool whole, struct spent *to)
{
	uint64_t user, system, more_user, more_system;
	char text[512];
	const char *close;

	if (whole ? pp_file_text(text, sizeof(text), "/proc/%d/stat", pid) < 0 :
		    pp_file_text(text, sizeof(text), "/proc/%d/task/%d/stat", pid, tid) < 0)
		return false;
	close = strrchr(text, ')');
	/* from the third field on, of which these are the 14th to the 17th */
	if (!close || sscanf(close + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			     " %" SCNu64 " %" SCNu64, &user, &system, &more_user, &more_system) != 4)
		return false;
	to->user = ns_of_ticks(user + (whole ? more_user : 0));
	to->system = ns_of_ticks(system + (whole ? more_system : 0));
	return true;
}

/* The command, which says exactly what it spent when it has ended. */
static bool spent_by_command(const struct pp_target *t, struct spent *to)
{
	if (!t->ended)
		return spent_by(t->command, t->command, true, to);
	*to = (struct spent){ ns_of_usage(t->usage.ru_utime), ns_of_usage(t->usage.ru_stime) };
	return true;
}

/* The line of a CPU, as far as the kernel gave it: "cpu3 USER NICE SYSTEM ...". */
static bool spent_on(const char *stat, uint32_t cpu, struct spent *to)
{
	uint64_t user, nice, system;
	char name[16];
	const char *line;

	(void)snprintf(name, sizeof(name), "\ncpu%" PRIu32 " ", cpu);
	line = strstr(stat, name);
	if (!line || sscanf(line + strlen(name), "%" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice,
			    &system) != 3)
		return false;
	*to = (struct spent){ ns_of_ticks(user + nice), ns_of_ticks(system) };
	return true;
}

/* What was spent at a place; false: that is not known any more, and stays what it was. */
static bool spent_at(const struct pp_counting *c, size_t place, const char *stat, struct spent *to)
{
	const struct pp_target *const t = c->counters->target;
	const struct pp_target_thread *const thread = &t->threads[place % t->n_threads];

	if (c->per_run)
		return spent_by_command(t, to);
	if (t->system_wide)
		return stat && spent_on(stat, t->cpus[place / t->n_threads], to);
	return spent_by(thread->pid, thread->tid, false, to);
}

/* What all CPUs spent, to be freed; NULL: it is not asked for, or there is no memory. */
static char *read_stat(const struct pp_counting *c)
{
	enum { LINE = 256 };
	const struct pp_target *const t = c->counters->target;
	const size_t size = (t->n_cpus + 1) * LINE;
	char *const text = t->system_wide ? malloc(size) : NULL;

	if (text && pp_file_text(text, size, "/proc/stat") < 0)
		*text = '\0';
	return text;
}

static void take_spent(struct pp_counting *c, size_t event, const char *stat, uint64_t now)
{
	const struct pp_counters *const k = c->counters;

	for (size_t place = 0; place < k->each; place++) {
		struct pp_slot *const slot = &c->slots[event * k->each + place];
		struct spent spent;

		if (!slot->used)
			continue;
		slot->now = (struct pp_count){ .value = slot->now.value, .enabled = now, .running = now,
					       .state = PP_COUNT_VALUE };
		if (spent_at(c, place, stat, &spent))
			slot->now.value = k->events->items[event].time == PP_TIME_USER ? spent.user :
											  spent.system;
	}
}

/* It is counted at the first place there is. */
static void take_duration(struct pp_counting *c, size_t event, uint64_t now)
{
	struct pp_slot *slot = &c->slots[event * c->counters->each];

	for (size_t left = c->counters->each; left; left--, slot++) {
		if (!slot->used)
			continue;
		slot->now = (struct pp_count){ .value = now, .enabled = now, .running = now,
					       .state = PP_COUNT_VALUE };
		return;
	}
}

/* Until counting begins. */
static void stand_still(struct pp_counting *c, size_t event)
{
	for (size_t i = event * c->counters->each; i < (event + 1) * c->counters->each; i++)
		c->slots[i].now = c->slots[i].from;
}

void pp_counting_take_times(struct pp_counting *c, uint64_t now)
{
	const struct pp_events *const events = c->counters->events;
	char *stat = NULL;

	for (size_t i = 0; c->has_times && i < events->n; i++) {
		if (!c->begun && events->items[i].time)
			stand_still(c, i);
		else if (events->items[i].time == PP_TIME_DURATION)
			take_duration(c, i, now);
		else if (events->items[i].time)
			take_spent(c, i, stat ? stat : (stat = read_stat(c)), now);
	}
	free(stat);
}

void pp_counting_begin_times(struct pp_counting *c)
{
	const struct pp_counters *const k = c->counters;

	pp_counting_take_times(c, c->begun);
	for (size_t i = 0; c->has_times && i < c->n_slots; i++) {
		struct pp_slot *const slot = &c->slots[i];

		if (!k->events->items[i / k->each].time)
			continue;
		slot->from = slot->now;
		/* a command has spent nothing yet */
		if (c->per_run && k->events->items[i / k->each].time != PP_TIME_DURATION)
			slot->from.value = 0;
	}
}
