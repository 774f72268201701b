/*
 * counter.c - reading counters as no machine of the tests can show it: pages that a kernel with
 * counters on the CPU would keep, made up here and changed under the reader; what read(2) gives.
 */
#include "counter/counter.h"
#include "counter/mmap_page.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define CHECK(what) \
	do { \
		if (!(what)) { \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			failures++; \
		} \
	} while (0)

static int failures;

/* ---- a CPU and a kernel, made up ---- */

static struct perf_event_mmap_page page;
static uint64_t pmc, clock_now;
static uint32_t asked, last_index;
static int changes;                   /* still to come, one for each time that the CPU is asked */
static void (*change)(void);

static uint64_t fake_counter(void *arg, uint32_t index)
{
	(void)arg;
	asked++;
	last_index = index;
	if (changes && changes--) {
		const uint64_t before = pmc;

		change();
		return before;        /* what the CPU said before the kernel came */
	}
	return pmc;
}

static uint64_t fake_cycles(void *arg)
{
	(void)arg;
	return clock_now;
}

static const struct pp_cpu cpu = { fake_counter, fake_cycles, NULL };

static void offer(void)
{
	memset(&page, 0, sizeof(page));
	page.cap_user_rdpmc = page.cap_user_time = 1;
	page.index = 3;
	page.pmc_width = 48;
	page.time_mult = 1;
	asked = 0;
	changes = 0;
	pmc = clock_now = 0;
}

/* ---- one look ---- */

static void values(void)
{
	static const uint16_t widths[] = { 32, 40, 48, 64 };
	struct pp_count count;

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const uint64_t mask = widths[i] == 64 ? UINT64_MAX : (UINT64_C(1) << widths[i]) - 1;

		offer();
		page.pmc_width = widths[i];
		page.offset = 1000;
		pmc = (uint64_t)-10 & mask;
		CHECK(pp_page_read(&page, &cpu, &count) && count.value == 990);
		CHECK(count.state == PP_COUNT_VALUE && last_index == 2);
		pmc = mask >> 1;
		CHECK(pp_page_read(&page, &cpu, &count) && count.value == 1000 + (mask >> 1));
		/* what the CPU has above is not part of the counter */
		pmc = 7 | ~mask;
		CHECK(pp_page_read(&page, &cpu, &count) && count.value == 1007);
	}
}

static void times(void)
{
	struct pp_count count;

	offer();
	page.time_enabled = 5000;
	page.time_running = 3000;
	page.time_shift = 31;
	page.time_mult = 715827882;   /* a third of a ns for each cycle */
	page.time_offset = 17;
	clock_now = UINT64_C(0x0123456789abcdef);
	CHECK(pp_page_read(&page, &cpu, &count));
	{
		const unsigned __int128 ns = (unsigned __int128)clock_now * page.time_mult >> 31;

		CHECK(count.enabled - 5000 == (uint64_t)ns + 17);
		CHECK(count.running - 3000 == (uint64_t)ns + 17);
	}
	/* A clock of 32 bits that has turned over since the page was written. */
	page.cap_user_time_short = 1;
	page.time_shift = 0;
	page.time_mult = 2;
	page.time_offset = 0;
	page.time_mask = UINT32_MAX;
	page.time_cycles = UINT64_C(0x5fffffff0);
	clock_now = 0x10;
	CHECK(pp_page_read(&page, &cpu, &count));
	CHECK(count.enabled == 5000 + 2 * (UINT64_C(0x5fffffff0) + 0x20));
}

/* Where it is not offered the CPU is not asked: the instruction would kill the program. */
static void not_offered(void)
{
	struct pp_count count;

	offer();
	page.cap_user_rdpmc = 0;
	CHECK(!pp_page_read(&page, &cpu, &count) && !asked);
	offer();
	page.cap_user_time = 0;
	CHECK(!pp_page_read(&page, &cpu, &count) && !asked);
	offer();
	page.index = 0;
	CHECK(!pp_page_read(&page, &cpu, &count) && !asked);
	offer();
	page.pmc_width = 0;
	CHECK(!pp_page_read(&page, &cpu, &count));
	page.pmc_width = 65;
	CHECK(!pp_page_read(&page, &cpu, &count));
}

/* ---- changed under the reader ---- */

/* The counter is put elsewhere, as when the thread was away: all that was read before is stale. */
static void move(void)
{
	page.lock++;
	page.index++;
	page.offset += 100;
	page.time_enabled += 50;
	page.time_running += 40;
	pmc -= 100;
	page.lock++;
}

static void leave(void)
{
	page.lock++;
	page.index = 0;
	page.lock++;
}

static void changed(void)
{
	struct pp_count count;

	for (int times_over = 1; times_over <= 5; times_over++) {
		offer();
		page.offset = 500;
		pmc = 700;
		change = move;
		changes = times_over;
		CHECK(pp_page_read(&page, &cpu, &count));
		CHECK(count.value == 1200 && asked == 1 + (uint32_t)times_over);
		CHECK(count.enabled == 50 * (uint64_t)times_over);
		CHECK(count.running == 40 * (uint64_t)times_over);
		CHECK(last_index == 2 + (uint32_t)times_over);
	}
	offer();
	change = leave;
	changes = 1;
	CHECK(!pp_page_read(&page, &cpu, &count) && asked == 1);
}

/* As the kernel comes: at any instruction of the reader.  The sum stays; its parts do not. */
static volatile sig_atomic_t interrupts;

static void interrupt(int number)
{
	const uint64_t k = (uint64_t)++interrupts << 20;

	(void)number;
	page.lock++;
	page.offset = (int64_t)(k + 1000);
	page.time_enabled = page.time_running = k;
	page.time_offset = 0 - k;
	pmc = 0 - k;
	page.lock++;
}

/* Gives the handler more moments to come at than one load would. */
static uint64_t slow_counter(void *arg, uint32_t index)
{
	(void)arg, (void)index;
	for (volatile int i = 0; i < 200; i++)
		;
	return __atomic_load_n(&pmc, __ATOMIC_RELAXED);
}

static void interrupted(void)
{
	static const struct pp_cpu slow = { slow_counter, fake_cycles, NULL };
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };
	struct sigaction act = { .sa_handler = interrupt };
	unsigned wrong = 0;

	offer();
	page.pmc_width = 64;
	page.offset = 1000;
	(void)sigaction(SIGALRM, &act, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
	while (interrupts < 2000) {
		struct pp_count count;

		if (!pp_page_read(&page, &slow, &count) || count.value != 1000 || count.enabled ||
		    count.running)
			wrong++;
	}
	(void)setitimer(ITIMER_REAL, &off, NULL);
	CHECK(!wrong);
}

/* ---- what read(2) gives ---- */

static void parsed(void)
{
	const uint64_t times_too = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	const uint64_t all = times_too | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	const uint64_t one[] = { 42, 900, 300, 7, 5 }, plain[] = { 43 };
	const uint64_t group[] = { 2, 900, 300, 10, 7, 1, 20, 8, 2 };
	struct pp_count count;

	CHECK(pp_count_parse(one, 5, all, 7, &count) && count.value == 42 && count.enabled == 900 &&
	      count.running == 300 && count.lost == 5 && count.state == PP_COUNT_VALUE);
	CHECK(pp_count_scaled(&count) == 126);
	CHECK(!pp_count_parse(one, 4, all, 7, &count));
	CHECK(pp_count_parse(plain, 1, 0, 0, &count) && count.value == 43 &&
	      count.state == PP_COUNT_VALUE && !count.running);
	CHECK(pp_count_parse(one, 3, times_too, 0, &count) && count.value == 42 && !count.lost);
	CHECK(pp_count_parse(group, 9, all | PERF_FORMAT_GROUP, 7, &count) && count.value == 10 &&
	      count.lost == 1 && count.running == 300);
	CHECK(pp_count_parse(group, 9, all | PERF_FORMAT_GROUP, 8, &count) && count.value == 20 &&
	      count.lost == 2 && count.enabled == 900);
	CHECK(!pp_count_parse(group, 9, all | PERF_FORMAT_GROUP, 9, &count));
	CHECK(!pp_count_parse(group, 8, all | PERF_FORMAT_GROUP, 8, &count));
	CHECK(!pp_count_parse(group, 2, all | PERF_FORMAT_GROUP, 7, &count));
	/* nothing at all: a pinned counter in its error state */
	CHECK(pp_count_parse(group, 0, all, 7, &count) && count.state == PP_COUNT_ERROR &&
	      !count.value);
	{
		const uint64_t waits[] = { 0, 900, 0 };

		CHECK(pp_count_parse(waits, 3, times_too, 0, &count) &&
		      count.state == PP_COUNT_NEVER && !pp_count_scaled(&count));
	}
}

/* A descriptor that gives the end of the file at once, as the kernel's does for such a counter. */
static void in_error(void)
{
	FILE *const ends = fopen("/dev/null", "r");
	struct pp_event items[2] = { { .name = (char[]){ "a" } }, { .name = (char[]){ "b" } } };
	struct pp_events events = { .items = items, .n = 2 };
	int fd = ends ? fileno(ends) : -1, none = -1;
	uint64_t ids[2] = { 1, 2 };
	struct pp_counter of[2] = { { .fds = &fd, .ids = &ids[0] }, { .fds = &fd, .ids = &ids[1] } };
	struct pp_counters c = { .events = &events, .of = of, .each = 1 };
	struct pp_count counts[2];
	struct pp_error error;

	for (size_t i = 0; i < 2; i++)
		items[i].attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
					    PERF_FORMAT_GROUP;
	CHECK(fd >= 0);
	CHECK(!pp_counters_read(&c, 1, 0, counts, &error) && counts[0].state == PP_COUNT_ERROR);
	CHECK(pp_counters_read_group(&c, 0, 0, counts, 2, &error) == 2 &&
	      counts[0].state == PP_COUNT_ERROR && counts[1].state == PP_COUNT_ERROR);
	CHECK(!pp_counters_sum(&c, 0, counts, &error) && counts[0].state == PP_COUNT_ERROR);
	CHECK(pp_counters_read_group(&c, 0, 0, counts, 1, &error) < 0 && error.code == PP_E_USE);
	CHECK(pp_counters_read_group(&c, 1, 0, counts, 2, &error) < 0 && error.code == PP_E_USE);
	CHECK(pp_counters_read(&c, 2, 0, counts, &error) < 0 && error.code == PP_E_USE);
	CHECK(pp_counters_read(&c, 0, 1, counts, &error) < 0 && error.code == PP_E_USE);
	CHECK(pp_counters_read_all(&c, counts, 1, &error) < 0 && error.code == PP_E_USE);
	of[1].fds = &none;
	CHECK(!pp_counters_read_all(&c, counts, 2, &error) && counts[0].state == PP_COUNT_ERROR &&
	      counts[1].state == PP_COUNT_NONE);
	if (ends)
		(void)fclose(ends);
}

int main(void)
{
	values();
	times();
	not_offered();
	changed();
	interrupted();
	parsed();
	in_error();
	return failures != 0;
}
