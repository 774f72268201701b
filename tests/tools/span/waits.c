/* waits.c - waits in ways that are known, and prints of each call its kind, when it began and ended, its
 * own CPU time, in ns, and whose it is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { EACH = 60, BLOCK = 4096 };

static struct call { const char *kind; long begin, end, cpu; } calls[5 * EACH];
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

/* Reads past all caches, where the file system has that. */
static int read_disk(void)
{
	static char block[BLOCK] __attribute__((aligned(BLOCK)));
	const int out = open("blocks", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int in;

	for (unsigned i = 0; i < EACH; i++)
		if (write(out, block, BLOCK) != BLOCK)
			return -1;
	fsync(out);
	close(out);
	in = open("blocks", O_RDONLY | O_DIRECT);
	if (in < 0)
		return 0;
	for (long i = 0; i < EACH; i++)
		CALL("disk", if (pread(in, block, BLOCK, i * BLOCK) != BLOCK) return -1);
	return close(in);
}

static atomic_bool enough;

static void *hog(void *arg)
{
	while (!enough)
		;
	return arg;
}

static void compute_ms(long ms)
{
	const long end = now(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* On one CPU with another thread that computes: each waits while the other one runs. */
static int compute_beside_hog(void)
{
	pthread_t other;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pthread_create(&other, NULL, hog, NULL))
		return -1;
	for (unsigned i = 0; i < EACH; i++)
		CALL("hog", compute_ms(2));
	enough = true;
	return pthread_join(other, NULL);
}

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
	if (read_disk() || compute_beside_hog())
		return 1;
	for (unsigned i = 0; i < n_calls; i++)
		printf("%s %ld %ld %ld %d\n", calls[i].kind, calls[i].begin, calls[i].end, calls[i].cpu,
		       getpid());
	return 0;
}
