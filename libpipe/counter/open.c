/* open.c - opens the counters, with what this kernel and this user allow; starts and stops them. */
#include "capture/capture.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * What older kernels do not know, newest first.  A kernel that refuses an attribute is asked
 * again without one more of these, for this and all later events.
 */
enum missing {
	MISSING_LOST,         /* 6.0 */
	MISSING_BUILD_ID,     /* 5.12 */
	MISSING_CGROUP,       /* 5.7 */
	MISSING_BPF_EVENT,    /* 5.1 */
	MISSING_KSYMBOL,      /* 5.1 */
	MISSING_COMM_EXEC,    /* 3.16 */
	MISSING_MMAP2,        /* 3.16 */
	MISSING_EXCLUDE_GUEST,
	N_MISSING
};

static void leave_out(struct perf_event_attr *a, uint64_t missing)
{
	if (missing >> MISSING_LOST & 1)
		a->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	if (missing >> MISSING_BUILD_ID & 1)
		a->build_id = 0;
	if (missing >> MISSING_CGROUP & 1)
		a->cgroup = 0;
	if (missing >> MISSING_BPF_EVENT & 1)
		a->bpf_event = 0;
	if (missing >> MISSING_KSYMBOL & 1)
		a->ksymbol = 0;
	if (missing >> MISSING_COMM_EXEC & 1)
		a->comm_exec = 0;
	if (missing >> MISSING_MMAP2 & 1)
		a->mmap2 = 0;
	if (missing >> MISSING_EXCLUDE_GUEST & 1)
		a->exclude_guest = a->exclude_host = 0;
}

static int perf_event_open(struct perf_event_attr *attr, int32_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static bool no_such_counter(int os)
{
	return os == ENOENT || os == ENODEV || os == ENXIO || os == EOPNOTSUPP;
}

/* Where cycles cannot be counted, time is the next best, as for perf. */
static bool take_clock(struct pp_capture *c, struct pp_event *e, struct pp_error *error)
{
	if (e->attr.type != PERF_TYPE_HARDWARE || e->attr.config != PERF_COUNT_HW_CPU_CYCLES)
		return false;
	e->attr.type = PERF_TYPE_SOFTWARE;
	e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
	e->attr.exclude_guest = e->attr.exclude_host = 0;
	e->attr.precise_ip = 0;
	e->any_precision = false;
	if (!c->took_clock)
		pp_capture_say(
			c, "this machine cannot count cycles: recording cpu-clock instead");
	c->took_clock = true;
	return !pp_event_rename(e, "cpu-clock", error);
}

/* A user who may not look into the kernel gets user space alone, unless more was asked for. */
static bool take_user_only(struct pp_capture *c, struct pp_event *e, struct pp_error *error)
{
	char base[512];

	if (e->asked_modes || e->attr.exclude_kernel || e->system || c->target.system_wide)
		return false;
	e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	c->user_only = true;
	(void)snprintf(base, sizeof(base), "%.*s", (int)strcspn(e->name, ":"), e->name);
	return !pp_event_rename(e, base, error);
}

/* Changes the attribute so that it is worth another try after errno `os`; false: it is not. */
static bool soften(struct pp_capture *c, struct pp_event *e, int os, struct pp_error *error)
{
	if (os == EACCES || os == EPERM)
		return take_user_only(c, e, error);
	if (e->any_precision && e->attr.precise_ip && os != ENOENT &&
	    (no_such_counter(os) || os == EINVAL)) {
		e->attr.precise_ip--;
		return true;
	}
	if (no_such_counter(os))
		return take_clock(c, e, error);
	if (os == EINVAL) {
		for (unsigned i = 0; i < N_MISSING; i++) {
			if (c->missing >> i & 1)
				continue;
			c->missing |= UINT64_C(1) << i;
			return true;
		}
	}
	return false;
}

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
static int paranoid_enough(const struct pp_capture *c, const struct pp_event *e)
{
	if (e->system)
		return -1;
	if (c->target.system_wide)
		return 0;
	return e->attr.exclude_kernel ? 2 : PARANOID_KERNEL;
}

static int not_permitted(const struct pp_capture *c, const struct pp_event *e, int os,
			 struct pp_error *error)
{
	const int is = paranoid(), enough = paranoid_enough(c, e);

	errno = os;
	if (is == PARANOID_UNKNOWN)
		return pp_fail_os(error, "cannot record %.60s: needs root or CAP_PERFMON", e->name);
	/* Somebody else's process, or a container's filter of system calls. */
	if (is <= enough)
		return pp_fail_os(error, "cannot record %.60s: not permitted here, although " PARANOID
				  " is %d", e->name, is);
	return pp_fail_os(error, "cannot record %.60s: needs root, CAP_PERFMON or " PARANOID
			  " of at most %d (it is %d)", e->name, enough, is);
}

static int refused(const struct pp_capture *c, const struct pp_event *e, int os,
		   struct pp_error *error)
{
	errno = os;
	if (os == EACCES || os == EPERM)
		return not_permitted(c, e, os, error);
	if (no_such_counter(os)) {
		errno = EOPNOTSUPP;
		return pp_fail_os(error, "cannot record %.80s: this machine has no such counter",
				  e->name);
	}
	if (os == EMFILE)
		return pp_fail_os(error, "cannot open all counters: raise the limit on open files "
				  "(ulimit -n), or record fewer threads");
	if (os == EINVAL && strchr(e->name, '/'))
		return pp_fail_os(error, "cannot record %.80s: its PMU does not take these terms, or "
				  "can only count", e->name);
	return pp_fail_os(error, "cannot record %.80s", e->name);
}

/* Opens one counter; errno on failure. */
static int try_open(const struct pp_capture *c, const struct pp_event *e, int32_t tid, int cpu,
		    int group)
{
	struct perf_event_attr attr = e->attr;
	int fd;

	leave_out(&attr, c->missing);
	do
		fd = perf_event_open(&attr, tid, cpu, group);
	while (fd < 0 && errno == EINTR);
	return fd;
}

/* Opens the i-th counter of an event.  Only the first to succeed may change the attribute. */
static int open_counter(struct pp_capture *c, struct pp_event *e, size_t i, size_t *opened,
			struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	const struct pp_event *const leader = &c->events.items[e->leader];
	const int32_t tid = t->threads[i % t->n_threads].tid;
	const int cpu = (int)t->cpus[i / t->n_threads];
	int os;

	if (leader != e && leader->fds[i] < 0)
		return 0;
	do {
		e->fds[i] = try_open(c, e, tid, cpu, leader == e ? -1 : leader->fds[i]);
		if (e->fds[i] >= 0) {
			++*opened;
			return 0;
		}
		os = errno;
	} while (!*opened && soften(c, e, os, error));
	/* A thread that has ended since it was found is not a failure. */
	return os == ESRCH ? 0 : refused(c, e, os, error);
}

/* Does the PMU of an event count on this CPU? */
static bool counts_on(const struct pp_event *e, uint32_t cpu)
{
	for (long i = 0; i < e->n_cpus; i++)
		if (e->cpus[i] == cpu)
			return true;
	return !e->cpus;
}

static int open_event(struct pp_capture *c, struct pp_event *e, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	size_t opened = 0;
	bool tried = false;

	for (size_t i = 0; i < t->n_cpus * t->n_threads; i++) {
		if (!(t->selected[i / t->n_threads] || e->everywhere) ||
		    !counts_on(e, t->cpus[i / t->n_threads]))
			continue;
		tried = true;
		if (open_counter(c, e, i, &opened, error))
			return -1;
	}
	if (!tried)
		return pp_fail(error, PP_E_USE, "cannot record %.80s: its PMU is on none of the CPUs that "
			       "are recorded", e->name);
	return opened ? 0 : refused(c, e, ESRCH, error);
}

size_t pp_counters_max_ids(void)
{
	return (PP_RECORD_MAX - PP_HEADER_SIZE - PP_ATTR_SIZE) / sizeof(uint64_t);
}

/* Several events are told apart by their ids, so all of them have to be in the stream. */
static int check_ids(const struct pp_capture *c, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	const uint64_t ids = (uint64_t)t->n_threads * t->n_selected;

	if (c->events.n == 1 || ids <= pp_counters_max_ids())
		return 0;
	return pp_fail(
		error, PP_E_USE,
		"each of %zu events would have %llu ids (%zu threads on %zu CPUs), "
		"but a stream has room for %zu: record one event, fewer threads or fewer CPUs (-C)",
		c->events.n, (unsigned long long)ids, t->n_threads, t->n_selected,
		pp_counters_max_ids());
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int make_room(struct pp_capture *c, struct pp_error *error)
{
	const size_t n = c->target.n_cpus * c->target.n_threads;

	for (size_t i = 0; i < c->events.n; i++) {
		struct pp_event *const e = &c->events.items[i];

		e->fds = malloc(n * sizeof(*e->fds));
		e->ids = calloc(n, sizeof(*e->ids));
		if (!e->fds || !e->ids)
			return pp_fail(error, PP_E_NOMEM, NULL);
		for (size_t k = 0; k < n; k++)
			e->fds[k] = -1;
	}
	c->rings.items = calloc(c->target.n_cpus, sizeof(*c->rings.items));
	c->polls = calloc(n, sizeof(*c->polls));
	if (!c->rings.items || !c->polls)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

/* All counters of a CPU share one ring: that of the first. */
static int join_cpu(struct pp_capture *c, size_t cpu, struct pp_error *error)
{
	const size_t first = cpu * c->target.n_threads;
	int owner = -1;

	for (size_t i = 0; i < c->events.n; i++) {
		struct pp_event *const e = &c->events.items[i];

		for (size_t k = first; k < first + c->target.n_threads; k++) {
			if (e->fds[k] < 0)
				continue;
			if (owner < 0) {
				owner = e->fds[k];
				if (pp_ring_map(&c->rings.items[c->rings.n], owner,
						c->target.cpus[cpu], &c->rings.bytes, error))
					return -1;
				c->rings.items[c->rings.n].build_ids = c->options.buildid_mmap;
				c->rings.n++;
			} else if (ioctl(e->fds[k], PERF_EVENT_IOC_SET_OUTPUT, owner)) {
				return pp_fail_os(error, "cannot share a buffer among counters");
			}
			if (ioctl(e->fds[k], PERF_EVENT_IOC_ID, &e->ids[k]))
				return pp_fail_os(error, "cannot read the id of a counter");
			/* Owners wake for data, the first event for the end of its thread. */
			if (e->fds[k] == owner || (i == 0 && !c->target.system_wide))
				c->polls[c->n_polls++] = (struct pollfd){ e->fds[k], POLLIN, 0 };
		}
	}
	return 0;
}

int pp_counters_open(struct pp_capture *c, struct pp_error *error)
{
	const uint64_t asked = c->rings.bytes;

	raise_limit();
	if (check_ids(c, error) || make_room(c, error))
		return -1;
	for (size_t i = 0; i < c->events.n; i++)
		if (open_event(c, &c->events.items[i], error))
			return -1;
	for (size_t i = 0; i < c->events.n; i++)
		leave_out(&c->events.items[i].attr, c->missing);
	for (size_t cpu = 0; cpu < c->target.n_cpus; cpu++)
		if (join_cpu(c, cpu, error))
			return -1;
	c->n_alive = c->n_polls;
	if (c->user_only)
		pp_capture_say(c,
			       "recording user space only: recording the kernel needs root, CAP_PERFMON or "
			       PARANOID " of at most %d (it is %d)", PARANOID_KERNEL, paranoid());
	if (c->rings.bytes < asked)
		pp_capture_say(c,
			       "using buffers of %llu KiB for each CPU: more memory is not permitted "
			       "(kernel.perf_event_mlock_kb)",
			       (unsigned long long)c->rings.bytes / 1024);
	return 0;
}

int pp_counters_switch(struct pp_capture *c, bool on, bool sideband, struct pp_error *error)
{
	const size_t n = c->target.n_cpus * c->target.n_threads;

	for (size_t i = 0; i < c->events.n; i++) {
		const struct pp_event *const e = &c->events.items[i];

		/* Members of a group follow their leader. */
		if (e->leader != i || (sideband && !e->attr.task))
			continue;
		for (size_t k = 0; k < n; k++)
			if (e->fds[k] >= 0 &&
			    ioctl(e->fds[k], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
				  0))
				return pp_fail_os(error, "cannot %s %s", on ? "start" : "stop",
						  e->name);
	}
	return 0;
}

uint64_t pp_counter_lost(const struct pp_event *e, size_t i)
{
	uint64_t values[3];           /* value, id, lost: as read_format asks */

	if (e->fds[i] < 0 || !(e->attr.read_format & PERF_FORMAT_LOST) ||
	    read(e->fds[i], values, sizeof(values)) != sizeof(values))
		return 0;
	return values[2];
}

void pp_counters_close(struct pp_capture *c)
{
	const size_t n = c->target.n_cpus * c->target.n_threads;

	for (size_t i = 0; i < c->events.n; i++)
		for (size_t k = 0; c->events.items[i].fds && k < n; k++)
			if (c->events.items[i].fds[k] >= 0)
				(void)close(c->events.items[i].fds[k]);
}
