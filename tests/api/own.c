/*
 * own.c - a program that records itself: what it asks of the counters of a capture is seen in the
 * samples; and what it writes is a stream.
 */
#define _GNU_SOURCE 1
#include <perfpipe/capture.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static struct pp_error error;
static uint64_t samples, at_once;
static char *pages;
static size_t page_size;

static int take(void *arg, const struct pp_record *record, struct pp_error *unused)
{
	uint64_t time, last = *(uint64_t *)arg;

	(void)unused;
	if (record->type != PP_REC_SAMPLE)
		return 0;
	samples++;
	at_once += !pp_time(record, &time) || time < last;
	*(uint64_t *)arg = time;
	return 0;
}

/* So many page faults: of pages that are written to for the first time. */
static void fault(int n)
{
	while (n--) {
		*pages = 1;
		pages += page_size;
	}
}

static int give_up(void)
{
	char text[300];

	(void)pp_error_text(&error, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	return pp_error_status(&error);
}

/* How many samples were taken since it was asked last. */
static uint64_t taken(struct pp_capture *c)
{
	const uint64_t before = samples;

	return pp_capture_pass(c, &error) < 0 ? UINT64_MAX : samples - before;
}

static int control(struct pp_capture *capture)
{
	struct pp_counters *const c = pp_capture_counters(capture);
	/* of each CPU's counter what is not a whole period waits for the task to come back */
	const uint64_t places = pp_counters_places(c);
	struct pp_count before, after;

	printf("%s, %s", pp_counters_event(c, 0),
	       pp_counters_fd(c, 0, 0) >= 0 && pp_counters_id(c, 0, 0) ? "open" : "closed");
	(void)taken(capture);
	if (pp_counters_sum(c, 0, &before, &error))
		return -1;
	fault(100);
	if (pp_counters_sum(c, 0, &after, &error))
		return -1;
	printf("; counted %d", after.value - before.value >= 100 && after.state == PP_COUNT_VALUE);
	printf("; all %d", 2 * taken(capture) + places >= 100);
	if (pp_counters_pause(c, 0, true, &error))
		return -1;
	(void)taken(capture);
	fault(100);
	printf("; paused %llu", (unsigned long long)taken(capture));
	if (pp_counters_pause(c, 0, false, &error) || pp_counters_period(c, 0, 10, &error))
		return -1;
	(void)taken(capture);
	fault(1000);
	after.value = taken(capture);
	printf("; every tenth %d", after.value + places >= 100 && after.value < 200);
	if (pp_counters_disable(c, 0, &error))
		return -1;
	(void)taken(capture);
	fault(100);
	printf("; disabled %llu", (unsigned long long)taken(capture));
	/* so many of each CPU's counter, and no more */
	if (pp_counters_refresh(c, 0, 7, &error))
		return -1;
	fault(400);
	after.value = taken(capture);
	printf("; refreshed %d", after.value >= 7 && after.value <= 7 * places);
	printf("; in order %d\n", !at_once);
	return 0;
}

/* A stream has what one CPU recorded in order, and what several did only round by round. */
static void stay_on_this_cpu(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	(void)sched_setaffinity(0, sizeof(here), &here);
}

int main(void)
{
	static const char *const events[] = { "page-faults:u" };
	struct pp_sampling each = { sizeof(each) };
	struct pp_target_options me = { sizeof(me) };
	struct pp_capture_options how = { sizeof(how) };
	struct pp_capture_sink sink = { sizeof(sink) };
	struct pp_capture *c;
	uint64_t last = 0;

	stay_on_this_cpu();
	how.events = events;
	how.n_events = 1;
	how.sampling = &each;
	each.period = 2;
	each.asks = PP_ASK_NO_INHERIT;
	how.target = &me;
	me.self = true;
	sink.record = take;
	sink.arg = &last;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	pages = (char *)mmap(NULL, 2000 * page_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || madvise(pages, 2000 * page_size, MADV_NOHUGEPAGE))
		return 9;
	c = pp_capture_open(&how, &error);
	if (!c || pp_capture_begin_into(c, &sink, &error) || control(c) ||
	    pp_capture_end(c, &error))
		return give_up();
	pp_capture_close(c);
	return 0;
}
