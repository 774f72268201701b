/*
 * selftest.c - what can be recorded here, found by trying: one table of checks.  Who forbids what is
 * refused, permissions.c knows.
 */
#include "base/procfs.h"
#include "elf/kallsyms.h"
#include "counter/counter.h"
#include "counter/permissions.h"

#include <perfpipe/bytes.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	NOBODY_MAY = -2,              /* below any perf_event_paranoid: it takes the capability */
	SAMPLE_NS = 100 * 1000,       /* between the samples of a trial */
	PATIENCE_MS = 1000,           /* of processor time, for the first of them */
	TRIAL_PAGES = 8,
	USUAL_BUFFER = 512 * 1024,    /* bytes a CPU */
	USUAL_HZ = 4000,
	FILES_OF_ITS_OWN = 32,        /* descriptors for other things than counters */
};

struct cpu_look {
	struct pp_powers powers;
	uint32_t *cpus;               /* online */
	long n_cpus;
	struct pp_check_result result;
};

struct check {
	const char *name, *what, *without;
	void (*try)(struct cpu_look *, const struct check *);
	struct perf_event_attr attr;  /* of the counter that is opened */
	int enough;                   /* perf_event_paranoid with which everybody may open it */
	const char *since;            /* the first Linux that has it */
	bool needed;
};

/* ---- counters ---- */

static int open_test_counter(const struct perf_event_attr *attr, int pid, int cpu, unsigned long flags)
{
	struct perf_event_attr a = *attr;

	a.size = PP_ATTR_SIZE;
	a.disabled = 1;
	return (int)syscall(SYS_perf_event_open, &a, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

static void blame(struct cpu_look *l, const struct check *c, int os)
{
	pp_blame_open(&l->result, &l->powers, os, c->enough, !c->attr.exclude_kernel, c->since);
}

/* A flag that no kernel knows is refused before anything else is asked: EINVAL comes from the
 * kernel's own code, another errno from whatever checks before it. */
static void try_call(struct cpu_look *l, const struct check *c)
{
	(void)c;
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0UL) < 0 && errno == EINVAL)
		return;
	if (errno == ENOSYS && l->powers.paranoid == PP_PARANOID_UNKNOWN) {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "kernel", errno);
		pp_result_found(&l->result, "this kernel was built without it (CONFIG_PERF_EVENTS)");
		return;
	}
	/* Where memory lacks, no filter refused it. */
	if (pp_lacking(errno)) {
		pp_blame_open(&l->result, &l->powers, errno, NOBODY_MAY, false, c->since);
		return;
	}
	l->powers.filtered = l->powers.no_call = true;
	pp_blame_open(&l->result, &l->powers, EPERM, NOBODY_MAY, false, c->since);
}

/* Counts this process. */
static void try_own(struct cpu_look *l, const struct check *c)
{
	const int fd = open_test_counter(&c->attr, 0, -1, 0);

	if (fd < 0)
		blame(l, c, errno);
	else
		(void)close(fd);
}

static bool has_sample(const struct perf_event_mmap_page *page, const uint8_t *data)
{
	const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	for (uint64_t at = 0; at < head; at += pp_load16(data + at + 6)) {
		if (pp_load32(data + at) == PERF_RECORD_SAMPLE)
			return true;
		if (!pp_load16(data + at + 6))
			break;
	}
	return false;
}

/* Works until the first sample; false: there was none. */
static bool await_sample(const struct perf_event_mmap_page *page, const uint8_t *data)
{
	struct timespec begun, now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
	do {
		if (has_sample(page, data))
			return true;
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000 <
		 PATIENCE_MS);
	return false;
}

/* The whole way of a sample: opened, mapped, enabled, read. */
static void try_sample(struct cpu_look *l, const struct check *c)
{
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = (1 + TRIAL_PAGES) * page_size;
	const int fd = open_test_counter(&c->attr, 0, -1, 0);
	void *base;

	if (fd < 0) {
		blame(l, c, errno);
		return;
	}
	base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		const bool limited = errno == EPERM;

		pp_result_set(&l->result, PP_CHECK_REFUSED, limited ? "limit" : "kernel", errno);
		pp_result_found(&l->result, "cannot map a buffer of %zu KiB: %s", size / 1024,
				strerror(errno));
		if (limited)
			pp_result_cure(&l->result, "raise the limit on locked memory (ulimit -l), or "
				       "kernel.perf_event_mlock_kb");
	} else {
		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
			blame(l, c, errno);
		} else if (!await_sample(base, (const uint8_t *)base + page_size)) {
			pp_result_set(&l->result, PP_CHECK_REFUSED, "kernel", 0);
			pp_result_found(&l->result, "the counter can be opened, but no sample comes");
		}
		(void)munmap(base, size);
	}
	(void)close(fd);
}

static void try_list(struct cpu_look *l, const struct check *c)
{
	(void)c;
	if (l->n_cpus > 0) {
		pp_result_found(&l->result, "%ld online", l->n_cpus);
		return;
	}
	pp_result_set(&l->result, PP_CHECK_ABSENT, "sysfs", errno);
	pp_result_found(&l->result, "cannot read /sys/devices/system/cpu/online");
	pp_result_cure(&l->result, "as root: mount -t sysfs sysfs /sys");
}

static void try_cpus(struct cpu_look *l, const struct check *c)
{
	for (long i = 0; i < l->n_cpus; i++) {
		const int fd = open_test_counter(&c->attr, -1, (int)l->cpus[i], 0);

		if (fd < 0) {
			blame(l, c, errno);
			return;
		}
		(void)close(fd);
	}
}

/* The first process is root's, or that of the container's maker. */
static void try_others(struct cpu_look *l, const struct check *c)
{
	const int fd = open_test_counter(&c->attr, 1, -1, 0);

	if (fd >= 0)
		(void)close(fd);
	else if (errno == EACCES || errno == EPERM)
		pp_blame_capability(&l->result, &l->powers, errno, CAP_PERFMON, "cap_perfmon");
	else
		blame(l, c, errno);
}

static void try_hardware(struct cpu_look *l, const struct check *c)
{
	size_t length;
	char *cpuinfo;

	try_own(l, c);
	if (l->result.state != PP_CHECK_ABSENT)
		return;
	cpuinfo = pp_file_all("/proc/cpuinfo", &length);
	pp_result_found(&l->result, "this machine has no PMU%s",
			cpuinfo && strstr(cpuinfo, " hypervisor") ? ": it is a virtual machine" : "");
	if (cpuinfo && strstr(cpuinfo, " hypervisor"))
		pp_result_cure(&l->result, "let its host give it one (a virtual PMU); cpu-clock samples "
			       "without");
	free(cpuinfo);
}

/* Where there are counters, but not of this kind, no newer kernel helps. */
static void try_more(struct cpu_look *l, const struct check *c)
{
	try_own(l, c);
	if (l->result.os == EOPNOTSUPP || l->result.os == EINVAL) {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "hardware", l->result.os);
		pp_result_found(&l->result, "the processor's counters cannot do this");
		*l->result.cure = '\0';
	}
}

static void try_breakpoint(struct cpu_look *l, const struct check *c)
{
	static uint32_t watched;
	struct check own = *c;

	own.attr.bp_addr = (uintptr_t)&watched;
	try_own(l, &own);
}

/* Any control group is as good as another: that of all. */
static void try_cgroup(struct cpu_look *l, const struct check *c)
{
	static const char *const roots[] = {
		"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified", "/sys/fs/cgroup",
	};
	char rooted[PP_PATH];
	int group = -1, fd;

	for (size_t i = 0; group < 0 && i < sizeof(roots) / sizeof(roots[0]); i++)
		group = open(pp_rooted(rooted, roots[i]), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group < 0) {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "kernel", errno);
		pp_result_found(&l->result, "there is nothing at /sys/fs/cgroup");
		return;
	}
	fd = open_test_counter(&c->attr, group, l->n_cpus > 0 ? (int)l->cpus[0] : 0, PERF_FLAG_PID_CGROUP);
	if (fd < 0 && errno == EBADF) { /* a folder, but not of control groups */
		pp_result_set(&l->result, PP_CHECK_ABSENT, "sysfs", errno);
		pp_result_found(&l->result, "no control groups are mounted at /sys/fs/cgroup");
		pp_result_cure(&l->result, "as root: mount -t cgroup2 none /sys/fs/cgroup");
	} else if (fd < 0) {
		blame(l, c, errno);
	} else {
		(void)close(fd);
	}
	(void)close(group);
}

/* PMUs that write into a buffer of their own. */
static bool is_aux(const char *name)
{
	static const char *const known[] = { "intel_pt", "intel_bts", "arm_spe_", "cs_etm", "hisi_ptt" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strncmp(name, known[i], strlen(known[i])))
			return true;
	return false;
}

static void try_aux(struct cpu_look *l, const struct check *c)
{
	struct check own = *c;
	struct pp_names pmus;

	if (pp_names_read(&pmus, PP_PMUS, is_aux))
		pmus.n = 0;
	if (!pmus.n) {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "hardware", 0);
		pp_result_found(&l->result, "this machine has no such PMU");
	}
	for (size_t i = 0; i < pmus.n; i++) {
		own.attr.type = (uint32_t)pp_file_u64(0, PP_PMUS "/%s/type", pmus.items[i]);
		pp_result_found(&l->result, "%.60s", pmus.items[i]);
		try_own(l, &own);
		if (l->result.state == PP_CHECK_WORKS)
			break;
	}
	pp_names_free(&pmus);
}

/* ---- tracepoints ---- */

static void no_tracefs(struct cpu_look *l)
{
	const int os = errno;

	if (os == EACCES || os == EPERM) {
		pp_result_set(&l->result, PP_CHECK_REFUSED, "tracefs", os);
		pp_result_found(&l->result, PP_TRACEFS " may not be read");
		pp_result_cure(&l->result, "as root: mount -o remount,gid=GROUP,mode=750 " PP_TRACEFS
			       ", for a group of yours");
	} else {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "tracefs", os);
		pp_result_found(&l->result, "tracefs is not mounted");
		pp_result_cure(&l->result, "as root: mount -t tracefs nodev " PP_TRACEFS);
	}
}

/* The number of a tracepoint that every kernel has; 0, and result. */
static uint64_t a_tracepoint(struct cpu_look *l)
{
	const char *const base = pp_tracefs();
	uint64_t id;

	if (!base) {
		no_tracefs(l);
		return 0;
	}
	errno = 0;
	id = pp_file_u64(0, "%s/events/sched/sched_switch/id", base);
	if (!id) {
		errno = errno ? errno : EACCES;
		no_tracefs(l);
	}
	return id;
}

static void try_tracefs(struct cpu_look *l, const struct check *c)
{
	(void)c;
	(void)a_tracepoint(l);
}

static void try_tracepoint(struct cpu_look *l, const struct check *c)
{
	struct check own = *c;

	own.attr.config = a_tracepoint(l);
	if (own.attr.config)
		try_cpus(l, &own);
	else if (l->powers.paranoid > c->enough && !pp_powers_have(&l->powers, CAP_PERFMON) &&
		 *l->result.cure)
		(void)strncat(l->result.cure, "; and it takes cap_perfmon",
			      sizeof(l->result.cure) - strlen(l->result.cure) - 1);
}

/* ---- what is recorded besides samples ---- */

static int has_address(void *arg, const struct pp_kallsym *symbol, struct pp_error *error)
{
	(void)arg, (void)error;
	return symbol->address != 0;
}

static void try_symbols(struct cpu_look *l, const struct check *c)
{
	struct pp_error error = { .code = PP_OK };
	const int shown = pp_kallsyms_read(has_address, NULL, &error);

	(void)c;
	if (shown < 0) {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "proc", error.os);
		pp_result_found(&l->result, "cannot read /proc/kallsyms: %s", strerror(error.os));
	} else if (!shown) {
		pp_blame_hidden(&l->result, &l->powers);
	}
}

/* The first process of the machine has a fixed inode for its namespaces. */
static void try_names(struct cpu_look *l, const struct check *c)
{
	struct pp_task_stat stat;

	(void)c;
	errno = 0;
	if (pp_task_stat(getpid(), getpid(), &stat) && pp_task_stat(1, 1, &stat)) {
		if (!pp_in_pid_namespace())
			return;
		pp_result_set(&l->result, PP_CHECK_LIMITED, "container", 0);
		pp_result_found(&l->result, "only tasks of this container are seen");
		pp_result_cure(&l->result, "share the machine's PIDs with it (docker run --pid=host)");
	} else if (pp_task_stat(getpid(), getpid(), &stat)) {
		pp_result_set(&l->result, PP_CHECK_REFUSED, "hidepid", errno);
		pp_result_found(&l->result, "/proc shows only your own processes");
		pp_result_cure(&l->result, "as root: mount -o remount,hidepid=0 /proc");
	} else {
		pp_result_set(&l->result, PP_CHECK_ABSENT, "proc", errno);
		pp_result_found(&l->result, "/proc is not mounted");
		pp_result_cure(&l->result, "as root: mount -t proc proc /proc");
	}
}

/* Someone else's process, or for root any other; not the kernel's threads, which map nothing. */
static bool is_anothers(const char *pid)
{
	char path[PP_PATH], rooted[PP_PATH], byte[2];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%.32s", pid);
	return atoi(pid) != getpid() && !stat(pp_rooted(rooted, path), &st) &&
	       (!geteuid() || st.st_uid != geteuid()) &&
	       pp_file_text(byte, sizeof(byte), "/proc/%.32s/cmdline", pid) >= 0 && *byte;
}

/* errno of opening this file or folder of a process and reading a byte, or 0. */
static int open_of(const char *pid, const char *name, int flags)
{
	char path[PP_PATH], rooted[PP_PATH], byte;
	int fd, os;

	(void)snprintf(path, sizeof(path), "/proc/%.32s/%s", pid, name);
	fd = open(pp_rooted(rooted, path), flags | O_CLOEXEC);
	if (fd < 0)
		return errno;
	os = flags & O_PATH || read(fd, &byte, 1) >= 0 ? 0 : errno;
	(void)close(fd);
	return os;
}

static void try_processes(struct cpu_look *l, const char *name, int flags)
{
	struct pp_check_result *const r = &l->result;
	size_t tried = 0, refused = 0;
	struct pp_names pids;
	char why[sizeof(r->found)];
	int refusal = 0;

	if (pp_names_read(&pids, "/proc", pp_is_number)) {
		pp_result_set(r, PP_CHECK_ABSENT, "proc", errno);
		pp_result_found(r, "cannot read /proc: %s", strerror(errno));
		return;
	}
	for (size_t i = 0; i < pids.n; i++) {
		const int os = is_anothers(pids.items[i]) ? open_of(pids.items[i], name, flags) : -1;

		tried += !os || os == EACCES || os == EPERM;
		if (os != EACCES && os != EPERM)
			continue;
		refused++;
		refusal = os;
	}
	pp_names_free(&pids);
	pp_result_found(r, "%zu processes", tried);
	if (!refused)
		return;
	pp_blame_capability(r, &l->powers, refusal, CAP_SYS_PTRACE, "cap_sys_ptrace");
	(void)snprintf(why, sizeof(why), "%s", r->found);
	pp_result_found(r, "%zu of %zu processes: %.150s", refused, tried, why);
	if (refused < tried)
		r->state = PP_CHECK_LIMITED;
}

static void try_maps(struct cpu_look *l, const struct check *c)
{
	(void)c;
	try_processes(l, "maps", O_RDONLY);
}

static void try_roots(struct cpu_look *l, const struct check *c)
{
	(void)c;
	try_processes(l, "root", O_PATH | O_DIRECTORY);
}

/* Which programs are loaded; that there is none is an answer, too. */
static void try_bpf(struct cpu_look *l, const struct check *c)
{
	union bpf_attr attr;

	(void)c;
	memset(&attr, 0, sizeof(attr));
	if (!syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) || errno == ENOENT)
		return;
	if (errno == EPERM || errno == EACCES) {
		pp_blame_capability(&l->result, &l->powers, errno, CAP_SYS_ADMIN, "cap_sys_admin");
		return;
	}
	pp_result_set(&l->result, PP_CHECK_ABSENT, "kernel", errno);
	pp_result_found(&l->result, "this kernel was built without it (CONFIG_BPF_SYSCALL)");
}

/* ---- limits ---- */

/* Maps `size` bytes of a buffer on each CPU, all at once: it is their sum that is limited. */
static int map_all(const struct cpu_look *l, const struct check *c, size_t size)
{
	const size_t whole = size + (size_t)sysconf(_SC_PAGESIZE);
	struct { int fd; void *base; } *const maps = calloc((size_t)l->n_cpus + 1, sizeof(*maps));
	int os = maps ? 0 : ENOMEM;
	long n = 0;

	while (!os && n < l->n_cpus) {
		maps[n].fd = open_test_counter(&c->attr, 0, (int)l->cpus[n], 0);
		maps[n].base = maps[n].fd < 0 ? MAP_FAILED :
			       mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, maps[n].fd, 0);
		os = maps[n].base == MAP_FAILED ? errno : 0;
		n++;
	}
	while (n--) {
		if (maps[n].base != MAP_FAILED)
			(void)munmap(maps[n].base, whole);
		if (maps[n].fd >= 0)
			(void)close(maps[n].fd);
	}
	free(maps);
	return os;
}

static void try_buffers(struct cpu_look *l, const struct check *c)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = USUAL_BUFFER;
	int os;

	while ((os = map_all(l, c, size)) && (os == EPERM || os == ENOMEM) && size > page)
		size /= 2;
	if (os && !(os == EPERM && !l->powers.no_call)) {
		blame(l, c, os);
		return;
	}
	pp_result_found(&l->result, "%zu KiB for each CPU", size / 1024);
	if (!os && size == USUAL_BUFFER)
		return;
	pp_result_set(&l->result, os ? PP_CHECK_REFUSED : PP_CHECK_LIMITED, "limit", EPERM);
	if (os)
		pp_result_found(&l->result, "not even one page for each CPU may be locked");
	pp_result_cure(&l->result, "as root: sysctl kernel.perf_event_mlock_kb=%llu; or raise the limit on "
		       "locked memory (ulimit -l), or give it cap_ipc_lock",
		       (unsigned long long)(USUAL_BUFFER + page) / 1024);
}

/* Threads that run here, as /proc/loadavg has them: "0.1 0.2 0.3 1/234 5678". */
static unsigned long threads_here(void)
{
	unsigned long threads = 0;
	char text[128];

	if (pp_file_text(text, sizeof(text), "/proc/loadavg") > 0)
		(void)sscanf(text, "%*s %*s %*s %*u/%lu", &threads);
	return threads;
}

/* A counter is an open file, and each thread has one for each CPU. */
static void try_files(struct cpu_look *l, const struct check *c)
{
	const unsigned long here = threads_here();
	const unsigned long cpus = l->n_cpus > 0 ? (unsigned long)l->n_cpus : 1;
	struct rlimit limit;
	unsigned long threads;

	(void)c;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	threads = limit.rlim_max > FILES_OF_ITS_OWN ? (limit.rlim_max - FILES_OF_ITS_OWN) / cpus : 0;
	pp_result_found(&l->result, "%lu files: one event of %lu threads on %lu CPU%s",
			(unsigned long)limit.rlim_max, threads, cpus, cpus == 1 ? "" : "s");
	if (threads >= here)
		return;
	pp_result_set(&l->result, PP_CHECK_LIMITED, "limit", 0);
	pp_result_cure(&l->result, "%lu threads run here: raise the limit on open files (ulimit -Hn)",
		       here);
}

static void try_rate(struct cpu_look *l, const struct check *c)
{
	const uint64_t most = pp_file_u64(0, "/proc/sys/kernel/perf_event_max_sample_rate");

	(void)c;
	if (!most)
		return;
	pp_result_found(&l->result, "%llu samples a second", (unsigned long long)most);
	if (most >= USUAL_HZ)
		return;
	pp_result_set(&l->result, PP_CHECK_LIMITED, "limit", 0);
	pp_result_cure(&l->result, "as root: sysctl kernel.perf_event_max_sample_rate=100000; the kernel "
		       "lowers it when sampling takes too long");
}

/* ---- all checks ---- */

#define SOFTWARE(event) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event
#define CYCLES .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1, \
	.sample_period = 1000000

/* Named, so that a row may end early. */
/* What tries it comes first of the rest. */
#define CHECK(n, w, lost, ...) { .name = n, .what = w, .without = lost, .try = __VA_ARGS__ }
#define ATTR(...) .attr = { __VA_ARGS__ }

static const struct check checks[] = {
	CHECK("cpus", "which CPUs there are", "everything", try_list, .needed = true),
	CHECK("call", "perf_event_open", "everything", try_call, .needed = true),
	CHECK("sample", "samples of one's own processes, in user space", "everything", try_sample,
	      ATTR(SOFTWARE(CPU_CLOCK), .exclude_kernel = 1, .exclude_hv = 1,
		   .sample_period = SAMPLE_NS, .sample_type = PERF_SAMPLE_IP),
	      .enough = 2, .since = "2.6.31", .needed = true),
	CHECK("kernel", "samples of one's own processes, in the kernel",
	      "samples in the kernel, and its part of call chains", try_sample,
	      ATTR(SOFTWARE(CPU_CLOCK), .sample_period = SAMPLE_NS, .sample_type = PERF_SAMPLE_IP),
	      .enough = 1, .since = "2.6.31"),
	CHECK("all-cpus", "all processes on every CPU",
	      "recording of CPUs, and without a command", try_cpus,
	      ATTR(SOFTWARE(CPU_CLOCK), .sample_period = SAMPLE_NS), .enough = 0, .since = "2.6.31"),
	CHECK("others", "processes of other users", "recording of these", try_others,
	      ATTR(SOFTWARE(CPU_CLOCK), .exclude_kernel = 1, .sample_period = SAMPLE_NS),
	      .enough = NOBODY_MAY, .since = "2.6.31"),
	CHECK("cgroup", "processes of one control group", "events of a control group", try_cgroup,
	      ATTR(SOFTWARE(CPU_CLOCK)), .enough = 0, .since = "2.6.39"),
	CHECK("hardware", "counters of the processor",
	      "cycles, instructions, events of caches and raw ones", try_hardware, ATTR(CYCLES),
	      .enough = 2, .since = "2.6.31"),
	CHECK("precise", "precise addresses from the processor",
	      "modifiers p, and addresses of data", try_more, ATTR(CYCLES, .precise_ip = 1),
	      .enough = 2, .since = "2.6.35"),
	CHECK("branches", "branches that the processor recorded",
	      "branch stacks, call chains by lbr", try_more,
	      ATTR(CYCLES, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		   .branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY),
	      .enough = 2, .since = "3.4"),
	CHECK("aux", "instruction traces (Intel PT, CoreSight, Arm SPE)", "AUX events", try_aux,
	      ATTR(.exclude_kernel = 1), .enough = 2, .since = "4.1"),
	CHECK("tracefs", "names and formats of tracepoints", "tracepoints", try_tracefs),
	CHECK("tracepoint", "a tracepoint on every CPU", "tracepoints on all CPUs", try_tracepoint,
	      ATTR(.type = PERF_TYPE_TRACEPOINT, .sample_period = 1,
		   .sample_type = PERF_SAMPLE_RAW), .enough = -1, .since = "2.6.32"),
	CHECK("breakpoint", "a watched address", "events mem:", try_breakpoint,
	      ATTR(.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_W,
		   .bp_len = HW_BREAKPOINT_LEN_4, .exclude_kernel = 1, .sample_period = 1),
	      .enough = 2, .since = "2.6.33"),
	CHECK("stacks", "copies of the stack", "call chains by dwarf", try_own,
	      ATTR(SOFTWARE(CPU_CLOCK), .exclude_kernel = 1, .sample_period = SAMPLE_NS,
		   .sample_type = PERF_SAMPLE_STACK_USER, .sample_stack_user = 8192),
	      .enough = 2, .since = "3.7"),
	CHECK("clock", "times of the monotonic clock",
	      "other clocks, and times that fit those of other programs", try_own,
	      ATTR(SOFTWARE(CPU_CLOCK), .exclude_kernel = 1, .use_clockid = 1,
		   .clockid = CLOCK_MONOTONIC, .sample_period = SAMPLE_NS),
	      .enough = 2, .since = "4.1"),
	CHECK("lost", "counts of lost samples", "exact numbers of what was lost", try_own,
	      ATTR(SOFTWARE(DUMMY), .exclude_kernel = 1, .read_format = PERF_FORMAT_LOST),
	      .enough = 2, .since = "6.0"),
	CHECK("build-ids", "build-ids from the kernel",
	      "build-ids that the kernel writes into records of maps", try_own,
	      ATTR(SOFTWARE(DUMMY), .exclude_kernel = 1, .mmap = 1, .mmap2 = 1, .build_id = 1),
	      .enough = 2, .since = "5.12"),
	CHECK("switches", "context switches as records", "records of context switches", try_own,
	      ATTR(SOFTWARE(DUMMY), .exclude_kernel = 1, .context_switch = 1),
	      .enough = 2, .since = "4.3"),
	CHECK("names", "names of all tasks", "names of tasks that were already running", try_names),
	CHECK("maps", "maps of other users' processes",
	      "symbols of other users' processes that were already running", try_maps),
	CHECK("roots", "files as other users' processes and containers see them",
	      "build-ids of programs in containers", try_roots),
	CHECK("kallsyms", "addresses of the kernel's symbols",
	      "the map of the kernel and its modules", try_symbols),
	CHECK("bpf", "which BPF programs are loaded",
	      "names of BPF programs that were already loaded", try_bpf),
	CHECK("buffers", "buffers of the usual size",
	      "samples, sooner than usual, when there are many", try_buffers,
	      ATTR(SOFTWARE(DUMMY), .exclude_kernel = 1), .enough = 2, .since = "2.6.31"),
	CHECK("files", "open files", "counters of many threads", try_files),
	CHECK("rate", "the usual rate", "samples: fewer are taken", try_rate),
};

static const char *const states[] = {
	[PP_CHECK_WORKS] = "works", [PP_CHECK_LIMITED] = "limited",
	[PP_CHECK_REFUSED] = "refused", [PP_CHECK_ABSENT] = "absent",
};

const char *pp_check_state_name(enum pp_check_state state)
{
	return states[state];
}

static void find_online_cpus(struct cpu_look *l)
{
	char text[4096];

	if (pp_file_text(text, sizeof(text), "/sys/devices/system/cpu/online") > 0)
		l->n_cpus = pp_list_parse(text, &l->cpus);
}

bool pp_self_test(pp_check_result_fn *each, void *arg)
{
	struct cpu_look l = { .n_cpus = 0 };
	bool can = true;

	pp_powers_read(&l.powers);
	find_online_cpus(&l);
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const struct check *const c = &checks[i];

		l.result = (struct pp_check_result){ .name = c->name, .what = c->what,
						     .without = c->without, .needed = c->needed };
		c->try(&l, c);
		can = can && (!c->needed || l.result.state <= PP_CHECK_LIMITED);
		each(arg, &l.result);
	}
	free(l.cpus);
	return can;
}
