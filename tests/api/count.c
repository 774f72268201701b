/*
 * count.c - a program counts itself, a thread that it starts, or a command, in each of the ways in
 * which counters can be read, and prints what differs from what it did.
 */
#define _GNU_SOURCE 1
#include <perfpipe/counter.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGES = 5000, SLEEPS = 20, FAULTS = 0, SWITCHES = 1, CLOCK = 2, EVENTS = 3 };

static int failures;

#define CHECK(that) \
	do { \
		if (!(that)) { \
			printf("line %d: not so: %s\n", __LINE__, #that); \
			failures++; \
		} \
	} while (0)

static struct pp_error error;

static int give_up(void)
{
	char text[300];

	(void)pp_error_text(&error, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	return pp_error_status(&error);
}

/* So many page faults and so many times of waiting, or a few more. */
static void *work(void *unused)
{
	const struct timespec moment = { 0, 1000 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const bytes = (char *)mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		exit(9);
	(void)madvise(bytes, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		bytes[i * page] = 1;
	for (int i = 0; i < SLEEPS; i++)
		(void)nanosleep(&moment, NULL);
	(void)munmap(bytes, PAGES * page);
	return unused;
}

static struct pp_counters *opened(const char *events, const struct pp_target_options *target,
				  uint64_t asks)
{
	struct pp_counters_options how = { sizeof(how) };

	how.events = &events;
	how.n_events = 1;
	how.target = target;
	how.asks = asks;
	return pp_counters_open(&how, &error);
}

static int near_to(uint64_t value, uint64_t want)
{
	return value >= want && value < want + 200;
}

/* Its own thread: apart and as a group, which has the same times. */
static int self(int print)
{
	struct pp_counters *const c = opened("{page-faults,context-switches},task-clock", NULL, 0);
	struct pp_count one, group[2], all[EVENTS], later;
	struct pp_counter_place place;
	double scale;

	if (!c)
		return give_up();
	CHECK(pp_counters_events(c) == EVENTS && pp_counters_places(c) == 1);
	CHECK(!strcmp(pp_counters_event(c, CLOCK), "task-clock") && !pp_counters_event(c, EVENTS));
	CHECK(pp_counters_leader(c, SWITCHES) == FAULTS && pp_counters_leader(c, CLOCK) == CLOCK);
	CHECK(pp_counters_place(c, 0, &place) && place.cpu == -1 && place.tid == gettid() &&
	      place.pid == getpid() && *place.comm);
	CHECK(!pp_counters_place(c, 1, &place));
	CHECK(pp_counters_fd(c, CLOCK, 0) >= 0 && pp_counters_fd(c, CLOCK, 1) == -1);
	CHECK(pp_counters_id(c, CLOCK, 0) && pp_counters_id(c, CLOCK, 0) != pp_counters_id(c, FAULTS, 0));
	CHECK(!pp_counters_fast(c, FAULTS));
	CHECK(!pp_counters_unit(c, FAULTS, &scale) && scale == 1);
	work(NULL);
	CHECK(!pp_counters_read(c, FAULTS, 0, &one, &error) && one.state == PP_COUNT_NEVER);
	if (pp_counters_enable(c, PP_EVERY, &error))
		return give_up();
	work(NULL);
	if (pp_counters_disable(c, PP_EVERY, &error))
		return give_up();
	if (pp_counters_read(c, SWITCHES, 0, &one, &error) ||
	    pp_counters_read_group(c, FAULTS, 0, group, 2, &error) != 2 ||
	    pp_counters_read_all(c, all, EVENTS, &error))
		return give_up();
	CHECK(near_to(group[0].value, PAGES) && group[0].state == PP_COUNT_VALUE);
	CHECK(near_to(group[1].value, SLEEPS));
	CHECK(one.value == group[1].value && one.enabled == group[0].enabled);
	CHECK(group[0].enabled == group[1].enabled && group[0].running == group[0].enabled);
	CHECK(!memcmp(group, all, sizeof(group)));
	CHECK(all[CLOCK].value && all[CLOCK].value <= all[CLOCK].running);
	CHECK(pp_count_scaled(&all[CLOCK]) == all[CLOCK].value);
	work(NULL);
	CHECK(!pp_counters_read(c, FAULTS, 0, &later, &error) && later.value == group[0].value);
	if (pp_counters_reset(c, FAULTS, &error))
		return give_up();
	CHECK(!pp_counters_read(c, SWITCHES, 0, &later, &error) && !later.value && later.running);
	CHECK(!pp_counters_sum(c, CLOCK, &later, &error) && later.value == all[CLOCK].value);
	for (int i = 0; print && i < EVENTS; i++)
		printf("%s %" PRIu64 "\n", pp_counters_event(c, (size_t)i), all[i].value);
	pp_counters_close(c);
	return failures != 0;
}

/* A thread that is started meanwhile counts if it is asked for. */
static int threads(void)
{
	for (uint64_t asks = 0; asks <= PP_COUNTERS_INHERIT; asks += PP_COUNTERS_INHERIT) {
		struct pp_counters *const c = opened("page-faults", NULL, asks);
		struct pp_count count;
		pthread_t thread;

		if (!c || pp_thread_counters(true, &error))
			return give_up();
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 9;
		if (pp_thread_counters(false, &error) ||
		    pp_counters_read(c, 0, 0, &count, &error))
			return give_up();
		CHECK(asks ? near_to(count.value, PAGES) : near_to(count.value, 0));
		work(NULL);
		CHECK(!pp_counters_sum(c, 0, &count, &error) && count.value < 2 * PAGES);
		pp_counters_close(c);
	}
	return failures != 0;
}

/* A command from its start to its end; 3 is what it has to exit with. */
static int command(char *const *words)
{
	struct pp_target_options target = { sizeof(target) };
	struct pp_counters *c;
	struct pp_count count;
	int status;

	target.command = words;
	c = opened("page-faults,context-switches:u", &target, PP_COUNTERS_INHERIT);
	if (!c)
		return give_up();
	CHECK(pp_counters_places(c) == 1 && !pp_counters_command(c, &status));
	CHECK(!pp_counters_read(c, 0, 0, &count, &error) && count.state == PP_COUNT_NEVER);
	if (pp_counters_start(c, &error))
		return give_up();
	while (!pp_counters_command(c, &status))
		(void)usleep(1000);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	if (pp_counters_sum(c, 0, &count, &error))
		return give_up();
	printf("%" PRIu64 "\n", count.value);
	pp_counters_close(c);
	return failures != 0;
}

static volatile uint64_t watched, other;

static void write_both(void)
{
	for (int i = 0; i < 12; i++)
		*(i % 4 ? &watched : &other) += 1;
}

/* A breakpoint counts what is written to one place, and then to another. */
static int breakpoint(void)
{
	struct pp_counters *c;
	struct pp_count count;
	char event[64], next[64];

	(void)snprintf(event, sizeof(event), "mem:0x%" PRIxPTR "/8:w:u", (uintptr_t)&watched);
	(void)snprintf(next, sizeof(next), "mem:0x%" PRIxPTR "/8:w", (uintptr_t)&other);
	c = opened(event, NULL, 0);
	/* not every machine has them, and they may all be in use */
	if (!c)
		return error.code == PP_E_USE;
	if (getenv("NO_BREAKPOINTS")) {
		pp_counters_close(c);
		return failures != 0;
	}
	if (pp_counters_enable(c, PP_EVERY, &error))
		return give_up();
	write_both();
	CHECK(!pp_counters_read(c, 0, 0, &count, &error) && count.value == 9);
	/* Linux before 4.17 cannot, and others may not be able to. */
	if (!pp_counters_modify(c, 0, next, &error)) {
		write_both();
		CHECK(!pp_counters_read(c, 0, 0, &count, &error) && count.value == 9 + 3);
	}
	pp_counters_close(c);
	return failures != 0;
}

/* What the caller has to add up. */
static int percore(void)
{
	struct pp_counters *const c = opened("page-faults/percore/,page-faults", NULL, 0);

	if (!c)
		return give_up();
	CHECK(pp_counters_percore(c, 0) && !pp_counters_percore(c, 1) && !pp_counters_percore(c, 2));
	pp_counters_close(c);
	return failures != 0;
}

/* What is there and what is not; the rest is a mistake that is named. */
static int refusals(void)
{
	struct pp_counters *c = opened("nosuch-event", NULL, 0);
	struct pp_count count;

	CHECK(!c && pp_error_status(&error) == 2);
	c = opened("{page-faults,page-faults},raw_pmu_of_no_machine/x/", NULL, 0);
	CHECK(!c && pp_error_status(&error) == 2);
	c = opened("page-faults", NULL, 0);
	if (!c)
		return give_up();
	CHECK(pp_counters_read(c, 1, 0, &count, &error) && pp_error_status(&error) == 2);
	CHECK(pp_counters_enable(c, 7, &error) && pp_error_status(&error) == 2);
	CHECK(pp_counters_query_bpf(c, 7, NULL, 0, &error) < 0 && pp_error_status(&error) == 2);
	CHECK(pp_counters_modify(c, 0, "page-faults", &error) && pp_error_status(&error) == 2);
	CHECK(pp_counters_output(c, 0, 1, -1, &error) && pp_error_status(&error) == 2);
	CHECK(pp_counters_period(c, 0, 100, &error) && pp_error_status(&error) == 4);
	pp_counters_close(c);
	/* What no machine has is an error, or has no counters if that is asked for. */
	c = opened("page-faults,r7fffffffffffffff", NULL, 0);
	if (!c && (error.os == EOPNOTSUPP || error.os == EINVAL)) {
		c = opened("page-faults,r7fffffffffffffff", NULL, PP_COUNTERS_LENIENT);
		CHECK(c && !pp_counters_sum(c, 1, &count, &error) && count.state == PP_COUNT_NONE);
	}
	pp_counters_close(c);
	return failures != 0;
}

int main(int argc, char **argv)
{
	const char *const what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "work")) {
		work(NULL);
		return 3;
	}
	if (!strcmp(what, "self"))
		return self(1);
	if (!strcmp(what, "command") && argc > 2)
		return command(argv + 2);
	return self(0) || threads() || breakpoint() || percore() || refusals();
}
