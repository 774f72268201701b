/* waits.c - waits in ways that are known, and prints of each call its kind, when it began and ended, and its
 * own CPU time, in ns. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EACH = 60 };

static struct call { const char *kind; long begin, end, cpu; } calls[4 * EACH];
static unsigned n_calls;
static int there[2], back[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static long now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void pause_ms(long ms)
{
	const struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

static void *partner(void *arg)
{
	char c;

	for (unsigned i = 0; i < EACH; i++) {
		if (read(there[0], &c, 1) != 1)
			exit(1);
		pause_ms(1);
		if (write(back[1], &c, 1) != 1)
			exit(1);
	}
	for (unsigned i = 0; i < EACH; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&both);
		pause_ms(2);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&both);
	}
	return arg;
}

#define CALL(name, what) do { \
	const long cpu = now(CLOCK_THREAD_CPUTIME_ID), begin = now(CLOCK_MONOTONIC); \
	what; \
	calls[n_calls++] = (struct call){ name, begin, now(CLOCK_MONOTONIC), \
					  now(CLOCK_THREAD_CPUTIME_ID) - cpu }; \
} while (0)

int main(void)
{
	pthread_t other;
	char c = 0;

	if (pipe(there) || pipe(back) || pthread_barrier_init(&both, NULL, 2) ||
	    pthread_create(&other, NULL, partner, NULL))
		return 1;
	for (unsigned i = 0; i < EACH; i++)
		CALL("sleep", pause_ms(2));
	for (unsigned i = 0; i < EACH; i++)
		CALL("pipe", if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1);
	for (unsigned i = 0; i < EACH; i++) {
		pthread_barrier_wait(&both);
		CALL("lock", pthread_mutex_lock(&lock));
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&both);
	}
	pthread_join(other, NULL);
	for (unsigned i = 0; i < n_calls; i++)
		printf("%s %ld %ld %ld\n", calls[i].kind, calls[i].begin, calls[i].end, calls[i].cpu);
	return 0;
}
