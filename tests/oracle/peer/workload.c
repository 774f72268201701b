/*
 * workload.c - what perf's own tests sample, `perf test -w NAME`, with the functions that they look for.
 * perf has such workloads itself, but those of a distribution's perf have no symbols.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "workload.h"

#define KEPT __attribute__((noinline))

volatile sig_atomic_t timer_ended;
static volatile unsigned long work;

static void end_timer(int number)
{
	(void)number;
	timer_ended = 1;
}

static void start_timer(double seconds)
{
	const struct itimerval timer = {
		.it_value = { (time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) },
	};

	signal(SIGALRM, end_timer);
	signal(SIGINT, end_timer);
	setitimer(ITIMER_REAL, &timer, NULL);
}

KEPT void noploop(void)
{
	while (!timer_ended)
		;
}

KEPT void test_loop(void)
{
	while (!timer_ended)
		work++;
}

KEPT void *thfunc(void *unused)
{
	test_loop();
	return unused;
}

static int thloop(int threads)
{
	pthread_t thread[64];
	int n;

	for (n = 0; n < threads - 1 && n < 64; n++)
		if (pthread_create(&thread[n], NULL, thfunc, NULL))
			break;
	test_loop();
	while (n > 0)
		pthread_join(thread[--n], NULL);
	return 0;
}

KEPT void brstack_bar(void)
{
	work++;
}

KEPT void brstack_foo(void)
{
	brstack_bar();
	work++;
}

KEPT void brstack_bench(void)
{
	void (*volatile indirect)(void) = brstack_foo;

	if (work % 2)
		brstack_bar();
	brstack_foo();
	indirect();
}

KEPT int brstack(long turns)
{
	for (long i = 0; i < turns; i++)
		brstack_bench();
	return 0;
}

/* perf test -w NAME [FIRST [SECOND]] */
int main(int argc, char **argv)
{
	const char *name = argc > 3 ? argv[3] : "";
	const char *first = argc > 4 ? argv[4] : NULL;
	const char *second = argc > 5 ? argv[5] : NULL;

	if (!strcmp(name, "brstack"))
		return brstack(first ? atol(first) : 20000000);
	start_timer(first ? atof(first) : 1);
	if (!strcmp(name, "noploop"))
		return noploop(), 0;
	if (!strcmp(name, "thloop"))
		return thloop(second ? atoi(second) : 2);
	if (!strcmp(name, "inlineloop"))
		return inlineloop();
	fprintf(stderr, "perf test: no workload '%s'\n", name);
	return 2;
}
