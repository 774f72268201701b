/* ips.c - where this program's page faults happen: samples of its own code, counted by address. */
#define _GNU_SOURCE
#include <perfpipe/capture.h>
#include <stdio.h>
#include <sys/mman.h>

static struct { unsigned long long ip, n; } seen[1000];
static volatile char pages[1000][4096] __attribute__((aligned(4096)));

static int count(void *arg, const struct pp_record *record, struct pp_error *error)
{
	uint64_t ip, i = 0;

	(void)arg, (void)error;
	if (!pp_ip(record, &ip)) return 0;
	for (; i < 999 && seen[i].n && seen[i].ip != ip; i++);
	seen[i].ip = ip, seen[i].n++;
	return 0;
}

int main(void)
{
	const char *const events[] = { "page-faults:u" };
	const struct pp_sampling each = { .size = sizeof(each), .period = 1 };
	const struct pp_target_options me = { .size = sizeof(me), .self = true };
	const struct pp_capture_options how = { .size = sizeof(how), .events = events, .n_events = 1,
						.sampling = &each, .target = &me };
	const struct pp_capture_sink sink = { .size = sizeof(sink), .record = count };
	struct pp_error error;
	struct pp_capture *c = pp_capture_open(&how, &error);
	int failed = !c || pp_capture_begin_into(c, &sink, &error);

	(void)madvise((void *)pages, sizeof(pages), MADV_NOHUGEPAGE);
	for (size_t i = 0; i < 1000; i++) pages[i][0]++;
	failed = failed || pp_capture_end(c, &error);
	for (size_t i = 0; i < 1000 && seen[i].n; i++) printf("%#llx %llu\n", seen[i].ip, seen[i].n);
	pp_capture_close(c);
	return failed ? pp_error_status(&error) : 0;
}
