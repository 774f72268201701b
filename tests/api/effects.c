/*
 * effects.c - each request that can be made of counters, confirmed by what it does: a line for each,
 * "NAME works", "NAME fails" or, where the system does not let it be tried, "NAME refused".
 */
#define _GNU_SOURCE 1
#include <perfpipe/counter.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RING_PAGES = 8, FAILS = 0, WORKS = 1, REFUSED = 2 };

static struct pp_error error;
static char *pages;
static size_t page_size;

/* So many page faults, of pages that are touched for the first time. */
static void fault(int n)
{
	for (; n > 0; n--, pages += page_size)
		*(volatile char *)pages = 1;
}

static struct pp_counters *opened(const char *events)
{
	struct pp_counters_options how = { sizeof(how) };

	how.events = &events;
	how.n_events = 1;
	return pp_counters_open(&how, &error);
}

static uint64_t value(const struct pp_counters *c, size_t event)
{
	struct pp_count count;

	return pp_counters_read(c, event, 0, &count, &error) ? UINT64_MAX : count.value;
}

/* The ring of an event's only counter, which holds headers alone; NULL: there is none. */
static struct perf_event_mmap_page *ring(const struct pp_counters *c, size_t event)
{
	void *const at = mmap(NULL, (RING_PAGES + 1) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			      pp_counters_fd(c, event, 0), 0);

	return at == MAP_FAILED ? NULL : (struct perf_event_mmap_page *)at;
}

/* How many records have come since it was asked last. */
static uint64_t came(struct perf_event_mmap_page *page)
{
	const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	const uint64_t n = (head - page->data_tail) / sizeof(struct perf_event_header);

	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return n;
}

static bool about(uint64_t is, uint64_t want)
{
	return is >= want && is < want + 10;
}

/* ---- counters that count */

static int enable(struct pp_counters *c)
{
	fault(50);
	if (value(c, 0) || pp_counters_enable(c, 0, &error))
		return FAILS;
	fault(50);
	return about(value(c, 0), 50);
}

static int disable(struct pp_counters *c)
{
	uint64_t before;

	if (pp_counters_enable(c, 0, &error) || pp_counters_disable(c, 0, &error))
		return FAILS;
	before = value(c, 0);
	fault(50);
	return value(c, 0) == before;
}

static int reset(struct pp_counters *c)
{
	if (pp_counters_enable(c, 0, &error))
		return FAILS;
	fault(50);
	return !pp_counters_disable(c, 0, &error) && value(c, 0) >= 50 &&
	       !pp_counters_reset(c, 0, &error) && !value(c, 0);
}

static int task_enable(struct pp_counters *c)
{
	if (pp_thread_counters(true, &error))
		return FAILS;
	fault(50);
	return about(value(c, 0), 50);
}

static int task_disable(struct pp_counters *c)
{
	uint64_t before;

	if (pp_counters_enable(c, 0, &error) || pp_thread_counters(false, &error))
		return FAILS;
	before = value(c, 0);
	fault(50);
	return value(c, 0) == before;
}

/* The ids are those by which a group's values are read. */
static int id(struct pp_counters *c)
{
	/* nr, enabled, running, and for each its value and id */
	uint64_t v[3 + 2 * 2];

	return read(pp_counters_fd(c, 0, 0), v, sizeof(v)) == (ssize_t)sizeof(v) && v[0] == 2 &&
	       v[4] != v[6] && v[4] == pp_counters_id(c, 0, 0) && v[6] == pp_counters_id(c, 1, 0);
}

/* ---- counters that are sampled */

static int refresh(struct pp_counters *c)
{
	struct perf_event_mmap_page *const page = ring(c, 0);

	if (!page)
		return REFUSED;
	fault(20);
	if (came(page) || pp_counters_refresh(c, 0, 3, &error))
		return FAILS;
	fault(20);
	return came(page) == 3;
}

static int period(struct pp_counters *c)
{
	struct perf_event_mmap_page *const page = ring(c, 0);
	uint64_t each;

	if (!page)
		return REFUSED;
	if (pp_counters_enable(c, 0, &error))
		return FAILS;
	fault(100);
	each = came(page);
	if (pp_counters_period(c, 0, 10, &error))
		return FAILS;
	(void)came(page);
	fault(100);
	return about(each, 100) && about(came(page), 9);
}

static int pause_output(struct pp_counters *c)
{
	struct perf_event_mmap_page *const page = ring(c, 0);
	uint64_t paused;

	if (!page)
		return REFUSED;
	if (pp_counters_enable(c, 0, &error) || pp_counters_pause(c, 0, true, &error))
		return FAILS;
	(void)came(page);
	fault(50);
	paused = came(page);
	if (pp_counters_pause(c, 0, false, &error))
		return FAILS;
	fault(50);
	/* and one record says how many were lost meanwhile */
	return !paused && value(c, 0) >= 100 && came(page) >= 50;
}

/* Two events that are sampled: the second has no ring, and then that of the first. */
static int set_output(struct pp_counters *c)
{
	struct perf_event_mmap_page *const page = ring(c, 0);

	if (!page)
		return REFUSED;
	if (pp_counters_enable(c, 1, &error))
		return FAILS;
	fault(50);
	if (came(page) || pp_counters_output(c, 1, 0, pp_counters_fd(c, 0, 0), &error))
		return FAILS;
	fault(50);
	if (!about(came(page), 50) || pp_counters_output(c, 1, 0, -1, &error))
		return FAILS;
	fault(50);
	return !came(page);
}

/* ---- tracepoints */

static void ask_parent(int n)
{
	while (n--)
		(void)syscall(SYS_getppid);
}

static int set_filter(struct pp_counters *c)
{
	char filter[32];

	(void)snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	if (pp_counters_filter(c, 0, filter, &error) || pp_counters_enable(c, 0, &error))
		return FAILS;
	ask_parent(20);
	(void)getpid();
	/* the first stays, and that is said */
	if (!pp_counters_filter(c, 0, "id == 0", &error) || error.os != EEXIST ||
	    !strstr(error.detail, "keeps its first filter"))
		return FAILS;
	ask_parent(5);
	return !pp_counters_disable(c, 0, &error) && value(c, 0) == 25;
}

/* A program that lets no hit of a tracepoint through; its descriptor. */
static int load_program(void)
{
	static const struct bpf_insn code[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACEPOINT;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int set_bpf(struct pp_counters *c)
{
	const int program = load_program();
	uint64_t before;

	if (program < 0)
		return REFUSED;
	if (pp_counters_enable(c, 0, &error))
		return FAILS;
	ask_parent(20);
	before = value(c, 0);
	if (pp_counters_bpf(c, 0, program, &error))
		return FAILS;
	ask_parent(20);
	return before >= 20 && value(c, 0) <= before + 10 && !close(program);
}

static int query_bpf(struct pp_counters *c)
{
	const int program = load_program();
	struct bpf_prog_info info;
	union bpf_attr attr;
	uint32_t ids[4] = { 0 };

	if (program < 0)
		return REFUSED;
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	memset(&info, 0, sizeof(info));
	return pp_counters_query_bpf(c, 0, ids, 4, &error) == 0 &&
	       !pp_counters_bpf(c, 0, program, &error) &&
	       pp_counters_query_bpf(c, 0, ids, 4, &error) == 1 &&
	       !syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) && ids[0] == info.id;
}

/* ---- breakpoints */

static volatile uint64_t watched, other;

static int modify(struct pp_counters *c)
{
	char next[64];

	(void)snprintf(next, sizeof(next), "mem:0x%lx/8:w", (unsigned long)&other);
	if (pp_counters_enable(c, 0, &error))
		return FAILS;
	watched = 1;
	if (pp_counters_modify(c, 0, next, &error))
		return error.os == EOPNOTSUPP || error.os == ENOTTY ? REFUSED : FAILS;
	watched = 2;
	other = 1;
	other = 2;
	if (getenv("NO_BREAKPOINTS"))
		return REFUSED;
	return value(c, 0) == 3;
}

static const struct {
	const char *name;
	int (*does)(struct pp_counters *);
	const char *events;
} requests[] = {
	{ "ENABLE", enable, "page-faults:u" },
	{ "DISABLE", disable, "page-faults:u" },
	{ "REFRESH", refresh, "page-faults/period=1/u" },
	{ "RESET", reset, "page-faults:u" },
	{ "PERIOD", period, "page-faults/period=1/u" },
	{ "SET_OUTPUT", set_output, "page-faults/period=1/u,minor-faults/period=1/u" },
	{ "SET_FILTER", set_filter, "raw_syscalls:sys_enter" },
	{ "ID", id, "{page-faults,minor-faults}" },
	{ "SET_BPF", set_bpf, "raw_syscalls:sys_enter" },
	{ "PAUSE_OUTPUT", pause_output, "page-faults/period=1/u" },
	{ "QUERY_BPF", query_bpf, "raw_syscalls:sys_enter" },
	{ "MODIFY_ATTRIBUTES", modify, NULL },
	{ "PR_TASK_PERF_EVENTS_ENABLE", task_enable, "page-faults:u" },
	{ "PR_TASK_PERF_EVENTS_DISABLE", task_disable, "page-faults:u" },
};

int main(void)
{
	static const char *const results[] = { "fails", "works", "refused" };
	char breakpoint[64], text[300];

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pages = (char *)mmap(NULL, 4000 * page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, 4000 * page_size, MADV_NOHUGEPAGE))
		return 9;
	(void)snprintf(breakpoint, sizeof(breakpoint), "mem:0x%lx/8:w:u", (unsigned long)&watched);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		struct pp_counters *const c = opened(requests[i].events ? requests[i].events : breakpoint);
		const int got = c ? requests[i].does(c) : REFUSED;

		printf("%s %s\n", requests[i].name, results[got]);
		if (got != WORKS && error.code) {
			(void)pp_error_text(&error, text, sizeof(text));
			fprintf(stderr, "%s: %s\n", requests[i].name, text);
		}
		pp_counters_close(c);
	}
	return 0;
}
