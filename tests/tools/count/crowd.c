/*
 * crowd.c - many threads that do the same again and again, when they are asked.
 *
 *	crowd N [BETWEEN] <ASKED >DONE
 *
 * Before the last of them as many as BETWEEN come and go, whose numbers nobody has then.
 *
 * For each line of ASKED each of N threads, the first among them, calls chdir() three times; then a line of
 * DONE says so.  The first line of DONE says that all are there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS = 3, STACK = 65536 };

static pthread_barrier_t begin, end;

static void work(void)
{
	for (int i = 0; i < CALLS; i++)
		if (chdir("."))
			abort();
}

static void *member(void *arg)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		work();
		pthread_barrier_wait(&end);
	}
	return arg;
}

static void *go(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	const unsigned between = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	pthread_attr_t attr;
	char line[16];

	if (!n || pthread_barrier_init(&begin, NULL, n) || pthread_barrier_init(&end, NULL, n) ||
	    pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, STACK))
		return 1;
	for (unsigned i = 1; i < n; i++) {
		pthread_t thread;

		for (unsigned k = 0; i == n - 1 && k < between; k++)
			if (pthread_create(&thread, &attr, go, NULL) || pthread_join(thread, NULL))
				return 1;
		if (pthread_create(&thread, &attr, member, NULL))
			return 1;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		pthread_barrier_wait(&begin);
		work();
		pthread_barrier_wait(&end);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
