/* enable_counters.c - what can be asked of counters that are open: started, stopped, reset, filtered. */
#include "counter/counter.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

enum what { ENABLE, DISABLE, RESET, REFRESH, PERIOD, PAUSE, FILTER, BPF, MODIFY };

/* `leads`: members of a group follow what is done to their leader.  `why`: what to do about it. */
static const struct {
	unsigned long request;
	const char *cannot, *why;
	bool leads;
} kinds[] = {
	[ENABLE]  = { PERF_EVENT_IOC_ENABLE, "start", "", true },
	[DISABLE] = { PERF_EVENT_IOC_DISABLE, "stop", "", true },
	[RESET]   = { PERF_EVENT_IOC_RESET, "reset", "", true },
	[REFRESH] = { PERF_EVENT_IOC_REFRESH, "refresh", " (is it sampled, and not inherited?)", false },
	[PERIOD]  = { PERF_EVENT_IOC_PERIOD, "set the period of", " (is it sampled?)", false },
	[PAUSE]   = { PERF_EVENT_IOC_PAUSE_OUTPUT, "pause the ring of", " (has it a ring?)", false },
	[FILTER]  = { PERF_EVENT_IOC_SET_FILTER, "filter", "", false },
	[BPF]     = { PERF_EVENT_IOC_SET_BPF, "run a BPF program with", "", false },
	[MODIFY]  = { PERF_EVENT_IOC_MODIFY_ATTRIBUTES, "modify", " (only breakpoints can be)", false },
};

static int refuse_request(const struct pp_counters *c, size_t event, enum what what,
			  struct pp_error *error)
{
	const bool filtered = what == FILTER && errno == EEXIST;

	return pp_fail_os(error, "cannot %s %.80s%s", kinds[what].cannot, c->events->items[event].name,
			  filtered ? " (a tracepoint keeps its first filter)" : kinds[what].why);
}

/* Asks this of an event at all its places.  A thread that has ended leaves a counter to ask. */
static int ask_event(const struct pp_counters *c, size_t event, enum what what, uintptr_t value,
		     struct pp_error *error)
{
	for (size_t place = 0; place < c->each; place++) {
		const int fd = c->of[event].fds[place];

		if (fd >= 0 && ioctl(fd, kinds[what].request, value))
			return refuse_request(c, event, what, error);
	}
	return 0;
}

static int ask_kernel(const struct pp_counters *c, size_t event, enum what what, uintptr_t value,
		      struct pp_error *error)
{
	if (event != PP_EVERY && event >= c->events->n)
		return pp_fail(error, PP_E_USE, "there is no event %zu", event);
	if (event != PP_EVERY)
		return ask_event(c, event, what, value, error);
	for (size_t i = 0; i < c->events->n; i++)
		if ((c->events->items[i].leader == i || !kinds[what].leads) &&
		    ask_event(c, i, what, value, error))
			return -1;
	return 0;
}

int pp_counters_enable(struct pp_counters *c, size_t event, struct pp_error *error)
{
	return ask_kernel(c, event, ENABLE, 0, error);
}

int pp_counters_disable(struct pp_counters *c, size_t event, struct pp_error *error)
{
	return ask_kernel(c, event, DISABLE, 0, error);
}

int pp_counters_reset(struct pp_counters *c, size_t event, struct pp_error *error)
{
	const bool leads = event >= c->events->n || c->events->items[event].leader == event;

	return ask_kernel(c, event, RESET, leads ? PERF_IOC_FLAG_GROUP : 0, error);
}

int pp_counters_refresh(struct pp_counters *c, size_t event, uint32_t samples,
			struct pp_error *error)
{
	return ask_kernel(c, event, REFRESH, samples, error);
}

int pp_counters_period(struct pp_counters *c, size_t event, uint64_t period,
		       struct pp_error *error)
{
	return ask_kernel(c, event, PERIOD, (uintptr_t)&period, error);
}

int pp_counters_pause(struct pp_counters *c, size_t event, bool paused, struct pp_error *error)
{
	return ask_kernel(c, event, PAUSE, paused, error);
}

int pp_counters_filter(struct pp_counters *c, size_t event, const char *filter,
		       struct pp_error *error)
{
	return ask_kernel(c, event, FILTER, (uintptr_t)filter, error);
}

int pp_counters_bpf(struct pp_counters *c, size_t event, int program, struct pp_error *error)
{
	return ask_kernel(c, event, BPF, (uintptr_t)(unsigned)program, error);
}

/* The first counter that an event has, or -1. */
static int first_fd(const struct pp_counters *c, size_t event)
{
	for (size_t place = 0; place < c->each; place++)
		if (pp_counters_fd(c, event, place) >= 0)
			return c->of[event].fds[place];
	return -1;
}

int pp_counters_query_bpf(const struct pp_counters *c, size_t event, uint32_t *ids, size_t room,
			  struct pp_error *error)
{
	struct perf_event_query_bpf *query;
	int status;

	if (event >= c->events->n || first_fd(c, event) < 0)
		return pp_fail(error, PP_E_USE, "there is no counter of event %zu", event);
	if (room > UINT32_MAX / sizeof(*ids))
		room = UINT32_MAX / sizeof(*ids);
	query = calloc(1, sizeof(*query) + room * sizeof(*ids));
	if (!query)
		return pp_fail(error, PP_E_NOMEM, NULL);
	query->ids_len = (uint32_t)room;
	status = ioctl(first_fd(c, event), PERF_EVENT_IOC_QUERY_BPF, query);
	/* ENOSPC: as many as there was room for, and how many there are. */
	if (status && errno != ENOSPC) {
		free(query);
		return pp_fail_os(error, "cannot list the BPF programs of %.80s",
				  c->events->items[event].name);
	}
	for (size_t i = 0; i < room && i < query->prog_cnt; i++)
		ids[i] = query->ids[i];
	status = (int)query->prog_cnt;
	free(query);
	return status;
}

int pp_counters_modify(struct pp_counters *c, size_t event, const char *breakpoint,
		       struct pp_error *error)
{
	struct pp_events words = { .n = 0 };
	struct perf_event_attr attr;
	int status;

	if (event >= c->events->n)
		return pp_fail(error, PP_E_USE, "there is no event %zu", event);
	if (pp_events_add(&words, breakpoint, error)) {
		pp_events_free(&words);
		return -1;
	}
	/* The kernel takes nothing else anew, and refuses what differs elsewhere. */
	attr = c->events->items[event].attr;
	attr.size = PP_ATTR_SIZE;
	attr.bp_type = words.items[0].attr.bp_type;
	attr.bp_addr = words.items[0].attr.bp_addr;
	attr.bp_len = words.items[0].attr.bp_len;
	/* It has to stop it for that, and goes by this. */
	attr.disabled = 0;
	status = words.n == 1 && words.items[0].attr.type == PERF_TYPE_BREAKPOINT ?
			 ask_kernel(c, event, MODIFY, (uintptr_t)&attr, error) :
			 pp_fail(error, PP_E_USE, "'%.80s' is not a breakpoint", breakpoint);
	if (!status) {
		attr.size = c->events->items[event].attr.size;
		c->events->items[event].attr = attr;
	}
	pp_events_free(&words);
	return status;
}

int pp_counters_output(struct pp_counters *c, size_t event, size_t place, int fd,
		       struct pp_error *error)
{
	const int own = pp_counters_fd(c, event, place);

	if (own < 0)
		return pp_fail(error, PP_E_USE, "there is no counter %zu at place %zu", event, place);
	/* as wide as a pointer: the kernel knows -1 by all of its bits */
	if (ioctl(own, PERF_EVENT_IOC_SET_OUTPUT, (long)fd))
		return pp_fail_os(error, "cannot send samples of %.80s to another ring",
				  c->events->items[event].name);
	return 0;
}

int pp_thread_counters(bool on, struct pp_error *error)
{
	if (prctl(on ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0))
		return pp_fail_os(error, "cannot %s the thread's counters", on ? "start" : "stop");
	return 0;
}
