/* open_counters.c - opens the counters, with what this kernel and this user allow; starts and stops them. */
#include "base/procfs.h"
#include "counter/counter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int perf_event_open(struct perf_event_attr *attr, int32_t pid, int cpu, int group,
			   unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group,
			    flags | PERF_FLAG_FD_CLOEXEC);
}

static bool no_such_counter(int os)
{
	return os == ENOENT || os == ENODEV || os == ENXIO || os == EOPNOTSUPP;
}

/* What a machine or its kernel does not have for any user. */
static bool cannot_be_had(int os)
{
	return no_such_counter(os) || os == EINVAL || os == E2BIG || os == ENOSYS;
}

/* What these counters are for, in messages. */
static const char *verb(const struct pp_counters *c)
{
	return c->only_counts ? "count" : "record";
}

/* Where cycles cannot be counted, time is the next best, as for perf. */
static bool take_clock(struct pp_counters *c, struct pp_event *e, struct pp_error *error)
{
	if (c->only_counts || e->attr.type != PERF_TYPE_HARDWARE ||
	    e->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	e->attr.exclude_guest = e->attr.exclude_host = 0;
	e->attr.precise_ip = 0;
	e->any_precision = false;
	if (!c->took_clock)
		pp_say(c->say, "this machine cannot count cycles: recording cpu-clock instead");
	c->took_clock = true;
	return !pp_event_rename(e, "cpu-clock", error);
}

/* A user who may not look into the kernel gets user space alone, unless more was asked for. */
static bool take_user_only(struct pp_counters *c, struct pp_event *e, struct pp_error *error)
{
	char base[512];

	if (e->asked_modes || e->attr.exclude_kernel || e->system || c->target->system_wide)
		return false;
	e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	c->user_only = true;
	(void)snprintf(base, sizeof(base), "%.*s", (int)strcspn(e->name, ":"), e->name);
	return !pp_event_rename(e, base, error);
}

/* Changes the attribute so that it is worth another try after errno `os`; false: it is not. */
static bool soften(struct pp_counters *c, struct pp_event *e, int os, struct pp_error *error)
{
	if (os == EACCES || os == EPERM)
		return take_user_only(c, e, error);
	if (os == EINVAL && pp_missing_features_first(&e->attr, &c->missing))
		return true;
	if (e->any_precision && e->attr.precise_ip && os != ENOENT &&
	    (no_such_counter(os) || os == EINVAL)) {
		e->attr.precise_ip--;
		return true;
	}
	if (e->any_registers && (os == EOPNOTSUPP || os == EINVAL)) {
		e->attr.sample_regs_intr &= ~PP_REGS_EXTENDED;
		e->any_registers = false;
		return true;
	}
	if (no_such_counter(os))
		return take_clock(c, e, error);
	return os == EINVAL && pp_missing_features_next(&c->missing);
}

static bool is_among(uint32_t cpu, const uint32_t *cpus, long n)
{
	for (long i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

/* Does an event count on this CPU, by its PMU and its own term? */
static bool counts_on(const struct pp_event *e, uint32_t cpu)
{
	if (e->own_cpus && !is_among(cpu, e->own_cpus, e->n_own_cpus))
		return false;
	return !e->cpus || cpu == PP_ANY_CPU || is_among(cpu, e->cpus, e->n_cpus);
}

enum { SPARE_FILES = 16 };             /* for all but counters */

#define PARANOID "kernel.perf_event_paranoid"
enum { PARANOID_UNKNOWN = 99, PARANOID_KERNEL = 1 };

static int paranoid(void)
{
	char text[16];

	return pp_file_text(text, sizeof(text), "/proc/sys/kernel/perf_event_paranoid") > 0 ?
		       atoi(text) : PARANOID_UNKNOWN;
}

/* The highest value with which the kernel lets everybody open it: perf_allow_tracepoint() and its
 * neighbours in include/linux/perf_event.h. */
static int paranoid_enough(const struct pp_counters *c, const struct pp_event *e)
{
	if (e->system)
		return -1;
	if (c->target->system_wide)
		return 0;
	return e->attr.exclude_kernel ? 2 : PARANOID_KERNEL;
}

static bool belongs_to_another(int32_t tid)
{
	return tid > 0 && kill(tid, 0) && errno == EPERM;
}

static int not_permitted(const struct pp_counters *c, const struct pp_event *e, int32_t tid, int os,
			 struct pp_error *error)
{
	const int is = paranoid(), enough = paranoid_enough(c, e);
	const bool foreign = belongs_to_another(tid);

	errno = os;
	if (is == PARANOID_UNKNOWN)
		return pp_fail_os(error, "cannot %s %.60s: needs root or CAP_PERFMON", verb(c),
				  e->name);
	if (foreign)
		return pp_fail_os(error, "cannot %s thread %d, which is another user's: needs root, or "
				  "CAP_PERFMON and CAP_SYS_PTRACE", verb(c), tid);
	/* A container's filter of system calls, perhaps. */
	if (is <= enough)
		return pp_fail_os(error, "cannot %s %.60s: not permitted here, although " PARANOID
				  " is %d", verb(c), e->name, is);
	return pp_fail_os(error, "cannot %s %.60s: needs root, CAP_PERFMON or " PARANOID
			  " of at most %d (it is %d)", verb(c), e->name, enough, is);
}

static int refuse_counter(const struct pp_counters *c, const struct pp_event *e, int32_t tid, int os,
			  struct pp_error *error)
{
	errno = os;
	if (os == EACCES || os == EPERM)
		return not_permitted(c, e, tid, os, error);
	if (e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK && (os == EOPNOTSUPP || os == EINVAL)) {
		(void)pp_fail_os(error, "cannot record branches with %.80s: its PMU has no such "
				 "records", e->name);
		return pp_error_hint(error, PP_HINT_BRANCHES);
	}
	if (e->attr.sample_regs_intr & PP_REGS_EXTENDED && (os == EOPNOTSUPP || os == EINVAL))
		return pp_fail_os(error, "cannot record these registers with %.80s: its PMU has them "
				  "not, or only of precise events", e->name);
	if (no_such_counter(os)) {
		errno = EOPNOTSUPP;
		return pp_fail_os(error, "cannot %s %.80s: this machine has no such counter",
				  verb(c), e->name);
	}
	if (e->own.given & PP_TERM_AUX_ACTION && (os == EOPNOTSUPP || os == EINVAL))
		return pp_fail_os(error, "cannot %s %.80s: traces cannot be paused by this kernel or PMU "
				  "(Linux 6.13 and later can, where the PMU can): leave out aux-action",
				  verb(c), e->name);
	if (os == E2BIG)
		return pp_fail_os(error, "cannot %s %.80s: this kernel does not know config%s: leave it at "
				  "0, or use Linux %s or later", verb(c), e->name,
				  e->attr.size > PP_AT_config4 ? "4" : "3",
				  e->attr.size > PP_AT_config4 ? "6.18" : "6.3");
	if (os == EMFILE)
		return pp_fail_os(error, "cannot open all counters: raise the limit on open files "
				  "(ulimit -n), or %s fewer threads", verb(c));
	if (os == EINVAL && e->leader == (size_t)(e - c->events->items) && strstr(e->name, "topdown-"))
		return pp_fail_os(error, "cannot %s %.80s: it is counted in a group that slots leads, as in "
				  "{slots,%.80s}", verb(c), e->name, e->name);
	if (os == EINVAL && strchr(e->name, '/'))
		return pp_fail_os(error, "cannot %s %.80s: its PMU does not take these terms%s",
				  verb(c), e->name, c->only_counts ? "" : ", or can only count");
	return pp_fail_os(error, "cannot %s %.80s", verb(c), e->name);
}

/* Opens one counter; errno on failure. */
static int try_open(const struct pp_counters *c, const struct pp_event *e, int32_t tid, int cpu,
		    int group)
{
	const bool in_group = c->cgroup >= 0;
	union pp_wide_attr wide;
	int fd;

	memcpy(&wide, e->words, sizeof(wide.words));
	pp_missing_features_drop(&wide.attr, c->missing);
	do
		fd = perf_event_open(&wide.attr, in_group ? c->cgroup : tid, cpu, group,
				     in_group ? PERF_FLAG_PID_CGROUP : 0);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Neither has a CPU that was there when the target was found, and that is said once. */
static bool went_offline(struct pp_counters *c, uint32_t cpu)
{
	if (pp_cpu_is_online(cpu))
		return false;
	if (c->offline != cpu + 1)
		pp_say(c->say, "CPU %u has gone off line: it is left out", cpu);
	c->offline = cpu + 1;
	return true;
}

/* Whether it is only its group, which may be broken up, with which the event is not to be had. */
static bool does_alone(const struct pp_counters *c, const struct pp_event *e, int32_t tid, int cpu)
{
	const int fd = try_open(c, e, tid, cpu, -1);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Opens the i-th counter of an event.  Only the first to succeed may change the attribute.  0; 1: its
 * group is to be broken up; or -1. */
static int open_counter(struct pp_counters *c, size_t event, size_t i, size_t *opened,
			struct pp_error *error)
{
	const struct pp_target *const t = c->target;
	struct pp_event *const e = &c->events->items[event];
	const int leader = e->leader == event ? -1 : c->of[e->leader].fds[i];
	const int32_t tid = t->threads[i % t->n_threads].tid;
	const int cpu = (int)t->cpus[i / t->n_threads];
	int os;

	if (e->leader != event && leader < 0)
		return 0;
	do {
		const int fd = try_open(c, e, tid, cpu, leader);

		if (fd >= 0) {
			c->of[event].fds[i] = fd;
			++*opened;
			return 0;
		}
		os = errno;
		if (os == ENODEV && went_offline(c, t->cpus[i / t->n_threads]))
			return 0;
		if (os == EINVAL && e->weak && leader >= 0 && does_alone(c, e, tid, cpu))
			return 1;
	} while (!*opened && soften(c, e, os, error));
	if (!c->of[event].refused)
		c->of[event].refused = os;
	/* A thread that has ended since it was found is not a failure. */
	if (os == ESRCH || (c->lenient && cannot_be_had(os)))
		return 0;
	return refuse_counter(c, e, tid, os, error);
}

static bool is_alone(const struct pp_counters *c, size_t event)
{
	const struct pp_event *const items = c->events->items;

	return items[event].leader == event &&
	       (event + 1 == c->events->n || items[event + 1].leader != event);
}

static int open_at_all(struct pp_counters *c, size_t event, struct pp_error *error)
{
	const struct pp_target *const t = c->target;
	const struct pp_event *const e = &c->events->items[event];
	size_t opened = 0;
	bool tried = false;
	/* time passes everywhere at once */
	const bool once = e->time == PP_TIME_DURATION && is_alone(c, event);
	int status;

	for (size_t i = 0; i < c->each && !(once && opened); i++) {
		if (!(t->selected[i / t->n_threads] || e->everywhere) ||
		    !counts_on(e, t->cpus[i / t->n_threads]))
			continue;
		tried = true;
		pp_open_on_cpu_go(c->near, i % t->n_threads);
		status = open_counter(c, event, i, &opened, error);
		if (status)
			return status;
	}
	if (!tried)
		return pp_fail(error, PP_E_USE, "cannot %s %.80s: %s none of the CPUs that are %sed",
			       verb(c), e->name, e->own_cpus ? "by its term cpu it is on" :
							       "its PMU is on", verb(c));
	return opened || c->lenient ? 0 : refuse_counter(c, e, -1, ESRCH, error);
}

static int open_event(struct pp_counters *c, size_t event, struct pp_error *error)
{
	const char *const group = c->events->items[event].cgroup;
	int status;

	c->cgroup = -1;
	if (group && *group) {
		c->cgroup = pp_cgroup_open(group, error);
		if (c->cgroup < 0)
			return -1;
	}
	status = open_at_all(c, event, error);
	if (c->cgroup >= 0)
		(void)close(c->cgroup);
	return status;
}

/* Makes each event of a weak group one by itself, as perf does.  The first to be opened again. */
static size_t break_up(struct pp_counters *c, size_t leader)
{
	pp_say(c->say, "the events of the group of %.80s cannot be %sed at the same time: "
	       "%sing each by itself, as W permits", c->events->items[leader].name, verb(c), verb(c));
	for (size_t i = c->events->n; i-- > 0;) {
		if (c->events->items[i].leader != leader)
			continue;
		for (size_t k = 0; k < c->each; k++)
			if (c->of[i].fds[k] >= 0) {
				(void)close(c->of[i].fds[k]);
				c->of[i].fds[k] = -1;
			}
		pp_event_stand_alone(c->events, i);
	}
	return leader;
}

/* How many there will be of an event: on its CPUs, or on all. */
static size_t places_of(const struct pp_counters *c, const struct pp_event *e)
{
	const struct pp_target *const t = c->target;
	size_t n = 0;

	for (size_t i = 0; i < t->n_cpus; i++)
		n += (t->selected[i] || e->everywhere) && counts_on(e, t->cpus[i]);
	return n * t->n_threads;
}

/* Raises the limit on open files where it is too low for all counters, which is known before the first
 * of thousands is opened. */
static int check_limit(const struct pp_counters *c, struct pp_error *error)
{
	const struct pp_target *const t = c->target;
	const int next = dup(STDERR_FILENO);
	rlim_t needed = SPARE_FILES + (next < 0 ? 0 : (rlim_t)next), has;
	struct rlimit limit;

	if (next >= 0)
		(void)close(next);
	for (size_t i = 0; i < c->events->n; i++)
		needed += places_of(c, &c->events->items[i]);
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	has = limit.rlim_cur;
	if (t->options.raise_limit && has < needed) {
		limit.rlim_cur = needed;
		/* beyond what is permitted to all: root may */
		if (limit.rlim_max < needed)
			limit.rlim_max = needed;
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			return 0;
		has = getrlimit(RLIMIT_NOFILE, &limit) ? has : limit.rlim_max;
	}
	if (has >= needed)
		return 0;
	errno = EMFILE;
	if (pp_target_any_cpu(t))
		return pp_fail_os(error, "cannot open counters of %zu threads: %llu files may be open: "
				  "raise that (ulimit -n %llu), or %s fewer threads", t->n_threads,
				  (unsigned long long)has, (unsigned long long)needed, verb(c));
	if (t->n_threads == 1 && t->threads[0].tid < 0) {
		(void)pp_fail_os(error, "cannot open %zu counters on %zu CPUs: %llu files may be open: "
				 "raise that (ulimit -n %llu), or %s fewer events or CPUs",
				 c->events->n, t->n_selected, (unsigned long long)has,
				 (unsigned long long)needed, verb(c));
		return pp_error_hint(error, PP_HINT_FEWER_CPUS);
	}
	(void)pp_fail_os(error, "cannot open counters of %zu threads on %zu CPUs: %llu files may be open: "
			 "raise that (ulimit -n %llu), or %s fewer threads or CPUs",
			 t->n_threads, t->n_selected, (unsigned long long)has,
			 (unsigned long long)needed, verb(c));
	return pp_error_hint(error, PP_HINT_CPUS_OR_THREADS);
}

static int make_room(struct pp_counters *c, struct pp_error *error)
{
	c->of = calloc(c->events->n + 1, sizeof(*c->of));
	if (!c->of)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->events->n; i++) {
		struct pp_counter *const of = &c->of[i];

		of->fds = malloc(c->each * sizeof(*of->fds));
		for (size_t k = 0; of->fds && k < c->each; k++)
			of->fds[k] = -1;
		of->ids = calloc(c->each, sizeof(*of->ids));
		if (!of->fds || !of->ids)
			return pp_fail(error, PP_E_NOMEM, NULL);
	}
	return 0;
}

static int set_filter(const struct pp_event *e, const struct pp_counter *of, size_t each,
		      struct pp_error *error)
{
	for (size_t k = 0; e->filter && k < each; k++)
		if (of->fds[k] >= 0 && ioctl(of->fds[k], PERF_EVENT_IOC_SET_FILTER, e->filter))
			return pp_filter_refused(e, errno, error);
	return 0;
}

static int learn_id(struct pp_counter *of, size_t k, struct pp_error *error)
{
	return ioctl(of->fds[k], PERF_EVENT_IOC_ID, &of->ids[k]) ?
		       pp_fail_os(error, "cannot read the id of a counter") : 0;
}

/* The next place after this one that is open, or `last`, which is. */
static size_t next_open(const struct pp_counter *of, size_t k, size_t last)
{
	do
		k++;
	while (k < last && of->fds[k] < 0);
	return k;
}

/* Those between two that are known.  The kernel gives each counter the next number: if these two differ by
 * as much as they are places apart, no other program opened one meanwhile. */
static int learn_between(struct pp_counter *of, size_t first, size_t last, struct pp_error *error)
{
	size_t n = 0, middle = first;

	for (size_t k = first; k < last; k = next_open(of, k, last))
		n++;
	if (n < 2)
		return 0;
	if (of->ids[last] - of->ids[first] == n) {
		for (size_t k = first, id = 0; k < last; k = next_open(of, k, last))
			of->ids[k] = of->ids[first] + id++;
		return 0;
	}
	for (size_t k = 0; k < n / 2; k++)
		middle = next_open(of, middle, last);
	return learn_id(of, middle, error) || learn_between(of, first, middle, error) ||
	       learn_between(of, middle, last, error) ? -1 : 0;
}

static int learn_ids(struct pp_counter *of, size_t each, struct pp_error *error)
{
	size_t first = 0, last = each;

	while (first < each && of->fds[first] < 0)
		first++;
	if (first == each)
		return 0;
	while (of->fds[--last] < 0)
		continue;
	return learn_id(of, first, error) || (last > first && learn_id(of, last, error)) ||
	       learn_between(of, first, last, error) ? -1 : 0;
}

/* What happens in the kernel alone has no samples where only user space is recorded. */
static void say_silent(const struct pp_counters *c, const struct pp_event *e, const struct pp_say *say)
{
	const bool in_kernel = e->attr.type == PERF_TYPE_SOFTWARE &&
			       (e->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
				e->attr.config == PERF_COUNT_SW_CPU_MIGRATIONS);

	if (in_kernel && e->attr.exclude_kernel && !e->asked_modes && !c->only_counts)
		pp_say(say, "%s has no samples: it happens in the kernel, which is not recorded", e->name);
}

int pp_counters_fill(struct pp_counters *c, struct pp_events *events,
		     const struct pp_target *target, const struct pp_say *say, struct pp_error *error)
{
	uint64_t said = 0;
	int status;

	c->events = events;
	c->target = target;
	c->say = say;
	c->each = target->n_cpus * target->n_threads;
	if (check_limit(c, error) || make_room(c, error))
		return -1;
	for (size_t i = 0; i < events->n;) {
		status = open_event(c, i, error);
		if (status < 0)
			return -1;
		i = status ? break_up(c, events->items[i].leader) : i + 1;
	}
	for (size_t i = 0; i < events->n; i++) {
		pp_missing_features_say(&events->items[i].attr, c->missing, &said, say);
		pp_missing_features_drop(&events->items[i].attr, c->missing);
		if (set_filter(&events->items[i], &c->of[i], c->each, error) ||
		    learn_ids(&c->of[i], c->each, error))
			return -1;
	}
	if (!c->user_only)
		return 0;
	pp_say(say, "%sing user space only: %sing the kernel needs root, CAP_PERFMON or "
	       PARANOID " of at most %d (it is %d)", verb(c), verb(c), PARANOID_KERNEL, paranoid());
	for (size_t i = 0; i < events->n; i++)
		say_silent(c, &events->items[i], say);
	return 0;
}

static int switch_event(const struct pp_counters *c, size_t event, bool on, struct pp_error *error)
{
	const struct pp_counter *const of = &c->of[event];

	for (size_t k = 0; k < c->each; k++)
		if (of->fds[k] >= 0 &&
		    ioctl(of->fds[k], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return pp_fail_os(error, "cannot %s %s", on ? "start" : "stop",
					  c->events->items[event].name);
	return 0;
}

int pp_counters_switch(const struct pp_counters *c, bool on, enum pp_which which,
		       struct pp_error *error)
{
	for (size_t i = 0; i < c->events->n; i++) {
		const struct pp_event *const e = &c->events->items[i];

		/* Members of a group follow their leader. */
		if (e->leader != i || (which == PP_TELLER && !e->attr.task) ||
		    (which == PP_ALL_SAMPLED && e->attr.task && pp_event_is_dummy(e)))
			continue;
		if (switch_event(c, i, on, error))
			return -1;
	}
	return 0;
}

int pp_counters_switch_named(const struct pp_counters *c, const char *name, bool on,
			     struct pp_error *error)
{
	int found = 0;

	for (size_t i = 0; i < c->events->n; i++) {
		if (strcmp(c->events->items[i].name, name) != 0)
			continue;
		found++;
		if (switch_event(c, i, on, error))
			return -1;
	}
	return found;
}

void pp_counters_empty(struct pp_counters *c)
{
	for (size_t i = 0; c->of && i < c->events->n; i++) {
		for (size_t k = 0; c->of[i].fds && k < c->each; k++)
			if (c->of[i].fds[k] >= 0)
				(void)close(c->of[i].fds[k]);
		free(c->of[i].fds);
		free(c->of[i].ids);
		if (c->of[i].page)
			(void)munmap(c->of[i].page, (size_t)sysconf(_SC_PAGESIZE));
	}
	free(c->of);
	*c = (struct pp_counters){ .of = NULL };
}
